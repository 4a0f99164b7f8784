//! How many virtual lanes there are, and whether they are enough.

use crate::algorithm::Context;
use crate::common::vc_plan::VcPlan;
use turnwise_network::tables::SERVICE_LEVELS;
use turnwise_network::{Invalid, Network, Vc, VcSet};

/// Lanes of a link of a fabric; the one beyond is the subnet manager's.
const OF_A_FABRIC: Vc = 15;

/// As many lanes as a link can have.
fn most(network: &Network) -> Vc {
    match network.identities() {
        Some(_) => OF_A_FABRIC,
        None => VcSet::CAPACITY,
    }
}

/// How many virtual lanes an algorithm may use: as the study says, or all the router has.
///
/// # Errors
/// None, more than there can be, more than the router has.
pub(crate) fn budget(
    asked: Option<Vc>,
    network: &Network,
    context: &Context<'_>,
) -> Result<Vc, Invalid> {
    within(most(network), asked, context)
}

/// As [`budget`], where there can be so many lanes. What a router has beyond stays free.
fn within(most: Vc, asked: Option<Vc>, context: &Context<'_>) -> Result<Vc, Invalid> {
    let total = context.router_virtual_channels;
    match (asked, total) {
        (Some(lanes), _) if !(1..=most).contains(&lanes) => {
            let message = format!("expected 1 to {most}, found {lanes}");
            Err(Invalid::new("virtual_lanes", message))
        }
        (Some(lanes), Some(total)) if lanes > total => {
            let message = format!("the router has only {}", context.counted(total));
            let needed = context.of_router(lanes.into());
            let help = format!("take {total} here, or {needed}");
            Err(Invalid::new("virtual_lanes", message).with_help(help))
        }
        (None, Some(total)) if !(1..=VcSet::CAPACITY).contains(&total) => {
            let message = format!("the router has {}", context.counted(total));
            let help = format!("a channel has 1 to {} virtual channels", VcSet::CAPACITY);
            Err(Invalid::new("virtual_lanes", message).with_help(help))
        }
        _ => Ok(asked.or(total).unwrap_or(most).min(most)),
    }
}

/// As [`budget`], where a lane is a service level's own and there are no more of them.
///
/// # Errors
/// As [`budget`]; or more asked for than there are service levels.
pub(crate) fn budget_of_levels(
    asked: Option<Vc>,
    network: &Network,
    context: &Context<'_>,
) -> Result<Vc, Invalid> {
    let most = most(network);
    match asked {
        Some(lanes) if most > SERVICE_LEVELS && lanes > SERVICE_LEVELS => {
            let message = format!(
                "a service level has a lane, and there are {SERVICE_LEVELS}; found {lanes}"
            );
            Err(Invalid::new("virtual_lanes", message))
        }
        _ => within(most.min(SERVICE_LEVELS), asked, context),
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
    network: &Network,
    context: &Context<'_>,
) -> Result<VcPlan, Invalid> {
    let budget = budget(asked, network, context)?;
    if needed > budget.into() {
        let message = format!(
            "`{kind}` needs {needed} virtual lanes on this network to be free of deadlock, there are {budget}"
        );
        let invalid = Invalid::new("virtual_lanes", message);
        let of_router = context.of_router(needed);
        let help = match (asked, context.router_virtual_channels) {
            _ if needed > most(network).into() => return Err(invalid),
            (Some(_), Some(total)) if needed > total.into() => {
                format!("take virtual_lanes = {needed} and {of_router}")
            }
            (Some(_), _) => format!("take virtual_lanes = {needed}"),
            (None, _) => format!("take {of_router}"),
        };
        return Err(invalid.with_help(help));
    }
    let given = asked.or(context.router_virtual_channels);
    let used = given.unwrap_or(needed.max(1) as Vc).min(most(network));
    let total = context.router_virtual_channels.unwrap_or(used);
    Ok(VcPlan { used, total })
}

/// Gives further lanes paths of the fullest ones, every second of them. What is left of a lane without circles has none.
pub(crate) fn spread(
    lanes: &mut [u8],
    pairs: impl Iterator<Item = usize> + Clone,
    used: u32,
    total: Vc,
) {
    let mut paths = vec![0u32; used.max(1) as usize];
    for pair in pairs.clone() {
        paths[usize::from(lanes[pair])] += 1;
    }
    while paths.len() < total.into() {
        let new = paths.len() as u8;
        let fullest = (0..new).rev().max_by_key(|&lane| paths[usize::from(lane)]);
        let fullest = fullest.unwrap_or(0);
        let of_fullest = pairs.clone().filter(|&pair| lanes[pair] == fullest);
        let moved: Vec<usize> = of_fullest.skip(1).step_by(2).collect();
        paths[usize::from(fullest)] -= moved.len() as u32;
        paths.push(moved.len() as u32);
        for pair in moved {
            lanes[pair] = new;
        }
    }
}
