//! Where detours go, and what to say of a place that a network does not have.

use crate::algorithm::UnderFaults;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::Invalid;

/// The intermediate place of a detour. A megafly knows groups alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DetourVia {
    /// A random router of a random group: local channels are loaded evenly, too.
    Router,
    /// A random group, wherever the first global channel leads there: shorter, and a virtual channel less.
    Group,
}

/// Does a dragonfly's detour go by a router?
///
/// # Errors
/// A shortcut that only a megafly has.
pub(crate) fn by_router(via: Option<DetourVia>, gg_shortcut: bool) -> Result<bool, Invalid> {
    match gg_shortcut {
        true => Err(wrong_shortcut(ONLY_SPINES)),
        false => Ok(via.is_none_or(|via| via == DetourVia::Router)),
    }
}

/// Whom an algorithm routes whose packets make detours and never look for a way around.
pub(crate) fn under_faults(gg_shortcut: bool) -> UnderFaults {
    match gg_shortcut {
        // Spines that have lost their shortcut go down instead.
        true => UnderFaults::FurtherRoutes,
        false => UnderFaults::SurvivingRoutes,
    }
}

/// What algorithms route that know both families.
pub(crate) const BOTH: &str = "dragonfly and megafly networks";

pub(crate) const ONLY_SPINES: &str = "only a megafly has spines that could take it";

pub(crate) fn wrong_via(message: &str, possible: &str) -> Invalid {
    Invalid::new("via", message).with_help(format!("possible here are {possible}"))
}

pub(crate) fn wrong_shortcut(message: &str) -> Invalid {
    Invalid::new("gg_shortcut", message).with_help("leave it out")
}
