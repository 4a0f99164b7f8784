//! Packets that settle for one virtual channel when they are routed: the least occupied of those they may take.
//!
//! Routers otherwise let a head take whichever of them is free first. SuperSim's routing names a port and one virtual
//! channel, by what both hold (McDonald et al., ISPASS 2018), and its terminals draw one for each packet; a head then waits for that
//! very one. So every virtual channel is an option, and a way to set out, of its own.
//!
//! Complexity: as the routing it is about, times the virtual channels of a class.

use super::draw;
use turnwise_network::random::Random;
use turnwise_network::{
    Congestion, Header, Hop, Port, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};

/// A routing without sensing, escapes or second thoughts, whose packets settle for one virtual channel.
pub(crate) struct Committed<R>(pub(crate) R);

/// The one of these virtual channels that holds the fewest flits, each of equals with the same probability.
#[inline(never)]
pub(crate) fn least_occupied(
    port: Port,
    vcs: VcSet,
    sees: &dyn Congestion,
    rng: &mut Random,
) -> VcSet {
    let mut flits = [0; VcSet::CAPACITY as usize];
    sees.occupancies(port, vcs, &mut flits);
    let (mut rest, mut best, mut fewest, mut equals) = (vcs.0, 0, u32::MAX, 0);
    // Draws as `Least` does.
    for flits in flits {
        let one = rest & rest.wrapping_neg();
        rest ^= one;
        if one == 0 {
            break;
        }
        if flits > fewest {
            continue;
        }
        equals = if flits < fewest { 1 } else { equals + 1 };
        if draw::below(equals, rng) == 0 {
            (best, fewest) = (one, flits);
        }
    }
    VcSet(best)
}

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
        let vcs = draw::channel(start.vcs, rng);
        Some(Start { vcs, ..start })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        let first = options.len();
        self.0.options(at, header, options);
        let hops = options.split_off(first).into_iter();
        options.extend(hops.flat_map(|hop| each(hop.vcs).map(move |vcs| Hop { vcs, ..hop })));
    }

    fn relation(&self) -> Option<String> {
        let relation = self.0.relation()?;
        Some(format!("{relation}, each virtual channel by itself"))
    }

    fn settled(&self, at: RouterId, header: Header) -> Option<Hop> {
        let hop = self.0.settled(at, header)?;
        hop.vcs.0.is_power_of_two().then_some(hop)
    }

    fn choose(
        &self,
        at: RouterId,
        header: Header,
        congestion: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<Hop> {
        let mut chosen = self.0.choose(at, header, congestion, rng);
        if let Some(hop) = &mut chosen
            && !hop.vcs.0.is_power_of_two()
        {
            hop.vcs = least_occupied(hop.port, hop.vcs, congestion, rng);
        }
        chosen
    }

    fn decides_at_source(&self) -> bool {
        self.0.decides_at_source()
    }

    fn distinguishes_terminals(&self) -> bool {
        self.0.distinguishes_terminals()
    }

    fn tells_senders_apart(&self) -> bool {
        self.0.tells_senders_apart()
    }

    fn memory_bytes(&self) -> u64 {
        self.0.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::least;
    use super::*;
    use turnwise_network::random::Purpose;

    /// A port whose virtual channels hold the digits of a number.
    struct Digits(u32);

    impl Congestion for Digits {
        fn unacknowledged(&self, _: Port, vcs: VcSet) -> u32 {
            let digit = |vc: Vc| self.0 / 3_u32.pow(vc.into()) % 3;
            vcs.iter().map(digit).sum()
        }

        fn queued(&self, _: Port, _: VcSet) -> u32 {
            0
        }

        fn capacity(&self, _: Port) -> u32 {
            u32::MAX
        }

        fn memory(&self) -> &[u32] {
            &[]
        }
    }

    #[test]
    fn the_least_occupied_is_drawn_as_the_least_of_any_things_is() {
        for (flits, set) in
            (0..3_u32.pow(5)).flat_map(|flits| [0b1_1111, 0b1_0110, 0b100].map(|set| (flits, set)))
        {
            let sees = Digits(flits);
            let [mut one, mut other] =
                [7, 7].map(|seed| Random::new(seed, Purpose::Other, flits, set));
            let occupancy = |&vcs: &VcSet| sees.occupancy(0, vcs);
            let expected = least(each(VcSet(set)), occupancy, &mut other);
            let found = least_occupied(0, VcSet(set), &sees, &mut one);
            assert_eq!((Some(found), one.next_u64()), (expected, other.next_u64()));
        }
    }
}
