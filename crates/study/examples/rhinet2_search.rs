//! Searches for the topologies of the RHiNET-2 study and writes their edge lists.
//!
//! `cargo run --release -p turnwise-study --example rhinet2_search`
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[path = "../tests/rhinet2/search.rs"]
mod search;

fn main() {
    let (a, b) = search::search().unwrap();
    for (name, seed) in [("a", a), ("b", b)] {
        let links = search::links(seed).unwrap();
        let known = search::known(&links).unwrap();
        let text = search::edge_list(&name.to_uppercase(), seed, &links, known);
        std::fs::write(format!("studies/rhinet2/topology-{name}.txt"), text).unwrap();
    }
}
