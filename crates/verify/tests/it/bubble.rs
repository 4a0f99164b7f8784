//! Bubble flow control: rings are excused, nothing else is.

use crate::checker::checked;
use crate::networks::{rng, torus};
use crate::oracle::{bubble_free, walk_all};
use crate::toys::{DimensionOrder, Route, Table, random_table};
use proptest::prelude::*;
use std::collections::BTreeMap;
use turnwise_network::FlowControl;
use turnwise_network::{ChannelId, Faults, Network, RouterId};
use turnwise_network::{Header, Hop, Routing, Start, TerminalId, Vc, VcSet};
use turnwise_verify::{Verdict, Waiting, analyse, rings};

#[test]
fn a_torus_has_two_rings_for_each_line_of_three_or_more() {
    let network = torus(&[4, 3, 2], 1);
    let rings = rings(&network);
    let of_length = |length| rings.iter().filter(|ring| ring.len() == length).count();
    assert_eq!(
        (of_length(4), of_length(3), rings.len()),
        (2 * 3 * 2, 2 * 4 * 2, 28)
    );
    for ring in &rings {
        for (at, &channel) in ring.iter().enumerate() {
            let next = ring[(at + 1) % ring.len()];
            assert_eq!(network.channel(channel).class, network.channel(next).class);
            assert_eq!(
                network.ends(channel).unwrap().1,
                network.ends(next).unwrap().0
            );
        }
    }
}

#[test]
fn dimension_order_needs_nothing_but_the_bubble() {
    for sizes in [&[4u32][..], &[5, 3], &[4, 2, 2, 2]] {
        let network = torus(sizes, 1);
        let routing = DimensionOrder {
            network: &network,
            datelines: false,
        };
        assert!(
            analyse(&network, &routing, FlowControl::Wormhole)
                .verdict
                .cycle()
                .is_some()
        );
        assert!(
            analyse(&network, &routing, FlowControl::VirtualCutThrough)
                .verdict
                .cycle()
                .is_some()
        );
        let analysis = analyse(&network, &routing, FlowControl::Bubble);
        let certificate = analysis.verdict.certificate().unwrap();
        assert!(!certificate.rings.is_empty());
        for ring in &certificate.rings {
            let number = certificate.numbers[ring[0] as usize];
            assert!(
                ring.iter()
                    .all(|&vertex| certificate.numbers[vertex as usize] == number)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_follow_the_component_rule(seed: u64) {
        let mut rng = rng(seed);
        let sizes = [&[3, 3][..], &[4, 2], &[5], &[3, 4]][rng.below(4) as usize];
        let network = torus(sizes, 1);
        let mut table = random_table(&network, &mut rng);
        // Few routes, so that both verdicts are common.
        let keep = 1 + rng.below(6);
        table.routes.retain(|_, _| rng.below(6) < keep);
        let analysis = analyse(&network, &table, FlowControl::Bubble);
        let free = bubble_free(&network, &walk_all(&network, &table).dependencies);
        prop_assert_eq!(analysis.verdict.is_deadlock_free(), free);
        if let Verdict::Cyclic(cycle) = &analysis.verdict {
            for (index, at) in cycle.waiting.iter().enumerate() {
                let next = &cycle.waiting[(index + 1) % cycle.waiting.len()];
                prop_assert_eq!(network.ends(at.channel).unwrap().1, network.ends(next.channel).unwrap().0);
            }
            let first = cycle.waiting[0];
            let excused = rings(&network).into_iter().find(|ring| ring.contains(&first.channel));
            let inside = |at: &Waiting| at.vc == first.vc && excused.as_ref().is_some_and(|ring| ring.contains(&at.channel));
            prop_assert!(!cycle.waiting.iter().all(inside), "a ring's own turn is no deadlock");
        }
    }
}

/// What packets may do where dimension order offers a channel: options, each with its virtual channels.
type Spread = fn(RouterId) -> Vec<VcSet>;

/// Dimension order with two virtual channels.
struct Spreading<'a>(DimensionOrder<'a>, Spread);

impl Routing for Spreading<'_> {
    fn virtual_channels(&self) -> Vc {
        2
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let mut narrow = Vec::new();
        self.0.options(at, header, &mut narrow);
        for hop in narrow {
            options.extend((self.1)(at).into_iter().map(|vcs| Hop { vcs, ..hop }));
        }
    }
}

fn verdict_of(network: &Network, spread: Spread, flow_control: FlowControl) -> Verdict {
    let routing = DimensionOrder {
        network,
        datelines: false,
    };
    analyse(network, &Spreading(routing, spread), flow_control).verdict
}

/// Each virtual channel has a ring of its own that turns: whoever may stay in it needs no other.
#[test]
fn whoever_may_stay_needs_no_other_virtual_channel() {
    let both: Spread = |_| vec![VcSet::all(2)];
    // Packets of some routers may take either, and those of others only the first.
    let some: Spread = |at| vec![VcSet::all(1 + (at.0 % 3 == 0) as Vc)];
    for (name, sizes) in [("line", &[5u32][..]), ("plane", &[3, 4])] {
        let network = torus(sizes, 1);
        let free = verdict_of(&network, both, FlowControl::Bubble);
        let certificate = free.certificate().expect("rings turn");
        // One other virtual channel beside each dependency along a ring.
        let class = |vertex: u32| network.channel(ChannelId(vertex / 2)).class;
        let mut others: Vec<(u32, u32)> = certificate.dependencies.clone();
        others.retain(|&(held, wanted)| class(held) == class(wanted) && held % 2 == wanted % 2);
        for other in &mut others {
            other.1 ^= 1;
        }
        others.sort_unstable();
        assert_eq!(certificate.optional, others);
        assert!(!others.is_empty());
        let text = certificate.to_json(&network, "test");
        let (status, output) = checked(&format!("optional-{name}.json"), &text);
        assert_eq!(status, Some(0), "{output}");
        for flow_control in [FlowControl::Wormhole, FlowControl::VirtualCutThrough] {
            assert!(verdict_of(&network, both, flow_control).cycle().is_some());
        }
        // Who came by the second must leave it where only the first is offered; who came by the first may always stay.
        assert!(verdict_of(&network, some, FlowControl::Bubble).is_deadlock_free());
    }
}

/// A packet that must change waits for another ring, and so does one whose choice offers its own virtual channel in
/// another option than the other: it asks for one of them only.
#[test]
fn a_change_that_must_be_made_is_waited_for() {
    let network = torus(&[4], 1);
    let in_turn: Spread = |at| vec![VcSet::one((at.0 % 2) as Vc)];
    let either: Spread = |_| vec![VcSet::one(0), VcSet::one(1)];
    for spread in [in_turn, either] {
        let verdict = verdict_of(&network, spread, FlowControl::Bubble);
        let cycle = verdict.cycle().expect("a circle");
        assert!(!cycle.waiting.is_empty());
    }
}

/// Packets around one ring of four that also leave it and come back: deleting the ring's own
/// dependencies would leave no cycle, but packets that want out wait for packets that want in.
#[test]
fn a_cycle_through_a_ring_is_not_excused() {
    let network = torus(&[4, 2], 1);
    let channel = |from: [u32; 2], to: [u32; 2]| {
        let id = |at: [u32; 2]| RouterId(at[0] * 2 + at[1]);
        network
            .neighbours(id(from))
            .find(|n| n.router == id(to))
            .unwrap()
            .channel
    };
    let ring: Vec<ChannelId> = (0..4).map(|x| channel([x, 0], [(x + 1) % 4, 0])).collect();
    let (out, back) = (channel([2, 0], [2, 1]), channel([2, 1], [2, 0]));
    let around = (0..4).map(|x| vec![ring[x], ring[(x + 1) % 4]]);
    let through = [vec![ring[1], out, back], vec![out, back, ring[2]]];
    let free = table(&network, around.clone());
    assert!(
        analyse(&network, &free, FlowControl::Wormhole)
            .verdict
            .cycle()
            .is_some()
    );
    assert!(
        analyse(&network, &free, FlowControl::Bubble)
            .verdict
            .is_deadlock_free()
    );

    let stuck = table(&network, around.chain(through));
    let analysis = analyse(&network, &stuck, FlowControl::Bubble);
    let cycle = analysis.verdict.cycle().unwrap();
    assert_eq!(
        cycle.render(&network).len(),
        6,
        "{:?}",
        cycle.render(&network)
    );
    let names: Vec<_> = cycle.waiting.iter().map(|at| at.channel).collect();
    assert!(
        [out, back]
            .iter()
            .chain(&ring)
            .all(|channel| names.contains(channel))
    );
}

fn table(network: &Network, routes: impl Iterator<Item = Vec<ChannelId>>) -> Table<'_> {
    let routes: BTreeMap<(u32, u32), Route> = routes
        .map(|route| {
            let from = network.ends(route[0]).unwrap().0;
            let to = network.ends(route[route.len() - 1]).unwrap().1;
            (
                (from.0, to.0),
                route.into_iter().map(|channel| (channel, 0)).collect(),
            )
        })
        .collect();
    Table {
        network,
        vcs: 1,
        between_terminals: false,
        routes,
    }
}

#[test]
fn a_broken_ring_is_not_excused() {
    let whole = torus(&[4, 4], 1);
    let broken = whole
        .without(&Faults {
            links: vec![[0, 4]],
            ..Faults::default()
        })
        .unwrap();
    assert_eq!((rings(&whole).len(), rings(&broken).len()), (16, 14));
    assert!(rings(&torus(&[2, 2], 1)).is_empty());
}

#[test]
fn a_ring_nobody_turns_needs_no_excuse() {
    let network = torus(&[5, 5], 1);
    let ring = &rings(&network)[0];
    let short = table(&network, ring.windows(2).map(<[ChannelId]>::to_vec));
    let analysis = analyse(&network, &short, FlowControl::Bubble);
    assert!(analysis.verdict.certificate().unwrap().rings.is_empty());
}
