//! Routes that do not depend on congestion or random numbers, remembered as they are first computed.
//!
//! A packet's situation, the router its head is at and its header, is an *entry* of the cache. Where the
//! algorithm calls an entry's hop [settled](turnwise_network::Routing::settled), it is kept
//! together with the entry it leads to, so that the next packet in the same situation is routed
//! by one look-up, without asking the algorithm. Packets carry the number of their entry ([`EntryId`]); an
//! entry that the algorithm leaves open keeps the header to ask with.
//!
//! Numbers and entries are packed, because every hop reads them: "settled or not" is one comparison.
//! [`EntryId::lookup`] and [`RouteEntry::state`] say in full what they mean.
//!
//! Memory is bounded: when all places are taken, no more situations are looked for.

use super::unchecked::Arena;
use serde::{Deserialize, Serialize};
use turnwise_network::{Header, Port};

/// The route of packets in one situation.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct RouteEntry {
    /// The ports a packet needs at the switch: its output port as one of the low 32 bits; lanes add
    /// their input port as one of the high ones. Ports 32 apart share a bit.
    pub(super) claim: u64,
    /// The output virtual channels that may be taken, as bits of the mask word of their port.
    pub(super) want: u64,
    /// The entry after this one, if this one is settled.
    next: EntryId,
    pub(super) port: u16,
}

/// What is known of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryState {
    /// Nobody has asked yet.
    Unknown,
    /// The algorithm decides anew for every packet.
    LeftOpen,
    /// Every packet goes the same way, and finds its next hop at the next entry.
    Settled { next: EntryId },
}

/// The number of an entry, or the reason why a packet has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(transparent)]
pub(super) struct EntryId(u32);

/// What an [`EntryId`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// No entry: the packet's own header says what its situation is.
    Header,
    /// No entry: the packet's first hop was decided at its source, and the packet knows it.
    FirstHop,
    /// An entry of the cache.
    Entry,
}

impl EntryId {
    /// No entry: see [`Lookup::Header`].
    pub(super) const NONE: Self = Self(0);
    /// No entry either: see [`Lookup::FirstHop`].
    pub(super) const FIRST_HOP: Self = Self(1);
    /// The `next` of entries that are not settled.
    const OPEN: Self = Self(u32::MAX);

    /// What it stands for.
    pub(super) fn lookup(self) -> Lookup {
        match self {
            Self::NONE => Lookup::Header,
            Self::FIRST_HOP => Lookup::FirstHop,
            _ => Lookup::Entry,
        }
    }
}

/// A router and the header of a packet that comes there.
#[derive(Clone, Copy, Debug)]
struct Situation {
    router: u32,
    header: Header,
}

impl RouteEntry {
    /// The port of an entry that the algorithm is known to leave open.
    const LEFT_OPEN: u16 = u16::MAX;
    const UNUSED: Self = Self {
        claim: 0,
        want: 0,
        next: EntryId::OPEN,
        port: 0,
    };

    /// The entry after this one; `None` if this one is not settled. On the path of every hop.
    #[inline(always)]
    pub(super) fn next(&self) -> Option<EntryId> {
        (self.next != EntryId::OPEN).then_some(self.next)
    }

    /// What is known of it.
    pub(super) fn state(&self) -> EntryState {
        match self.next() {
            Some(next) => EntryState::Settled { next },
            None if self.port == Self::LEFT_OPEN => EntryState::LeftOpen,
            None => EntryState::Unknown,
        }
    }
}

/// How a packet from one terminal to another sets out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    source: u32,
    destination: u32,
    /// Its first entry.
    pub(super) entry: EntryId,
    /// Virtual channels of the injection channel it may take.
    pub(super) vcs: u32,
}

/// The entries met so far.
#[derive(Clone, Debug)]
pub(super) struct RouteCache {
    /// The first two are nobody's.
    entries: Arena<RouteEntry>,
    /// The router and header of each entry.
    situations: Vec<Situation>,
    /// Open-addressing hash table of their numbers; 0 is an empty place.
    places: Vec<u32>,
    most: usize,
    /// Departures seen lately. A pair of terminals has one place, which the latest pair takes.
    departures: Arena<Departure>,
    terminals: u32,
}

impl RouteCache {
    /// The most entries: what the caches of a core hold.
    const MOST: usize = 1 << 16;
    /// Departures to remember, a power of two.
    const DEPARTURES: usize = 1 << 13;

    /// An empty one; `remember` nothing at all if every choice is to be looked at.
    pub(super) fn new(remember: bool, terminals: usize) -> Self {
        let most = if remember { Self::MOST } else { 0 };
        let nobody = Departure {
            source: u32::MAX,
            destination: u32::MAX,
            entry: EntryId::NONE,
            vcs: 0,
        };
        Self {
            entries: Arena::new(vec![RouteEntry::UNUSED; 2]),
            situations: vec![
                Situation {
                    router: u32::MAX,
                    header: Header::default(),
                };
                2
            ],
            places: vec![0; 2 * most],
            most,
            departures: Arena::new(vec![nobody; Self::DEPARTURES]),
            terminals: terminals as u32,
        }
    }

    /// Bytes of one, at most, where so many pairs of router and destination exist. Growing, its
    /// arrays are in memory twice.
    pub(super) fn most_bytes(pairs: u64) -> u64 {
        use std::mem::size_of;
        let of_entry = 2 * (size_of::<RouteEntry>() + size_of::<Situation>());
        let fixed = 2 * Self::MOST * size_of::<u32>() + Self::DEPARTURES * size_of::<Departure>();
        pairs.min(Self::MOST as u64) * of_entry as u64 + fixed as u64
    }

    /// Are entries still being added?
    #[inline(always)]
    pub(super) fn remembers(&self) -> bool {
        self.most != 0
    }

    /// Where the departures of a pair would be kept.
    #[inline(always)]
    fn place(&self, source: u32, destination: u32) -> usize {
        let pair = source
            .wrapping_mul(self.terminals)
            .wrapping_add(destination);
        pair as usize & (Self::DEPARTURES - 1)
    }

    /// How packets from one terminal to another set out, if it is remembered. Messages of class `c` have `c` times
    /// the number of terminals added to their source.
    #[inline(always)]
    pub(super) fn departure(&self, source: u32, destination: u32) -> Option<Departure> {
        let known = *self.departures.at(self.place(source, destination));
        (known.source == source && known.destination == destination).then_some(known)
    }

    /// How a packet with this first header sets out; remembered if its first entry has a number.
    pub(super) fn depart(
        &mut self,
        (source, destination): (u32, u32),
        router: u32,
        header: Header,
        vcs: u32,
    ) -> Departure {
        let departure = self.set_out((source, destination), router, header, vcs);
        if departure.entry != EntryId::NONE {
            let place = self.place(source, destination);
            *self.departures.at_mut(place) = departure;
        }
        departure
    }

    /// The same for a packet whose pair has other ways to set out, too.
    pub(super) fn set_out(
        &mut self,
        (source, destination): (u32, u32),
        router: u32,
        header: Header,
        vcs: u32,
    ) -> Departure {
        Departure {
            source,
            destination,
            entry: self.number(router, header),
            vcs,
        }
    }

    #[inline(always)]
    pub(super) fn entry(&self, id: EntryId) -> &RouteEntry {
        &self.entries[id.0]
    }

    /// The header of packets that come to an entry.
    pub(super) fn header(&self, id: EntryId) -> Header {
        self.situations[id.0 as usize].header
    }

    /// The number of a situation, [`EntryId::NONE`] if there is no place left for it.
    pub(super) fn number(&mut self, router: u32, header: Header) -> EntryId {
        if self.most == 0 {
            return EntryId::NONE;
        }
        let key = words(header);
        let hash = (key[0] ^ u64::from(router).rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ key[1].wrapping_mul(0xD134_2543_DE82_EF95);
        let mask = self.places.len() - 1;
        let mut place = (hash >> 40) as usize & mask;
        loop {
            match self.places[place] {
                0 => break,
                number => {
                    let known = &self.situations[number as usize];
                    if known.router == router && words(known.header) == key {
                        return EntryId(number);
                    }
                }
            }
            place = (place + 1) & mask;
        }
        if self.entries.len() > self.most + 1 {
            // With so many, few come again soon. From now on none are looked up.
            self.most = 0;
            return EntryId::NONE;
        }
        let number = self.entries.push(RouteEntry::UNUSED);
        self.situations.push(Situation { router, header });
        self.places[place] = number;
        EntryId(number)
    }

    /// Notes that the algorithm leaves an entry open, so that it need not be asked again whether it does.
    pub(super) fn leave_open(&mut self, id: EntryId) {
        let entry = &mut self.entries[id.0];
        debug_assert!(
            !matches!(entry.state(), EntryState::Settled { .. }),
            "what is settled is not open"
        );
        entry.port = RouteEntry::LEFT_OPEN;
    }

    /// Notes where an entry leads.
    pub(super) fn settle(&mut self, id: EntryId, port: Port, want: u64, next: EntryId) {
        self.entries[id.0] = RouteEntry {
            claim: 1 << (port % 32),
            want,
            next,
            port,
        };
    }
}

/// A header as two words.
#[inline(always)]
fn words(header: Header) -> [u64; 2] {
    let Header {
        destination,
        via,
        step,
        class,
        phase,
        message,
    } = header;
    let small = u64::from(class) << 32 | u64::from(phase) << 48 | u64::from(message) << 56;
    [
        u64::from(destination.0) | u64::from(via) << 32,
        u64::from(step) | small,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::TerminalId;

    #[test]
    fn a_situation_has_one_number() {
        let mut route_cache = RouteCache::new(true, 64);
        let header = |n| Header {
            via: n,
            ..Header::to(TerminalId(3))
        };
        let numbers: Vec<EntryId> = (0..1000)
            .map(|n| route_cache.number(n % 10, header(n)))
            .collect();
        assert_eq!(numbers, (2..=1001).map(EntryId).collect::<Vec<_>>());
        let again: Vec<EntryId> = (0..1000)
            .map(|n| route_cache.number(n % 10, header(n)))
            .collect();
        assert_eq!(again, numbers);
        assert_eq!(route_cache.header(EntryId(5)), header(3));
    }

    #[test]
    fn an_entry_is_unknown_then_left_open_or_settled() {
        let mut route_cache = RouteCache::new(true, 64);
        let [one, next] = [1, 2].map(|router| route_cache.number(router, Header::default()));
        assert_eq!(
            (one.lookup(), next.lookup()),
            (Lookup::Entry, Lookup::Entry)
        );
        assert_eq!(route_cache.entry(one).state(), EntryState::Unknown);
        route_cache.leave_open(one);
        assert_eq!(route_cache.entry(one).state(), EntryState::LeftOpen);
        for following in [next, EntryId::NONE] {
            route_cache.settle(one, 2, 3, following);
            let entry = route_cache.entry(one);
            assert_eq!((entry.port, entry.want), (2, 3));
            assert_eq!(entry.next(), Some(following));
            assert_eq!(entry.state(), EntryState::Settled { next: following });
        }
        // Packets without an entry are never taken for settled ones.
        for nobody in [EntryId::NONE, EntryId::FIRST_HOP] {
            assert_ne!(nobody.lookup(), Lookup::Entry);
            assert_eq!(route_cache.entry(nobody).state(), EntryState::Unknown);
        }
    }

    #[test]
    fn departures_are_remembered_until_others_take_their_place() {
        let mut route_cache = RouteCache::new(true, 64);
        assert!(route_cache.departure(3, 5).is_none());
        let made = route_cache.depart((3, 5), 3, Header::to(TerminalId(5)), 7);
        let known = route_cache
            .departure(3, 5)
            .map(|known| (known.entry, known.vcs));
        assert_eq!(known, Some((made.entry, 7)));
        assert!(route_cache.departure(5, 3).is_none());
        let places = RouteCache::DEPARTURES as u32;
        route_cache.depart((3, 5 + places), 3, Header::to(TerminalId(5 + places)), 7);
        assert!(route_cache.departure(3, 5).is_none());
    }

    #[test]
    fn memory_is_bounded() {
        let mut route_cache = RouteCache::new(true, 64);
        let most = RouteCache::MOST as u32;
        assert_eq!(route_cache.number(most - 1, Header::default()), EntryId(2));
        for router in 0..most - 1 {
            assert_ne!(route_cache.number(router, Header::default()), EntryId::NONE);
        }
        assert_eq!(route_cache.number(most, Header::default()), EntryId::NONE);
        assert_eq!(
            route_cache.number(most - 1, Header::default()),
            EntryId::NONE
        );
        assert_eq!(
            RouteCache::new(false, 64).number(0, Header::default()),
            EntryId::NONE
        );
    }
}
