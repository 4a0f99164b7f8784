//! Every algorithm that routes any network, on hundreds of random fabrics with faults: proved by the verifier, or refused with the reason.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_config::document::{Kind, Table, Value};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{
    ChannelClass, Faults, FlowControl, Network, NetworkBuilder, RouterId, Shape, Span,
};
use turnwise_routing::{Algorithm, Context, REGISTRY, UnderFaults};
use turnwise_verify::{Verdict, analyse};

const FABRICS: u32 = 500;

/// A connected graph of 2 to 24 routers, some of them without terminals, with some links dead.
pub(crate) fn fabric(seed: u32) -> Arc<Network> {
    let mut rng = Random::new(seed.into(), Purpose::Other, 0, 0);
    let routers = 2 + rng.below(23);
    let mut links: Vec<(u32, u32)> = (1..routers).map(|at| (rng.below(at), at)).collect();
    for _ in 0..rng.below(2 * routers) {
        let (one, other) = (rng.below(routers), rng.below(routers));
        if one != other {
            links.push((one, other));
        }
    }
    let terminals: Vec<usize> = (0..routers)
        .map(|at| if at == 0 { 1 } else { rng.below(4) as usize })
        .collect();
    let mut next = terminals.clone();
    let mut builder = NetworkBuilder::new(format!("fabric {seed}"), Shape::Graph);
    for (router, &terminals) in (0..).zip(&terminals) {
        let ends = links.iter().filter(|&&(a, b)| a == router || b == router);
        builder.router(terminals + ends.count(), terminals);
    }
    for (&(a, b), number) in links.iter().zip(0..) {
        let [a, b] = [a, b].map(|router| {
            let port = next[router as usize];
            next[router as usize] += 1;
            (RouterId(router), port)
        });
        // Of every third fabric some cables are slower.
        builder.interval(if seed.is_multiple_of(3) {
            1 + number % 3
        } else {
            1
        });
        builder.link(a, b, 1, ChannelClass::Local, ChannelClass::Local);
    }
    let healthy = builder.build(1).unwrap();
    let dead = rng.below(1 + links.len() as u32 / 10);
    let faults = Faults {
        random_links: dead.into(),
        seed: seed.into(),
        ..Faults::default()
    };
    Arc::new(healthy.without(&faults).unwrap())
}

/// The algorithms that route networks of a shape, as their names alone have them.
pub(crate) fn algorithms(shape: &Shape) -> Vec<(&'static str, Box<dyn Algorithm>)> {
    let nothing = Value::new(Span::default(), Kind::Table(Table::default()));
    let fitting = REGISTRY.iter().filter(|entry| (entry.fits)(shape));
    // Who needs a file has its routes from there.
    let parsed = fitting.filter_map(|entry| {
        let algorithm = (entry.parse)(&nothing, &mut Vec::new())?;
        Some((entry.entry.name, algorithm))
    });
    parsed.collect()
}

#[test]
fn every_table_is_proved_or_refused_with_the_reason() {
    let algorithms = algorithms(&Shape::Graph);
    assert!(algorithms.len() >= 10);
    let mut proved: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..FABRICS {
        let network = fabric(seed);
        for (name, algorithm) in &algorithms {
            let who = format!("{name} on {}", network.description());
            let routing = match algorithm.build(&network, &Context::default()) {
                Ok(routing) => routing,
                Err(why) => {
                    // Sixteen or thirty-two lanes are enough for most; who needs more says so.
                    assert!(why.message.contains("virtual"), "{who}: {why}");
                    continue;
                }
            };
            let found = analyse(&network, &*routing, FlowControl::Wormhole);
            let is_free = found.verdict.is_deadlock_free();
            if algorithm.is_free_of_deadlock(&Shape::Graph) {
                assert!(is_free, "{who}");
            }
            assert!(!matches!(found.verdict, Verdict::Unexplored(_)), "{who}");
            assert_eq!(found.reachability.endless.pairs, 0, "{who}");
            if algorithm.under_faults(&Shape::Graph) == UnderFaults::EveryRoute {
                assert_eq!(found.reachability.lost.pairs, 0, "{who}");
            }
            *proved.entry(name).or_default() += u32::from(is_free);
        }
    }
    for (name, algorithm) in &algorithms {
        let count = proved.get(name).copied().unwrap_or(0);
        let least = if algorithm.is_free_of_deadlock(&Shape::Graph) {
            FABRICS * 9 / 10
        } else {
            1
        };
        assert!(count >= least, "{name}: {count}");
    }
}
