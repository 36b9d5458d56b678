//! House rules: the order of layers, no import cycles, the places where threads and `unsafe` are allowed, and the maximum length
//! of a file.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod imports;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::imports::{Graph, Module, circles, graph};

/// The source folders of the crates, and the crates of nigh that each may use.
const CRATES: [(&str, &[&str]); 18] = [
    ("crates/gunzip/src", &[]),
    ("crates/device/src", &[]),
    ("crates/simd/src", &[]),
    ("crates/text/src", &["device", "simd"]),
    ("crates/pattern/src", &["text"]),
    ("crates/verify/src", &["device", "pattern", "simd", "text"]),
    ("crates/tables/src", &["pattern", "simd", "text", "verify"]),
    ("crates/cpu/src", &["pattern", "simd", "tables", "text", "verify"]),
    ("crates/automaton/src", &["cpu", "pattern", "simd", "tables", "text", "verify"]),
    ("crates/cuda/src", &["device", "pattern", "tables", "text", "verify"]),
    ("crates/engine/src", &["automaton", "cpu", "cuda", "device", "pattern", "simd", "text", "verify"]),
    ("crates/pairs/src", &["cpu", "device", "engine", "simd", "text", "verify"]),
    ("crates/input/src", &["gunzip", "text"]),
    ("crates/report/src", &["input", "pattern", "text"]),
    ("crates/search/src", &["engine", "gunzip", "input", "pattern", "report", "text", "verify"]),
    ("crates/align/src", &["input", "pairs", "pattern", "report", "search", "text", "verify"]),
    ("crates/pcr/src", &["pattern", "report", "text"]),
    (
        "src",
        &["align", "cpu", "device", "engine", "input", "pairs", "pattern", "pcr", "report", "search", "text", "verify"],
    ),
];

/// The layers of the crate nigh in order. A module may use modules of its own layer and of layers before it in the list.
const LAYERS: [&[&str]; 4] = [&["searcher"], &["file"], &["cli"], &["process"]];

/// The only places with `unsafe` code.
const UNSAFE_HOMES: [&str; 23] = [
    "crates/cuda/src/scanner",
    "crates/simd/src/avx2.rs",
    "crates/simd/src/avx2_lanes.rs",
    "crates/simd/src/avx512.rs",
    "crates/simd/src/avx512_lanes.rs",
    "crates/simd/src/isa.rs",
    "crates/simd/src/neon.rs",
    "crates/device/src/abi.rs",
    "crates/device/src/driver",
    "crates/device/src/text_buffer.rs",
    "crates/pairs/src/cuda",
    "src/bin/nigh-align.rs",
    "src/bin/nigh-pcr.rs",
    "src/main.rs",
    "src/process.rs",
    "capi/src/groups.rs",
    "capi/src/lib.rs",
    "capi/src/records.rs",
    "capi/src/stop.rs",
    "python/src/buffer.rs",
    "python/src/values.rs",
    "python/src/matrix.rs",
    "python/src/text.rs",
];

/// The crates that use neither `std::io` nor `std::fs`.
const NO_IO: [&str; 6] =
    ["crates/automaton", "crates/cpu", "crates/cuda", "crates/engine", "crates/tables", "crates/verify"];

/// The only places that start threads: those of a search, those that work together for one call, and those that
/// decompress.
const THREAD_HOMES: [&str; 3] = ["crates/search/src", "crates/text/src/threads.rs", "crates/gunzip/src/pool.rs"];

/// Maximum lines of code in a file, without tests, comments and blank lines.
const MAX_FILE_LINES: usize = 500;

/// Returns the source folders of the crates.
fn folders() -> impl Iterator<Item = &'static str> {
    CRATES.into_iter().map(|(folder, _)| folder)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

fn source_files() -> Vec<(PathBuf, String)> {
    let files: Vec<_> = folders().flat_map(sources_in).collect();
    assert!(files.len() > 300, "only {} source files are found", files.len());
    files
}

/// Returns the sources in a folder of the project, with their paths in the project.
fn sources_in(folder: &str) -> Vec<(PathBuf, String)> {
    let files = sources(&root().join(folder));
    files.into_iter().map(|(path, text)| (path.strip_prefix(root()).unwrap().to_owned(), text)).collect()
}

/// Returns the code of a file without comments, blank lines and the test module.
fn code(text: &str) -> Vec<&str> {
    let body = text.split("#[cfg(test)]").next().unwrap();
    body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).collect()
}

/// Returns the import graph of a crate.
fn imports(folder: &str) -> Graph {
    let graph = graph(&root().join(folder).join("lib.rs"));
    let arrows: usize = graph.values().map(|targets| targets.len()).sum();
    assert!(graph.len() > 5 && arrows > 5, "{folder}: only {} modules and {arrows} imports are found", graph.len());
    graph
}

fn name(module: &Module) -> String {
    module.join("::")
}

/// The features of a file that only some files may use.
#[derive(Default)]
struct RestrictedFeatures {
    starts_threads: bool,
    is_unsafe: bool,
}

impl RestrictedFeatures {
    fn of(text: &str) -> Self {
        let mut deeds = RestrictedFeatures::default();
        deeds.visit_file(&syn::parse_file(text).unwrap());
        deeds
    }
}

impl<'ast> Visit<'ast> for RestrictedFeatures {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.starts_threads |= ["spawn", "spawn_scoped", "spawn_unchecked"].iter().any(|name| call.method == name);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let of_threads = |last: &str| names.ends_with(&["thread".to_owned(), last.to_owned()]);
        self.starts_threads |= of_threads("spawn") || of_threads("scope");
        visit::visit_path(self, path);
    }

    fn visit_expr_unsafe(&mut self, _: &'ast syn::ExprUnsafe) {
        self.is_unsafe = true;
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.is_unsafe |= matches!(signature.safety, syn::Safety::Unsafe(_));
        visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.is_unsafe |= item.unsafety.is_some();
        visit::visit_item_impl(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.is_unsafe |= item.unsafety.is_some();
        visit::visit_item_trait(self, item);
    }

    fn visit_item_foreign_mod(&mut self, _: &'ast syn::ItemForeignMod) {
        self.is_unsafe = true;
    }
}

#[test]
fn imports_make_no_circle() {
    for (folder, _) in CRATES {
        let circles = circles(&imports(folder));
        let shown: Vec<String> =
            circles.iter().map(|circle| circle.iter().map(name).collect::<Vec<_>>().join(", ")).collect();
        assert!(shown.is_empty(), "{folder}: modules that import each other:\n{}", shown.join("\n"));
    }
}

#[test]
fn a_circle_of_imports_is_found() {
    let arrows = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "e")];
    let module = |name: &str| vec![name.to_owned()];
    let mut graph: Graph = "abcde".chars().map(|name| (module(&name.to_string()), [].into())).collect();
    for (from, to) in arrows {
        graph.get_mut(&module(from)).unwrap().insert(module(to));
    }
    assert_eq!(circles(&graph), [vec![module("b"), module("c")]]);
}

#[test]
fn a_layer_uses_only_layers_above_it() {
    let layer = |module: &Module| LAYERS.iter().position(|layer| layer.contains(&module[0].as_str()));
    for (module, targets) in imports("src") {
        if module.is_empty() {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("{} is in no layer", name(&module)));
        for target in targets {
            let used = layer(&target).unwrap_or_else(|| panic!("{} is in no layer", name(&target)));
            assert!(used <= own, "{} may not use {}", name(&module), name(&target));
        }
    }
}

#[test]
fn a_crate_uses_only_the_crates_that_it_may() {
    for (folder, allowed) in CRATES {
        let manifest = fs::read_to_string(root().join(folder.trim_end_matches("src")).join("Cargo.toml")).unwrap();
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap();
        // Examples and tests may use more.
        let dependencies = dependencies.split("\n[dev-dependencies]\n").next().unwrap();
        let mut used: Vec<&str> = dependencies
            .lines()
            .filter_map(|line| line.strip_prefix("nigh-"))
            .map(|line| line.split(['.', ' ']).next().unwrap())
            .collect();
        used.sort_unstable();
        assert_eq!(used, allowed, "{folder}");
    }
}

#[test]
fn threads_are_started_only_where_they_are_allowed() {
    let mut homes = 0;
    for (path, text) in source_files() {
        let is_home = THREAD_HOMES.iter().any(|home| path.starts_with(home));
        let starts_threads = RestrictedFeatures::of(&text).starts_threads;
        assert!(is_home || !starts_threads, "{} starts threads, but is not in THREAD_HOMES", path.display());
        homes += usize::from(starts_threads);
    }
    assert!(homes >= 2, "only {homes} files start threads");
}

#[test]
fn engines_do_no_input_or_output() {
    for (path, text) in source_files() {
        let code = code(&text).join("\n");
        assert!(
            !NO_IO.iter().any(|home| path.starts_with(home)) || !(code.contains("std::io") || code.contains("std::fs")),
            "{} uses std::io or std::fs",
            path.display()
        );
    }
}

#[test]
fn unsafe_code_is_only_where_it_is_allowed() {
    let mut homes = 0;
    for (path, text) in folders().chain(["capi/src", "python/src"]).flat_map(sources_in) {
        let is_home = UNSAFE_HOMES.iter().any(|home| path.starts_with(home));
        let is_unsafe = RestrictedFeatures::of(&text).is_unsafe;
        assert!(is_home || !is_unsafe, "{} has unsafe code, but is not in UNSAFE_HOMES", path.display());
        homes += usize::from(is_unsafe);
    }
    assert!(homes >= 4, "only {homes} files have unsafe code");
}

/// The names of the types and traits that a file declares, without those of its tests.
#[derive(Default)]
struct TypeNames(Vec<String>);

impl<'ast> Visit<'ast> for TypeNames {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let name = match item {
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Mod(module) if module.ident != "tests" => return visit::visit_item_mod(self, module),
            _ => return,
        };
        self.0.push(name.to_string());
    }
}

#[test]
fn no_type_name_is_used_twice() {
    let mut homes = BTreeMap::new();
    for (path, text) in source_files() {
        let mut names = TypeNames::default();
        names.visit_file(&syn::parse_file(&text).unwrap());
        for name in names.0 {
            homes.entry(name).or_insert_with(Vec::new).push(path.display().to_string());
        }
    }
    assert!(homes.len() > 300, "only {} types are found", homes.len());
    let shared: Vec<String> = homes
        .iter()
        .filter(|(_, homes)| homes.len() > 1)
        .map(|(name, homes)| format!("{name}: {}", homes.join(", ")))
        .collect();
    assert!(shared.is_empty(), "{}", shared.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    for (path, text) in source_files() {
        let length = code(&text).len();
        assert!(
            length <= MAX_FILE_LINES,
            "{} has {length} lines of code, but may have {MAX_FILE_LINES}",
            path.display()
        );
    }
}
