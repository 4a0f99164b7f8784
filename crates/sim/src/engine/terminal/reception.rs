//! Terminals that may leave messages waiting in the network: buffers behind the ejection channels.
//!
//! Each virtual channel of an ejection channel has a buffer as deep as any other. The first packet in it is taken up when its
//! agent [takes](turnwise_network::Agent::takes) it; from then on its flits are credited as they come. Until then
//! they keep their places, so that what comes behind them waits, too, back into the network.

use super::super::domain::Domain;
use super::super::wheel::Wheel;
use super::super::wiring::{NOWHERE, Wiring};
use super::closed::Agents;
use std::collections::VecDeque;
use turnwise_network::Network;

/// The buffers of all terminals.
pub(in super::super) struct Reception {
    classes: usize,
    /// By terminal and virtual channel, as injection credits are: packets whose heads have got the virtual channel.
    buffers: Vec<VecDeque<Coming>>,
    /// By terminal and class: messages that are being taken up.
    coming: Vec<u32>,
    /// Flits on their way to terminals, by the place of their buffer.
    flying: Wheel<u32>,
    /// By place: flits taken up whose credits have not left. A virtual channel gets one a cycle, so it matters when the
    /// last one left.
    owed: Vec<u16>,
    credited: Vec<u64>,
    /// The places where some are.
    owing: Vec<u32>,
    /// By terminal.
    ends: Vec<End>,
    /// By port: the terminal behind it, or [`NOWHERE`].
    behind: Vec<u32>,
    /// By terminal: packets that have come and are not being taken up, and the virtual channel that is asked for first
    /// next time.
    refused: Vec<u32>,
    turns: Vec<u32>,
}

/// A terminal's end of its ejection channel.
#[derive(Clone, Copy)]
struct End {
    router: u32,
    /// The first output virtual channel that leads to it.
    first_out: u32,
    /// Cycles that a credit takes to count at the router.
    echo: u32,
}

/// A packet on its way into a terminal.
#[derive(Clone, Copy)]
struct Coming {
    slot: u32,
    flits: u16,
    /// Flits that have come.
    here: u16,
    /// Is it being taken up? Then none of its flits keeps a place in the buffer.
    is_taken: bool,
    /// Has it been refused before?
    is_refused: bool,
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
    fn place(&self, wiring: &Wiring, router: u32, out: u32) -> Option<u32> {
        let port = wiring.routers[router].first_port + (out >> wiring.shift);
        let vc = out & (wiring.stride - 1);
        let terminal = self.terminal_behind(port)?;
        Some((terminal << wiring.shift) + vc)
    }

    /// Notes that a credit leaves now: when it arrives, at which router, for which output virtual channel.
    #[inline(always)]
    fn credit(&mut self, wiring: &Wiring, place: u32, now: u64) -> (u64, u32, u32) {
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

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// A packet has got a virtual channel that leads to its terminal.
    pub(in super::super) fn announce_to_terminal(&mut self, router: u32, out: u32, slot: u32) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        if let Some(place) = reception.place(self.wiring, router, out) {
            reception.buffers[place as usize].push_back(Coming {
                slot,
                flits: self.state.packets.get(slot).flits,
                here: 0,
                is_taken: false,
                is_refused: false,
            });
        }
    }

    /// A flit is on its way to its terminal. Is that one that may refuse it? Then it keeps its credit.
    pub(in super::super) fn send_to_terminal(
        &mut self,
        router: u32,
        out: u32,
        arrives: u64,
    ) -> bool {
        let Some(reception) = reception_of(&mut self.agents) else {
            return false;
        };
        if let Some(place) = reception.place(self.wiring, router, out) {
            reception.flying.push(arrives, place);
        }
        true
    }

    /// Flits come to terminals that may refuse them.
    pub(super) fn receive_refusable(&mut self) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        let Some(due) = reception.flying.take(self.now) else {
            return;
        };
        for &place in &due {
            self.receive_flit(place);
        }
        if let Some(reception) = reception_of(&mut self.agents) {
            reception.flying.recycle(due);
        }
    }

    fn receive_flit(&mut self, place: u32) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        // Flits come in order: this one belongs to the first packet that is not there in full.
        let packets = reception.buffers[place as usize].iter_mut();
        let Some((index, coming)) = packets
            .enumerate()
            .find(|(_, coming)| coming.here < coming.flits)
        else {
            return;
        };
        coming.here += 1;
        let Coming {
            is_taken,
            here,
            flits,
            ..
        } = *coming;
        if is_taken {
            self.credit_back(place, 1);
            if here == flits {
                self.take_up(place);
            }
        } else if index == 0 && here == 1 {
            self.admit_at(place);
        }
    }

    /// Asks a terminal's agent whether it takes what waits there, the virtual channels in turn.
    pub(super) fn admit(&mut self, terminal: u32) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        if reception.refused[terminal as usize] == 0 {
            return;
        }
        let vcs = self.wiring.stride;
        let first = reception.turns[terminal as usize];
        for vc in (first..first + vcs).map(|vc| vc % vcs) {
            if self.admit_at((terminal << self.wiring.shift) + vc)
                && let Some(reception) = reception_of(&mut self.agents)
            {
                reception.turns[terminal as usize] = vc + 1;
            }
        }
    }

    /// Asks whether the first packet of a buffer is taken, if it waits for that; is it?
    fn admit_at(&mut self, place: u32) -> bool {
        let Some(agents) = self.agents.as_deref_mut() else {
            return false;
        };
        let Some(reception) = agents.reception.as_deref_mut() else {
            return false;
        };
        let first = reception.buffers[place as usize].front_mut();
        let Some(coming) = first.filter(|coming| coming.here > 0 && !coming.is_taken) else {
            return false;
        };
        let terminal = place >> self.wiring.shift;
        let class = self.state.packets.words(coming.slot).class;
        let count =
            &mut reception.coming[terminal as usize * reception.classes + usize::from(class)];
        let refused = &mut reception.refused[terminal as usize];
        if !agents.nodes.takes(terminal, class, *count) {
            *refused += u32::from(!std::mem::replace(&mut coming.is_refused, true));
            return false;
        }
        *refused -= u32::from(coming.is_refused);
        *count += 1;
        coming.is_taken = true;
        let Coming { here, flits, .. } = *coming;
        self.credit_back(place, here);
        if here == flits {
            self.take_up(place);
        }
        true
    }

    /// The first packet of a buffer is taken up whole; the next one comes to the front.
    fn take_up(&mut self, place: u32) {
        let reception = reception_of(&mut self.agents);
        if let Some(coming) =
            reception.and_then(|reception| reception.buffers[place as usize].pop_front())
        {
            self.arrive(coming.slot);
            self.admit_at(place);
        }
    }

    /// So many flits have been taken up.
    #[inline]
    fn credit_back(&mut self, place: u32, mut flits: u16) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        let owed = reception.owed[place as usize];
        if owed == 0 && reception.credited[place as usize] != self.now {
            let end = reception.credit(self.wiring, place, self.now);
            self.credit_later(end.0, end.1, end.2);
            flits -= 1;
        }
        if flits > 0
            && let Some(reception) = reception_of(&mut self.agents)
        {
            reception.owed[place as usize] += flits;
            if owed == 0 {
                reception.owing.push(place);
            }
        }
    }

    /// Lets the credits of a cycle leave: one for every virtual channel that is owed any.
    pub(super) fn give_owed_credits(&mut self) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        if reception.owing.is_empty() {
            return;
        }
        let mut owing = std::mem::take(&mut reception.owing);
        owing.retain(|&place| {
            let Some(reception) = reception_of(&mut self.agents) else {
                return false;
            };
            if reception.credited[place as usize] == self.now {
                return true;
            }
            let owed = &mut reception.owed[place as usize];
            *owed -= 1;
            let more = *owed > 0;
            let (at, router, out) = reception.credit(self.wiring, place, self.now);
            self.credit_later(at, router, out);
            more
        });
        if let Some(reception) = reception_of(&mut self.agents) {
            reception.owing = owing;
        }
    }
}

fn reception_of(agents: &mut Option<Box<Agents>>) -> Option<&mut Reception> {
    agents.as_deref_mut()?.reception.as_deref_mut()
}
