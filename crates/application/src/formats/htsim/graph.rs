//! Flows as tasks.

use super::lines::{Connection, Matrix, Start, TriggerKind};
use crate::graph::{Condition, Graph, RankGraph};
use crate::task::{Task, Work};
use crate::window::Moment;
use rustc_hash::FxHashMap;
use turnwise_config::Flaw;

/// The processor that waits for the start of flows; messages have the first.
const CLOCK: u8 = 1;

/// Who fires a trigger: a rank by a task.
type Fired = FxHashMap<u32, Vec<(u32, u32)>>;

/// The flows as tasks of the nodes.
pub(super) fn of(matrix: &Matrix) -> Result<Graph, Flaw> {
    let mut ranks = vec![RankGraph::default(); matrix.nodes as usize];
    let mut sends = Vec::with_capacity(matrix.connections.len());
    let mut fired = Fired::default();
    for (tag, flow) in (0..).zip(&matrix.connections) {
        let send = Work::send(flow.destination, flow.bytes, tag);
        let receive = Work::receive(flow.source, flow.bytes, tag);
        let send = add(&mut ranks, flow.source, Task::new(send), flow.line);
        let receive = add(&mut ranks, flow.destination, Task::new(receive), flow.line);
        let [sent, received] = flow.fires;
        if let Some(trigger) = sent {
            let known = acknowledged(&mut ranks, flow, [send, receive], tag);
            let by = (flow.source, known);
            fired.entry(trigger).or_default().push(by);
        }
        if let Some(trigger) = received {
            let by = (flow.destination, receive);
            fired.entry(trigger).or_default().push(by);
        }
        sends.push(send);
    }
    let mut targets: FxHashMap<u32, u32> = FxHashMap::default();
    for flow in &matrix.connections {
        if let Start::When(trigger, _) = flow.start {
            *targets.entry(trigger).or_default() += 1;
        }
    }
    for (flow, &send) in matrix.connections.iter().zip(&sends) {
        if let Start::When(trigger, place) = flow.start {
            let by = by(matrix, &fired, trigger, targets[&trigger], place)?;
            if let Some((rank, _)) = by.iter().find(|(rank, _)| *rank != flow.source) {
                let source = flow.source;
                let message = format!(
                    "rank {rank} fires trigger {trigger}, and rank {source} would have to know: a rank starts flows only by what ends there"
                );
                return Err(Flaw::at(place, message));
            }
            for &(_, after) in by {
                wait(&mut ranks, flow.source, send, (after, Moment::Done));
            }
        }
    }
    clocks(matrix, &sends, &mut ranks);
    Ok(Graph::new(ranks))
}

/// A message without bytes back, when all of a flow has been received: htsim's sources are done when all is acknowledged. Says which
/// task of the source receives it.
fn acknowledged(
    ranks: &mut [RankGraph],
    flow: &Connection,
    [send, receive]: [u32; 2],
    tag: u32,
) -> u32 {
    let answer = Task::new(Work::send(flow.source, 0, tag));
    let answer = add(ranks, flow.destination, answer, flow.line);
    wait(ranks, flow.destination, answer, (receive, Moment::Done));
    let known = Task::new(Work::receive(flow.destination, 0, tag));
    let known = add(ranks, flow.source, known, flow.line);
    wait(ranks, flow.source, known, (send, Moment::Started));
    known
}

fn add(ranks: &mut [RankGraph], rank: u32, task: Task, line: u32) -> u32 {
    let graph = &mut ranks[rank as usize];
    graph.tasks.push(task);
    graph.lines.push(line);
    graph.tasks.len() as u32 - 1
}

/// A task of a rank waits for a moment of another.
fn wait(ranks: &mut [RankGraph], rank: u32, task: u32, (after, moment): (u32, Moment)) {
    let conditions = &mut ranks[rank as usize].conditions;
    conditions.push(Condition {
        task,
        after,
        moment,
    });
}

/// All that must have happened for a flow to start by a trigger.
fn by<'a>(
    matrix: &Matrix,
    fired: &'a Fired,
    trigger: u32,
    targets: u32,
    place: usize,
) -> Result<&'a [(u32, u32)], Flaw> {
    let wrong = |message: String| Err(Flaw::at(place, message));
    let by = fired.get(&trigger).map_or(&[][..], Vec::as_slice);
    let times = by.len() as u64;
    let declared = matrix.triggers.get(&trigger);
    match declared.map_or(TriggerKind::Oneshot, |trigger| trigger.kind) {
        _ if times == 0 => wrong(format!(
            "no flow fires trigger {trigger}, so this one never starts"
        )),
        TriggerKind::Oneshot if times > 1 => wrong(format!(
            "{times} flows fire trigger {trigger}, which may be fired once"
        )),
        TriggerKind::Barrier if declared.is_some_and(|trigger| trigger.count != times) => {
            let count = declared.map_or(0, |trigger| trigger.count);
            wrong(format!(
                "{times} flows fire trigger {trigger}, which counts to {count}"
            ))
        }
        TriggerKind::Multishot if times > 1 || targets > 1 => wrong(format!(
            "trigger {trigger} starts one flow after the other, whichever is done first: tasks cannot say that"
        )),
        _ => Ok(by),
    }
}

/// Lets flows that start later wait for a clock: computing on a processor of its own, from one start to the next.
fn clocks(matrix: &Matrix, sends: &[u32], ranks: &mut [RankGraph]) {
    let late = |(flow, &send): (&Connection, &u32)| match flow.start {
        Start::At(time) if time > 0 => Some((flow.source, time, flow.line, send)),
        _ => None,
    };
    let mut late: Vec<_> = matrix
        .connections
        .iter()
        .zip(sends)
        .filter_map(late)
        .collect();
    late.sort_by_key(|&(source, time, ..)| (source, time));
    // The source whose clock is told, its time and its last task.
    let mut clock: Option<(u32, u64, u32)> = None;
    for (source, time, line, send) in late {
        let before = clock.filter(|&(of, ..)| of == source);
        let task = match before {
            Some((_, then, task)) if then == time => task,
            _ => {
                let then = before.map_or(0, |(_, then, _)| then);
                let mut task = Task::new(Work::Compute(time - then));
                task.processor = CLOCK;
                let added = add(ranks, source, task, line);
                if let Some((_, _, last)) = before {
                    wait(ranks, source, added, (last, Moment::Done));
                }
                added
            }
        };
        wait(ranks, source, send, (task, Moment::Done));
        clock = Some((source, time, task));
    }
}
