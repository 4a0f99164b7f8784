//! A network as Python sees it: numbers of parts, channels as columns, files in any format.

use crate::failure::error;
use crate::table::Table;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use turnwise_config::diagnostic::listed;
use turnwise_network::formats::{WRITERS, writer};
use turnwise_network::recognition::recognise;
use turnwise_network::{End, Network as Wired, RouterId};
use turnwise_study::distances::{MOST_EFFORT, measure};
use turnwise_study::runner::all_cores;

/// Routers, terminals and what is between them.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Network {
    pub(crate) network: Arc<Wired>,
}

#[pymethods]
impl Network {
    /// What it is, in words.
    #[getter]
    fn description(&self) -> &str {
        self.network.description()
    }

    /// The topology that it is recognised as by its wiring; nothing if it is irregular.
    #[getter]
    fn recognised(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| recognise(&self.network).map(|found| found.to_string()))
    }

    /// How many routers there are.
    #[getter]
    fn routers(&self) -> usize {
        self.network.router_count()
    }

    /// How many terminals there are.
    #[getter]
    fn terminals(&self) -> usize {
        self.network.terminal_count()
    }

    /// What a router is called.
    fn label(&self, router: u32) -> PyResult<String> {
        match (router as usize) < self.network.router_count() {
            true => Ok(self.network.router_label(RouterId(router))),
            false => Err(PyValueError::new_err(format!(
                "there is no router {router}"
            ))),
        }
    }

    /// The router of each terminal, as 32-bit numbers.
    fn routers_of_terminals(&self) -> Vec<u8> {
        let network = &self.network;
        let routers = network.terminals().map(|at| network.router_of(at).0);
        routers
            .flat_map(|router| (router as i32).to_le_bytes())
            .collect()
    }

    /// Is each terminal alive? A byte each.
    fn living_terminals(&self) -> Vec<u8> {
        let network = &self.network;
        let alive = network.terminals().map(|at| network.is_terminal_alive(at));
        alive.map(u8::from).collect()
    }

    /// Is each router alive? A byte each.
    fn living_routers(&self) -> Vec<u8> {
        let network = &self.network;
        let alive = network.routers().map(|at| network.is_alive(at));
        alive.map(u8::from).collect()
    }

    /// The channels between routers, one each way.
    fn channels(&self, py: Python<'_>) -> PyResult<Table> {
        let network = &self.network;
        let all: Vec<_> = network
            .channels()
            .filter_map(|(_, channel)| match (channel.source, channel.target) {
                (End::Router(from, out), End::Router(to, into)) => {
                    Some(([from.0, out.into(), to.0, into.into()], channel))
                }
                _ => None,
            })
            .collect();
        let number = |of: &dyn Fn(usize) -> u32| -> ArrayRef {
            Arc::new(Int32Array::from_iter_values(
                (0..all.len()).map(|at| of(at) as i32),
            ))
        };
        let classes = all.iter().map(|(_, channel)| channel.class.name());
        let columns: [(&str, ArrayRef); 7] = [
            ("source", number(&|at| all[at].0[0])),
            ("source_port", number(&|at| all[at].0[1])),
            ("target", number(&|at| all[at].0[2])),
            ("target_port", number(&|at| all[at].0[3])),
            ("latency", number(&|at| all[at].1.latency)),
            ("interval", number(&|at| all[at].1.interval)),
            ("class", Arc::new(StringArray::from_iter_values(classes))),
        ];
        let batch = RecordBatch::try_from_iter(columns).map_err(|why| error(py, &why))?;
        Ok(Table::new(batch))
    }

    /// Diameter, mean distance between different terminals' routers, pairs without a way, and whether all pairs were measured.
    fn distances(&self, py: Python<'_>) -> (u32, f64, u64, bool) {
        let measured =
            py.detach(|| measure(&self.network, all_cores(), MOST_EFFORT, &mut |_, _| {}));
        let found = measured.distances;
        (
            found.diameter,
            found.mean(),
            found.disconnected,
            measured.is_exact(),
        )
    }

    /// The network as a file's text: `json`, `graphml`, `dot`, `net` or `conf`.
    fn text(&self, format: &str) -> PyResult<String> {
        let writer = writer(format).ok_or_else(|| {
            let names = listed(WRITERS.iter().map(|writer| writer.name));
            PyValueError::new_err(format!(
                "there is no format `{format}`; the formats are {names}"
            ))
        })?;
        (writer.write)(&self.network).map_err(|why| PyValueError::new_err(why.to_string()))
    }
}
