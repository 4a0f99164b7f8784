//! With how few virtual channels a routing would still be free of deadlock.
//!
//! The routing is built anew for routers with fewer and fewer, and proved: by its own plan of virtual channels where that fits, else
//! without some of the classes that are to keep it free of deadlock.

use crate::finding::Finding;
use crate::plan::{Plan, PlannedPoint};
use crate::proving::{Attempt, Prover};
use crate::specification::{Scope, Specification};
use turnwise_config::document::{Kind, Value};
use turnwise_network::Vc;

/// The most that is explored for each number, see [`crate::proofs::MOST_WORK`]: about three seconds.
const MOST_WORK: u64 = 40_000_000;
/// Where routers say how many they have, and where routings say how many they use.
const OF_ROUTER: &str = "router.virtual_channels";
const OF_ROUTING: &str = "routing.virtual_channels";

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
    let specification = Specification::read_again(&planned.point.document, Scope::Routing).ok()?;
    if !specification.routing?.files().is_empty() {
        return None;
    }
    let all = routing.virtual_channels();
    for few in 1..all {
        for fields in [&[OF_ROUTER][..], &[OF_ROUTER, OF_ROUTING]] {
            match tried(prover, plan, &with(planned, fields, few)?) {
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

/// A point with a number of virtual channels in some fields.
fn with(planned: &PlannedPoint, fields: &[&str], virtual_channels: Vc) -> Option<Value> {
    let mut document = planned.point.document.clone();
    for field in fields {
        let value = Value::new(document.span, Kind::Integer(virtual_channels.into()));
        document.set_path(field, document.span, value).ok()?;
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
