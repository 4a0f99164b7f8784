//! Does every packet arrive? Pairs that no path joins, pairs the algorithm loses, pairs it
//! may keep wandering for ever (livelock).

use crate::endpoints::Source;
use crate::explore::{DeadEnd, Outset, State, StateGraph, no_option};
use crate::fate::Fates;
use crate::system::System;
use turnwise_network::{End, Header, Network, Port, RouterId, TerminalId};

/// How many examples of each kind of failure are kept.
pub const EXAMPLES: usize = 5;

/// Why packets of a pair may not arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No path joins the two routers.
    Disconnected,
    /// The algorithm refuses the pair.
    Refused,
    /// At this router the packet may come to a dead end.
    DeadEnd(RouterId, DeadEnd),
    /// The packet may go round these routers for ever.
    Endless(Vec<RouterId>),
}

/// A pair whose packets may not arrive; it may stand for other terminals of the same routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The sender.
    pub source: TerminalId,
    /// The receiver that may wait in vain.
    pub destination: TerminalId,
    /// What goes wrong.
    pub reason: Reason,
}

impl Failure {
    /// One line for people, in the topology's coordinates.
    pub fn render(&self, network: &Network) -> String {
        let label = |router: RouterId| network.router_label(router);
        let what = match &self.reason {
            Reason::Disconnected => "no path joins them".into(),
            Reason::Refused => "the algorithm has no route".into(),
            Reason::DeadEnd(at, DeadEnd::NoOption) => format!("lost at {}: no way on", label(*at)),
            Reason::DeadEnd(at, DeadEnd::Unconnected(port)) => {
                let port = network.port_label(*at, *port);
                format!("lost at {}: port {port} leads nowhere", label(*at))
            }
            Reason::DeadEnd(at, DeadEnd::VirtualChannel(port, vcs)) if vcs.is_empty() => {
                let port = network.port_label(*at, *port);
                format!(
                    "lost at {}: no virtual channel leads on by port {port}",
                    label(*at)
                )
            }
            Reason::DeadEnd(at, DeadEnd::VirtualChannel(port, vcs)) => {
                let vcs: Vec<String> = vcs.iter().map(|vc| vc.to_string()).collect();
                let port = network.port_label(*at, *port);
                format!(
                    "lost at {}: port {port} has no virtual channel {{{}}}",
                    label(*at),
                    vcs.join(", ")
                )
            }
            Reason::DeadEnd(at, DeadEnd::WrongTerminal(terminal)) => {
                let other = network.terminal_label(*terminal);
                format!("delivered to {other} instead at {}", label(*at))
            }
            Reason::Endless(routers) => {
                let labels: Vec<String> = routers.iter().map(|&router| label(router)).collect();
                format!("may go round for ever: {}", labels.join(" -> "))
            }
        };
        format!(
            "{} -> {}: {what}",
            network.terminal_label(self.source),
            network.terminal_label(self.destination)
        )
    }
}

/// Pairs that fail in one way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// How many terminal pairs.
    pub pairs: u64,
    /// The first few, at most [`EXAMPLES`].
    pub examples: Vec<Failure>,
}

impl Failures {
    fn add(&mut self, pairs: u64, example: impl FnOnce() -> Failure) {
        self.pairs += pairs;
        if self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }

    fn merge(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }
}

/// What becomes of the packets of all ordered pairs of different living terminals.
///
/// Of each pair the packets of every class of messages count, in whichever way they set out.
///
/// `pairs = routable + disconnected + lost + endless`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reachability {
    /// All ordered pairs of different living terminals.
    pub pairs: u64,
    /// Pairs whose packets arrive whatever the algorithm chooses.
    pub routable: u64,
    /// Pairs that no path joins: not the algorithm's fault.
    pub disconnected: Failures,
    /// Pairs that are joined, but that the algorithm refuses or may lose.
    pub lost: Failures,
    /// Pairs whose packets may wander for ever (livelock).
    pub endless: Failures,
}

impl Reachability {
    /// Does every packet arrive that can arrive at all?
    pub fn is_sound(&self) -> bool {
        self.lost.pairs == 0 && self.endless.pairs == 0
    }

    pub(crate) fn add(&mut self, system: System<'_>, graph: &StateGraph, fates: &Fates) {
        let mut joined: Option<Vec<bool>> = None;
        for (source, outsets) in graph.sources().filter(|(source, _)| source.pairs > 0) {
            self.pairs += source.pairs;
            if fates.deliver(graph, outsets) {
                self.routable += source.pairs;
                continue;
            }
            let joined =
                joined.get_or_insert_with(|| joined_to(system.network, graph.destination()));
            self.add_failure(system, graph, fates, source, outsets, joined);
        }
    }

    fn add_failure(
        &mut self,
        system: System<'_>,
        graph: &StateGraph,
        fates: &Fates,
        source: Source,
        outsets: &[Outset],
        joined: &[bool],
    ) {
        let network = system.network;
        let failure = |reason| Failure {
            source: source.terminal,
            destination: graph.destination(),
            reason,
        };
        let mut starts = outsets.iter().map(|outset| outset.state);
        let endless = starts.clone().find(|&start| fates.may_wander(start));
        if let Some(start) = endless {
            self.endless.add(source.pairs, || {
                failure(Reason::Endless(circle(graph, fates, start)))
            });
        } else if !joined[network.router_of(source.terminal).index()] {
            self.disconnected
                .add(source.pairs, || failure(Reason::Disconnected));
        } else {
            let mut reason = || {
                let dead_end = starts.find_map(|start| dead_end(graph, start));
                // What refuses a pair in a real fabric is its first switch.
                let refused = || match network.identities() {
                    Some(_) => {
                        let destination = graph.destination();
                        let router = network.router_of(source.terminal);
                        let header = Header::to(destination);
                        let vcs = system.routing.virtual_channels();
                        let first = State { router, header };
                        Reason::DeadEnd(router, no_option(system, first, destination, vcs))
                    }
                    None => Reason::Refused,
                };
                dead_end.unwrap_or_else(refused)
            };
            self.lost.add(source.pairs, || failure(reason()));
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.routable += other.routable;
        self.disconnected.merge(other.disconnected);
        self.lost.merge(other.lost);
        self.endless.merge(other.endless);
    }
}

/// The routers from which some path leads to a terminal.
fn joined_to(network: &Network, destination: TerminalId) -> Vec<bool> {
    let mut joined = vec![false; network.router_count()];
    let mut queue = vec![network.router_of(destination)];
    while let Some(router) = queue.pop() {
        if std::mem::replace(&mut joined[router.index()], true) {
            continue;
        }
        let ports = 0..network.radix(router) as Port;
        let incoming = ports.filter_map(|port| network.in_channel(router, port));
        queue.extend(
            incoming.filter_map(|channel| match network.channel(channel).source {
                End::Router(origin, _) => Some(origin),
                End::Terminal(_) => None,
            }),
        );
    }
    joined
}

/// The first dead end found from a state, depth first.
fn dead_end(graph: &StateGraph, start: u32) -> Option<Reason> {
    let mut seen = vec![false; graph.states().len()];
    let mut ends = vec![None; graph.states().len()];
    for &(state, end) in graph.dead_ends() {
        ends[state as usize] = Some(end);
    }
    let mut stack = vec![start];
    while let Some(state) = stack.pop() {
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        if let Some(end) = ends[state as usize] {
            return Some(Reason::DeadEnd(graph.states()[state as usize].router, end));
        }
        stack.extend(graph.steps(state).iter().rev().map(|step| step.next));
    }
    None
}

/// The routers of a cycle of states that can be reached from a state that may wander.
fn circle(graph: &StateGraph, fates: &Fates, start: u32) -> Vec<RouterId> {
    let mut position = vec![None; graph.states().len()];
    let mut walk = Vec::new();
    let mut state = start;
    while position[state as usize].is_none() {
        position[state as usize] = Some(walk.len());
        walk.push(state);
        let onward = graph
            .steps(state)
            .iter()
            .find(|step| fates.may_wander(step.next));
        let Some(step) = onward else { break };
        state = step.next;
    }
    let from = position[state as usize].unwrap_or(0);
    walk[from..]
        .iter()
        .map(|&state| graph.states()[state as usize].router)
        .collect()
}
