//! Jobs: several programs at once, each with its own ranks, terminals and beginning.
//!
//! Jobs are seated in the order in which they are listed. What one sends never comes to another; all they share is the
//! network. `only` has one of them run alone at the very terminals that it has beside the others, so what they cost it can be
//! read off two points.
//!
//! Source: Jain et al., "Maximizing throughput on a dragonfly network", SC 2014; Yang et al., "Watch out for the bully!
//! Job interference study on dragonfly network", SC 2016.
//!
//! Complexity: that of the programs, and eight bytes a terminal and job.

use super::REGISTRY;
use crate::seating::Seating;
use crate::tenants::{self, Tenant};
use crate::workload::{Job, WorkloadEntry, WorkloadParameters};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use turnwise_config::File;
use turnwise_config::diagnostic::{Diagnostic, listed, suggestion, which_unknown_key};
use turnwise_config::document::{Kind, Value, deserialize_ignoring};
use turnwise_config::registry::{Entry, parse, parse_as, schema_of};
use turnwise_config::units;
use turnwise_network::{Invalid, Network, Workload};

pub(super) const ENTRY: WorkloadEntry = WorkloadEntry {
    entry: Entry {
        name: NAME,
        aliases: &[],
        summary: "Several programs at once, each with its own ranks, terminals and beginning",
        source: "Yang et al., Watch out for the bully! Job interference study on dragonfly network, SC 2016",
        example: "jobs = [\n\
                  \x20 { name = \"sort\", kind = \"npb\", program = \"is\", class = \"S\", ranks = 4, iterations = 1, computing = 0, cycle_ns = 1, flit_bytes = 16 },\n\
                  \x20 { name = \"sums\", kind = \"npb\", program = \"cg\", class = \"S\", ranks = 4, iterations = 1, computing = 0, cycle_ns = 1, flit_bytes = 16, start_cycles = 500, placement = { kind = \"random\" } },\n\
                  ]",
        schema: schema_of::<JobsFields>,
        parse: |table, errors| Some(Box::new(read(table, errors)?)),
    },
    of_protocol: &[],
    counts_bytes: false,
};

const NAME: &str = "jobs";

/// No more than this: each has classes of messages of its own.
const MOST_JOBS: usize = 64;
/// No job begins later.
const LATEST: u64 = 1_000_000_000_000;

/// What `[workload]` says of jobs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobsFields {
    /// The jobs: each has a `name`, the `kind` and the fields of a program, and perhaps a `placement` and `start_cycles`.
    // Read one by one, because they are workloads; named here for the schema.
    #[schemars(with = "Vec<JobFields>")]
    pub jobs: Vec<IgnoredAny>,
    /// The name of the one job that runs, while the others only keep their terminals; `all` for all of them.
    #[serde(default = "all")]
    pub only: String,
}

fn all() -> String {
    ALL.to_owned()
}

const ALL: &str = "all";

/// What a job has beside the program's own fields.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobFields {
    /// What it is called; names its classes of messages.
    pub name: String,
    /// The cycle in which its ranks begin.
    #[serde(default)]
    #[schemars(range(max = LATEST), transform = units::cycles)]
    pub start_cycles: u64,
    /// Where its ranks are; as `[placement]` says if not given.
    #[serde(default)]
    #[schemars(with = "Option<std::collections::BTreeMap<String, String>>")]
    pub placement: IgnoredAny,
}

const OWN: [&str; 3] = ["name", "start_cycles", "placement"];

/// Several programs.
pub struct Jobs {
    jobs: Vec<Job>,
}

fn read(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<Jobs> {
    let fields: JobsFields = parse_as::<_, dyn WorkloadParameters>(table, errors)?;
    let list = table.at_path("jobs")?;
    let items = list.array().unwrap_or_default();
    if !(1..=MOST_JOBS).contains(&items.len()) {
        let message = format!("jobs: expected 1 to {MOST_JOBS}, found {}", items.len());
        errors.push(Diagnostic::at(list.span, message));
        return None;
    }
    let jobs: Vec<Option<Job>> = items
        .iter()
        .map(|item| read_job(item, &fields.only, errors))
        .collect();
    let jobs: Vec<Job> = jobs.into_iter().collect::<Option<_>>()?;
    let names = || jobs.iter().map(|job| job.name.as_str());
    for (index, item) in items.iter().enumerate() {
        if names().take(index).any(|name| name == jobs[index].name) {
            let span = item.at_path("name").map_or(item.span, |name| name.span);
            errors.push(Diagnostic::at(span, "name: another job has this name"));
            return None;
        }
    }
    if !jobs.iter().any(|job| job.runs) {
        let span = table.at_path("only").map_or(table.span, |only| only.span);
        let choices = || [ALL].into_iter().chain(names());
        let help = suggestion(&fields.only, "the names are", choices(), choices());
        let message = format!("only: there is no job `{}`", fields.only);
        errors.push(Diagnostic::at(span, message).with_help(help));
        return None;
    }
    Some(Jobs { jobs })
}

fn read_job(item: &Value, only: &str, errors: &mut Vec<Diagnostic>) -> Option<Job> {
    let keys = item.table().into_iter().flat_map(|fields| fields.keys());
    let keys: Vec<&str> = keys.map(|key| key.name.as_str()).collect();
    let others: Vec<&str> = keys.into_iter().filter(|key| !OWN.contains(key)).collect();
    let fields: Option<JobFields> = deserialize_ignoring(item, &others, errors);
    let mut program = item.clone();
    if let Kind::Table(table) = &mut program.kind {
        for name in OWN {
            table.remove(name);
        }
    }
    if program.at_path("kind").and_then(Value::as_str) == Some(NAME) {
        let span = program.at_path("kind").map_or(item.span, |kind| kind.span);
        let message = "a job is a program, not several";
        errors.push(Diagnostic::at(span, message).with_help("list all jobs side by side"));
        return None;
    }
    let known = errors.len();
    let parameters = parse(REGISTRY, &program, "kind", errors);
    // It knows the keys of a program alone. Those of tables inside it are none of a job.
    let names = || item.table().into_iter().flat_map(|fields| fields.keys());
    for error in &mut errors[known..] {
        let is_own =
            which_unknown_key(error).is_some() && names().any(|key| Some(key.span) == error.place);
        if let Some(help) = error.help.as_mut().filter(|_| is_own) {
            help.push_str(&format!("; a job also has {}", listed(OWN)));
        }
    }
    let placement = match item.at_path("placement") {
        Some(table) => Seating::read(table, errors).map(Some),
        None => Some(None),
    };
    let (fields, parameters, placement) = (fields?, parameters?, placement?);
    let name = fields.name;
    if name.is_empty() || name == ALL || name.len() > 64 || name.chars().any(char::is_control) {
        let span = item.at_path("name").map_or(item.span, |name| name.span);
        let message = format!("name: expected 1 to 64 characters that can be printed, not `{ALL}`");
        errors.push(Diagnostic::at(span, message));
        return None;
    }
    Some(Job {
        runs: only == ALL || only == name,
        name,
        start: fields.start_cycles,
        parameters,
        placement,
    })
}

impl Jobs {
    /// As tenants, with nothing but themselves known.
    fn tenants(&self) -> Vec<Tenant<'_>> {
        let jobs = self.jobs.iter().enumerate();
        jobs.map(|(index, job)| Tenant::of_job(job, &path(index)))
            .collect()
    }
}

const NO_PROGRAM: &str = "jobs are programs, and only programs run side by side; this workload takes all terminals there are";
const ALONE: &str = "let it be the [workload] itself";

fn path(index: usize) -> String {
    format!("jobs[{index}]")
}

impl WorkloadParameters for Jobs {
    fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Those of one job; all programs have the same.
    fn classes(&self) -> &'static [&'static str] {
        self.jobs
            .first()
            .map_or(&[], |job| job.parameters.classes())
    }

    fn lengths(&self) -> (u16, u16) {
        let lengths = || self.jobs.iter().map(|job| job.parameters.lengths());
        let shortest = lengths().map(|(shortest, _)| shortest).min();
        let longest = lengths().map(|(_, longest)| longest).max();
        (shortest.unwrap_or(1), longest.unwrap_or(1))
    }

    fn total_flits(&self, terminals: u32, _: &[File]) -> Option<f64> {
        tenants::total_flits(&self.tenants(), terminals)
    }

    fn ends(&self) -> bool {
        self.jobs.iter().all(|job| job.parameters.ends())
    }

    fn check(&self) -> Result<(), Invalid> {
        for (index, job) in self.jobs.iter().enumerate() {
            let is_program = match job.parameters.as_program() {
                Some(_) => Ok(()),
                // A proof would have to ask for its classes of messages, and which of them wait for which.
                None if self.jobs.len() == 1 => {
                    Err(Invalid::new("kind", NO_PROGRAM).with_help(ALONE))
                }
                None => Err(Invalid::new("kind", NO_PROGRAM)),
            };
            let checked = is_program.and_then(|()| job.parameters.check());
            let checked = checked.and_then(|()| match job.start {
                0..=LATEST => Ok(()),
                start => {
                    let message = format!("expected at most {LATEST}, found {start}");
                    Err(Invalid::new("start_cycles", message))
                }
            });
            let placed = job.placement.as_ref().map_or(Ok(()), |placement| {
                let checked = placement.check();
                checked.map_err(|invalid| invalid.under("placement"))
            });
            checked
                .and(placed)
                .map_err(|invalid| invalid.under(&path(index)))?;
        }
        Ok(())
    }

    fn build(
        &self,
        network: &Network,
        seed: u64,
        _: &[File],
    ) -> Result<Box<dyn Workload>, Invalid> {
        self.check()?;
        let tenants = self.tenants();
        let seats = tenants::seats(&tenants, network, None, seed)?;
        tenants::build(&tenants, &seats, network, seed)
    }
}
