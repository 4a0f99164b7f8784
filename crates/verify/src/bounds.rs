//! How low can the largest channel load be at all? Certified lower bounds on the
//! edge-forwarding index, valid for every routing, single-path or not.
//!
//! * Distance: every packet crosses at least as many channels as its terminals are apart, so
//!   some channel carries at least the mean.
//! * Cut: all packets from a set of terminals to the rest cross the channels that leave it.
//!
//! Both hold for directed channels and ordered pairs of different living terminals; pairs
//! that no path joins do not count. Sources: Heydemann, Meyer, Sotteau, "On forwarding
//! indices of networks", Discrete Applied Mathematics 23, 1989; for products of rings and
//! paths the half-ring cuts are exact (Xu et al., "Forwarding indices of Cartesian product
//! graphs", Taiwanese J. Math. 10(5), 2006).

mod candidates;
mod everywhere;
mod sweep;

use std::cmp::Ordering;
use turnwise_network::Network;
use turnwise_network::metrics::Distances;

/// A lower bound `demand / channels` on the largest load, as an exact fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Channel crossings that no routing can avoid, in pairs.
    pub demand: u64,
    /// The directed channels that share them; at least 1.
    pub channels: u64,
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
        self.demand as f64 / self.channels as f64
    }

    /// The bound for single-path routings, whose loads are integers.
    pub fn ceil(&self) -> u64 {
        self.demand.div_ceil(self.channels)
    }

    /// The reason for people: `cut of 128 | 128 terminals over 16 channels: half of dimension x`.
    pub fn words(&self) -> String {
        let Self {
            demand,
            channels,
            reason,
        } = self;
        match reason {
            BoundReason::Distance if *demand == 0 => "no pair is of two routers".to_owned(),
            BoundReason::Distance => {
                format!("{demand} hops on shortest paths over {channels} channels")
            }
            BoundReason::Cut {
                inside,
                outside,
                set,
            } => {
                format!("cut of {inside} | {outside} terminals over {channels} channels: {set}")
            }
            BoundReason::Rules(rules) => {
                format!("weights of channels, {demand} / {channels}: {rules}")
            }
        }
    }

    /// Is it the stronger bound?
    pub fn exceeds(&self, other: &Self) -> bool {
        compare((self.demand, self.channels), (other.demand, other.channels)) == Ordering::Greater
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
    Bound {
        demand,
        channels: network.channel_count().max(1) as u64,
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

/// Orders two fractions.
fn compare(a: (u64, u64), b: (u64, u64)) -> Ordering {
    (u128::from(a.0) * u128::from(b.1)).cmp(&(u128::from(b.0) * u128::from(a.1)))
}
