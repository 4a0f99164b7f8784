//! Do the ranks of a trace make the same collective calls?
//!
//! Members of a group call its collectives in one order. Where they do not, a trace is damaged or of another program, and playing
//! it would only show that everybody waits.

use crate::calls::Call;
use crate::collectives::{Collective, Kind, Lengths};
use crate::group::Group;
use rustc_hash::FxHashMap;
use turnwise_config::Flaw;

/// What has been called, by group.
#[derive(Default)]
pub(super) struct Agreement {
    groups: Vec<Made>,
    by_context: FxHashMap<u32, usize>,
}

/// The collective calls of a group.
struct Made {
    group: Group,
    /// The rank whose calls the others' are held to.
    first: u32,
    calls: Vec<Signature>,
    /// How many each rank has made.
    counts: FxHashMap<u32, usize>,
    /// By number, those whose blocks have lengths of their own and that some have yet to make: members, and the lengths that they know.
    lengths: FxHashMap<usize, Vec<(u32, Lengths)>>,
}

/// What all members must agree on.
#[derive(Clone, Copy, PartialEq)]
struct Signature {
    kind: Kind,
    root: u32,
    /// Bytes; not of those whose blocks differ, which are told pair by pair.
    bytes: Option<u64>,
}

/// All blocks of a collective, or its vector, are no more than a tebibyte.
const MOST_BYTES: u64 = 1 << 40;

impl Made {
    /// A member makes a call whose blocks have lengths of their own, unless it is another one.
    ///
    /// # Errors
    /// Another that has made it sends it another number of bytes than it receives, or the other way round.
    fn lengths(
        &mut self,
        number: usize,
        rank: u32,
        collective: &Collective,
        place: usize,
    ) -> Result<(), Flaw> {
        let Some((lengths, me)) = collective.lengths.as_ref().zip(self.group.member(rank)) else {
            return Ok(());
        };
        let others = self.lengths.entry(number).or_default();
        let is_told = |(from, to): (u32, u32)| match collective.kind {
            Kind::Gather => to == collective.root,
            Kind::Scatter => from == collective.root,
            _ => true,
        };
        for (other, theirs) in &*others {
            for (from, to) in [(me, *other), (*other, me)] {
                if !is_told((from, to)) {
                    continue;
                }
                let (mine, said) = ((lengths.0)(from, to), (theirs.0)(from, to));
                if mine != said {
                    let [way, answers] = match from == me {
                        true => ["to", "receives"],
                        false => ["from", "sends"],
                    };
                    let message = format!(
                        "rank {rank}'s collective call {} of group {} is {} of {mine} bytes {way} rank {}, which {answers} {said}",
                        number + 1,
                        self.group.context,
                        collective.kind.name(),
                        self.group.rank(*other),
                    );
                    return Err(Flaw::at(place, message));
                }
            }
        }
        others.push((me, lengths.clone()));
        if others.len() == self.group.count() as usize {
            self.lengths.remove(&number);
        }
        Ok(())
    }
}

impl Agreement {
    /// A rank makes a call.
    ///
    /// # Errors
    /// Others of its group have made another call there, or it is of more bytes than there are.
    pub(super) fn note(&mut self, rank: u32, call: &Call, place: usize) -> Result<(), Flaw> {
        match call {
            Call::Collective(collective, group) => self.collective(rank, collective, group, place),
            _ => Ok(()),
        }
    }

    /// The same of a collective call; says its number among those of its group, from 1 on.
    pub(super) fn collective(
        &mut self,
        rank: u32,
        collective: &Collective,
        group: &Group,
        place: usize,
    ) -> Result<(), Flaw> {
        let name = collective.kind.name();
        // Others are told the bytes of one vector, whatever the number of ranks.
        let has_blocks = matches!(
            collective.kind,
            Kind::AllGather | Kind::AllToAll | Kind::Gather | Kind::Scatter
        );
        let (bytes, ranks) = (collective.bytes, group.count());
        let all = match has_blocks {
            true => bytes.saturating_mul(ranks.into()),
            false => bytes,
        };
        if all > MOST_BYTES {
            let what = if has_blocks {
                "all blocks together"
            } else {
                "a vector"
            };
            let message = format!(
                "{name} of {bytes} bytes among {ranks} ranks: {what} may have {MOST_BYTES} bytes"
            );
            return Err(Flaw::at(place, message));
        }
        let made = self.made(rank, group);
        let count = made.counts.entry(rank).or_default();
        let number = *count;
        *count += 1;
        let signature = Signature {
            kind: collective.kind,
            root: collective.root,
            bytes: collective.lengths.is_none().then_some(collective.bytes),
        };
        if rank == made.first {
            made.calls.push(signature);
            return made.lengths(number, rank, collective, place);
        }
        let complain = |what: String| {
            let message = format!(
                "rank {rank}'s collective call {} of group {} is {name}, and rank {}'s {what}",
                number + 1,
                group.context,
                made.first
            );
            Err(Flaw::at(place, message))
        };
        match made.calls.get(number) {
            None => complain(format!("last one is {number}")),
            Some(other) if other.kind != signature.kind => {
                complain(format!("is {}", other.kind.name()))
            }
            Some(other) if other.root != signature.root => {
                let root = |member: u32| group.rank(member.min(group.count() - 1));
                complain(format!(
                    "has root {} instead of {}",
                    root(other.root),
                    root(signature.root)
                ))
            }
            Some(other) if other.bytes != signature.bytes => {
                let words = |bytes: Option<u64>| match bytes {
                    Some(bytes) => format!("{bytes} bytes"),
                    None => "lengths of their own".to_owned(),
                };
                complain(format!(
                    "is of {} instead of {}",
                    words(other.bytes),
                    words(signature.bytes)
                ))
            }
            Some(_) => made.lengths(number, rank, collective, place),
        }
    }

    /// How many collective calls of a group a rank has made.
    pub(super) fn count(&self, rank: u32, group: &Group) -> usize {
        let index = self.by_context.get(&group.context);
        let counts = index.and_then(|&index| self.groups[index].counts.get(&rank));
        counts.copied().unwrap_or(0)
    }

    fn made(&mut self, rank: u32, group: &Group) -> &mut Made {
        let groups = &mut self.groups;
        let index = *self.by_context.entry(group.context).or_insert_with(|| {
            groups.push(Made {
                group: group.clone(),
                first: rank,
                calls: Vec::new(),
                counts: FxHashMap::default(),
                lengths: FxHashMap::default(),
            });
            groups.len() - 1
        });
        &mut self.groups[index]
    }

    /// All ranks have made all their calls.
    ///
    /// # Errors
    /// A member has made fewer than another.
    pub(super) fn end(&self) -> Result<(), Flaw> {
        for made in &self.groups {
            for member in 0..made.group.count() {
                let rank = made.group.rank(member);
                let count = made.counts.get(&rank).copied().unwrap_or(0);
                if count < made.calls.len() {
                    let message = format!(
                        "rank {rank} ends after {count} collective calls of group {}, rank {} makes {}",
                        made.group.context,
                        made.first,
                        made.calls.len()
                    );
                    return Err(Flaw::general(message));
                }
            }
        }
        Ok(())
    }
}
