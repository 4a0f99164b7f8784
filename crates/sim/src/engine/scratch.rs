//! What a router works on within a step.

use super::matcher::{Matcher, Request};
use super::unchecked::Arena;
use turnwise_network::Hop;

/// Lists that a step fills anew.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// Lanes that cross the switch in this step, a bit each.
    pub(super) winners: Arena<u64>,
    /// Lanes whose heads were routed in this step.
    pub(super) routed: Arena<u64>,
    /// Did the matcher choose the winners, and move the switch's pointers?
    pub(super) matched: bool,
    /// Heads that compete for a port's virtual channels.
    pub(super) contested: Arena<u64>,
    /// By output or channel: the lane it grants.
    pub(super) held: [u8; 64],
    /// By lane: the channel it accepts.
    pub(super) accepted: [u8; 64],
    /// What a head may do.
    pub(super) hops: Vec<Hop>,
    pub(super) requests: Vec<Request>,
    pub(super) matches: Vec<u32>,
    pub(super) matcher: Matcher,
}

impl Scratch {
    /// For routers of at most `most` lanes, in so many mask words.
    pub(super) fn new(most: usize, words: u32) -> Self {
        let words = words as usize;
        Self {
            winners: Arena::new(vec![0; words]),
            routed: Arena::new(vec![0; words]),
            matched: false,
            contested: Arena::new(vec![0; words]),
            held: [0; 64],
            accepted: [0; 64],
            hops: Vec::new(),
            requests: Vec::new(),
            matches: Vec::new(),
            matcher: Matcher::new(most),
        }
    }
}
