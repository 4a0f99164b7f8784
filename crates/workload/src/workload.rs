//! What a workload is before it is built for a network: agents that answer what arrives, and their parameters.

use crate::host::{Counting, HostFields};
use crate::pattern::{Context, Pattern, PatternParameters};
use crate::patterns;
use crate::seating::Seating;
use schemars::Schema;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use turnwise_application::Program;
use turnwise_config::File;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_config::document::{Kind, Value, deserialize_ignoring};
use turnwise_config::registry::{Entry, Family, Registered, field_names, parse, select};
use turnwise_network::{Invalid, Network, Workload};

/// The parameters of a workload, ready to be built for a network.
pub trait WorkloadParameters: Send + Sync {
    /// The files it is built from: fields that name them, and what they are called there. `*` in a name stands for
    /// 0, 1, 2, ... as long as there are such files.
    fn files(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// Names of further files that the first of these, if this is in it, says belong to it; relative to where it is.
    fn companions(&self, file: &File) -> Vec<String> {
        let _ = file;
        Vec::new()
    }

    /// The programs that run side by side; none if it is one workload alone.
    fn jobs(&self) -> &[Job] {
        &[]
    }

    /// What the classes of its messages are called, in their order; at least one. [Jobs](Self::jobs) have these each.
    fn classes(&self) -> &'static [&'static str];

    /// How many classes want virtual channels of their own; as many as there are, or 1 if they share all.
    fn classes_apart(&self) -> u8 {
        1
    }

    /// Which messages may wait for which, see [`Workload::answers`].
    fn answers(&self) -> &'static [(u8, u8)] {
        &[]
    }

    /// Lengths of its shortest and of its longest messages, in flits.
    fn lengths(&self) -> (u16, u16);

    /// About how many flits a terminal sends in all, if so many take part; `None` if it goes on until the
    /// simulation ends. `files` are those of [`files`](Self::files).
    fn total_flits(&self, terminals: u32, files: &[File]) -> Option<f64>;

    /// Is it done some day?
    fn ends(&self) -> bool {
        self.total_flits(1, &[]).is_some()
    }

    /// The same if it is a program, whose ranks may be anywhere.
    fn as_program(&self) -> Option<&dyn ProgramParameters> {
        None
    }

    /// Pairs of ranks, sender and receiver, that exchange messages at a time, for each of its phases; `None` if it does not tell any.
    fn phases(&self) -> Option<Vec<Vec<(u32, u32)>>> {
        None
    }

    /// What is wrong with the parameters, whatever the network.
    ///
    /// # Errors
    /// A value that makes no sense, on its field.
    fn check(&self) -> Result<(), Invalid>;

    /// Builds the workload for a network that has suffered all its faults; `files` are those of
    /// [`files`](Self::files), and behind them their companions.
    ///
    /// # Errors
    /// As [`check`](Self::check), and what makes no sense on this network.
    fn build(
        &self,
        network: &Network,
        seed: u64,
        files: &[File],
    ) -> Result<Box<dyn Workload>, Invalid>;
}

/// The parameters of a program, which has ranks of its own; it can be asked what they send each other.
pub trait ProgramParameters: WorkloadParameters {
    /// What hosts do with its messages.
    fn host(&self) -> &HostFields;

    /// What it counts time and bytes by.
    ///
    /// # Errors
    /// A unit that is missing or makes no sense, on its field.
    fn counting(&self) -> Result<Counting, Invalid>;

    /// What its ranks run, if there are so many places for them; `files` are those of [`WorkloadParameters::files`].
    ///
    /// # Errors
    /// As [`WorkloadParameters::build`].
    fn program(&self, places: u32, files: &[File]) -> Result<Arc<dyn Program>, Invalid>;

    /// The field to blame if there are too many ranks.
    fn field_of_ranks(&self) -> &'static str {
        "ranks"
    }
}

/// One of several programs that run side by side.
pub struct Job {
    /// What it is called.
    pub name: String,
    /// The cycle in which its ranks begin.
    pub start: u64,
    /// What it does.
    pub parameters: Box<dyn WorkloadParameters>,
    /// Where its ranks are, if it says so itself.
    pub placement: Option<Seating>,
    /// Does it run, or does it only keep its terminals?
    pub runs: bool,
}

impl Family for dyn WorkloadParameters {
    const SHARED: &'static [&'static str] = &["kind"];
}

/// A line of the registry of workloads.
pub struct WorkloadEntry {
    /// The workload.
    pub entry: Entry<dyn WorkloadParameters>,
    /// Its fields that change its classes of messages, or which of them may wait for which.
    pub of_protocol: &'static [&'static str],
    /// Does it count bytes and time? Then it has fields [`CYCLE_NS`] and [`FLIT_BYTES`].
    pub counts_bytes: bool,
}

impl WorkloadEntry {
    /// Does its table name a traffic pattern, and have that pattern's fields too?
    pub fn has_pattern(&self) -> bool {
        let fields = field_names(&(self.entry.schema)());
        fields.iter().any(|field| field == PATTERN)
    }
}

/// The field that says how long a cycle is, where a workload counts time.
pub const CYCLE_NS: &str = "cycle_ns";
/// The field that says what a flit holds, where a workload counts bytes.
pub const FLIT_BYTES: &str = "flit_bytes";

/// The field that names the traffic pattern.
const PATTERN: &str = "pattern";

impl Registered for WorkloadEntry {
    type Thing = dyn WorkloadParameters;

    fn entry(&self) -> &Entry<dyn WorkloadParameters> {
        &self.entry
    }
}

/// With whom terminals exchange messages, as written: a traffic pattern.
pub struct Partners {
    pattern: Box<dyn PatternParameters>,
}

impl Partners {
    /// Those of a pattern.
    pub fn new(pattern: impl PatternParameters + 'static) -> Self {
        let pattern = Box::new(pattern);
        Self { pattern }
    }

    /// The file that the pattern is built from, if it is, and the field that names it.
    pub fn files(&self) -> Vec<(&'static str, &str)> {
        self.pattern
            .file()
            .map(|file| ("file", file))
            .into_iter()
            .collect()
    }

    /// Builds the pattern for a network, of the file of [`files`](Self::files).
    ///
    /// # Errors
    /// As [`PatternParameters::build`].
    pub fn build(
        &self,
        network: &Network,
        context: &Context<'_>,
        files: &[File],
    ) -> Result<Box<dyn Pattern>, Invalid> {
        let file = files.first().map(File::text).transpose()?;
        self.pattern.build(network, &Context { file, ..*context })
    }
}

/// Reads the table of a workload with a pattern: the workload's own fields, which `schema` lists, `pattern` among
/// them, and the pattern with its own.
///
/// Returns nothing exactly when it adds to `errors`.
pub fn read_with_pattern<P: DeserializeOwned>(
    table: &Value,
    schema: fn() -> Schema,
    errors: &mut Vec<Diagnostic>,
) -> Option<(P, Partners)> {
    let entry = select(patterns::REGISTRY, table, PATTERN, errors);
    let own = field_names(&schema());
    let mut of_pattern = Vec::new();
    match entry {
        Some(entry) => of_pattern.extend(field_names(&(entry.schema)())),
        // Whatever is not the workload's own may belong to the pattern that was meant.
        None => {
            let keys = table.table().into_iter().flat_map(|fields| fields.keys());
            let others = keys.filter(|key| !own.contains(&key.name));
            of_pattern.extend(others.map(|key| key.name.clone()));
        }
    }
    let shared = <dyn WorkloadParameters>::SHARED.iter().copied();
    let ignored: Vec<&str> = shared
        .chain(of_pattern.iter().map(String::as_str))
        .collect();
    let parameters = deserialize_ignoring(table, &ignored, errors);
    entry?;
    let mut rest = table.clone();
    if let Kind::Table(fields) = &mut rest.kind {
        let names: Vec<String> = fields.keys().map(|key| key.name.clone()).collect();
        let is_other = |name: &&String| *name != PATTERN && !of_pattern.contains(name);
        for name in names.iter().filter(is_other) {
            fields.remove(name);
        }
    }
    let pattern = parse(patterns::REGISTRY, &rest, PATTERN, errors);
    let (parameters, pattern) = (parameters?, pattern?);
    Some((parameters, Partners { pattern }))
}

/// Refuses a number of something that is out of range.
pub(crate) fn check_range(field: &str, value: u64, least: u64, most: u64) -> Result<(), Invalid> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => {
            let message = format!("expected {least} to {most}, found {value}");
            Err(Invalid::new(field, message))
        }
    }
}
