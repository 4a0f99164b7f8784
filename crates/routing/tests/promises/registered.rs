//! The registry as it is: nobody in it breaks a promise.

use crate::PROMISES;
use crate::examples::examples;
use crate::subjects::each;
use std::collections::BTreeMap;
use turnwise_routing::{AlgorithmEntry, REGISTRY};

/// Who of a registry breaks which promise, and how; being built counts as a promise too.
pub(crate) fn broken(entries: &[AlgorithmEntry]) -> BTreeMap<&'static str, Vec<String>> {
    let mut broken: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    each(entries, &examples(), |name, subject| match subject {
        Err(message) => broken
            .entry("building")
            .or_default()
            .push(format!("{name}: {message}")),
        Ok(subject) => {
            for (promise, check) in PROMISES {
                if let Err(message) = check(subject) {
                    broken
                        .entry(promise)
                        .or_default()
                        .push(format!("{name}: {message}"));
                }
            }
        }
    });
    broken
}

#[test]
fn every_algorithm_keeps_every_promise_on_every_network_it_fits() {
    let broken = broken(REGISTRY);
    let lines: Vec<String> = broken
        .iter()
        .flat_map(|(promise, all)| all.iter().map(move |who| format!("{promise}: {who}")))
        .collect();
    assert!(
        lines.is_empty(),
        "{} broken promises:\n{}",
        lines.len(),
        lines.join("\n")
    );
}
