//! What terminals send: packets whatever arrives (`[traffic]`), or messages in answer to what arrives (`[workload]`).

use crate::traffic::TrafficSpecification;
use crate::workload::{SeatedJob, WorkloadSpecification};
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_network::{FlowControl, Injector, Network, Routing, TerminalId, Workload};
use turnwise_workload::Seats;

/// One of the two tables, as written.
pub enum DemandSpecification {
    /// `[traffic]`.
    Traffic(TrafficSpecification),
    /// `[workload]`.
    Workload(WorkloadSpecification),
}

/// What terminals send, ready to be simulated.
pub enum Demand {
    /// Packets whatever arrives.
    Open {
        /// The source of packets.
        injector: Box<dyn Injector>,
        /// The load asked for, in flits per terminal and cycle.
        load: f64,
        /// The highest load that sources of this kind can offer.
        highest_load: f64,
        /// The cycles in which the traffic switches, in ascending order.
        switches: Vec<u64>,
    },
    /// Messages in answer to what arrives.
    Closed {
        /// The terminals' agents.
        workload: Box<dyn Workload>,
        /// About how many flits a terminal sends in all; `None` if it goes on until the simulation ends.
        total_flits: Option<f64>,
        /// The programs that run and where they are; none if their ranks are where workloads have them anyway.
        jobs: Vec<SeatedJob>,
    },
}

impl DemandSpecification {
    /// The name of its table.
    pub fn table(&self) -> &'static str {
        match self {
            Self::Traffic(_) => "traffic",
            Self::Workload(_) => "workload",
        }
    }

    /// The workload, if it is one.
    pub fn workload(&self) -> Option<&WorkloadSpecification> {
        match self {
            Self::Traffic(_) => None,
            Self::Workload(workload) => Some(workload),
        }
    }

    /// Who exchanges messages with whom at a time, if it comes in phases; `texts` are those of `texts`.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn phases(
        &self,
        network: &Network,
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Option<Vec<Vec<(TerminalId, TerminalId)>>>, Invalid> {
        match self {
            Self::Traffic(_) => Ok(None),
            Self::Workload(workload) => workload.phases(network, texts, seed),
        }
    }

    /// The longest packets' length in flits.
    pub fn longest_packet(&self) -> u16 {
        match self {
            Self::Traffic(traffic) => traffic.longest_packet(),
            Self::Workload(workload) => workload.longest_packet(),
        }
    }

    /// The field that is to blame where packets are too long for something.
    pub fn length_field(&self) -> &'static str {
        match self {
            Self::Traffic(_) => "packet_flits",
            Self::Workload(_) => "kind",
        }
    }

    /// Can packets of these lengths be sent under this flow control?
    ///
    /// # Errors
    /// Several lengths under bubble flow control.
    pub fn check_lengths(&self, flow_control: FlowControl) -> Result<(), Invalid> {
        match self {
            Self::Traffic(traffic) => traffic.check_lengths(flow_control),
            Self::Workload(workload) => workload.check_lengths(flow_control),
        }
    }

    /// Names of the classes that are measured on their own; none if there is but one.
    pub fn class_names(&self) -> Vec<String> {
        match self {
            Self::Traffic(traffic) => traffic.class_names(),
            Self::Workload(workload) => workload.class_names(),
        }
    }

    /// The texts of the files it is read from, as `read` gives them; nothing where there is no file.
    ///
    /// # Errors
    /// Whatever `read`, which is given a file's name and the table that names it, says.
    pub(crate) fn texts(
        &self,
        document: &Value,
        read: &dyn Fn(&str, &Value) -> Result<String, Diagnostic>,
    ) -> Result<Vec<Option<String>>, Diagnostic> {
        let table = |name: &str| document.at_path(name).unwrap_or(document);
        match self {
            Self::Traffic(traffic) => {
                let table = table(self.table());
                let text = |(path, file): (String, Option<&str>)| {
                    let table = table.at_path(&path).unwrap_or(table);
                    file.map(|file| read(file, table)).transpose()
                };
                traffic.files().map(text).collect()
            }
            Self::Workload(workload) => {
                let text = |(path, file): (String, Option<&str>)| {
                    file.map(|file| read(file, table(&path))).transpose()
                };
                workload.files().into_iter().map(text).collect()
            }
        }
    }

    /// Where ranks are, if they are elsewhere than workloads have them anyway; `texts` are those of `texts`.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn seats(
        &self,
        network: &Network,
        routing: &dyn Routing,
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Vec<Seats>, Invalid> {
        match self {
            Self::Traffic(_) => Ok(Vec::new()),
            Self::Workload(workload) => workload.seats(network, routing, texts, seed),
        }
    }

    /// Makes it for a network; `texts` are those of `texts`, `seats` those of `seats`.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn build(
        &self,
        network: &Network,
        seats: &[Seats],
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Demand, Invalid> {
        Ok(match self {
            Self::Traffic(traffic) => Demand::Open {
                injector: traffic
                    .injector(network, texts, seed)
                    .map_err(|invalid| invalid.under(self.table()))?,
                load: traffic.load,
                highest_load: traffic.injection.highest_load(),
                switches: traffic.switches(),
            },
            Self::Workload(workload) => {
                let terminals = network.living_terminals().count() as u32;
                Demand::Closed {
                    workload: workload.build(network, seats, texts, seed)?,
                    total_flits: workload.total_flits(terminals, texts),
                    jobs: workload.seated(seats),
                }
            }
        })
    }
}

impl Demand {
    /// The load asked for, in flits per terminal and cycle; `None` if it depends on what arrives.
    pub fn load(&self) -> Option<f64> {
        match self {
            Self::Open { load, .. } => Some(*load),
            Self::Closed { .. } => None,
        }
    }

    /// The cycles in which the traffic switches, in ascending order.
    pub fn switches(&self) -> &[u64] {
        match self {
            Self::Open { switches, .. } => switches,
            Self::Closed { .. } => &[],
        }
    }

    /// The programs that are measured apart.
    pub fn jobs(&self) -> &[SeatedJob] {
        match self {
            Self::Open { .. } => &[],
            Self::Closed { jobs, .. } => jobs,
        }
    }

    /// Does it depend on what arrives?
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. })
    }

    /// Bytes of memory that it takes.
    pub fn memory_bytes(&self) -> u64 {
        match self {
            Self::Open { injector, .. } => injector.memory_bytes(),
            Self::Closed { workload, .. } => workload.memory_bytes(),
        }
    }

    /// The same for a simulation.
    pub fn of_setup(&self) -> turnwise_sim::Demand<'_> {
        match self {
            Self::Open { injector, .. } => turnwise_sim::Demand::Open(&**injector),
            Self::Closed { workload, .. } => turnwise_sim::Demand::Closed(&**workload),
        }
    }
}
