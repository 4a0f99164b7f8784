//! How much memory a simulation will take, computed from what it will allocate.

use crate::engine::{MOST_CHANNELS, PACKET_BYTES, array_bytes};
use crate::model::RouterModel;
use turnwise_network::Network;

/// Bytes of the engine's arrays for a network and a router model. Packets and queues of
/// events grow with the traffic; they are counted as if every terminal had four packets inside.
///
/// A network with more virtual channels than the engine can number needs `u64::MAX` bytes,
/// more than there are anywhere.
pub fn memory_bytes(network: &Network, model: &RouterModel) -> u64 {
    let stride = u64::from(model.virtual_channels).next_power_of_two();
    let (ports, terminals) = (network.port_count() as u64, network.terminal_count() as u64);
    if (ports + terminals) * stride > MOST_CHANNELS {
        return u64::MAX;
    }
    array_bytes(network, model) + 4 * terminals * PACKET_BYTES
}
