//! Options that earlier versions had: their messages name what replaces them, and the replacement prints what the former
//! option printed.

use std::fs;

use crate::harness::{once, shipped};

/// A command line with a former option, the same command line today, and the output that an earlier version printed.
const FORMER: &[(&str, &str, &str)] = &[
    (
        "--ends -k1 deadlock log",
        "--format=ends -k1 deadlock log",
        "log\t1457\t1\tdeadlock\nlog\t1458\t0\tdeadlock\nlog\t1459\t1\tdeadlock\nlog\t1545\t1\tdeadlock\n",
    ),
    (
        "--ends --hits best -k2 connection log",
        "--format ends --hits best -k2 connection log",
        "log\t366\t0\tconnection\nlog\t677\t1\tconnection\nlog\t1087\t0\tconnection\nlog\t1339\t0\tconnection\nlog\t1399\t0\tconnection\n",
    ),
    (
        "--align -k1 deadlock log",
        "--format align -k1 deadlock log",
        "1450-1458 + deadlock distance 0\npattern    0 deadlock 8\n             ||||||||\ntext    1450 deadlock 1458\n\n1538-1545 + deadlock distance 1\npattern    0 deadlock 8\n             |||||| |\ntext    1538 deadlo-k 1545\n\n",
    ),
    ("--histogram -k2 refused log", "--format=histogram -k2 refused log", "0\t3\n1\t1\n2\t0\n"),
    (
        "--histogram -k2 --hits best GGGCGGCGACCT s.fa",
        "--format=histogram -k2 --hits best GGGCGGCGACCT s.fa",
        "0\t1\n1\t1\n2\t7\n",
    ),
    (
        "--count-patterns -k1 -e timeout -e refused log",
        "--format=count-patterns -k1 -e timeout -e refused log",
        "pattern\t0\t1\ttotal\ntimeout\t1\t1\t2\nrefused\t3\t1\t4\n",
    ),
    (
        "--count-patterns -H -k1 -e GGGCGGCGACCT s.fa",
        "--format=count-patterns -H -k1 -e GGGCGGCGACCT s.fa",
        "file\tpattern\tsequence\t0\t1\ttotal\ns.fa\tGGGCGGCGACCT\tGGGCGGCGACCT\t1\t3\t4\n",
    ),
    (
        "-k2 --products 50..3000 -f pairs.tsv --format bed s.fa",
        "nigh-pcr -k2 --lengths 50..3000 --format bed pairs.tsv s.fa",
        "gi|9626243|ref|NC_001416.1|\t20000\t20300\ta\t975\t+\n",
    ),
    (
        "-k2 --products 50..3000 -f pairs.tsv --count-patterns s.fa",
        "nigh-pcr -k2 --lengths 50..3000 --format counts pairs.tsv s.fa",
        "name\tforward\treverse\tproducts\na\tTCCGTGGTGGCACAGAGTAC\tTGATTGTAGTGACGC<TGCAG>\t1\n",
    ),
    (
        "-k2 --products 50..3000 --pool --circular --format fasta --inner -f pairs.tsv s.fa",
        "nigh-pcr -k2 --lengths 50..3000 --pool --circular --format fasta --inner pairs.tsv s.fa",
        ">gi|9626243|ref|NC_001416.1|:20000-20300(+) a/F+a/R\nGGCAGACGCGAAGAAATCAGCCGGCGATGCCAGTGCATCAGCTGCTCAGGTCGCGGCCCTTGTGACTGATGCAACTGACTCAGCACGCGCCGCCAGCACGTCCGCCGGACAGGCTGCATCGTCAGCTCAGGAAGCGTCCTCCGGCGCAGAAGCGGCATCAGCAAAGGCCACTGAAGCGGAAAAAAGTGCCGCAGCCGCAGAGTCCTCAAAAAACGCGGCGGCCACCAGTGCCGGTGCGGCGAAAACGTCAGAAACGAATG\n",
    ),
    (
        "-k2 --max-ins 0 deadlock log",
        "--edits d,s,e<=2 deadlock log",
        "2026-03-14 08:07:33 web01 ERROR deadlock detected, transaction rolled back\n2026-03-14 08:07:45 web02 note from on-call: deadlok again, see ticket 4711\n",
    ),
    (
        "-k2 --max-sub 1 refused log",
        "--edits i,d,s<=1,e<=2 refused log",
        "2026-03-14 08:01:39 web02 ERROR upstream 10.0.0.7:8080: connection refused\n2026-03-14 08:03:20 web02 WARN  upstream 10.0.0.7:8080: conection refused (reported by hand)\n2026-03-14 08:05:24 db01 ERROR upstream 10.0.0.9:8080: connection refusd\n2026-03-14 08:05:44 cache01 ERROR upstream 10.0.0.9:8080: conectoin refused\n",
    ),
    (
        "--ins-cost 2 --del-cost 2 --sub-cost 1 -k2 refused log",
        "--edits 2i+2d+s<=2 refused log",
        "2026-03-14 08:01:39 web02 ERROR upstream 10.0.0.7:8080: connection refused\n2026-03-14 08:03:20 web02 WARN  upstream 10.0.0.7:8080: conection refused (reported by hand)\n2026-03-14 08:05:24 db01 ERROR upstream 10.0.0.9:8080: connection refusd\n2026-03-14 08:05:44 cache01 ERROR upstream 10.0.0.9:8080: conectoin refused\n",
    ),
    (
        "-k2 --min-errors 1 refused log",
        "-k1..2 refused log",
        "2026-03-14 08:05:24 db01 ERROR upstream 10.0.0.9:8080: connection refusd\n",
    ),
];

#[test]
fn what_replaces_a_former_option_prints_the_same() {
    once(|nigh| {
        nigh.write("log", fs::read(shipped("service.log")).unwrap())
            .write("s.fa", fs::read(shipped("lambda.fa")).unwrap());
        nigh.write("pairs.tsv", "a\tTCCGTGGTGGCACAGAGTAC\tTGATTGTAGTGACGC<TGCAG>\n");
        for (former, today, output) in FORMER {
            nigh.fails(former, "nigh: unrecognized option '--");
            assert!(nigh.run(former).stderr.contains("; use "), "{former}");
            nigh.prints(today, output);
        }
    });
}
