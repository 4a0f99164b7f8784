//! Where the detours of adaptive routing go.

use schemars::JsonSchema;
use serde::Deserialize;

/// The intermediate place of a detour on a dragonfly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DetourVia {
    /// A random router of a random group: local channels are loaded evenly, too.
    #[default]
    Router,
    /// A random group, wherever the first global channel leads there: shorter, and a virtual channel less.
    Group,
}

impl DetourVia {
    pub(crate) fn is_router(self) -> bool {
        self == Self::Router
    }
}
