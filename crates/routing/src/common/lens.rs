//! A routing whose routers see congestion otherwise than it is.

use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Mark, Notice, Port, QueueLine, Receiver, RouterId, Routing, Sender,
    Sensing, Start, TerminalId, TwoPhases, Vc,
};

/// What makes the difference.
pub(crate) trait Lens: Send + Sync {
    /// Asks something with what a router sees through it.
    fn look<T>(
        &self,
        at: RouterId,
        sees: &dyn Congestion,
        ask: impl FnOnce(&dyn Congestion) -> T,
    ) -> T;

    /// What routers tell for it, if it needs a routing that has them tell nothing.
    fn sensing(&self) -> Option<&dyn Sensing> {
        None
    }

    /// Does it look at [times](Sensing::times)?
    fn times(&self) -> bool {
        false
    }

    /// Does it look at what [awaits](Sensing::counts_awaiting) outputs?
    fn counts_awaiting(&self) -> bool {
        false
    }

    /// Is what a router sees through it the occupancy of its ports, with what awaits them if that is counted? Lines that
    /// [tell queues](Sensing::queue_line) do so through it as well, then.
    fn shows_queues(&self) -> bool {
        false
    }

    /// Bytes of its tables.
    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// A routing behind a lens.
pub(crate) struct Through<L> {
    pub(crate) routing: Box<dyn Routing>,
    pub(crate) lens: L,
}

impl<L: Lens> Routing for Through<L> {
    fn virtual_channels(&self) -> Vc {
        self.routing.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        self.routing.start(source, destination)
    }

    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        self.routing.starts(source, destination, class, starts);
    }

    fn chooses_start(&self) -> bool {
        self.routing.chooses_start()
    }

    fn choose_start(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        rng: &mut Random,
    ) -> Option<Start> {
        self.routing.choose_start(source, destination, class, rng)
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.routing.options(at, header, options);
    }

    fn two_phases(&self) -> Option<&dyn TwoPhases> {
        self.routing.two_phases()
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let choose = |seen: &dyn Congestion| self.routing.choose(at, header, seen, rng);
        self.lens.look(at, congestion, choose)
    }

    fn asks_again(&self) -> bool {
        self.routing.asks_again()
    }

    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let choose = |seen: &dyn Congestion| self.routing.choose_again(at, header, seen, rng);
        self.lens.look(at, congestion, choose)
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.routing.escape(at, header, options);
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.routing.settled(at, header)
    }

    fn decides_at_source(&self) -> bool {
        self.routing.decides_at_source()
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.lens.sensing().or(Some(self))
    }

    fn distinguishes_terminals(&self) -> bool {
        self.routing.distinguishes_terminals()
    }

    fn tells_senders_apart(&self) -> bool {
        self.routing.tells_senders_apart()
    }

    fn relation(&self) -> Option<String> {
        self.routing.relation()
    }

    fn memory_bytes(&self) -> u64 {
        self.routing.memory_bytes() + self.lens.memory_bytes()
    }

    fn keeps_order(&self) -> bool {
        self.routing.keeps_order()
    }
}

/// What the routing has its routers tell, as they see it through the lens; nothing if it has them tell nothing.
impl<L: Lens> Sensing for Through<L> {
    fn region(&self, at: RouterId) -> u32 {
        let inner = self.routing.sensing();
        inner.map_or(at.0, |inner| inner.region(at))
    }

    fn words(&self, region: u32) -> usize {
        let inner = self.routing.sensing();
        inner.map_or(0, |inner| inner.words(region))
    }

    fn lines(&self, at: RouterId) -> Vec<Vec<Receiver>> {
        let inner = self.routing.sensing();
        inner.map_or_else(Vec::new, |inner| inner.lines(at))
    }

    /// What is seen through a lens that looks at times passes other multiples than what is counted: then everything counts.
    fn grain(&self, at: RouterId, port: Port) -> u32 {
        let inner = self.routing.sensing();
        let grain = inner.map_or(0, |inner| inner.grain(at, port));
        match self.lens.times() {
            true => grain.min(1),
            false => grain,
        }
    }

    fn queue_line(&self, at: RouterId, line: usize) -> Option<QueueLine> {
        let inner = self.routing.sensing()?;
        let told = inner.queue_line(at, line)?;
        self.lens.shows_queues().then_some(told)
    }

    fn report(&self, at: RouterId, sees: &dyn Congestion, notices: &mut [Notice]) {
        if let Some(inner) = self.routing.sensing() {
            let report = |seen: &dyn Congestion| inner.report(at, seen, notices);
            self.lens.look(at, sees, report);
        }
    }

    fn receive(&self, region: u32, from: Sender, notice: Notice, memory: &mut [u32]) -> bool {
        let inner = self.routing.sensing();
        inner.is_some_and(|inner| inner.receive(region, from, notice, memory))
    }

    fn counts_awaiting(&self) -> bool {
        let inner = self.routing.sensing();
        self.lens.counts_awaiting() || inner.is_some_and(|inner| inner.counts_awaiting())
    }

    fn times(&self) -> bool {
        let inner = self.routing.sensing();
        self.lens.times() || inner.is_some_and(|inner| inner.times())
    }

    fn most_withheld(&self) -> u32 {
        let inner = self.routing.sensing();
        inner.map_or(0, |inner| inner.most_withheld())
    }

    fn withholds(&self, at: RouterId, input: Port, output: Port) -> bool {
        let inner = self.routing.sensing();
        inner.is_some_and(|inner| inner.withholds(at, input, output))
    }

    fn marks(&self) -> bool {
        self.routing.sensing().is_some_and(|inner| inner.marks())
    }

    fn pass(&self, at: RouterId, port: Port, sees: &dyn Congestion, mark: &mut Mark) {
        if let Some(inner) = self.routing.sensing() {
            let pass = |seen: &dyn Congestion| inner.pass(at, port, seen, mark);
            self.lens.look(at, sees, pass);
        }
    }
}
