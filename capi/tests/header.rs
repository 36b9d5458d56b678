//! Compares `include/nigh.h` with what cbindgen makes of the sources. With NIGH_UPDATE_DOCUMENTS=1 it writes the file.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new().with_crate(root).with_config(config).generate().unwrap().write(&mut made);
    // Headings are for rustdoc.
    let made = String::from_utf8(made).unwrap().replace("//\n// # Safety\n", "//\n");
    let path = root.join("include/nigh.h");
    if std::env::var_os("NIGH_UPDATE_DOCUMENTS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &made).unwrap();
    }
    let is_same = std::fs::read_to_string(&path).is_ok_and(|kept| kept == made);
    assert!(is_same, "include/nigh.h is not that of the sources: run NIGH_UPDATE_DOCUMENTS=1 cargo test -p nigh-capi");
}
