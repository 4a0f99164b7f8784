//! Routes in two phases, for who can prove each phase by itself.

use super::routing::Header;
use crate::RouterId;

/// What a routing promises whose packets go to an intermediate router, and from there on as if they had set out there (Valiant and Brebner,
/// "Universal schemes for parallel communication", STOC 1981).
///
/// * The intermediate routers are the same for all packets to other routers. What a packet may do at its source's router is what it may do
///   by each of them, one after the other in their order, each as often as by any other one.
/// * On its way there, what it may do does not depend on its destination, which its header remembers.
/// * When it arrives, its header is that of a packet to the same destination that sets out there, by that router itself.
/// * Packets between terminals of one router take no channel.
///
/// Then as many states as there are pairs of routers say everything, where there are as many as triples. The verifier relies on it for most
/// of these, having looked at a few for each pair; a property test holds every algorithm to its word.
pub trait TwoPhases: Send + Sync {
    /// The intermediate routers, in the order of what packets may do at their sources.
    fn intermediates(&self) -> Vec<RouterId>;

    /// The header with which a packet sets out from a router by an intermediate one, which may be that router, of what `start` gives it.
    fn by(&self, at: RouterId, header: Header, intermediate: RouterId) -> Header;
}
