//! A cycle as it is shown: with packets that cause each of its dependencies.

use crate::dependencies::{Dependencies, Vertex};
use crate::endpoints::Destination;
use crate::explore::StateGraph;
use crate::system::System;
use turnwise_network::{ChannelId, End, Network, TerminalId, Vc};

/// A virtual channel of a cycle, and packets that hold it while they wait for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The channel held; a terminal's only where terminals [answer](crate::Protocol).
    pub channel: ChannelId,
    /// The virtual channel of it.
    pub vc: Vc,
    /// Packets from this terminal ...
    pub source: TerminalId,
    /// ... to this one can hold it and want the next of the cycle.
    pub destination: TerminalId,
    /// The class of their messages, if there are several.
    pub class: Option<u8>,
    /// Of an ejection channel: what the terminal has to send before it takes them up.
    pub until_sent: Option<u8>,
}

impl Waiting {
    fn render(&self, network: &Network) -> String {
        let Self {
            channel,
            vc,
            source,
            destination,
            class,
            until_sent,
        } = *self;
        let ends = network.channel(channel);
        let label = |terminal| network.terminal_label(terminal);
        let place = match (ends.source, ends.target) {
            (End::Terminal(terminal), _) => format!("{}'s injection channel", label(terminal)),
            (_, End::Terminal(terminal)) => format!("{}'s ejection channel", label(terminal)),
            _ => network.channel_label(channel),
        };
        let class = class.map_or(String::new(), |class| format!(" of class {class}"));
        let until = until_sent.map_or(String::new(), |sent| {
            let terminal = label(destination);
            format!(" until {terminal} has sent messages of class {sent}")
        });
        let pair = match network.identities() {
            Some(_) => format!("{} -> {}", label(source), label(destination)),
            None => format!("{source} -> {destination}"),
        };
        format!("{place} VC {vc}, held by packets {pair}{class}{until}")
    }
}

/// Virtual channels each of which waits for the next, and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The virtual channels in waiting order.
    pub waiting: Vec<Waiting>,
    /// Is no cycle shorter? `false` if the search was cut short. Excused rings count as one vertex. Cycles by messages of
    /// terminals to themselves are only looked for where there are no others.
    pub is_shortest: bool,
}

impl Cycle {
    /// One line a channel, in the topology's coordinates:
    /// `(0,0) -> (1,0) [+x] VC 0, held by packets 0 -> 3`, or, where terminals answer,
    /// `terminal 3's ejection channel VC 0, held by packets 0 -> 3 until terminal 3 has sent messages of class 1`.
    pub fn render(&self, network: &Network) -> Vec<String> {
        let lines = self.waiting.iter();
        lines.map(|waiting| waiting.render(network)).collect()
    }

    /// Do terminals have a part in it, so that it is a deadlock of the protocol?
    pub fn passes_terminals(&self) -> bool {
        self.waiting.iter().any(|at| at.until_sent.is_some())
    }
}

/// Who holds something: a source, the class of its messages, what must be sent first.
type Holder = (TerminalId, u8, Option<u8>);

/// Names packets that cause each dependency of a cycle, by exploring the remembered destinations again.
pub(crate) fn witnessed(
    cycle: &[(Vertex, Vertex)],
    system: System<'_>,
    dependencies: &Dependencies,
    graph: &mut StateGraph,
) -> Option<Vec<Waiting>> {
    let several = system.protocol.class_count() > 1;
    let mut waiting = Vec::new();
    for &(held, wanted) in cycle {
        let terminal = dependencies.witness(held, wanted)?;
        let terminals = 1;
        let explored = Destination {
            terminal,
            terminals,
        };
        graph.explore(system, explored).ok()?;
        let (channel, vc) = dependencies.channel_and_vc(held);
        let next = dependencies.channel_and_vc(wanted);
        let ends = system.network.channel(channel);
        let (source, class, until_sent) = match (ends.source, ends.target) {
            (End::Terminal(source), _) => sender(system, graph, source, vc, next)?,
            (_, End::Terminal(_)) => {
                let mut answers = dependencies.terminals()?.answers_of(held, wanted);
                let (received, sent) = answers.next()?;
                // Packets that wait for the virtual channel may as well hold it.
                let coming = waiting.last().filter(|before: &&Waiting| {
                    before.destination == terminal && before.class.unwrap_or(0) == received
                });
                let source = match coming {
                    Some(before) => before.source,
                    None => receiver(graph, vc, received)?,
                };
                (source, received, Some(sent))
            }
            _ => passer(system, graph, (channel, vc), next)?,
        };
        waiting.push(Waiting {
            channel,
            vc,
            source,
            destination: graph.destination(),
            class: several.then_some(class),
            until_sent,
        });
    }
    Some(waiting)
}

/// A source whose packets can take one virtual channel and then another.
fn passer(
    system: System<'_>,
    graph: &StateGraph,
    held: (ChannelId, Vc),
    wanted: (ChannelId, Vc),
) -> Option<Holder> {
    let holds_and_wants = |state: u32| {
        let steps = graph.steps(state).iter();
        let mut holding = steps.filter(|step| step.channel == held.0 && step.vcs.contains(held.1));
        holding.any(|step| wants(system, graph, step.next, wanted))
    };
    let mut states = 0..graph.states().len() as u32;
    let state = states.find(|&state| holds_and_wants(state))?;
    let (source, class) = graph.source_of(state)?;
    Some((source, class, None))
}

/// The source itself, if its packets can set out on one virtual channel and then take another.
fn sender(
    system: System<'_>,
    graph: &StateGraph,
    source: TerminalId,
    vc: Vc,
    wanted: (ChannelId, Vc),
) -> Option<Holder> {
    let (_, outsets) = graph.sources().find(|(from, _)| from.terminal == source)?;
    let mut outsets = outsets.iter().filter(|outset| outset.vcs.contains(vc));
    let outset = outsets.find(|outset| wants(system, graph, outset.state, wanted))?;
    Some((source, outset.class, None))
}

/// A source whose messages of a class can be ejected on a virtual channel.
fn receiver(graph: &StateGraph, vc: Vc, class: u8) -> Option<TerminalId> {
    let sources = graph.sources_of_class(class);
    let mut states = 0..graph.states().len() as u32;
    states.find_map(|state| {
        let source = sources[state as usize]?;
        graph.ejection_vcs(state).contains(vc).then_some(source)
    })
}

/// Can a packet in this state take a virtual channel?
fn wants(
    system: System<'_>,
    graph: &StateGraph,
    state: u32,
    (channel, vc): (ChannelId, Vc),
) -> bool {
    let ejection = system.network.ejection_channel(graph.destination());
    let mut steps = graph.steps(state).iter();
    steps.any(|step| step.channel == channel && step.vcs.contains(vc))
        || channel == ejection && graph.ejection_vcs(state).contains(vc)
}
