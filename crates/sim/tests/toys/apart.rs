//! Routings that keep message classes apart, give packets a choice of starts, or write on them.

use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Mark, Notice, Port, QueueLine, Receiver, RouterId, Routing, Sender,
    Sensing, Start, TerminalId, Vc, VcSet,
};

/// Another routing, once for each of two message classes.
pub(crate) struct Apart<'a>(pub(crate) Box<dyn Routing + 'a>);

impl Apart<'_> {
    fn shift(&self, message: u8, vcs: VcSet) -> VcSet {
        VcSet(vcs.0 << (message * self.0.virtual_channels()))
    }
}

impl Routing for Apart<'_> {
    fn virtual_channels(&self) -> Vc {
        2 * self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }

    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        starts.extend(self.0.start(source, destination).map(|start| Start {
            header: Header {
                message: class,
                ..start.header
            },
            vcs: self.shift(class, start.vcs),
        }));
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let message = header.message;
        let first = options.len();
        let header = Header {
            message: 0,
            ..header
        };
        self.0.options(at, header, options);
        for hop in &mut options[first..] {
            hop.vcs = self.shift(message, hop.vcs);
            hop.header.message = message;
        }
    }
}

/// Another routing, with packets that may set out on either half of the virtual channels.
pub(crate) struct EitherHalf<'a>(pub(crate) Box<dyn Routing + 'a>);

impl Routing for EitherHalf<'_> {
    fn virtual_channels(&self) -> Vc {
        self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let mut starts = Vec::new();
        self.starts(source, destination, 0, &mut starts);
        starts.first().copied()
    }

    fn starts(&self, source: TerminalId, destination: TerminalId, _: u8, starts: &mut Vec<Start>) {
        let (half, all) = (self.virtual_channels() / 2, self.virtual_channels());
        for vcs in [VcSet::range(0, half), VcSet::range(half, all)] {
            let start = self.0.start(source, destination);
            starts.extend(start.map(|start| Start { vcs, ..start }));
        }
    }

    fn chooses_start(&self) -> bool {
        true
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.0.options(at, header, options);
    }
}

/// Another routing, whose packets count the channels that they take.
pub(crate) struct Counted<'a>(pub(crate) Box<dyn Routing + 'a>);

impl Routing for Counted<'_> {
    fn virtual_channels(&self) -> Vc {
        self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.0.start(source, destination)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let first = options.len();
        self.0.options(at, header, options);
        for hop in &mut options[first..] {
            hop.header.step = header.step + 1;
        }
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        _: &mut Random,
    ) -> Option<Hop> {
        // One channel a router, and none before the first.
        assert_eq!(congestion.mark(), Mark(header.step), "at router {at}");
        let mut options = Vec::new();
        self.options(at, header, &mut options);
        options.first().copied()
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self)
    }
}

impl Sensing for Counted<'_> {
    fn words(&self, _: u32) -> usize {
        0
    }

    fn lines(&self, _: RouterId) -> Vec<Vec<Receiver>> {
        Vec::new()
    }

    fn report(&self, _: RouterId, _: &dyn Congestion, _: &mut [Notice]) {}

    fn receive(&self, _: u32, _: Sender, _: Notice, _: &mut [u32]) -> bool {
        false
    }

    fn marks(&self) -> bool {
        true
    }

    fn pass(&self, _: RouterId, _: Port, sees: &dyn Congestion, mark: &mut Mark) {
        assert_eq!(sees.mark(), *mark);
        mark.0 += 1;
    }
}

/// Another routing, whose routers write on packets what nobody reads.
pub(crate) struct Written<R>(pub(crate) R);

impl<R: Routing> Routing for Written<R> {
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

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.0.settled(at, header)
    }

    fn asks_again(&self) -> bool {
        self.0.asks_again()
    }

    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        self.0.choose_again(at, header, congestion, rng)
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        Some(self)
    }
}

impl<R: Routing> Sensing for Written<R> {
    fn region(&self, at: RouterId) -> u32 {
        self.0.sensing().map_or(at.0, |inner| inner.region(at))
    }

    fn words(&self, region: u32) -> usize {
        self.0.sensing().map_or(0, |inner| inner.words(region))
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let inner = self.0.sensing();
        inner.map_or_else(Vec::new, |inner| inner.lines(at))
    }

    fn grain(&self, at: RouterId, port: Port) -> u32 {
        self.0.sensing().map_or(1, |inner| inner.grain(at, port))
    }

    fn queue_line(&self, at: RouterId, line: usize) -> Option<QueueLine> {
        self.0.sensing()?.queue_line(at, line)
    }

    fn counts_awaiting(&self) -> bool {
        self.0.sensing().is_some_and(Sensing::counts_awaiting)
    }

    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        if let Some(inner) = self.0.sensing() {
            inner.report(at, sees, notices);
        }
    }

    fn receive(&self, region: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        let inner = self.0.sensing();
        inner.is_some_and(|inner| inner.receive(region, from, notice, memory))
    }

    fn marks(&self) -> bool {
        true
    }

    fn pass(&self, _: RouterId, port: Port, _: &dyn Congestion, mark: &mut Mark) {
        mark.0 = port.into();
    }
}
