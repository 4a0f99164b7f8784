//! Routing with second thoughts.

use super::routings::eject;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Network, RouterId, Routing, Sensing, Shape, Start, TerminalId, Vc,
    VcSet,
};

/// Another routing, whose heads ask again, even those with one way to go: nothing is settled.
pub(crate) struct Again<R>(pub(crate) R);

impl<R: Routing> Routing for Again<R> {
    fn virtual_channels(&self) -> Vc {
        self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.0.options(at, header, options);
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.0.choose(at, header, congestion, rng)
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.0.sensing()
    }

    fn asks_again(&self) -> bool {
        true
    }
}

/// Any shortest way through a mesh. Dimension order takes all virtual channels; other
/// ways do without the first, which leaves it to dimension order as an escape, if there is an `escape`.
pub(crate) struct Escaping<'a> {
    pub(crate) network: &'a Network,
    pub(crate) vcs: Vc,
    pub(crate) escape: bool,
}

impl Routing for Escaping<'_> {
    fn virtual_channels(&self) -> Vc {
        self.vcs
    }

    fn start(&self, _: TerminalId, destination: TerminalId) -> Option<Start> {
        Some(Start {
            header: Header::to(destination),
            vcs: VcSet::all(self.vcs),
        })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let Shape::Grid(grid) = self.network.shape() else {
            panic!("no grid")
        };
        let target = self.network.router_of(header.destination);
        if at == target {
            return options.push(eject(self.network, header, self.vcs));
        }
        let (here, there) = (grid.coordinates(at.0), grid.coordinates(target.0));
        for dimension in (0..here.len()).filter(|&d| here[d] != there[d]) {
            let first = u8::from(self.escape && !options.is_empty());
            options.push(Hop {
                port: grid.port(dimension, here[dimension] < there[dimension]),
                vcs: VcSet::range(first, self.vcs),
                header,
            });
        }
    }

    fn asks_again(&self) -> bool {
        true
    }
}
