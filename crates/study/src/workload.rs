//! What `[workload]` asks for, terminals that answer what arrives, and where `[placement]` has their ranks.

use crate::naming::lies_in;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_config::registry::parse;
use turnwise_network::{FlowControl, Network, TerminalId, Workload};
use turnwise_verify::Protocol;
use turnwise_workload::{PLACEMENTS, Part, Placement, Site, WORKLOADS, WorkloadParameters, placed};

/// `[workload]` as written, and `[placement]`.
pub struct WorkloadSpecification {
    parameters: Box<dyn WorkloadParameters>,
    /// None if ranks are where workloads have them anyway.
    placement: Option<Box<dyn Placement>>,
}

impl WorkloadSpecification {
    /// Reads `[workload]` and, if there is one, `[placement]`.
    pub(crate) fn read(
        table: &Value,
        placement: Option<&Value>,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let placement = match placement {
            Some(table) => read_placement(table, errors).map(Some),
            None => Some(None),
        };
        let parameters = parse(WORKLOADS, table, "kind", errors)?;
        match parameters.check() {
            Ok(()) => Some(Self {
                parameters,
                placement: placement?,
            }),
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

    /// The files that it is read from, each with the table that names it.
    pub fn files(&self) -> [(&'static str, Option<&str>); 2] {
        let of_placement = self
            .placement
            .as_ref()
            .and_then(|placement| placement.file());
        [(TABLE, self.parameters.file()), (PLACEMENT, of_placement)]
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

    /// About how many flits each of so many terminals sends in all, if it ends; `texts` are those of [`files`](Self::files).
    pub fn total_flits(&self, terminals: u32, texts: &[Option<String>]) -> Option<f64> {
        self.parameters.total_flits(terminals, text(texts, 0))
    }

    /// The agents; `texts` are those of [`files`](Self::files).
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn build(
        &self,
        network: &Network,
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Box<dyn Workload>, Invalid> {
        let of_workload = |invalid: Invalid| invalid.under(TABLE);
        let file = text(texts, 0);
        let workload = self.parameters.build(network, seed, file);
        let workload = workload.map_err(of_workload)?;
        if self.placement.is_none() {
            return Ok(workload);
        }
        let part = Part {
            workload,
            terminals: self.terminals(network, texts, seed)?,
            start: 0,
        };
        Ok(placed(network, vec![part]))
    }

    /// Where its ranks are.
    fn terminals(
        &self,
        network: &Network,
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Vec<TerminalId>, Invalid> {
        let free: Vec<TerminalId> = network.living_terminals().collect();
        let program = self.parameters.program(free.len() as u32, text(texts, 0));
        let ranks = match program.map_err(|invalid| invalid.under(TABLE))? {
            Some(program) => program.ranks(),
            None => free.len() as u32,
        };
        let site = Site {
            network,
            free: &free,
            seed,
            text: text(texts, 1),
        };
        let Some(placement) = &self.placement else {
            return Ok(free);
        };
        let placed = placement.place(&site, ranks);
        placed.map_err(|invalid| invalid.under(PLACEMENT))
    }

    /// The terminals that exchange messages at a time, phase by phase, if it comes in phases.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn phases(
        &self,
        network: &Network,
        texts: &[Option<String>],
        seed: u64,
    ) -> Result<Option<Vec<Vec<(TerminalId, TerminalId)>>>, Invalid> {
        let Some(phases) = self.parameters.phases() else {
            return Ok(None);
        };
        let terminals = self.terminals(network, texts, seed)?;
        let terminal = |rank: u32| terminals.get(rank as usize).copied();
        let of_phase = |phase: Vec<(u32, u32)>| {
            let pairs = phase.into_iter();
            pairs
                .filter_map(|(from, to)| terminal(from).zip(terminal(to)))
                .collect()
        };
        Ok(Some(phases.into_iter().map(of_phase).collect()))
    }
}

/// The tables of a study that say what is read here.
const TABLE: &str = "workload";
const PLACEMENT: &str = "placement";

fn text(texts: &[Option<String>], index: usize) -> Option<&str> {
    texts.get(index).and_then(Option::as_deref)
}

fn read_placement(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<Box<dyn Placement>> {
    let placement = parse(PLACEMENTS, table, "kind", errors)?;
    match placement.check() {
        Ok(()) => Some(placement),
        Err(invalid) => {
            errors.push(invalid.locate(table));
            None
        }
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
