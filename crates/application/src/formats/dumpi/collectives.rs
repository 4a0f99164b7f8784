//! Collective calls of a rank.
//!
//! Who sends in place (`MPI_IN_PLACE`) says nothing of what it sends, and whatever stands there is recorded. So lengths are those of what
//! is received wherever members know these, and of what the root has for all of them.

use super::player::{Player, wrong};
use super::records::Record;
use crate::collectives::{Collective, Kind};
use crate::formats::lengths::{all_to_all, mean, of_root};
use crate::group::Group;
use turnwise_config::Flaw;

impl Player {
    /// What a record says that all members of a group do; `None` if it is no collective.
    pub(super) fn collective(&self, record: &Record) -> Result<Option<(Collective, Group)>, Flaw> {
        let values = &record.values;
        let communicator = match record.name {
            "Barrier" => 0,
            "Bcast" | "Allreduce" | "Scan" | "Exscan" => 3,
            "Gather" | "Scatter" | "Allgather" | "Alltoall" | "Reduce" => 4,
            "Gatherv" => 5,
            "Scatterv" => 6,
            "Allgatherv" => 4,
            "Alltoallv" | "Reduce_scatter" => 3,
            "Alltoallw" => 1,
            _ => return Ok(None),
        };
        let group = self.group(values[communicator], record)?;
        let me = group.member(self.me).unwrap_or(0);
        let simple = |kind, count: i32, of: i32| {
            let bytes = self.bytes(count, of, record)?;
            Ok::<_, Flaw>(Collective::new(kind, bytes))
        };
        let rooted = |kind, count: i32, of: i32, root: i32| {
            let root = member(root, group, record)?;
            let collective = simple(kind, count, of)?;
            Ok::<_, Flaw>(Collective { root, ..collective })
        };
        // Who is the root knows of all blocks, which are as long as its own.
        let block = match values.get(5) {
            Some(_) => 5,
            None => 1,
        };
        let collective = match record.name {
            "Bcast" => rooted(Kind::Broadcast, values[0], values[1], values[2])?,
            "Reduce" => rooted(Kind::Reduce, values[0], values[1], values[3])?,
            "Gather" => rooted(Kind::Gather, values[block], values[block + 1], values[3])?,
            "Scatter" => rooted(Kind::Scatter, values[block], values[block + 1], values[3])?,
            // Prefix sums take as long as sums, within a round.
            "Allreduce" | "Scan" | "Exscan" => simple(Kind::AllReduce, values[0], values[1])?,
            "Allgather" => simple(Kind::AllGather, values[2], values[3])?,
            "Alltoall" => simple(Kind::AllToAll, values[2], values[3])?,
            "Gatherv" => {
                let root = member(values[4], group, record)?;
                let (own, all) = match root == me {
                    true => (0, self.all_bytes(record, 0, group, values[6])?),
                    false => (self.bytes(values[2], values[3], record)?, Vec::new()),
                };
                of_root(Kind::Gather, me, root, own, all)
            }
            "Scatterv" => {
                let root = member(values[5], group, record)?;
                let (own, all) = match root == me {
                    true => (0, self.all_bytes(record, 0, group, values[2])?),
                    false => (self.bytes(values[3], values[4], record)?, Vec::new()),
                };
                of_root(Kind::Scatter, me, root, own, all)
            }
            "Allgatherv" => {
                let all = self.all_bytes(record, 0, group, values[3])?;
                Collective::new(Kind::AllGather, mean(&all))
            }
            "Alltoallv" => {
                let received = self.all_bytes(record, 2, group, values[2])?;
                let sent = match is_no_type(values[1]) {
                    true => received.clone(),
                    false => self.all_bytes(record, 0, group, values[1])?,
                };
                all_to_all(me, sent, received)
            }
            "Alltoallw" => {
                let received = self.bytes_of_each(record, 3, 5, group)?;
                let types = record.lists.get(2).map_or(&[][..], |types| types);
                let sent = match types.iter().copied().all(is_no_type) {
                    true => received.clone(),
                    false => self.bytes_of_each(record, 0, 2, group)?,
                };
                all_to_all(me, sent, received)
            }
            "Reduce_scatter" => {
                let all = self.all_bytes(record, 0, group, values[1])?;
                let sum = all
                    .iter()
                    .fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
                Collective::new(Kind::ReduceScatter, sum)
            }
            _ => Collective::new(Kind::Barrier, 0),
        };
        Ok(Some((collective, group.clone())))
    }

    /// A list of counts, one for each member, as bytes.
    fn all_bytes(
        &self,
        record: &Record,
        list: usize,
        group: &Group,
        of: i32,
    ) -> Result<Vec<u64>, Flaw> {
        let counts = for_each_member(record, list, group)?;
        let bytes = counts.iter().map(|&count| self.bytes(count, of, record));
        bytes.collect()
    }

    /// The same where each has a type of its own.
    fn bytes_of_each(
        &self,
        record: &Record,
        list: usize,
        types: usize,
        group: &Group,
    ) -> Result<Vec<u64>, Flaw> {
        let counts = for_each_member(record, list, group)?;
        let types = for_each_member(record, types, group)?;
        let pairs = counts.iter().zip(types);
        pairs
            .map(|(&count, &of)| self.bytes(count, of, record))
            .collect()
    }
}

/// `MPI_DATATYPE_NULL`, which who sends in place mostly says, or none that DUMPI knows.
fn is_no_type(of: i32) -> bool {
    (0..2).contains(&of)
}

fn for_each_member<'a>(record: &'a Record, list: usize, group: &Group) -> Result<&'a [i32], Flaw> {
    let list = record.lists.get(list).map_or(&[][..], |list| list);
    match list.len() == group.count() as usize {
        true => Ok(list),
        false => {
            let message = format!(
                "expected a value for each of {} members, found {}",
                group.count(),
                list.len()
            );
            Err(wrong(record, &message))
        }
    }
}

fn member(root: i32, group: &Group, record: &Record) -> Result<u32, Flaw> {
    let root = u32::try_from(root)
        .ok()
        .filter(|&root| root < group.count());
    root.ok_or_else(|| wrong(record, "the root is in no group of its size"))
}
