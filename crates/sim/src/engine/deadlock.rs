//! Exact detection of deadlock among the buffers of a running network.
//!
//! A lane can go on if its flit can move now, if a credit or flit it may use is under way,
//! or if a lane it waits for can go on. Lanes outside the least set with these properties can
//! never move again: a knot of the wait-for graph (Warnakulasuriya and Pinkston, IPPS 1997).

use super::state::{OutVc, State};
use super::wiring::{NOWHERE, RoomRule, Wiring};
use crate::outcome::WaitingChannel;
use turnwise_network::{Network, RouterId, Vc};

/// A cycle of lanes that wait for each other for ever; empty if every lane can go on.
/// O(lanes x virtual channels).
pub(super) fn find(
    network: &Network,
    wiring: &Wiring,
    state: &State,
    rule: RoomRule,
) -> Vec<WaitingChannel> {
    let search = Search {
        wiring,
        state,
        rule,
    };
    let stuck = search.stuck();
    let Some(first) = stuck.iter().position(|&stuck| stuck) else {
        return Vec::new();
    };
    let mut visited = vec![usize::MAX; stuck.len()];
    let mut path = Vec::new();
    let mut lane = first as u32;
    while visited[lane as usize] == usize::MAX {
        visited[lane as usize] = path.len();
        path.push(lane);
        let next = search.awaited(lane).find(|&next| stuck[next as usize]);
        // A stuck lane always waits for another one, unless its packet fits no buffer at all.
        let Some(next) = next else { break };
        lane = next;
    }
    let begin = visited[lane as usize];
    path[begin..]
        .iter()
        .map(|&lane| search.name(network, lane))
        .collect()
}

struct Search<'a> {
    wiring: &'a Wiring,
    state: &'a State,
    rule: RoomRule,
}

impl Search<'_> {
    /// The lanes that can never move again.
    fn stuck(&self) -> Vec<bool> {
        let lanes = self.state.lanes.len();
        let mut credit_coming = vec![false; self.state.outs.len()];
        for credit in self.state.credits.iter() {
            credit_coming[credit.out() as usize] = true;
        }
        let mut flit_coming = vec![false; lanes];
        for arrival in self.state.arrivals.iter() {
            flit_coming[arrival.lane as usize] = true;
        }
        let mut moving: Vec<bool> = (0..lanes as u32)
            .map(|lane| self.moves_now(lane, &credit_coming) || flit_coming[lane as usize])
            .collect();
        let mut waiters = vec![Vec::new(); lanes];
        for lane in (0..lanes as u32).filter(|&lane| !moving[lane as usize]) {
            for awaited in self.awaited(lane) {
                waiters[awaited as usize].push(lane);
            }
        }
        let mut work: Vec<u32> = (0..lanes as u32)
            .filter(|&lane| moving[lane as usize])
            .collect();
        while let Some(lane) = work.pop() {
            for waiter in std::mem::take(&mut waiters[lane as usize]) {
                if !std::mem::replace(&mut moving[waiter as usize], true) {
                    work.push(waiter);
                }
            }
        }
        moving.into_iter().map(|moving| !moving).collect()
    }

    /// Output virtual channels that would let a lane go on.
    fn wanted(&self, lane: u32) -> impl Iterator<Item = u32> + use<'_> {
        let at = self.state.lanes[lane];
        let vcs = self.wiring.stride;
        let router = at.router;
        let first = (self.wiring.routers[router].first_port + u32::from(at.port)) * vcs;
        let set = if at.out == NOWHERE {
            (at.want >> (u32::from(at.port) * vcs % 64)) as u32
        } else {
            1 << (at.out - first)
        };
        (0..vcs)
            .filter(move |vc| set >> vc & 1 == 1)
            .map(move |vc| first + vc)
    }

    fn moves_now(&self, lane: u32, credit_coming: &[bool]) -> bool {
        let at = self.state.lanes[lane];
        let idle = at.len == 0 && at.out == NOWHERE;
        let unrouted = at.out == NOWHERE && at.want == 0;
        idle || unrouted
            || self
                .wanted(lane)
                .any(|out| credit_coming[out as usize] || self.has_room(lane, out))
    }

    fn has_room(&self, lane: u32, out: u32) -> bool {
        let at = self.state.lanes[lane];
        let out_vc = self.state.outs[out];
        // Whoever holds the channel needs one credit at a time; a head that may yet
        // take it needs what its flow control asks for. An ejection channel never fills for good.
        let ejects =
            self.wiring.downstream[(out / self.wiring.stride) as usize].first_lane == NOWHERE;
        let heads = at.out == NOWHERE && out_vc.owner == NOWHERE;
        let needed = match heads {
            true => {
                let flits = self.state.packets.get(at.slot).flits;
                self.rule.needed(self.wiring, lane, out, flits).max(1)
            }
            false => 1,
        };
        // A channel that waits for its last tail's credit takes nobody, whatever room it has.
        let drains = out_vc.owner == OutVc::DRAINING;
        ejects || !drains && u32::from(out_vc.credits) >= needed
    }

    /// The lanes downstream of the channels a lane waits for.
    fn awaited(&self, lane: u32) -> impl Iterator<Item = u32> + use<'_> {
        let vcs = self.wiring.stride;
        self.wanted(lane).filter_map(move |out| {
            let first = self.wiring.downstream[(out / vcs) as usize].first_lane;
            (first != NOWHERE).then_some(first + out % vcs)
        })
    }

    fn name(&self, network: &Network, lane: u32) -> WaitingChannel {
        let home = self.state.lanes[lane];
        let port = home.local / self.wiring.stride;
        let vc = (home.local % self.wiring.stride) as Vc;
        let channel = network.in_channel(RouterId(home.router), port as u16);
        // Every lane with a flit has a channel that brought it.
        WaitingChannel {
            channel: channel.unwrap_or_default(),
            vc,
        }
    }
}
