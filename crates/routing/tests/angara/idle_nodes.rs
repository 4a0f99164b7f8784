//! Nodes that forward for a job without taking part in it, and other edges of what can be asked for.

use crate::systems::torus;
use std::sync::Arc;
use turnwise_network::{Faults, FlowControl, Network};
use turnwise_routing::algorithms::AngaraBalanced;
use turnwise_routing::{Algorithm, Context, REGISTRY};

fn job(sizes: &[u32], idle: &[u32]) -> Arc<Network> {
    let faults = Faults {
        terminals: idle.to_vec(),
        ..Faults::default()
    };
    Arc::new(torus(sizes).without(&faults).unwrap())
}

/// Every generator with its usual parameters.
fn generators() -> Vec<(&'static str, Box<dyn Algorithm>)> {
    use turnwise_config::document::{Kind, Table, Value};
    let nothing = Value::new(Default::default(), Kind::Table(Table::default()));
    let entries = REGISTRY
        .iter()
        .filter(|entry| entry.name.starts_with("angara-"));
    entries
        .filter(|entry| entry.name != "angara-table")
        .map(|entry| {
            (
                entry.name,
                (entry.parse)(&nothing, &mut Vec::new()).unwrap(),
            )
        })
        .collect()
}

#[test]
fn routes_lead_through_nodes_outside_the_job() {
    let context = Context {
        flow_control: FlowControl::Bubble,
        ..Context::default()
    };
    for (sizes, idle) in [
        (&[8][..], &[2, 3, 5, 6, 7][..]),
        (&[8], &[1, 2, 3, 5, 6, 7]),
        (&[4, 2, 2], &[1, 2, 3, 5, 6, 10, 11, 12]),
    ] {
        let network = job(sizes, idle);
        for (name, algorithm) in generators() {
            let routing = algorithm.build(&network, &context).unwrap();
            for source in network.living_terminals() {
                for target in network.living_terminals() {
                    let start = routing.start(source, target);
                    assert!(start.is_some(), "{name} on {sizes:?}: {source} -> {target}");
                }
            }
        }
    }
}

#[test]
fn a_job_of_one_node_or_none_has_an_empty_table() {
    for idle in [&[0, 1, 2][..], &[0, 1, 2, 3]] {
        let network = job(&[4], idle);
        for (name, algorithm) in generators() {
            let routing = algorithm.build(&network, &Context::default());
            assert!(routing.is_ok(), "{name}");
            assert!(
                algorithm.rule_bound(&network, &Context::default()).is_ok(),
                "{name}"
            );
        }
    }
    for (name, algorithm) in generators() {
        let one = torus(&[1, 1]);
        assert!(algorithm.build(&one, &Context::default()).is_ok(), "{name}");
    }
}

#[test]
fn any_number_of_passes_is_taken() {
    let index = |passes| {
        let balanced = AngaraBalanced {
            passes,
            ..AngaraBalanced::default()
        };
        balanced.index(&torus(&[4, 2, 2]))
    };
    for passes in [1, 2, 3, u32::MAX] {
        assert!(index(passes).unwrap() >= 10);
    }
    assert_eq!(index(0).unwrap_err().place, "passes");
}

#[test]
fn too_long_a_dimension_is_named() {
    let network = torus(&[256]);
    for (name, algorithm) in generators() {
        let error = algorithm
            .build(&network, &Context::default())
            .err()
            .unwrap();
        assert!(
            error.message.contains("at most 255"),
            "{name}: {}",
            error.message
        );
    }
}
