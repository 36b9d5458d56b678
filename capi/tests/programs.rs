//! Compiles the examples and a program that misuses the library, with the address sanitizer, and runs them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns whether NIGH_NO_CXX=1 says that there is no compiler.
fn is_skipped() -> bool {
    let skipped = std::env::var_os("NIGH_NO_CXX").is_some_and(|value| value == "1");
    if skipped {
        eprintln!("skipped: NIGH_NO_CXX=1, so programs in C were not compiled");
    }
    skipped
}

/// How a program is linked.
#[derive(Debug, Clone, Copy)]
enum Linking {
    Static,
    Shared,
}

/// Compiles a program of this crate and returns its path.
fn compiled(source: &str, linking: Linking) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo puts the libraries beside the tests.
    let libraries = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{linking:?}", source.replace('/', "-")));
    let (compiler, standard) = if source.ends_with(".cpp") { ("c++", "-std=c++11") } else { ("cc", "-std=c99") };
    let mut command = Command::new(compiler);
    command.args([standard, "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    command.arg("-I").arg(root.join("include")).arg(root.join(source)).arg("-o").arg(&program);
    match linking {
        Linking::Static => command.arg(libraries.join("libnigh_capi.a")).args(["-lpthread", "-ldl", "-lm"]),
        Linking::Shared => command.arg("-L").arg(&libraries).arg("-lnigh_capi").arg(rpath(&libraries)),
    };
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    program
}

fn rpath(libraries: &Path) -> String {
    format!("-Wl,-rpath,{}", libraries.display())
}

/// Runs a program. Returns its exit code and what it printed, with errors after output.
fn run(program: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } =
        Command::new(program).args(arguments).env_remove("LD_LIBRARY_PATH").output().unwrap();
    (status.code(), String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr))
}

#[test]
fn the_example_in_c_prints_matches_and_errors() {
    if is_skipped() {
        return;
    }
    for linking in [Linking::Static, Linking::Shared] {
        let find = compiled("examples/find.c", linking);
        let found = "3..10\t1\t6=1I1=\tdeadlok\n";
        assert_eq!(run(&find, &["deadlock", "1", "no deadlok here"]), (Some(0), found.to_owned()));
        assert_eq!(run(&find, &["deadlock", "1", "nothing"]), (Some(1), String::new()));
        let (code, said) = run(&find, &["ab", "2", "text"]);
        assert_eq!(code, Some(2));
        assert!(said.starts_with("find: pattern 'ab': 2 edits would match everywhere"), "{said}");
    }
}

#[test]
fn the_example_in_cpp_prints_the_sites_of_guides() {
    if is_skipped() {
        return;
    }
    let sequence = "TTGCGATCACTGCCGATGCTAGGTTCCTAGCATCGGCAGGTGATCGC";
    for linking in [Linking::Static, Linking::Shared] {
        let guides = compiled("examples/guides.cpp", linking);
        let guide = "GCGATCACCTGCCGATGCT<NGG>";
        let expected =
            ["GCGATCACCTGCCGATGCT<NGG>\t2\t23\t+\t1\t7=1I14=\n", "GCGATCACCTGCCGATGCT<NGG>\t25\t47\t-\t0\t22=\n"];
        assert_eq!(run(&guides, &[sequence, guide]), (Some(0), expected.concat()));
        assert_eq!(run(&guides, &["ACGT", "ACE!"]).0, Some(2));
    }
}

#[test]
fn the_short_example_finds_sites_and_counts_them_in_texts() {
    if is_skipped() {
        return;
    }
    let source = include_str!("../examples/sites.c");
    assert!(source.lines().count() < 25, "the example is to be short");
    let found = "2 23 +\n25 47 -\n2000\n";
    assert_eq!(run(&compiled("examples/sites.c", Linking::Static), &[]), (Some(0), found.to_owned()));
}

#[test]
fn misuse_is_an_error_and_not_a_crash() {
    if is_skipped() {
        return;
    }
    assert_eq!(run(&compiled("tests/misuse.c", Linking::Static), &[]), (Some(0), String::new()));
}
