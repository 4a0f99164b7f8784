//! Packets that settle for one virtual channel when they are routed: the least occupied of those they may take.
//!
//! Routers otherwise let a head take whichever of them is free first. SuperSim's routing names a port and one virtual
//! channel, by what both hold (McDonald et al., ISPASS 2018), and its terminals draw one for each packet; a head then waits for that
//! very one. So every virtual channel is an option, and a way to set out, of its own.
//!
//! Complexity: as the routing it is about, times the virtual channels of a class.

use super::draw;
use turnwise_network::random::Random;
use turnwise_network::{Congestion, Header, Hop, RouterId, Routing, Start, TerminalId, Vc, VcSet};

/// A routing without sensing, escapes or second thoughts, whose packets settle for one virtual channel.
pub(crate) struct Committed<R>(pub(crate) R);

fn each(vcs: VcSet) -> impl Iterator<Item = VcSet> + Clone {
    let mut rest = vcs.0;
    std::iter::from_fn(move || {
        let one = rest & rest.wrapping_neg();
        rest ^= one;
        (one != 0).then_some(VcSet(one))
    })
}

impl<R: Routing> Routing for Committed<R> {
    fn virtual_channels(&self) -> Vc {
        self.0.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.0.start(source, destination)?;
        let vcs = each(start.vcs).next()?;
        Some(Start { vcs, ..start })
    }

    fn starts(&self, source: TerminalId, destination: TerminalId, _: u8, starts: &mut Vec<Start>) {
        let start = self.0.start(source, destination);
        let ways = start
            .into_iter()
            .flat_map(|start| each(start.vcs).map(move |vcs| Start { vcs, ..start }));
        starts.extend(ways);
    }

    fn chooses_start(&self) -> bool {
        self.0.virtual_channels() > 1
    }

    fn choose_start(
        &self,
        source: TerminalId,
        destination: TerminalId,
        _: u8,
        rng: &mut Random,
    ) -> Option<Start> {
        let start = self.0.start(source, destination)?;
        let vcs = draw::among(each(start.vcs), rng)?;
        Some(Start { vcs, ..start })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let first = options.len();
        self.0.options(at, header, options);
        let hops = options.split_off(first).into_iter();
        options.extend(hops.flat_map(|hop| each(hop.vcs).map(move |vcs| Hop { vcs, ..hop })));
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let hop = self.0.settled(at, header)?;
        (each(hop.vcs).nth(1).is_none()).then_some(hop)
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let hop = self.0.choose(at, header, congestion, rng)?;
        if hop.vcs.0.is_power_of_two() {
            return Some(hop);
        }
        let occupancy = |&vcs: &VcSet| congestion.occupancy(hop.port, vcs);
        let vcs = draw::least(each(hop.vcs), occupancy, rng)?;
        Some(Hop { vcs, ..hop })
    }

    fn distinguishes_terminals(&self) -> bool {
        self.0.distinguishes_terminals()
    }

    fn memory_bytes(&self) -> u64 {
        self.0.memory_bytes()
    }
}
