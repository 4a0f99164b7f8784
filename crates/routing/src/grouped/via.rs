//! Where detours go, and what to say of a place that a network does not have.

use crate::algorithm::UnderFaults;
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::{Invalid, Shape};

/// The intermediate place of a detour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DetourVia {
    /// A random router, on a dragonfly of a random group: local channels are loaded evenly, too (all but megafly).
    Router,
    /// A random group, wherever the first global channel leads there: on a dragonfly shorter, and a virtual channel less.
    Group,
    /// On a megafly, a random leaf of a random group, which the source draws and not the spine where the packet arrives.
    Leaf,
}

/// Does a dragonfly's detour go by a router?
///
/// # Errors
/// A shortcut and leaves, which only a megafly has.
pub(crate) fn by_router(via: Option<DetourVia>, gg_shortcut: bool) -> Result<bool, Invalid> {
    match via {
        _ if gg_shortcut => Err(wrong_shortcut(ONLY_SPINES)),
        Some(DetourVia::Leaf) => Err(wrong_via(NO_LEAVES, "\"router\" and \"group\"")),
        via => Ok(via != Some(DetourVia::Group)),
    }
}

/// Whom an algorithm routes whose packets make detours.
pub(crate) fn under_faults(shape: &Shape, gg_shortcut: bool) -> UnderFaults {
    match (shape, gg_shortcut) {
        (Shape::Dragonfly(_), _) => UnderFaults::RoundInGroups,
        // Spines that have lost their shortcut go down instead.
        (_, true) => UnderFaults::FurtherRoutes,
        (_, false) => UnderFaults::SurvivingRoutes,
    }
}

/// Are there detours by any router, or by groups, in networks of this shape?
pub(crate) fn has_detours(shape: &Shape) -> bool {
    !matches!(shape, Shape::FatTree(_) | Shape::Butterfly(_))
}

/// What algorithms route that make such detours.
pub(crate) const ROUTES: &str =
    "meshes, tori, hypercubes, HyperX, full meshes, dragonfly, megafly and irregular networks";

/// What algorithms route that know both families.
pub(crate) const BOTH: &str = "dragonfly and megafly networks";

pub(crate) const NO_LEAVES: &str = "a dragonfly has no leaves";

pub(crate) const MISSED_LEAF: &str = "it would miss the intermediate leaf";

pub(crate) const ONLY_SPINES: &str = "only a megafly has spines that could take it";

pub(crate) fn wrong_via(message: &str, possible: &str) -> Invalid {
    Invalid::new("via", message).with_help(format!("possible here are {possible}"))
}

pub(crate) fn wrong_shortcut(message: &str) -> Invalid {
    Invalid::new("gg_shortcut", message).with_help("leave it out")
}

const NO_GROUPS: &str = "this network has no groups";

/// What a network without groups does not know.
pub(crate) fn no_groups(field: &str) -> Invalid {
    Invalid::new(field, NO_GROUPS).with_help("leave it out")
}

/// Does a study ask for no other detours than by routers, on a network without groups?
///
/// # Errors
/// If it does.
pub(crate) fn only_routers(by_router: bool, gg_shortcut: bool) -> Result<(), Invalid> {
    if !by_router {
        return Err(wrong_via(NO_GROUPS, "\"router\""));
    }
    match gg_shortcut {
        true => Err(wrong_shortcut(ONLY_SPINES)),
        false => Ok(()),
    }
}
