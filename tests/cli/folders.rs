//! Selection of files in folders.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::harness::{Nigh, each_way, each_way_without_devices, once};

fn write_tree(nigh: &Nigh) {
    for folder in ["d/sub/deep", "d/.git", "e"] {
        fs::create_dir_all(nigh.path().join(folder)).unwrap();
    }
    for file in ["d/a.c", "d/b.h", "d/.hidden", "d/sub/a.h", "d/sub/deep/z.c", "d/.git/config", "e/other.c", "top.c"] {
        nigh.write(file, "match\n");
    }
    symlink("a.c", nigh.path().join("d/link")).unwrap();
    symlink("../e", nigh.path().join("d/linked")).unwrap();
}

/// Checks that a search with these arguments lists the expected files.
fn lists(nigh: &Nigh, arguments: &str, expected: &[&str]) {
    let expected: String = expected.iter().map(|name| format!("{name}\n")).collect();
    nigh.prints(&format!("-k0 -l match {arguments}"), &expected);
}

const ALL: [&str; 6] = ["d/.git/config", "d/.hidden", "d/a.c", "d/b.h", "d/sub/a.h", "d/sub/deep/z.c"];

#[test]
fn folders_are_searched_in_order_of_names() {
    each_way(|nigh| {
        write_tree(nigh);
        lists(nigh, "-r d", &ALL);
        lists(nigh, "-r d/", &ALL);
        lists(nigh, "-r d/sub top.c", &["d/sub/a.h", "d/sub/deep/z.c", "top.c"]);
        lists(nigh, "-r ./d/sub", &["./d/sub/a.h", "./d/sub/deep/z.c"]);
        lists(nigh, "-r --exclude-dir=d", &["e/other.c", "top.c"]);
        lists(nigh, "-r --exclude-dir=d .", &["./e/other.c", "./top.c"]);
        nigh.prints("-k0 -r match e", "e/other.c:match\n");
        nigh.prints("-k0 -rh match e", "match\n");
        nigh.prints("-k0 -r match e/other.c", "match\n");
        nigh.prints("-k0 -rc match e top.c", "e/other.c:1\ntop.c:1\n");
        nigh.prints_with_input("-k0 -r match -", "a match\n", "a match\n");
        nigh.fails("-k0 match d", "nigh: d: Is a directory; use -r to search it\n");
        let run = nigh.fails("-k0 -rc match missing e", "nigh: missing: No such file or directory\n");
        assert_eq!(run.text(), "e/other.c:1\n");
    });
}

#[test]
fn links_are_followed_if_named_or_with_dereference() {
    once(|nigh| {
        write_tree(nigh);
        lists(nigh, "-r d/linked", &["d/linked/other.c"]);
        lists(nigh, "-r d/link", &["d/link"]);
        lists(
            nigh,
            "-R d --exclude-dir=sub --exclude-dir=.git",
            &["d/.hidden", "d/a.c", "d/b.h", "d/link", "d/linked/other.c"],
        );
        lists(nigh, "-Rr d/sub/../linked", &["d/sub/../linked/other.c"]);
        lists(nigh, "-rR d --include=link --include=other.c", &["d/link", "d/linked/other.c"]);
        symlink("..", nigh.path().join("e/loop")).unwrap();
        let run = nigh.run("-k0 -l -R match e --include=other.c");
        assert_eq!(run.text(), "e/loop/e/other.c\ne/other.c\n");
        assert!(run.stderr.contains("recursive directory loop\n"), "{}", run.stderr);
        assert!(run.stderr.lines().all(|line| line.ends_with(": recursive directory loop")), "{}", run.stderr);
        assert_eq!(run.status, Some(0));
        fs::remove_file(nigh.path().join("e/loop")).unwrap();
        symlink("nowhere", nigh.path().join("e/dangling")).unwrap();
        lists(nigh, "-r e", &["e/other.c"]);
        let run = nigh.fails("-k0 -l -R match e", "nigh: e/dangling: No such file or directory\n");
        assert_eq!(run.text(), "e/other.c\n");
        assert_eq!(nigh.run("-k0 -s -R match e").stderr, "");
    });
}

#[test]
fn names_include_and_exclude_and_the_last_rule_counts() {
    once(|nigh| {
        write_tree(nigh);
        lists(nigh, "-r --include=*.c d", &["d/a.c", "d/sub/deep/z.c"]);
        lists(nigh, "-r --include *.c --include *.h d/sub", &["d/sub/a.h", "d/sub/deep/z.c"]);
        lists(nigh, "-r --exclude=*.c d/sub", &["d/sub/a.h"]);
        lists(nigh, "-r --include=*.c --exclude=a.* d", &["d/sub/deep/z.c"]);
        lists(nigh, "-r --exclude=a.* --include=*.c d/sub", &["d/sub/deep/z.c"]);
        lists(
            nigh,
            "-r --exclude=a.* --include=a.c d",
            &["d/.git/config", "d/.hidden", "d/a.c", "d/b.h", "d/sub/deep/z.c"],
        );
        nigh.write("list", "*.c  \n\n.*\n");
        lists(nigh, "-r --exclude-from=list --exclude-dir .git d", &["d/b.h", "d/sub/a.h"]);
        lists(nigh, "-r --exclude-dir=sub/ --exclude-dir=.g* d", &["d/.hidden", "d/a.c", "d/b.h"]);
        lists(nigh, "-r --exclude-dir=d d e", &["e/other.c"]);
        // --exclude also skips files on the command line, if the end of their path matches.
        lists(nigh, "--exclude=*.c d/a.c d/b.h", &["d/b.h"]);
        lists(nigh, "--exclude=sub/*.h d/b.h d/sub/a.h", &["d/b.h"]);
        // A path that does not exist is reported, even if a glob would skip it.
        for options in ["--include=*.c", "-r --include=*.c", "--exclude=miss*", "--exclude-dir=miss* -r"] {
            let run =
                nigh.fails(&format!("-k0 -l {options} match d/a.c missing"), "missing: No such file or directory");
            assert_eq!(run.text(), "d/a.c\n", "{options}");
            nigh.fails(&format!("-k0 -l {options} match missing/"), "missing/: No such file or directory");
        }
        nigh.fails("-k0 -r --exclude-from=missing match d", "nigh: missing: No such file or directory\n");
        nigh.write("globs", "*.h\n[z-a]\n");
        nigh.fails("-k0 -r --exclude-from=globs match d", "nigh: globs:2: invalid glob '[z-a]': ");
    });
}

#[test]
fn globs_and_ignore_files_are_those_of_ripgrep() {
    once(|nigh| {
        write_tree(nigh);
        lists(nigh, "-r -g *.c d", &["d/a.c", "d/sub/deep/z.c"]);
        lists(nigh, "-r -g !*.c -g !.git d", &["d/.hidden", "d/b.h", "d/sub/a.h"]);
        lists(nigh, "-r -g d/sub/** d", &["d/sub/a.h", "d/sub/deep/z.c"]);
        nigh.write("d/.gitignore", "*.h\n!b.h\nignored: match\n").write("d/sub/.ignore", "deep\n");
        lists(nigh, "-r --ignore-vcs d", &["d/.gitignore", "d/.hidden", "d/a.c", "d/b.h"]);
        lists(nigh, "-r --exclude=.* d/sub", &["d/sub/a.h", "d/sub/deep/z.c"]);
        nigh.fails("-k0 -r -g [ x d", "nigh: invalid glob '[': ");
    });
}

#[test]
fn sequences_in_folders_are_searched_as_text_for_text_patterns() {
    each_way(|nigh| {
        fs::create_dir(nigh.path().join("d")).unwrap();
        nigh.write("d/a.fa", ">r about dogs\nGATT\nACA\n").write("d/b.txt", "dogs, and GATTACA\n");
        nigh.prints("-k0 -r -c GATTACA d", "d/a.fa:1\nd/b.txt:1\n");
        nigh.prints("-k0 -r dogs d", "d/a.fa:>r about dogs\nd/b.txt:dogs, and GATTACA\n");
        nigh.prints("-k0 -rn GATT d", "d/a.fa:2:GATT\nd/b.txt:1:dogs, and GATTACA\n");
        let run = nigh
            .fails("-k0 -r dogs d/a.fa d/b.txt", "nigh: d/a.fa: pattern 'dogs': 'o' is not an IUPAC nucleotide code");
        assert_eq!(run.text(), "d/b.txt:dogs, and GATTACA\n");
    });
}

#[test]
fn pipes_in_folders_are_skipped() {
    once(|nigh| {
        write_tree(nigh);
        let made = std::process::Command::new("mkfifo").arg(nigh.path().join("e/pipe")).status();
        if made.is_ok_and(|status| status.success()) {
            lists(nigh, "-r e", &["e/other.c"]);
        }
    });
}

#[test]
fn a_folder_whose_files_are_all_excluded_is_reported() {
    once(|nigh| {
        std::fs::create_dir_all(nigh.path().join("d/empty")).unwrap();
        nigh.write("d/a.c", "match\n");
        for options in ["--include=*.h", "--exclude=*.c", "-g *.h"] {
            let run = nigh.run(&format!("-k0 -r {options} match d"));
            assert!(
                run.stderr.starts_with("nigh: no files were searched; check --include"),
                "{options}: {}",
                run.stderr
            );
            assert_eq!((run.stderr.lines().count(), run.text().as_str(), run.status), (1, "", Some(1)), "{options}");
        }
        nigh.finds_nothing("-k0 -s -r --include=*.h match d", "");
        nigh.finds_nothing("-k0 -r match d/empty", "");
    });
}

#[test]
fn files_of_amino_acids_are_reported_and_nucleotides_searched() {
    each_way(|nigh| {
        fs::create_dir(nigh.path().join("d")).unwrap();
        nigh.write("d/a.fna", ">c\nAACCGGTTACGT\nGGCATTCCAGTA\n").write("d/b.faa", ">p\nMKVLAT\n");
        let row = "c\t8\t16\tACGTGGCA\t0\t+\t8=\tACGTGGCA\n";
        let run = nigh.run("-r -k0 ACGTGGCA d");
        assert_eq!((run.text().as_str(), run.status), (row, Some(0)));
        assert!(run.stderr.starts_with("nigh: d/b.faa: holds amino acids"), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert_eq!(nigh.run("-s -r -k0 ACGTGGCA d").stderr, "");
        nigh.prints("-r -k0 MKVLAT d", "p\t0\t6\tMKVLAT\t0\t+\t6=\tMKVLAT\n");
        nigh.prints("-r -k0 --protein -c ACGT d", "d/a.fna:1\nd/b.faa:0\n");
        // A file on the command line is refused, but the other files are searched.
        let run = nigh.fails("-k0 ACGTGGCA d/a.fna d/b.faa", "nigh: d/b.faa: holds amino acids");
        assert_eq!(run.text(), row);
        nigh.fails(
            "-k0 MKVLAT d/a.fna d/b.faa",
            "nigh: d/a.fna: pattern 'MKVLAT': 'L' is not an IUPAC nucleotide code",
        );
    });
}

#[test]
fn small_files_do_not_wait_for_a_walk_that_takes_long() {
    each_way_without_devices(|nigh| {
        fs::create_dir_all(nigh.path().join("d/last")).unwrap();
        let names: Vec<String> = (100..400).map(|number| format!("d/{number}")).collect();
        for name in &names {
            nigh.write(name, "match\n");
        }
        nigh.write("d/last/file", "match\n");
        // The rules of the last folder are in a pipe, so the walk waits there until the test writes to it.
        let rules = nigh.path().join("d/last/.ignore");
        assert!(std::process::Command::new("mkfifo").arg(&rules).status().is_ok_and(|status| status.success()));
        let mut child = nigh.command("-k0 -r --ignore-vcs match d").stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let (line_in, line_out) = mpsc::channel();
        let reader = thread::spawn(move || lines.by_ref().for_each(|line| line_in.send(line).unwrap()));
        for name in &names {
            let line = line_out.recv_timeout(Duration::from_secs(20));
            assert_eq!(line.as_deref(), Ok(&*format!("{name}:match")), "output must not wait for the end of the walk");
        }
        fs::write(rules, "").unwrap();
        assert_eq!(line_out.recv().as_deref(), Ok("d/last/file:match"));
        assert!(child.wait().unwrap().success());
        reader.join().unwrap();
    });
}

#[test]
fn many_small_files_are_reported_in_order() {
    each_way(|nigh| {
        fs::create_dir(nigh.path().join("d")).unwrap();
        let mut expected = String::new();
        for number in 100..400 {
            let lines = if number % 97 == 0 { 20_000 } else { number % 3 };
            nigh.write(&format!("d/{number}"), "a match\n".repeat(lines));
            if number % 50 == 0 {
                nigh.write(&format!("d/{number}.gz"), [0x1f, 0x8b, 8, 0, 0]);
            }
            expected += &(1..=lines.min(2)).map(|line| format!("d/{number}:{line}:a match\n")).collect::<String>();
        }
        nigh.prints("-k0 -r -n -m2 --no-decompress match d", &expected);
        let run = nigh.run("-k0 -r -n -m2 match d");
        assert_eq!((run.text(), run.status), (expected.clone(), Some(2)));
        assert_eq!(run.stderr.matches("begins like gzip data").count(), 6, "{}", run.stderr);
        let listed = nigh.run("-k0 -r -L --no-decompress match d").text();
        assert_eq!(listed.lines().count(), 99 + 6);
        assert!(listed.lines().is_sorted());
    });
}

#[test]
fn invalid_ignore_rules_are_reported() {
    once(|nigh| {
        write_tree(nigh);
        nigh.write("d/sub/.ignore", "*.h\n[z-a\n{a\n");
        let run = nigh.run("-k0 -l -r --ignore-vcs match d/sub");
        assert_eq!((run.text().as_str(), run.status), ("d/sub/deep/z.c\n", Some(0)));
        let words: Vec<&str> = run.stderr.lines().collect();
        assert!(words[0].starts_with("nigh: d/sub/.ignore:2: invalid glob '[z-a'"), "{}", run.stderr);
        assert!(words.iter().all(|line| line.ends_with("; it is ignored")), "{}", run.stderr);
    });
}

#[test]
fn named_folders_are_treated_as_by_grep() {
    once(|nigh| {
        write_tree(nigh);
        lists(nigh, "-r --exclude-dir=e e/", &["e/other.c"]);
        for recursion in ["-r", ""] {
            let run = nigh.run(&format!("-k0 {recursion} --exclude-dir=e match e"));
            assert_eq!((run.text().as_str(), run.status), ("", Some(1)));
            assert!(run.stderr.starts_with("nigh: no files were searched; "), "{}", run.stderr);
        }
        nigh.fails("-k0 --include=*.txt match e", "nigh: e: Is a directory");
        nigh.fails("-k0 --exclude-dir=e match e/", "nigh: e/: Is a directory");
    });
}
