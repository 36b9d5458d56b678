//! `--json`: comparison with ripgrep's objects, and the fields that nigh adds.

use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Nigh, each_way, finish};
use crate::tools::has;

/// Returns the printed objects without fields that differ from run to run.
fn objects(output: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(output).unwrap();
    let mut objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for object in &mut objects {
        let data = object["data"].as_object_mut().unwrap();
        data.remove("elapsed_total");
        if let Some(stats) = data.get_mut("stats").and_then(Value::as_object_mut) {
            stats.remove("elapsed");
            stats.remove("bytes_printed");
            // The programs read different numbers of bytes after the last line that they need.
            stats.remove("bytes_searched");
        }
    }
    objects
}

fn run(nigh: &Nigh, arguments: &str) -> Vec<Value> {
    let run = nigh.run(&format!("--json {arguments}"));
    assert_eq!(run.stderr, "");
    objects(&run.stdout)
}

fn write_texts(nigh: &Nigh) {
    nigh.write("a", "a foo b foo\nno\n\tfoo naïve\n\nlast foo").write("b", "x\nfoo\r\ny\nz\nw\n\"foo\"\n\u{1}foo\n");
    nigh.write("c", b"x\n\xff foo\ny").write("d", "nothing\n");
}

#[test]
fn objects_are_those_of_ripgrep() {
    if !has("rg") {
        return;
    }
    let options = ["", "-A1", "-C1", "-v", "-v -B1", "-m1", "-m1 -A1", "-i", "-w", "--passthru", "-o", "-e y -e"];
    each_way(|nigh| {
        write_texts(nigh);
        for option in options {
            for files in ["a", "b", "c", "a b c d", "d"] {
                let mut ripgrep = Command::new("rg");
                ripgrep.args(["--no-config", "--json", "-j1", "--sort", "path"]);
                ripgrep.args(option.split_whitespace()).args("foo".split(' ')).args(files.split(' '));
                ripgrep.current_dir(nigh.path());
                let expected = objects(&finish(ripgrep, Vec::new()).stdout);
                let mut found = run(nigh, &format!("-k0 {option} foo {files}"));
                for object in &mut found {
                    let submatches = object["data"].get_mut("submatches").and_then(Value::as_array_mut);
                    for submatch in submatches.into_iter().flatten().map(|submatch| submatch.as_object_mut().unwrap()) {
                        assert_eq!(submatch.remove("cost"), Some(json!(0)));
                        assert!(submatch.remove("pattern").is_some() && submatch.remove("cigar").is_some());
                    }
                }
                assert_eq!(found, expected, "{option} foo {files}");
            }
        }
    });
}

#[test]
fn each_match_has_its_cost_pattern_and_edits() {
    each_way(|nigh| {
        nigh.write("t", b"\xfe deadlok nwo\n");
        let objects = run(nigh, "-k2 -e deadlock -e nowx t");
        assert_eq!(objects[1]["type"], "match");
        let data = &objects[1]["data"];
        assert_eq!(data["lines"], json!({"bytes": "/iBkZWFkbG9rIG53bwo="}));
        let expected = json!({
            "match": {"text": "deadlok"}, "start": 2, "end": 9, "cost": 1,
            "pattern": {"text": "deadlock"}, "cigar": "6=1I1=",
        });
        assert_eq!(data["submatches"][0], expected);
        assert_eq!(data["submatches"][1]["pattern"], json!({"text": "nowx"}));
    });
}

#[test]
fn json_of_sequences_has_the_fields_of_tsv() {
    each_way(|nigh| {
        nigh.write("a", "x\n").write("a.fa", ">r\nACGT\n");
        let rows = nigh.run("--json -k0 --strand forward ACGT a.fa").text();
        assert_eq!(rows, nigh.run("--format json -k0 --strand forward ACGT a.fa").text());
        assert!(rows.starts_with("{\"record\":\"r\",\"start\":0,\"end\":4,"), "{rows}");
        nigh.fails("--json --stats -k0 ACGT a.fa", "--stats cannot be used with --json");
        let run = nigh.run("-k0 --json -q x a");
        assert_eq!((run.text().as_str(), run.status), ("", Some(0)));
    });
}
