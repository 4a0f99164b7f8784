//! Routes in two phases, for who can prove each phase by itself.

use super::routing::Header;
use crate::RouterId;

/// What a routing promises whose packets go to an intermediate router, and from there on as if they had set out there (Valiant and Brebner,
/// "Universal schemes for parallel communication", STOC 1981).
///
/// * Packets that stay among routers of one kind go directly, from what `start` gives them; by default a kind is a router. What any other packet may
///   do at its source's router is what it may do directly, if it may, and then what it may by each intermediate router that is not of an excluded kind, in
///   their order, by each as often as by any other one.
/// * On its way there, what it may do does not depend on its destination, which its header remembers.
/// * When it arrives, its header is that of a packet to the same destination that sets out there, by that router itself.
///
/// Then as many states as there are pairs of routers say everything, where there are as many as triples. The verifier relies on it for most
/// of these, having looked at a few for each pair; a property test holds every algorithm to its word.
pub trait TwoPhases: Send + Sync {
    /// The intermediate routers, in the order of what packets may do at their sources.
    fn intermediates(&self) -> Vec<RouterId>;

    /// The header with which a packet sets out from a router by an intermediate one, which may be that router, of what `start` gives it.
    fn by(&self, at: RouterId, header: Header, intermediate: RouterId) -> Header;

    /// The same of one that goes directly; `None`, the default, if none does but those that stay among routers of one kind.
    fn direct(&self, header: Header) -> Option<Header> {
        let _ = header;
        None
    }

    /// The kind of a router: its group, for instance.
    fn kind(&self, router: RouterId) -> u32 {
        router.0
    }

    /// Does no packet go by a router of its source's kind, and none by one of its destination's? By default it may go by both routers
    /// themselves. Who goes by routers of its source's kind has but one of each kind.
    fn excludes(&self) -> [bool; 2] {
        [false; 2]
    }
}
