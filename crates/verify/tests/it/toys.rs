//! Toy routings written for these tests.

mod layers;
mod rules;
mod table;

pub(crate) use layers::Layers;
pub(crate) use rules::{AdaptiveMinimal, Custom, DimensionOrder, Valiant};
pub(crate) use table::{Route, Table, random_table};

use turnwise_network::{Header, Hop, Network, VcSet};

pub(crate) fn eject(network: &Network, header: Header) -> Hop {
    Hop {
        port: network.terminal_port(header.destination),
        vcs: VcSet::one(0),
        header,
    }
}
