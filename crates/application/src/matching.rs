//! Which receive takes which message.
//!
//! As in MPI: a receive names a sender and a tag, or any; of the messages that fit it takes the first that came,
//! and a message goes to the first receive that fits. Most receives name both, and are found by that; so a thousand
//! receives that wait cost no more than one.

use crate::task::{ANY, Message};
use rustc_hash::FxHashMap;

/// Things that wait, each by its peer, tag and context, first come first served.
///
/// Complexity: O(1) to add and to take, unless a receive of any sender or tag looks through messages that have come.
pub struct Waiting<T> {
    queues: FxHashMap<Key, Queue>,
    entries: Vec<Entry<T>>,
    free: u32,
    /// In the order in which they came.
    first: u32,
    last: u32,
    count: usize,
    /// How many of those that wait are for any sender or any tag.
    open: usize,
    arrivals: u64,
}

type Key = (u32, u32, u32);

#[derive(Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
}

struct Entry<T> {
    key: Key,
    order: u64,
    what: Option<T>,
    /// The next one of the same key, or the next free one.
    next_alike: u32,
    before: u32,
    after: u32,
}

/// None; others are one more than an index.
const NONE: u32 = 0;

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self {
            queues: FxHashMap::default(),
            entries: Vec::new(),
            free: NONE,
            first: NONE,
            last: NONE,
            count: 0,
            open: 0,
            arrivals: 0,
        }
    }
}

impl<T> Waiting<T> {
    /// Something waits from now on.
    pub fn add(&mut self, message: &Message, what: T) {
        let key = key(message);
        let entry = Entry {
            key,
            order: self.arrivals,
            what: Some(what),
            next_alike: NONE,
            before: self.last,
            after: NONE,
        };
        self.arrivals += 1;
        self.count += 1;
        self.open += usize::from(is_open(key));
        let index = match self.free {
            NONE => {
                self.entries.push(entry);
                self.entries.len() as u32
            }
            index => {
                let place = &mut self.entries[index as usize - 1];
                self.free = place.next_alike;
                *place = entry;
                index
            }
        };
        match self.last {
            NONE => self.first = index,
            last => self.entry(last).after = index,
        }
        self.last = index;
        match self.queues.get_mut(&key) {
            Some(queue) => {
                let last = std::mem::replace(&mut queue.last, index);
                self.entry(last).next_alike = index;
            }
            None => {
                let queue = Queue {
                    first: index,
                    last: index,
                };
                self.queues.insert(key, queue);
            }
        }
    }

    /// Of receives that wait, the first that a message fits.
    pub fn take_for(&mut self, message: &Message) -> Option<T> {
        let (peer, tag, context) = key(message);
        let mut best = self.head((peer, tag, context));
        if self.open > 0 {
            let keys = [
                (ANY, tag, context),
                (peer, ANY, context),
                (ANY, ANY, context),
            ];
            let others = keys.into_iter().filter_map(|key| self.head(key));
            best = others.chain(best).min();
        }
        best.and_then(|(_, index)| self.remove_head(index))
    }

    /// Of messages that wait, the first that fits a receive.
    pub fn take_by(&mut self, receive: &Message) -> Option<T> {
        let wanted = key(receive);
        if !is_open(wanted) {
            let head = self.head(wanted);
            return head.and_then(|(_, index)| self.remove_head(index));
        }
        let (peer, tag, context) = wanted;
        let mut index = self.first;
        while index != NONE {
            let entry = &self.entries[index as usize - 1];
            let fits = (peer == ANY || peer == entry.key.0)
                && (tag == ANY || tag == entry.key.1)
                && context == entry.key.2;
            if fits {
                // The first of all that fit is the first of its key.
                return self.remove_head(index);
            }
            index = entry.after;
        }
        None
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Does none wait?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All that wait, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mut index = self.first;
        std::iter::from_fn(move || {
            let entry = self.entries.get((index as usize).checked_sub(1)?)?;
            index = entry.after;
            entry.what.as_ref()
        })
    }

    fn entry(&mut self, index: u32) -> &mut Entry<T> {
        &mut self.entries[index as usize - 1]
    }

    fn head(&self, key: Key) -> Option<(u64, u32)> {
        let queue = self.queues.get(&key)?;
        Some((self.entries[queue.first as usize - 1].order, queue.first))
    }

    /// Takes out the first of its key.
    fn remove_head(&mut self, index: u32) -> Option<T> {
        let free = self.free;
        let entry = self.entry(index);
        let (key, next, before, after) = (entry.key, entry.next_alike, entry.before, entry.after);
        let what = entry.what.take();
        entry.next_alike = free;
        self.free = index;
        match next {
            NONE => {
                self.queues.remove(&key);
            }
            next => {
                if let Some(queue) = self.queues.get_mut(&key) {
                    queue.first = next;
                }
            }
        }
        match before {
            NONE => self.first = after,
            before => self.entry(before).after = after,
        }
        match after {
            NONE => self.last = before,
            after => self.entry(after).before = before,
        }
        self.count -= 1;
        self.open -= usize::from(is_open(key));
        what
    }
}

fn key(message: &Message) -> Key {
    (message.peer, message.tag, message.context)
}

fn is_open((peer, tag, _): Key) -> bool {
    peer == ANY || tag == ANY
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(peer: u32, tag: u32) -> Message {
        Message::new(peer, 1, tag)
    }

    #[test]
    fn the_first_that_fits_is_taken_whatever_it_names() {
        let mut receives = Waiting::default();
        for (number, (peer, tag)) in [(1, 7), (ANY, 7), (1, ANY), (ANY, ANY), (1, 7)]
            .into_iter()
            .enumerate()
        {
            receives.add(&message(peer, tag), number);
        }
        let taken: Vec<_> = (0..3).map(|_| receives.take_for(&message(1, 7))).collect();
        assert_eq!(taken, [Some(0), Some(1), Some(2)]);
        assert_eq!(receives.take_for(&message(2, 9)), Some(3));
        assert_eq!(receives.take_for(&message(2, 9)), None);
        assert_eq!(receives.take_for(&message(1, 7)), Some(4));
        assert!(receives.is_empty());
    }

    #[test]
    fn messages_are_taken_in_the_order_in_which_they_came() {
        let mut messages = Waiting::default();
        for (number, (peer, tag)) in [(3, 1), (2, 1), (3, 2), (3, 1)].into_iter().enumerate() {
            messages.add(&message(peer, tag), number);
        }
        assert_eq!(messages.take_by(&message(ANY, 2)), Some(2));
        assert_eq!(messages.take_by(&message(3, ANY)), Some(0));
        assert_eq!(messages.iter().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(messages.take_by(&message(3, 1)), Some(3));
        assert_eq!(messages.take_by(&message(ANY, ANY)), Some(1));
        assert_eq!(messages.len(), 0);
    }

    #[test]
    fn contexts_never_match() {
        let mut receives = Waiting::default();
        receives.add(&message(ANY, ANY), ());
        let other = Message {
            context: 1,
            ..message(0, 0)
        };
        assert_eq!(receives.take_for(&other), None);
        assert_eq!(receives.take_for(&message(0, 0)), Some(()));
    }
}
