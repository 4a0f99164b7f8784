//! Exact detection of deadlock among the buffers of a running network.
//!
//! A lane can go on if its flit can move now, if a credit or flit it may use is under way,
//! or if a lane it waits for can go on. A head that asks again waits for all it may ever choose; what a terminal refuses waits for all
//! lanes by which the terminal may send something. Lanes outside the least set with these properties can
//! never move again, nor can what waits for them in output queues: a knot of the wait-for graph (Warnakulasuriya and Pinkston, IPPS 1997).

use super::block::{Lane, OutVc};
use super::domain::Domain;
use super::terminal::Unsent;
use super::wiring::{NOWHERE, RoomRule, Wiring};
use crate::outcome::WaitingChannel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use turnwise_network::{Network, RouterId, TerminalId, Vc, VcSet};

/// A lane that cannot go on now, and the lanes it waits for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Waiter {
    lane: u32,
    awaited: Vec<u32>,
}

/// The lanes of these domains that cannot go on now. O(lanes x virtual channels).
pub(super) fn waiters<const ONE_WORD: bool, const PLAIN: bool>(
    domains: &[Domain<'_, ONE_WORD, PLAIN>],
) -> Vec<Waiter> {
    let search = Search {
        wiring: domains[0].wiring,
        domains,
        rule: domains[0].room_rule(),
    };
    search.waiters()
}

/// A cycle of lanes that wait for each other for ever, among all that cannot go on now; empty if every lane
/// can go on some day. O(awaited lanes x log of the lanes that wait).
pub(super) fn find(
    network: &Network,
    wiring: &Wiring,
    waiters: impl IntoIterator<Item = Waiter>,
) -> Vec<WaitingChannel> {
    let waiters = waiters.into_iter();
    let mut stuck: BTreeMap<u32, Vec<u32>> = waiters
        .map(|waiter| (waiter.lane, waiter.awaited))
        .collect();
    let mut waits_for: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut going = Vec::new();
    for (&lane, awaited) in &stuck {
        for &awaited in awaited {
            match stuck.contains_key(&awaited) {
                true => waits_for.entry(awaited).or_default().push(lane),
                false => going.push(lane),
            }
        }
    }
    while let Some(lane) = going.pop() {
        if stuck.remove(&lane).is_some() {
            going.extend(waits_for.remove(&lane).unwrap_or_default());
        }
    }
    let Some((&first, _)) = stuck.first_key_value() else {
        return Vec::new();
    };
    let (mut visited, mut path, mut lane) = (BTreeMap::new(), Vec::new(), first);
    while !visited.contains_key(&lane) {
        visited.insert(lane, path.len());
        path.push(lane);
        let mut awaited = stuck[&lane].iter();
        // A stuck lane always waits for another one, unless its packet fits no buffer at all.
        let Some(&next) = awaited.find(|&next| stuck.contains_key(next)) else {
            break;
        };
        lane = next;
    }
    let cycle = path[visited[&lane]..].iter();
    cycle.map(|&lane| name(network, wiring, lane)).collect()
}

/// The virtual channel that leads into a lane.
fn name(network: &Network, wiring: &Wiring, lane: u32) -> WaitingChannel {
    let (router, local) = wiring.place(lane);
    let port = local / wiring.stride;
    let vc = (local % wiring.stride) as Vc;
    let channel = network.in_channel(RouterId(router), port as u16);
    // Every lane with a flit has a channel that brought it.
    WaitingChannel {
        channel: channel.unwrap_or_default(),
        vc,
    }
}

struct Search<'a, 's, const ONE_WORD: bool, const PLAIN: bool> {
    wiring: &'a Wiring,
    domains: &'a [Domain<'s, ONE_WORD, PLAIN>],
    rule: RoomRule,
}

impl<'a, 's, const ONE_WORD: bool, const PLAIN: bool> Search<'a, 's, ONE_WORD, PLAIN> {
    /// The domain that simulates a lane, its router and the lane's number there.
    fn place(&self, lane: u32) -> (&'a Domain<'s, ONE_WORD, PLAIN>, u32, u32) {
        let (router, local) = self.wiring.place(lane);
        let first = &self.domains[0];
        let owner = first.partition.owner[router as usize];
        let domain = &self.domains[usize::from(owner - first.number)];
        (domain, router, local)
    }

    fn lane(&self, lane: u32) -> &Lane {
        let (domain, router, local) = self.place(lane);
        domain.state.storage.lane(router, local)
    }

    fn out(&self, out: u32) -> &OutVc {
        let (domain, router, local) = self.place(out);
        domain.state.storage.out(router, local)
    }

    /// The number of a router's lane among all.
    fn number(&self, router: u32, local: u32) -> u32 {
        self.wiring.routers[router].first_lane + local
    }

    /// The terminal behind an output virtual channel, if it may refuse what comes.
    fn refusing(&self, out: u32) -> Option<u32> {
        let (domain, router, local) = self.place(out);
        domain.agents.as_ref()?.reception.as_ref()?;
        let behind = domain
            .state
            .storage
            .port(router, local >> self.wiring.shift);
        let is_terminal = behind.next_router == NOWHERE && behind.next_lane != NOWHERE;
        is_terminal.then_some(behind.next_lane >> self.wiring.shift)
    }

    /// A terminal's domain, and the first lane of its injection channel.
    fn place_of(&self, terminal: u32) -> (&'a Domain<'s, ONE_WORD, PLAIN>, u32) {
        let behind = self.wiring.downstream[(self.wiring.ports + terminal) as usize];
        (self.place(behind.first_lane).0, behind.first_lane)
    }

    /// Where a terminal waits to send something, lanes of its injection channel, and whether it can now. Until
    /// something has left, it may refuse what comes.
    fn unsent(&self, terminal: u32) -> Vec<(u32, bool)> {
        let (domain, first_lane) = self.place_of(terminal);
        let agents = domain.agents.iter();
        let unsent = agents.flat_map(|agents| agents.outlets.unsent(terminal));
        let lanes = unsent.flat_map(|unsent| {
            let (vcs, free, needed) = match unsent {
                Unsent::UnderWay(vc) => (VcSet::one(vc), u32::MAX, 1),
                Unsent::Waiting { message, free } => {
                    let mut starts = Vec::new();
                    let (source, to) = (TerminalId(terminal), message.destination);
                    let routing = domain.setup.routing;
                    routing.starts(source, to, message.class, &mut starts);
                    let all = starts.iter().fold(0, |all, start| all | start.vcs.0);
                    (VcSet(all), free, domain.needed_to_start(message.flits))
                }
            };
            let lanes = VcSet(vcs.0 & domain.all_vcs).iter().map(|vc| {
                let vc = u32::from(vc);
                let credits = domain.state.injection_credits[(terminal << self.wiring.shift) + vc];
                (first_lane + vc, free >> vc & 1 == 1 && credits >= needed)
            });
            lanes.collect::<Vec<_>>()
        });
        lanes.collect()
    }

    /// Will a terminal be told something, or send something, whatever becomes of what waits?
    fn terminal_moves_now(&self, terminal: u32) -> bool {
        let (domain, _) = self.place_of(terminal);
        let shift = self.wiring.shift;
        let agents = domain.agents.as_ref();
        let mut credits = domain.state.terminal_credits.iter();
        agents.is_some_and(|agents| agents.is_awaited(terminal, shift, &domain.state.packets))
            || credits.any(|&credit| credit >> shift == terminal)
            || self.unsent(terminal).iter().any(|&(_, now)| now)
    }

    /// The lanes that cannot go on now.
    fn waiters(&self) -> Vec<Waiter> {
        let lanes = self.wiring.lanes();
        let (mut credit_coming, mut flit_coming) = (vec![false; lanes], vec![false; lanes]);
        for domain in self.domains {
            for &(router, local) in domain.state.further_credits.iter() {
                credit_coming[self.number(router, local) as usize] = true;
            }
            for &(router, lane) in domain.state.late_flits.iter() {
                flit_coming[self.number(router, lane) as usize] = true;
            }
            for (router, first, flits, credits) in domain.state.timeline.iter() {
                let first = self.number(router, first) as usize;
                for bit in 0..64 {
                    if flits >> bit & 1 == 1 {
                        flit_coming[first + bit] = true;
                    }
                    if credits >> bit & 1 == 1 {
                        credit_coming[first + bit] = true;
                    }
                }
            }
        }
        let own = self.domains.iter().flat_map(|domain| {
            let routers = domain.extent.routers.clone();
            routers.filter(|&router| domain.is_mine(router))
        });
        let lanes = own.flat_map(|router| {
            let at = self.wiring.routers[router];
            at.first_lane..at.first_lane + at.lanes
        });
        lanes
            .filter(|&lane| !flit_coming[lane as usize] && !self.moves_now(lane, &credit_coming))
            .map(|lane| Waiter {
                lane,
                awaited: self.awaited(lane).collect(),
            })
            .collect()
    }

    /// Output virtual channels that would let a lane go on.
    fn wanted(&self, lane: u32) -> impl Iterator<Item = u32> + use<'_, 'a, 's, ONE_WORD, PLAIN> {
        let vcs = self.wiring.stride;
        let (domain, router, local) = self.place(lane);
        let at = domain.state.storage.lane(router, local);
        let first = u32::from(at.port) * vcs;
        let set = match at.out {
            NOWHERE => (at.want >> (first % 64)) as u32,
            out => 1 << (out - first),
        };
        let first = self.number(router, first);
        (0..vcs)
            .filter(move |vc| set >> vc & 1 == 1)
            .map(move |vc| first + vc)
            .chain(self.may_choose(lane))
    }

    /// The output virtual channels of everything that a head may still do which asks again.
    fn may_choose(&self, lane: u32) -> Vec<u32> {
        let (domain, router, local) = self.place(lane);
        let at = domain.state.storage.lane(router, local);
        if !at.asks_again() || at.out != NOWHERE {
            return Vec::new();
        }
        let mut options = Vec::new();
        let routing = domain.setup.routing;
        routing.options(RouterId(router), at.asked, &mut options);
        let channels = options.iter().flat_map(|hop| {
            let first = self.number(router, u32::from(hop.port) * self.wiring.stride);
            let vcs = VcSet(hop.vcs.0 & domain.all_vcs);
            vcs.iter()
                .map(move |vc| first + u32::from(vc))
                .collect::<Vec<_>>()
        });
        channels.collect()
    }

    fn moves_now(&self, lane: u32, credit_coming: &[bool]) -> bool {
        let (domain, router, local) = self.place(lane);
        let masks = domain.state.storage.masks(router, local / 64);
        let is = |mask: u64| mask >> (local % 64) & 1 == 1;
        let waits_for_flits = !is(masks.flits) && self.lane(lane).out == NOWHERE;
        waits_for_flits
            || is(masks.next)
            || self
                .wanted(lane)
                .any(|out| credit_coming[out as usize] || self.has_room(lane, out))
    }

    fn has_room(&self, lane: u32, out: u32) -> bool {
        let (at, out_vc) = (self.lane(lane), self.out(out));
        // The lane that holds the channel needs one credit at a time. A head that may still
        // take it needs what flow control requires. An ejection channel is always emptied, unless its terminal
        // refuses what comes until it has sent something.
        let ejects =
            self.wiring.downstream[(out / self.wiring.stride) as usize].first_lane == NOWHERE;
        let heads = at.out == NOWHERE && out_vc.owner == NOWHERE;
        let needed = match heads {
            true => {
                let flits = self.place(lane).0.state.packets.get(at.slot).flits;
                self.rule.needed(self.wiring, lane, out, flits)
            }
            false => 0,
        };
        let (domain, router, local) = self.place(out);
        let is_held = out_vc.owner != NOWHERE && out_vc.owner != OutVc::DRAINING;
        if domain.model.whole_packets && is_held {
            // Some room is not enough for a holder whose head has not crossed, nor for who waits until it has.
            let drains = domain.queues_outputs() && domain.state.outputs.flows(out, out_vc.credits);
            return match self.refusing(out) {
                Some(terminal) if self.terminal_moves_now(terminal) => true,
                None if ejects => true,
                _ => drains || domain.admits_holder(router, local),
            };
        }
        // An output queue with room takes a flit, and one with a credit will have room.
        let queues = &domain.state.outputs;
        let flows = out_vc.credits > 0 || domain.queues_outputs() && queues.has_room(out);
        // A channel that waits for its last tail's credit takes no packet, whatever room it has.
        let drains = out_vc.owner == OutVc::DRAINING;
        match self.refusing(out) {
            Some(terminal) if self.terminal_moves_now(terminal) => true,
            None if ejects => true,
            _ => !drains && flows && domain.room(router, local) >= needed,
        }
    }

    /// The lanes downstream of the channels a lane waits for.
    fn awaited(&self, lane: u32) -> impl Iterator<Item = u32> + use<'_, 'a, 's, ONE_WORD, PLAIN> {
        let vcs = self.wiring.stride;
        self.wanted(lane).flat_map(move |out| {
            let first = self.wiring.downstream[(out / vcs) as usize].first_lane;
            let next = (first != NOWHERE).then(|| first + out % vcs);
            let refusing = self.refusing(out);
            let unsent = refusing.map_or_else(Vec::new, |terminal| self.unsent(terminal));
            next.into_iter()
                .chain(unsent.into_iter().map(|(lane, _)| lane))
        })
    }
}
