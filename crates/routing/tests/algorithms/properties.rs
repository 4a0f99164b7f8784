//! Random packets in random congestion.

use crate::cases;
use crate::explore::options;
use proptest::prelude::*;
use turnwise_network::random::{Purpose, Random, mix};
use turnwise_network::{Congestion, Faults, Port, TerminalId, VcSet};

/// Made-up queues, the same whenever one looks.
struct Noise(u64);

impl Congestion for Noise {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        (mix(self.0 ^ u64::from(vcs.0) << 32 ^ u64::from(port)) % 50) as u32
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.unacknowledged(port, vcs) / 2
    }

    fn capacity(&self, _: Port) -> u32 {
        50
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// What `choose` does is one of `options`, and takes the packet to its terminal.
    #[test]
    fn a_choice_is_one_of_the_options(seed: u64, dead_links in 0u32..4) {
        for case in cases::all() {
            let dead_links = dead_links.min(case.network.channel_count() as u32 / 2);
            let faults = Faults { random_links: dead_links.into(), seed, ..Faults::default() };
            let network = std::sync::Arc::new(case.network.without(&faults).unwrap());
            let routing = case.algorithm.build(&network, &case.context).unwrap();
            let mut rng = Random::new(seed, Purpose::Routing, 0, 0);
            for _ in 0..20 {
                let mut terminal = || TerminalId(rng.below(network.terminal_count() as u32));
                let (source, destination) = (terminal(), terminal());
                let Some(start) = routing.start(source, destination) else { continue };
                let (mut at, mut header) = (network.router_of(source), start.header);
                let mut hops = 0;
                loop {
                    let hop = routing.choose(at, header, &Noise(seed ^ u64::from(at.0)), &mut rng);
                    let hop = hop.unwrap_or_else(|| panic!("{}: nothing to do at {at}, {header:?}", case.name));
                    let offered = options(&*routing, at, header);
                    prop_assert!(offered.contains(&hop), "{}: {hop:?} at {at}, {header:?}", case.name);
                    // What is settled is all there is.
                    if let Some(settled) = routing.settled(at, header) {
                        prop_assert_eq!(offered, [settled], "{} at {}, {:?}", case.name, at, header);
                    }
                    header = hop.header;
                    let Some(next) = network.next_router(at, hop.port) else { break };
                    at = next;
                    hops += 1;
                    prop_assert!(hops <= 30, "{}: a packet wanders about", case.name);
                }
                prop_assert_eq!(at, network.router_of(destination));
            }
        }
    }
}

/// Chi-square of the choices against equal shares, at a place where all should be equal.
#[test]
fn random_choices_are_uniform() {
    let cases = cases::all();
    for name in [
        "minimal on dragonfly",
        "valiant Router Minimal",
        "valiant Group Minimal false",
        "nca",
        "dimension-order Random on 4x4",
    ] {
        let case = cases
            .iter()
            .find(|case| case.name.starts_with(name))
            .unwrap();
        let (routing, network) = (case.build(), &*case.network);
        let from = network.router_of(TerminalId(0));
        let most = network.terminals().map(|to| {
            let header = routing.start(TerminalId(0), to).unwrap().header;
            (options(&*routing, from, header).len(), to)
        });
        let (count, to) = most.max().unwrap();
        let header = routing.start(TerminalId(0), to).unwrap().header;
        let options = options(&*routing, from, header);
        let mut counts = vec![0.0; count];
        let mut rng = Random::new(3, Purpose::Routing, 0, 0);
        for _ in 0..1000 * count {
            let hop = routing.choose(from, header, &Noise(1), &mut rng).unwrap();
            counts[options.iter().position(|option| *option == hop).unwrap()] += 1.0;
        }
        let far = counts
            .iter()
            .filter(|&&seen: &&f64| (seen - 1000.0).abs() > 160.0);
        assert_eq!(far.count(), 0, "{}: {counts:?}", case.name);
    }
}
