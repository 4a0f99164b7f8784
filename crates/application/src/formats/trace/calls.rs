//! Lines that are calls.

use super::header::{Content, GROUPS, GROUPS_FIRST, Header};
use super::time;
use crate::calls::Call;
use crate::collectives::{Collective, Kind, Lengths};
use crate::formats::recorded;
use crate::formats::requests::Requests;
use crate::formats::words::{BYTES, Words, shown};
use crate::group::Group;
use crate::task::{ANY, Message};
use std::sync::Arc;
use turnwise_config::Flaw;
use turnwise_config::diagnostic::suggestion;

/// What follows the name of a collective whose blocks have lengths of their own.
pub(super) const OWN_LENGTHS: &str = "-v";
/// Calls that are no collectives.
const CALLS: [&str; 7] = [
    "compute", "send", "recv", "isend", "irecv", "wait", "waitall",
];
/// Collectives whose blocks may have lengths of their own.
const OF_OWN_LENGTHS: [Kind; 3] = [Kind::AllToAll, Kind::Gather, Kind::Scatter];

/// What lines mean.
pub(super) struct Language(pub(super) Arc<Header>);

impl recorded::Language for Language {
    type Reader = Reader;

    fn reader(&self, rank: u32) -> Reader {
        Reader {
            header: Arc::clone(&self.0),
            rank,
            requests: Requests::default(),
        }
    }
}

/// Reads the calls of a rank.
pub(super) struct Reader {
    header: Arc<Header>,
    rank: u32,
    requests: Requests,
}

impl recorded::Reader for Reader {
    fn line(&mut self, words: &mut Words<'_>, calls: &mut Vec<Call>) -> Result<(), Flaw> {
        let place = words.place();
        let word = words.word().unwrap_or_default();
        calls.push(match word {
            b"compute" => Call::Compute(time(words, &self.header)?),
            b"send" => Call::Send(self.message(words, false)?),
            b"recv" => Call::Recv(self.message(words, true)?),
            b"isend" => {
                let request = self.request(words)?;
                Call::Isend(self.message(words, false)?, request)
            }
            b"irecv" => {
                let request = self.request(words)?;
                Call::Irecv(self.message(words, true)?, request)
            }
            b"wait" => return self.wait(words, calls),
            b"waitall" => {
                self.requests.close_all();
                Call::Waitall(u32::MAX)
            }
            word => {
                let (name, has_lengths) = match word.strip_suffix(OWN_LENGTHS.as_bytes()) {
                    Some(name) => (name, true),
                    None => (word, false),
                };
                let kind = Kind::ALL
                    .into_iter()
                    .find(|kind| kind.name().as_bytes() == name);
                match (kind, has_lengths) {
                    (Some(kind), false) => self.collective(words, kind, place)?,
                    (Some(kind), true) if OF_OWN_LENGTHS.contains(&kind) => {
                        self.with_lengths(words, kind, place)?
                    }
                    _ => return Err(unknown(word, place)),
                }
            }
        });
        Ok(())
    }
}

fn unknown(word: &[u8], place: usize) -> Flaw {
    let flaw = Flaw::at(place, format!("there is no call `{}`", shown(word)));
    if word == b"group" {
        return flaw.with_help(GROUPS_FIRST);
    }
    let of_own_lengths = OF_OWN_LENGTHS.map(|kind| format!("{}{OWN_LENGTHS}", kind.name()));
    let of_own_lengths = of_own_lengths.each_ref().map(String::as_str);
    let others: Vec<&str> = CALLS
        .into_iter()
        .chain(Kind::ALL.into_iter().map(Kind::name))
        .collect();
    // `gatherv` is as near to `gather` as to `gather-v`, which is meant.
    let nearest_first = of_own_lengths.iter().chain(&others).copied();
    let listed = others.iter().chain(&of_own_lengths).copied();
    let help = suggestion(&shown(word), "the calls are", nearest_first, listed);
    flaw.with_help(help)
}

/// `PEER BYTES [TAG [GROUP]]`; receives may say `any`.
pub(super) fn message(
    words: &mut Words<'_>,
    header: &Header,
    receives: bool,
) -> Result<Message, Flaw> {
    let peer = match receives && words.takes("any") {
        true => ANY,
        false => words.number("a rank", 0..header.ranks.into())? as u32,
    };
    let bytes = words.number("a number of bytes", 0..BYTES)?;
    if !receives && words.peek() == Some(b"any") {
        let flaw = words.expected("a tag, a number");
        return Err(flaw.with_help("only receives may say `any`"));
    }
    let is_number = |word: Option<&[u8]>| word.is_some_and(|word| word[0].is_ascii_digit());
    let tag = match receives && words.takes("any") {
        true => ANY,
        false if is_number(words.peek()) => words.number("a tag", 0..ANY.into())? as u32,
        false => 0,
    };
    // Tasks may be those of collectives, whose contexts are beyond all groups'.
    let contexts = match header.content {
        Content::Calls => GROUPS,
        Content::Tasks => 2 * GROUPS,
    };
    let context = match is_number(words.peek()) {
        true => words.number("the number of a group", 0..contexts)? as u32,
        false => 0,
    };
    Ok(Message {
        peer,
        tag,
        context,
        bytes,
    })
}

impl Reader {
    /// A message between members of its group, if that is declared: programs that were not written here know groups of collectives alone.
    fn message(&self, words: &mut Words<'_>, receives: bool) -> Result<Message, Flaw> {
        let place = words.place();
        let message = message(words, &self.header, receives)?;
        // All ranks are in the first.
        if message.context != 0
            && let Some(group) = self.header.groups.get(&message.context)
        {
            self.check_member(group, place)?;
            if message.peer != ANY {
                member(group, message.peer, place)?;
            }
        }
        Ok(message)
    }

    fn request(&mut self, words: &mut Words<'_>) -> Result<u32, Flaw> {
        let place = words.place();
        let number = words.number("the number of a request", 0..1 << 32)? as u32;
        self.requests.open(number).ok_or_else(|| {
            Flaw::at(
                place,
                format!("request {number} is open, nobody has waited for it"),
            )
        })
    }

    fn wait(&mut self, words: &mut Words<'_>, calls: &mut Vec<Call>) -> Result<(), Flaw> {
        loop {
            let place = words.place();
            let number = words.number("the number of a request", 0..1 << 32)? as u32;
            let Some(slot) = self.requests.close(number) else {
                return Err(Flaw::at(
                    place,
                    format!("there is no open request {number}"),
                ));
            };
            calls.push(Call::Wait(slot));
            if !words.has_more() {
                return Ok(());
            }
        }
    }

    /// `BYTES [ROOT] [GROUP]`, without bytes where it is a barrier, with a root where there is one.
    fn collective(
        &mut self,
        words: &mut Words<'_>,
        kind: Kind,
        place: usize,
    ) -> Result<Call, Flaw> {
        let bytes = match kind {
            Kind::Barrier => 0,
            _ => words.number("a number of bytes", 0..BYTES)?,
        };
        let root_place = words.place();
        let root = match has_root(kind) {
            true => words.number("the rank of the root", 0..self.header.ranks.into())? as u32,
            false => 0,
        };
        let group = match words.has_more() {
            true => self.group(words)?,
            false => self.header.groups[&0].clone(),
        };
        self.check_member(&group, place)?;
        let root = match has_root(kind) {
            true => member(&group, root, root_place)?,
            false => 0,
        };
        let collective = Collective {
            root,
            ..Collective::new(kind, bytes)
        };
        Ok(Call::Collective(collective, group))
    }

    /// All-to-all: `GROUP BYTES..` to each member, then from each. Gather and scatter: `GROUP ROOT BYTES..` of each
    /// member at the root, its own at another.
    fn with_lengths(
        &mut self,
        words: &mut Words<'_>,
        kind: Kind,
        place: usize,
    ) -> Result<Call, Flaw> {
        let group = self.group(words)?;
        let me = self.check_member(&group, place)?;
        let root_place = words.place();
        let root = match has_root(kind) {
            true => {
                let root = words.number("the rank of the root", 0..self.header.ranks.into())?;
                member(&group, root as u32, root_place)?
            }
            false => 0,
        };
        let count = match kind {
            Kind::AllToAll => 2 * u64::from(group.count()),
            _ if me == root => group.count().into(),
            _ => 1,
        };
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(words.number("a number of bytes", 0..BYTES)?);
        }
        let sum = all
            .iter()
            .fold(0_u64, |sum, &bytes| sum.saturating_add(bytes));
        let bytes = sum / count;
        let half = group.count() as usize;
        // What others have for each other is compared when both have told it.
        let own = me as usize;
        if kind == Kind::AllToAll && all[own] != all[half + own] {
            let message = format!(
                "rank {} has {} bytes for itself here, and receives {}",
                self.rank,
                all[own],
                all[half + own]
            );
            return Err(Flaw::at(place, message));
        }
        let lengths = move |from: u32, to: u32| match kind {
            Kind::AllToAll if from == me => all[to as usize],
            Kind::AllToAll => all[half + from as usize],
            _ if me != root => all[0],
            Kind::Gather => all[from as usize],
            _ => all[to as usize],
        };
        let collective = Collective {
            kind,
            bytes,
            root,
            lengths: Some(Lengths(Arc::new(lengths))),
        };
        Ok(Call::Collective(collective, group))
    }

    fn group(&self, words: &mut Words<'_>) -> Result<Group, Flaw> {
        let place = words.place();
        let number = words.number("the number of a group", 0..GROUPS)? as u32;
        let group = self.header.groups.get(&number);
        group.cloned().ok_or_else(|| {
            let message = format!(
                "there is no group {number}: `group {number} ...` stands before the first rank"
            );
            Flaw::at(place, message)
        })
    }

    fn check_member(&self, group: &Group, place: usize) -> Result<u32, Flaw> {
        group.member(self.rank).ok_or_else(|| {
            let message = format!("rank {} is not in group {}", self.rank, group.context);
            Flaw::at(place, message)
        })
    }
}

/// Has it a member that begins or ends it?
pub(super) fn has_root(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Broadcast | Kind::Reduce | Kind::Gather | Kind::Scatter
    )
}

fn member(group: &Group, rank: u32, place: usize) -> Result<u32, Flaw> {
    group.member(rank).ok_or_else(|| {
        Flaw::at(
            place,
            format!("rank {rank} is not in group {}", group.context),
        )
    })
}
