//! Which ways packets may go on any network, where that depends on what they have done.

use turnwise_network::{ChannelId, Network, RouterId};

/// A rule of ways: what a packet remembers, a small number, and what that lets it do.
pub(crate) trait Ways: Send + Sync {
    /// Packets remember numbers below this.
    fn memories(&self) -> u32 {
        1
    }

    /// What a packet remembers behind a channel; `None` if it may not take it.
    fn behind(&self, memory: u32, channel: ChannelId) -> Option<u32>;

    /// How long a channel is for a packet that may take it; sums are compared.
    fn length(&self, memory: u32, channel: ChannelId) -> u64 {
        let _ = (memory, channel);
        1
    }

    /// Is every channel as long as any other?
    fn is_uniform(&self) -> bool {
        true
    }
}

/// A router, and what a packet there remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) router: RouterId,
    pub(crate) memory: u32,
}

impl Node {
    /// The number of a node among all, those of a router together.
    #[inline]
    pub(crate) fn index(self, memories: u32) -> usize {
        self.router.index() * memories as usize + self.memory as usize
    }

    #[inline]
    pub(crate) fn of(index: u32, memories: u32) -> Self {
        Self {
            router: RouterId(index / memories),
            memory: index % memories,
        }
    }
}

/// Every way that there is.
pub(crate) struct AnyWay;

impl Ways for AnyWay {
    #[inline]
    fn behind(&self, _: u32, _: ChannelId) -> Option<u32> {
        Some(0)
    }
}

/// Every way that there is, the quickest first and of equally quick ones those with the fewest channels.
pub(crate) struct Quickest<'a>(pub(crate) &'a Network);

impl Ways for Quickest<'_> {
    fn behind(&self, _: u32, _: ChannelId) -> Option<u32> {
        Some(0)
    }

    fn length(&self, _: u32, channel: ChannelId) -> u64 {
        // Sums of latencies, and of channels below them, stay within their bits on every network there can be.
        u64::from(self.0.channel(channel).latency) << 24 | 1
    }

    fn is_uniform(&self) -> bool {
        false
    }
}
