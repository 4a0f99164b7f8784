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
//! Pairs that no rule is about take the level that is called `DEFAULT`.
//!
//! Of OpenSM's language this is as much as says which pairs are meant: groups by GUIDs, rules by source and destination. What else can
//! be said in it is refused, since a rule would mean something else without it.
//!
//! Source: OpenSM 3.3.23, `doc/QoS_management_in_OpenSM.txt`.

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
/// The first line that is not understood, names that are not defined.
pub(super) fn read(text: &str) -> Result<Vec<LevelRule>, Flaw> {
    let mut policy = Policy::default();
    for (line, offset) in lines(text) {
        policy.line(line, offset)?;
    }
    policy.rules()
}

#[derive(Default)]
struct Policy<'a> {
    groups: BTreeMap<&'a str, Vec<Party>>,
    levels: BTreeMap<&'a str, u8>,
    rules: Vec<Rule<'a>>,
    /// What the present block says.
    name: Option<&'a str>,
    members: Vec<Party>,
    level: Option<u8>,
    rule: Rule<'a>,
}

/// Names, each with its place.
#[derive(Clone, Copy, Default)]
struct Rule<'a> {
    source: Option<(&'a str, usize)>,
    destination: Option<(&'a str, usize)>,
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
        match key.trim() {
            "name" => self.name = Some(value),
            "port-guid" => {
                for word in value.split(',') {
                    let at =
                        place + (word.trim_start().as_ptr() as usize - value.as_ptr() as usize);
                    self.members.push(Party::Port(guid_of(word.trim(), at)?));
                }
            }
            "sl" => self.level = Some(level_of(value, place)?),
            "source" => self.rule.source = Some((value, place)),
            "destination" => self.rule.destination = Some((value, place)),
            "qos-level-name" => self.rule.level = Some((value, place)),
            "use" => {}
            key => {
                let message = format!(
                    "`{key}` is not read here: which pairs are meant must be said by `port-guid`, `source` and `destination`"
                );
                return Err(Flaw::at(offset, message));
            }
        }
        Ok(())
    }

    fn block(&mut self, line: &'a str, offset: usize) -> Result<(), Flaw> {
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
                self.groups.insert(name, std::mem::take(&mut self.members));
            }
            "end-qos-level" => {
                let name = self.name.take().ok_or_else(unnamed)?;
                let level = self.level.take();
                let level = level.ok_or_else(|| Flaw::at(offset, "this level has no `sl`"))?;
                self.levels.insert(name, level);
            }
            "end-qos-match-rule" => self.rules.push(self.rule),
            "port-groups"
            | "end-port-groups"
            | "qos-levels"
            | "end-qos-levels"
            | "qos-match-rules"
            | "end-qos-match-rules" => {}
            other => {
                let message =
                    format!("expected `key: value` or a block of a QoS policy, found `{other}`");
                return Err(Flaw::at(offset, message));
            }
        }
        Ok(())
    }

    fn rules(&self) -> Result<Vec<LevelRule>, Flaw> {
        let rules = self.rules.iter().map(|rule| {
            let Rule {
                source: Some(source),
                destination: Some(destination),
                level: Some(level),
                ..
            } = *rule
            else {
                let message = "a rule needs `source`, `destination` and `qos-level-name`";
                return Err(Flaw::at(rule.offset, message));
            };
            Ok(LevelRule {
                sources: named(&self.groups, source, "group")?.clone(),
                destinations: named(&self.groups, destination, "group")?.clone(),
                level: *named(&self.levels, level, "level")?,
                offset: source.1,
            })
        });
        rules.chain(self.others().map(Ok)).collect()
    }

    /// What pairs without a rule take, if that is not level 0: the level that is called default.
    fn others(&self) -> Option<LevelRule> {
        let mut levels = self.levels.iter();
        let (_, &level) = levels.find(|(name, _)| name.eq_ignore_ascii_case("default"))?;
        (level > 0).then(|| LevelRule {
            sources: vec![Party::All],
            destinations: vec![Party::All],
            level,
            offset: 0,
        })
    }
}

fn named<'a, T>(
    things: &'a BTreeMap<&str, T>,
    (name, offset): (&str, usize),
    what: &str,
) -> Result<&'a T, Flaw> {
    things.get(name).ok_or_else(|| {
        let flaw = Flaw::at(offset, format!("there is no {what} `{name}`"));
        match nearest(name, things.keys().copied()) {
            Some(near) => flaw.with_help(format!("did you mean `{near}`?")),
            None => flaw,
        }
    })
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
