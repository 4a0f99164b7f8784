//! How good a routing is, without simulating it: channel loads and path lengths when every
//! living terminal sends one packet to every other.
//!
//! The largest load is the edge-forwarding index of the routing: with all terminals sending
//! uniformly, throughput cannot exceed (terminals - 1) / index. Source: Heydemann, Meyer,
//! Sotteau, "On forwarding indices of networks", Discrete Applied Mathematics 23, 1989;
//! used to compare routings by Hoefler, Schneider, Lumsdaine, "Optimized routing for
//! large-scale InfiniBand networks", Hot Interconnects 2009.
//!
//! Where channels between routers are not all as fast, a pair counts on each as many times as that is slower than the fastest, so that
//! the largest load still tells how much all can send: so channel loads are held against bandwidths in Dally, Towles, "Principles and
//! Practices of Interconnection Networks", 2004, section 3.3.1.

use crate::loads::Loads;
use crate::reachability::Reachability;
use turnwise_network::{ChannelId, Network};

/// Channel loads and path lengths over all routable ordered pairs of different living terminals.
///
/// Randomised and adaptive routings are averaged with every option equally likely, and every start of messages of
/// class 0, the only ones that are counted; for tables with one route a pair all loads are exact integers, times what a channel is slower
/// than the fastest one between routers.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Expected number of pairs that cross each router-to-router channel, times what it is slower than the fastest of them, by channel id.
    pub loads: Vec<f64>,
    /// The largest load, in pairs; 0 without channels.
    pub edge_forwarding_index: f64,
    /// The smallest load, in pairs.
    pub min_load: f64,
    /// The mean load over living channels, in pairs: total hops / channels, where all are as fast.
    pub mean_load: f64,
    /// Population standard deviation of the loads, in pairs.
    pub deviation: f64,
    /// The longest route any packet may take, in router-to-router channels.
    pub diameter: u32,
    /// Mean route length over routable pairs, in router-to-router channels.
    pub mean_hops: f64,
    /// Share of the routable pairs by route length, from 0 hops (terminals of one router) on.
    pub length_shares: Vec<f64>,
    /// All ordered pairs of different living terminals.
    pub pairs: u64,
    /// The pairs counted here: those whose packets always arrive.
    pub routable_pairs: u64,
    /// Has a packet exactly one route?
    pub single_path: bool,
    /// Are all loads integers, and would be those of any routing with one route for a packet? So they are where all channels are as fast.
    pub whole_loads: bool,
    /// How many of the virtual channels between routers any packet may take.
    pub virtual_channels_used: u32,
}

impl Quality {
    pub(crate) fn of(
        network: &Network,
        loads: &Loads,
        reachability: &Reachability,
        virtual_channels_used: u32,
    ) -> Self {
        let paces = network.paces();
        let fastest = paces.iter().copied().min().unwrap_or(1);
        let slower = |&pace: &u32| f64::from(pace) / f64::from(fastest);
        let values = loads.channels.iter().zip(&paces);
        let values: Vec<f64> = values.map(|(pairs, pace)| pairs * slower(pace)).collect();
        let count = values.len().max(1) as f64;
        // The sum of nothing is -0.0.
        let mean = (0.0 + values.iter().sum::<f64>()) / count;
        let squares = values.iter().map(|load| (load - mean).powi(2));
        let variance = (0.0 + squares.sum::<f64>()) / count;
        let routable = reachability.routable.max(1) as f64;
        let hops = loads
            .lengths
            .iter()
            .enumerate()
            .map(|(hops, pairs)| hops as f64 * pairs);
        let smallest = values.iter().copied().reduce(f64::min);
        Self {
            edge_forwarding_index: values.iter().copied().fold(0.0, f64::max),
            min_load: smallest.unwrap_or(0.0),
            mean_load: mean,
            deviation: variance.sqrt(),
            diameter: loads.longest,
            mean_hops: (0.0 + hops.sum::<f64>()) / routable,
            length_shares: loads.lengths.iter().map(|pairs| pairs / routable).collect(),
            pairs: reachability.pairs,
            routable_pairs: reachability.routable,
            single_path: loads.single_path,
            whole_loads: loads.single_path && paces.iter().all(|pace| pace % fastest == 0),
            virtual_channels_used,
            loads: values,
        }
    }

    /// What a router-to-router channel [carries](Self::loads); 0 for other channels.
    pub fn load(&self, channel: ChannelId) -> f64 {
        self.loads.get(channel.index()).copied().unwrap_or(0.0)
    }
}
