//! Which ranks are in which communicator.
//!
//! A rank's file tells what it has called, not who else was there; so all ranks' calls that make communicators are played
//! together, and a communicator exists once all members of the one that it is made of have come to make it.
//!
//! Complexity: O(calls that make communicators or groups x members).

use super::groups::Groups;
use super::records::Record;
use crate::group::Group;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use turnwise_config::Flaw;

/// Numbers that DUMPI gives.
pub(super) const NULL: i32 = 1;
pub(super) const WORLD: i32 = 2;
pub(super) const ITSELF: i32 = 3;

/// What a rank does that has to do with communicators.
#[derive(Debug)]
pub(super) struct Event {
    place: usize,
    pub(super) name: &'static str,
    pub(super) values: Vec<i32>,
    pub(super) list: Vec<i32>,
}

/// Something wrong at a rank.
pub(super) type Wrong = (usize, Flaw);

impl Event {
    /// Of a call; `None` if it makes neither a communicator nor a group.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let makes = is_maker(record.name);
        let is_group = record.name == "Comm_group" || (record.name.starts_with("Group_"));
        (makes || is_group).then(|| Self {
            place: record.place,
            name: record.name,
            values: record.values.clone(),
            list: record.lists.first().cloned().unwrap_or_default(),
        })
    }

    /// The communicator that another one is made of.
    fn of_communicator(&self) -> i32 {
        self.values[match self.name {
            "Cart_sub" | "Graph_create" => 1,
            _ => 0,
        }]
    }

    /// The number that what is made has at this rank.
    pub(super) fn number(&self) -> i32 {
        self.values.last().copied().unwrap_or(NULL)
    }
}

/// Does a call make a communicator?
pub(super) fn is_maker(name: &str) -> bool {
    let makers = [
        "Comm_dup",
        "Comm_create",
        "Comm_split",
        "Cart_create",
        "Cart_sub",
        "Graph_create",
    ];
    makers.contains(&name) || name.starts_with("Intercomm_")
}

/// For each rank, the communicators that it makes, in its order; `None` where it is in none.
pub(super) fn made(events: Vec<Vec<Event>>) -> Result<Vec<Vec<Option<Group>>>, Wrong> {
    let ranks = events.len() as u32;
    let mut play = Play {
        all: vec![Communicator {
            members: (0..ranks).collect(),
            lengths: Vec::new(),
        }],
        ranks: events.into_iter().map(Member::new).collect(),
        waiting: FxHashMap::default(),
    };
    let mut ready: Vec<usize> = Vec::new();
    for rank in 0..ranks as usize {
        ready.extend(play.go_on(rank)?);
    }
    while let Some(communicator) = ready.pop() {
        let members = Arc::clone(&play.all[communicator].members);
        play.make(communicator, &members)?;
        for &rank in &*members {
            ready.extend(play.go_on(rank as usize)?);
        }
    }
    let waits = |rank: &Member| {
        rank.events
            .get(rank.at)
            .map(|event| (event.place, event.name))
    };
    let stuck = play
        .ranks
        .iter()
        .map(waits)
        .enumerate()
        .find_map(|(rank, stuck)| Some((rank, stuck?)));
    match stuck {
        None => Ok(play.ranks.into_iter().map(|rank| rank.made).collect()),
        Some((rank, (place, name))) => {
            let message = format!(
                "rank {rank} calls MPI_{name}, and not all other members of its communicator do"
            );
            Err((rank, Flaw::at(place, message)))
        }
    }
}

struct Communicator {
    members: Arc<[u32]>,
    /// Along each dimension, if it is a grid.
    lengths: Vec<u32>,
}

struct Member {
    events: Vec<Event>,
    at: usize,
    /// Of its own numbers.
    communicators: FxHashMap<i32, usize>,
    groups: Groups,
    made: Vec<Option<Group>>,
}

impl Member {
    fn new(events: Vec<Event>) -> Self {
        Self {
            events,
            at: 0,
            communicators: FxHashMap::from_iter([(WORLD, 0)]),
            groups: Groups::default(),
            made: Vec::new(),
        }
    }
}

struct Play {
    all: Vec<Communicator>,
    ranks: Vec<Member>,
    /// How many members of a communicator have come to make another one of it.
    waiting: FxHashMap<usize, usize>,
}

impl Play {
    /// A rank does what it can do by itself. Is it the last member of a communicator that has come?
    fn go_on(&mut self, rank: usize) -> Result<Option<usize>, Wrong> {
        while let Some(event) = self.ranks[rank].events.get(self.ranks[rank].at) {
            if is_maker(event.name) {
                if event.name.starts_with("Intercomm_") {
                    let message = format!(
                        "MPI_{}: communicators between groups are not read",
                        event.name
                    );
                    return Err((rank, Flaw::at(event.place, message)));
                }
                let communicator = self.communicator(rank, event.of_communicator())?;
                let waiting = self.waiting.entry(communicator).or_default();
                *waiting += 1;
                let is_last = *waiting == self.all[communicator].members.len();
                return Ok(is_last.then_some(communicator));
            }
            let members = match event.name {
                "Comm_group" => {
                    let communicator = self.communicator(rank, event.values[0])?;
                    Some(Arc::clone(&self.all[communicator].members))
                }
                _ => None,
            };
            let member = &mut self.ranks[rank];
            let made = member.groups.make(&member.events[member.at], members);
            made.map_err(|message| self.wrong(rank, message))?;
            self.ranks[rank].at += 1;
        }
        Ok(None)
    }

    fn communicator(&mut self, rank: usize, number: i32) -> Result<usize, Wrong> {
        if let Some(&communicator) = self.ranks[rank].communicators.get(&number) {
            return Ok(communicator);
        }
        if number != ITSELF {
            return Err(self.wrong(rank, format!("there is no communicator {number}")));
        }
        let communicator = self.add(&[rank as u32], Vec::new());
        self.ranks[rank].communicators.insert(number, communicator);
        Ok(communicator)
    }

    fn add(&mut self, members: &[u32], lengths: Vec<u32>) -> usize {
        let members = members.into();
        self.all.push(Communicator { members, lengths });
        self.all.len() - 1
    }

    fn wrong(&self, rank: usize, message: String) -> Wrong {
        let member = &self.ranks[rank];
        let event = member.events.get(member.at);
        let flaw = Flaw {
            place: event.map(|event| event.place),
            ..Flaw::general(match event {
                Some(event) => format!("MPI_{}: {message}", event.name),
                None => message,
            })
        };
        (rank, flaw)
    }

    fn event(&self, rank: u32) -> &Event {
        let member = &self.ranks[rank as usize];
        &member.events[member.at]
    }

    /// All members have come: what do they make?
    fn make(&mut self, old: usize, members: &[u32]) -> Result<(), Wrong> {
        self.waiting.remove(&old);
        let name = self.event(members[0]).name;
        if let Some(&other) = members.iter().find(|&&rank| self.event(rank).name != name) {
            let message = format!("rank {} calls MPI_{name} instead", members[0]);
            return Err(self.wrong(other as usize, message));
        }
        let parts = match name {
            "Comm_dup" => vec![members.to_vec()],
            "Comm_split" => self.split(members, |event, _| (event.values[1], event.values[2])),
            "Cart_sub" => self.cart_sub(old, members)?,
            "Comm_create" => self.of_groups(members)?,
            _ => {
                let event = self.event(members[0]);
                let count = match name {
                    "Cart_create" => product(&event.list),
                    _ => event.values[2].max(0) as usize,
                };
                vec![members[..count.min(members.len())].to_vec()]
            }
        };
        let lengths = match name {
            "Comm_dup" => self.all[old].lengths.clone(),
            "Cart_create" => lengths(&self.event(members[0]).list),
            "Cart_sub" => {
                let remains = self.event(members[0]).list.iter();
                let kept = remains
                    .zip(&self.all[old].lengths)
                    .filter(|&(&remains, _)| remains != 0);
                kept.map(|(_, &length)| length).collect()
            }
            _ => Vec::new(),
        };
        let mut new = FxHashMap::default();
        for part in parts {
            let communicator = self.add(&part, lengths.clone());
            let group = Group::of(communicator as u32, &part);
            new.extend(
                part.into_iter()
                    .map(|rank| (rank, (communicator, group.clone()))),
            );
        }
        for &rank in members {
            let number = self.event(rank).number();
            let member = &mut self.ranks[rank as usize];
            let is_in = new.get(&rank).filter(|_| number != NULL);
            if let Some((communicator, _)) = is_in {
                member.communicators.insert(number, *communicator);
            }
            member.made.push(is_in.map(|(_, group)| group.clone()));
            member.at += 1;
        }
        Ok(())
    }

    /// Members of the same colour, in the order of their keys.
    fn split<K: Ord>(
        &self,
        members: &[u32],
        key: impl Fn(&Event, usize) -> (i32, K),
    ) -> Vec<Vec<u32>> {
        let mut colours: BTreeMap<i32, Vec<(K, usize)>> = BTreeMap::new();
        for (place, &rank) in members.iter().enumerate() {
            let event = self.event(rank);
            if event.number() != NULL {
                let (colour, key) = key(event, place);
                colours.entry(colour).or_default().push((key, place));
            }
        }
        let sorted = |mut part: Vec<(K, usize)>| {
            part.sort();
            part.into_iter().map(|(_, place)| members[place]).collect()
        };
        colours.into_values().map(sorted).collect()
    }

    /// Those that differ only along the dimensions that remain.
    fn cart_sub(&self, old: usize, members: &[u32]) -> Result<Vec<Vec<u32>>, Wrong> {
        let lengths = &self.all[old].lengths;
        let remains = &self.event(members[0]).list;
        if remains.len() != lengths.len() {
            let message = format!(
                "expected {} dimensions, found {}",
                lengths.len(),
                remains.len()
            );
            return Err(self.wrong(members[0] as usize, message));
        }
        Ok(self.split(members, |_, place| {
            // The first of them has its places along all dimensions that go.
            let (mut rest, mut first, mut weight) = (place as u32, 0_u32, 1_u32);
            for (&length, &remains) in lengths.iter().zip(remains).rev() {
                if remains == 0 {
                    first += (rest % length) * weight;
                }
                // No member has a place that far.
                weight = weight.saturating_mul(length);
                rest /= length;
            }
            (first as i32, place)
        }))
    }

    /// The groups that members name, each once.
    fn of_groups(&self, members: &[u32]) -> Result<Vec<Vec<u32>>, Wrong> {
        let all: FxHashSet<u32> = members.iter().copied().collect();
        // The part that each is in.
        let mut placed: FxHashMap<u32, usize> = FxHashMap::default();
        let mut parts: Vec<Vec<u32>> = Vec::new();
        for &rank in members {
            let event = self.event(rank);
            if event.number() == NULL {
                continue;
            }
            let groups = &self.ranks[rank as usize].groups;
            let group = groups
                .of(event.values[1])
                .map_err(|message| self.wrong(rank as usize, message))?;
            let wrong = |what: &str| Err(self.wrong(rank as usize, format!("the group {what}")));
            match placed.get(&rank) {
                Some(&part) if *parts[part] == **group => {}
                Some(_) => return wrong("is not that of its other members"),
                None => {
                    for &other in &**group {
                        if !all.contains(&other) || placed.insert(other, parts.len()).is_some() {
                            return wrong("has ranks that another one has, or that nobody has");
                        }
                    }
                    if !group.contains(&rank) {
                        return wrong("is of others");
                    }
                    parts.push(group.to_vec());
                }
            }
        }
        Ok(parts)
    }
}

fn lengths(list: &[i32]) -> Vec<u32> {
    list.iter().map(|&length| length.max(1) as u32).collect()
}

fn product(list: &[i32]) -> usize {
    let sizes = lengths(list).into_iter().map(|length| length as usize);
    sizes.fold(1, usize::saturating_mul)
}
