//! The import graph of the modules.
//!
//! An edge leads to the module that defines a name, through any number of re-exports. Re-exports themselves (`pub use`),
//! visibilities and test modules add no edges.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Ident, Item, UseTree};

/// The path of a module from the root of the crate. Each module is one file.
pub(crate) type Module = Vec<String>;

/// The modules that each module imports from.
pub(crate) type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The meaning of a name in a module.
#[derive(Debug, Clone)]
enum Meaning {
    /// An item that the module defines.
    Item,
    /// An import of this path.
    Import(Vec<String>),
}

/// The modules of a crate, with the names that they define and the paths that they use.
struct Crate {
    names: BTreeMap<Module, BTreeMap<String, Meaning>>,
    /// Names of the child modules of each module.
    below: BTreeMap<Module, BTreeSet<String>>,
    /// Absolute paths that each module uses, except in re-exports.
    uses: BTreeMap<Module, BTreeSet<Vec<String>>>,
}

/// Reads the import graph of a crate. `root` is the file of its root module.
pub(crate) fn graph(root: &Path) -> Graph {
    let mut all = Crate { names: BTreeMap::new(), below: BTreeMap::new(), uses: BTreeMap::new() };
    all.read_module(Vec::new(), root);
    all.graph()
}

impl Crate {
    fn read_module(&mut self, module: Module, file: &Path) {
        let text = fs::read_to_string(file).unwrap();
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut reader =
            Reader { module: &module, names: BTreeMap::new(), uses: BTreeSet::new(), below: BTreeSet::new() };
        reader.visit_file(&syntax);
        let Reader { names, uses, below, .. } = reader;
        self.names.insert(module.clone(), names);
        self.below.insert(module.clone(), below.clone());
        self.uses.insert(module.clone(), uses);
        let is_folder = file.file_name().is_some_and(|name| name == "mod.rs" || name == "lib.rs");
        let folder = if is_folder { file.parent().unwrap().to_owned() } else { file.with_extension("") };
        for name in below {
            let candidates = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
            let file =
                candidates.iter().find(|file| file.exists()).unwrap_or_else(|| panic!("the module {name} has no file"));
            self.read_module([module.clone(), vec![name]].concat(), file);
        }
    }

    /// Returns the module that defines the target of a path; `None` for another crate.
    fn definition(&self, path: &[String], steps: usize) -> Option<Module> {
        assert!(steps < 20, "the path {path:?} leads to itself");
        let mut module = Vec::new();
        for (index, name) in path.iter().enumerate() {
            let is_last = index + 1 == path.len();
            let is_module = self.below.get(&module)?.contains(name);
            match self.names[&module].get(name) {
                meaning if is_module && (!is_last || meaning.is_none()) => module.push(name.clone()),
                Some(Meaning::Item) => return Some(module),
                Some(Meaning::Import(target)) => {
                    let further = [target.clone(), path[index + 1..].to_vec()].concat();
                    return self.definition(&further, steps + 1);
                }
                None => return None,
            }
        }
        Some(module)
    }

    fn graph(&self) -> Graph {
        let targets = |module: &Module, paths: &BTreeSet<Vec<String>>| {
            let found = paths.iter().filter_map(|path| self.definition(path, 0));
            found.filter(|target| target != module).collect()
        };
        self.uses.iter().map(|(module, paths)| (module.clone(), targets(module, paths))).collect()
    }
}

/// Collects the names and uses of one file.
struct Reader<'a> {
    module: &'a Module,
    names: BTreeMap<String, Meaning>,
    uses: BTreeSet<Vec<String>>,
    below: BTreeSet<String>,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

impl Reader<'_> {
    /// Returns a path from the root of the crate; `None` if it leads to another crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([self.module.clone(), rest.to_vec()].concat()),
            "super" => {
                let above = path.iter().take_while(|name| *name == "super").count();
                let depth = self.module.len().checked_sub(above)?;
                Some([self.module[..depth].to_vec(), path[above..].to_vec()].concat())
            }
            name => match self.names.get(name) {
                Some(Meaning::Import(target)) => Some([target.clone(), rest.to_vec()].concat()),
                _ if self.below.contains(name) => Some([self.module.clone(), path.to_vec()].concat()),
                _ => None,
            },
        }
    }

    fn import(&mut self, tree: &UseTree, before: &mut Vec<String>, exported: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, exported);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before, exported)),
            UseTree::Name(name) => self.import_as(&name.ident, &name.ident, before, exported),
            UseTree::Rename(rename) => self.import_as(&rename.ident, &rename.rename, before, exported),
            UseTree::Glob(_) => {}
        }
    }

    fn import_as(&mut self, name: &Ident, alias: &Ident, before: &[String], exported: bool) {
        let mut path = before.to_vec();
        if name != "self" {
            path.push(name.to_string());
        }
        let Some(absolute) = self.absolute(&path) else { return };
        if !exported {
            self.uses.insert(absolute.clone());
        }
        let alias = if alias == "self" { path.last().unwrap().clone() } else { alias.to_string() };
        // Macros and types may share a name with a module.
        if absolute != [self.module.clone(), vec![alias.clone()]].concat() {
            self.names.insert(alias, Meaning::Import(absolute));
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_file(&mut self, file: &'ast syn::File) {
        for item in &file.items {
            let name = match item {
                Item::Mod(item) if is_test(&item.attrs) => continue,
                Item::Mod(item) => {
                    if item.content.is_some() {
                        continue;
                    }
                    self.below.insert(item.ident.to_string());
                    continue;
                }
                Item::Const(item) => &item.ident,
                Item::Enum(item) => &item.ident,
                Item::Fn(item) => &item.sig.ident,
                Item::Static(item) => &item.ident,
                Item::Struct(item) => &item.ident,
                Item::Trait(item) => &item.ident,
                Item::Type(item) => &item.ident,
                _ => continue,
            };
            self.names.entry(name.to_string()).or_insert(Meaning::Item);
        }
        for item in &file.items {
            if let Item::Use(item) = item {
                let exported = !matches!(item.vis, syn::Visibility::Inherited);
                self.import(&item.tree, &mut Vec::new(), exported);
            }
        }
        visit::visit_file(self, file);
    }

    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(absolute) = self.absolute(&names).filter(|_| names.len() > 1) {
            self.uses.insert(absolute);
        }
        visit::visit_path(self, path);
    }
}

/// Returns the cycles of a graph: its strongly connected components with more than one module, by Tarjan's algorithm (1972).
pub(crate) fn circles(graph: &Graph) -> Vec<Vec<Module>> {
    let mut search =
        Components { graph, index: BTreeMap::new(), low: BTreeMap::new(), stack: Vec::new(), circles: Vec::new() };
    for module in graph.keys() {
        if !search.index.contains_key(module) {
            search.visit(module);
        }
    }
    search.circles
}

struct Components<'g> {
    graph: &'g Graph,
    /// Position of each visited module in the order of visits.
    index: BTreeMap<&'g Module, usize>,
    /// Smallest `index` that each visited module reaches within its component.
    low: BTreeMap<&'g Module, usize>,
    stack: Vec<&'g Module>,
    circles: Vec<Vec<Module>>,
}

impl<'g> Components<'g> {
    fn visit(&mut self, module: &'g Module) {
        let index = self.index.len();
        self.index.insert(module, index);
        self.low.insert(module, index);
        self.stack.push(module);
        for next in &self.graph[module] {
            let reached = if !self.index.contains_key(next) {
                self.visit(next);
                self.low[next]
            } else if self.stack.contains(&next) {
                self.index[next]
            } else {
                continue;
            };
            let low = self.low[module].min(reached);
            self.low.insert(module, low);
        }
        if self.low[module] == index {
            let at = self.stack.iter().position(|on| *on == module).unwrap();
            let component = self.stack.split_off(at);
            if component.len() > 1 {
                self.circles.push(component.into_iter().cloned().collect());
            }
        }
    }
}
