//! How many virtual lanes there are, and whether they are enough.

use crate::algorithm::Context;
use crate::common::vc_plan::VcPlan;
use turnwise_network::{Invalid, Vc, VcSet};

/// How many virtual lanes an algorithm may use: as the study says, or all the router has.
///
/// # Errors
/// None, more than there can be, more than the router has.
pub(crate) fn budget(asked: Option<Vc>, context: &Context<'_>) -> Result<Vc, Invalid> {
    let most = context.router_virtual_channels.unwrap_or(VcSet::CAPACITY);
    let budget = asked.unwrap_or(most);
    match budget {
        1.. if budget <= most.min(VcSet::CAPACITY) => Ok(budget),
        1.. if budget > most => {
            let message = format!("the router has only {most} virtual channels");
            let help = format!("take {most} here, or router.virtual_channels = {budget}");
            Err(Invalid::new("virtual_lanes", message).with_help(help))
        }
        _ => {
            let message = format!("expected 1 to {}, found {budget}", VcSet::CAPACITY);
            Err(Invalid::new("virtual_lanes", message))
        }
    }
}

/// The plan by which so many classes have a virtual lane each, or more of them.
///
/// # Errors
/// As [`budget`]; or too few.
pub(crate) fn lanes(
    kind: &str,
    asked: Option<Vc>,
    needed: u32,
    context: &Context<'_>,
) -> Result<VcPlan, Invalid> {
    let budget = budget(asked, context)?;
    if needed > budget.into() {
        let message = format!(
            "`{kind}` needs {needed} virtual lanes on this network to be free of deadlock, there are {budget}"
        );
        let invalid = Invalid::new("virtual_lanes", message);
        return Err(match needed <= VcSet::CAPACITY.into() {
            true => invalid.with_help(format!("take {needed} of them")),
            false => invalid,
        });
    }
    let given = asked.or(context.router_virtual_channels);
    let used = given.unwrap_or(needed.max(1) as Vc);
    let total = context.router_virtual_channels.unwrap_or(used);
    Ok(VcPlan { used, total })
}
