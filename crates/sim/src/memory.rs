//! How much memory a simulation will take, computed from what it will allocate.

use crate::engine::{MOST_CHANNELS, bytes_per};
use crate::model::RouterModel;
use turnwise_network::Network;

/// Bytes of the engine's arrays for a network and a router model. Queues of events and
/// packets grow with the traffic; they are counted as if every terminal had four
/// packets inside.
///
/// A network with more virtual channels than the engine can number needs `u64::MAX` bytes,
/// more than there are anywhere.
pub fn memory_bytes(network: &Network, model: &RouterModel) -> u64 {
    let stride = u64::from(model.virtual_channels).next_power_of_two();
    let (ports, terminals) = (network.port_count() as u64, network.terminal_count() as u64);
    let (lanes, outs) = (ports * stride, (ports + terminals) * stride);
    if outs > MOST_CHANNELS {
        return u64::MAX;
    }
    let sizes = bytes_per();
    let ring = u64::from(model.buffer_flits).next_power_of_two();
    lanes * (sizes.lane + ring * sizes.flit)
        + outs * sizes.out
        + (ports + terminals) * sizes.port
        + terminals * (sizes.terminal + 4 * sizes.packet)
        + network.channel_count() as u64 * 8
}
