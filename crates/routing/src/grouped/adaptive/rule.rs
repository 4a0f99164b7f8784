//! UGAL's rule: a packet goes minimally if
//!
//! ```text
//! q_min * h_min <= q_val * h_val + threshold
//! ```
//!
//! where `q` counts flits and `h` hops. A queue is what a packet waits for at one hop, and a longer way has more of them,
//! so the product estimates how long the packet will take.
//!
//! Source: Singh, "Load-balanced routing in interconnection networks", PhD thesis, Stanford 2005; Kim, Dally, Scott, Abts,
//! ISCA 2008; the ratio and the threshold are those of BookSim2, `dragonfly.cpp`, commit 28f43299.

use super::ways::Ways;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::RouterId;

/// What counts as a hop where queues are weighed by hops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HopModel {
    /// A minimal way counts 1, a detour 2.
    #[default]
    Ratio,
    /// The channels of the way between routers.
    Links,
    /// The routers of the way.
    Routers,
}

impl HopModel {
    /// The hops of a way that counts so many by ratio, and has so many channels between routers.
    #[inline(always)]
    pub(crate) fn count(self, ratio: u32, channels: impl FnOnce() -> u32) -> i64 {
        let hops = match self {
            Self::Ratio => ratio,
            Self::Links => channels(),
            Self::Routers => channels() + 1,
        };
        hops.into()
    }
}

/// How queues and hops are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) hops: HopModel,
    pub(crate) threshold: i64,
}

impl Rule {
    /// Is the minimal way's queue short enough?
    #[inline(always)]
    pub(crate) fn prefers_minimal<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        (minimal, its_queue): (W::Way, u32),
        (detour, that_queue): (W::Way, u32),
    ) -> bool {
        let (short, long) = (
            self.cost(ways, at, minimal, its_queue, 1),
            self.cost(ways, at, detour, that_queue, 2),
        );
        short <= long + self.threshold
    }

    /// Is it short enough whatever queues detours have?
    #[inline(always)]
    pub(crate) fn is_short<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        minimal: W::Way,
        queue: u32,
    ) -> bool {
        self.cost(ways, at, minimal, queue, 1) <= self.threshold
    }

    /// The queue from which on no detour is preferred to this minimal way, because it has at least two channels that count; `None` if
    /// none is, whatever its queue.
    #[inline(always)]
    pub(crate) fn enough<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        minimal: W::Way,
        queue: u32,
    ) -> Option<i32> {
        let beyond = self.cost(ways, at, minimal, queue, 1) - self.threshold;
        let enough = (beyond > 0).then_some((beyond + 1) >> 1)?;
        Some(enough.min(i32::MAX.into()) as i32)
    }

    /// What a queue counts on a way that counts so many hops by ratio.
    #[inline(always)]
    fn cost<W: Ways>(&self, ways: &W, at: RouterId, way: W::Way, queue: u32, ratio: u32) -> i64 {
        self.product(queue, ratio, || ways.channels(at, way))
    }

    /// The same of a way with so many channels between routers.
    #[inline(always)]
    pub(crate) fn product(&self, queue: u32, ratio: u32, channels: impl FnOnce() -> u32) -> i64 {
        i64::from(queue) * self.hops.count(ratio, channels)
    }
}
