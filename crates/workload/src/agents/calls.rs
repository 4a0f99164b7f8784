//! What workloads share whose programs make calls: the algorithms of collectives, and how much is sent.

use super::program::{self, Counting, HostFields, Means};
use std::collections::BTreeMap;
use turnwise_application::collectives::{Kind, Preset, Selection, UnknownAlgorithm};
use turnwise_application::{Calls, Program, visit};
use turnwise_config::diagnostic::Invalid;

/// A library's choices, but for the collectives that have their own.
///
/// # Errors
/// A collective, or an algorithm, that there is not, on `collectives`.
pub(super) fn selection(
    library: Preset,
    collectives: &BTreeMap<String, String>,
) -> Result<Selection, Invalid> {
    let mut selection = Selection::new(library);
    for (name, algorithm) in collectives {
        let named = selection.with_named(name, algorithm);
        selection = located(named, &format!("collectives.{name}"))?;
    }
    Ok(selection)
}

/// The same with an algorithm for a collective, which `field` names.
pub(super) fn with(
    selection: Selection,
    kind: Kind,
    algorithm: &str,
    field: &str,
) -> Result<Selection, Invalid> {
    located(selection.with(kind, algorithm), field)
}

fn located(
    selection: Result<Selection, UnknownAlgorithm>,
    field: &str,
) -> Result<Selection, Invalid> {
    selection.map_err(|unknown| Invalid::new(field, unknown.message).with_help(unknown.help))
}

/// Flits of all ranks in all parts of a program, which are alike from the second to the last but one. `build` makes it with so
/// many, or as many as it has of itself.
pub(super) fn flits(
    parts: Option<u32>,
    build: impl Fn(Option<u32>) -> Option<Calls>,
    means: &Means<'_>,
) -> Option<f64> {
    let counting = means.counting().ok()?;
    let of_program = || Some(build(None)?.program().parts());
    let parts = parts.or_else(of_program)?;
    let of = |parts| Some(flits_of(&build(Some(parts))?, means.host, &counting));
    let few = parts.min(3);
    let mut flits = of(few)?;
    if parts > few {
        flits += (flits - of(few - 1)?) * f64::from(parts - few);
    }
    Some(flits)
}

/// Flits are counted of all ranks, or of so many if there are more, and of fewer if they have more than so many tasks together.
const COUNTED: u32 = 256;
const TASKS: u64 = 1 << 23;
/// An odd number of ranks from one that is counted to the next, which goes with no power of two; a golden section of 2^16.
const STEP: u64 = 40_503;

fn flits_of(calls: &Calls, host: &HostFields, counting: &Counting) -> f64 {
    let ranks = calls.ranks();
    let (mut flits, mut counted, mut tasks) = (0.0, 0, 0);
    while counted < ranks.min(COUNTED) && tasks < TASKS {
        let rank = (u64::from(counted) * STEP % u64::from(ranks)) as u32;
        let rank = if ranks > COUNTED { rank } else { counted };
        visit(calls, rank, |task| {
            tasks += 1;
            flits += program::flits(rank, task, host, counting) as f64;
        });
        counted += 1;
    }
    flits * f64::from(ranks) / f64::from(counted)
}
