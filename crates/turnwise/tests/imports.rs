//! Which file of a crate uses which: folders may not need each other in a circle.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module by the names that lead to it; the crate's root has none.
type Module = Vec<String>;

/// The modules of a crate, what each uses and what each passes on by `pub use`.
#[derive(Default)]
struct Crate {
    texts: BTreeMap<Module, String>,
    exports: BTreeMap<Module, BTreeMap<String, Module>>,
}

fn names(path: &str) -> Module {
    path.split("::")
        .map(|name| name.trim().to_owned())
        .collect()
}

/// The code without comments and unit tests, which may use what they like.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    let code: Vec<&str> = lines.collect();
    let code = code.join("\n");
    match code.split_once("#[cfg(test)]\nmod tests {") {
        Some((before, _)) => before.to_owned(),
        None => code,
    }
}

/// The paths of an import: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn flat(import: &str) -> Vec<Module> {
    let import = import.trim();
    let Some((head, inner)) = import.split_once('{') else {
        let path = import.split(" as ").next().unwrap();
        return vec![names(path)];
    };
    let inner = inner.trim_end().strip_suffix('}').unwrap();
    let mut items = vec![String::new()];
    let mut depth = 0;
    for letter in inner.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match letter == ',' && depth == 0 {
            true => items.push(String::new()),
            false => items.last_mut().unwrap().push(letter),
        }
    }
    let items = items.iter().filter(|item| !item.trim().is_empty());
    let head = head.trim();
    items
        .flat_map(|item| flat(&format!("{head}{}", item.trim())))
        .collect()
}

/// What stands between `use ` and `;`, for public imports or for the others.
fn imports(code: &str, public: bool) -> Vec<Module> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let line = rest[..at].rsplit('\n').next().unwrap().trim();
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
        let before = rest[..at].chars().next_back();
        let is_word = before.is_none_or(char::is_whitespace);
        let is_import = is_word && (line.is_empty() || line.starts_with("pub"));
        if is_import && line.starts_with("pub") == public {
            found.extend(flat(&rest[at + 4..end]));
        }
        rest = &rest[(at + 4).min(rest.len())..];
    }
    found
}

impl Crate {
    fn read(source: &Path) -> Self {
        let mut read = Self::default();
        let mut folders = vec![source.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    read.add(source, &path);
                }
            }
        }
        read
    }

    fn add(&mut self, source: &Path, path: &Path) {
        let inner = path.strip_prefix(source).unwrap().with_extension("");
        let mut module: Module = inner
            .iter()
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        match module.last().map(String::as_str) {
            Some("lib" | "main" | "mod") => drop(module.pop()),
            Some("tests" | "testing") => return,
            Some(name) if name.ends_with("_tests") => return,
            _ => {}
        }
        let text = code(&std::fs::read_to_string(path).unwrap());
        let exports = imports(&text, true).into_iter().filter_map(|mut path| {
            let name = path.pop()?;
            Some((name, path))
        });
        self.exports.insert(module.clone(), exports.collect());
        self.texts.insert(module, text);
    }

    /// The module that a path written in the module `at` means, if it is one of this crate.
    fn resolve(&self, path: &[String], at: &Module, depth: u32) -> Option<Module> {
        let mut here = at.clone();
        let mut path = path;
        match path.first().map(String::as_str)? {
            "crate" => {
                here.clear();
                path = &path[1..];
            }
            "super" | "self" => {
                while let Some(name) = path
                    .first()
                    .filter(|name| *name == "super" || *name == "self")
                {
                    if name == "super" {
                        here.pop();
                    }
                    path = &path[1..];
                }
            }
            name => {
                let mut inner = here.clone();
                inner.push(name.to_owned());
                if !self.texts.contains_key(&inner) {
                    return None;
                }
            }
        }
        while let Some(name) = path.first() {
            let mut inner = here.clone();
            inner.push(name.clone());
            if !self.texts.contains_key(&inner) {
                break;
            }
            here = inner;
            path = &path[1..];
        }
        // What is passed on belongs to the module that it comes from.
        let passed_on = path.first().and_then(|name| {
            let from = self.exports.get(&here)?.get(name)?;
            let mut from = from.clone();
            from.push(name.clone());
            (depth < 8).then(|| self.resolve(&from, &here, depth + 1))?
        });
        Some(passed_on.unwrap_or(here))
    }

    /// The modules that each module uses.
    fn edges(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let uses = |(module, text): (&'_ Module, &String)| -> BTreeSet<Module> {
            let mut paths = imports(text, false);
            for start in ["crate::", "super::"] {
                for (at, _) in text.match_indices(start) {
                    let line = text[..at].rsplit('\n').next().unwrap();
                    let path =
                        text[at..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
                    if !line.contains("use ") && !line.contains("pub(in ") {
                        paths.push(names(path.clone().next().unwrap().trim_end_matches(':')));
                    }
                }
            }
            let used = paths
                .iter()
                .filter_map(|path| self.resolve(path, module, 0));
            used.filter(|used| used != module).collect()
        };
        self.texts
            .iter()
            .map(|entry| (entry.0, uses(entry)))
            .collect()
    }

    /// A module with files below it belongs to their folder.
    fn folder<'a>(&self, module: &'a Module) -> &'a [String] {
        let has_folder = self
            .texts
            .keys()
            .any(|other| other.len() > module.len() && other.starts_with(module));
        match has_folder {
            true => module,
            false => &module[..module.len().saturating_sub(1)],
        }
    }

    /// Uses from one folder to another that lead back to where they began.
    fn circles(&self) -> Vec<String> {
        let edges = self.edges();
        let reachable = |from: &Module| {
            let mut seen = BTreeSet::new();
            let mut next = vec![from.clone()];
            while let Some(module) = next.pop() {
                for used in edges.get(&module).into_iter().flatten() {
                    if seen.insert(used.clone()) {
                        next.push(used.clone());
                    }
                }
            }
            seen
        };
        let mut circles = Vec::new();
        for (module, uses) in &edges {
            for used in uses {
                if self.folder(module) != self.folder(used) && reachable(used).contains(*module) {
                    circles.push(format!("{} uses {}", module.join("::"), used.join("::")));
                }
            }
        }
        circles
    }
}

fn crates() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut sources: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path().join("src"))
        .collect();
    sources.sort();
    sources
}

#[test]
fn folders_do_not_need_each_other_in_a_circle() {
    let mut files = 0;
    for source in crates() {
        let read = Crate::read(&source);
        files += read.texts.len();
        let circles = read.circles();
        assert!(circles.is_empty(), "{}: {circles:#?}", source.display());
    }
    assert!(files > 200, "only {files} files were read");
}

#[test]
fn circles_are_found_through_what_is_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "lib.rs",
        "mod a;\nmod b;\npub use b::deep::{Thing, other};\n",
    );
    write("a.rs", "mod inner;\n");
    write("a/inner.rs", "use crate::{Thing};\npub struct Inner;\n");
    write("b.rs", "pub mod deep;\n");
    write(
        "b/deep.rs",
        "pub struct Thing;\nfn f() -> crate::a::inner::Inner {}\n",
    );
    let circles = Crate::read(folder.path()).circles();
    assert_eq!(circles, ["a::inner uses b::deep", "b::deep uses a::inner"]);
    write("b/deep.rs", "pub struct Thing;\n// crate::a::inner\n");
    assert!(Crate::read(folder.path()).circles().is_empty());
}
