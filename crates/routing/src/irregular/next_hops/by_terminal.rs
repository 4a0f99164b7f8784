//! Next hops that are other ones for terminals of the same router.

use super::read::Table;
use crate::common::endpoints::{ejection, start};
use crate::common::only_way::Rule;
use crate::common::vc_plan::VcPlan;
use std::sync::Arc;
use turnwise_network::{Header, Hop, Network, Port, RouterId, Start, TerminalId, VcSet};

/// A port for each router and terminal. `Header::step` counts hops, if classes go by hop.
pub(super) struct ByTerminal {
    network: Arc<Network>,
    plan: VcPlan,
    /// Row by router; [`NONE`] is no route.
    ports: Vec<Port>,
    /// By hop; the last of them at every hop beyond.
    classes: Vec<VcSet>,
}

const NONE: Port = Port::MAX;

impl ByTerminal {
    pub(super) fn new(network: &Arc<Network>, table: &Table, plan: VcPlan, classes: usize) -> Self {
        let (rows, columns) = (network.router_count(), table.columns());
        let entry = |row: usize, column: usize| table.column(column)[row].unwrap_or(NONE);
        let row = |row: usize| (0..columns).map(move |column| entry(row, column));
        let share = |hop| plan.class(hop, classes);
        Self {
            network: network.clone(),
            plan,
            ports: (0..rows).flat_map(row).collect(),
            classes: (0..classes).map(share).collect(),
        }
    }

    fn port(&self, at: RouterId, terminal: TerminalId) -> Option<Port> {
        let entry = at.index() * self.network.terminal_count() + terminal.index();
        Some(self.ports[entry]).filter(|&port| port != NONE)
    }
}

impl Rule for ByTerminal {
    fn plan(&self) -> &VcPlan {
        &self.plan
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let vcs = self.plan.all();
        start(&self.network, source, destination, vcs, |from, to| {
            from == to || self.port(from, destination).is_some()
        })
    }

    fn hop(&self, at: RouterId, header: Header) -> Option<Hop> {
        if at == self.network.router_of(header.destination) {
            return Some(ejection(&self.network, header, self.plan.all()));
        }
        let port = self.port(at, header.destination)?;
        let last = self.classes.len() as u32 - 1;
        let step = header.step.min(last);
        Some(Hop {
            port,
            vcs: self.classes[step as usize],
            header: Header {
                step: (step + 1).min(last),
                ..header
            },
        })
    }

    fn distinguishes_terminals(&self) -> bool {
        true
    }

    fn tells_senders_apart(&self) -> bool {
        false
    }

    fn memory_bytes(&self) -> u64 {
        2 * self.ports.len() as u64
    }
}
