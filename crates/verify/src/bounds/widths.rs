//! How much channels carry that are not all as fast.

use turnwise_network::{ChannelId, Network};

/// Parts of a channel that are told apart at most; a channel that is none of these exactly counts as a little wider.
const MOST_PARTS: u64 = 1 << 20;

/// As many of the fastest channels between routers: `parts / whole`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Together, at least 1.
    pub parts: u64,
    /// Of the fastest channel, at least 1.
    pub whole: u64,
}

impl Width {
    /// Of so many channels that are all as fast.
    pub fn of_equals(channels: u64) -> Self {
        Self {
            parts: channels,
            whole: 1,
        }
    }

    /// Is it that of so many channels that are all as fast?
    pub(super) fn is_of_equals(self, channels: u64) -> bool {
        u128::from(self.parts) == u128::from(channels) * u128::from(self.whole)
    }

    /// In channels.
    pub fn value(self) -> f64 {
        self.parts as f64 / self.whole as f64
    }

    /// The same, to two digits behind the point.
    pub(super) fn rounded(self) -> f64 {
        (100.0 * self.value()).round() / 100.0
    }
}

/// How wide each channel between routers is.
pub(super) struct Widths {
    /// By channel.
    parts: Vec<u64>,
    whole: u64,
}

impl Widths {
    /// O(channels).
    pub(super) fn of(network: &Network) -> Self {
        let paces = network.paces();
        let fastest = u64::from(paces.iter().copied().min().unwrap_or(1));
        // Every channel is so many parts wide exactly, unless there are too many different speeds.
        let whole = paces.iter().try_fold(1, |whole: u64, &pace| {
            let multiple = (1..)
                .map(|times| times * whole)
                .find(|all| all % u64::from(pace) == 0)?;
            (multiple <= MOST_PARTS).then_some(multiple)
        });
        let whole = whole.unwrap_or(MOST_PARTS);
        let parts = paces
            .iter()
            .map(|&pace| (whole * fastest).div_ceil(pace.into()));
        Self {
            parts: parts.collect(),
            whole,
        }
    }

    /// Parts of a channel.
    pub(super) fn parts(&self, channel: ChannelId) -> u64 {
        self.parts[channel.index()]
    }

    /// So many parts.
    pub(super) fn width(&self, parts: u64) -> Width {
        let whole = self.whole;
        Width { parts, whole }
    }

    /// Of these channels.
    pub(super) fn together(&self, channels: impl Iterator<Item = ChannelId>) -> Width {
        self.width(channels.map(|channel| self.parts(channel)).sum())
    }
}
