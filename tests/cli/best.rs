//! `--best`: the output equals that of a search with the smallest distance as `-k`.

use crate::harness::{Nigh, each_way, once};

fn write_lines(nigh: &Nigh) {
    nigh.write("a", "one\ndeadlook\ntwo\ndedlok\nthree\n")
        .write("b", "dealock deadlocc\nx\ndeadlo\n")
        .write("c", "nothing\n");
}

#[test]
fn the_best_lines_are_those_of_the_least_distance() {
    each_way(|nigh| {
        write_lines(nigh);
        for options in ["", "-n --cost", "-c", "-l", "-L", "-o", "-m1", "-A1", "-B1 -n", "-b", "--json", "--vimgrep"] {
            let (best, bound) = (
                nigh.run(&format!("--best -k4 {options} deadlock a b c")),
                nigh.run(&format!("-k1 {options} deadlock a b c")),
            );
            let without_times = |text: String| text.split("\"elapsed").next().unwrap().to_owned();
            assert_eq!(without_times(best.text()), without_times(bound.text()), "{options}");
            assert_eq!((best.status, best.stderr), (bound.status, bound.stderr), "{options}");
        }
        nigh.prints("--best -k3 deadlock a b c", "a:deadlook\nb:dealock deadlocc\n");
        nigh.prints("--best=all -k3 -n dedlock a", "4:dedlok\n");
        let run = nigh.run("--best -k2 -c absent a b");
        assert_eq!((run.text().as_str(), run.status), ("a:0\nb:0\n", Some(1)));
    });
}

#[test]
fn the_best_lines_of_each_file_are_chosen_in_it() {
    each_way(|nigh| {
        write_lines(nigh);
        nigh.write("d", "dedlok\nx\nddlok dddlokk\n");
        nigh.prints("--best=file -k4 --cost deadlock a b c d", "a:1:deadlook\nb:1:dealock deadlocc\nd:2:dedlok\n");
        nigh.prints("--best=file -k4 -o deadlock b d", "b:dealock\nb:deadlocc\nd:dedlok\n");
        nigh.prints("--best=file -k4 -c deadlock a b c d", "a:1\nb:1\nc:0\nd:1\n");
        nigh.prints("-h --best=file -k4 deadlock d", "dedlok\n");
    });
}

#[test]
fn inputs_with_the_same_label_have_least_distances_of_their_own() {
    each_way(|nigh| {
        nigh.write("a", "hello\n");
        nigh.prints_with_input("--best=file -k2 --label a hello a -", "hxllo\n", "a:hello\na:hxllo\n");
        nigh.prints_with_input("--best=file -k2 --label a hello - a", "hxllo\n", "a:hxllo\na:hello\n");
        let run = nigh.run_with_input("--best=file -k2 --label none hello none -", "hxllo\n");
        assert_eq!(run.text(), "none:hxllo\n");
        assert_eq!((run.stderr.as_str(), run.status), ("nigh: none: No such file or directory\n", Some(2)));
    });
}

#[test]
fn the_best_of_a_stream_is_found_without_reading_it_twice() {
    each_way(|nigh| {
        nigh.prints_with_input("--best -k3 --label in -Hn deadlock", "dedlok\nx\ndeadlok\n", "in:3:deadlok\n");
        let run = nigh.run_with_input("--best -k3 deadlock missing -", "deadlok\n");
        assert_eq!((run.text().as_str(), run.status), ("(standard input):deadlok\n", Some(2)));
        assert_eq!(run.stderr, "nigh: missing: No such file or directory\n", "the message is printed once");
    });
}

#[test]
fn an_input_with_a_notice_is_still_searched() {
    once(|nigh| {
        let run = nigh.run_with_input("--best -k1 ACGTACGA", ">r\nTTACGTACGT\n");
        assert_eq!((run.text().as_str(), run.status), ("TTACGTACGT\n", Some(0)));
        assert_eq!(run.stderr.matches("looks like FASTA").count(), 1, "{}", run.stderr);
    });
}

#[test]
fn the_best_hits_of_sequences_are_rows() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nTTACGTACGATT\n>s\nTTACGTTCGATT\n>t\nGGGG\n");
        let (best, bound) = (nigh.run("--best -k3 ACGAACGA s.fa"), nigh.run("-k1 ACGAACGA s.fa"));
        assert_eq!(best.text(), bound.text());
        assert!(best.text().starts_with("r\t") && best.text().len() < nigh.run("-k3 ACGAACGA s.fa").text().len());
        nigh.prints("--best -k3 -c ACGTACGA s.fa", "1\n");
        nigh.prints(
            "--best --hits best -k3 --strand forward ACGTACGA s.fa",
            "r\t2\t10\tACGTACGA\t0\t+\t8=\tACGTACGA\n",
        );
    });
}

#[test]
fn best_with_inverted_matching_is_refused() {
    once(|nigh| {
        nigh.fails("--best -v x", "cannot be used with");
    });
}
