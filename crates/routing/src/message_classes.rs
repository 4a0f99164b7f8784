//! Message classes kept apart: any routing, with virtual channels of its own for each class.
//!
//! Where terminals answer messages with others, the two must not need the same buffers, or terminals and
//! network may wait for each other in a circle. The usual remedy is a logical network for each class, on virtual channels
//! of one physical network. Source: Dally and Towles, *Principles and Practices of Interconnection Networks*, section
//! 14.1.3.
//!
//! Class `c` has the `c`-th block of as many virtual channels as the routing inside uses. That one knows nothing of
//! it: it is asked with headers that name no class, answers with virtual channels of its own numbering, and
//! sees the congestion of its own block. What routers tell each other, and what waits in them for a port, is of all classes together.

use std::sync::Arc;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Forwards, Header, Hop, Invalid, Mark, Port, RouterId, Routing, Sensing, Start,
    TerminalId, Vc, VcSet,
};

/// A routing that keeps classes of messages apart.
///
/// Messages of a class beyond the last share the virtual channels of the last, which is what the verifier will
/// object to if they must not. Within a class packets keep the order that the routing inside
/// promises; those of different classes may overtake each other.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use turnwise_network::topologies::{Mesh, Topology};
/// use turnwise_network::{Routing, TerminalId, VcSet};
/// use turnwise_routing::algorithms::DimensionOrder;
/// use turnwise_routing::{Algorithm, Context, MessageClasses};
///
/// let mesh = Arc::new(Mesh { sizes: vec![8, 8], ..Mesh::default() }.build(None)?);
/// let inner = DimensionOrder::default().build(&mesh, &Context::default())?;
/// let routing = MessageClasses::new(inner, 2)?;
/// assert_eq!(routing.virtual_channels(), 2);
/// let mut starts = Vec::new();
/// routing.starts(TerminalId(0), TerminalId(9), 1, &mut starts);
/// assert_eq!((starts[0].header.message, starts[0].vcs), (1, VcSet::one(1)));
/// # Ok::<(), turnwise_network::Invalid>(())
/// ```
pub struct MessageClasses {
    inner: Arc<dyn Routing>,
    classes: u8,
    /// Virtual channels of each class.
    each: Vc,
}

impl MessageClasses {
    /// `classes` times the virtual channels of a routing that knows nothing of classes.
    ///
    /// If the router's virtual channels are given, build `inner` for a router with its share of them.
    ///
    /// # Errors
    /// More virtual channels than a channel may have (`virtual_channels`); no classes (`classes`).
    pub fn new(inner: impl Into<Arc<dyn Routing>>, classes: u8) -> Result<Self, Invalid> {
        let inner = inner.into();
        let each = inner.virtual_channels();
        let most = VcSet::CAPACITY;
        if classes == 0 {
            let message = "there is at least one class of messages";
            return Err(Invalid::new("classes", message));
        }
        let total = u32::from(each) * u32::from(classes);
        if total > u32::from(most) {
            let message = format!(
                "{classes} classes of messages need {total} virtual channels, {each} each; a channel has at most {most}"
            );
            let help = format!("leave {} to each class", most / classes);
            let invalid = Invalid::new("virtual_channels", message);
            return Err(match classes <= most {
                true => invalid.with_help(help),
                false => invalid,
            });
        }
        Ok(Self {
            inner,
            classes,
            each,
        })
    }

    /// The block of a class, those beyond the last in the last one's.
    fn block(&self, class: u8) -> Block {
        let class = class.min(self.classes - 1);
        Block {
            class,
            first: u32::from(class) * u32::from(self.each),
            each: self.each,
        }
    }

    /// Lets a question about a packet be answered by the routing inside, of which it is told its own header.
    fn asked<T>(&self, header: Header, answer: impl FnOnce(&dyn Routing, Header, Block) -> T) -> T {
        let block = self.block(header.message);
        let plain = Header {
            message: 0,
            ..header
        };
        answer(&*self.inner, plain, block)
    }
}

/// The virtual channels of one class.
#[derive(Clone, Copy)]
struct Block {
    class: u8,
    first: u32,
    each: Vc,
}

impl Block {
    /// Where virtual channels of the routing inside are; those that it does not have are left out.
    fn vcs(self, inner: VcSet) -> VcSet {
        VcSet((inner.0 & VcSet::all(self.each).0) << self.first)
    }

    fn header(self, inner: Header) -> Header {
        Header {
            message: self.class,
            ..inner
        }
    }

    fn hop(self, inner: Hop) -> Hop {
        Hop {
            port: inner.port,
            vcs: self.vcs(inner.vcs),
            header: self.header(inner.header),
        }
    }

    fn start(self, inner: Start) -> Start {
        Start {
            header: self.header(inner.header),
            vcs: self.vcs(inner.vcs),
        }
    }

    /// What a packet of this class may see.
    fn seen(self, sees: &dyn Congestion, classes: u8) -> OwnClass<'_> {
        OwnClass {
            sees,
            block: self,
            classes,
        }
    }

    /// Moves what has been appended since `from`.
    fn hops_from(self, from: usize, hops: &mut [Hop]) {
        for hop in &mut hops[from..] {
            *hop = self.hop(*hop);
        }
    }
}

/// What the routing inside sees of its router: the virtual channels of one class, as if there were no others.
///
/// [`VcSet::EVERY`], as any set with virtual channels that it does not have, means all of its own. A port's
/// capacity is an equal share of it all.
struct OwnClass<'a> {
    sees: &'a dyn Congestion,
    block: Block,
    classes: u8,
}

impl Congestion for OwnClass<'_> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        self.sees.unacknowledged(port, self.block.vcs(vcs))
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        self.sees.queued(port, self.block.vcs(vcs))
    }

    fn sent_within(&self, port: Port, vcs: VcSet, cycles: u32) -> u32 {
        self.sees.sent_within(port, self.block.vcs(vcs), cycles)
    }

    fn awaiting(&self, port: Port) -> u32 {
        self.sees.awaiting(port)
    }

    fn capacity(&self, port: Port) -> u32 {
        self.sees.capacity(port) / u32::from(self.classes)
    }

    fn memory(&self) -> &[u32] {
        self.sees.memory()
    }

    fn mark(&self) -> Mark {
        self.sees.mark()
    }

    fn occupancy(&self, port: Port, vcs: VcSet) -> u32 {
        self.sees.occupancy(port, self.block.vcs(vcs))
    }
}

impl Routing for MessageClasses {
    fn virtual_channels(&self) -> Vc {
        self.each * self.classes
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.inner.start(source, destination)?;
        Some(self.block(0).start(start))
    }

    fn starts(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        starts: &mut Vec<Start>,
    ) {
        let (from, block) = (starts.len(), self.block(class));
        self.inner.starts(source, destination, 0, starts);
        for start in &mut starts[from..] {
            *start = block.start(*start);
        }
    }

    fn chooses_start(&self) -> bool {
        self.inner.chooses_start()
    }

    fn choose_start(
        &self,
        source: TerminalId,
        destination: TerminalId,
        class: u8,
        rng: &mut Random,
    ) -> Option<Start> {
        let start = self.inner.choose_start(source, destination, 0, rng)?;
        Some(self.block(class).start(start))
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.asked(header, |inner, header, block| {
            let from = options.len();
            inner.options(at, header, options);
            block.hops_from(from, options);
        });
    }

    fn void(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.asked(header, |inner, header, block| {
            Some(block.hop(inner.void(at, header)?))
        })
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let classes = self.classes;
        self.asked(header, |inner, header, block| {
            let sees = block.seen(congestion, classes);
            Some(block.hop(inner.choose(at, header, &sees, rng)?))
        })
    }

    fn asks_again(&self) -> bool {
        self.inner.asks_again()
    }

    fn choose_again(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let classes = self.classes;
        self.asked(header, |inner, header, block| {
            let sees = block.seen(congestion, classes);
            Some(block.hop(inner.choose_again(at, header, &sees, rng)?))
        })
    }

    fn escape(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.asked(header, |inner, header, block| {
            let from = options.len();
            inner.escape(at, header, options);
            block.hops_from(from, options);
        });
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        self.asked(header, |inner, header, block| {
            Some(block.hop(inner.settled(at, header)?))
        })
    }

    /// Each class does what all do without them.
    fn exchanges(&self) -> Option<[&dyn Forwards; 2]> {
        self.inner.exchanges()
    }

    fn decides_at_source(&self) -> bool {
        self.inner.decides_at_source()
    }

    fn sensing(&self) -> Option<&dyn Sensing> {
        self.inner.sensing()
    }

    fn distinguishes_terminals(&self) -> bool {
        self.inner.distinguishes_terminals()
    }

    fn tells_senders_apart(&self) -> bool {
        self.inner.tells_senders_apart()
    }

    fn relation(&self) -> Option<String> {
        let relation = self.inner.relation()?;
        Some(format!("{relation}, {} classes of messages", self.classes))
    }

    fn memory_bytes(&self) -> u64 {
        self.inner.memory_bytes()
    }

    fn keeps_order(&self) -> bool {
        self.inner.keeps_order()
    }
}
