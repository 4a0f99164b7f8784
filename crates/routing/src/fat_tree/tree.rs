//! A fat tree as routing sees it: who is above whom, and by which port.

use std::ops::Range;
use std::sync::Arc;
use turnwise_network::shape::FatTree;
use turnwise_network::{Network, Port, RouterId, TerminalId};

/// Flat arrays, because a packet asks at every switch: 8 bytes by level and terminal, 8 by switch.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) network: Arc<Network>,
    terminals: usize,
    places: Vec<Place>,
    /// By level, terminals below a child of one of its switches.
    below: Vec<u32>,
    /// By level and terminal.
    ways_down: Vec<WayDown>,
    /// By level, the ports upwards.
    up: Vec<Range<Port>>,
    /// Do all switches and channels live?
    pub(crate) complete: bool,
}

/// Where a switch is.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Counted from 0 at the leaves.
    level: u32,
    /// What all terminals below it have in common.
    subtree: u32,
}

/// From the switches of one level that are above a terminal.
#[derive(Clone, Copy, Debug)]
struct WayDown {
    /// What these switches have in common.
    subtree: u32,
    port: Port,
}

impl Tree {
    pub(crate) fn new(network: &Arc<Network>, shape: &FatTree) -> Self {
        let terminals = network.terminal_count();
        let (mut ways_down, mut up, mut all_below) = (Vec::new(), Vec::new(), Vec::new());
        let mut below = 1;
        for level in 1..=shape.height() {
            let children = shape.down_ports(level);
            let way = |terminal: u32| WayDown {
                subtree: terminal / below / children,
                port: (terminal / below % children) as Port,
            };
            ways_down.extend((0..terminals as u32).map(way));
            all_below.push(below);
            below *= children;
            up.push(children as Port..(children + shape.up_ports(level)) as Port);
        }
        let place = |router: RouterId| {
            let (level, index) = shape.level_and_index(router.0);
            let label = shape.label(level, index);
            let digits = (level..shape.height()).rev();
            let subtree = digits.fold(0, |subtree, digit| subtree * shape.m[digit] + label[digit]);
            Place {
                level: level as u32 - 1,
                subtree,
            }
        };
        let alive = network.routers().all(|router| network.is_alive(router));
        let complete = alive && network.unconnected_ports().next().is_none();
        Self {
            network: network.clone(),
            terminals,
            places: network.routers().map(place).collect(),
            below: all_below,
            ways_down,
            up,
            complete,
        }
    }

    /// A switch's level, counted from 0 at the leaves.
    #[inline]
    pub(crate) fn level(&self, router: RouterId) -> usize {
        self.places[router.index()].level as usize
    }

    /// Can a packet go down from here to this terminal?
    #[inline]
    pub(crate) fn is_above(&self, router: RouterId, terminal: TerminalId) -> bool {
        self.way_down(router, terminal).is_some()
    }

    /// The port downwards to this terminal, or out at its leaf, if the switch is above it;
    /// and the switch's level.
    #[inline]
    pub(crate) fn way_down(&self, router: RouterId, terminal: TerminalId) -> Option<(Port, usize)> {
        let place = self.places[router.index()];
        let level = place.level as usize;
        let way = self.ways_down[self.entry(level, terminal)];
        (way.subtree == place.subtree).then_some((way.port, level))
    }

    /// The terminal's digit that counts at a switch's level: which child of its ancestor there it is below.
    pub(crate) fn digit(&self, router: RouterId, terminal: TerminalId) -> u32 {
        terminal.0 / self.below[self.level(router)]
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
