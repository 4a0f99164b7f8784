//! Programs that are told whole: all tasks of all ranks, and what each waits for.

use crate::schedule::RankSchedule;
use crate::script::{Program, Resources, Script};
use crate::task::{Task, Work};
use crate::window::{Moment, Window};
use std::collections::BTreeSet;
use std::sync::Arc;

/// All tasks of all ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    ranks: Vec<Arc<RankSchedule>>,
    resources: Resources,
    sending_interfaces: usize,
    numbered: Numbered,
}

/// What the numbers count that say where tasks stand in their source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbered {
    /// Lines of a text.
    #[default]
    Lines,
    /// Nodes of a graph, by names that are numbers.
    Nodes,
}

/// The tasks of a rank, as readers tell them; a [`RankSchedule`] is the same in less memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankGraph {
    /// They are numbered in this order.
    pub tasks: Vec<Task>,
    /// Who waits for whom; what becomes ready at one moment does so in this order.
    pub conditions: Vec<Condition>,
    /// The line of each task in its source, or its node; empty if there are none.
    pub lines: Vec<u32>,
}

/// A task waits for a moment of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The number of the task that waits.
    pub task: u32,
    /// The number of the other.
    pub after: u32,
    /// What it waits for.
    pub moment: Moment,
}

impl RankGraph {
    /// Forgets everything but its memory, for a reader to fill again.
    pub(crate) fn clear(&mut self) {
        self.tasks.clear();
        self.conditions.clear();
        self.lines.clear();
    }
}

impl Graph {
    /// Of these ranks.
    pub fn new<Rank: Into<RankSchedule>>(ranks: Vec<Rank>) -> Self {
        let ranks = ranks.into_iter().map(|rank| Arc::new(rank.into()));
        let ranks: Vec<Arc<RankSchedule>> = ranks.collect();
        let tasks = ranks.iter().flat_map(|rank| rank.tasks());
        let resources = tasks.fold(Resources::default(), |most, task| Resources {
            processors: most.processors.max(task.processor.saturating_add(1)),
            interfaces: most.interfaces.max(task.interface.saturating_add(1)),
        });
        let sending_interfaces = match resources.interfaces {
            1 => 1,
            _ => ranks
                .iter()
                .map(|rank| interfaces_of(rank))
                .max()
                .unwrap_or(1),
        };
        Self {
            ranks,
            resources,
            sending_interfaces,
            numbered: Numbered::default(),
        }
    }

    /// The same, whose tasks' places are numbered otherwise.
    pub fn numbered(self, numbered: Numbered) -> Self {
        Self { numbered, ..self }
    }

    /// All that a program would do if nothing kept it: its scripts asked until they have told all.
    ///
    /// Scripts say of every task all that it waits for, also what a task that proceeds has waited for already, so this is the same
    /// program. It takes as much memory as there are tasks.
    pub fn of(program: &dyn Program) -> Self {
        let ranks = (0..program.ranks()).map(|rank| Self::of_rank(program, rank));
        Self {
            ranks: ranks.map(|rank| Arc::new(rank.into())).collect(),
            resources: program.resources(),
            sending_interfaces: program.sending_interfaces(),
            numbered: Numbered::default(),
        }
    }

    /// The same of one rank.
    pub fn of_rank(program: &dyn Program, rank: u32) -> RankGraph {
        let mut window = Window::default();
        let mut script = program.script(rank);
        window.record(&mut *script)
    }

    /// What each rank does.
    pub fn schedules(&self) -> impl Iterator<Item = &RankSchedule> {
        self.ranks.iter().map(|rank| &**rank)
    }

    /// How many tasks there are.
    pub fn tasks(&self) -> usize {
        self.schedules().map(RankSchedule::len).sum()
    }
}

/// Over how many network interfaces a rank sends.
fn interfaces_of(rank: &RankSchedule) -> usize {
    let is_send = |task: &Task| matches!(task.work, Work::Send(_));
    let sends = rank.tasks().filter(is_send);
    sends
        .map(|task| task.interface)
        .collect::<BTreeSet<_>>()
        .len()
}

impl Program for Graph {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn script(&self, rank: u32) -> Box<dyn Script> {
        Box::new(Whole(Arc::clone(&self.ranks[rank as usize])))
    }

    fn resources(&self) -> Resources {
        self.resources
    }

    fn sending_interfaces(&self) -> usize {
        self.sending_interfaces
    }

    fn place(&self, rank: u32, task: u64) -> Option<String> {
        let line = self.ranks.get(rank as usize)?.line(task)?;
        Some(match self.numbered {
            Numbered::Lines => format!("line {line}"),
            Numbered::Nodes => format!("node {line}"),
        })
    }

    fn memory_bytes(&self) -> u64 {
        let of_rank = |rank: &RankSchedule| rank.memory_bytes() + rank.window_bytes();
        self.schedules().map(of_rank).sum()
    }
}

struct Whole(Arc<RankSchedule>);

impl Script for Whole {
    fn proceed(&mut self, _: u32, window: &mut Window) {
        window.add_whole(Arc::clone(&self.0));
    }
}
