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

    /// May it see at once that a packet goes minimally?
    const LOOKS_FIRST: bool = false;

    /// Is it seen at once that a packet takes this minimal way, its only one, whatever detours there are? Then
    /// [`choose`](Self::choose) finds the same, and draws nothing.
    #[inline(always)]
    fn surely_minimal<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        minimal: W::Way,
        sees: &dyn Congestion,
    ) -> bool {
        let _ = (ways, at, minimal, sees);
        false
    }

    /// What routers tell each other for it.
    fn sensing(&self) -> Option<&dyn Sensing> {
        None
    }
}
