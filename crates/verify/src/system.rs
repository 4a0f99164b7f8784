//! What is judged: a network, its routing, and what terminals do with messages.

use crate::protocol::Protocol;
use turnwise_network::{Network, Routing};

/// A network with its routing, and the protocol of its terminals.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// What is wired to what.
    pub network: &'a Network,
    /// How packets may go.
    pub routing: &'a dyn Routing,
    /// What terminals do with messages.
    pub protocol: &'a Protocol,
}

impl<'a> System<'a> {
    /// Terminals take up everything as it comes.
    pub fn new(network: &'a Network, routing: &'a dyn Routing) -> Self {
        Self {
            network,
            routing,
            protocol: Protocol::ORDINARY,
        }
    }

    /// Must every living terminal be explored on its own?
    ///
    /// Otherwise one stands for all of its router. Where terminals answer, each has channels of its own that others
    /// wait for, its messages to itself among them; and where senders are told apart, a terminal that stands for others would not send to itself,
    /// but to these.
    pub(crate) fn tells_terminals_apart(&self) -> bool {
        self.routing.distinguishes_terminals() || self.tells_senders_apart()
    }

    /// Must every living terminal send on its own? Otherwise one sends for all of its router.
    pub(crate) fn tells_senders_apart(&self) -> bool {
        self.routing.tells_senders_apart() || self.protocol.has_answers()
    }
}
