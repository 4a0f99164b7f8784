//! How low can the largest channel load be at all? Certified lower bounds on the
//! edge-forwarding index, valid for every routing, single-path or not.
//!
//! * Distance: every packet crosses at least as many channels as its terminals are apart, so
//!   some channel carries at least the mean.
//! * Cut: all packets from a set of terminals to the rest cross the channels that leave it.
//!
//! Both hold for directed channels and ordered pairs of different living terminals; pairs
//! that no path joins do not count. Where channels are not all as fast they share as much as each can carry, and loads are
//! those of [`Quality`](crate::Quality). Sources: Heydemann, Meyer, Sotteau, "On forwarding
//! indices of networks", Discrete Applied Mathematics 23, 1989; for products of rings and
//! paths the half-ring cuts are exact (Xu et al., "Forwarding indices of Cartesian product
//! graphs", Taiwanese J. Math. 10(5), 2006).

mod candidates;
mod everywhere;
mod sweep;
mod widths;

use std::cmp::Ordering;
use turnwise_network::Network;
use turnwise_network::metrics::Distances;
pub use widths::Width;
use widths::Widths;

/// A lower bound `demand / width` on the largest load, as an exact fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Channel crossings that no routing can avoid, in pairs.
    pub demand: u64,
    /// The directed channels that share them; at least 1.
    pub channels: u64,
    /// As how many of the fastest channels they are as good.
    pub width: Width,
    /// Why they cannot be avoided.
    pub reason: BoundReason,
}

/// What a lower bound rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundReason {
    /// Shortest distances over all channels.
    Distance,
    /// A cut through the network.
    Cut {
        /// Terminals on one side.
        inside: u64,
        /// Terminals on the other.
        outside: u64,
        /// The set of routers on one side, in words.
        set: String,
    },
    /// Weights of channels under which all pairs' lightest routes weigh `demand`, and all
    /// channels `channels`; for routings that keep these rules.
    Rules(String),
}

impl Bound {
    /// The bound for routings whose loads may be fractional.
    pub fn value(&self) -> f64 {
        let Width { parts, whole } = self.width;
        (self.demand as f64 * whole as f64) / parts as f64
    }

    /// The bound for routings whose loads are [integers](crate::Quality::whole_loads).
    pub fn ceil(&self) -> u64 {
        let Width { parts, whole } = self.width;
        (u128::from(self.demand) * u128::from(whole)).div_ceil(parts.into()) as u64
    }

    /// The reason for people: `cut of 128 | 128 terminals over 16 channels: half of dimension x`.
    pub fn words(&self) -> String {
        let Self {
            demand,
            channels,
            width,
            reason,
        } = self;
        let over = match width.is_of_equals(*channels) {
            true => format!("over {channels} channels"),
            false => format!(
                "over {channels} channels, as good as {} of the fastest",
                width.rounded()
            ),
        };
        match reason {
            BoundReason::Distance if *demand == 0 => "no pair is of two routers".to_owned(),
            BoundReason::Distance => {
                format!("{demand} hops on shortest paths {over}")
            }
            BoundReason::Cut {
                inside,
                outside,
                set,
            } => {
                format!("cut of {inside} | {outside} terminals {over}: {set}")
            }
            BoundReason::Rules(rules) => {
                format!("weights of channels, {demand} / {channels}: {rules}")
            }
        }
    }

    /// Is it the stronger bound?
    pub fn exceeds(&self, other: &Self) -> bool {
        compare((self.demand, self.width), (other.demand, other.width)) == Ordering::Greater
    }
}

/// The best of the distance bound and of the bounds of all candidate cuts.
///
/// # Complexity
/// O(routers x (routers + channels)) for the distances.
pub fn lower_bound(network: &Network) -> Bound {
    let distance = distance_bound(network);
    match cut_bound(network) {
        Some(cut) if !distance.exceeds(&cut) => cut,
        _ => distance,
    }
}

/// The mean load if every packet took a shortest path.
///
/// O(routers x (routers + channels)).
pub fn distance_bound(network: &Network) -> Bound {
    let demand = Distances::of(network).total;
    let channels = network.channel_count().max(1) as u64;
    let widths = Widths::of(network);
    let width = match network.channel_count() {
        0 => Width::of_equals(channels),
        _ => widths.together(network.channels().map(|(id, _)| id)),
    };
    Bound {
        demand,
        channels,
        width,
        reason: BoundReason::Distance,
    }
}

/// The best cut among single routers, groups, slabs of dimensions, subtrees,
/// breadth-first balls, what is behind a single link and, of 16 routers at most, all sets
/// of routers, in both directions; `None` if nothing can be cut.
///
/// On a tie the set named first here wins.
/// O((routers + channels) x (coordinates + levels + 64)).
pub fn cut_bound(network: &Network) -> Option<Bound> {
    candidates::best_cut(network)
}

/// Orders two fractions, of a demand and what shares it.
fn compare((a, over_a): (u64, Width), (b, over_b): (u64, Width)) -> Ordering {
    let cross = |demand: u64, own: Width, other: Width| {
        u128::from(demand) * u128::from(own.whole) * u128::from(other.parts)
    };
    cross(a, over_a, over_b).cmp(&cross(b, over_b, over_a))
}
