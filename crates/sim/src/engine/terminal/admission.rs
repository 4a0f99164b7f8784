//! Terminals that may leave messages waiting in the network: buffers behind the ejection channels.
//!
//! Each virtual channel of an ejection channel has a buffer as deep as any other. The first packet in it is taken up when its
//! agent [takes](turnwise_network::Agent::takes) it; from then on its flits are credited as they come. Until then
//! they keep their places, so that what comes behind them waits, too, back into the network.
//!
//! What belongs to a packet that is being taken up will not be refused any more. The credits and the arrival are
//! booked as soon as that is known, mostly when the flits are sent, as for terminals that take all.

use super::super::domain::Domain;
use super::agents::Agents;
use super::reception::Reception;

impl<const ONE_WORD: bool, const PLAIN: bool> Domain<'_, ONE_WORD, PLAIN> {
    /// A packet has got the virtual channel with this place behind it, if a terminal that may refuse it is there.
    pub(in super::super) fn announce_to_terminal(&mut self, place: u32, slot: u32) {
        if let Some(reception) = reception_of(&mut self.agents) {
            reception.announce(place, slot, &self.state.packets);
        }
    }

    /// Heads come to terminals that may refuse them.
    pub(super) fn receive_refusable(&mut self) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        reception.received = self.now + 1;
        let Some(due) = reception.heads.take(self.now) else {
            return;
        };
        for &place in &due {
            self.admit_at(place);
        }
        if let Some(reception) = reception_of(&mut self.agents) {
            reception.heads.recycle(due);
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
        let buffer = &mut reception.buffers[place];
        let received = reception.received;
        if buffer.first_arrival().is_none_or(|at| at >= received) {
            return false;
        }
        let Some(coming) = buffer.packets.front_mut() else {
            return false;
        };
        let terminal = place >> self.wiring.shift;
        let (slot, class) = (coming.slot, self.state.packets.words(coming.slot).class);
        let count =
            &mut reception.coming[terminal as usize * reception.classes + usize::from(class)];
        let refused = &mut reception.refused[terminal as usize];
        if !agents.nodes.takes(terminal, class, *count) {
            *refused += u32::from(!std::mem::replace(&mut coming.is_refused, true));
            return false;
        }
        *refused -= u32::from(coming.is_refused);
        *count += 1;
        let owed = buffer.owes();
        let tail = buffer.take();
        buffer.credit(self.now, |at, router, out| {
            self.state.credit_later::<PLAIN>(self.now, at, router, out);
        });
        if buffer.owes() && !owed {
            reception.owing.push(place);
        }
        match tail {
            Some(arrives) if arrives >= received => {
                if let Some(agents) = &mut self.agents {
                    agents.expect(arrives, slot);
                }
            }
            Some(_) => {
                self.arrive(slot);
                self.admit_at(place);
            }
            None => {}
        }
        true
    }

    /// Lets the credits leave that are owed still.
    pub(super) fn give_owed_credits(&mut self) {
        let Some(reception) = reception_of(&mut self.agents) else {
            return;
        };
        let buffers = &mut reception.buffers;
        reception.owing.retain(|&place| {
            let buffer = &mut buffers[place];
            buffer.credit(self.now, |at, router, out| {
                self.state.credit_later::<PLAIN>(self.now, at, router, out);
            });
            buffer.owes()
        });
    }
}

fn reception_of(agents: &mut Option<Box<Agents>>) -> Option<&mut Reception> {
    agents.as_deref_mut()?.reception.as_deref_mut()
}
