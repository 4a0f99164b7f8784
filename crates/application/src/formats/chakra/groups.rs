//! Groups of ranks by name: a file of JSON.

use crate::formats::Fault;
use crate::group::Group;
use std::collections::BTreeMap;
use turnwise_config::{File, Flaw};

/// Groups by name.
pub(super) struct Groups {
    by_name: BTreeMap<String, Group>,
    /// Was there a file?
    pub(super) are_given: bool,
}

impl Groups {
    pub(super) fn get(&self, name: &str) -> Option<&Group> {
        self.by_name.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}

/// The groups of the file of a number; the world is group 0, others are counted from 1 on in the order of names.
pub(super) fn read(files: &[File], file: Option<usize>, ranks: u32) -> Result<Groups, Fault> {
    let mut groups = Groups {
        by_name: BTreeMap::new(),
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
        let wrong = |message: String| {
            let flaw = Flaw::general(message);
            Err(Fault { file, flaw })
        };
        if let Some(rank) = members.iter().find(|&&rank| rank >= ranks) {
            return wrong(format!(
                "group `{name}` has rank {rank}, and there are {ranks} traces"
            ));
        }
        let mut sorted = members.clone();
        sorted.sort_unstable();
        if members.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return wrong(format!("group `{name}` is empty, or has a rank twice"));
        }
        groups.by_name.insert(name, Group::of(number, &members));
    }
    Ok(groups)
}
