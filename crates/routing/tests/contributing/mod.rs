//! The worked example of `CONTRIBUTING.md`: compiled inside the crate, as if it were registered.
//!
//! It is not shipped. What being registered would hold it to, it is held to here.

#![allow(missing_docs, unreachable_pub, reason = "what is shipped has users")]

mod north_last;
#[path = "../promises/promises.rs"]
mod promises;

#[test]
fn the_example_keeps_every_promise() {
    let broken = promises::broken(&[north_last::ENTRY]);
    assert!(broken.is_empty(), "{broken:#?}");
}
