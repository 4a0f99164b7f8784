//! What `[workload]` asks for, terminals that answer what arrives, and where `[placement]` has their ranks.

use crate::demand::ReadFiles;
use crate::files::beside;
use crate::naming::lies_in;
use crate::router::WITHOUT_BUBBLES;
use turnwise_config::File;
use turnwise_config::diagnostic::{Diagnostic, Invalid};
use turnwise_config::document::Value;
use turnwise_config::registry::parse;
use turnwise_network::{FlowControl, Network, Routing, Workload};
use turnwise_verify::Protocol;
use turnwise_workload::tenants::{self, Tenant};
use turnwise_workload::{Seating, Seats, WORKLOADS, WorkloadParameters};

/// `[workload]` as written, and `[placement]`.
pub struct WorkloadSpecification {
    parameters: Box<dyn WorkloadParameters>,
    /// None if ranks are where workloads have them anyway.
    placement: Option<Seating>,
    /// What the workload is called.
    kind: String,
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
                kind: table
                    .at_path("kind")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
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
        let full = match self.parameters.as_program() {
            Some(_) => "workload.host = { full_packets = true }, or ",
            None => "",
        };
        let help = format!("write {full}{WITHOUT_BUBBLES}");
        Err(Invalid::new("kind", message).with_help(help))
    }

    /// What is in the files that it is read from, as a reader gives it: for each tenant, in their order.
    ///
    /// # Errors
    /// Whatever the reader says.
    pub(crate) fn contents(
        &self,
        document: &Value,
        reader: &dyn ReadFiles,
    ) -> Result<Vec<TenantFiles>, Diagnostic> {
        let table = |path: &str| document.at_path(path).unwrap_or(document);
        let of_tenant = |tenant: Tenant<'_>| {
            let own = table(&tenant.at);
            let mut files = Vec::new();
            for (field, name) in tenant.parameters.files() {
                files.extend(reader.files(name, field, own)?);
            }
            if let Some(first) = files.first().cloned() {
                for name in tenant.parameters.companions(&first) {
                    let name = beside(&first.name, &name);
                    files.extend(reader.files(&name, "file", own)?);
                }
            }
            let text = |file| reader.text(file, "file", table(&tenant.placement_at));
            let placement = tenant.placement.file().map(text).transpose()?;
            Ok(TenantFiles { files, placement })
        };
        self.tenants(&[]).into_iter().map(of_tenant).collect()
    }

    /// The workload, or all jobs, with their [`contents`](Self::contents).
    fn tenants<'a>(&'a self, contents: &'a [TenantFiles]) -> Vec<Tenant<'a>> {
        let mut tenants: Vec<Tenant<'a>> = match self.parameters.jobs() {
            [] => vec![Tenant::alone(&*self.parameters, TABLE)],
            jobs => {
                let jobs = jobs.iter().enumerate();
                jobs.map(|(index, job)| Tenant::of_job(job, &path(index)))
                    .collect()
            }
        };
        let own = self.parameters.jobs().iter();
        let own: Vec<bool> = own.map(|job| job.placement.is_some()).collect();
        for (index, tenant) in tenants.iter_mut().enumerate() {
            // `[placement]` is for all that have none of their own.
            if let (Some(placement), false) =
                (&self.placement, own.get(index).copied().unwrap_or(false))
            {
                tenant.sit(placement);
                tenant.placement_at = PLACEMENT.to_owned();
            }
            if let Some(contents) = contents.get(index) {
                tenant.files = &contents.files;
                tenant.placement_text = contents.placement.as_deref();
            }
        }
        tenants
    }

    /// What its classes of messages are called; empty if there is but one. Those that belong to a job have its name.
    pub fn class_names(&self) -> Vec<String> {
        let classes = self.parameters.classes();
        let jobs = self.parameters.jobs();
        if jobs.is_empty() {
            let several = if classes.len() > 1 { classes } else { &[] };
            return several.iter().map(|&name| name.to_owned()).collect();
        }
        let mut names = Vec::new();
        for job in jobs.iter().filter(|job| job.runs) {
            names.extend(classes.iter().map(|class| format!("{} {class}", job.name)));
        }
        names
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

    /// Is it a program, or several, whose ranks keep journals?
    pub fn is_program(&self) -> bool {
        !self.parameters.jobs().is_empty() || self.parameters.as_program().is_some()
    }

    /// Are its ranks where the study has them, be it by jobs or by a placement?
    pub fn is_seated(&self) -> bool {
        self.placement.is_some() || !self.parameters.jobs().is_empty()
    }

    /// Does it end by itself, so that runs go on to its end?
    pub fn ends(&self) -> bool {
        self.parameters.ends()
    }

    /// About how many flits each of so many terminals sends in all, if it ends; `contents` are those of its files.
    pub fn total_flits(&self, terminals: u32, contents: &[TenantFiles]) -> Option<f64> {
        tenants::total_flits(&self.tenants(contents), terminals)
    }

    /// Where ranks are; empty if they are where workloads have them anyway.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn seats(
        &self,
        network: &Network,
        routing: &dyn Routing,
        contents: &[TenantFiles],
        seed: u64,
    ) -> Result<Vec<Seats>, Invalid> {
        if !self.is_seated() {
            return Ok(Vec::new());
        }
        tenants::seats(&self.tenants(contents), network, Some(routing), seed)
    }

    /// The agents; `contents` are those of its files.
    ///
    /// # Errors
    /// Whatever makes no sense on this network, on a field of the study.
    pub fn build(
        &self,
        network: &Network,
        seats: &[Seats],
        contents: &[TenantFiles],
        seed: u64,
    ) -> Result<Box<dyn Workload>, Invalid> {
        if seats.is_empty() {
            let files = contents.first().map_or(&[][..], |first| &first.files);
            let workload = self.parameters.build(network, seed, files);
            return workload.map_err(|invalid| invalid.under(TABLE));
        }
        tenants::build(&self.tenants(contents), seats, network, seed)
    }

    /// The terminals that exchange messages at a time, phase by phase, if it comes in phases.
    ///
    /// # Errors
    /// As [`tenants::phases`].
    pub fn phases(
        &self,
        network: &Network,
        contents: &[TenantFiles],
        seed: u64,
    ) -> Result<Option<Vec<tenants::Pairs>>, Invalid> {
        tenants::phases(&self.tenants(contents), network, seed)
    }

    /// What is strange about its programs on a network, and about where they are.
    ///
    /// # Errors
    /// As [`tenants::remarks`].
    pub fn remarks(
        &self,
        network: &Network,
        contents: &[TenantFiles],
    ) -> Result<Vec<String>, Invalid> {
        let mut all = tenants::remarks(&self.tenants(contents), network)?;
        let jobs = self.parameters.jobs();
        let is_needless = jobs.iter().all(|job| job.placement.is_some());
        if self.placement.is_some() && !jobs.is_empty() && is_needless {
            all.push("[placement] seats nobody, since every job has a placement of its own".into());
        }
        Ok(all)
    }

    /// The jobs that run where they have been seated, for what is measured of each; none where nobody was.
    pub fn seated(&self, seats: &[Seats]) -> Vec<SeatedJob> {
        let names: Vec<&str> = match self.parameters.jobs() {
            [] => vec![&self.kind],
            jobs => jobs.iter().map(|job| job.name.as_str()).collect(),
        };
        let tenants = self.tenants(&[]);
        let all = names.iter().zip(&tenants).zip(seats);
        let running = all.filter(|((_, tenant), _)| tenant.runs);
        let job = |((name, tenant), seats): ((&&str, &Tenant<'_>), &Seats)| SeatedJob {
            name: (*name).to_owned(),
            start: tenant.start,
            seats: seats.clone(),
        };
        running.map(job).collect()
    }
}

/// What is in the files of a tenant.
#[derive(Clone, Debug, Default)]
pub struct TenantFiles {
    /// Those of its workload.
    pub files: Vec<File>,
    /// The text that its placement is read from.
    pub placement: Option<String>,
}

/// One of the programs of a network, and where it is.
#[derive(Clone, Debug)]
pub struct SeatedJob {
    /// What it is called.
    pub name: String,
    /// The cycle in which its ranks begin.
    pub start: u64,
    /// Where they are.
    pub seats: Seats,
}

/// The tables of a study that say what is read here.
const TABLE: &str = "workload";
const PLACEMENT: &str = "placement";

/// Where a job is in the study.
fn path(index: usize) -> String {
    format!("{TABLE}.jobs[{index}]")
}

fn read_placement(table: &Value, errors: &mut Vec<Diagnostic>) -> Option<Seating> {
    let placement = Seating::read(table, errors)?;
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
