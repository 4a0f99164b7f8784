//! Routes that do not depend on congestion or dice, remembered as they are first computed.
//!
//! A packet's situation, the router its head is at and its header, is a *stop*. Where the
//! algorithm calls a stop's hop [settled](turnwise_network::Routing::settled), it is kept
//! together with the stop it leads to, so that the next packet in the same situation is routed
//! by one look-up and no question. Packets carry the number of their stop; a
//! stop that the algorithm leaves open keeps the header to ask with.
//!
//! Memory is bounded: when all places are taken, no more situations are looked for.

use super::unchecked::Arena;
use turnwise_network::{Header, Port};

/// What comes of a situation.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Stop {
    /// What a packet needs of the switch: its output port as one of the low 32 bits, to which
    /// lanes add their input ports as the others. Ports 32 apart are taken for the same.
    pub(super) claim: u64,
    /// The output virtual channels that may be taken, as bits of the mask word of their port.
    pub(super) want: u64,
    /// The stop after this one; [`Stop::OPEN`] if it has not been settled.
    pub(super) next: u32,
    pub(super) port: u16,
}

/// A router and the header of a packet that comes there.
#[derive(Clone, Copy, Debug)]
struct Situation {
    router: u32,
    header: Header,
}

impl Stop {
    /// What follows is not known, or depends on more than the situation.
    pub(super) const OPEN: u32 = u32::MAX;
    /// No stop: the packet's own header says what its situation is.
    pub(super) const NONE: u32 = 0;
    /// No stop either: the packet's first hop was decided at its source.
    pub(super) const DECIDED: u32 = 1;
    /// The port of a stop that the algorithm is known to leave open.
    pub(super) const LEFT_OPEN: u16 = u16::MAX;
    const UNUSED: Self = Self {
        claim: 0,
        want: 0,
        next: Self::OPEN,
        port: 0,
    };
}

/// How a packet from one terminal to another sets out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    source: u32,
    destination: u32,
    /// Its first stop.
    pub(super) stop: u32,
    /// Virtual channels of the injection channel it may take.
    pub(super) vcs: u32,
}

/// The stops met so far.
#[derive(Clone, Debug)]
pub(super) struct Itinerary {
    /// The first two are nobody's.
    stops: Arena<Stop>,
    /// What they are reached by.
    situations: Vec<Situation>,
    /// Open-addressing hash table of their numbers; 0 is an empty place.
    places: Vec<u32>,
    most: usize,
    /// Departures seen lately, each in the only place where it may be.
    departures: Arena<Departure>,
    terminals: u32,
}

impl Itinerary {
    /// Stops to remember at most: what the caches of a core hold.
    const MOST: usize = 1 << 16;
    /// Departures to remember, a power of two.
    const DEPARTURES: usize = 1 << 13;

    /// An empty one; `remember` nothing at all if every choice is to be looked at.
    pub(super) fn new(remember: bool, terminals: usize) -> Self {
        let most = if remember { Self::MOST } else { 0 };
        let nobody = Departure {
            source: u32::MAX,
            destination: u32::MAX,
            stop: Stop::NONE,
            vcs: 0,
        };
        Self {
            stops: Arena::new(vec![Stop::UNUSED; 2]),
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

    /// Bytes of one that is asked about so many situations.
    pub(super) fn bytes(situations: u64) -> u64 {
        use std::mem::size_of;
        let of_stop = size_of::<Stop>() + size_of::<Situation>();
        let fixed = 2 * Self::MOST * size_of::<u32>() + Self::DEPARTURES * size_of::<Departure>();
        situations.min(Self::MOST as u64) * of_stop as u64 + fixed as u64
    }

    /// Is it worth asking for numbers?
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

    /// How packets from one terminal to another set out, if it is remembered.
    #[inline(always)]
    pub(super) fn departure(&self, source: u32, destination: u32) -> Option<Departure> {
        let known = *self.departures.at(self.place(source, destination));
        (known.source == source && known.destination == destination).then_some(known)
    }

    /// How a packet with this first header sets out; remembered if its first stop has a number.
    pub(super) fn depart(
        &mut self,
        (source, destination): (u32, u32),
        router: u32,
        header: Header,
        vcs: u32,
    ) -> Departure {
        let departure = Departure {
            source,
            destination,
            stop: self.number(router, header),
            vcs,
        };
        if departure.stop != Stop::NONE {
            let place = self.place(source, destination);
            *self.departures.at_mut(place) = departure;
        }
        departure
    }

    #[inline(always)]
    pub(super) fn stop(&self, number: u32) -> &Stop {
        &self.stops[number]
    }

    /// The header of packets that come to a stop.
    pub(super) fn header(&self, number: u32) -> Header {
        self.situations[number as usize].header
    }

    /// The number of a situation, [`Stop::NONE`] if there is no place left for it.
    pub(super) fn number(&mut self, router: u32, header: Header) -> u32 {
        if self.most == 0 {
            return Stop::NONE;
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
                        return number;
                    }
                }
            }
            place = (place + 1) & mask;
        }
        if self.stops.len() > self.most + 1 {
            // Too many for them to come again soon: not worth looking for from now on.
            self.most = 0;
            return Stop::NONE;
        }
        let number = self.stops.push(Stop::UNUSED);
        self.situations.push(Situation { router, header });
        self.places[place] = number;
        number
    }

    /// Notes that the algorithm leaves a stop open, so that it need not be asked again whether it does.
    pub(super) fn leave_open(&mut self, number: u32) {
        self.stops[number].port = Stop::LEFT_OPEN;
    }

    /// Notes where a stop leads.
    pub(super) fn settle(&mut self, number: u32, port: Port, want: u64, next: u32) {
        self.stops[number] = Stop {
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
    } = header;
    [
        u64::from(destination.0) | u64::from(via) << 32,
        u64::from(step) | u64::from(class) << 32 | u64::from(phase) << 48,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use turnwise_network::TerminalId;

    #[test]
    fn a_situation_has_one_number() {
        let mut itinerary = Itinerary::new(true, 64);
        let header = |n| Header {
            via: n,
            ..Header::to(TerminalId(3))
        };
        let numbers: Vec<u32> = (0..1000)
            .map(|n| itinerary.number(n % 10, header(n)))
            .collect();
        assert_eq!(numbers, (2..=1001).collect::<Vec<_>>());
        let again: Vec<u32> = (0..1000)
            .map(|n| itinerary.number(n % 10, header(n)))
            .collect();
        assert_eq!(again, numbers);
        assert_eq!(itinerary.header(5), header(3));
        itinerary.settle(5, 2, 3, 8);
        let stop = itinerary.stop(5);
        assert_eq!((stop.port, stop.want, stop.next), (2, 3, 8));
    }

    #[test]
    fn departures_are_remembered_until_others_take_their_place() {
        let mut itinerary = Itinerary::new(true, 64);
        assert!(itinerary.departure(3, 5).is_none());
        let made = itinerary.depart((3, 5), 3, Header::to(TerminalId(5)), 7);
        let known = itinerary
            .departure(3, 5)
            .map(|known| (known.stop, known.vcs));
        assert_eq!(known, Some((made.stop, 7)));
        assert!(itinerary.departure(5, 3).is_none());
        let places = Itinerary::DEPARTURES as u32;
        itinerary.depart((3, 5 + places), 3, Header::to(TerminalId(5 + places)), 7);
        assert!(itinerary.departure(3, 5).is_none());
    }

    #[test]
    fn memory_is_bounded() {
        let mut itinerary = Itinerary::new(true, 64);
        let most = Itinerary::MOST as u32;
        assert_eq!(itinerary.number(most - 1, Header::default()), 2);
        for router in 0..most - 1 {
            assert_ne!(itinerary.number(router, Header::default()), Stop::NONE);
        }
        assert_eq!(itinerary.number(most, Header::default()), Stop::NONE);
        assert_eq!(itinerary.number(most - 1, Header::default()), Stop::NONE);
        assert_eq!(
            Itinerary::new(false, 64).number(0, Header::default()),
            Stop::NONE
        );
    }
}
