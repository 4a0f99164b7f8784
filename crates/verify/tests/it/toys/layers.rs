//! Several routings one above the other, each on virtual channels of its own or on the same.

use turnwise_network::{Header, Hop, RouterId, Routing, Start, TerminalId, Vc, VcSet};

/// Message classes with a layer each, or several to choose from; layers may share virtual channels.
pub(crate) struct Layers<R> {
    /// The routings, which must leave `Header::message` alone, and the first virtual channel of each.
    pub(crate) layers: Vec<(R, Vc)>,
    /// The layers that messages of each class may set out on, several being several starts.
    pub(crate) of_class: Vec<Vec<usize>>,
}

impl<R: Routing> Layers<R> {
    /// A layer for each class, with virtual channels of its own.
    pub(crate) fn apart(routings: Vec<R>) -> Self {
        let mut first = 0;
        let layers = routings.into_iter().map(|routing| {
            let from = first;
            first += routing.virtual_channels();
            (routing, from)
        });
        let layers: Vec<_> = layers.collect();
        Self {
            of_class: (0..layers.len()).map(|layer| vec![layer]).collect(),
            layers,
        }
    }

    /// A layer for each class, all on the same virtual channels.
    pub(crate) fn together(routings: Vec<R>) -> Self {
        let mut layers = Self::apart(routings);
        layers.layers.iter_mut().for_each(|(_, first)| *first = 0);
        layers
    }

    fn hops(
        &self,
        header: Header,
        options: &mut Vec<Hop>,
        ask: impl FnOnce(&R, Header, &mut Vec<Hop>),
    ) {
        let (routing, first) = &self.layers[usize::from(header.message)];
        let mut hops = Vec::new();
        let plain = Header {
            message: 0,
            ..header
        };
        ask(routing, plain, &mut hops);
        options.extend(hops.into_iter().map(|hop| Hop {
            port: hop.port,
            vcs: VcSet(hop.vcs.0 << first),
            header: Header {
                message: header.message,
                ..hop.header
            },
        }));
    }
}

impl<R: Routing> Routing for Layers<R> {
    fn virtual_channels(&self) -> Vc {
        let ends = self.layers.iter();
        let ends = ends.map(|(routing, first)| first + routing.virtual_channels());
        ends.max().unwrap_or(1)
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let mut starts = Vec::new();
        self.starts(source, destination, 0, &mut starts);
        starts.first().copied()
    }

    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        for &layer in &self.of_class[usize::from(class)] {
            let (routing, first) = &self.layers[layer];
            let start = routing.start(source, destination);
            starts.extend(start.map(|start| Start {
                header: Header {
                    message: layer as u8,
                    ..start.header
                },
                vcs: VcSet(start.vcs.0 << first),
            }));
        }
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.hops(header, options, |routing, header, hops| {
            routing.options(at, header, hops);
        });
    }

    fn asks_again(&self) -> bool {
        self.layers.iter().any(|(routing, _)| routing.asks_again())
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.hops(header, options, |routing, header, hops| {
            routing.escape(at, header, hops);
        });
    }

    fn distinguishes_terminals(&self) -> bool {
        let mut layers = self.layers.iter();
        layers.any(|(routing, _)| routing.distinguishes_terminals())
    }
}
