//! Dead routers, terminals and links: applied to a network before anything else is built.

mod amount;
mod named;

pub use amount::Amount;
pub use named::{NamedFaults, Part};

use crate::ids::{ChannelId, RouterId, TerminalId};
use crate::network::{End, Network, UNCONNECTED};
use crate::random::{Purpose, Random};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use turnwise_config::diagnostic::{Invalid, nearest};

/// What has failed, listed or drawn at random from a seed.
// Parts are called by numbers here, and in studies by number or name (`NamedFaults`), of which field descriptions tell.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Faults", bound = "P: JsonSchema + Serialize")]
pub struct Faults<P = u32> {
    /// Dead links as pairs of routers, by number or name; both directions die. Between routers with several
    /// parallel links, each mention kills one of them.
    pub links: Vec<[P; 2]>,
    /// Dead routers, by number or name; their links and terminals die with them.
    pub routers: Vec<P>,
    /// Dead terminals, by number or name; their routers still forward what others send.
    pub terminals: Vec<P>,
    /// So many further links between routers, or such a share of them (`"5 %"`), drawn at random among
    /// those that live when all other faults have struck.
    pub random_links: Amount,
    /// So many further routers, or such a share of them (`"2 %"`), drawn at random among the living.
    pub random_routers: Amount,
    /// Seed of the random choices.
    pub seed: u64,
}

impl<P> Default for Faults<P> {
    fn default() -> Self {
        Self {
            links: Vec::new(),
            routers: Vec::new(),
            terminals: Vec::new(),
            random_links: Amount::default(),
            random_routers: Amount::default(),
            seed: 0,
        }
    }
}

impl<P> Faults<P> {
    /// Has anything failed at all?
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
            && self.routers.is_empty()
            && self.terminals.is_empty()
            && self.random_links.is_none()
            && self.random_routers.is_none()
    }
}

/// What can fail only once is listed only once: a repetition is a slip.
fn refuse_repetition(field: &str, numbers: &[u32]) -> Result<(), Invalid> {
    let mut seen = BTreeSet::new();
    match numbers.iter().position(|number| !seen.insert(number)) {
        Some(index) => {
            let message = format!("{} is listed twice", numbers[index]);
            Err(Invalid::new(format!("{field}[{index}]"), message).with_help("remove one of them"))
        }
        None => Ok(()),
    }
}

impl Network {
    /// The network that survives these faults.
    ///
    /// Routers, terminals and ports keep their numbers; dead ports become unconnected and
    /// channels are renumbered without gaps. O(channels + faults).
    ///
    /// # Errors
    /// A router or terminal that does not exist or is listed twice, a link that does not exist (or more mentions
    /// of it than parallel links), more random faults than there is left to fail.
    pub fn without(&self, faults: &Faults) -> Result<Self, Invalid> {
        refuse_repetition("routers", &faults.routers)?;
        refuse_repetition("terminals", &faults.terminals)?;
        let mut dead_routers = self.dead_routers.clone();
        let mut dead = vec![false; self.channels.len()];
        for (index, &router) in faults.routers.iter().enumerate() {
            let slot = dead_routers.get_mut(router as usize);
            *slot.ok_or_else(|| self.no_such_router(router, format!("routers[{index}]")))? = true;
        }
        let mut dead_terminals = self.dead_terminals.clone();
        for (index, &terminal) in faults.terminals.iter().enumerate() {
            let slot = dead_terminals.get_mut(terminal as usize);
            *slot.ok_or_else(|| self.no_such_terminal(terminal, index))? = true;
        }
        for (index, &[a, b]) in faults.links.iter().enumerate() {
            for (end, router) in [a, b].into_iter().enumerate() {
                if router as usize >= self.router_count() {
                    return Err(self.no_such_router(router, format!("links[{index}][{end}]")));
                }
            }
            let (a, b) = (RouterId(a), RouterId(b));
            let link = self
                .neighbours(a)
                .find(|n| n.router == b && !dead[n.channel.index()]);
            let link = link.ok_or_else(|| self.no_such_link(a, b, index))?;
            self.kill(link.channel, &mut dead);
        }
        self.draw_routers(faults, &mut dead_routers)?;
        for (terminal, router) in dead_terminals.iter_mut().zip(&self.terminal_routers) {
            *terminal |= dead_routers[router.index()];
        }
        self.kill_channels_of(&dead_routers, &dead_terminals, &mut dead);
        self.draw_links(faults, &mut dead)?;
        Ok(self.retain(dead_routers, dead_terminals, &dead))
    }

    /// The same network without these channels between routers, and without those that lead back. O(channels).
    #[must_use]
    pub fn without_channels(&self, are_dead: impl Fn(ChannelId) -> bool) -> Self {
        let mut dead = vec![false; self.channels.len()];
        let dying = self.channels().map(|(id, _)| id);
        dying
            .filter(|&id| are_dead(id))
            .for_each(|id| self.kill(id, &mut dead));
        self.retain(
            self.dead_routers.clone(),
            self.dead_terminals.clone(),
            &dead,
        )
    }

    fn no_such_router(&self, router: u32, field: String) -> Invalid {
        Invalid::new(field, format!("there is no router {router}")).with_help(format!(
            "routers are numbered 0 to {}",
            self.router_count() - 1
        ))
    }

    fn no_such_terminal(&self, terminal: u32, index: usize) -> Invalid {
        let help = match self.terminal_count().checked_sub(1) {
            Some(last) => format!("terminals are numbered 0 to {last}"),
            None => "this network has no terminals".into(),
        };
        let message = format!("there is no terminal {terminal}");
        Invalid::new(format!("terminals[{index}]"), message).with_help(help)
    }

    fn no_such_link(&self, a: RouterId, b: RouterId, index: usize) -> Invalid {
        let mut neighbours: Vec<u32> = self.neighbours(a).map(|n| n.router.0).collect();
        neighbours.dedup();
        let names: Vec<String> = neighbours.iter().take(12).map(u32::to_string).collect();
        let mut help = format!("router {a} is linked to {}", names.join(", "));
        // All parallel links to `b` itself may be mentioned already.
        let others = names
            .iter()
            .map(String::as_str)
            .filter(|name| *name != b.to_string());
        if let Some(near) = nearest(&b.to_string(), others) {
            help = format!("did you mean [{a}, {near}]? {help}");
        }
        Invalid::new(
            format!("links[{index}]"),
            format!("no (further) link joins routers {a} and {b}"),
        )
        .with_help(help)
    }

    fn kill(&self, channel: ChannelId, dead: &mut [bool]) {
        dead[channel.index()] = true;
        if let Some(back) = self.reverse(channel) {
            dead[back.index()] = true;
        }
    }

    fn draw_routers(&self, faults: &Faults, dead_routers: &mut [bool]) -> Result<(), Invalid> {
        let mut living: Vec<usize> = (0..dead_routers.len())
            .filter(|&router| !dead_routers[router])
            .collect();
        let dying = faults.random_routers.of(living.len());
        if dying > living.len() {
            let message = format!("only {} routers are left to fail", living.len());
            return Err(Invalid::new("random_routers", message));
        }
        Random::new(faults.seed, Purpose::Faults, 0, 0).shuffle(&mut living);
        for &router in living.iter().take(dying) {
            dead_routers[router] = true;
        }
        Ok(())
    }

    fn kill_channels_of(&self, dead_routers: &[bool], dead_terminals: &[bool], dead: &mut [bool]) {
        let is_dead = |end: End| match end {
            End::Router(router, _) => dead_routers[router.index()],
            End::Terminal(terminal) => dead_terminals[terminal.index()],
        };
        for (channel, dead) in self.channels.iter().zip(dead) {
            *dead |= is_dead(channel.source) || is_dead(channel.target);
        }
    }

    fn draw_links(&self, faults: &Faults, dead: &mut [bool]) -> Result<(), Invalid> {
        let living = self.links().filter(|&id| !dead[id.index()]);
        let mut living: Vec<ChannelId> = living.collect();
        let dying = faults.random_links.of(living.len());
        if dying > living.len() {
            let message = format!("only {} links are left to fail", living.len());
            return Err(Invalid::new("random_links", message));
        }
        Random::new(faults.seed, Purpose::Faults, 1, 0).shuffle(&mut living);
        for &link in living.iter().take(dying) {
            self.kill(link, dead);
        }
        Ok(())
    }

    /// Injection and ejection channels keep their ids relative to their terminal even when
    /// dead, so that ids stay computable; only their ports become unconnected.
    fn retain(&self, dead_routers: Vec<bool>, dead_terminals: Vec<bool>, dead: &[bool]) -> Self {
        let mut survivor = self.clone();
        (survivor.dead_routers, survivor.dead_terminals) = (dead_routers, dead_terminals);
        survivor.channels.clear();
        survivor.ports_out.fill(UNCONNECTED);
        survivor.ports_in.fill(UNCONNECTED);
        let slot = |router: RouterId, port: u16| {
            self.port_offsets[router.index()] as usize + port as usize
        };
        for (index, channel) in self.channels.iter().enumerate() {
            let terminal_channel = index >= self.network_channels;
            if index == self.network_channels {
                survivor.network_channels = survivor.channels.len();
            }
            if dead[index] && !terminal_channel {
                continue;
            }
            let id = survivor.channels.len() as u32;
            survivor.channels.push(*channel);
            if dead[index] {
                continue;
            }
            if let End::Router(router, port) = channel.source {
                survivor.ports_out[slot(router, port)] = id;
            }
            if let End::Router(router, port) = channel.target {
                survivor.ports_in[slot(router, port)] = id;
            }
        }
        if self.channels.len() == self.network_channels {
            survivor.network_channels = survivor.channels.len();
        }
        survivor.description = self.describe_losses(&survivor);
        survivor
    }

    /// `8x8 torus (1 router, 2 terminals and 8 channels dead)`: two networks with other faults
    /// read differently. Terminals that died with their router are not counted.
    fn describe_losses(&self, survivor: &Self) -> String {
        let routers = self.routers().filter(|&router| self.is_alive(router));
        let terminals = self.living_terminals();
        let losses = [
            (
                routers.filter(|&router| !survivor.is_alive(router)).count(),
                "router",
            ),
            (
                terminals
                    .filter(|&terminal| survivor.has_died_alone(terminal))
                    .count(),
                "terminal",
            ),
            (self.network_channels - survivor.network_channels, "channel"),
        ];
        let mut words: Vec<String> = losses
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }))
            .collect();
        let Some(last) = words.pop() else {
            return self.description.clone();
        };
        let losses = match words.is_empty() {
            true => last,
            false => format!("{} and {last}", words.join(", ")),
        };
        format!("{} ({losses} dead)", self.description)
    }

    /// Has this terminal failed although its router lives?
    pub(crate) fn has_died_alone(&self, terminal: TerminalId) -> bool {
        !self.is_terminal_alive(terminal) && self.is_alive(self.router_of(terminal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topologies::{self, Topology};

    fn torus(sizes: &[u32]) -> Network {
        topologies::Torus {
            sizes: sizes.to_vec(),
            ..Default::default()
        }
        .build(None)
        .unwrap()
    }

    #[test]
    fn a_listed_link_dies_in_both_directions_and_ids_stay_dense() {
        let healthy = torus(&[4, 4]);
        let survivor = healthy
            .without(&Faults {
                links: vec![[0, 1]],
                ..Faults::default()
            })
            .unwrap();
        assert_eq!(survivor.channel_count(), healthy.channel_count() - 2);
        assert!(
            survivor
                .neighbours(RouterId(0))
                .all(|n| n.router != RouterId(1))
        );
        assert!(
            survivor
                .neighbours(RouterId(1))
                .all(|n| n.router != RouterId(0))
        );
        for (id, channel) in survivor.channels() {
            let End::Router(router, port) = channel.source else {
                panic!("network channel")
            };
            assert_eq!(survivor.out_channel(router, port), Some(id));
        }
        for terminal in survivor.terminals() {
            let channel = survivor.channel(survivor.injection_channel(terminal));
            assert_eq!(channel.source, End::Terminal(terminal));
        }
    }

    #[test]
    fn a_dead_router_takes_its_links_and_terminals_along() {
        let survivor = torus(&[4, 4])
            .without(&Faults {
                routers: vec![5],
                ..Faults::default()
            })
            .unwrap();
        assert_eq!(survivor.channel_count(), 64 - 8);
        assert_eq!(
            survivor.description(),
            "4x4 torus (1 router and 8 channels dead)"
        );
        assert!(!survivor.is_alive(RouterId(5)));
        assert_eq!(survivor.living_terminals().count(), 15);
        assert_eq!(survivor.out_channel(RouterId(5), 0), None);
        assert_eq!(survivor.neighbours(RouterId(5)).count(), 0);
    }

    #[test]
    fn a_dead_terminal_leaves_its_router_alone() {
        let healthy = torus(&[4, 4]);
        let faults = Faults {
            routers: vec![6],
            terminals: vec![5, 6, 15],
            ..Faults::default()
        };
        let survivor = healthy.without(&faults).unwrap();
        assert_eq!(
            survivor.description(),
            "4x4 torus (1 router, 2 terminals and 8 channels dead)"
        );
        assert!(survivor.is_alive(RouterId(5)) && !survivor.is_terminal_alive(TerminalId(5)));
        assert_eq!(survivor.living_terminals().count(), 13);
        assert_eq!(survivor.living_terminals_of(RouterId(5)).count(), 0);
        assert_eq!(survivor.out_channel(RouterId(5), 0), None);
        assert_eq!(survivor.in_channel(RouterId(5), 0), None);
        assert_eq!(survivor.neighbours(RouterId(5)).count(), 3);
        let again = survivor.without(&faults).unwrap();
        assert_eq!(again.description(), survivor.description());
    }

    #[test]
    fn random_faults_are_reproducible_and_bounded() {
        let healthy = torus(&[4, 4]);
        let faults = Faults {
            random_links: 7.into(),
            random_routers: 2.into(),
            seed: 9,
            ..Faults::default()
        };
        let count = |seed| {
            let survivor = healthy
                .without(&Faults {
                    seed,
                    ..faults.clone()
                })
                .unwrap();
            survivor
                .channels()
                .map(|(_, channel)| channel.source)
                .collect::<Vec<_>>()
        };
        assert_eq!(count(9), count(9));
        assert_ne!(count(9), count(10));
        let too_many = Faults {
            random_links: 33.into(),
            ..Faults::default()
        };
        assert_eq!(
            healthy.without(&too_many).unwrap_err().place,
            "random_links"
        );
    }

    /// Without router 5 a torus has 28 of its 32 links, and 15 routers.
    #[test]
    fn shares_are_of_what_lives() {
        let healthy = torus(&[4, 4]);
        let dead = |links: &str, routers: &str| {
            let faults = Faults {
                routers: vec![5],
                random_links: links.parse().unwrap(),
                random_routers: routers.parse().unwrap(),
                ..Faults::default()
            };
            healthy.without(&faults).unwrap()
        };
        assert_eq!(dead("0 %", "0 %").channel_count(), 56);
        assert_eq!(dead("25 %", "0 %").channel_count(), 56 - 2 * 7);
        let survivor = dead("0 %", "0.25");
        let living = |router: &RouterId| survivor.is_alive(*router);
        assert_eq!(survivor.routers().filter(living).count(), 16 - 1 - 4);
        assert_eq!(dead("100 %", "0 %").channel_count(), 0);
    }

    #[test]
    fn unknown_links_routers_and_terminals_are_named() {
        let healthy = torus(&[4, 4]);
        let error = healthy
            .without(&Faults {
                links: vec![[0, 1], [0, 10]],
                ..Faults::default()
            })
            .unwrap_err();
        assert_eq!(error.place, "links[1]");
        let error = healthy
            .without(&Faults {
                routers: vec![16],
                ..Faults::default()
            })
            .unwrap_err();
        assert_eq!(error.place, "routers[0]");
        let error = healthy
            .without(&Faults {
                terminals: vec![15, 16],
                ..Faults::default()
            })
            .unwrap_err();
        assert_eq!(error.place, "terminals[1]");
        assert_eq!(error.help.unwrap(), "terminals are numbered 0 to 15");
    }
}
