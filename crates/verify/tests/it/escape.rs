//! Proofs by escape: textbook cases, what they assume, and a brute-force search to compare with.

use crate::checker::checked;
use crate::networks::{mesh, random_graph, rng, torus};
use crate::oracle::{Held, walk_all};
use crate::toys::eject;
use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use std::collections::BTreeSet;
use turnwise_network::metrics::distances;
use turnwise_network::random::mix;
use turnwise_network::{
    FlowControl, Header, Hop, Network, RouterId, Routing, Shape, Start, TerminalId, Vc, VcSet,
};
use turnwise_verify::{Assumptions, Verdict, analyse};

pub(crate) const ATOMIC: Assumptions = Assumptions {
    flow_control: FlowControl::Wormhole,
    one_packet_buffers: true,
};

/// Ports and virtual channels, given where a packet is and where it goes.
type Ways<'a> = Box<dyn Fn(RouterId, RouterId) -> Vec<(u16, VcSet)> + Send + Sync + 'a>;

/// Options and an escape from closures; headers know only where they go.
pub(crate) struct Escaping<'a> {
    network: &'a Network,
    vcs: Vc,
    asks_again: bool,
    options: Ways<'a>,
    escape: Ways<'a>,
}

impl Escaping<'_> {
    fn hops(&self, ways: Vec<(u16, VcSet)>, header: Header) -> impl Iterator<Item = Hop> {
        ways.into_iter()
            .map(move |(port, vcs)| Hop { port, vcs, header })
    }
}

impl Routing for Escaping<'_> {
    fn virtual_channels(&self) -> Vc {
        self.vcs
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::one(0),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let to = self.network.router_of(header.destination);
        if at == to {
            return options.push(eject(self.network, header));
        }
        options.extend(self.hops((self.options)(at, to), header));
    }

    fn asks_again(&self) -> bool {
        self.asks_again
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let to = self.network.router_of(header.destination);
        if at != to {
            options.extend(self.hops((self.escape)(at, to), header));
        }
    }
}

/// The steps closer on a grid, dimension by dimension, `+` on ties: port, and whether the packet has
/// still to wrap around (on a ring going up) or has done so or need not (down).
fn steps(network: &Network, at: RouterId, to: RouterId) -> Vec<(u16, bool)> {
    let Shape::Grid(grid) = network.shape() else {
        panic!("a grid")
    };
    let (here, there) = (grid.coordinates(at.0), grid.coordinates(to.0));
    let unfinished = (0..here.len()).filter(|&d| here[d] != there[d]);
    unfinished
        .map(|d| {
            let ahead = (there[d] + grid.sizes[d] - here[d]) % grid.sizes[d];
            let positive = match grid.is_ring(d) {
                true => 2 * ahead <= grid.sizes[d],
                false => there[d] > here[d],
            };
            (grid.port(d, positive), here[d] > there[d])
        })
        .collect()
}

/// Fully adaptive and minimal on the upper virtual channels, dimension order on the lowest one, or on the
/// lowest two by datelines.
pub(crate) fn duato(network: &Network, datelines: bool) -> Escaping<'_> {
    let escapes = 1 + u8::from(datelines);
    let class = move |wraps: bool| VcSet::one(u8::from(datelines && wraps));
    let adaptive = VcSet::one(escapes);
    Escaping {
        network,
        vcs: escapes + 1,
        asks_again: true,
        options: Box::new(move |at, to| {
            let steps = steps(network, at, to);
            let all = steps.iter().enumerate().map(|(index, &(port, wraps))| {
                let escape = if index == 0 { class(wraps).0 } else { 0 };
                (port, VcSet(adaptive.0 | escape))
            });
            all.collect()
        }),
        escape: Box::new(move |at, to| {
            let first = steps(network, at, to).into_iter().next();
            first
                .map(|(port, wraps)| (port, class(wraps)))
                .into_iter()
                .collect()
        }),
    }
}

fn is_proved(routing: &Escaping<'_>, assumptions: impl Into<Assumptions>) -> bool {
    let analysis = analyse(routing.network, routing, assumptions);
    match &analysis.verdict {
        Verdict::DeadlockFree(proof) => assert!(proof.is_by_escape()),
        Verdict::Cyclic(cycle) => assert!(cycle.waiting.len() > 2),
        Verdict::Unexplored(_) => panic!("small networks are explored"),
    }
    analysis.verdict.is_deadlock_free()
}

/// Duato 1993: minimal fully adaptive routing of meshes with two virtual channels, of tori with three.
#[test]
fn fully_adaptive_meshes_and_tori_are_proved_and_the_checker_agrees() {
    for (name, network, datelines) in [
        ("mesh", mesh(&[4, 3]), false),
        ("cube", mesh(&[2, 2, 2]), false),
        ("torus", torus(&[5, 4], 1), true),
    ] {
        let routing = duato(&network, datelines);
        for (how, assumptions) in [
            ("cut-through", FlowControl::VirtualCutThrough.into()),
            ("atomic", ATOMIC),
        ] {
            assert!(is_proved(&routing, assumptions), "{name}, {how}");
            let analysis = analyse(&network, &routing, assumptions);
            let proof = analysis.verdict.certificate().unwrap();
            let escapes = usize::from(routing.vcs - 1);
            let channels = network.channel_count();
            assert!(proof.escape.len() <= channels * escapes && proof.escape.len() * 2 >= channels);
            let text = proof.to_json(&network, "fully adaptive");
            let (status, output) = checked(&format!("escape-{name}-{how}.json"), &text);
            assert_eq!(status, Some(0), "{output}");
            assert!(output.contains("all of an escape of"), "{output}");
        }
    }
}

#[test]
fn an_escape_counts_only_where_packets_can_turn_to_it() {
    let network = mesh(&[3, 3]);
    let routing = duato(&network, false);
    assert!(is_proved(&routing, FlowControl::VirtualCutThrough));
    assert!(!is_proved(&routing, FlowControl::Wormhole));
    assert!(!is_proved(&routing, FlowControl::Bubble));
    // A head that waits for what it has chosen never turns anywhere.
    let waiting = Escaping {
        asks_again: false,
        ..duato(&network, false)
    };
    assert!(!is_proved(&waiting, FlowControl::VirtualCutThrough));
}

#[test]
fn an_escape_with_a_flaw_proves_nothing() {
    let network = mesh(&[3, 3]);
    let flawed = |escape: fn(&Network, RouterId, RouterId) -> Vec<(u16, VcSet)>| {
        let network = &network;
        let routing = Escaping {
            escape: Box::new(move |at, to| escape(network, at, to)),
            ..duato(network, false)
        };
        is_proved(&routing, FlowControl::VirtualCutThrough)
    };
    let order = |network: &Network, at, to| {
        let first = steps(network, at, to).first().map(|&(port, _)| port);
        first
            .map(|port| (port, VcSet::one(0)))
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert!(flawed(order));
    // Nothing in one state.
    assert!(!flawed(|network, at, to| match (at.0, to.0) {
        (4, 8) => Vec::new(),
        _ => steps(network, at, to)
            .first()
            .map(|&(port, _)| (port, VcSet::one(0)))
            .into_iter()
            .collect(),
    }));
    // Y before X on the lower channel, which is no option.
    assert!(!flawed(|network, at, to| {
        steps(network, at, to)
            .last()
            .map(|&(port, _)| (port, VcSet::one(0)))
            .into_iter()
            .collect()
    }));
    // All there is, which is cyclic itself.
    assert!(!flawed(|network, at, to| {
        steps(network, at, to)
            .into_iter()
            .map(|(port, _)| (port, VcSet::one(1)))
            .collect()
    }));
    // Rings need datelines.
    let ring = torus(&[5], 1);
    assert!(!is_proved(
        &duato(&ring, false),
        FlowControl::VirtualCutThrough
    ));
    assert!(is_proved(
        &duato(&ring, true),
        FlowControl::VirtualCutThrough
    ));
}

/// Any ways closer on any of two virtual channels, some of them escapes, mostly in the order of ports.
pub(crate) fn random_escaping(network: &Network, seed: u64) -> Escaping<'_> {
    let draw = move |at: RouterId, to: RouterId, what: u64| {
        mix(mix(seed ^ u64::from(at.0) << 40 ^ u64::from(to.0) << 20) ^ what)
    };
    let ways = move |at: RouterId, to: RouterId| -> Vec<(u16, VcSet)> {
        let distance = distances(network, to);
        let closer = network.neighbours(at).filter(|next| {
            let far = distance[next.router.index()] > distance[at.index()];
            // Ways that are no shorter make cycles; only upwards, so that nobody wanders for ever.
            !far && (distance[next.router.index()] < distance[at.index()] || next.router > at)
        });
        let vcs = |index: usize, port: u16| match (draw(at, to, port.into()) % 12, index) {
            (0, _) => VcSet::one(0),
            (1, _) => VcSet::one(1),
            (2, _) | (_, 0) => VcSet::all(2),
            _ => VcSet::one(1),
        };
        let closer = closer.enumerate();
        closer
            .map(|(index, next)| (next.port, vcs(index, next.port)))
            .collect()
    };
    Escaping {
        network,
        vcs: 2,
        asks_again: true,
        options: Box::new(ways),
        escape: Box::new(move |at, to| {
            let mut escapes = Vec::new();
            for (port, vcs) in ways(at, to) {
                let drawn = draw(at, to, 1000 + u64::from(port));
                let offered = vcs.0 & if drawn % 16 == 0 { 3 } else { 1 };
                if offered != 0 && (escapes.is_empty() || drawn % 5 == 0) {
                    escapes.push((port, VcSet(offered)));
                }
            }
            escapes
        }),
    }
}

/// Of every route of every pair, what it holds and is offered later: the definition, hop by hop.
#[derive(Default)]
struct Routes {
    waits: BTreeSet<(Held, Held)>,
    offered: BTreeSet<Held>,
    /// Is there a state without an offer?
    is_stranded: bool,
}

impl Routes {
    /// `held` are the hops so far that have no escape behind them, the last one apart.
    fn follow(
        &mut self,
        routing: &Escaping<'_>,
        at: RouterId,
        to: RouterId,
        held: &[Held],
        indirect: bool,
    ) {
        if at == to {
            return;
        }
        let network = routing.network;
        let vertices = |ways: Vec<(u16, VcSet)>| -> Vec<Held> {
            let ways = ways.into_iter();
            ways.flat_map(|(port, vcs)| {
                let channel = network.out_channel(at, port).unwrap();
                vcs.iter().map(move |vc| (channel, vc)).collect::<Vec<_>>()
            })
            .collect()
        };
        let offers = vertices((routing.escape)(at, to));
        self.is_stranded |= offers.is_empty();
        for &offer in &offers {
            self.offered.insert(offer);
            self.waits.extend(held.iter().map(|&held| (held, offer)));
        }
        for next in vertices((routing.options)(at, to)) {
            let mut now = match indirect && !offers.contains(&next) {
                true => held.to_vec(),
                false => Vec::new(),
            };
            now.push(next);
            let router = network.channel(next.0).to_router().unwrap();
            self.follow(routing, router, to, &now, indirect);
        }
    }
}

#[test]
fn proofs_of_random_escapes_equal_a_brute_force_search() {
    let mut outcomes = [0; 4];
    for seed in 0..1_500 {
        let network = random_graph(&mut rng(seed));
        let routing = random_escaping(&network, seed);
        if !is_cyclic_directed(&walk_all(&network, &routing).dependencies) {
            continue;
        }
        for (indirect, assumptions) in [
            (false, FlowControl::VirtualCutThrough.into()),
            (true, ATOMIC),
        ] {
            let mut routes = Routes::default();
            for (source, destination) in network
                .terminals()
                .flat_map(|source| network.terminals().map(move |to| (source, to)))
            {
                let (from, to) = (network.router_of(source), network.router_of(destination));
                routes.follow(&routing, from, to, &[], indirect);
            }
            routes
                .waits
                .retain(|(held, _)| routes.offered.contains(held));
            let graph: DiGraphMap<Held, ()> = routes.waits.iter().copied().collect();
            let expected = !routes.is_stranded && !is_cyclic_directed(&graph);
            let analysis = analyse(&network, &routing, assumptions);
            assert_eq!(analysis.verdict.is_deadlock_free(), expected, "seed {seed}");
            outcomes[usize::from(indirect) * 2 + usize::from(expected)] += 1;
            if let Some(proof) = analysis.verdict.certificate() {
                let vertex = |&(channel, vc): &Held| channel.0 * 2 + u32::from(vc);
                let waits = routes
                    .waits
                    .iter()
                    .map(|(held, wanted)| (vertex(held), vertex(wanted)));
                assert_eq!(proof.dependencies, waits.collect::<Vec<_>>(), "seed {seed}");
                let offered = routes.offered.iter().map(vertex);
                assert_eq!(proof.escape, offered.collect::<Vec<_>>(), "seed {seed}");
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 10), "{outcomes:?}");
    assert!(
        outcomes[3] < outcomes[1],
        "indirect dependencies matter: {outcomes:?}"
    );
}
