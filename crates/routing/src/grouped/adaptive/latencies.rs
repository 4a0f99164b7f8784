//! The longest latencies of channels: how long it takes at most until routers know what others tell them.

use turnwise_network::{ChannelClass, Network};

/// The latency of the longest channel inside a group: what one router of a group tells all others takes as long.
pub(crate) fn longest_local(network: &Network) -> u32 {
    longest(network, ChannelClass::Local)
}

/// The latency of the longest channel of a class, at least 1.
pub(crate) fn longest(network: &Network, class: ChannelClass) -> u32 {
    let channels = network.channels();
    let of_class = channels.filter(|(_, channel)| channel.class == class);
    let latencies = of_class.map(|(_, channel)| channel.latency);
    latencies.max().unwrap_or(1).max(1)
}
