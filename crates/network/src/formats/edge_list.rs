//! Edge lists: one link a line, for people and for scripts.
//!
//! ```text
//! # two routers, one of them with three terminals
//! routers 2
//! terminals_per_router 1
//! terminals 1 3
//! 0 1 10     # routers 0 and 1, latency 10 cycles
//! ```
//!
//! Links are also read as other programs write them: `0,1`, and with the data that NetworkX puts in braces, of which `latency` or `weight` count
//! as the third number does. A link that is listed from both ends is two. Lines that begin with `%` are comments, too.
//!
//! All lines but the links are optional: without `routers` there are as many as the
//! largest number needs. Lines may be in any order.
//!
//! Where the first routers that are mentioned are no numbers, all routers have names, `leaf-1 spine-1`, and are numbered as they come. Names have no
//! blanks, commas or `#`, and are no numbers.

use super::listing::{ListedLink, ListedRouter, Listing, read_latency};
use super::words::{Word, Words, lines, number};
use crate::network::ChannelClass;
use rustc_hash::FxHashMap;
use turnwise_config::Flaw;

/// Reads an edge list.
///
/// # Errors
/// The first thing in the text that is not understood, or contradicts something before.
pub fn read(text: &str) -> Result<Listing, Flaw> {
    let mut reading = Reading::default();
    for words in lines(text) {
        reading.line(&mut words.or_commas())?;
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    listing: Listing,
    /// From a `routers` line.
    routers: Option<u32>,
    /// The numbers of routers, if they have names.
    names: Option<FxHashMap<String, u32>>,
    /// The largest router number so far and where it stands.
    largest: Option<(u32, usize)>,
    /// From `terminals` lines: router, terminals, place.
    terminals: Vec<(u32, u32, usize)>,
}

impl Reading {
    fn line(&mut self, words: &mut Words) -> Result<(), Flaw> {
        let Some(first) = words.next() else {
            return Ok(());
        };
        match first.text {
            comment if comment.starts_with('%') => return Ok(()),
            "routers" => {
                let routers = words.number("a number of routers")?;
                if self.routers.replace(routers).is_some() {
                    return Err(Flaw::at(first.offset, "`routers` is given twice"));
                }
            }
            "terminals_per_router" => {
                let terminals = words.number("a number of terminals")?;
                if self
                    .listing
                    .terminals_per_router
                    .replace(terminals)
                    .is_some()
                {
                    return Err(Flaw::at(
                        first.offset,
                        "`terminals_per_router` is given twice",
                    ));
                }
            }
            "terminals" => {
                let router = words.clone().next();
                if router.is_some_and(|word| is_name(word.text)) {
                    self.have_names();
                }
                let (router, offset) = self.router(words.next(), words.end)?;
                self.terminals
                    .push((router, words.number("a number of terminals")?, offset));
            }
            _ => {
                let second = || words.clone().next().is_some_and(|word| is_name(word.text));
                if is_name(first.text) && second() {
                    self.have_names();
                }
                let (a, _) = self.router(Some(first), words.end)?;
                let (b, offset) = self.router(words.next(), words.end)?;
                let (rest, at) = words.rest();
                let latency = match rest
                    .strip_prefix('{')
                    .and_then(|data| data.strip_suffix('}'))
                {
                    Some(data) => {
                        words.by_ref().for_each(drop);
                        data_latency(data, at + 1)?
                    }
                    None => {
                        let word = words.next();
                        word.map(|word| latency(word.text, word.offset))
                            .transpose()?
                    }
                };
                self.listing.links.push(ListedLink {
                    ends: [a, b],
                    ports: None,
                    latency,
                    interval: None,
                    class: ChannelClass::Local,
                    one_way: false,
                    offset: Some(offset),
                });
            }
        }
        match words.next() {
            Some(word) => Err(Flaw::at(
                word.offset,
                format!("expected the end of the line, found `{}`", word.text),
            )),
            None => Ok(()),
        }
    }

    /// Routers have names from now on, unless there have been numbers.
    fn have_names(&mut self) {
        if self.largest.is_none() {
            self.names = Some(FxHashMap::default());
        }
    }

    fn router(&mut self, word: Option<Word>, end: usize) -> Result<(u32, usize), Flaw> {
        let offset = word.as_ref().map_or(end, |word| word.offset);
        let router = match &mut self.names {
            Some(names) => {
                let name = name(word, end)?;
                let next = names.len() as u32;
                *names.entry(name.to_owned()).or_insert(next)
            }
            None => number(word, end, "a router number")?,
        };
        if self.largest.is_none_or(|(largest, _)| router > largest) {
            self.largest = Some((router, offset));
        }
        Ok((router, offset))
    }

    fn finish(mut self) -> Result<Listing, Flaw> {
        let needed = self
            .largest
            .map_or(0, |(largest, _)| u64::from(largest) + 1);
        let routers = self.routers.map_or(needed, u64::from);
        if let Some((largest, offset)) = self.largest
            && needed > routers
        {
            let message = match self.names {
                Some(_) => format!("this is router {needed}, but `routers {routers}` is given"),
                None => format!("there is no router {largest}, since `routers {routers}` is given"),
            };
            return Err(Flaw::at(offset, message).with_help("routers are numbered from 0"));
        }
        let most = Listing::MOST_ROUTERS;
        if routers > most {
            let message = format!("this needs {routers} routers; at most {most} can be listed");
            let offset = self
                .largest
                .filter(|_| self.routers.is_none())
                .map(|(_, offset)| offset);
            return Err(Flaw::new(offset, message));
        }
        if let Some(names) = self.names {
            let mut named: Vec<(u32, String)> =
                names.into_iter().map(|(name, id)| (id, name)).collect();
            named.sort_unstable();
            let unnamed = (needed..routers).map(|id| id.to_string());
            self.listing.names = named
                .into_iter()
                .map(|(_, name)| name)
                .chain(unnamed)
                .collect();
        }
        self.listing.routers = vec![ListedRouter::default(); routers as usize];
        for (router, terminals, offset) in self.terminals {
            let known = &mut self.listing.routers[router as usize].terminals;
            if known.replace(terminals).is_some() {
                let message = format!("the terminals of router {router} are given twice");
                return Err(Flaw::at(offset, message));
            }
        }
        Ok(self.listing)
    }
}

fn is_name(word: &str) -> bool {
    !word.starts_with('{') && word.parse::<f64>().is_err()
}

/// A router's name, which is neither a number nor nearly one of the words that lines begin with.
fn name<'a>(word: Option<Word<'a>>, end: usize) -> Result<&'a str, Flaw> {
    let Some(word) = word else {
        return Err(Flaw::at(
            end,
            "expected a router's name, found the end of the line",
        ));
    };
    let flaw = || {
        Flaw::at(
            word.offset,
            format!("expected a router's name, found `{}`", word.text),
        )
    };
    if !is_name(word.text) {
        return Err(flaw().with_help("the first routers of this file have names, so all have"));
    }
    match word.text {
        "router" | "terminal" => Err(flaw().with_help(format!("did you mean `{}s`?", word.text))),
        name => Ok(name),
    }
}

/// A latency in the place where other programs have weights.
fn latency(text: &str, offset: usize) -> Result<u32, Flaw> {
    read_latency(text, offset).map_err(|flaw| match text.parse::<f64>() {
        Ok(_) => flaw
            .with_help("a link's third number is its latency; leave out what means something else"),
        Err(_) => flaw,
    })
}

/// The latency in what NetworkX puts in braces, `'weight': 2, 'name': 'x'`.
fn data_latency(data: &str, start: usize) -> Result<Option<u32>, Flaw> {
    let mut at = start;
    let mut found = None;
    for part in data.split(',') {
        let value = part.split_once(':').filter(|(key, _)| {
            let key = key.trim().trim_matches(['\'', '"']);
            key == "latency" || key == "weight" && found.is_none()
        });
        if let Some((key, value)) = value {
            let blanks = value.len() - value.trim_start().len();
            let offset = at + key.len() + 1 + blanks;
            found = Some(latency(value.trim(), offset)?);
        }
        at += part.len() + 1;
    }
    Ok(found)
}
