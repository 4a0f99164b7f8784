//! Fat trees whose switches choose ways up by what they see and hear: `snooping` and `in-turn`.
//!
//! Up before down, so free of deadlock with one virtual channel, whatever is chosen. The way down is unique: only
//! congestion behind ports upwards can be routed around. In a network without any, frames go by d-mod-k.

use crate::algorithm::Context;
use crate::fat_tree::nearest_ancestor::{NearestAncestor, Up};
use std::ops::Range;
use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Heard, Hop, Invalid, Network, Passing, Port, RouterId, Routing, Snooping,
    Start, TerminalId, Vc,
};

/// What decides on the way up.
pub(crate) trait Choice: Send + Sync {
    /// Takes notice of congestion behind a port upwards by which `climb` could go. Does the notification go on towards its source?
    fn hear(&self, climb: &Climb<'_>, heard: &Heard, table: &mut Vec<u32>) -> bool;

    /// The port that a frame takes; `None` exactly if none leads there.
    fn up(
        &self,
        climb: &Climb<'_>,
        passing: Passing,
        sees: &dyn Congestion,
        table: &mut Vec<u32>,
    ) -> Option<Port>;
}

/// The ways up from a switch to where a header goes.
pub(crate) struct Climb<'a> {
    ways: &'a NearestAncestor,
    pub(crate) at: RouterId,
    header: Header,
}

impl Climb<'_> {
    pub(crate) fn destination(&self) -> TerminalId {
        self.header.destination
    }

    /// All ports upwards.
    pub(crate) fn ports(&self) -> Range<Port> {
        self.ways.up_ports(self.at)
    }

    /// Those behind which the destination can be reached.
    pub(crate) fn ups(&self) -> impl Iterator<Item = Port> + Clone {
        self.ways.ups(self.at, self.header)
    }

    /// The same, from one of them on and round.
    pub(crate) fn ups_from(&self, first: Port) -> impl Iterator<Item = Port> {
        self.ways.ups_from(self.at, self.header, first)
    }

    /// The port that d-mod-k has, or the next one that leads there.
    pub(crate) fn usual(&self) -> Option<Port> {
        self.ways.by_number(self.at, self.header)
    }
}

/// What was said of a field that may not be 0, or else what is usual.
pub(crate) fn positive(field: &'static str, said: Option<u64>, usual: u64) -> Result<u64, Invalid> {
    match said {
        Some(0) => Err(Invalid::new(field, "expected at least 1, found 0")),
        _ => Ok(said.unwrap_or(usual.max(1))),
    }
}

/// The routing in which `choice` decides on the way up.
///
/// # Errors
/// Networks that are no fat trees, and virtual channels that the router does not have.
pub(crate) fn build(
    name: &str,
    choice: impl Choice + 'static,
    virtual_channels: Option<Vc>,
    network: &Arc<Network>,
    context: &Context<'_>,
) -> Result<Box<dyn Routing>, Invalid> {
    let ways = NearestAncestor::new(name, Up::Random, virtual_channels, network, context)?;
    Ok(Box::new(Listening { ways, choice }))
}

struct Listening<C> {
    ways: NearestAncestor,
    choice: C,
}

impl<C: Choice> Listening<C> {
    fn climb(&self, at: RouterId, header: Header) -> Climb<'_> {
        Climb {
            ways: &self.ways,
            at,
            header,
        }
    }
}

impl<C: Choice> Snooping for Listening<C> {
    fn hear(&self, at: RouterId, heard: &Heard, table: &mut Vec<u32>) -> bool {
        let header = Header::to(heard.notification.destination);
        let is_upwards = self.ways.up_ports(at).contains(&heard.port);
        if !is_upwards || self.ways.down(at, header).is_some() {
            return true;
        }
        self.choice.hear(&self.climb(at, header), heard, table)
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        passing: Passing,
        sees: &dyn Congestion,
        table: &mut Vec<u32>,
    ) -> Option<Hop> {
        if let Some(hop) = self.ways.down(at, header) {
            return Some(hop);
        }
        let climb = self.climb(at, header);
        let port = self.choice.up(&climb, passing, sees, table)?;
        Some(self.ways.hop(port, header))
    }
}

impl<C: Choice> Routing for Listening<C> {
    fn virtual_channels(&self) -> Vc {
        self.ways.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.ways.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.ways.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        _: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        let down = self.ways.down(at, header);
        down.or_else(|| Some(self.ways.hop(self.climb(at, header).usual()?, header)))
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.ways.down(at, header)
    }

    fn snooping(&self) -> Option<&dyn Snooping> {
        Some(self)
    }

    fn distinguishes_terminals(&self) -> bool {
        self.ways.distinguishes_terminals()
    }

    fn relation(&self) -> Option<String> {
        self.ways.relation()
    }
}
