//! Congestion notifications of lossless Ethernet, and what the switches on their way make of them.
//!
//! A switch whose output queue grows too long samples a frame and sends a notification to whoever sent it (IEEE
//! 802.1Qau). Switches in between only pass it on, unless the routing names a [`Snooping`]: then each switch that
//! sees a notification may take notice, route by what it has noticed, and keep it from the source.
//!
//! Nothing of this is part of a packet's state: `options` cannot read tables, so the verifier proves a routing for whatever they
//! may hold.
//!
//! Source: Minkenberg, Scicchitano, Gusat, "Adaptive routing for Convergence Enhanced Ethernet", HPSR 2009.

use super::congestion::Congestion;
use super::routing::{Header, Hop};
use crate::ids::{Port, RouterId, TerminalId};

/// What a notification says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notification {
    /// Who sent the frame that was sampled; the notification goes there.
    pub source: TerminalId,
    /// Where that frame was going.
    pub destination: TerminalId,
    /// How bad it is, 1 to 63; 0 if it is not congested any more.
    pub severity: u8,
}

/// A notification as a switch sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What it says.
    pub notification: Notification,
    /// The port behind which it is congested: the one whose queue is too long, or by which the notification came.
    pub port: Port,
    /// Is it this switch's own queue?
    pub is_local: bool,
    /// The cycle.
    pub now: u64,
}

/// A frame that is to be routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Who sent it.
    pub source: TerminalId,
    /// How long it is.
    pub flits: u32,
    /// The cycle.
    pub now: u64,
}

/// What switches make of the notifications that they see. Each keeps a table of its own, which is empty at first.
pub trait Snooping: Send + Sync {
    /// Takes notice. Does the notification go on towards its source?
    fn hear(&self, at: RouterId, heard: &Heard, table: &mut Vec<u32>) -> bool;

    /// What a frame does now, in the place of [`Routing::choose`](super::routing::Routing::choose): always one of its `options`,
    /// `None` exactly if there are none.
    fn choose(
        &self,
        at: RouterId,
        header: Header,
        passing: Passing,
        sees: &dyn Congestion,
        table: &mut Vec<u32>,
    ) -> Option<Hop>;
}
