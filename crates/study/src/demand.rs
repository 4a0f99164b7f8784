//! What terminals send: packets whatever arrives (`[traffic]`), or messages in answer to what arrives (`[workload]`).

use crate::traffic::TrafficSpecification;
use crate::workload::{SeatedJob, TenantFiles, WorkloadSpecification};
use turnwise_config::File;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_network::{Cutting, FlowControl, Injector, Network, Routing, Workload};
use turnwise_workload::Seats;
use turnwise_workload::tenants::Pairs;

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
        /// The programs that run and where they are; none if their ranks are where workloads have them anyway.
        jobs: Vec<SeatedJob>,
    },
}

/// What is in the files that terminals' traffic is read from.
#[derive(Default)]
pub struct Contents {
    /// Texts of traffic, nothing where there is no file.
    texts: Vec<Option<String>>,
    /// Files of a workload, or of each of its jobs.
    tenants: Vec<TenantFiles>,
}

impl Contents {
    /// All that is in them, in parts one behind the other: copied, it would take as much memory again.
    pub(crate) fn parts(&self) -> Vec<&[u8]> {
        let texts = self.texts.iter().flatten().map(String::as_bytes);
        let files = self.tenants.iter().flat_map(|tenant| &tenant.files);
        let files = files.map(|file| file.bytes.as_slice());
        let placements = self.tenants.iter().flat_map(|tenant| &tenant.placement);
        texts
            .chain(files)
            .chain(placements.map(String::as_bytes))
            .collect()
    }
}

/// Someone who reads files that a field of a table names.
pub(crate) trait ReadFiles {
    /// A text.
    fn text(&self, file: &str, field: &str, table: &Value) -> Result<String, Diagnostic>;

    /// Files as they were before they were compressed: several if there is a `*` in the name.
    fn files(&self, file: &str, field: &str, table: &Value) -> Result<Vec<File>, Diagnostic>;
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

    /// Who exchanges messages with whom at a time, if it comes in phases; `contents` are those of `contents`.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn phases(
        &self,
        network: &Network,
        contents: &Contents,
        seed: u64,
    ) -> Result<Option<Vec<Pairs>>, Invalid> {
        match self {
            Self::Traffic(_) => Ok(None),
            Self::Workload(workload) => workload.phases(network, &contents.tenants, seed),
        }
    }

    /// What is strange about what it does on a network; `contents` are those of `contents`.
    ///
    /// # Errors
    /// Whatever makes no sense, on a field of the study.
    pub fn remarks(&self, network: &Network, contents: &Contents) -> Result<Vec<String>, Invalid> {
        match self {
            Self::Traffic(_) => Ok(Vec::new()),
            Self::Workload(workload) => workload.remarks(network, &contents.tenants),
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

    /// What is in the files it is read from, as a reader gives it.
    ///
    /// # Errors
    /// Whatever the reader says.
    pub(crate) fn contents(
        &self,
        document: &Value,
        reader: &dyn ReadFiles,
    ) -> Result<Contents, Diagnostic> {
        let mut contents = Contents::default();
        match self {
            Self::Traffic(traffic) => {
                let table = document.at_path(self.table()).unwrap_or(document);
                let text = |(path, file): (String, Option<&str>)| {
                    let table = table.at_path(&path).unwrap_or(table);
                    file.map(|file| reader.text(file, "file", table))
                        .transpose()
                };
                contents.texts = traffic.files().map(text).collect::<Result<_, _>>()?;
            }
            Self::Workload(workload) => contents.tenants = workload.contents(document, reader)?,
        }
        Ok(contents)
    }

    /// Where ranks are, if they are elsewhere than workloads have them anyway; `contents` are those of `contents`.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn seats(
        &self,
        network: &Network,
        routing: &dyn Routing,
        contents: &Contents,
        seed: u64,
    ) -> Result<Vec<Seats>, Invalid> {
        match self {
            Self::Traffic(_) => Ok(Vec::new()),
            Self::Workload(workload) => workload.seats(network, routing, &contents.tenants, seed),
        }
    }

    /// Makes it for a network; `contents` are those of `contents`, `seats` those of `seats`.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn build(
        &self,
        network: &Network,
        seats: &[Seats],
        contents: &Contents,
        seed: u64,
    ) -> Result<Demand, Invalid> {
        Ok(match self {
            Self::Traffic(traffic) => Demand::Open {
                injector: traffic
                    .injector(network, &contents.texts, seed)
                    .map_err(|invalid| invalid.under(self.table()))?,
                load: traffic.load,
                highest_load: traffic.injection.highest_load(),
                switches: traffic.switches(),
            },
            Self::Workload(workload) => Demand::Closed {
                workload: workload.build(network, seats, &contents.tenants, seed)?,
                jobs: workload.seated(seats),
            },
        })
    }

    /// About how many flits each of so many terminals sends in all; `None` if it goes on until the simulation ends. Of programs, all ranks
    /// are looked at.
    pub fn total_flits(&self, terminals: u32, contents: &Contents) -> Option<f64> {
        let workload = self.workload()?;
        workload.total_flits(terminals, &contents.tenants)
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

    /// How messages that do not depend on what arrives are cut into packets, if there are any.
    pub fn cutting(&self) -> Option<Cutting> {
        match self {
            Self::Open { injector, .. } => injector.cutting(),
            Self::Closed { .. } => None,
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
