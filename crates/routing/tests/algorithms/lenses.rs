//! What algorithms see otherwise than it is: whoever of the registry may be asked to, does.

use crate::cases;
use crate::written::read;
use std::sync::Arc;
use turnwise_network::{Network, Routing, Sensing};
use turnwise_routing::{AlgorithmEntry, Context, REGISTRY};

/// With these fields, on a network it fits.
fn built(entry: &AlgorithmEntry, network: &Arc<Network>, fields: &str) -> Box<dyn Routing> {
    let algorithm = (entry.parse)(&read(fields), &mut Vec::new()).unwrap();
    algorithm.build(network, &Context::default()).unwrap()
}

/// Does a field make all who have it ask the engine for something that they do not ask for without it? How many have it?
fn asks(field: &str, value: &str, what: impl Fn(&dyn Sensing) -> bool) -> usize {
    let networks = [&cases::dragonflies()[0], &cases::megaflies()[0]].map(Arc::clone);
    let mut found = 0;
    for entry in REGISTRY {
        let schema = (entry.schema)();
        if schema.as_value()["properties"].get(field).is_none() {
            continue;
        }
        for network in networks
            .iter()
            .filter(|network| (entry.fits)(network.shape()))
        {
            let told = |fields: &str| built(entry, network, fields).sensing().is_some_and(&what);
            let name = entry.name;
            assert!(told(&format!("{field} = {value}")), "{name}");
            assert!(!told("") || name == "crt" && field == "phantom", "{name}");
            found += 1;
        }
    }
    found
}

#[test]
fn whole_queues_are_asked_for() {
    let asked = asks("whole_queues", "true", |sensing| sensing.counts_awaiting());
    assert!(asked >= 14, "{asked}");
}

/// (Credit round trips are timed in any case.)
#[test]
fn phantoms_are_timed() {
    let asked = asks("phantom", "{}", |sensing| sensing.times());
    assert!(asked >= 17, "{asked}");
}
