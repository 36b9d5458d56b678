//! Choice of devices, missing devices and failing devices, with the stand-in for the driver.

use std::fs;

use crate::harness::{Nigh, Run, once, with_standin};

/// Environment variables of the stand-in.
const FAIL: &str = "NIGH_STANDIN_FAIL";
const DEVICES: &str = "NIGH_STANDIN_DEVICES";
const IN_FLIGHT: &str = "NIGH_STANDIN_IN_FLIGHT";

/// Arguments of a search of many batches, most of which have hits. Some batches finish long before others.
const SEARCH: &str = "-j2 --batch-size 700 -k2 ACGTTGCAAGGCTATC genome.fa";

fn write_genome(nigh: &Nigh) {
    let piece = "GGATTACAACGTTGCAAGGCTATCGGCATT";
    let record = |name: usize| {
        let residues: String = piece.repeat(20).chars().skip(name % 7).collect();
        let lines: Vec<&str> = residues.as_bytes().chunks(50).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!(">r{name}\n{}\n", lines.join("\n"))
    };
    nigh.write("genome.fa", (0..8).map(record).collect::<String>());
}

fn same_output(run: &Run, expected: &Run, case: &str) {
    assert_eq!(run.text(), expected.text(), "{case}");
    assert_eq!(run.status, expected.status, "{case}");
}

#[test]
fn missing_devices_are_reported() {
    with_standin(|nigh| {
        nigh.write("t", "abc\n");
        let fails = |setting: &str, words: &str| {
            let run = nigh.run_on_standin(&[(FAIL, setting)], "--engine cuda -k0 abc t");
            assert_eq!((run.text().as_str(), run.status), ("", Some(2)), "{setting}: {}", run.stderr);
            assert!(run.stderr.starts_with("nigh: ") && run.stderr.contains(words), "{setting}: {}", run.stderr);
            assert_eq!(run.stderr.lines().count(), 1, "{setting}: {}", run.stderr);
        };
        fails("init", "the driver finds no device");
        fails("devices=0", "the driver finds no device");
        fails("driver=11040", "the driver supports CUDA 11.4, but 12.0 is needed");
        fails("load", "CUDA error while loading a kernel: CUDA_ERROR_INVALID_PTX");
    });
}

#[test]
fn without_a_driver_cuda_is_an_error_and_auto_is_silent() {
    once(|nigh| {
        nigh.write("t", "abc\n");
        let run = nigh.run("--engine auto -k0 abc t");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("abc\n", "", Some(0)));
        let run = nigh.run("--engine cuda -k0 abc t");
        // If there is a device, it does the search.
        match run.status {
            Some(0) => assert_eq!(run.text(), "abc\n"),
            status => {
                assert_eq!((status, run.stderr.contains("CUDA is not available")), (Some(2), true), "{}", run.stderr)
            }
        }
    });
}

#[test]
fn auto_says_if_devices_that_are_named_are_missing() {
    let has_driver = std::env::var_os("NIGH_REQUIRE_CUDA").is_some();
    once(|nigh| {
        nigh.write("t", "abc\n");
        for device in ["7777", "0,7777"] {
            let run = nigh.run(&format!("--device {device} -k0 abc t"));
            assert_eq!((run.text().as_str(), run.status), ("abc\n", Some(0)));
            let expected = if has_driver { "CUDA device 7777 not found" } else { "CUDA is not available" };
            let end = "; the search continued on the CPU\n";
            assert!(
                run.stderr.starts_with(&format!("nigh: {expected}")) && run.stderr.ends_with(end),
                "{}",
                run.stderr
            );
        }
    });
    with_standin(|nigh| {
        nigh.write("t", "abc\n");
        let run = nigh.run_on_standin(&[(DEVICES, "2")], "--device 7 -k0 abc t");
        let said =
            "nigh: CUDA device 7 not found (devices found: 2, numbered from 0); the search continued on the CPU\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("abc\n", said, Some(0)));
        let run = nigh.run_on_standin(&[(DEVICES, "2")], "--device all -k0 abc t");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("abc\n", "", Some(0)));
    });
}

#[test]
fn devices_are_chosen_by_number() {
    with_standin(|nigh| {
        write_genome(nigh);
        let expected = nigh.run(&format!("--engine cpu {SEARCH}"));
        let two = [(DEVICES, "2")];
        for device in ["0", "1", "0,1", "1,0,1", "all"] {
            let run = nigh.run_on_standin(&two, &format!("--engine cuda --device {device} --debug {SEARCH}"));
            same_output(&run, &expected, device);
            let used = |number: usize| run.stderr.contains(&format!("debug: device {number}: "));
            let all = device == "all";
            assert_eq!((used(0), used(1)), (all || device.contains('0'), all || device.contains('1')), "{device}");
        }
        let run = nigh.run_on_standin(&two, &format!("--engine cuda --device 0,2 {SEARCH}"));
        assert_eq!(run.stderr, "nigh: CUDA device 2 not found (devices found: 2, numbered from 0)\n");
        assert_eq!(run.status, Some(2));
        for (options, words) in [
            ("cuda --device x", "expected device numbers separated by commas, or 'all'"),
            ("cpu --device 0", "--device needs --engine cuda or auto"),
        ] {
            let run = nigh.run_on_standin(&two, &format!("--engine {options} {SEARCH}"));
            assert!(run.stderr.contains(words) && run.status == Some(2), "{}", run.stderr);
        }
    });
}

#[test]
fn a_device_that_fails_during_a_search_loses_no_hit() {
    with_standin(|nigh| {
        write_genome(nigh);
        let expected = nigh.run(&format!("--engine cpu {SEARCH}"));
        let mut failed = 0;
        for what in ["launch", "copy", "alloc", "pinned", "unknown"] {
            for count in (1..24).chain((24..80).step_by(8)) {
                let case = format!("{what}={count}");
                let run = nigh.run_on_standin(&[(FAIL, &case)], &format!("--engine cuda {SEARCH}"));
                if run.status == Some(2) {
                    // The search did not begin.
                    assert!(run.text().is_empty() && run.stderr.contains("CUDA error while"), "{case}: {}", run.stderr);
                    continue;
                }
                same_output(&run, &expected, &case);
                failed += usize::from(!run.stderr.is_empty());
                let said = "; the search continued on the CPU\n";
                assert!(run.stderr.is_empty() || run.stderr.ends_with(said), "{case}: {}", run.stderr);
                assert!(run.stderr.lines().count() <= 1, "{case}: {}", run.stderr);
            }
        }
        assert!(failed > 30, "only in {failed} searches did a device fail");
    });
}

#[test]
fn text_that_cannot_be_locked_is_searched() {
    with_standin(|nigh| {
        write_genome(nigh);
        let expected = nigh.run(&format!("--engine cpu {SEARCH}"));
        for failure in ["lock=1", "lock=3"] {
            let run = nigh.run_on_standin(&[(FAIL, failure)], &format!("--engine cuda {SEARCH}"));
            same_output(&run, &expected, failure);
            assert_eq!(run.stderr, "", "{failure}");
        }
    });
}

#[test]
fn a_device_that_fails_during_alignment_loses_no_hit() {
    with_standin(|nigh| {
        // Three hits of the longest pattern that a device aligns. With fewer, the device is not used.
        let mut rng = fastrand::Rng::with_seed(9);
        let pattern: String = (0..4096).map(|_| *rng.choice(&['A', 'C', 'G', 'T']).unwrap()).collect();
        nigh.write("long.fa", format!(">r\n{pattern}ACGTTGCA\n"));
        nigh.write("pattern", format!("{pattern}\n"));
        // The number of launches is one less than the first launch number that does not fail.
        let launches = |search: &str| {
            let expected = nigh.run(&format!("--engine cpu {search}"));
            let fails = |count: &usize| {
                let case = format!("launch={count}");
                let run = nigh.run_on_standin(&[(FAIL, &case)], &format!("--engine cuda {search}"));
                same_output(&run, &expected, &case);
                !run.stderr.is_empty()
            };
            (1..).take_while(fails).count()
        };
        let search = "-k1 --strand forward -f pattern long.fa";
        let (without, with) = (launches(&format!("-c {search}")), launches(search));
        assert!(0 < without && without < with, "{without} launches without alignments, {with} with them");
    });
}

#[test]
fn a_failure_is_an_error_where_devices_are_required() {
    with_standin(|nigh| {
        write_genome(nigh);
        let settings = [(FAIL, "launch=30"), ("NIGH_REQUIRE_CUDA", "1")];
        let run = nigh.run_on_standin(&settings, &format!("--engine cuda {SEARCH}"));
        assert!(run.stderr.contains("CUDA error while") && run.status == Some(2), "{}", run.stderr);
    });
}

#[test]
fn workers_have_two_batches_in_flight() {
    with_standin(|nigh| {
        // Files of up to 64 KiB are searched in groups.
        write_genome(nigh);
        let genome = fs::read_to_string(nigh.path().join("genome.fa")).unwrap().repeat(15);
        nigh.write("genome.fa", &genome);
        let line = |number: usize| format!("{number}: the connection to host-{} timed out\n", number % 9);
        let log: String = (0..1_800).map(line).collect();
        nigh.write("log", &log);
        fs::create_dir(nigh.path().join("files")).unwrap();
        for number in 0..40 {
            nigh.write(&format!("files/{number}"), line(number).repeat(3));
        }
        for (arguments, input) in [
            ("-k2 ACGTTGCAAGGCTATC genome.fa", ""),
            ("-k2 --hits best ACGTTGCAAGGCTATC genome.fa", ""),
            ("-k2 --fasta ACGTTGCAAGGCTATC -", &genome),
            ("-k1 -n conection log", ""),
            ("-k1 -n conection -", &log),
            ("-k1 -rn conection files", ""),
        ] {
            let run = |engine: &str, settings: &[(&str, &str)]| {
                let arguments = format!("--engine {engine} -j1 --batch-size 8K {arguments}");
                nigh.run_on_standin_with_input(settings, &arguments, input)
            };
            let (expected, found) = (run("cpu", &[]), run("cuda", &[(IN_FLIGHT, "2")]));
            assert_eq!(found.status, Some(0), "{arguments}: {}", found.stderr);
            same_output(&found, &expected, arguments);
        }
    });
}
