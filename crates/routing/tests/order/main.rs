//! scratch
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod simulation;

use std::sync::Arc;
use turnwise_network::topologies::*;
use turnwise_network::{Faults, Network, Routing};
use turnwise_routing::algorithms::Turnwise;
use turnwise_routing::subnet::{Forwarding, Order, Programme, Repair};
use turnwise_routing::{Algorithm, Context};

fn fabric(file: &str) -> Arc<Network> {
    let text = std::fs::read_to_string(file).unwrap();
    let topology = InfiniBand { file: file.into(), channel_latency: Default::default() };
    Arc::new(topology.build(Some(&text)).unwrap())
}

fn files(network: &Network, routing: &dyn Routing) -> Vec<String> {
    let programme = Programme::of(network, routing).unwrap();
    let lft: String = programme.switches().map(|at| programme.forwarding_table(at)).collect();
    vec![lft, programme.policy()]
}

#[test]
fn scratch() {
    let only = std::env::var("FABRIC").unwrap_or_default();
    for name in only.split(',') {
        let network = fabric(&format!("/tmp/fab/{name}.net"));
        let turnwise = Turnwise { virtual_lanes: Some(8), fewest_lanes: true, ..Turnwise::default() };
        let routing = turnwise.build(&network, &Context::default()).unwrap();
        let files = files(&network, &*routing);
        let mut seed = 0;
        let mut tally = Vec::new();
        while tally.len() < 10 {
            seed += 1;
            let faults = Faults { random_links: 1u32.into(), seed, ..Faults::default() };
            let cut = network.without(&faults).unwrap();
            let cut = Arc::new(cut);
            let context = Context { files: &files, ..Context::default() };
            let (lft, levels) = ("a".to_owned(), Some("b".to_owned()));
            let forwarding = Forwarding { lft: lft.clone(), service_levels: levels.clone(), sl2vl: None, virtual_lanes: None };
            let repair = Repair { lft, service_levels: levels, virtual_lanes: None };
            let before = forwarding.build(&cut, &context).unwrap();
            let after = match repair.build(&cut, &context) { Ok(a) => a, Err(e) => { tally.push(format!("repair: {}", e.message)); continue; } };
            let start = std::time::Instant::now();
            let order = Order::find(&cut, before.forwards().unwrap(), after.forwards().unwrap());
            let ms = start.elapsed().as_millis();
            if let (Ok(order), true) = (&order, std::env::var("SIM").is_ok()) { simulation::go_through(&cut, [before.forwards().unwrap(), after.forwards().unwrap()], order); }
            tally.push(match order {
                Ok(order) => format!("{:?}{:?} {ms}ms", order.levels, order.steps.iter().map(|s| (s.entries.len(), s.are_emptied)).collect::<Vec<_>>()),
                Err(stuck) => { let s = format!("{stuck:?}"); format!("STUCK {}", &s[s.len().saturating_sub(60)..]) }
            });
        }
        eprintln!("{name}: {tally:#?}");
    }
}
