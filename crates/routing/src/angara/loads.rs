//! How many routes cross each channel.

use super::{Route, System};

/// Routes by channel, while a table is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loads {
    by_channel: Vec<u32>,
}

impl Loads {
    /// Nothing routed yet.
    pub fn new(system: &System) -> Self {
        Self {
            by_channel: vec![0; system.targets().len()],
        }
    }

    /// Routes over one channel.
    #[inline]
    pub fn of(&self, channel: usize) -> u32 {
        self.by_channel[channel]
    }

    /// Adds a route.
    #[inline]
    pub fn add(&mut self, system: &System, source: u32, route: Route) {
        route.walk(system, source, |channel| self.by_channel[channel] += 1);
    }

    /// The edge-forwarding index: the largest load.
    pub fn index(&self) -> u32 {
        self.by_channel.iter().copied().max().unwrap_or(0)
    }
}
