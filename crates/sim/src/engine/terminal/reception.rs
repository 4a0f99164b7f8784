//! Buffers behind the ejection channels of terminals that may leave messages waiting in the network.

use super::super::wheel::Wheel;
use super::super::wiring::{NOWHERE, Wiring};
use std::collections::VecDeque;
use turnwise_network::Network;

/// The buffers of all terminals.
pub(in super::super) struct Reception {
    pub(super) classes: usize,
    /// By terminal and virtual channel, as injection credits are: packets whose heads have got the virtual channel.
    pub(super) buffers: Vec<VecDeque<Coming>>,
    /// By terminal and class: messages that are being taken up.
    pub(super) coming: Vec<u32>,
    /// Flits on their way to terminals, by the place of their buffer.
    pub(super) flying: Wheel<u32>,
    /// By place: flits taken up whose credits have not left. A virtual channel gets one a cycle, so it matters when the
    /// last one left.
    pub(super) owed: Vec<u16>,
    pub(super) credited: Vec<u64>,
    /// The places where some are.
    pub(super) owing: Vec<u32>,
    /// By terminal.
    pub(super) ends: Vec<End>,
    /// By port: the terminal behind it, or [`NOWHERE`].
    pub(super) behind: Vec<u32>,
    /// By terminal: packets that have come and are not being taken up, and the virtual channel that is asked for first
    /// next time.
    pub(super) refused: Vec<u32>,
    pub(super) turns: Vec<u32>,
}

/// A terminal's end of its ejection channel.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub(super) router: u32,
    /// The first output virtual channel that leads to it.
    pub(super) first_out: u32,
    /// Cycles that a credit takes to count at the router.
    pub(super) echo: u32,
}

/// A packet on its way into a terminal.
#[derive(Clone, Copy)]
pub(super) struct Coming {
    pub(super) slot: u32,
    pub(super) flits: u16,
    /// Flits that have come.
    pub(super) here: u16,
    /// Is it being taken up? Then none of its flits keeps a place in the buffer.
    pub(super) is_taken: bool,
    /// Has it been refused before?
    pub(super) is_refused: bool,
}

impl Reception {
    pub(in super::super) fn new(
        network: &Network,
        wiring: &Wiring,
        classes: usize,
        credit_delay: u32,
        reach: u64,
    ) -> Self {
        let terminals = wiring.terminals();
        let nowhere = End {
            router: NOWHERE,
            first_out: 0,
            echo: 1,
        };
        let mut ends = vec![nowhere; terminals];
        let mut behind = vec![NOWHERE; wiring.ports as usize];
        for terminal in network.living_terminals() {
            let (router, port) = (
                network.router_of(terminal).0,
                network.terminal_port(terminal),
            );
            let first_port = wiring.routers[router].first_port;
            let latency = wiring.downstream[(first_port + u32::from(port)) as usize].latency;
            ends[terminal.index()] = End {
                router,
                first_out: u32::from(port) << wiring.shift,
                echo: 1 + latency + credit_delay,
            };
            behind[(first_port + u32::from(port)) as usize] = terminal.0;
        }
        Self {
            classes,
            buffers: vec![VecDeque::new(); terminals << wiring.shift],
            coming: vec![0; terminals * classes],
            flying: Wheel::new(reach),
            owed: vec![0; terminals << wiring.shift],
            credited: vec![u64::MAX; terminals << wiring.shift],
            owing: Vec::new(),
            ends,
            behind,
            refused: vec![0; terminals],
            turns: vec![0; terminals],
        }
    }

    pub(super) fn next_due(&self, now: u64) -> Option<u64> {
        match self.owing.is_empty() {
            true => self.flying.next_due(now),
            false => Some(now),
        }
    }

    /// The terminal behind a port, if there is one.
    pub(in super::super) fn terminal_behind(&self, port: u32) -> Option<u32> {
        let terminal = self.behind[port as usize];
        (terminal != NOWHERE).then_some(terminal)
    }

    /// Is a flit on its way to a terminal, or a credit about to leave it?
    pub(super) fn is_coming(&self, terminal: u32, shift: u32) -> bool {
        let mut places = self.flying.iter().chain(&self.owing);
        places.any(|&place| place >> shift == terminal)
    }

    /// Flits that still have their credits, on their way to terminals or waiting there: router, output virtual
    /// channel, how many.
    pub(in super::super) fn uncredited(
        &self,
        wiring: &Wiring,
    ) -> impl Iterator<Item = (u32, u32, u32)> + use<'_> {
        let (shift, vcs) = (wiring.shift, wiring.stride - 1);
        let waiting = (0..).zip(&self.buffers).map(|(place, packets)| {
            let waiting = packets.iter().filter(|coming| !coming.is_taken);
            (place, waiting.map(|coming| u32::from(coming.here)).sum())
        });
        let flying = self.flying.iter().map(|&place| (place, 1));
        let owed = (0..).zip(self.owed.iter().map(|&flits| u32::from(flits)));
        let some = waiting
            .chain(flying)
            .chain(owed)
            .filter(|&(_, flits)| flits > 0);
        some.map(move |(place, flits): (u32, u32)| {
            let End {
                router, first_out, ..
            } = self.ends[(place >> shift) as usize];
            (router, first_out + (place & vcs), flits)
        })
    }

    /// Where the packets of an output virtual channel go.
    pub(super) fn place(&self, wiring: &Wiring, router: u32, out: u32) -> Option<u32> {
        let port = wiring.routers[router].first_port + (out >> wiring.shift);
        let vc = out & (wiring.stride - 1);
        let terminal = self.terminal_behind(port)?;
        Some((terminal << wiring.shift) + vc)
    }

    /// Notes that a credit leaves now: when it arrives, at which router, for which output virtual channel.
    #[inline(always)]
    pub(super) fn credit(&mut self, wiring: &Wiring, place: u32, now: u64) -> (u64, u32, u32) {
        self.credited[place as usize] = now;
        let End {
            router,
            first_out,
            echo,
        } = self.ends[(place >> wiring.shift) as usize];
        let out = first_out + (place & (wiring.stride - 1));
        (now + u64::from(echo), router, out)
    }

    /// A message has been taken up.
    pub(super) fn taken_up(&mut self, terminal: u32, class: u8) {
        self.coming[terminal as usize * self.classes + usize::from(class)] -= 1;
    }
}
