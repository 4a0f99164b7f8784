//! The calls of a rank, one record after the other.

use super::communicators::{ITSELF, NULL, WORLD, is_maker};
use super::records::Record;
use crate::calls::Call;
use crate::formats::requests::Requests;
use crate::formats::words::BYTES;
use crate::group::Group;
use crate::task::{ANY, Message};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use turnwise_config::Flaw;

/// Any sender and any tag, as DUMPI has them.
const ANYBODY: i32 = -1;

/// What is known of a rank before its first call.
pub(super) struct Known {
    /// Where its calls begin.
    pub(super) start: usize,
    /// Bytes of an element of each type.
    pub(super) types: Vec<u64>,
    /// Communicators in the order in which it makes them.
    pub(super) made: Vec<Option<Group>>,
}

/// A rank while its records are read.
pub(super) struct Player {
    pub(super) me: u32,
    known: Arc<Known>,
    communicators: FxHashMap<i32, Group>,
    /// How many communicators it has made.
    made: usize,
    requests: Requests,
    /// Messages of requests that are started again and again; does it send them?
    persistent: FxHashMap<i32, (bool, Message)>,
    /// When the last call that matters ended, in picoseconds.
    end: Option<u64>,
}

/// One of them is waited for: where stands which, and was there one?
struct Choice<'a> {
    among: &'a [i32],
    chosen: &'a [i32],
}

impl Player {
    pub(super) fn new(me: u32, ranks: u32, known: Arc<Known>) -> Self {
        // Nobody sends to itself under the world's numbers and receives it under its own.
        let itself = Group::listed(u32::MAX >> 1, [me]);
        Self {
            me,
            known,
            communicators: FxHashMap::from_iter([(WORLD, Group::world(ranks)), (ITSELF, itself)]),
            made: 0,
            requests: Requests::default(),
            persistent: FxHashMap::default(),
            end: None,
        }
    }

    /// The calls that a record says.
    pub(super) fn play(&mut self, record: &Record, calls: &mut Vec<Call>) -> Result<(), Flaw> {
        let before = calls.len();
        let is_known = self.play_one(record, calls)?;
        if is_known && let Some((start, end)) = record.time {
            let pause = self.end.map_or(0, |end| start.saturating_sub(end));
            if pause > 0 {
                calls.insert(before, Call::Compute(pause));
            }
            self.end = Some(end);
        }
        Ok(())
    }

    /// False if the time that it takes counts as computing.
    fn play_one(&mut self, record: &Record, calls: &mut Vec<Call>) -> Result<bool, Flaw> {
        let values = &record.values;
        let list = |number: usize| record.lists.get(number).map_or(&[][..], |list| list);
        match record.name {
            "Send" | "Bsend" | "Ssend" | "Rsend" => {
                calls.extend(self.message(record, 0, false)?.map(Call::Send));
            }
            "Recv" if is_nobody(record, values[2]) => {}
            "Recv" => calls.extend(self.message(record, 0, true)?.map(Call::Recv)),
            "Isend" | "Ibsend" | "Issend" | "Irsend" => {
                let message = self.message(record, 0, false)?;
                calls.extend(message.map(|message| self.start(values[5], false, message)));
            }
            "Irecv" => {
                let message = self.message(record, 0, true)?;
                calls.extend(message.map(|message| self.start(values[5], true, message)));
            }
            "Sendrecv" => self.send_and_receive(record, [0, 4, 8], calls)?,
            "Sendrecv_replace" => {
                let [count, of, to, sent, from, received, communicator] = values[..7] else {
                    return Ok(true);
                };
                let values = vec![count, of, to, sent, count, of, from, received, communicator];
                let record = Record {
                    values,
                    ..copied(record)
                };
                self.send_and_receive(&record, [0, 4, 8], calls)?;
            }
            "Send_init" | "Bsend_init" | "Ssend_init" | "Rsend_init" | "Recv_init" => {
                let receives = record.name == "Recv_init";
                if let Some(message) = self.message(record, 0, receives)? {
                    self.persistent.insert(values[5], (receives, message));
                }
            }
            "Start" => self.start_again(values, calls),
            "Startall" => self.start_again(list(0), calls),
            "Wait" => self.wait(&values[..1], calls),
            "Waitall" => self.wait(list(0), calls),
            "Waitany" => self.choose(
                &Choice {
                    among: list(0),
                    chosen: &values[1..2],
                },
                calls,
            ),
            "Waitsome" | "Testsome" => {
                self.choose(
                    &Choice {
                        among: list(0),
                        chosen: list(1),
                    },
                    calls,
                );
            }
            "Test" if values[1] != 0 => self.wait(&values[..1], calls),
            "Testall" if values[1] != 0 => self.wait(list(0), calls),
            "Testany" if values[2] != 0 => {
                self.choose(
                    &Choice {
                        among: list(0),
                        chosen: &values[1..2],
                    },
                    calls,
                );
            }
            "Test" | "Testall" | "Testany" | "Probe" | "Iprobe" | "Init" | "Init_thread" => {}
            "Finalize" => {}
            // What is cancelled may be started again, if it was made for that.
            "Cancel" => self.requests.forget(values[0] as u32),
            "Request_free" => {
                self.persistent.remove(&values[0]);
                self.requests.forget(values[0] as u32);
            }
            name if is_maker(name) => {
                let group = self.known.made.get(self.made).cloned().flatten();
                self.made += 1;
                if let (Some(group), Some(&number)) = (group, values.last()) {
                    self.communicators.insert(number, group);
                }
            }
            _ => match self.collective(record)? {
                // Alone one is done at once.
                Some((_, group)) if group.count() == 1 => {}
                Some((collective, group)) => calls.push(Call::Collective(collective, group)),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// `COUNT TYPE PEER TAG COMMUNICATOR` from one of the values on; none if it is for nobody.
    fn message(
        &self,
        record: &Record,
        first: usize,
        receives: bool,
    ) -> Result<Option<Message>, Flaw> {
        let [count, of, peer, tag, communicator] = record.values[first..first + 5] else {
            return Ok(None);
        };
        let group = self.group(communicator, record)?;
        let peer = match peer {
            ANYBODY if receives => ANY,
            // MPI_PROC_NULL, whichever negative number the library has for it.
            peer if peer < 0 => return Ok(None),
            peer if peer as u32 >= group.count() => {
                let message = format!(
                    "there is no rank {peer} in a communicator of {}",
                    group.count()
                );
                return Err(wrong(record, &message));
            }
            peer => group.rank(peer as u32),
        };
        let tag = match tag {
            ANYBODY if receives => ANY,
            tag if tag < 0 => return Err(wrong(record, &format!("there is no tag {tag}"))),
            tag => tag as u32,
        };
        Ok(Some(Message {
            peer,
            tag,
            context: group.context,
            bytes: self.bytes(count, of, record)?,
        }))
    }

    /// The first values of what is sent, of what is received, and the communicator.
    fn send_and_receive(
        &mut self,
        record: &Record,
        [sent, received, communicator]: [usize; 3],
        calls: &mut Vec<Call>,
    ) -> Result<(), Flaw> {
        let values = &record.values;
        let one = |first: usize| {
            let mut one = copied(record);
            one.values = values[first..first + 4].to_vec();
            one.values.push(values[communicator]);
            one
        };
        let message = match is_nobody(record, values[received + 2]) {
            true => None,
            false => self.message(&one(received), 0, true)?,
        };
        // No request of DUMPI has this number.
        const SLOT: i32 = 0;
        calls.extend(message.map(|message| self.start(SLOT, true, message)));
        calls.extend(self.message(&one(sent), 0, false)?.map(Call::Send));
        self.wait(&[SLOT], calls);
        Ok(())
    }

    fn start(&mut self, request: i32, receives: bool, message: Message) -> Call {
        // One whose end was not recorded has its number again.
        self.requests.forget(request as u32);
        let slot = self.requests.open(request as u32).unwrap_or(0);
        match receives {
            true => Call::Irecv(message, slot),
            false => Call::Isend(message, slot),
        }
    }

    fn start_again(&mut self, requests: &[i32], calls: &mut Vec<Call>) {
        for &request in requests {
            if let Some(&(receives, message)) = self.persistent.get(&request) {
                calls.push(self.start(request, receives, message));
            }
        }
    }

    /// Those that are open; others are done, or were for nobody.
    fn wait(&mut self, requests: &[i32], calls: &mut Vec<Call>) {
        let slots = requests
            .iter()
            .filter_map(|&request| self.requests.close(request as u32));
        calls.extend(slots.map(Call::Wait));
    }

    fn choose(&mut self, choice: &Choice<'_>, calls: &mut Vec<Call>) {
        let chosen = choice
            .chosen
            .iter()
            .filter_map(|&place| usize::try_from(place).ok());
        let requests: Vec<i32> = chosen
            .filter_map(|place| choice.among.get(place).copied())
            .collect();
        self.wait(&requests, calls);
    }

    pub(super) fn group(&self, communicator: i32, record: &Record) -> Result<&Group, Flaw> {
        let group = self
            .communicators
            .get(&communicator)
            .filter(|_| communicator != NULL);
        group.ok_or_else(|| wrong(record, &format!("there is no communicator {communicator}")))
    }

    pub(super) fn bytes(&self, count: i32, of: i32, record: &Record) -> Result<u64, Flaw> {
        let width = usize::try_from(of)
            .ok()
            .and_then(|of| self.known.types.get(of));
        let Some(width) = width else {
            return Err(wrong(
                record,
                &format!("the length of type {of} is not in the file"),
            ));
        };
        let Ok(count) = u64::try_from(count) else {
            return Err(wrong(record, &format!("there are no {count} elements")));
        };
        let bytes = count * width;
        match bytes < BYTES {
            true => Ok(bytes),
            false => Err(wrong(
                record,
                &format!("{count} elements are more than a pebibyte"),
            )),
        }
    }
}

/// Is a receive from nobody? Where a library's number for that is the one that DUMPI has for anybody, its status says so.
fn is_nobody(record: &Record, peer: i32) -> bool {
    peer == ANYBODY
        && record
            .status
            .is_some_and(|(sender, bytes)| sender < 0 && bytes == 0)
}

fn copied(record: &Record) -> Record {
    Record {
        name: record.name,
        place: record.place,
        time: record.time,
        status: record.status,
        ..Record::default()
    }
}

/// A complaint about a call.
pub(super) fn wrong(record: &Record, message: &str) -> Flaw {
    Flaw::at(record.place, format!("MPI_{}: {message}", record.name))
}
