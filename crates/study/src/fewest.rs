//! With how few virtual channels a routing would still be free of deadlock.
//!
//! The routing is built anew for routers with fewer and fewer, and proved: by its own plan of virtual channels where that fits, or by what it
//! would do if it were not said how many to use, else without some of the classes that are to keep it free of deadlock.

use crate::finding::Finding;
use crate::plan::{Plan, PlannedPoint};
use crate::proving::{Attempt, Prover};
use crate::specification::{Scope, Specification};
use turnwise_config::document::{Kind, Value};
use turnwise_network::Vc;

/// The most that is explored for each number, see [`crate::proofs::MOST_WORK`]: about three seconds.
const MOST_WORK: u64 = 40_000_000;
/// Where routers say how many they have.
const OF_ROUTER: &str = "router.virtual_channels";
/// Where routings say how many they use, of those of a class of messages.
const OF_ROUTING: [&str; 2] = ["virtual_channels", "virtual_lanes"];

/// The fewest virtual channels with which the routing of a point that is proved free of deadlock still is, and has a route for as many
/// pairs. `None` where there is nothing to look for: a routing that is not proved, by tables, whose lanes are an outcome, or from files,
/// which say what lanes packets take; and where a proof would take too long.
///
/// Complexity: a proof for each number that is tried, unless the prover knows it.
pub fn fewest_virtual_channels(
    prover: &mut Prover,
    plan: &Plan,
    planned: &PlannedPoint,
    finding: &Finding,
) -> Option<Vc> {
    let routing = &finding.routed.routing;
    if !finding.analysis.verdict.is_deadlock_free() || routing.forwards().is_some() {
        return None;
    }
    let document = &planned.point.document;
    let specification = Specification::read_again(document, Scope::Routing).ok()?;
    let classes = specification.classes_apart();
    if !specification.routing?.files().is_empty() {
        return None;
    }
    let all = routing.virtual_channels();
    for few in 1..all {
        for uses in [Uses::AsItSays, Uses::Unsaid, Uses::All { classes }] {
            let Some(document) = with(document, few, uses) else {
                continue;
            };
            match tried(prover, plan, &document) {
                Tried::Proved(routable) if routable == finding.analysis.reachability.routable => {
                    return Some(few);
                }
                Tried::Proved(_) | Tried::Refused => {}
                Tried::TooCostly => return None,
            }
        }
    }
    Some(all)
}

/// What came of a number.
enum Tried {
    /// Free of deadlock, and so many pairs have a route.
    Proved(u64),
    /// There is no such routing, or it can deadlock.
    Refused,
    TooCostly,
}

/// How many of a router's virtual channels a routing is to use.
#[derive(Clone, Copy, PartialEq)]
enum Uses {
    AsItSays,
    /// Whatever it does if nothing is said of it.
    Unsaid,
    /// All those of a class of messages, of which there are so many.
    All {
        classes: Vc,
    },
}

/// A point whose routers have so many virtual channels; `None` if it is the same as another.
fn with(document: &Value, few: Vc, uses: Uses) -> Option<Value> {
    let mut document = document.clone();
    let span = document.span;
    let mut set = |field: &str, count: Vc| {
        let value = Value::new(span, Kind::Integer(count.into()));
        document.set_path(field, span, value).ok()
    };
    set(OF_ROUTER, few)?;
    match uses {
        Uses::AsItSays => {}
        Uses::All { classes } => {
            let of_class = few.checked_div(classes).filter(|&count| count > 0)?;
            set("routing.virtual_channels", of_class)?;
        }
        Uses::Unsaid => {
            let routing = document.table_mut()?.get_mut("routing")?.table_mut()?;
            let removed = OF_ROUTING.map(|field| routing.remove(field).is_some());
            return removed.contains(&true).then_some(document);
        }
    }
    Some(document)
}

fn tried(prover: &mut Prover, plan: &Plan, document: &Value) -> Tried {
    let Ok((routed, specification)) = plan.routed_as(document) else {
        return Tried::Refused;
    };
    let assumptions = specification.router.assumptions();
    match prover.prove(
        MOST_WORK,
        String::new(),
        routed,
        assumptions,
        &mut |_, _| true,
    ) {
        Attempt::Found(finding) if finding.analysis.verdict.is_deadlock_free() => {
            Tried::Proved(finding.analysis.reachability.routable)
        }
        Attempt::Found(_) => Tried::Refused,
        Attempt::TooCostly { .. } | Attempt::Stopped => Tried::TooCostly,
    }
}
