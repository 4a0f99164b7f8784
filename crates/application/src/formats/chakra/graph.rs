//! Nodes as tasks.

use super::groups::Groups;
use super::messages::{Messages, Node, Value, kinds};
use crate::calls::{collective_context, collective_tag};
use crate::collectives::{Algorithm, Collective, Kind, Part, Round};
use crate::formats::Reading;
use crate::formats::agreement::Agreement;
use crate::formats::words::{BYTES, TIME};
use crate::graph::{Condition, RankGraph};
use crate::group::Group;
use crate::task::{ANY, Message, Task, Work};
use crate::window::Moment;
use rustc_hash::FxHashMap;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::suggestion;

/// Processors that overlap: of the host, of the accelerator, and those that move messages and memory.
const HOST: u8 = 0;
const ACCELERATOR: u8 = 1;
const MESSAGES: u8 = 2;
const MEMORY: u8 = 3;

/// Collectives by the numbers that they have in the schema.
const COLLECTIVES: [Kind; 10] = [
    Kind::AllReduce,
    Kind::Reduce,
    Kind::AllGather,
    Kind::Gather,
    Kind::Scatter,
    Kind::Broadcast,
    Kind::AllToAll,
    Kind::ReduceScatter,
    Kind::ReduceScatter,
    Kind::Barrier,
];

/// So many tasks are waited for one by one.
const FEW: usize = 2;

/// One more than the longest duration, in microseconds.
const MICROS: u64 = TIME / MICROSECOND;
const MICROSECOND: u64 = 1_000_000;

/// Makes ranks' nodes into tasks.
pub(super) struct Maker<'a> {
    ranks: u32,
    world: Group,
    groups: Groups,
    reading: &'a Reading,
    agreement: Agreement,
}

/// The tasks that a node became: the first ones wait for what the node waits for, and a moment of the last ones is waited for.
struct Span {
    first: Vec<u32>,
    last: Vec<u32>,
    moment: Moment,
}

impl<'a> Maker<'a> {
    pub(super) fn new(ranks: u32, groups: Groups, reading: &'a Reading) -> Self {
        Self {
            ranks,
            world: Group::world(ranks),
            groups,
            reading,
            agreement: Agreement::default(),
        }
    }

    /// How many collective calls of all ranks the first has made.
    pub(super) fn calls_of_all(&self) -> usize {
        self.agreement.count(0, &self.world)
    }

    /// All ranks have been made.
    pub(super) fn end(&self) -> Result<(), Flaw> {
        self.agreement.end()
    }

    /// The tasks of a rank, from its file.
    pub(super) fn rank(&mut self, rank: u32, bytes: &[u8]) -> Result<RankGraph, Flaw> {
        let mut messages = Messages::new(bytes);
        if messages.metadata()?.is_none() {
            return Err(Flaw::at(0, "expected a Chakra trace, found an empty file"));
        }
        self.groups.of_rank(bytes)?;
        let mut graph = RankGraph::default();
        let mut spans: Vec<Span> = Vec::new();
        let mut by_id: FxHashMap<u64, usize> = FxHashMap::default();
        let mut waiting: Vec<(usize, Vec<u64>, usize)> = Vec::new();
        while let Some((place, node)) = messages.node()? {
            if by_id.insert(node.id, spans.len()).is_some() {
                let message = format!("there is a node {} already", node.id);
                return Err(Flaw::at(place, message));
            }
            let span = self.node(rank, &node, &mut graph, place)?;
            let mut before = node.control;
            before.extend(node.data);
            before.sort_unstable();
            before.dedup();
            waiting.push((spans.len(), before, place));
            spans.push(span);
        }
        for (index, before, place) in waiting {
            for id in before {
                let Some(&other) = by_id.get(&id) else {
                    let message = format!("this node depends on node {id}, and there is none");
                    return Err(Flaw::at(place, message));
                };
                let other = &spans[other];
                connect(&mut graph, &other.last, other.moment, &spans[index].first);
            }
        }
        Ok(graph)
    }

    fn node(
        &mut self,
        rank: u32,
        node: &Node,
        graph: &mut RankGraph,
        place: usize,
    ) -> Result<Span, Flaw> {
        // An id beyond all that writers give is shown as the largest.
        let shown = u32::try_from(node.id).unwrap_or(u32::MAX);
        let alone = |work, processor, graph: &mut RankGraph| {
            let task = add(graph, work, processor, shown);
            // Two ranks that send before they receive would wait for each other if long messages were waited for, and
            // ASTRA-sim plays them.
            let moment = match work {
                Work::Send(_) => Moment::Started,
                _ => Moment::Done,
            };
            Ok(Span {
                first: vec![task],
                last: vec![task],
                moment,
            })
        };
        match node.kind {
            kinds::INVALID | kinds::METADATA => alone(Work::Compute(0), HOST, graph),
            kinds::COMP => {
                let is_host = node.attribute("is_cpu_op").and_then(|value| value.number());
                let processor = if is_host == Some(0) {
                    ACCELERATOR
                } else {
                    HOST
                };
                alone(Work::Compute(self.time(node, place)?), processor, graph)
            }
            kinds::MEM_LOAD | kinds::MEM_STORE => {
                alone(Work::Compute(self.time(node, place)?), MEMORY, graph)
            }
            kinds::COMM_SEND => {
                let message = self.message(node, ["comm_dst", "comm_src"], rank, place)?;
                alone(Work::Send(message), MESSAGES, graph)
            }
            kinds::COMM_RECV => {
                let message = self.message(node, ["comm_src", "comm_dst"], rank, place)?;
                alone(Work::Receive(message), MESSAGES, graph)
            }
            kinds::COMM_COLL => self.collective(rank, node, graph, place),
            kind => {
                let message = format!("nodes of kind {kind} are not understood, expected 0 to 7");
                Err(Flaw::at(place, message))
            }
        }
    }

    /// How long a node takes, in picoseconds.
    fn time(&self, node: &Node, place: usize) -> Result<u64, Flaw> {
        if node.micros >= MICROS {
            let message = format!("{} microseconds are more than a hundred days", node.micros);
            return Err(Flaw::at(place, message));
        }
        let operations = node.attribute("num_ops").and_then(|value| value.number());
        Ok(match (node.micros, operations) {
            (0, Some(operations)) => self.reading.time(operations as f64),
            (micros, _) => micros * MICROSECOND,
        })
    }

    /// The message to or from a peer. At its other end, where a node names that too, is the rank itself.
    fn message(
        &self,
        node: &Node,
        [peer, own]: [&str; 2],
        rank: u32,
        place: usize,
    ) -> Result<Message, Flaw> {
        let named = node.attribute(own).and_then(|value| value.number());
        if let Some(other) = named.filter(|&named| named != u64::from(rank)) {
            let message = format!(
                "node {}: expected `{own}` to be {rank}, the rank whose trace this is, found {other}",
                node.id
            );
            return Err(Flaw::at(place, message));
        }
        let tag = match node.attribute("comm_tag") {
            Some(_) => number(node, "comm_tag", ANY.into(), place)?,
            None => 0,
        };
        let bytes = number(node, "comm_size", BYTES, place)?;
        let peer =
            number(node, peer, self.ranks.into(), place).map_err(|flaw| match self.ranks {
                1 => flaw.with_help("there are as many ranks as traces: name the files of all"),
                _ => flaw,
            })?;
        Ok(Message::new(peer as u32, bytes, tag as u32))
    }

    fn collective(
        &mut self,
        rank: u32,
        node: &Node,
        graph: &mut RankGraph,
        place: usize,
    ) -> Result<Span, Flaw> {
        every_dimension(node, place)?;
        let group = self.group(node, place)?;
        let Some(me) = group.member(rank) else {
            let message = format!("rank {rank} is not in this node's group");
            return Err(Flaw::at(place, message));
        };
        let kind = number(node, "comm_type", COLLECTIVES.len() as u64, place)?;
        let kind = COLLECTIVES[kind as usize];
        let ranks = group.count();
        let bytes = match kind {
            Kind::Barrier => 0,
            // What a rank has for all, or the root has, is cut among them.
            Kind::AllToAll | Kind::Scatter => {
                number(node, "comm_size", BYTES, place)? / u64::from(ranks)
            }
            _ => number(node, "comm_size", BYTES, place)?,
        };
        let root = match node.attribute("root") {
            Some(_) => number(node, "root", ranks.into(), place)? as u32,
            None => 0,
        };
        let collective = Collective {
            root,
            ..Collective::new(kind, bytes)
        };
        self.agreement
            .collective(rank, &collective, &group, place)?;
        let sequence = self.agreement.count(rank, &group) as u32;
        let done = self.reading.selection.part(me, ranks, collective);
        let shown = u32::try_from(node.id).unwrap_or(u32::MAX);
        Ok(rounds(&done, &group, sequence, graph, shown))
    }

    fn group(&self, node: &Node, place: usize) -> Result<Group, Flaw> {
        let named = ["pg_name", "comm_group"]
            .into_iter()
            .find_map(|name| node.attribute(name));
        let name = named.and_then(|value| value.text()).unwrap_or_default();
        if let Some(group) = self.groups.get(&name) {
            return Ok(group);
        }
        let message = format!(
            "there is no group `{}`",
            name.chars().take(40).collect::<String>()
        );
        let are_known = self.groups.are_given || self.groups.names().next().is_some();
        let help = match are_known {
            true => suggestion(
                &name,
                "the groups are",
                self.groups.names(),
                self.groups.names(),
            ),
            false => "name the file of groups, {\"name\": [rank, ...]}, too".to_owned(),
        };
        Err(Flaw::at(place, message).with_help(help))
    }
}

/// All rounds of a collective: each waits for all of the one before of its strand.
fn rounds(
    (part, algorithm): &(Part, &Algorithm),
    group: &Group,
    sequence: u32,
    graph: &mut RankGraph,
    shown: u32,
) -> Span {
    let strands = (algorithm.strands)(part);
    let nothing = || Span {
        first: Vec::new(),
        last: Vec::new(),
        moment: Moment::Done,
    };
    let count = strands.iter().max().map_or(1, |last| last + 1);
    let mut spans: Vec<Span> = std::iter::repeat_with(nothing).take(count).collect();
    let mut round = Round::default();
    for number in 0..(algorithm.rounds)(part) {
        round.clear();
        (algorithm.round)(part, number, &mut round);
        let message = |&(member, bytes): &(u32, u64)| Message {
            peer: group.rank(member),
            tag: collective_tag(sequence, number),
            context: collective_context(group),
            bytes,
        };
        let receives = round.receives.iter().map(message).map(Work::Receive);
        let works = receives.chain(round.sends.iter().map(message).map(Work::Send));
        let all: Vec<u32> = works
            .map(|work| add(graph, work, MESSAGES, shown))
            .collect();
        for &task in &all {
            graph.tasks[task as usize].is_offloaded = algorithm.is_offloaded;
        }
        if all.is_empty() {
            continue;
        }
        let span = &mut spans[strands[number as usize % strands.len()]];
        if span.last.len() > FEW {
            join(span, graph, shown);
        }
        connect(graph, &span.last, Moment::Done, &all);
        if span.first.is_empty() {
            span.first.clone_from(&all);
        }
        span.last = all;
    }
    let mut whole = nothing();
    for span in spans {
        whole.first.extend(span.first);
        whole.last.extend(span.last);
    }
    // A member that is alone does nothing, and what waits for it still does.
    if whole.last.len() > FEW || whole.last.is_empty() {
        join(&mut whole, graph, shown);
    }
    whole
}

/// A collective may name the dimensions of ASTRA-sim's network in which it goes, and there are none here.
fn every_dimension(node: &Node, place: usize) -> Result<(), Flaw> {
    match node.attribute("involved_dim") {
        Some(Value::Bools(bools)) if bools.values.contains(&false) => {
            let message = format!(
                "node {}: expected all of `involved_dim` to be true, found {:?}: they are dimensions of ASTRA-sim's network",
                node.id, bools.values
            );
            let help = "name groups by `pg_name`, and their ranks in a file of groups, {\"name\": [rank, ...]}";
            Err(Flaw::at(place, message).with_help(help))
        }
        _ => Ok(()),
    }
}

/// The number that an attribute must have, below an end.
fn number(node: &Node, name: &str, end: u64, place: usize) -> Result<u64, Flaw> {
    let value = node.attribute(name).and_then(|value| value.number());
    let Some(value) = value else {
        let message = match node.attribute(name) {
            Some(value) => {
                // As `Int64(-1)`.
                let found = format!("{value:?}");
                let found = found.split_once('(').map_or("", |(_, found)| found);
                format!(
                    "node {}: expected `{name}` to be a number from 0 on, found {}",
                    node.id,
                    found.trim_end_matches(')')
                )
            }
            None => format!("node {} has no number `{name}`", node.id),
        };
        return Err(Flaw::at(place, message));
    };
    if value >= end {
        let message = format!(
            "node {}: expected `{name}` below {end}, found {value}",
            node.id
        );
        return Err(Flaw::at(place, message));
    }
    Ok(value)
}

/// One task that waits for the last ones, so that whoever waits for all of many needs to wait for one.
fn join(span: &mut Span, graph: &mut RankGraph, node: u32) {
    let join = add(graph, Work::Compute(0), MESSAGES, node);
    connect(graph, &span.last, Moment::Done, &[join]);
    if span.first.is_empty() {
        span.first.push(join);
    }
    span.last = vec![join];
}

fn add(graph: &mut RankGraph, work: Work, processor: u8, node: u32) -> u32 {
    graph.tasks.push(Task {
        processor,
        ..Task::new(work)
    });
    graph.lines.push(node);
    graph.tasks.len() as u32 - 1
}

/// Each of some tasks waits for a moment of each of others.
fn connect(graph: &mut RankGraph, before: &[u32], moment: Moment, tasks: &[u32]) {
    for &after in before {
        graph.conditions.extend(tasks.iter().map(|&task| Condition {
            task,
            after,
            moment,
        }));
    }
}
