//! When packets move on: the part of a router that proofs depend on.

use schemars::JsonSchema;
use serde::Deserialize;

/// When a packet may move on; verification and simulation must agree on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowControl {
    /// Flit by flit: a head advances as soon as one buffer slot is free.
    #[default]
    Wormhole,
    /// A head advances only if the whole packet fits into the next buffer.
    VirtualCutThrough,
    /// Virtual cut-through, and a packet may enter a ring only if two packets would fit
    /// (Puente et al., 1999), so that a ring never fills up.
    Bubble,
    /// Lossless Ethernet: a whole frame moves on unless its priority is paused behind the channel (IEEE 802.1Qbb). It stays in
    /// the queue that it was routed to, so no escape helps it. What `[ethernet]` of a study means.
    #[serde(skip)]
    Pause,
}

impl FlowControl {
    /// Every flow control of routers that pass on flits.
    pub const ALL: [Self; 3] = [Self::Wormhole, Self::VirtualCutThrough, Self::Bubble];

    /// As it is spelt in a study.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wormhole => "wormhole",
            Self::VirtualCutThrough => "virtual-cut-through",
            Self::Bubble => "bubble",
            Self::Pause => "ethernet",
        }
    }
}
