//! Which channels form rings, and so fall under the bubble rule.
//!
//! Bubble flow control admits a packet into a ring only if room for a second one remains, so
//! a ring never fills up and its own cyclic dependency is harmless. Source: Puente, Beivide,
//! Gregorio et al., "Adaptive bubble router: a design to improve performance in torus
//! networks", ICPP 1999; Carrion et al., HiPC 1997.

use turnwise_network::{ChannelClass, ChannelId, Network};

/// The closed rings of a network: one list for each dimension, direction and line of
/// routers, in the order packets travel, starting with the lowest channel id.
///
/// A ring has at least three channels, all of one [`ChannelClass::Dimension`], and meets no
/// other channel of its class. A ring broken by a fault does not close and is not listed: its
/// channels are ordinary ones. O(channels x degree).
pub fn rings(network: &Network) -> Vec<Vec<ChannelId>> {
    let successors = successors(network);
    let mut seen = vec![false; successors.len()];
    let mut rings = Vec::new();
    for first in 0..successors.len() {
        let mut ring = Vec::new();
        let mut at = Some(first);
        while let Some(channel) = at.filter(|&channel| !seen[channel]) {
            seen[channel] = true;
            ring.push(ChannelId::from(channel));
            at = successors[channel];
        }
        if at == Some(first) && ring.len() >= 3 {
            rings.push(ring);
        }
    }
    rings
}

/// For each channel the only one of its class that continues it, if it is that one's only predecessor.
fn successors(network: &Network) -> Vec<Option<usize>> {
    let mut successors = vec![None; network.channel_count()];
    let mut predecessors = vec![0u32; network.channel_count()];
    for (id, channel) in network.channels() {
        let (ChannelClass::Dimension { .. }, Some(router)) = (channel.class, channel.to_router())
        else {
            continue;
        };
        let same_class = network
            .neighbours(router)
            .filter(|n| network.channel(n.channel).class == channel.class);
        let mut onward = same_class.map(|n| n.channel.index());
        if let (Some(only), None) = (onward.next(), onward.next()) {
            successors[id.index()] = Some(only);
            predecessors[only] += 1;
        }
    }
    for successor in &mut successors {
        *successor = successor.filter(|&next| predecessors[next] == 1);
    }
    successors
}
