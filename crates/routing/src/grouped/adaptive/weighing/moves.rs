//! What a packet may do at each router on its way.

use crate::common::endpoints;
use crate::common::vc_plan::VcPlan;
use crate::grouped::links::{GroupLink, GroupLinks};
use turnwise_network::{
    Congestion, Header, Hop, Network, Port, RouterId, Start, TerminalId, VcSet,
};

/// All that packets may do on a network.
pub(crate) trait Moves: Send + Sync {
    fn network(&self) -> &Network;

    fn plan(&self) -> VcPlan;

    /// What the steps follow from beside the network, as [`Routing::relation`](turnwise_network::Routing::relation) has it.
    fn relation(&self) -> String;

    fn links(&self) -> &GroupLinks;

    /// Every step on a minimal way, and every one that counts as such where there is no better, until `each` says `false`.
    fn each_minimal(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool);

    /// Every other step but those by peers, until `each` says `false`.
    fn each_other(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool);

    /// Every other step to a peer that is to send the packet out of the group, until `each` says `false`.
    fn each_by_peers(&self, at: RouterId, header: Header, each: &mut impl FnMut(Step) -> bool);

    /// All three, until `each` says `false`.
    fn each(&self, at: RouterId, header: Header, mut each: impl FnMut(Step) -> bool) {
        let mut goes_on = true;
        let mut each = |step| {
            goes_on = goes_on && each(step);
            goes_on
        };
        self.each_minimal(at, header, &mut each);
        self.each_other(at, header, &mut each);
        self.each_by_peers(at, header, &mut each);
    }

    /// The hop, on all virtual channels of its class, of a packet that is seen at once to have but one step.
    fn only_hop(&self, at: RouterId, header: Header) -> Option<Hop>;

    /// The only minimal step, as by [`each_minimal`](Self::each_minimal), where it is seen at once that there is no other.
    #[inline]
    fn only_minimal(&self, at: RouterId, header: Header) -> Option<Seen> {
        let _ = (at, header);
        None
    }

    /// Flits that a packet finds before it at a step's output: on its virtual channels, as many times as minimal packets may take more of that channel,
    /// and waiting for it.
    #[inline]
    fn backlog(&self, step: &Step, sees: &dyn Congestion) -> u32 {
        sees.backlog(step.hop.port, step.hop.vcs)
    }

    /// Is it known that all live routers reach each other?
    fn is_complete(&self) -> bool;

    /// The router of a packet's destination.
    #[inline]
    fn router_of(&self, header: Header) -> RouterId {
        self.network().router_of(header.destination)
    }

    /// May a packet do anything? Looked for only where something has failed.
    #[inline(never)]
    fn has_step(&self, at: RouterId, header: Header) -> bool {
        let mut any = false;
        self.each(at, header, |_| {
            any = true;
            false
        });
        any
    }

    /// How a packet sets out; `None` if nothing leads to its destination.
    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let network = self.network();
        if !endpoints::live(network, source, destination) {
            return None;
        }
        let header = Header::to(destination);
        let vcs = self.plan().all();
        let routed = self.is_complete() || self.has_step(network.router_of(source), header);
        routed.then_some(Start { header, vcs })
    }
}

/// One of the things that a packet may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The hop, on all virtual channels of its class.
    pub(crate) hop: Hop,
    /// Is it on a minimal way?
    pub(crate) is_minimal: bool,
    pub(crate) leads: Leads,
}

impl Step {
    /// The same, counted as a step on another way than a minimal one.
    pub(crate) fn otherwise(self) -> Self {
        Self {
            is_minimal: false,
            ..self
        }
    }

    /// The same, counted as one on a minimal way.
    pub(crate) fn minimally(self) -> Self {
        Self {
            is_minimal: true,
            ..self
        }
    }
}

/// A minimal step that is seen at once: what of it is needed to decide whether anything else is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) port: Port,
    /// All virtual channels of its class.
    pub(crate) vcs: VcSet,
    /// What the header says behind it. (As wide as the rest, so that the compiler does not put everything into one register.)
    pub(crate) phase: u32,
    pub(crate) end: End,
}

/// Where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum End {
    Out,
    /// At the owner of the only link to the destination's group.
    Owner,
    Elsewhere,
}

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    /// Over a global channel.
    Over(GroupLink),
    /// To a router of the same group, which sends the packet on by a global channel of its own: minimally if the step
    /// is minimal.
    ToOwner(RouterId),
    /// To a router of the same group, from where any router of the group may send it on minimally.
    ToAny(RouterId),
    /// To a router of the same group, and minimally on from there.
    To(RouterId),
    /// Out.
    Out,
}

impl Leads {
    /// Is it to a peer, a router of the same group from where the packet leaves the group?
    #[inline]
    pub(crate) fn to_peer(self) -> bool {
        matches!(self, Self::ToOwner(_) | Self::ToAny(_))
    }
}
