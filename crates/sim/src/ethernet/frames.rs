//! Frames between leaving their queue at the source and arriving, and queues of them.

use turnwise_network::Header;

/// No frame, no channel, nobody.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    pub(super) header: Header,
    pub(super) created: u64,
    pub(super) injected: u64,
    /// What agents say of it.
    pub(super) tag: u64,
    pub(super) note: u64,
    /// Who has sent it; of a notification, where the frame was going that was sampled.
    pub(super) source: u32,
    /// Its number among its source's packets.
    pub(super) number: u32,
    /// Its number among those of its flow.
    pub(super) order: u32,
    /// The next one in the same queue.
    pub(super) next: u32,
    /// Whose room it takes in a switch, by channel and priority; [`NOWHERE`] in an adapter.
    pub(super) hold: u32,
    pub(super) flits: u16,
    pub(super) routers: u16,
    pub(super) priority: u8,
    pub(super) class: u8,
    /// Who of those at its ends has sent it, and for whom it is.
    pub(super) parties: [u8; 2],
    /// Of a notification, 1 to 63, or [`RELIEF`](Self::RELIEF); 0 if it is none.
    pub(super) severity: u8,
    /// Is its source told when it has left?
    pub(super) is_reported: bool,
}

impl Frame {
    /// In the place of the severity of a notification that congestion is over.
    pub(super) const RELIEF: u8 = 64;

    /// What a notification says: 0 that it is over.
    pub(super) fn told(&self) -> u8 {
        match self.severity {
            Self::RELIEF => 0,
            severity => severity,
        }
    }
}

/// All frames, by slot.
#[derive(Default)]
pub(super) struct Frames {
    slots: Vec<Frame>,
    free: Vec<u32>,
}

impl Frames {
    pub(super) fn add(&mut self, frame: Frame) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = frame;
                slot
            }
            None => {
                self.slots.push(frame);
                self.slots.len() as u32 - 1
            }
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, slot: u32) -> &Frame {
        &self.slots[slot as usize]
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Frame {
        &mut self.slots[slot as usize]
    }

    pub(super) fn remove(&mut self, slot: u32) -> Frame {
        self.free.push(slot);
        self.slots[slot as usize]
    }
}

/// Frames in the order in which they came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    first: u32,
    last: u32,
    /// Flits of those in it, and of the one that is leaving it.
    pub(super) flits: u32,
    /// The most that there have been.
    pub(super) most: u32,
}

impl Queue {
    pub(super) const EMPTY: Self = Self {
        first: NOWHERE,
        last: NOWHERE,
        flits: 0,
        most: 0,
    };

    pub(super) fn is_empty(&self) -> bool {
        self.first == NOWHERE
    }

    #[inline]
    pub(super) fn push(&mut self, slot: u32, frames: &mut Frames) {
        let frame = frames.get_mut(slot);
        frame.next = NOWHERE;
        self.flits += u32::from(frame.flits);
        self.most = self.most.max(self.flits);
        match self.first {
            NOWHERE => self.first = slot,
            _ => frames.get_mut(self.last).next = slot,
        }
        self.last = slot;
    }

    /// The first one begins to leave; its flits count until [`left`](Self::left).
    #[inline]
    pub(super) fn pop(&mut self, frames: &Frames) -> Option<u32> {
        let slot = (self.first != NOWHERE).then_some(self.first)?;
        self.first = frames.get(slot).next;
        Some(slot)
    }

    /// A frame of so many flits has left.
    #[inline]
    pub(super) fn left(&mut self, flits: u16) {
        self.flits -= u32::from(flits);
    }

    /// Those in it, from the first on.
    pub(super) fn iter<'a>(&self, frames: &'a Frames) -> impl Iterator<Item = u32> + 'a {
        let next = |&slot: &u32| Some(frames.get(slot).next).filter(|&next| next != NOWHERE);
        std::iter::successors(Some(self.first).filter(|&first| first != NOWHERE), next)
    }
}
