//! The workloads of a network, usually one, with their places: first everybody is seated, then all are built.

use crate::agents::program;
use crate::mapping;
use crate::placed::{Part, placed};
use crate::placement::{Placement, RANKS_PER_TERMINAL, Seats, Site};
use crate::placements::Linear;
use crate::residents::too_many;
use crate::seating::Seating;
use crate::workload::{Job, WorkloadParameters};
use std::sync::Arc;
use turnwise_application::Program;
use turnwise_application::replay::unreceived;
use turnwise_config::File;
use turnwise_network::{Invalid, Network, Routing, TerminalId, Workload};

/// A workload that is to have terminals.
pub struct Tenant<'a> {
    /// What it is called, if it is a job.
    pub name: Option<&'a str>,
    /// What it does.
    pub parameters: &'a dyn WorkloadParameters,
    /// Its files.
    pub files: &'a [File],
    /// Where its table is, for complaints.
    pub at: String,
    /// Where its ranks go.
    pub placement: &'a dyn Placement,
    /// How many of them may share a terminal.
    pub ranks_per_terminal: u32,
    /// The text of the placement's file.
    pub placement_text: Option<&'a str>,
    /// Where that table is.
    pub placement_at: String,
    /// The cycle in which its ranks begin.
    pub start: u64,
    /// Does it run, or does it only keep its terminals from others?
    pub runs: bool,
}

impl<'a> Tenant<'a> {
    /// A workload alone whose table is somewhere, with nothing known of files; placed linearly.
    pub fn alone(parameters: &'a dyn WorkloadParameters, at: &str) -> Self {
        const LINEAR: Linear = Linear { first: 0 };
        Self {
            name: None,
            parameters,
            files: &[],
            at: at.to_owned(),
            placement: &LINEAR,
            ranks_per_terminal: 1,
            placement_text: None,
            placement_at: format!("{at}.placement"),
            start: 0,
            runs: true,
        }
    }

    /// A job whose table is somewhere, with nothing known of files; placed linearly unless it says otherwise.
    pub fn of_job(job: &'a Job, at: &str) -> Self {
        let mut tenant = Self::alone(&*job.parameters, at);
        tenant.name = Some(&job.name);
        (tenant.start, tenant.runs) = (job.start, job.runs);
        if let Some(seating) = &job.placement {
            tenant.sit(seating);
        }
        tenant
    }

    /// Its ranks go where a placement has them.
    pub fn sit(&mut self, seating: &'a Seating) {
        self.placement = &*seating.placement;
        self.ranks_per_terminal = seating.ranks_per_terminal;
    }
}

/// Seats tenants, one after the other: each has what those before it have left. What is no program takes all of that, so only one that is
/// alone may be none: jobs are checked for it.
///
/// # Errors
/// Too few terminals, and what placements say.
pub fn seats(
    tenants: &[Tenant<'_>],
    network: &Network,
    routing: Option<&dyn Routing>,
    seed: u64,
) -> Result<Vec<Seats>, Invalid> {
    let all = seated(tenants, network, routing, seed)?;
    Ok(all.into_iter().map(|seated| seated.seats).collect())
}

/// Where a tenant is, and its program, if it is one.
struct Seated {
    seats: Seats,
    program: Option<Arc<dyn Program>>,
}

/// Each terminal as often as it has seats.
fn seats_of(free: &[TerminalId], each: u32) -> Vec<TerminalId> {
    let seats = free.iter();
    let seats = seats.flat_map(|&terminal| std::iter::repeat_n(terminal, each as usize));
    seats.collect()
}

fn seated(
    tenants: &[Tenant<'_>],
    network: &Network,
    routing: Option<&dyn Routing>,
    seed: u64,
) -> Result<Vec<Seated>, Invalid> {
    let mut free: Vec<TerminalId> = network.living_terminals().collect();
    let mut all = Vec::new();
    for tenant in tenants {
        let of_tenant = |invalid: Invalid| invalid.under(&tenant.at);
        let of_placement = |invalid: Invalid| invalid.under(&tenant.placement_at);
        let each = tenant.ranks_per_terminal;
        let terminals = free.len() as u32;
        let seats = seats_of(&free, each);
        let mut site = Site {
            network,
            free: &seats,
            ranks_per_terminal: each,
            seed,
            text: tenant.placement_text,
            routing,
            program: None,
        };
        let program = program_of(tenant, &site)?;
        let ranks = program
            .as_ref()
            .map_or(terminals, |program| program.ranks());
        if each > 1 && program.is_none() {
            let message =
                "only ranks of programs share terminals; this workload has one agent at each";
            return Err(of_placement(Invalid::new(RANKS_PER_TERMINAL, message)));
        }
        if u64::from(ranks) > u64::from(terminals) * u64::from(each) {
            let left = match tenants.len() {
                1 => "",
                _ => " that are left",
            };
            let places = format!("{terminals} terminals{left}");
            return Err(of_tenant(too_many(
                "ranks", ranks, terminals, each, &places,
            )));
        }
        site.program = program.as_deref();
        let seats = tenant.placement.place(&site, ranks).map_err(of_placement)?;
        let mut is_taken = vec![false; network.terminal_count()];
        for terminal in &seats.terminals {
            is_taken[terminal.index()] = true;
        }
        free.retain(|terminal| !is_taken[terminal.index()]);
        all.push(Seated { seats, program });
    }
    Ok(all)
}

/// The program of a tenant, if it is one: of as many ranks as it says, or else as find a place.
fn program_of(tenant: &Tenant<'_>, site: &Site<'_>) -> Result<Option<Arc<dyn Program>>, Invalid> {
    let Some(parameters) = tenant.parameters.as_program() else {
        return Ok(None);
    };
    let of_tenant = |invalid: Invalid| invalid.under(&tenant.at);
    let all = site.free.len() as u32;
    let program = parameters.program(all, tenant.files);
    let ranks = program.as_ref().map_or(all, |program| program.ranks());
    if ranks > all {
        return program.map(Some).map_err(of_tenant);
    }
    let room = match tenant.placement.room(site, ranks) {
        Ok(room) => room,
        // What is wrong with the program is told first.
        Err(invalid) => {
            program.map_err(of_tenant)?;
            return Err(invalid.under(&tenant.placement_at));
        }
    };
    if room == ranks {
        return program.map(Some).map_err(of_tenant);
    }
    // Where the number of ranks is given it is the same again, and the placement says that they are too many.
    match (parameters.program(room, tenant.files), program) {
        (Err(_), Ok(program)) => Ok(Some(program)),
        (smaller, _) => smaller.map(Some).map_err(of_tenant),
    }
}

/// Terminals that exchange messages at a time: source and destination.
pub type Pairs = Vec<(TerminalId, TerminalId)>;

/// Who exchanges messages with whom at a time, phase by phase: those of the same number in all that run are one, as if all began
/// together. Programs that do not tell their phases have those of their rounds of messages; nothing where there is no program.
///
/// # Errors
/// As [`seats`], to which no routing is known yet.
pub fn phases(
    tenants: &[Tenant<'_>],
    network: &Network,
    seed: u64,
) -> Result<Option<Vec<Pairs>>, Invalid> {
    let is_program = |tenant: &Tenant<'_>| tenant.parameters.as_program().is_some();
    if !tenants.iter().any(is_program) {
        return Ok(None);
    }
    let mut phases: Vec<Pairs> = Vec::new();
    for (tenant, seated) in tenants.iter().zip(seated(tenants, network, None, seed)?) {
        let Seated { seats, program } = seated;
        let Some(program) = program.filter(|_| tenant.runs) else {
            continue;
        };
        let told = tenant.parameters.phases();
        let of_tenant = told.unwrap_or_else(|| mapping::rounds(&*program));
        let terminal = |rank: u32| seats.terminals.get(rank as usize).copied();
        for (number, pairs) in of_tenant.into_iter().enumerate() {
            if phases.len() <= number {
                phases.push(Pairs::new());
            }
            let placed =
                (pairs.into_iter()).filter_map(|(from, to)| terminal(from).zip(terminal(to)));
            phases[number].extend(placed.filter(|(from, to)| from != to));
        }
    }
    Ok(Some(phases))
}

/// What is strange about the programs that run: what they do otherwise than they were asked to; and of those that are
/// read from files messages that nobody receives, and network interfaces beside the first. Others receive what they send, over one.
///
/// # Errors
/// As [`WorkloadParameters::build`].
pub fn remarks(tenants: &[Tenant<'_>], network: &Network) -> Result<Vec<String>, Invalid> {
    let mut free: Vec<TerminalId> = network.living_terminals().collect();
    let mut all = Vec::new();
    for tenant in tenants {
        let each = tenant.ranks_per_terminal;
        let seats = seats_of(&free, each);
        let site = Site {
            network,
            free: &seats,
            ranks_per_terminal: each,
            seed: 0,
            text: tenant.placement_text,
            routing: None,
            program: None,
        };
        let is_read = !tenant.parameters.files().is_empty();
        let program = match program_of(tenant, &site) {
            Ok(Some(program)) => program,
            Err(invalid) if is_read => return Err(invalid),
            // Who has no place is told where all are seated.
            Ok(None) | Err(_) => continue,
        };
        // Those behind have what this one leaves; which terminals that are makes no difference to how many.
        let taken = program.ranks().div_ceil(each.max(1)) as usize;
        free.drain(..taken.min(free.len()));
        if !tenant.runs {
            continue;
        }
        let of_job = |name: &str| format!("job `{name}`: ");
        let job = tenant.name.map(of_job).unwrap_or_default();
        let otherwise = program.remarks().into_iter();
        all.extend(otherwise.map(|words| format!("{job}{words}")));
        if !is_read {
            continue;
        }
        let words = unreceived(&*program).words("received by nobody");
        let interfaces = program.sending_interfaces();
        let of_interfaces = (interfaces > 1).then(|| {
            format!(
                "ranks send over {interfaces} network interfaces, and a terminal is one: what its ranks send leaves one after the other here"
            )
        });
        let words = words.into_iter().chain(of_interfaces);
        all.extend(words.map(|words| format!("{job}{words}")));
    }
    Ok(all)
}

/// Builds those that run, where they have been seated.
///
/// # Errors
/// Whatever they say of this network.
pub fn build(
    tenants: &[Tenant<'_>],
    seats: &[Seats],
    network: &Network,
    seed: u64,
) -> Result<Box<dyn Workload>, Invalid> {
    let running = tenants.iter().zip(seats).filter(|(tenant, _)| tenant.runs);
    let has_others = running.clone().count() > 1;
    let part = |(tenant, seats): (&Tenant<'_>, &Seats)| {
        let (parameters, files) = (tenant.parameters, tenant.files);
        let program = parameters.as_program();
        let workload = match program {
            Some(program) => {
                let name = tenant.name.filter(|_| has_others);
                program::build(program, network, Some(&seats.terminals), files, name)
            }
            None => parameters.build(network, seed, files),
        };
        Ok(Part {
            workload: workload.map_err(|invalid| invalid.under(&tenant.at))?,
            terminals: seats.terminals.clone(),
            is_there: program.is_some(),
            start: tenant.start,
        })
    };
    let parts: Result<Vec<Part>, Invalid> = running.map(part).collect();
    Ok(placed(network, parts?))
}

/// About how many flits each of so many terminals sends in all, if all end that run. What ranks of a terminal send each other counts
/// as if it left.
pub fn total_flits(tenants: &[Tenant<'_>], terminals: u32) -> Option<f64> {
    let running = tenants.iter().filter(|tenant| tenant.runs);
    let of_tenant = |tenant: &Tenant<'_>| {
        let each = tenant.ranks_per_terminal;
        let of_seat = tenant
            .parameters
            .total_flits(terminals * each, tenant.files)?;
        Some(of_seat * f64::from(each))
    };
    running.map(of_tenant).sum()
}
