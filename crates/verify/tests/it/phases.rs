//! Routings in two phases: what is found by phases is what exploring everything finds, and whoever lies is explored.

use crate::networks::{graph, mesh, random_graph, rng, torus};
use crate::toys::Valiant;
use proptest::prelude::*;
use turnwise_network::{
    FlowControl, Header, Hop, Network, RouterId, Routing, Start, TerminalId, TwoPhases, Vc, VcSet,
};
use turnwise_verify::{Analysis, PhaseSurvey, Protocol, analyse};

/// What is found by phases, if anything.
fn by_phases(network: &Network, routing: &dyn Routing) -> Option<Analysis> {
    let protocol = Protocol::default();
    let mut survey = PhaseSurvey::new(network, routing, &protocol, 1 << 20)?;
    (0..survey.visits()).for_each(|number| survey.visit(number));
    survey.conclude(FlowControl::Wormhole)
}

fn are_near(one: &[f64], other: &[f64]) -> bool {
    let pairs = one.iter().zip(other);
    one.len() == other.len() && { pairs }
        .all(|(one, other)| (one - other).abs() < 1e-9 * (1.0 + other))
}

/// The same, but for the last bits of sums of fractions.
fn assert_same(found: &Analysis, expected: &Analysis) {
    assert_eq!(found.verdict, expected.verdict);
    assert_eq!(found.reachability, expected.reachability);
    let (quality, other) = (&found.quality, &expected.quality);
    assert!(
        are_near(&quality.loads, &other.loads),
        "{quality:?} {other:?}"
    );
    assert!(
        are_near(&quality.length_shares, &other.length_shares),
        "{quality:?} {other:?}"
    );
    assert!((quality.mean_hops - other.mean_hops).abs() < 1e-9);
    assert_eq!(quality.diameter, other.diameter);
    assert_eq!(quality.single_path, other.single_path);
    assert_eq!(quality.virtual_channels_used, other.virtual_channels_used);
}

#[test]
fn phases_tell_what_everything_tells() {
    let star = graph(&[3, 1, 2, 1], &[(0, 1), (0, 2), (0, 3)]);
    for network in [
        mesh(&[2]),
        mesh(&[3, 4]),
        torus(&[3, 2], 2),
        torus(&[2, 2, 2], 3),
        star,
    ] {
        let routing = Valiant { network: &network };
        let expected = analyse(&network, &routing, FlowControl::Wormhole);
        assert!(expected.is_sound(), "{}", network.description());
        assert_same(&by_phases(&network, &routing).unwrap(), &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_found_by_phases_is_so(seed: u64) {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        let routing = Valiant { network: &network };
        let expected = analyse(&network, &routing, FlowControl::Wormhole);
        if let Some(found) = by_phases(&network, &routing) {
            assert_same(&found, &expected);
        }
    }

    /// Trees have no circles to wait in, so that something is found; links may be double.
    #[test]
    fn on_trees_something_is_found(seed: u64) {
        let mut rng = rng(seed);
        let routers = 2 + rng.below(8);
        let terminals: Vec<usize> = (0..routers).map(|_| 1 + rng.below(3) as usize).collect();
        let mut links: Vec<(u32, u32)> = (1..routers).map(|router| (rng.below(router), router)).collect();
        let again = links[rng.below(routers - 1) as usize];
        links.extend((rng.below(2) == 0).then_some(again));
        let network = graph(&terminals, &links);
        let routing = Valiant { network: &network };
        let expected = analyse(&network, &routing, FlowControl::Wormhole);
        assert_same(&by_phases(&network, &routing).unwrap(), &expected);
    }
}

#[test]
fn where_packets_may_wait_in_a_circle_everything_is_explored() {
    let ring = torus(&[5], 1);
    assert_eq!(by_phases(&ring, &Valiant { network: &ring }), None);
}

/// What is wrong with a promise.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// Packets for every other terminal take another virtual channel.
    MindsDestination,
    /// The last router is gone by twice as often.
    PrefersOne,
    /// One intermediate router is never gone by.
    LeavesOut,
    /// Packets arrive with a mark.
    Remembers,
    /// Packets for every other terminal set out with a mark.
    Marks,
}

struct Lying<'a> {
    honest: Valiant<'a>,
    lie: Lie,
}

impl Routing for Lying<'_> {
    fn virtual_channels(&self) -> Vc {
        self.honest.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let mut start = self.honest.start(source, destination)?;
        if matches!(self.lie, Lie::Marks) {
            start.header.step = destination.0 % 2;
        }
        Some(start)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.honest.options(at, header, options);
        let terminals = self.honest.network.terminal_count() as u32;
        match self.lie {
            Lie::MindsDestination
                if header.phase == 1 && header.destination.0 % 2 == terminals % 2 =>
            {
                options.iter_mut().for_each(|hop| hop.vcs = VcSet::one(1));
            }
            Lie::PrefersOne if header.phase == 0 => {
                options.extend(options.last().copied());
            }
            Lie::LeavesOut if header.phase == 0 => drop(options.pop()),
            Lie::Remembers if header.phase == 1 => {
                options.iter_mut().for_each(|hop| hop.header.step = 1);
            }
            _ => {}
        }
    }

    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        Some(&self.honest)
    }
}

#[test]
fn whoever_lies_is_seen_through() {
    let network = mesh(&[3, 3]);
    for lie in [
        Lie::MindsDestination,
        Lie::PrefersOne,
        Lie::LeavesOut,
        Lie::Remembers,
        Lie::Marks,
    ] {
        let honest = Valiant { network: &network };
        let found = by_phases(&network, &Lying { honest, lie });
        assert!(found.is_none(), "{lie:?}");
    }
}
