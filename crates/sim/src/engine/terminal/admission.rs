//! Terminals that may leave messages waiting in the network: buffers behind the ejection channels.
//!
//! Each virtual channel of an ejection channel has a buffer as deep as any other. The first packet in it is taken up when its
//! agent [takes](turnwise_network::Agent::takes) it; from then on its flits are credited as they come. Until then
//! they keep their places, so that what comes behind them waits, too, back into the network.

use super::super::domain::Domain;
use super::agents::Agents;
use super::reception::{Coming, Reception};

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
