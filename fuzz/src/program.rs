//! Runs command lines of nigh within this process, in a separate folder.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::OnceLock;

use nigh::cli::{Answer, answer};

/// Output, messages and exit status of a command line.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub output: Vec<u8>,
    pub answer: Answer,
}

/// Makes the folder of this process the current one, so that files have short names.
fn enter_folder() {
    static ENTERED: OnceLock<PathBuf> = OnceLock::new();
    ENTERED.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("nigh-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for inputs");
        std::env::set_current_dir(&folder).expect("the folder was made");
        folder
    });
}

/// Writes a file that command lines name.
pub fn write(name: &str, content: &[u8]) {
    enter_folder();
    fs::write(name, content).expect("a file in a folder that was made");
}

/// Runs a command line, without the program's name.
pub fn run(arguments: &[Vec<u8>]) -> Run {
    enter_folder();
    let mut output = Vec::new();
    let words = [b"nigh".to_vec()].into_iter().chain(arguments.iter().cloned()).map(OsString::from_vec);
    let answer = answer(words, &mut output);
    Run { output, answer }
}
