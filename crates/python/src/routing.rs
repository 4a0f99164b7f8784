//! A routing on a network as Python sees it: where packets go, as columns and as tables.

use crate::failure::error;
use crate::network::Network;
use crate::table::Table;
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use turnwise_network::TerminalId;
use turnwise_study::walk::{WalkedHop, walk};
use turnwise_study::workshop::Routed;

/// A routing on a network.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Routing {
    name: String,
    routed: Routed,
}

/// No next hop.
const NONE: i32 = -1;

impl Routing {
    pub(crate) fn new(name: String, routed: Routed) -> Self {
        Self { name, routed }
    }

    fn walk(&self, source: TerminalId, destination: TerminalId) -> Vec<WalkedHop> {
        let Routed {
            network, routing, ..
        } = &self.routed;
        walk(network, &**routing, source, destination)
    }

    /// The next hops of all routers towards a terminal.
    fn towards(&self, destination: TerminalId) -> Result<Vec<i32>, String> {
        let network = &self.routed.network;
        let mut column = vec![NONE; network.router_count()];
        for source in network
            .living_terminals()
            .filter(|&source| source != destination)
        {
            for (at, _, next) in self.walk(source, destination) {
                let (known, found) = (&mut column[at.index()], next.0 as i32);
                if *known != NONE && *known != found {
                    return Err(format!(
                        "this routing is no table of next hops: from router {at} towards terminal {destination} packets go more ways than one"
                    ));
                }
                *known = found;
            }
        }
        Ok(column)
    }
}

#[pymethods]
impl Routing {
    /// What it is, in words.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The network.
    #[getter]
    fn network(&self) -> Network {
        let network = self.routed.network.clone();
        Network { network }
    }

    /// Virtual channels that every channel has.
    #[getter]
    fn virtual_channels(&self) -> u8 {
        self.routed.routing.virtual_channels()
    }

    /// A row for every hop of every pair's route: the columns of `turnwise route --paths`.
    fn paths(&self, py: Python<'_>) -> PyResult<Table> {
        let network = &self.routed.network;
        let names = [
            "source",
            "destination",
            "hop",
            "router",
            "port",
            "next_router",
            "vc",
        ];
        let columns = py.detach(|| {
            let mut columns = [const { Vec::<i32>::new() }; 7];
            for source in network.living_terminals() {
                for destination in network.living_terminals().filter(|&to| to != source) {
                    let hops = self.walk(source, destination);
                    for (number, (router, hop, next)) in hops.into_iter().enumerate() {
                        let vc = hop.vcs.iter().next().unwrap_or(0);
                        let row = [
                            source.0,
                            destination.0,
                            number as u32,
                            router.0,
                            hop.port.into(),
                            next.0,
                            vc.into(),
                        ];
                        let cells = columns.iter_mut().zip(row);
                        cells.for_each(|(column, cell)| column.push(cell as i32));
                    }
                }
            }
            columns
        });
        let arrays = columns.map(|column| Arc::new(Int32Array::from(column)) as ArrayRef);
        let batch = RecordBatch::try_from_iter(names.into_iter().zip(arrays));
        Ok(Table::new(batch.map_err(|why| error(py, &why))?))
    }

    /// A row for each router, a column for each terminal: the next router, and -1 where there is none. 32-bit numbers.
    ///
    /// Raises ValueError if packets go more ways than one.
    fn next_hops(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let network = &self.routed.network;
        let columns = py.detach(|| {
            let columns = network.terminals().map(|to| self.towards(to));
            columns.collect::<Result<Vec<_>, String>>()
        });
        let columns = columns.map_err(PyValueError::new_err)?;
        let row = |at: usize| columns.iter().map(move |column| column[at]);
        let entries = (0..network.router_count()).flat_map(row);
        Ok(entries.flat_map(i32::to_le_bytes).collect())
    }
}
