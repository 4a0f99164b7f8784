//! The workloads of a network, usually one, with their places: first everybody is seated, then all are built.

use crate::placed::{Part, placed};
use crate::placement::{Placement, Seats, Site};
use crate::placements::Linear;
use crate::workload::{Job, WorkloadParameters};
use turnwise_config::File;
use turnwise_network::{Invalid, Network, Routing, TerminalId, Workload};

/// A workload that is to have terminals.
pub struct Tenant<'a> {
    /// What it does.
    pub parameters: &'a dyn WorkloadParameters,
    /// Its files.
    pub files: &'a [File],
    /// Where its table is, for complaints.
    pub at: String,
    /// Where its ranks go.
    pub placement: &'a dyn Placement,
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
            parameters,
            files: &[],
            at: at.to_owned(),
            placement: &LINEAR,
            placement_text: None,
            placement_at: format!("{at}.placement"),
            start: 0,
            runs: true,
        }
    }

    /// A job whose table is somewhere, with nothing known of files; placed linearly unless it says otherwise.
    pub fn of_job(job: &'a Job, at: &str) -> Self {
        let alone = Self::alone(&*job.parameters, at);
        Self {
            placement: job.placement.as_deref().unwrap_or(alone.placement),
            start: job.start,
            runs: job.runs,
            ..alone
        }
    }
}

/// Seats tenants, one after the other: each has what those before it have left.
///
/// # Errors
/// Too few terminals, several tenants of which one has no ranks of its own, and what placements say.
pub fn seats(
    tenants: &[Tenant<'_>],
    network: &Network,
    routing: Option<&dyn Routing>,
    seed: u64,
) -> Result<Vec<Seats>, Invalid> {
    let mut free: Vec<TerminalId> = network.living_terminals().collect();
    let living = free.len() as u32;
    let mut all = Vec::new();
    for tenant in tenants {
        let of_tenant = |invalid: Invalid| invalid.under(&tenant.at);
        let program = tenant.parameters.program(living, tenant.files);
        let program = program.map_err(of_tenant)?;
        let ranks = match &program {
            Some(program) => program.ranks(),
            None if tenants.len() == 1 => living,
            None => {
                let message =
                    "only programs run side by side; this workload takes all terminals there are";
                return Err(of_tenant(Invalid::new("kind", message)));
            }
        };
        if ranks as usize > free.len() {
            let left = match tenants.len() {
                1 => "",
                _ => " that are left",
            };
            let message = format!("{ranks} ranks do not fit on {} terminals{left}", free.len());
            return Err(of_tenant(Invalid::new("ranks", message)));
        }
        let site = Site {
            network,
            free: &free,
            seed,
            text: tenant.placement_text,
            routing,
            program: program.as_deref(),
        };
        let seats = tenant.placement.place(&site, ranks);
        let seats = seats.map_err(|invalid| invalid.under(&tenant.placement_at))?;
        let mut is_taken = vec![false; network.terminal_count()];
        for terminal in &seats.terminals {
            is_taken[terminal.index()] = true;
        }
        free.retain(|terminal| !is_taken[terminal.index()]);
        all.push(seats);
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
    let part = |(tenant, seats): (&Tenant<'_>, &Seats)| {
        let workload = tenant.parameters.build(network, seed, tenant.files);
        Ok(Part {
            workload: workload.map_err(|invalid| invalid.under(&tenant.at))?,
            terminals: seats.terminals.clone(),
            start: tenant.start,
        })
    };
    let parts: Result<Vec<Part>, Invalid> = running.map(part).collect();
    Ok(placed(network, parts?))
}

/// About how many flits each of so many terminals sends in all, if all end that run.
pub fn total_flits(tenants: &[Tenant<'_>], terminals: u32) -> Option<f64> {
    let running = tenants.iter().filter(|tenant| tenant.runs);
    running
        .map(|tenant| tenant.parameters.total_flits(terminals, tenant.files))
        .sum()
}
