//! Regular expressions with unbounded repeats, with assertions inside the expression, and with thousands of
//! alternatives.

use crate::harness::{each_way, finish, once};

const LOG: &str = "error: connection timeout\neror at db timout after 300ms\nwarning 12ms\nuser=alice id=77 user=bob id=8\n\n\
                   10.0.0.9:8080 conection refused\n";

#[test]
fn lines_with_a_string_of_the_expression_are_selected() {
    each_way(|nigh| {
        nigh.write("log", LOG);
        nigh.prints("-k0 error.*timeout log", "error: connection timeout\n");
        nigh.prints("-k2 error.*timeout log", "error: connection timeout\neror at db timout after 300ms\n");
        nigh.prints(r"-k1 -c \d+ms log", "2\n");
        nigh.prints(r"-k0 -n \d+ms$ log", "2:eror at db timout after 300ms\n3:warning 12ms\n");
        nigh.prints(r"-k0 -v ^\S+_.* log", "\n");
        nigh.prints(r"-k1 -x [a-z]+_\d+ms log", "warning 12ms\n");
        nigh.prints("-k0 -i -l ERR*OR.*TIME log", "log\n");
        nigh.prints(r"-k0 -c ^\s*$ log", "1\n");
        nigh.prints("-k0 -c x* log", "6\n");
        nigh.prints(r"-k0 user\b.*\bid log", "user=alice id=77 user=bob id=8\n");
        nigh.finds_nothing(r"-k0 -c us\Ber\B log", "0\n");
        nigh.prints("-k1 --cost err+or: log", "0:error: connection timeout\n");
        nigh.prints("-k2 --format=histogram error.*timeout log", "0\t1\n1\t0\n2\t1\n");
        nigh.prints("--bytes -k1 -c con+ection log", "2\n");
    });
}

#[test]
fn the_parts_of_lines_that_match_are_shown() {
    each_way(|nigh| {
        nigh.write("log", LOG);
        nigh.prints("-k0 -o [a-z]+=[a-z]+ log", "user=alice\nuser=bob\n");
        nigh.prints("-k0 -o user=.*id log", "user=alice id=77 user=bob id\n");
        nigh.prints("-k0 -o user=.*?id log", "user=alice id\nuser=bob id\n");
        nigh.prints("-k0 -o er|rror.*|or|[a-z]*tion log", "er\nor\nconnection\ner\nor\ner\ner\ner\nconection\n");
        nigh.prints("-k1 -o tim[e]*out log", "timeout\ntimout\n");
        nigh.prints("-k1..2 -o timeo+ut log", "timout\n");
        nigh.prints("-k1 -o --cost [0-9]+ms: log", "1:300ms\n1:12ms\n");
        nigh.prints("-k0 -o --within 0..8 [a-z]+= log", "user=\n");
        nigh.prints("-k0 -o -e us[er]+= --near 5 -e bob log", "user=\nbob\n");
        nigh.prints("--format=ends -k1 --hits best tim[a-z]*t log", "log\t25\t0\ttim[a-z]*t\nlog\t43\t0\ttim[a-z]*t\n");
        nigh.prints(
            "--format=count-patterns -k1 -e tim[a-z]*t -e alice log",
            "pattern\t0\t1\ttotal\ntim[a-z]*t\t2\t0\t2\nalice\t1\t0\t1\n",
        );
        nigh.prints("--best -k3 err*or.*timeout log", "error: connection timeout\n");
    });
}

#[test]
fn a_match_with_a_lazy_quantifier_ends_where_that_of_perl_does() {
    each_way(|nigh| {
        nigh.write("secrets", "password=abc; token=def\n");
        nigh.prints("-k0 --replace XX password=.*?;.* secrets", "XX\n");
        nigh.prints("-k0 --replace XX password=.*?; secrets", "XX token=def\n");
        nigh.prints("-k0 -o .*?(token|token=) secrets", "password=abc; token\n");
        nigh.prints("-k0 -o .*?(token=|token) secrets", "password=abc; token=\n");
        nigh.write("letters", "abxccbc ab\n");
        nigh.prints("-k0 -o a.*?b.*c letters", "abxccbc\n");
        nigh.prints("-k0 -o a.*?b.*?c letters", "abxc\n");
        nigh.prints("-k0 -o --replace $1-$2 (a+?)(b*) letters", "a-b\na-b\n");
        nigh.prints("-k0 -o \\b.+?\\b letters", "abxccbc\n \nab\n");
        nigh.prints("-k0 -o (?:ab|a)x?? letters", "ab\nab\n");
        // With edits, the length decides: the longest, unless all quantifiers are lazy.
        nigh.prints("-k1 -o -i PASSWRD=.*?;.* secrets", "password=abc; token=def\n");
        nigh.prints("-k1 -o -i PASSWRD=.*?; secrets", "password=abc;\n");
    });
}

#[test]
fn an_alignment_is_with_a_string_of_the_expression() {
    once(|nigh| {
        nigh.write("log", "xeror in db timeout\n");
        let found = nigh.run("--json -k2 er+or.*time[a-z]+t log").text();
        assert!(found.contains(r#""start":1,"end":19,"cost":0"#), "{found}");
        let found = nigh.run("--json -k1 error.*timeout log").text();
        assert!(found.contains(r#""start":1,"end":19,"cost":1"#) && found.contains(r#""cigar":"1=1I17=""#), "{found}");
    });
}

#[test]
fn rows_show_the_string_of_the_alignment() {
    once(|nigh| {
        nigh.write("log", "x error at db timout after\n").write("s.fa", ">s\nTTACGGGTAGGGATTTACCC\n");
        nigh.prints(
            "-k1 --format=align err+or.*timeout log",
            "2-20 + err+or.*timeout distance 1\n\
             pattern  0 error???????timeout 19\n           ||||||||||||||| |||\n\
             text     2 error at db tim-out 20\n\n",
        );
        let aligned = |arguments: &str| {
            let mut command = nigh.command(arguments);
            command.arg("--columns=start,end,strand,distance,aligned_pattern,aligned_match");
            finish(command, Vec::new()).text()
        };
        assert_eq!(
            aligned("-k1 --strand reverse GGGTA{1,70}TC{2,70}A s.fa"),
            "7\t20\t-\t1\tTGGGGATTTACCC\tTAGGGATTTACCC\n"
        );
        assert_eq!(
            aligned("-k1 --hits best --strand forward G{3,5}N{1,70}G{2,5}T s.fa"),
            "4\t14\t+\t1\tGGGNNGGGGT\tGGGTAGGGAT\n"
        );
    });
}

#[test]
fn motifs_in_sequences_have_a_largest_length() {
    each_way(|nigh| {
        nigh.write("s.fa", ">s\nACGGGTTAGGGAACCGGGATGGGTCCCAACCC\n");
        let motif = "G{3,5}N{1,7}G{3,5}N{1,7}G{3,5}N{1,7}G{3,5}";
        nigh.prints(&format!("-k0 -c {motif} s.fa"), "1\n");
        nigh.prints(&format!("-k0 --hits best --format bed {motif} s.fa"), &format!("s\t2\t23\t{motif}\t1000\t+\n"));
        nigh.finds_nothing(&format!("-k0 -c --strand reverse {motif} s.fa"), "0\n");
    });
}

#[test]
fn an_expression_in_sequences_is_one_pattern() {
    each_way(|nigh| {
        nigh.write("repeats.fa", ">m\nTTGACACACACACACACACACACACATTG\n");
        nigh.write("read.fa", ">r1\nCAGGTAGTACACTGG\n");
        let repeats = "-k0 --strand forward --columns start,end,match repeats.fa";
        nigh.prints(&format!("{repeats} --hits best -e (CA){{5,20}}TT"), "4\t28\tCACACACACACACACACACACATT\n");
        nigh.prints(&format!("{repeats} --hits best -e (CA){{5,20}}"), "4\t26\tCACACACACACACACACACACA\n");
        let read = "-k1 --strand forward --columns start,end,distance,cigar read.fa -e GTAGTC?CA";
        nigh.prints(&format!("{read} --hits all"), "3\t9\t1\t5=1I1=\n3\t11\t1\t5=1X2=\n");
        nigh.prints(&format!("{read} --hits best"), "3\t11\t1\t5=1X2=\n");
    });
}

#[test]
fn edits_of_expressions_have_costs_and_limits() {
    each_way(|nigh| {
        let (swapped, deleted) = ("timeuot after 12 ms\n", "timout after 7 ms\n");
        let (substituted, inserted) = ("timeoxt after 9 ms\n", "tiimeout after 3 ms\n");
        nigh.write("t", [swapped, deleted, substituted, inserted].concat());
        nigh.prints("-k1 --transpositions timeout.*ms t", &[swapped, deleted, substituted, inserted].concat());
        nigh.prints("-k1s --cost -o timeout t", "1:timeoxt\n1:iimeout\n");
        nigh.prints("-k1s timeout.*ms t", &[substituted, inserted].concat());
        nigh.prints("--edits d,e<=1 timeout.*ms t", &[deleted, inserted].concat());
        nigh.prints("--edits i,e<=1 tim+eout.*ms t", inserted);
        nigh.prints("--edits i+2d+s<=1 timeout.*ms t", &[substituted, inserted].concat());
        nigh.prints(
            r"-k2 --transpositions -o --cost timeout.*\d t",
            "1:timeuot after 12\n1:timout after 7\n1:timeoxt after 9\n1:iimeout after 3\n",
        );
        nigh.prints(
            "-k1 --exact-group <tim>eout.*ms t",
            &[swapped, deleted, substituted].concat().replace(swapped, ""),
        );
        nigh.prints("-k1 --exact-group time<out>.*ms t", &[deleted, inserted].concat());
        nigh.prints("-k1 --exact-group ti+<me>out.*(<3>|<9>) t", &[substituted, inserted].concat());
        nigh.fails("--edits i,d,s<=3,e<=17 x{20}.*y t", "at most 16");
    });
}

#[test]
fn an_expression_with_exact_groups_at_its_ends_is_one_pattern() {
    each_way(|nigh| {
        nigh.write("r.fa", ">r\nTTCAGTTACGTCCGG\n");
        let row = |start: usize, end: usize| format!("r\t{start}\t{end}\t<N{{2,4}}>CAGTTACG<N{{1,2}}>\t1000\t+\n");
        let options = "-k1 --strand forward --format bed";
        nigh.prints(&format!("{options} --hits best <N{{2,4}}>CAGTTACG<N{{1,2}}> r.fa"), &row(0, 12));
        let all = nigh.run(&format!("{options} --hits all <N{{2,4}}>CAGTTACG<N{{1,2}}> r.fa")).text();
        let ends: Vec<&str> = all.lines().filter_map(|row| row.split('\t').nth(2)).collect();
        assert!(ends.len() > 2 && ends.is_sorted_by_key(|end| end.parse::<usize>().unwrap()), "{all}");
        assert!(ends.windows(2).all(|ends| ends[0] != ends[1]), "{all}");
    });
    once(|nigh| {
        nigh.write("r.fa", ">r\nTTCAGTTACGTCCGG\n");
        let debug = |options: &str| nigh.run(&format!("--debug {options} <N{{2,4}}>CAGTTACG<N{{1,90}}> r.fa")).stderr;
        assert!(debug("-k1").contains("automata"), "{}", debug("-k1"));
        assert!(debug("-k1 --hits sites").contains("540 patterns"), "{}", debug("-k1 --hits sites"));
    });
}

#[test]
fn unsupported_features_of_expressions_are_named() {
    once(|nigh| {
        nigh.write("t", "x\n").write("s.fa", ">s\nACGT\n");
        nigh.fails("-k1 --overhang 0.5 a.*b t", "pattern 'a.*b': --overhang cannot be used with");
        nigh.fails(
            "-k1 --overhang 0.5 --within 0..9 A{1,70}C{1,70}G s.fa",
            "pattern 'A{1,70}C{1,70}G': --overhang cannot be used with",
        );
    });
}

#[test]
fn expressions_of_many_strings_hang_over() {
    once(|nigh| {
        nigh.write("s.fa", ">s\nTTAAACC\n>t\nCCGTT\n>u\nTAACTT\n").write("t", "x error=cod\n");
        nigh.prints(
            "-k1 --overhang 0.5 --strand forward --hits best A{1,70}C{1,70}G s.fa",
            "s\t2\t7\tA{1,70}C{1,70}G\t0\t+\t5=1S\tAAACC\n\
             t\t0\t3\tA{1,70}C{1,70}G\t0\t+\t1S3=\tCCG\n\
             u\t1\t5\tA{1,70}C{1,70}G\t1\t+\t3=1X\tAACT\n",
        );
        nigh.prints(
            "-k1 --overhang 0.5 --min-overlap 4000000000 --strand forward --hits best A{1,9}C{1,9}G s.fa",
            "s\t2\t7\tA{1,9}C{1,9}G\t1\t+\t4=1X\tAAACC\n\
             t\t0\t3\tA{1,9}C{1,9}G\t1\t+\t1X2=\tCCG\n\
             u\t1\t5\tA{1,9}C{1,9}G\t1\t+\t3=1X\tAACT\n",
        );
        let error = "-k1 --overhang right:0.5 (err)(o|a|e){1,9}r?=(code|cause|reason|[a-d]{3,9})";
        nigh.prints(&format!("{error} -o t"), "error=cod\n");
        nigh.prints(&format!("{error} --replace $3-$1 -o t"), "cod-err\n");
    });
}
