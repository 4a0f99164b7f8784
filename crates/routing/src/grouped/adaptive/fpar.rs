//! Fully progressive adaptive routing of a dragonfly+: the shortest kind of way that is not congested.
//!
//! The source's leaf looks at one minimal way (local, global, local), then at detours from group to group (local, global, global, local), then at
//! detours by a leaf (local, global, local, local, global, local), and takes the first whose queue does not exceed the threshold of its kind and
//! whose global channel is not reported to be congested. If all do, it goes minimally. Of detours it draws K and takes the one with the
//! shortest queue of its kind. A minimal packet decides again in the same way at the spine, by the queues of the spine's own
//! global channels.
//!
//! **Information.** Remote congestion notifications are a bit for each global channel of the group, known after `feedback_delay` cycles: more flits
//! than the threshold of minimal ways are under way on it.
//!
//! **Classes and faults.** As UGAL's on a megafly, with shortcuts: see `megafly.rs` beside this file. Spines that have lost their shortcut go down
//! to a leaf.
//!
//! Source: Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017.
//! Reconstructed: the thresholds (half of the longest queue that is seen of minimal packets between groups, at most 30, for all three), K = 4, what notifications
//! say, and that nothing is decided behind the source's group.
//!
//! Complexity: O(K) where it decides, O(1) elsewhere, and O(global ports) at a router in whose global queues something changes. Memory as
//! `valiant`, and 28 bytes a global channel.

use super::bits::{BitOptions, CongestedBits};
use super::candidates;
use super::judge::Judge;
use super::local::{queue, shortest};
use super::megafly::{Deciding, MegaflyWays, turning};
use super::routing::Adaptive;
use super::ways::Ways;
use crate::algorithm::{Algorithm, AlgorithmEntry, Context, UnderFaults, misfit};
use crate::common::draw::Least;
use crate::common::phantom::{Phantom, compensated};
use crate::common::visible::{Counted, long_queue, longest_queue};
use crate::common::whole_queues::whole;
use crate::grouped::phases::AGAIN;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use turnwise_config::registry::{Entry, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Invalid, Network, Receiver, RouterId, Routing, Sensing, Shape, Vc,
};

pub(crate) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    entry: Entry {
        name: NAME,
        aliases: &["fully-progressive-adaptive"],
        summary: "Megafly: the shortest kind of way whose queue is below a threshold",
        source: "Shpiner et al., Dragonfly+: low cost topology for scaling datacenters, HiPINEB 2017",
        example: "paths = 4\nminimal_flits = 30\nshortcut_flits = 30\ndetour_flits = 30\nfeedback_delay = 100\nphantom = { value_coefficient = 1.0, length_coefficient = 2.0 }\nwhole_queues = true\nvirtual_channels = 2",
        schema: schema_of::<Fpar>,
        parse: |table, errors| Some(Box::new(parse_as::<Fpar, dyn Algorithm>(table, errors)?)),
    },
    fits: |shape| matches!(shape, Shape::Megafly(_)),
};

const NAME: &str = "fpar";

/// Parameters of fully progressive adaptive routing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fpar {
    /// K: detours that are compared, 1 to 64. By default 4.
    #[schemars(range(min = 1, max = 64))]
    pub paths: Option<u32>,
    /// The longest queue of a minimal way. By default half of the longest that is seen of minimal packets between groups, at most 30.
    #[schemars(transform = units::flits)]
    pub minimal_flits: Option<u32>,
    /// That of a detour from group to group. By default the same.
    #[schemars(transform = units::flits)]
    pub shortcut_flits: Option<u32>,
    /// That of a detour by a leaf. By default the same.
    #[schemars(transform = units::flits)]
    pub detour_flits: Option<u32>,
    /// Cycles until a group knows of a congested channel, 0 being as good as 1. By default the latency of the longest channel inside a group.
    #[schemars(range(max = Receiver::MOST_DELAY), transform = units::cycles)]
    pub feedback_delay: Option<u32>,
    /// Flits on their way that do not count as waiting. By default all that are not credited count.
    pub phantom: Option<Phantom>,
    /// Do packets that wait in a router for a channel count as its queue, beside what has left for it?
    pub whole_queues: bool,
    /// Virtual channels to spread the classes over: by default all the router has, or else 2.
    pub virtual_channels: Option<Vc>,
}

impl Algorithm for Fpar {
    fn under_faults(&self, _: &Shape) -> UnderFaults {
        UnderFaults::FurtherRoutes
    }

    fn minds_buffers(&self) -> bool {
        [self.minimal_flits, self.shortcut_flits, self.detour_flits].contains(&None)
    }

    fn build(
        &self,
        network: &Arc<Network>,
        context: &Context<'_>,
    ) -> Result<Box<dyn Routing>, Invalid> {
        let Shape::Megafly(shape) = network.shape() else {
            return Err(misfit(NAME, "megafly networks", network));
        };
        let candidates = candidates::count(self.paths, 4)?;
        let deciding = Deciding {
            turning: turning(None, true)?,
            at_leaf: true,
            at_spine: true,
        };
        let vcs = self.virtual_channels;
        let ways = MegaflyWays::new(NAME, network, shape, deciding, vcs, context)?;
        let counted = Counted {
            whole_queues: self.whole_queues,
            phantom: self.phantom,
        };
        let longest = longest_queue(network, ways.minimal_vcs(), counted, context);
        let usual = long_queue(longest);
        let minimal = self.minimal_flits.unwrap_or(usual);
        let options = BitOptions {
            congested_factor: Some(0.0),
            congested_flits: Some(minimal),
            feedback_delay: self.feedback_delay,
        };
        let judge = ByKind {
            candidates,
            minimal,
            shortcut: self.shortcut_flits.unwrap_or(usual),
            detour: self.detour_flits.unwrap_or(usual),
            bits: options.build(network, ways.links(), longest)?,
        };
        let routing = whole(Box::new(Adaptive { ways, judge }), self.whole_queues);
        compensated(routing, network, self.phantom)
    }
}

/// Takes the first kind of way that is not congested.
struct ByKind {
    candidates: usize,
    minimal: u32,
    shortcut: u32,
    detour: u32,
    bits: CongestedBits,
}

impl ByKind {
    fn is_free<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        way: W::Way,
        limit: u32,
        sees: &dyn Congestion,
    ) -> bool {
        let congested = || {
            self.bits
                .is_congested(&self.bits.known(at, sees), ways.link(way))
        };
        queue(ways, way, sees) <= limit && !congested()
    }
}

impl Judge for ByKind {
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        let again = header.phase == AGAIN;
        let minimal = match again {
            true => shortest(ways, at, header, sees, rng),
            false => ways.draw_minimal(at, header, rng),
        };
        if let Some(way) = minimal
            && self.is_free(ways, at, way, self.minimal, sees)
        {
            return minimal;
        }
        // From a leaf there are four channels to the destination from group to group, from a spine three.
        let straight = if again { 3 } else { 4 };
        let (mut shortcut, mut detour, mut any) =
            (Least::default(), Least::default(), Least::default());
        candidates::detours(ways, at, header, self.candidates, rng, |way, rng| {
            let key = queue(ways, way, sees);
            let (kind, limit) = match ways.channels(at, way) == straight {
                true => (&mut shortcut, self.shortcut),
                false => (&mut detour, self.detour),
            };
            if self.is_free(ways, at, way, limit, sees) {
                kind.offer(key, way, rng);
            }
            any.offer(key, way, rng);
        });
        let free = shortcut.item().or(detour.item());
        free.or(minimal).or(any.item())
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self.bits.sensing())
    }
}
