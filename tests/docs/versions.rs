//! The version is the same in all files in which a release changes it by hand.

use std::fs;

use crate::support::root::root;

/// Files with the version, and the texts before and after it.
const PLACES: [(&str, &str, &str); 4] = [
    ("Cargo.toml", "[workspace.package]\nversion = \"", "\"\n"),
    ("capi/Cargo.toml", "[package.metadata.capi.library]\nname = \"nigh\"\nversion = \"", "\"\n"),
    ("CITATION.cff", "\nversion: ", "\n"),
    ("CHANGELOG.md", "# Changelog\n\n## ", " "),
];

#[test]
fn all_files_have_the_version_of_the_program() {
    for (file, before, after) in PLACES {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let version = text.split_once(before).and_then(|(_, rest)| rest.split_once(after));
        let (version, _) = version.unwrap_or_else(|| panic!("{file} has no version"));
        assert_eq!(version, env!("CARGO_PKG_VERSION"), "in {file}");
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members: Vec<&str> = manifest.lines().filter(|line| line.contains("{ path = ")).collect();
    assert!(members.len() >= 5, "{members:?}");
    let wanted = format!(r#"version = "={}""#, env!("CARGO_PKG_VERSION"));
    assert!(members.iter().all(|line| line.contains(&wanted)), "{members:?}");
}
