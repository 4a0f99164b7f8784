//! What `[workload]` asks for: terminals that answer what arrives.

use crate::naming::lies_in;
use turnwise_config::File;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_config::registry::parse;
use turnwise_network::{FlowControl, Network, Workload};
use turnwise_verify::Protocol;
use turnwise_workload::{WORKLOADS, WorkloadParameters};

/// `[workload]` as written.
pub struct WorkloadSpecification {
    parameters: Box<dyn WorkloadParameters>,
}

impl WorkloadSpecification {
    /// Reads `[workload]`.
    pub(crate) fn read(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<Self> {
        let parameters = parse(WORKLOADS, table, "kind", errors)?;
        match parameters.check() {
            Ok(()) => Some(Self { parameters }),
            Err(invalid) => {
                errors.push(invalid.locate(table));
                None
            }
        }
    }

    /// The longest messages' length in flits.
    pub fn longest_packet(&self) -> u16 {
        self.parameters.lengths().1
    }

    /// Can messages of these lengths be sent under this flow control?
    ///
    /// # Errors
    /// Several lengths under bubble flow control, whose proof needs packets of one length.
    pub fn check_lengths(&self, flow_control: FlowControl) -> Result<(), Invalid> {
        let (shortest, longest) = self.parameters.lengths();
        if flow_control != FlowControl::Bubble || shortest == longest {
            return Ok(());
        }
        let message = format!(
            "bubble flow control keeps rings free of deadlock for packets of one length only; this workload's have \
             {shortest} to {longest} flits"
        );
        let help = "write router.flow_control = \"virtual-cut-through\" with a routing that needs no bubbles";
        Err(Invalid::new("kind", message).with_help(help))
    }

    /// The files that it is read from: fields that name them, and names.
    pub fn files(&self) -> Vec<(&'static str, &str)> {
        self.parameters.files()
    }

    /// Names of further files that the first one says belong to it, relative to where it is.
    pub fn companions(&self, file: &File) -> Vec<String> {
        self.parameters.companions(file)
    }

    /// What its classes of messages are called; empty if there is but one.
    pub fn class_names(&self) -> Vec<String> {
        match self.parameters.classes() {
            [_] => Vec::new(),
            several => several.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// How many classes have virtual channels of their own.
    pub fn classes_apart(&self) -> u8 {
        self.parameters.classes_apart()
    }

    /// What a proof must know of the messages: classes that share everything and wait for nothing are one to it.
    pub fn protocol(&self) -> Protocol {
        let answers = self.parameters.answers().iter().copied();
        Protocol::new(self.parameters.classes_apart(), answers)
    }

    /// Does it end by itself, so that runs go on to its end?
    pub fn ends(&self) -> bool {
        self.parameters.ends()
    }

    /// About how many flits each of so many terminals sends in all, if it ends.
    pub fn total_flits(&self, terminals: u32, files: &[File]) -> Option<f64> {
        self.parameters.total_flits(terminals, files)
    }

    /// The agents; `files` are those of `files`, and behind them their companions.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of `[workload]`.
    pub fn build(
        &self,
        network: &Network,
        files: &[File],
        seed: u64,
    ) -> Result<Box<dyn Workload>, Invalid> {
        self.parameters.build(network, seed, files)
    }
}

/// Does a proof depend on a swept field because of the messages that terminals exchange?
pub fn is_of_protocol(field: &str) -> bool {
    let mut of_kinds = WORKLOADS.iter().flat_map(|line| line.of_protocol);
    let named = |name: &str| field == format!("workload.{name}");
    field == "workload"
        || named("kind")
        || lies_in(field, "workload") && of_kinds.any(|name| named(name))
}
