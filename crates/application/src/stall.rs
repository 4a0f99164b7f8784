//! Programs that come to a halt: who waits for whom, and what is missing.

use crate::calls::OF_COLLECTIVE;
use crate::collectives::Kind;
use crate::rank::Rank;
use crate::script::Program;
use crate::task::{ANY, Message, Work};
use crate::window::State;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Ranks that wait for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct Stall {
    ranks: Vec<Blocked>,
}

/// A rank that waits for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    /// The rank.
    pub rank: u32,
    /// What it has started and not done, first things first; if there is nothing, what never started.
    pub waits: Vec<Wait>,
    /// Tasks that are not done.
    pub pending: u64,
    /// Messages that have come and that no receive wanted.
    pub unmatched: Vec<Message>,
    /// What it would send later, as far as that is known.
    pub later: Vec<Message>,
}

/// A task that will never be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    /// Its number among the rank's tasks.
    pub task: u64,
    /// Where it stands in the program's source; told of the first few of the ranks that are shown.
    pub place: Option<String>,
    /// The collective that it is part of, if that is known; told of the same ones.
    pub collective: Option<Kind>,
    /// What it does.
    pub work: Work,
    /// How far it has come.
    pub state: State,
}

impl Blocked {
    /// What keeps a rank, without places.
    pub fn new(rank: u32, at_work: &Rank, unmatched: Vec<Message>) -> Self {
        let wait = |(task, work, state): (u64, crate::Task, State)| Wait {
            task,
            place: None,
            collective: None,
            work: work.work,
            state,
        };
        let is_told = |wait: &Wait| !matches!(wait.work, Work::Proceed(_));
        let mut waits: Vec<Wait> = at_work.pending().map(wait).filter(is_told).collect();
        waits.sort_by_key(|wait| wait.task);
        let pending = waits.len() as u64;
        let later = waits.iter().filter_map(|wait| match wait.work {
            Work::Send(message) if wait.state != State::Started => Some(message),
            _ => None,
        });
        let later = later.collect();
        let started: Vec<Wait> = waits
            .iter()
            .filter(|wait| wait.state == State::Started)
            .cloned()
            .collect();
        if !started.is_empty() {
            waits = started;
        }
        Self {
            rank,
            waits,
            pending,
            unmatched,
            later,
        }
    }

    /// Would it send later what such a receive of a rank waits for?
    fn would_send(&self, rank: u32, received: &Message) -> bool {
        let is_it = |sent: &Message| {
            sent.peer == rank
                && sent.context == received.context
                && [sent.tag, ANY].contains(&received.tag)
        };
        self.later.iter().any(is_it)
    }

    /// Looks for the places of the first things that it waits for in its program.
    pub fn locate(&mut self, program: &dyn Program) {
        for wait in self.waits.iter_mut().take(PLACES_TOLD) {
            wait.place = program.place(self.rank, wait.task);
            if wait.work.message().is_some_and(is_of_collective) {
                wait.collective = program.collective(self.rank, wait.task);
            }
        }
    }

    /// The first thing that it waits for: `rank 3 waits to receive 8 B from rank 1, tag 7 (line 12)`; or `rank 3 of job ...`, where
    /// there are several.
    pub fn words(&self, job: Option<&str>) -> Option<String> {
        let first = self.waits.first()?.words();
        let job = job.map_or(String::new(), |name| format!(" of job `{name}`"));
        Some(format!("rank {}{job} waits to {first}", self.rank))
    }
}

impl Stall {
    /// Of these ranks of a program, in ascending order.
    pub fn new(ranks: Vec<Blocked>, program: &dyn Program) -> Self {
        let mut stall = Self { ranks };
        // To look for a place may take as long as to read all of a rank's calls, so it is done for what is told only.
        for index in stall.told() {
            stall.ranks[index].locate(program);
        }
        stall
    }

    /// Which of the ranks are told of: the first ones, and those that they wait for.
    fn told(&self) -> BTreeSet<usize> {
        let first = self.ranks.iter().take(RANKS_TOLD);
        let waits = first.flat_map(|blocked| blocked.waits.iter().take(WAITS_TOLD));
        let peers = waits.filter_map(|wait| self.index(wait.work.message()?.peer));
        peers.chain(0..self.ranks.len().min(RANKS_TOLD)).collect()
    }

    /// The ranks that wait.
    pub fn ranks(&self) -> &[Blocked] {
        &self.ranks
    }

    fn index(&self, rank: u32) -> Option<usize> {
        self.ranks
            .binary_search_by_key(&rank, |blocked| blocked.rank)
            .ok()
    }

    /// Who would send a rank what it receives from any, and does not come to it.
    fn sender(&self, rank: u32, received: &Message) -> Option<usize> {
        let mut ranks = self.ranks.iter();
        ranks.position(|blocked| blocked.would_send(rank, received))
    }

    /// By rank: the one that it waits for, if that waits itself: the peer of the first thing that it waits for, or who would send that.
    fn partners(&self) -> Vec<Option<usize>> {
        let mut senders: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (index, blocked) in self.ranks.iter().enumerate() {
            for sent in &blocked.later {
                senders.entry(sent.peer).or_default().insert(index);
            }
        }
        let partner = |blocked: &Blocked| {
            let mut waits = blocked.waits.iter();
            let first = waits.find(|wait| wait.state == State::Started)?;
            let message = first.work.message()?;
            if message.peer != ANY {
                return self.index(message.peer);
            }
            let mut senders = senders.get(&blocked.rank)?.iter().copied();
            senders.find(|&index| self.ranks[index].would_send(blocked.rank, message))
        };
        self.ranks.iter().map(partner).collect()
    }

    /// Ranks that wait for each other in a circle, the last for the first; empty if there are none.
    pub fn circle(&self) -> Vec<u32> {
        let next = self.partners();
        // By rank, from which start it was come to: a walk that meets itself is on a circle, one that meets another leads to none.
        let mut seen_from: Vec<Option<usize>> = vec![None; next.len()];
        for start in 0..next.len() {
            let mut at = Some(start);
            while let Some(index) = at.filter(|&index| seen_from[index].is_none()) {
                seen_from[index] = Some(start);
                at = next[index];
            }
            let Some(first) = at.filter(|&index| seen_from[index] == Some(start)) else {
                continue;
            };
            let after = |&index: &usize| next[index].filter(|&index| index != first);
            let mut circle: Vec<u32> = std::iter::successors(Some(first), after)
                .map(|index| self.ranks[index].rank)
                .collect();
            let least = (0..circle.len()).min_by_key(|&index| circle[index]);
            circle.rotate_left(least.unwrap_or(0));
            return circle;
        }
        Vec::new()
    }

    /// What there is to say of a thing that a rank waits for.
    fn missing(&self, rank: u32, wait: &Wait) -> String {
        let Some(message) = wait.work.message().filter(|_| wait.state == State::Started) else {
            return "and what it waits for never happens".to_owned();
        };
        let peer = message.peer;
        if peer == ANY {
            let sender = self.sender(rank, message).map(|index| &self.ranks[index]);
            return match sender.and_then(|sender| Some((sender, sender.waits.first()?))) {
                Some((sender, _)) if sender.rank == rank => BEHIND_IT.to_owned(),
                Some((sender, wait)) => format!(
                    "which rank {} would send, and that waits to {}",
                    sender.rank,
                    wait.words()
                ),
                None => "and no rank sends any".to_owned(),
            };
        }
        let Some(partner) = self.index(peer).map(|index| &self.ranks[index]) else {
            return match wait.work {
                Work::Receive(_) => format!("but rank {peer} has ended without sending it"),
                _ => format!("but rank {peer} has ended without receiving it"),
            };
        };
        let alike = |other: &&Wait| match (&wait.work, &other.work) {
            (Work::Receive(_), Work::Send(sent)) => sent.peer == rank,
            (Work::Send(_), Work::Receive(received)) => [rank, ANY].contains(&received.peer),
            _ => false,
        };
        if let Some(other) = partner.waits.iter().find(alike) {
            return format!("while rank {peer} waits to {}", other.words());
        }
        if peer == rank {
            return match wait.work {
                Work::Receive(_) if partner.would_send(rank, message) => BEHIND_IT.to_owned(),
                Work::Receive(_) => "and sends itself no such message".to_owned(),
                _ => "and never receives it".to_owned(),
            };
        }
        match partner.waits.first() {
            Some(other) => format!("while rank {peer} itself waits to {}", other.words()),
            None => format!("and rank {peer} never comes to it"),
        }
    }
}

impl Wait {
    fn words(&self) -> String {
        let peer = |message: &Message| match message.peer {
            ANY => "any rank".to_owned(),
            peer => format!("rank {peer}"),
        };
        let (bytes, label) = match self.work.message() {
            Some(message) => (message.bytes, label(message, self.collective)),
            None => Default::default(),
        };
        let words = match &self.work {
            Work::Send(message) => format!("send {bytes} B to {}{label}", peer(message)),
            Work::Receive(message) => format!("receive {bytes} B from {}{label}", peer(message)),
            Work::Compute(_) => "compute".to_owned(),
            Work::Proceed(_) => "go on".to_owned(),
        };
        match &self.place {
            Some(place) => format!("{words} ({place})"),
            None => format!("{words} (its task {})", self.task),
        }
    }
}

fn is_of_collective(message: &Message) -> bool {
    message.context & OF_COLLECTIVE != 0
}

/// What tells a message from others of the same rank: `, tag 7 in communicator 2`, ` in a barrier`; ` in a collective` if nobody
/// knows in which.
pub fn label(message: &Message, collective: Option<Kind>) -> String {
    let communicator = message.context & !OF_COLLECTIVE;
    if !is_of_collective(message) {
        let tag = match message.tag {
            ANY => "any tag".to_owned(),
            tag => format!("tag {tag}"),
        };
        return match communicator {
            0 => format!(", {tag}"),
            number => format!(", {tag} in communicator {number}"),
        };
    }
    // Tags of collectives count what no program has counted.
    let name = collective.map_or("collective", Kind::name);
    let article = if name.starts_with('a') { "an" } else { "a" };
    match communicator {
        0 => format!(" in {article} {name}"),
        number => format!(" in {article} {name} of communicator {number}"),
    }
}

/// What it would send itself.
const BEHIND_IT: &str = "which it sends itself only behind that";
/// So many ranks are told of, and so many things that each waits for.
const RANKS_TOLD: usize = 8;
const WAITS_TOLD: usize = 3;
/// So many things that a rank waits for are looked up in its source.
const PLACES_TOLD: usize = 16;

impl fmt::Display for Stall {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ranks[..] {
            [one] => write!(text, "rank {} waits for ever:", one.rank)?,
            several => write!(text, "{} ranks wait for ever:", several.len())?,
        }
        let circle = self.circle();
        if let [first, .., last] = circle[..] {
            let shown: Vec<String> = circle.iter().take(RANKS_TOLD).map(u32::to_string).collect();
            let more = if circle.len() > RANKS_TOLD {
                format!(" ... {last}")
            } else {
                String::new()
            };
            let shown = shown.join(" -> ");
            write!(
                text,
                "\n  in a circle of {}: {shown}{more} -> {first}",
                circle.len()
            )?;
        }
        for blocked in self.ranks.iter().take(RANKS_TOLD) {
            for wait in blocked.waits.iter().take(WAITS_TOLD) {
                let missing = self.missing(blocked.rank, wait);
                let words = wait.words();
                write!(
                    text,
                    "\n  rank {} waits to {words}, {missing}",
                    blocked.rank
                )?;
            }
            let told = blocked.waits.len().min(WAITS_TOLD) as u64;
            if blocked.pending > told {
                let more = blocked.pending - told;
                let tasks = if more == 1 { "task" } else { "tasks" };
                write!(
                    text,
                    "\n  rank {} has {more} more {tasks} to do",
                    blocked.rank
                )?;
            }
            if let Some(first) = blocked.unmatched.first() {
                let count = blocked.unmatched.len();
                let messages = if count == 1 { "message" } else { "messages" };
                write!(
                    text,
                    "\n  rank {} has {count} {messages} that nobody receives, the first of {} B from rank {}{}",
                    blocked.rank,
                    first.bytes,
                    first.peer,
                    label(first, None)
                )?;
            }
        }
        if self.ranks.len() > RANKS_TOLD {
            write!(text, "\n  and {} more", self.ranks.len() - RANKS_TOLD)?;
        }
        Ok(())
    }
}
