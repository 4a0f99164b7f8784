//! Terminals in blocks (groups, routers, or all together), and drawing from a block.

use crate::choice::Choice;
use crate::pattern::{Context, Pattern, unfit};
use schemars::JsonSchema;
use serde::Deserialize;
use turnwise_network::random::Random;
use turnwise_network::{Invalid, Network, TerminalId};

/// All terminals, sorted by block; living ones can be drawn at random.
pub(crate) struct Blocks {
    block_of: Vec<u32>,
    /// A terminal's index in its block.
    ranks: Vec<u32>,
    all: Lists,
    /// A terminal's index among the living of its block; `DEAD` if it is not one of them.
    living_ranks: Vec<u32>,
    living: Lists,
}

const DEAD: u32 = u32::MAX;

/// Lists of terminals in one flat array.
struct Lists {
    offsets: Vec<u32>,
    terminals: Vec<TerminalId>,
}

impl Lists {
    fn get(&self, list: u32) -> &[TerminalId] {
        let list = list as usize;
        &self.terminals[self.offsets[list] as usize..self.offsets[list + 1] as usize]
    }

    /// The terminals that `keep` wants, by block, and everyone's index in their list.
    fn new(block_of: &[u32], blocks: u32, keep: impl Fn(TerminalId) -> bool) -> (Self, Vec<u32>) {
        let mut ranks = vec![DEAD; block_of.len()];
        let mut offsets = vec![0; blocks as usize + 1];
        let kept = |index: &usize| keep(TerminalId::from(*index));
        for index in (0..block_of.len()).filter(kept) {
            let count = &mut offsets[block_of[index] as usize + 1];
            ranks[index] = *count;
            *count += 1;
        }
        for block in 1..offsets.len() {
            offsets[block] += offsets[block - 1];
        }
        let mut terminals = vec![TerminalId(0); ranks.iter().filter(|&&rank| rank != DEAD).count()];
        for index in (0..block_of.len()).filter(kept) {
            let place = offsets[block_of[index] as usize] + ranks[index];
            terminals[place as usize] = TerminalId::from(index);
        }
        (Self { offsets, terminals }, ranks)
    }
}

impl Blocks {
    fn new(network: &Network, blocks: u32, block_of: impl Fn(TerminalId) -> u32) -> Self {
        let block_of: Vec<u32> = network.terminals().map(block_of).collect();
        let (all, ranks) = Lists::new(&block_of, blocks, |_| true);
        let (living, living_ranks) = Lists::new(&block_of, blocks, |terminal| {
            network.is_terminal_alive(terminal)
        });
        Self {
            block_of,
            ranks,
            all,
            living_ranks,
            living,
        }
    }

    /// One block with everybody in it.
    pub(crate) fn whole(network: &Network) -> Self {
        Self::new(network, 1, |_| 0)
    }

    /// The lower and the upper half of the terminals.
    pub(crate) fn halves(network: &Network) -> Self {
        let middle = network.terminal_count() as u32 / 2;
        Self::new(network, 2, |terminal| u32::from(terminal.0 >= middle))
    }

    /// A block for each router.
    pub(crate) fn routers(network: &Network) -> Self {
        Self::new(network, network.router_count() as u32, |terminal| {
            network.router_of(terminal).0
        })
    }

    /// A block for each group; at least two.
    pub(crate) fn groups(name: &str, network: &Network) -> Result<Self, Invalid> {
        Self::of_groups(name, network, 2, "a network with at least two groups")
    }

    /// A block for each group, also if there is one.
    pub(crate) fn any_groups(name: &str, network: &Network) -> Result<Self, Invalid> {
        Self::of_groups(name, network, 1, "a network with groups")
    }

    fn of_groups(name: &str, network: &Network, least: u32, needs: &str) -> Result<Self, Invalid> {
        let help = "dragonfly and megafly networks have groups; on others `shift`, `tornado` or a `matrix` load channels unevenly";
        let group = |terminal| network.shape().group(network.router_of(terminal));
        let groups = network
            .terminals()
            .map(group)
            .max()
            .flatten()
            .map_or(0, |last| last + 1);
        if groups < least {
            return Err(unfit(name, needs, network, help));
        }
        Ok(Self::new(network, groups, |terminal| {
            group(terminal).unwrap_or(0)
        }))
    }

    pub(crate) fn count(&self) -> u32 {
        self.all.offsets.len() as u32 - 1
    }

    #[inline]
    pub(crate) fn block(&self, terminal: TerminalId) -> u32 {
        self.block_of[terminal.index()]
    }

    #[inline]
    pub(crate) fn is_alive(&self, terminal: TerminalId) -> bool {
        self.living_ranks[terminal.index()] != DEAD
    }

    /// The living terminals of a block in ascending order.
    #[inline]
    pub(crate) fn living(&self, block: u32) -> &[TerminalId] {
        self.living.get(block)
    }

    /// Any living terminal of a block, but the source only if it may send to itself. Nobody
    /// if there is none, and if the source is dead.
    #[inline]
    pub(crate) fn choice(&self, block: u32, source: TerminalId, send_to_self: bool) -> Choice<'_> {
        if !self.is_alive(source) {
            return Choice::Nobody;
        }
        let excluded = block == self.block(source) && !send_to_self;
        let rank = self.living_ranks[source.index()];
        Choice::any_of(self.living(block), excluded.then_some(rank))
    }

    /// One of them, each with the same probability.
    #[inline]
    pub(crate) fn draw(
        &self,
        block: u32,
        source: TerminalId,
        send_to_self: bool,
        rng: &mut Random,
    ) -> Option<TerminalId> {
        self.choice(block, source, send_to_self).draw(rng)
    }

    /// The living terminal with this index in a block.
    #[inline]
    fn at(&self, block: u32, rank: u32) -> Option<TerminalId> {
        let terminal = self.all.get(block).get(rank as usize).copied();
        terminal.filter(|&terminal| self.is_alive(terminal))
    }
}

/// Which terminal of the attacked block receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DestinationMode {
    /// Any of them, packet by packet.
    Random,
    /// The one with the sender's own index.
    Peer,
    /// The one with the sender's index counted from the end.
    Complement,
}

/// Every block attacks one block.
pub(crate) struct Attack {
    pub(crate) blocks: Blocks,
    /// Whom each block attacks.
    pub(crate) targets: Vec<u32>,
    pub(crate) mode: DestinationMode,
    pub(crate) send_to_self: bool,
}

impl Attack {
    /// Block `b` attacks block `target(b)`.
    pub(crate) fn new(
        blocks: Blocks,
        target: impl Fn(u32) -> u32,
        mode: DestinationMode,
        context: &Context,
    ) -> Self {
        let targets = (0..blocks.count()).map(target).collect();
        Self {
            blocks,
            targets,
            mode,
            send_to_self: context.send_to_self,
        }
    }
}

impl Attack {
    fn on(&self, source: TerminalId) -> Choice<'_> {
        let blocks = &self.blocks;
        let target = self.targets[blocks.block(source) as usize];
        let rank = blocks.ranks[source.index()];
        let peer = match self.mode {
            DestinationMode::Random => return blocks.choice(target, source, self.send_to_self),
            DestinationMode::Peer => blocks.at(target, rank),
            DestinationMode::Complement => (blocks.all.get(target).len() as u32)
                .checked_sub(rank + 1)
                .and_then(|rank| blocks.at(target, rank)),
        };
        let allowed = |peer| blocks.is_alive(source) && (self.send_to_self || peer != source);
        Choice::only(peer.filter(|&peer| allowed(peer)))
    }
}

impl Pattern for Attack {
    fn destination(&self, source: TerminalId, rng: &mut Random) -> Option<TerminalId> {
        self.on(source).draw(rng)
    }

    fn choice(&self, source: TerminalId) -> Option<Choice<'_>> {
        Some(self.on(source))
    }
}

/// `offset` blocks further on, around the end; refuses offsets that lead nowhere.
pub(crate) fn shifted(offset: i64, blocks: u32) -> Result<impl Fn(u32) -> u32, Invalid> {
    let step = offset.rem_euclid(i64::from(blocks)) as u32;
    if step == 0 {
        let message = format!(
            "an offset of {offset} among {blocks} groups leaves packets in their own group"
        );
        let help = format!("take an offset from 1 to {}", blocks - 1);
        return Err(Invalid::new("offset", message).with_help(help));
    }
    Ok(move |block| ((u64::from(block) + u64::from(step)) % u64::from(blocks)) as u32)
}
