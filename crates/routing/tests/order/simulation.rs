//! What can happen while tables change step by step, tried out: every mixture of entries that packets can meet, one destination after the
//! other, and every pair of channels that one packet can hold and wait for. Shares no code with the search.

use rustc_hash::{FxHashMap, FxHashSet};
use turnwise_network::{ChannelId, End, Forwards, Network, Port, RouterId, TerminalId};
use turnwise_routing::subnet::order::{LevelChange, Order, Step};

type Entries = FxHashMap<(RouterId, TerminalId), Option<Port>>;
type Held = (ChannelId, u8);

/// Tables in the middle of a change.
pub(crate) struct Subnet<'a> {
    network: &'a Network,
    tables: [&'a dyn Forwards; 2],
    entries: Entries,
}

/// A step in which no entry changes, as when service levels do.
const NOTHING: Step = Step {
    entries: Vec::new(),
    are_emptied: false,
};

/// How a packet's journey ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Arrives,
    Lost,
    Circles,
}

/// Goes through all steps of an order.
///
/// # Errors
/// What happens on the way that must not.
pub(crate) fn go_through(
    network: &Network,
    tables: [&dyn Forwards; 2],
    order: &Order,
) -> Result<(), String> {
    let mut entries = Entries::default();
    for at in network.routers() {
        for to in network.living_terminals() {
            entries.insert((at, to), tables[0].entry(at, to));
        }
    }
    let mut subnet = Subnet {
        network,
        tables,
        entries,
    };
    for (number, step) in order.steps.iter().enumerate() {
        match order.levels {
            LevelChange::AnyTime => subnet.change(step, &[0, 1])?,
            LevelChange::After(steps) => {
                if steps == number {
                    subnet.change(&NOTHING, &[0, 1])?;
                }
                subnet.change(step, &[usize::from(number >= steps)])?;
            }
        }
    }
    if [LevelChange::AnyTime, LevelChange::After(order.steps.len())].contains(&order.levels) {
        subnet.change(&NOTHING, &[0, 1])?;
    }
    for (&(at, to), &port) in &subnet.entries {
        let leads = |port: Option<Port>| port.and_then(|port| network.out_channel(at, port));
        if leads(port) != leads(tables[1].entry(at, to)) {
            return Err(format!(
                "the entry of {at} to {to} is not the new one in the end"
            ));
        }
    }
    Ok(())
}

impl Subnet<'_> {
    /// Changes entries in any order, while packets set out at the levels of these tables.
    fn change(&mut self, step: &Step, levels: &[usize]) -> Result<(), String> {
        let new = |&(at, to): &(RouterId, TerminalId)| match step.are_emptied {
            true => None,
            false => self.tables[1].entry(at, to),
        };
        let changing: Entries = step
            .entries
            .iter()
            .map(|entry| (*entry, new(entry)))
            .collect();
        assert_eq!(changing.len(), step.entries.len(), "an entry changes twice");
        let mut waits: FxHashSet<(Held, Held)> = FxHashSet::default();
        for to in self.network.living_terminals() {
            let nothing = Entries::default();
            for from in self.network.living_terminals().filter(|&from| from != to) {
                let at = self.network.router_of(from);
                let alone = self.ends(at, to, &nothing, &mut Vec::new());
                let mixed = self.ends(at, to, &changing, &mut Vec::new());
                if mixed.contains(&Ending::Circles) {
                    return Err(format!("{from} to {to} goes in circles"));
                }
                if mixed.contains(&Ending::Lost) && !alone.contains(&Ending::Lost) {
                    return Err(format!("{from} to {to} is lost"));
                }
                for &tables in levels {
                    let level = self.tables[tables].service_level(from, to);
                    let lane = self.tables[tables].lane(level);
                    self.wait(None, at, (to, lane), &changing, &mut waits);
                }
            }
        }
        if !is_free_of_circles(&waits) {
            return Err("packets wait in a circle".into());
        }
        self.entries.extend(changing);
        Ok(())
    }

    /// The ports a packet may be sent to at a router.
    fn ports(&self, at: RouterId, to: TerminalId, changing: &Entries) -> Vec<Option<Port>> {
        let mut ports = vec![self.entries[&(at, to)]];
        ports.extend(changing.get(&(at, to)));
        ports
    }

    /// Every way in which a packet's journey from here can end.
    fn ends(
        &self,
        at: RouterId,
        to: TerminalId,
        changing: &Entries,
        way: &mut Vec<RouterId>,
    ) -> Vec<Ending> {
        if way.contains(&at) {
            return vec![Ending::Circles];
        }
        way.push(at);
        let mut ends = Vec::new();
        for port in self.ports(at, to, changing) {
            let channel = port.and_then(|port| self.network.out_channel(at, port));
            match channel.map(|channel| self.network.channel(channel).target) {
                Some(End::Router(next, _)) => ends.extend(self.ends(next, to, changing, way)),
                Some(End::Terminal(terminal)) if terminal == to => ends.push(Ending::Arrives),
                _ => ends.push(Ending::Lost),
            }
        }
        way.pop();
        ends.dedup();
        ends
    }

    /// Notes what a packet on a lane waits for that holds a channel, from a router on.
    fn wait(
        &self,
        holding: Option<ChannelId>,
        at: RouterId,
        (to, lane): (TerminalId, u8),
        changing: &Entries,
        waits: &mut FxHashSet<(Held, Held)>,
    ) {
        for port in self.ports(at, to, changing) {
            let Some(channel) = port.and_then(|port| self.network.out_channel(at, port)) else {
                continue;
            };
            if let End::Router(next, _) = self.network.channel(channel).target {
                if let Some(holding) = holding {
                    waits.insert(((holding, lane), (channel, lane)));
                }
                self.wait(Some(channel), next, (to, lane), changing, waits);
            }
        }
    }
}

/// Can everything be taken away, again and again what nothing waits for?
fn is_free_of_circles(waits: &FxHashSet<(Held, Held)>) -> bool {
    let mut after: FxHashMap<Held, Vec<Held>> = FxHashMap::default();
    let mut before: FxHashMap<Held, usize> = FxHashMap::default();
    for &(one, other) in waits {
        after.entry(one).or_default().push(other);
        before.entry(one).or_default();
        *before.entry(other).or_default() += 1;
    }
    let free = before.iter().filter(|&(_, &count)| count == 0);
    let mut free: Vec<Held> = free.map(|(&held, _)| held).collect();
    let mut taken = 0;
    while let Some(held) = free.pop() {
        taken += 1;
        for next in after.remove(&held).into_iter().flatten() {
            let count = before.get_mut(&next).expect("every one is counted");
            *count -= 1;
            if *count == 0 {
                free.push(next);
            }
        }
    }
    taken == before.len()
}
