//! Who decides.

use super::ways::Ways;
use turnwise_network::random::Random;
use turnwise_network::{Congestion, Header, RouterId, Sensing};

/// How a packet decides between minimal ways and detours.
pub(crate) trait Judge: Send + Sync {
    /// The way a packet takes, one of those that survive; `None` only if it has found none.
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way>;

    /// What routers tell each other for it.
    fn sensing(&self) -> Option<&dyn Sensing> {
        None
    }
}

/// Which of the two is taken: the detour only if there is one and `prefers_minimal` says no.
#[inline(always)]
pub(crate) fn between<T: Copy>(
    minimal: Option<T>,
    detour: Option<T>,
    prefers_minimal: impl FnOnce(T, T) -> bool,
) -> Option<T> {
    match (minimal, detour) {
        (Some(minimal), Some(detour)) => match prefers_minimal(minimal, detour) {
            true => Some(minimal),
            false => Some(detour),
        },
        (one, other) => one.or(other),
    }
}
