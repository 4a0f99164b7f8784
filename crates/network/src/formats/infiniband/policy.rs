//! The policy with which OpenSM answers who asks for a path: the service level of each pair.
//!
//! A policy is a language of blocks. There is a group of the sources that have the same levels to all destinations, as those at one
//! switch mostly have, and for each level but 0 a group of the destinations that they reach at it. Rules join the two:
//!
//! ```text
//! port-groups
//!     port-group
//!         name: D1000000000000011_2
//!         port-guid: 0x1000000000000021, 0x1000000000000031
//!     end-port-group
//!     port-group
//!         name: S1000000000000011
//!         port-guid: 0x1000000000000011, 0x1000000000000013
//!     end-port-group
//! end-port-groups
//! qos-levels
//!     qos-level
//!         name: SL2
//!         sl: 2
//!     end-qos-level
//! end-qos-levels
//! qos-match-rules
//!     qos-match-rule
//!         source: S1000000000000011
//!         destination: D1000000000000011_2
//!         qos-level-name: SL2
//!     end-qos-match-rule
//! end-qos-match-rules
//! ```
//!
//! Pairs that no rule is about take the level that is called `DEFAULT`, without which OpenSM takes nothing of a policy. Names are told
//! apart by their letters alone, not by whether these are capital. Several sources or destinations of a rule are meant together.
//!
//! Of OpenSM's language this is as much as says which pairs are meant: groups by GUIDs, `0x10` or `0x10-0x1f`, rules by source and destination,
//! and the `default` of `qos-ulps`, which is the level of pairs without a rule where none is called `DEFAULT`. What else can
//! be said in it is refused, since a rule would mean something else without it. So are two blocks of one name, of which OpenSM takes
//! the first and says nothing.
//!
//! Source: OpenSM 3.3.23, `doc/QoS_management_in_OpenSM.txt`, `osm_qos_parser_y.y` and `osm_qos_policy.c`.

use super::levels::{LevelRule, Party, level_of, lines};
use super::line::guid_of;
use crate::identities::Identities;
use crate::ids::TerminalId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::nearest;

/// Reads a policy.
///
/// # Errors
/// The first line that is not understood, names that are not defined or are twice, a policy that OpenSM does not take.
pub(super) fn read(text: &str) -> Result<Vec<LevelRule>, Flaw> {
    let mut policy = Policy::default();
    for (line, offset) in lines(text) {
        policy.line(line, offset)?;
    }
    match policy.open.last() {
        Some(&(block, place)) => {
            let message = format!(
                "`{block}` does not end: expected `end-{block}`, found the end of the file"
            );
            Err(Flaw::at(place, message))
        }
        None => policy.rules(),
    }
}

/// Does a file whose first line is this have a policy?
pub(super) fn begins_with(line: &str) -> bool {
    line == "qos-setup" || block_of(line).is_some()
}

/// The block that a line begins or ends.
fn block_of(line: &str) -> Option<&'static str> {
    let name = line.strip_prefix("end-").unwrap_or(line);
    BLOCKS.into_iter().find(|block| *block == name)
}

const BLOCKS: [&str; 7] = [
    "port-groups",
    "port-group",
    "qos-levels",
    "qos-level",
    "qos-match-rules",
    "qos-match-rule",
    PROGRAMS,
];

/// The block of levels by what programs packets are of.
const PROGRAMS: &str = "qos-ulps";

/// The name of the level that pairs without a rule take.
const DEFAULT: &str = "default";

#[derive(Default)]
struct Policy<'a> {
    groups: Named<'a, Vec<Party>>,
    levels: Named<'a, u8>,
    rules: Vec<Rule<'a>>,
    /// Where levels begin.
    place: usize,
    /// The level of all for whom nothing else is said, where none of the levels is called default.
    simple: Option<u8>,
    /// Blocks that have not ended, each with its place.
    open: Vec<(&'static str, usize)>,
    /// What the present block says.
    name: Option<(&'a str, usize)>,
    members: Vec<Party>,
    level: Option<u8>,
    rule: Rule<'a>,
}

/// Names, each with its place.
#[derive(Clone, Default)]
struct Rule<'a> {
    sources: Vec<(&'a str, usize)>,
    destinations: Vec<(&'a str, usize)>,
    level: Option<(&'a str, usize)>,
    /// Where it begins.
    offset: usize,
}

impl<'a> Policy<'a> {
    fn line(&mut self, line: &'a str, offset: usize) -> Result<(), Flaw> {
        let Some((key, value)) = line.split_once(':') else {
            return self.block(line, offset);
        };
        let place = offset + (line.len() - value.trim_start().len());
        let value = value.trim();
        if self.inner() == Some(PROGRAMS) {
            return self.program(key.trim(), (value, place), offset);
        }
        match key.trim() {
            "name" => self.name = Some((value, place)),
            "port-guid" => {
                for (word, at) in listed(value, place) {
                    self.members.push(ports(word, at)?);
                }
            }
            "sl" => self.level = Some(level_of(value, place)?),
            "source" => self.rule.sources.extend(listed(value, place)),
            "destination" => self.rule.destinations.extend(listed(value, place)),
            "qos-level-name" => self.rule.level = Some((value, place)),
            "use" => {}
            // Of how packets go, and not of whose.
            "mtu-limit" | "rate-limit" | "packet-life" if self.inner() == Some("qos-level") => {}
            key => {
                let message = format!(
                    "`{key}` is not read here: which pairs are meant must be said by `port-guid`, `source` and `destination`"
                );
                return Err(Flaw::at(offset, message));
            }
        }
        Ok(())
    }

    /// The block that has begun last of those that have not ended.
    fn inner(&self) -> Option<&'static str> {
        self.open.last().map(|&(block, _)| block)
    }

    /// A line of the levels of programs: that of all others is the only one that does not ask whose packets are.
    fn program(
        &mut self,
        key: &str,
        (value, place): (&str, usize),
        offset: usize,
    ) -> Result<(), Flaw> {
        if key == DEFAULT {
            self.simple = Some(level_of(value, place)?);
            return Ok(());
        }
        let message = format!(
            "`{PROGRAMS}` is not read here but for `{DEFAULT}`: with `{key}` the level of a packet is that of its program, and not that of its pair"
        );
        Err(Flaw::at(offset, message))
    }

    /// Opens a block, or ends the last one that is open.
    fn nest(&mut self, line: &str, offset: usize) -> Result<(), Flaw> {
        let Some(block) = block_of(line) else {
            return Ok(());
        };
        if line == block {
            self.open.push((block, offset));
            return Ok(());
        }
        match self.open.pop() {
            Some((inner, _)) if inner == block => Ok(()),
            Some((inner, _)) => Err(Flaw::at(
                offset,
                format!("expected `end-{inner}`, found `{line}`"),
            )),
            None => Err(Flaw::at(
                offset,
                format!("there is no `{block}` above that ends here"),
            )),
        }
    }

    fn block(&mut self, line: &'a str, offset: usize) -> Result<(), Flaw> {
        self.nest(line, offset)?;
        let unnamed = || Flaw::at(offset, "this block has no `name`");
        match line {
            "port-group" | "qos-level" => {
                (self.name, self.level) = (None, None);
                self.members.clear();
            }
            "qos-match-rule" => {
                self.rule = Rule {
                    offset,
                    ..Rule::default()
                };
            }
            "end-port-group" => {
                let name = self.name.take().ok_or_else(unnamed)?;
                let members = std::mem::take(&mut self.members);
                self.groups.add(name, members, "group")?;
            }
            "end-qos-level" => {
                let name = self.name.take().ok_or_else(unnamed)?;
                let level = self.level.take();
                let level = level.ok_or_else(|| Flaw::at(offset, "this level has no `sl`"))?;
                self.levels.add(name, level, "level")?;
            }
            "end-qos-match-rule" => self.rules.push(std::mem::take(&mut self.rule)),
            "qos-levels" => self.place = offset,
            "port-groups"
            | "end-port-groups"
            | "end-qos-levels"
            | "qos-match-rules"
            | "end-qos-match-rules"
            | PROGRAMS
            | "end-qos-ulps" => {}
            "qos-setup" => {
                let message = "`qos-setup` is not read here: lanes of levels are read from what switches have, as OpenSM dumps it";
                return Err(Flaw::at(offset, message));
            }
            other => {
                let message =
                    format!("expected `key: value` or a block of a QoS policy, found `{other}`");
                return Err(Flaw::at(offset, message));
            }
        }
        Ok(())
    }

    fn rules(&self) -> Result<Vec<LevelRule>, Flaw> {
        let mut rules = Vec::new();
        for rule in &self.rules {
            let (Some(level), Some(&(_, offset)), false) = (
                rule.level,
                rule.sources.first(),
                rule.destinations.is_empty(),
            ) else {
                let message = "a rule needs `source`, `destination` and `qos-level-name`";
                return Err(Flaw::at(rule.offset, message));
            };
            rules.push(LevelRule {
                sources: self.members(&rule.sources)?,
                destinations: self.members(&rule.destinations)?,
                level: *self.levels.get(level, "level")?,
                offset,
            });
        }
        rules.extend(self.others()?);
        Ok(rules)
    }

    /// All who are in any of these groups.
    fn members(&self, groups: &[(&str, usize)]) -> Result<Vec<Party>, Flaw> {
        let mut members = Vec::new();
        for &group in groups {
            members.extend(self.groups.get(group, "group")?);
        }
        Ok(members)
    }

    /// What pairs without a rule take, if that is not level 0: the level that is called default.
    ///
    /// # Errors
    /// There is none of this name.
    fn others(&self) -> Result<Option<LevelRule>, Flaw> {
        let named = self.levels.get((DEFAULT, self.place), "level").ok();
        let Some(level) = named.copied().or(self.simple) else {
            let message = "this policy has no level `DEFAULT`: OpenSM takes nothing of it, and all pairs have level 0";
            let help =
                "define it among the `qos-levels`: a `qos-level` with `name: DEFAULT` and `sl: 0`";
            return Err(Flaw::at(self.place, message).with_help(help));
        };
        Ok((level > 0).then(|| LevelRule {
            sources: vec![Party::All],
            destinations: vec![Party::All],
            level,
            offset: self.place,
        }))
    }
}

/// A port by its GUID, or several by the first and the last: `0x10-0x1f`.
fn ports(word: &str, at: usize) -> Result<Party, Flaw> {
    let Some((first, last)) = word.split_once('-') else {
        return Ok(Party::Port(guid_of(word, at)?));
    };
    let [from, to] = [first, last].map(str::trim);
    let place = |part: &str| at + (part.as_ptr() as usize - word.as_ptr() as usize);
    let (first, last) = (guid_of(from, place(from))?, guid_of(to, place(to))?);
    match first <= last {
        true => Ok(Party::Ports(first, last)),
        false => Err(Flaw::at(
            at,
            format!("expected the lower GUID first, found `{word}`"),
        )),
    }
}

/// Words between commas, each with its place.
fn listed(value: &str, place: usize) -> impl Iterator<Item = (&str, usize)> {
    let words = value.split(',').map(str::trim);
    words.map(move |word| {
        let before = word.as_ptr() as usize - value.as_ptr() as usize;
        (word, place + before)
    })
}

/// Groups or levels by their names in small letters, each as it is written.
struct Named<'a, T>(BTreeMap<String, (&'a str, T)>);

impl<T> Default for Named<'_, T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'a, T> Named<'a, T> {
    fn add(&mut self, (name, offset): (&'a str, usize), thing: T, what: &str) -> Result<(), Flaw> {
        match self.0.insert(name.to_ascii_lowercase(), (name, thing)) {
            None => Ok(()),
            Some((other, _)) => {
                let message = format!(
                    "there is another {what} `{other}` above, which OpenSM takes instead of this one"
                );
                let help = "leave one of the two out, or give them different names";
                Err(Flaw::at(offset, message).with_help(help))
            }
        }
    }

    fn get(&self, (name, offset): (&str, usize), what: &str) -> Result<&T, Flaw> {
        let found = self.0.get(&name.to_ascii_lowercase());
        found.map(|(_, thing)| thing).ok_or_else(|| {
            let flaw = Flaw::at(offset, format!("there is no {what} `{name}`"));
            match nearest(name, self.0.values().map(|&(name, _)| name)) {
                Some(near) => flaw.with_help(format!("did you mean `{near}`?")),
                None => flaw,
            }
        })
    }
}

/// Writes a policy that gives every pair its service level, which is asked for.
///
/// O(pairs) time; a GUID of text for each destination that those of a group reach at a level other than 0, and for each adapter.
pub fn write(known: &Identities, level: impl FnMut(TerminalId, TerminalId) -> u8) -> String {
    let (mut text, mut rules) = (String::from("port-groups\n"), String::new());
    let mut used = [false; 16];
    for (levels, sources) in alike(known.adapters.len(), level) {
        let first = known.adapters[sources[0]].guid;
        for wanted in 1..16 {
            let reached = (0..levels.len()).filter(|&to| levels[to] == wanted);
            let mut reached = reached.peekable();
            if reached.peek().is_none() {
                continue;
            }
            used[usize::from(wanted)] = true;
            group(
                &mut text,
                known,
                format_args!("D{first:016x}_{wanted}"),
                reached,
            );
            // Writing into a string cannot fail.
            let _ = write!(
                rules,
                "    qos-match-rule\n        source: S{first:016x}\n        destination: D{first:016x}_{wanted}\n        \
                 qos-level-name: SL{wanted}\n    end-qos-match-rule\n"
            );
        }
        if levels.iter().any(|&level| level > 0) {
            group(
                &mut text,
                known,
                format_args!("S{first:016x}"),
                sources.into_iter(),
            );
        }
    }
    text.push_str("end-port-groups\nqos-levels\n");
    text.push_str("    qos-level\n        name: DEFAULT\n        sl: 0\n    end-qos-level\n");
    for level in (1..16).filter(|&level| used[level]) {
        let _ = write!(
            text,
            "    qos-level\n        name: SL{level}\n        sl: {level}\n    end-qos-level\n"
        );
    }
    let _ = write!(
        text,
        "end-qos-levels\nqos-match-rules\n{rules}end-qos-match-rules\n"
    );
    text
}

/// The sources that have the same level to every destination, and these levels; each in the order of its first source.
///
/// Adapters at the same switches mostly are alike, since their packets take the same routes.
fn alike(
    count: usize,
    mut level: impl FnMut(TerminalId, TerminalId) -> u8,
) -> Vec<(Vec<u8>, Vec<usize>)> {
    let mut groups: FxHashMap<Vec<u8>, Vec<usize>> = FxHashMap::default();
    for from in 0..count {
        let mut of = |to| match to == from {
            true => 0,
            false => level(TerminalId::from(from), TerminalId::from(to)),
        };
        let levels = (0..count).map(&mut of).collect();
        groups.entry(levels).or_default().push(from);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_unstable_by_key(|(_, sources)| sources[0]);
    groups
}

/// Writes a group of adapters.
fn group(
    text: &mut String,
    known: &Identities,
    name: std::fmt::Arguments<'_>,
    members: impl Iterator<Item = usize>,
) {
    let _ = write!(
        text,
        "    port-group\n        name: {name}\n        port-guid: "
    );
    for (place, member) in members.enumerate() {
        let separator = if place > 0 { ", " } else { "" };
        let _ = write!(text, "{separator}{:#018x}", known.adapters[member].guid);
    }
    text.push_str("\n    end-port-group\n");
}
