//! Mixtures of tables whose lanes are said by ports, tried out from what their files say, packet by packet. Shares no code with the routing
//! that says what packets do meanwhile, which must do just that.

use super::{built, files, irregular, ours, without_a_link};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use turnwise_network::formats::infiniband::sl2vl::write_switch;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::topologies::Torus;
use turnwise_network::{
    ChannelId, End, Forwards, Network, Port, RouterId, Routing, TerminalId, Vc,
};
use turnwise_routing::algorithms::{Dfsssp, MinHop, Nue};
use turnwise_routing::subnet::{Answering, Forwarding, Transition, mended};
use turnwise_routing::{Algorithm, Context};

/// Packets of a level are thrown away.
const AWAY: u8 = 15;

/// From a port of a router to another one, at a service level.
type Way = (RouterId, Port, Port, u8);
type Held = (ChannelId, Vc);

/// Tables and what their switches say of lanes.
struct Told<'a> {
    tables: &'a dyn Forwards,
    lanes: BTreeMap<Way, u8>,
}

impl<'a> Told<'a> {
    /// Lanes at random, of so many; some throw packets away that these tables alone do not have.
    fn at_random(network: &Network, tables: &'a dyn Forwards, lanes: u64, seed: u64) -> Self {
        let used = alone(network, tables);
        let mut told = BTreeMap::new();
        for (at, from, to) in ways(network) {
            for level in 0..16 {
                let way = (at, from, to, level);
                let drawn = mixed(seed, way);
                let is_away = drawn.is_multiple_of(8) && !used.contains(&way);
                let lane = if is_away {
                    AWAY
                } else {
                    (drawn / 8 % lanes) as u8
                };
                told.insert(way, lane);
            }
        }
        Self {
            tables,
            lanes: told,
        }
    }

    /// Lanes of the same number as the level.
    fn like_levels(network: &Network, tables: &'a dyn Forwards) -> Self {
        let levels = |(at, from, to)| (0..16).map(move |level| ((at, from, to, level), level % 8));
        Self {
            tables,
            lanes: ways(network).flat_map(levels).collect(),
        }
    }

    /// As OpenSM dumps them.
    fn dump(&self, network: &Network) -> String {
        let known = network.identities_or_made_up().unwrap();
        let switch = |at: RouterId| {
            let port = |number| known.port_numbered(network, at, number);
            let lane = |from, to, level| match (port(from), port(to)) {
                (Some(from), Some(to)) => self.lanes[&(at, from, to, level)],
                _ => level % 8,
            };
            let ports = network.radix(at) as u8;
            write_switch(&known.switches[at.index()], ports, lane)
        };
        network.routers().map(switch).collect()
    }
}

fn ways(network: &Network) -> impl Iterator<Item = (RouterId, Port, Port)> + '_ {
    network.routers().flat_map(|at| {
        let ports = 0..network.radix(at) as Port;
        let from = ports.clone();
        from.flat_map(move |from| ports.clone().map(move |to| (at, from, to)))
    })
}

/// The ways of packets that meet these tables alone.
fn alone(network: &Network, tables: &dyn Forwards) -> BTreeSet<Way> {
    let mut used = BTreeSet::new();
    for source in network.living_terminals() {
        for to in network.living_terminals().filter(|&to| to != source) {
            let level = tables.service_level(source, to);
            let mut next = Some((network.router_of(source), network.terminal_port(source)));
            while let Some((at, from)) = next {
                let Some(port) = tables.entry(at, to) else {
                    break;
                };
                used.insert((at, from, port, level));
                next = match target(network, at, port) {
                    Some((_, End::Router(router, from))) => Some((router, from)),
                    _ => None,
                };
            }
        }
    }
    used
}

fn target(network: &Network, at: RouterId, port: Port) -> Option<(ChannelId, End)> {
    let channel = network.out_channel(at, port)?;
    Some((channel, network.channel(channel).target))
}

fn mixed(seed: u64, (at, from, to, level): Way) -> u64 {
    let words = [at.0.into(), from.into(), to.into(), level.into()];
    words.into_iter().fold(seed, |state: u64, word: u64| {
        let state = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ state >> 32
    })
}

/// All that can happen: what packets hold and wait for, and which pairs can lose some.
#[derive(Debug, Default, PartialEq, Eq)]
struct Happens {
    waits: BTreeSet<(Held, Held)>,
    lost: BTreeSet<(TerminalId, TerminalId)>,
}

/// By what the files say: entry by entry, each switch with its old ones or its new ones.
fn told(network: &Network, both: [&Told<'_>; 2]) -> Happens {
    happens(network, both, |source, to| {
        both.map(|told| told.tables.service_level(source, to))
    })
}

/// The same of packets that set out at these levels.
fn happens(
    network: &Network,
    both: [&Told<'_>; 2],
    levels: impl Fn(TerminalId, TerminalId) -> [u8; 2],
) -> Happens {
    let mut happens = Happens::default();
    for source in network.living_terminals() {
        for to in network.living_terminals().filter(|&to| to != source) {
            let (at, from) = (network.router_of(source), network.terminal_port(source));
            let mut next: Vec<_> = levels(source, to)
                .map(|level| (at, from, level, None))
                .into();
            let mut seen = BTreeSet::new();
            while let Some((at, from, level, holding)) = next.pop() {
                if !seen.insert((at, from, level, holding)) {
                    continue;
                }
                for told in both {
                    let port = told.tables.entry(at, to);
                    let lane = port.map(|port| told.lanes[&(at, from, port, level)]);
                    let target = port.and_then(|port| target(network, at, port));
                    match (target, lane) {
                        (Some((_, End::Terminal(end))), Some(lane))
                            if end == to && lane != AWAY => {}
                        (Some((channel, End::Router(router, port))), Some(lane))
                            if lane != AWAY =>
                        {
                            let held = (channel, lane);
                            happens.waits.extend(holding.map(|before| (before, held)));
                            next.push((router, port, level, Some(held)));
                        }
                        _ => {
                            happens.lost.insert((source, to));
                        }
                    }
                }
            }
        }
    }
    happens
}

/// By what a routing says.
fn said(network: &Network, routing: &dyn Routing) -> Happens {
    let mut happens = Happens::default();
    let (mut starts, mut options) = (Vec::new(), Vec::new());
    for source in network.living_terminals() {
        for to in network.living_terminals().filter(|&to| to != source) {
            starts.clear();
            routing.starts(source, to, 0, &mut starts);
            let at = network.router_of(source);
            let mut next: Vec<_> = starts
                .iter()
                .map(|start| (at, start.header, None))
                .collect();
            let mut is_lost = next.is_empty();
            let mut seen = Vec::new();
            while let Some(state) = next.pop() {
                if seen.contains(&state) {
                    continue;
                }
                seen.push(state);
                let (at, header, holding) = state;
                options.clear();
                routing.options(at, header, &mut options);
                is_lost |= options.is_empty();
                for hop in &options {
                    assert!(hop.vcs.iter().all(|vc| vc < routing.virtual_channels()));
                    match target(network, at, hop.port) {
                        Some((_, End::Terminal(end))) if end == to => {}
                        Some((channel, End::Router(router, _))) => {
                            let held: Vec<Held> = hop.vcs.iter().map(|vc| (channel, vc)).collect();
                            assert_eq!(held.len(), 1, "a service level has one lane");
                            happens
                                .waits
                                .extend(holding.map(|before| (before, held[0])));
                            next.push((router, hop.header, Some(held[0])));
                        }
                        _ => is_lost = true,
                    }
                }
            }
            if is_lost {
                happens.lost.insert((source, to));
            }
        }
    }
    happens
}

fn forwarding() -> Forwarding {
    Forwarding {
        lft: "lft".to_owned(),
        service_levels: Some("levels".to_owned()),
        sl2vl: None,
        virtual_lanes: None,
    }
}

/// The tables of files without lanes.
fn read(network: &Arc<Network>, files: &[String]) -> Box<dyn Routing> {
    let context = Context {
        files,
        ..Context::default()
    };
    forwarding().build(network, &context).unwrap()
}

/// Tables with lanes.
fn with_lanes() -> Forwarding {
    Forwarding {
        sl2vl: Some("lanes".to_owned()),
        ..forwarding()
    }
}

/// The change between them.
fn changing(network: &Arc<Network>, before: Vec<String>, after: Vec<String>) -> Box<dyn Routing> {
    let transition = Transition {
        before: with_lanes(),
        after: with_lanes(),
    };
    let files = [before, after].concat();
    let context = Context {
        files: &files,
        ..Context::default()
    };
    transition.build(network, &context).unwrap()
}

/// Lanes that only a mixture meets, since one of the tables sends packets where the other one has none, or at levels that it has not, are
/// those of the files, and who is thrown away there is lost. Where lanes are like levels, nothing is otherwise than without them.
#[test]
fn mixtures_take_the_lanes_that_switches_have() {
    let (mut are_met, mut lose, mut change_levels) = (0, 0, 0);
    for seed in 0..60 {
        let network = irregular(5 + seed as u32 % 9, seed as u32 % 7, seed);
        let ours = [ours(1), ours(2), ours(4)];
        let (nue, dfsssp, min_hop) = (Nue::default(), Dfsssp::default(), MinHop::default());
        let algorithms: [&dyn Algorithm; 6] =
            [&ours[0], &ours[1], &ours[2], &nue, &dfsssp, &min_hop];
        let built = [seed, seed / 6].map(|which| {
            let algorithm = algorithms[which as usize % algorithms.len()];
            let routing = algorithm.build(&network, &Context::default());
            routing.map(|routing| files(&network, &*routing))
        });
        let [Ok(old), Ok(new)] = built else {
            continue;
        };
        // Entries towards what has failed lead nowhere.
        let network = match seed % 3 {
            0 => without_a_link(&network, seed),
            _ => network,
        };
        let tables = [&old, &new].map(|files| read(&network, files));
        let tables = [&tables[0], &tables[1]].map(|tables| tables.forwards().unwrap());
        let drawn = |at: usize| {
            Told::at_random(
                &network,
                tables[at],
                1 + (seed + at as u64) % 6,
                seed * 2 + at as u64,
            )
        };
        let both = [drawn(0), drawn(1)];
        let like = tables.map(|tables| Told::like_levels(&network, tables));
        let with = |files: &[String], told: &Told<'_>| [files, &[told.dump(&network)]].concat();
        for [one, other] in [[&both[0], &both[1]], [&like[0], &like[1]]] {
            let change = changing(&network, with(&old, one), with(&new, other));
            let expected = told(&network, [one, other]);
            assert_eq!(said(&network, &*change), expected, "{seed}");
            let each = [one, other].map(|only| told(&network, [only, only]));
            let more = expected.waits.iter().flat_map(|(held, next)| [held, next]);
            let is_of_one = |held: &Held| {
                let mut waits = each.iter().flat_map(|happens| &happens.waits);
                waits.any(|(one, other)| [one, other].contains(&held))
            };
            are_met += more.filter(|held| !is_of_one(held)).count();
            lose += usize::from(
                each.iter()
                    .all(|each| each.lost.len() < expected.lost.len()),
            );
        }
        let plain = Transition {
            before: forwarding(),
            after: forwarding(),
        };
        let files = [old, new].concat();
        let context = Context {
            files: &files,
            ..Context::default()
        };
        let plain = plain.build(&network, &context).unwrap();
        let like = told(&network, [&like[0], &like[1]]);
        assert_eq!(said(&network, &*plain), like, "{seed}");
        let levels = |tables: &dyn Forwards| {
            let sources = network.living_terminals();
            sources
                .map(|at| tables.service_levels(at).to_vec())
                .collect::<Vec<_>>()
        };
        change_levels += usize::from(levels(tables[0]) != levels(tables[1]));
    }
    assert!(
        are_met > 100 && lose > 10 && change_levels > 10,
        "{are_met}, {lose}, {change_levels}"
    );
}

/// The same of answers on the level of what they answer, which nobody has who is alone on the way.
#[test]
fn answers_take_the_lanes_that_switches_have() {
    let (mut wait_more, mut lose) = (0, 0);
    for seed in 0..40 {
        let network = irregular(6 + seed as u32 % 9, seed as u32 % 7, seed);
        let routing = ours(3).build(&network, &Context::default()).unwrap();
        let mut files = files(&network, &*routing);
        let tables = read(&network, &files);
        let tables = tables.forwards().unwrap();
        let only = Told::at_random(&network, tables, 2 + seed % 5, seed);
        files.push(only.dump(&network));
        let context = Context {
            files: &files,
            ..Context::default()
        };
        let read = with_lanes().build(&network, &context).unwrap();
        let alone = told(&network, [&only, &only]);
        assert_eq!(said(&network, &*read), alone, "{seed}");
        let answering = Answering::by(&network, ForwardingTable::in_routing(&*read).unwrap());
        let level = |from, to| tables.service_level(from, to);
        let expected = happens(&network, [&only, &only], |from, to| {
            [level(from, to), level(to, from)]
        });
        assert_eq!(said(&network, &answering), expected, "{seed}");
        wait_more += usize::from(expected.waits.len() > alone.waits.len());
        lose += usize::from(expected.lost.len() > alone.lost.len());
    }
    assert!(wait_more > 5 && lose > 5, "{wait_more}, {lose}");
}

/// Routers with fewer virtual channels than a mixture takes are refused, though each of the tables alone would do with theirs.
#[test]
fn lanes_that_only_a_mixture_takes_are_there_or_refused() {
    let network = built(&Torus {
        sizes: vec![8],
        ..Torus::default()
    });
    let [one, other] = [ours(1), ours(2)].map(|ours| {
        let routing = ours.build(&network, &Context::default()).unwrap();
        files(&network, &*routing)
    });
    let tables = [&one, &other].map(|files| read(&network, files));
    let mut refused = 0;
    for (virtual_channels, is_built) in [(1, false), (8, true)] {
        let with = |files: &[String], tables: &dyn Routing| {
            let tables = tables.forwards().unwrap();
            let used = alone(&network, tables);
            let told = Told::like_levels(&network, tables);
            let lane = |way: &Way| if used.contains(way) { 0 } else { 7 };
            let lanes = told.lanes.keys().map(|way| (*way, lane(way))).collect();
            [files, &[Told { tables, lanes }.dump(&network)]].concat()
        };
        let files = [with(&one, &*tables[0]), with(&other, &*tables[1])].concat();
        let context = Context {
            files: &files,
            router_virtual_channels: Some(virtual_channels),
            ..Context::default()
        };
        let transition = Transition {
            before: with_lanes(),
            after: with_lanes(),
        };
        match transition.build(&network, &context) {
            Ok(change) => assert!(is_built && change.virtual_channels() == 8),
            Err(why) => {
                let says = "there are 1 virtual channels, not one of number 7, which packets take";
                assert!(why.to_string().contains(says), "{why}");
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 1);
}

/// Tables are mended on lanes that follow from the level alone, and others are not taken for such.
#[test]
fn tables_with_lanes_by_ports_are_not_mended() {
    let network = irregular(4, 2, 1);
    let routing = ours(1).build(&network, &Context::default()).unwrap();
    let table = ForwardingTable::in_routing(&*routing).unwrap().clone();
    assert!(mended(&network, table.clone(), 1).is_ok());
    let by_ports = table.with_lanes_by_ports(2, |_, _, _, _| 1).unwrap();
    let refused = mended(&network, by_ports, 2).unwrap_err();
    assert!(refused.to_string().contains("lanes by ports"), "{refused}");
}
