//! Reference data of the tests.

#![allow(dead_code)] // not every test needs all of it

use std::io::Read;
use std::path::{Path, PathBuf};
use turnwise_application::Graph;
use turnwise_application::formats::goal;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference")
}

/// The text of a file.
pub(crate) fn reference(name: &str) -> String {
    String::from_utf8(bytes(name)).unwrap()
}

/// A file as it was before it was compressed.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    let packed = folder().join(format!("{name}.zst"));
    if !packed.exists() {
        return std::fs::read(folder().join(name)).unwrap();
    }
    let file = std::fs::File::open(packed).unwrap();
    let mut bytes = Vec::new();
    let mut reader = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    reader.read_to_end(&mut bytes).unwrap();
    bytes
}

/// One of LogGOPSim's schedules.
pub(crate) fn schedule(name: &str) -> Graph {
    goal::read(&bytes(&format!("goal/{name}.goal"))).unwrap()
}

/// What precedes an ending in the names of a folder's files, sorted.
pub(crate) fn names(of: &str, ending: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder().join(of)).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(ending)?.to_owned()))
        .collect();
    names.sort();
    names
}
