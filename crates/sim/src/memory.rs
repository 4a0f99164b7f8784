//! How much memory a simulation will take, computed from what it will allocate.

use crate::engine::bytes_per;
use crate::model::RouterModel;
use turnwise_network::Network;

/// Bytes of the engine's arrays for a network and a router model. Queues of events and
/// packets grow with the traffic; they are counted as if every terminal had four
/// packets inside.
pub fn memory_bytes(network: &Network, model: &RouterModel) -> u64 {
    let vcs = u64::from(model.virtual_channels);
    let (ports, terminals) = (network.port_count() as u64, network.terminal_count() as u64);
    let lanes = ports * vcs;
    let sizes = bytes_per();
    lanes * (sizes.lane + u64::from(model.buffer_flits) * sizes.flit)
        + (ports + terminals) * (vcs * sizes.out + sizes.port)
        + terminals * (sizes.terminal + 4 * sizes.packet)
        + network.channel_count() as u64 * 4
}
