//! Groups of ranks by name: from a file of JSON, or from nodes in which PyTorch notes its process groups.

use super::messages::{Messages, Note, kinds};
use crate::formats::Fault;
use crate::group::Group;
use serde::Deserialize;
use std::collections::BTreeMap;
use turnwise_config::{File, Flaw};

/// The name of nodes that tell process groups.
const TELLING: &str = "## process_group:init ##";

/// Groups by name.
pub(super) struct Groups {
    by_name: BTreeMap<String, Group>,
    /// Those that the rank has told whose nodes are read.
    told: BTreeMap<String, Group>,
    /// All that any rank has told, by name and members: the same name may be another group to others.
    all_told: BTreeMap<(String, Vec<u32>), Group>,
    ranks: u32,
    /// Was there a file?
    pub(super) are_given: bool,
}

/// A process group as PyTorch notes it.
#[derive(Deserialize)]
struct ProcessGroup {
    pg_name: String,
    /// All, if there are none.
    ranks: Vec<u32>,
}

impl Groups {
    /// The file goes before what the rank has told, and without either there are the names of all ranks.
    pub(super) fn get(&self, name: &str) -> Option<Group> {
        let known = self.by_name.get(name);
        let of_all = name.is_empty() || name == "0";
        match known {
            None if of_all => Some(Group::world(self.ranks)),
            None => self.told.get(name).cloned(),
            known => known.cloned(),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let told = self
            .told
            .keys()
            .filter(|name| !self.by_name.contains_key(*name));
        self.by_name.keys().chain(told).map(String::as_str)
    }

    /// Reads what a rank tells of its process groups, which counts for all its nodes, wherever they stand.
    ///
    /// # Errors
    /// What is told is no list of groups of ranks that there are.
    pub(super) fn of_rank(&mut self, bytes: &[u8]) -> Result<(), Flaw> {
        self.told.clear();
        let mut messages = Messages::new(bytes);
        messages.metadata()?;
        while let Some((place, note)) = messages.note()? {
            if note.kind != kinds::METADATA || note.name != TELLING {
                continue;
            }
            for group in process_groups(&note, place)? {
                self.tell(group, place)?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, group: ProcessGroup, place: usize) -> Result<(), Flaw> {
        let (name, mut members) = (group.pg_name, group.ranks);
        if members.is_empty() {
            members = (0..self.ranks).collect();
        }
        if let Err(what) = check(&members, self.ranks) {
            let flaw = Flaw::at(place, format!("group `{name}` {what}"));
            return Err(match members.iter().any(|&rank| rank >= self.ranks) {
                true => flaw.with_help("there are as many ranks as traces: name the files of all"),
                false => flaw,
            });
        }
        let number = 1 + self.by_name.len() as u32 + self.all_told.len() as u32;
        let key = (name.clone(), members);
        let group = match self.all_told.get(&key) {
            Some(group) => group.clone(),
            None => {
                let group = Group::of(number, &key.1);
                self.all_told.insert(key, group.clone());
                group
            }
        };
        self.told.insert(name, group);
        Ok(())
    }
}

/// What a node tells: a list as JSON, between the brackets and quotes of a list of one text in Python.
fn process_groups(note: &Note, place: usize) -> Result<Vec<ProcessGroup>, Flaw> {
    let values = note.inputs.as_ref().map_or("", |inputs| &inputs.values);
    let bare = ["'", "\""].into_iter().find_map(|quote| {
        let inner = values.strip_prefix('[')?.strip_suffix(']')?;
        inner.strip_prefix(quote)?.strip_suffix(quote)
    });
    let text = bare.unwrap_or(values);
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(text).map_err(|error| {
        let message = format!(
            "node {}: expected process groups, [{{\"pg_name\": \"1\", \"ranks\": [0, 1]}}]: {error}",
            note.id
        );
        Flaw::at(place, message)
    })
}

/// What is wrong with the members of a group.
fn check(members: &[u32], ranks: u32) -> Result<(), String> {
    if let Some(rank) = members.iter().find(|&&rank| rank >= ranks) {
        return Err(format!("has rank {rank}, and there are {ranks} traces"));
    }
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    if members.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("is empty, or has a rank twice".to_owned());
    }
    Ok(())
}

/// The groups of the file of a number; the world is group 0, others are counted from 1 on in the order of names.
pub(super) fn read(files: &[File], file: Option<usize>, ranks: u32) -> Result<Groups, Fault> {
    let mut groups = Groups {
        by_name: BTreeMap::new(),
        told: BTreeMap::new(),
        all_told: BTreeMap::new(),
        ranks,
        are_given: file.is_some(),
    };
    let Some(file) = file else {
        return Ok(groups);
    };
    let text = &files[file].bytes;
    let listed: BTreeMap<String, Vec<u32>> = serde_json::from_slice(text).map_err(|error| {
        let before = text
            .split_inclusive(|&byte| byte == b'\n')
            .take(error.line().max(1) - 1);
        let start: usize = before.map(<[u8]>::len).sum();
        let place = start + error.column().saturating_sub(1);
        let flaw = Flaw::at(
            place,
            format!("expected groups, {{\"name\": [rank, ...], ...}}: {error}"),
        );
        Fault { file, flaw }
    })?;
    for (number, (name, members)) in (1..).zip(listed) {
        check(&members, ranks).map_err(|what| {
            let flaw = Flaw::general(format!("group `{name}` {what}"));
            Fault { file, flaw }
        })?;
        groups.by_name.insert(name, Group::of(number, &members));
    }
    Ok(groups)
}
