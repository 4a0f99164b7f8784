//! Builds networks, as far as there is memory for them.

use super::Workshop;
use crate::demand::ReadFiles;
use crate::latencies;
use crate::memory;
use crate::minimal_hops::MinimalHops;
use crate::specification::{Scope, Specification};
use std::sync::Arc;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_network::Network;
use turnwise_sim::{Crew, Dimensions, RouterModel, Traffic, memory_bytes};

impl Workshop {
    /// The network a point asks for.
    ///
    /// # Errors
    /// Parameters or faults that make no sense, files that cannot be read.
    pub fn network(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<Arc<Network>, Diagnostic> {
        let (network, _) = self.network_and_distances(specification, document)?;
        Ok(network)
    }

    /// The network and the distances on it, which are walked once for all points that share it.
    pub(super) fn network_and_distances(
        &self,
        specification: &Specification,
        document: &Value,
    ) -> Result<(Arc<Network>, Arc<MinimalHops>), Diagnostic> {
        let table = document.at_path("network").unwrap_or(document);
        let text = specification
            .network
            .topology
            .file()
            .map(|file| self.text(file, "file", table))
            .transpose()?;
        let mut key = table.canonical();
        key.push_str(text.as_deref().unwrap_or_default());
        self.networks.get_or_make(&key, || {
            let locate = |invalid: Invalid| invalid.locate(table);
            let topology = &specification.network.topology;
            refuse_beyond_memory(specification, table, self.processes)?;
            let network = topology.build(text.as_deref()).map_err(locate)?;
            latencies::check_dimensions(network.shape(), table).map_err(locate)?;
            let intervals = &specification.network.intervals;
            let network = network.with_intervals(intervals).map_err(locate)?;
            let faults = &specification.network.faults;
            let survivor = if faults.is_empty() {
                network
            } else {
                let numbered = faults.of(&network);
                let survivor = numbered.and_then(|faults| network.without(&faults));
                survivor.map_err(|invalid| locate(invalid.under("faults")))?
            };
            let survivor = Arc::new(survivor);
            Ok((survivor.clone(), Arc::new(MinimalHops::of(survivor))))
        })
    }
}

/// Refuses a network that cannot be built or, if it is to be simulated by so many processes, not be simulated with the
/// memory there is, as far as its parameters tell. Topologies refuse sizes beyond all numbers
/// themselves, and better.
fn refuse_beyond_memory(
    specification: &Specification,
    table: &Value,
    processes: usize,
) -> Result<(), Diagnostic> {
    let size = specification.network.topology.size();
    if size.check("").is_err() {
        return Ok(());
    }
    let copies = if specification.network.faults.is_empty() {
        1
    } else {
        2
    };
    let built = copies * size.memory_bytes();
    let words = |what: &str| {
        format!(
            "{what} {} routers, {} terminals and {} channels",
            size.routers, size.terminals, size.channels
        )
    };
    memory::refuse_beyond(&words("a network of"), built, table)?;
    if specification.scope < Scope::Simulation {
        return Ok(());
    }
    let model = RouterModel {
        virtual_channels: specification.router.virtual_channels.unwrap_or(1),
        ..RouterModel::default()
    };
    let least = memory_bytes(
        &Dimensions::at_least(size),
        &model,
        Crew {
            processes,
            threads: 1,
        },
        &Traffic::default(),
    );
    memory::refuse_beyond(&words("simulating"), least, table)
}

/// The longest latency of any channel of a network.
pub fn longest_latency(network: &Network) -> u32 {
    let ids = 0..network.total_channel_count();
    ids.map(|id| network.channel(id.into()).latency)
        .max()
        .unwrap_or(1)
}
