//! File: where each rank is, line by line.
//!
//! A line names the terminal of the next rank: by its number (`17`), by its label (`terminal 17`; in a fabric what its
//! adapter is called, `n17 HCA-1`), by its host (`n17`, its next free adapter), or by its router, whose next free terminal
//! it is (`(3,1)`, `group 2 router 0`; with `/1` behind it the terminal that is second there). A line may also be a Slurm
//! hostlist of several, `n[1-3,7]`. As in the host files of MPI launchers, `n17 slots=4` (Open MPI, which takes `cpu` and `count` for
//! the same) and `n17:4` (MPICH) are so many lines of `n17`; what else is said there, such as `max_slots=8`, is not about ranks. Where several ranks may share a terminal, it is free until it has as many. Empty lines and what follows a `#` say nothing, nor do lines beyond the last rank.
//!
//! Source: the host files of Open MPI (mpirun(1), "Specifying Hosts") and of MPICH (Hydra, "Host file"), and SchedMD, Slurm, scontrol show hostnames.
//!
//! Complexity: O(terminals + lines).

use crate::placement::{Placement, Seats, Site};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;
use std::iter;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::nearest;
use turnwise_config::hostlist;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_network::{Invalid, Network, RouterId, TerminalId};

pub(super) const ENTRY: Entry<dyn Placement> = Entry {
    name: "file",
    aliases: &["hostfile"],
    summary: "A file says where each rank is, one a line",
    source: "SchedMD, Slurm, scontrol show hostnames; host files of MPI launchers",
    example: "file = \"hosts.txt\"",
    schema: schema_of::<File>,
    parse: |table, errors| Some(Box::new(parse_as::<File, dyn Placement>(table, errors)?)),
};

/// Parameters of placement by a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The file, relative to the study: a terminal a line, by its number, its label or its router's, or a Slurm hostlist; `slots=4` or `:4` behind it stands for so many ranks.
    pub file: String,
}

impl Placement for File {
    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn room(&self, site: &Site<'_>, ranks: u32) -> Result<u32, Invalid> {
        let text = site.text.unwrap_or_default();
        let terminals = read(text, site, ranks);
        let terminals = terminals.map_err(|flaw| flaw.in_file(&self.file, text))?;
        Ok(terminals.len() as u32)
    }

    fn place(&self, site: &Site<'_>, ranks: u32) -> Result<Seats, Invalid> {
        let text = site.text.unwrap_or_default();
        let terminals = read(text, site, ranks).and_then(|terminals| match terminals.len() {
            few if few < ranks as usize => {
                let flaw = Flaw::general(format!("{few} terminals for {ranks} ranks"));
                Err(flaw.with_help("write a terminal for every rank"))
            }
            _ => Ok(terminals),
        });
        let terminals = terminals.map_err(|flaw| flaw.in_file(&self.file, text))?;
        Ok(terminals.into())
    }
}

/// The terminals of so many ranks, or of fewer if the file has no more lines.
fn read(text: &str, site: &Site<'_>, ranks: u32) -> Result<Vec<TerminalId>, Flaw> {
    let names = Names::new(site.network);
    let mut free = vec![0_u32; site.network.terminal_count()];
    for terminal in site.free {
        free[terminal.index()] += 1;
    }
    let mut placed = Vec::new();
    // Editors of some systems begin a text with a mark that says how its bytes are ordered.
    let marked = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut offset = text.len() - marked.len();
    for line in marked.split('\n') {
        let entry = line.split('#').next().unwrap_or_default();
        let at = offset + entry.len() - entry.trim_start().len();
        offset += line.len() + 1;
        let entry = entry.trim();
        if placed.len() == ranks as usize {
            break;
        }
        if entry.is_empty() {
            continue;
        }
        let (places, slots) = names.line(entry, at)?;
        let seats = places
            .iter()
            .flat_map(|place| iter::repeat_n(place, slots as usize));
        for place in seats.take(ranks as usize - placed.len()) {
            let next = place
                .terminals
                .iter()
                .find(|terminal| free[terminal.index()] > 0);
            let Some(&terminal) = next else {
                let message = format!("`{}` has no free terminal", place.name);
                let help = match site.ranks_per_terminal {
                    1 if slots > 1 => format!(
                        "for several ranks at a terminal say ranks_per_terminal = {slots} in the placement"
                    ),
                    1 => "a terminal has one rank".to_owned(),
                    ranks => format!("a terminal has {ranks} ranks at most"),
                };
                let help = format!("{help}; {OTHERS}");
                return Err(Flaw::at(at, message).with_help(help));
            };
            free[terminal.index()] -= 1;
            placed.push(terminal);
        }
    }
    Ok(placed)
}

const OTHERS: &str = "those that have failed or that another job has take none";

/// How lines of rank files begin.
fn is_of_rank_file(entry: &str) -> bool {
    let rank = entry.strip_prefix("rank").and_then(|rest| {
        let (rank, _) = rest.split_once('=')?;
        rank.starts_with(char::is_whitespace).then_some(rank.trim())
    });
    rank.is_some_and(|rank| !rank.is_empty() && is_number(rank))
}

/// What says in a host file of Open MPI how many ranks are at a host.
const COUNTS: [&str; 3] = ["slots", "cpu", "count"];
/// What else may be said there and in one of MPICH, and is not about how many.
const OTHER_WORDS: [&str; 25] = [
    "max_slots",
    "max-slots",
    "slots_max",
    "slots-max",
    "max_cpu",
    "max-cpu",
    "cpu_max",
    "cpu-max",
    "max_count",
    "max-count",
    "count_max",
    "count-max",
    "username",
    "user_name",
    "user-name",
    "user",
    "port",
    "boards",
    "sockets",
    "sockets_per_board",
    "sockets-per-board",
    "cores",
    "cores_per_socket",
    "cores-per-socket",
    "binding",
];

/// A line without what an MPI launcher reads in it, and how many ranks that says are there.
fn slots(entry: &str, at: usize) -> Result<(&str, u32), Flaw> {
    // Behind the host, what is said begins with a word and an equals sign, perhaps with blanks between.
    let begins = entry.match_indices('=').find_map(|(equals, _)| {
        let before = entry[..equals].trim_end();
        let word = before.rsplit(char::is_whitespace).next()?;
        let begin = before.len() - word.len();
        (begin > 0).then_some(begin)
    });
    let (name, mut rest) = entry.split_at(begins.unwrap_or(entry.len()));
    let mut name = name.trim_end();
    let mut written = None;
    if let Some((before, count)) = name.rsplit_once(':').filter(|(_, count)| is_number(count)) {
        written = Some((before.len()..name.len(), count));
        name = before;
    }
    while !rest.is_empty() {
        let place = entry.len() - rest.len();
        let key = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let value = rest[key.len()..].trim_start().strip_prefix('=');
        let is_count = COUNTS.contains(&key);
        let Some(value) = value.filter(|_| is_count || OTHER_WORDS.contains(&key)) else {
            let message = format!("`{key}` is not understood behind a host");
            let help = "`slots=4` says how many ranks are there, as `cpu=4` and `count=4` do";
            return Err(Flaw::at(at + place, message).with_help(help));
        };
        let value = value.trim_start();
        let count = &value[..value.find(char::is_whitespace).unwrap_or(value.len())];
        let end = entry.len() - value.len() + count.len();
        rest = entry[end..].trim_start();
        if !is_count {
            continue;
        }
        if written.is_some() {
            let message = format!("`{key}` says again how many ranks are there");
            return Err(Flaw::at(at + place, message).with_help("say it once"));
        }
        written = Some((place..end, count));
    }
    let Some((word, count)) = written else {
        return Ok((name, 1));
    };
    match count.parse() {
        Ok(count @ 1..) => Ok((name, count)),
        _ => {
            let message = format!("`{}` says no number of ranks", &entry[word.clone()]);
            let flaw = Flaw::at(at + word.start, message);
            Err(flaw.with_help("a host has at least one, as in `n17 slots=4` or `n17:4`"))
        }
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Does a word end here that says something of a host?
fn ends(character: char) -> bool {
    character == '=' || character.is_whitespace()
}

/// What a line names, and the terminals that can be meant.
struct Place {
    name: String,
    terminals: Vec<TerminalId>,
}

/// What terminals and routers are called.
struct Names<'a> {
    network: &'a Network,
    terminals: FxHashMap<String, TerminalId>,
    /// In a fabric, adapters by the first word of their names.
    hosts: FxHashMap<String, Vec<TerminalId>>,
    routers: FxHashMap<String, RouterId>,
}

impl<'a> Names<'a> {
    fn new(network: &'a Network) -> Self {
        let terminals = network.terminals();
        let routers = network.routers();
        let mut hosts: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (terminal, adapter) in (0..).zip(
            network
                .identities()
                .into_iter()
                .flat_map(|known| &known.adapters),
        ) {
            let host = adapter.name.split(' ').next().unwrap_or_default();
            hosts
                .entry(host.to_owned())
                .or_default()
                .push(TerminalId(terminal));
        }
        Self {
            network,
            hosts,
            terminals: terminals
                .map(|terminal| (network.terminal_label(terminal), terminal))
                .collect(),
            routers: routers
                .map(|router| (network.router_label(router), router))
                .collect(),
        }
    }

    /// What a line stands for, which begins at a byte of the file, and how many ranks are at each.
    fn line(&self, entry: &str, at: usize) -> Result<(Vec<Place>, u32), Flaw> {
        if let Some(place) = self.place(entry) {
            return Ok((vec![place], 1));
        }
        if is_of_rank_file(entry) {
            let message = "this is a line of a rank file, and not of a host file";
            let help = "write the host of each rank, in the order of the ranks, a line each";
            return Err(Flaw::at(at, message).with_help(help));
        }
        let (entry, slots) = slots(entry, at)?;
        Ok((self.places(entry, at)?, slots))
    }

    fn places(&self, entry: &str, at: usize) -> Result<Vec<Place>, Flaw> {
        if let Some(place) = self.place(entry) {
            return Ok(vec![place]);
        }
        let hosts = hostlist::expand(entry);
        let Ok(hosts) = hosts else {
            return Err(self.unknown(entry, at));
        };
        let place = |host: &hostlist::Host| {
            let unknown = || self.unknown(&host.name, at + host.at.start);
            self.place(&host.name).ok_or_else(unknown)
        };
        hosts.iter().map(place).collect()
    }

    fn place(&self, name: &str) -> Option<Place> {
        Some(Place {
            terminals: self.terminals(name)?,
            name: name.to_owned(),
        })
    }

    fn terminals(&self, name: &str) -> Option<Vec<TerminalId>> {
        if let Some(&terminal) = self.terminals.get(name) {
            return Some(vec![terminal]);
        }
        if let Some(terminals) = self.hosts.get(name) {
            return Some(terminals.clone());
        }
        let of_router = |router: RouterId| self.network.terminals_of(router).map(TerminalId);
        if let Some(&router) = self.routers.get(name) {
            return Some(of_router(router).collect());
        }
        if let Ok(number) = name.parse::<u32>() {
            let exists = (number as usize) < self.network.terminal_count();
            return exists.then(|| vec![TerminalId(number)]);
        }
        let (router, index) = name.rsplit_once('/')?;
        let router = *self.routers.get(router)?;
        let terminal = of_router(router).nth(index.parse().ok()?)?;
        Some(vec![terminal])
    }

    fn unknown(&self, name: &str, at: usize) -> Flaw {
        let same = self.network.identities().map_or([0, 0], |known| {
            let adapters = known.adapters.iter();
            let switches = known.switches.iter();
            [
                adapters.filter(|adapter| adapter.label() == name).count(),
                switches.filter(|switch| switch.name == name).count(),
            ]
        });
        let message = match same {
            [0, 0] => format!("there is no terminal or router `{name}`"),
            [0, routers] => format!("{routers} routers are called `{name}`"),
            [terminals, _] => format!("{terminals} terminals are called `{name}`"),
        };
        let terminals = self.network.terminals();
        let routers = self.network.routers();
        let labels: Vec<String> = terminals
            .map(|terminal| self.network.terminal_label(terminal))
            .chain(routers.map(|router| self.network.router_label(router)))
            .collect();
        let help = match nearest(name, labels.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "terminals are written 0 to {}, or like `{}`",
                self.network.terminal_count().saturating_sub(1),
                labels.first().map_or("", String::as_str)
            ),
        };
        Flaw::at(at, message).with_help(help)
    }
}
