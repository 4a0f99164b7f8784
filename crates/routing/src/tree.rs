//! A fat tree as routing sees it: who is above whom, and by which port.

use std::ops::Range;
use std::sync::Arc;
use turnwise_network::shape::FatTree;
use turnwise_network::{Network, Port, RouterId, TerminalId};

/// Flat arrays by level and terminal: six bytes each.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) network: Arc<Network>,
    terminals: usize,
    levels: Vec<u8>,
    /// By router, what all terminals below it have in common.
    subtrees: Vec<u32>,
    /// By level and terminal, the same of the switches above the terminal.
    ancestors: Vec<u32>,
    /// By level and terminal, the port downwards.
    down: Vec<Port>,
    /// By level, the ports upwards.
    up: Vec<Range<Port>>,
    /// Do all switches and channels live?
    pub(crate) complete: bool,
}

impl Tree {
    pub(crate) fn new(network: &Arc<Network>, shape: &FatTree) -> Self {
        let terminals = network.terminal_count();
        let (mut ancestors, mut down, mut up) = (Vec::new(), Vec::new(), Vec::new());
        let mut below = 1;
        for level in 1..=shape.height() {
            let children = shape.down_ports(level);
            down.extend(
                (0..terminals as u32).map(|terminal| (terminal / below % children) as Port),
            );
            below *= children;
            ancestors.extend((0..terminals as u32).map(|terminal| terminal / below));
            up.push(children as Port..(children + shape.up_ports(level)) as Port);
        }
        let place = |router: RouterId| {
            let (level, index) = shape.level_and_index(router.0);
            let label = shape.label(level, index);
            let digits = (level..shape.height()).rev();
            let subtree = digits.fold(0, |subtree, digit| subtree * shape.m[digit] + label[digit]);
            (level as u8, subtree)
        };
        let (levels, subtrees) = network.routers().map(place).unzip();
        let alive = network.routers().all(|router| network.is_alive(router));
        let complete = alive && network.unconnected_ports().next().is_none();
        Self {
            network: network.clone(),
            terminals,
            levels,
            subtrees,
            ancestors,
            down,
            up,
            complete,
        }
    }

    /// A switch's level, counted from 0 at the leaves.
    #[inline]
    pub(crate) fn level(&self, router: RouterId) -> usize {
        usize::from(self.levels[router.index()] - 1)
    }

    /// Can a packet go down from here to this terminal?
    #[inline]
    pub(crate) fn is_above(&self, router: RouterId, terminal: TerminalId) -> bool {
        self.ancestors[self.entry(self.level(router), terminal)] == self.subtrees[router.index()]
    }

    /// The port downwards to this terminal, from a switch above it.
    #[inline]
    pub(crate) fn down_port(&self, router: RouterId, terminal: TerminalId) -> Port {
        self.down[self.entry(self.level(router), terminal)]
    }

    /// The ports upwards.
    #[inline]
    pub(crate) fn up_ports(&self, router: RouterId) -> Range<Port> {
        self.up[self.level(router)].clone()
    }

    #[inline]
    pub(crate) fn entry(&self, level: usize, terminal: TerminalId) -> usize {
        level * self.terminals + terminal.index()
    }

    /// Levels of switches.
    pub(crate) fn height(&self) -> usize {
        self.up.len()
    }
}
