//! Proofs by escape where terminals answer: a textbook case, and a brute-force search to compare with.

use crate::checker::checked;
use crate::escape::{ATOMIC, duato, random_escaping};
use crate::networks::{mesh, random_graph, rng};
use crate::oracle::{Exchange, Held, walk_protocol};
use crate::toys::Layers;
use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use std::collections::BTreeSet;
use turnwise_network::{FlowControl, Header, Network, RouterId, Routing, TerminalId};
use turnwise_verify::{Assumptions, Protocol, Verdict, analyse_with};

/// Cut-through routers, and wormhole routers whose buffers are given away only when they are empty.
fn routers() -> [(bool, Assumptions); 2] {
    [
        (false, FlowControl::VirtualCutThrough.into()),
        (true, ATOMIC),
    ]
}

#[test]
fn adaptive_request_and_reply_are_proved_if_classes_are_apart() {
    let network = mesh(&[4, 3]);
    let routing = || vec![duato(&network, false), duato(&network, false)];
    for (indirect, assumptions) in routers() {
        let judged = |routing: &dyn Routing, answers: &[(u8, u8)]| {
            let protocol = Protocol::new(2, answers.iter().copied());
            analyse_with(&network, routing, &protocol, assumptions).verdict
        };
        let apart = Layers::apart(routing());
        let verdict = judged(&apart, &[(0, 1)]);
        let proof = verdict.certificate().unwrap();
        assert!(proof.is_by_escape());
        let text = proof.to_json(&network, "fully adaptive");
        let name = format!("answers-escape-{indirect}.json");
        let (status, output) = checked(&name, &text);
        assert_eq!(status, Some(0), "{output}");
        assert!(output.contains("all of an escape of"), "{output}");
        assert!(output.contains("12 terminals that answer"), "{output}");
        for (routing, answers) in [
            (&apart as &dyn Routing, &[(0, 1), (1, 0)][..]),
            (&apart, &[(1, 1)]),
            (&Layers::together(routing()), &[(0, 1)]),
        ] {
            let verdict = judged(routing, answers);
            assert!(verdict.cycle().is_some(), "{answers:?}");
        }
    }
}

/// Of every route of every message, what it holds and is offered later, terminals included.
struct Routes<'a> {
    network: &'a Network,
    routing: &'a dyn Routing,
    indirect: bool,
    exchange: Exchange,
    offered: BTreeSet<Held>,
    /// Is there a state without an offer?
    is_stranded: bool,
}

impl Routes<'_> {
    fn all(&mut self, protocol: &Protocol) {
        let network = self.network;
        for source in network.living_terminals() {
            for destination in network.living_terminals() {
                for class in protocol.classes() {
                    let mut starts = Vec::new();
                    let routing = self.routing;
                    routing.starts(source, destination, class, &mut starts);
                    for start in starts {
                        let injection = network.injection_channel(source);
                        let held: Vec<Held> = start.vcs.iter().map(|vc| (injection, vc)).collect();
                        let injected = held.iter().map(|&held| (source, class, held));
                        self.exchange.injected.extend(injected);
                        let at = network.router_of(source);
                        self.follow((destination, class), at, start.header, &held);
                    }
                }
            }
        }
    }

    /// `held` are the hops so far that have no escape behind them, the last one apart.
    fn follow(&mut self, message: (TerminalId, u8), at: RouterId, header: Header, held: &[Held]) {
        let network = self.network;
        let (mut options, mut escapes) = (Vec::new(), Vec::new());
        self.routing.options(at, header, &mut options);
        self.routing.escape(at, header, &mut escapes);
        let vertices = |hop: &turnwise_network::Hop| -> Vec<Held> {
            let channel = network.out_channel(at, hop.port).unwrap();
            hop.vcs.iter().map(|vc| (channel, vc)).collect()
        };
        let mut offers: Vec<Held> = escapes.iter().flat_map(vertices).collect();
        for hop in &options {
            if network.next_router(at, hop.port).is_none() {
                let ejected = vertices(hop).into_iter();
                let (destination, class) = message;
                let ejected = ejected.inspect(|&held| offers.push(held));
                let ejected: Vec<_> = ejected.map(|held| (destination, class, held)).collect();
                self.exchange.ejected.extend(ejected);
            }
        }
        self.is_stranded |= offers.is_empty();
        for &offer in &offers {
            self.offered.insert(offer);
            let waits = held.iter().map(|&held| (held, offer));
            self.exchange.waits.extend(waits);
        }
        for hop in &options {
            let Some(router) = network.next_router(at, hop.port) else {
                continue;
            };
            for next in vertices(hop) {
                let mut now = match self.indirect && !offers.contains(&next) {
                    true => held.to_vec(),
                    false => Vec::new(),
                };
                now.push(next);
                self.follow(message, router, hop.header, &now);
            }
        }
    }

    /// The extended dependencies, and what the escape offers, terminals included.
    fn extended(mut self, protocol: &Protocol) -> (DiGraphMap<Held, ()>, BTreeSet<Held>) {
        let (at_terminals, held_up) = self.exchange.at_terminals(protocol);
        let network = self.network;
        let between_routers = |held: &Held| network.ends(held.0).is_some();
        self.offered
            .retain(|held| between_routers(held) || held_up.contains(held));
        self.offered.extend(
            at_terminals
                .iter()
                .flat_map(|&(held, wanted)| [held, wanted]),
        );
        let offered = self.offered;
        let waits = self.exchange.waits.iter();
        let waits =
            waits.filter(|(held, wanted)| offered.contains(held) && offered.contains(wanted));
        let graph = waits.chain(&at_terminals).copied().collect();
        (graph, offered)
    }
}

#[test]
fn proofs_of_random_escapes_with_answers_equal_a_brute_force_search() {
    let mut outcomes = [0; 4];
    for seed in 0..1_500 {
        let mut rng = rng(seed);
        let network = random_graph(&mut rng);
        // Two that are free are rarer than one.
        let other = if rng.below(8) == 0 { !seed } else { seed };
        let layers = || {
            [seed, other]
                .map(|seed| random_escaping(&network, seed))
                .into()
        };
        let routing = match rng.below(6) {
            0 => Layers::together(layers()),
            _ => Layers::apart(layers()),
        };
        let protocol = Protocol::new(2, [(0, u8::from(rng.below(8) > 0))]);
        if !is_cyclic_directed(&walk_protocol(&network, &routing, &protocol).dependencies) {
            continue;
        }
        for (indirect, assumptions) in routers() {
            let mut routes = Routes {
                network: &network,
                routing: &routing,
                indirect,
                exchange: Exchange::default(),
                offered: BTreeSet::new(),
                is_stranded: false,
            };
            routes.all(&protocol);
            let is_stranded = routes.is_stranded;
            let (waits, offered) = routes.extended(&protocol);
            let expected = !is_stranded && !is_cyclic_directed(&waits);
            let analysis = analyse_with(&network, &routing, &protocol, assumptions);
            assert!(!matches!(analysis.verdict, Verdict::Unexplored(_)));
            assert_eq!(analysis.verdict.is_deadlock_free(), expected, "seed {seed}");
            outcomes[usize::from(indirect) * 2 + usize::from(expected)] += 1;
            if let Some(proof) = analysis.verdict.certificate() {
                let vcs = u32::from(proof.virtual_channels);
                let vertex = |(channel, vc): Held| channel.0 * vcs + u32::from(vc);
                let waits = waits
                    .all_edges()
                    .map(|(held, wanted, ())| (vertex(held), vertex(wanted)));
                let waits: BTreeSet<(u32, u32)> = waits.collect();
                assert_eq!(
                    proof.dependencies,
                    waits.into_iter().collect::<Vec<_>>(),
                    "seed {seed}"
                );
                let offered: Vec<u32> = offered.into_iter().map(vertex).collect();
                assert_eq!(proof.escape, offered, "seed {seed}");
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 10), "{outcomes:?}");
    assert!(
        outcomes[3] < outcomes[1],
        "indirect dependencies matter: {outcomes:?}"
    );
}
