//! What will be inside a network at a time, from the routes of a few packets through an idle one.
//!
//! By Little's law, packets inside are those sent in a cycle times the cycles they stay. Where
//! more is sent than gets through, what is inside grows until the run or the buffers end.
//! Which is rough: how much of an overload gets through is what one simulates for. Routing that looks at queues is asked for its ways
//! around channels that are full.
//!
//! Where messages answer others, what terminals send before they have heard anything is taken for what is always
//! under way, there and back.

mod ways;

use crate::outlook::{Closed, Sent, packets_of_message};
use crate::workshop::Experiment;
use turnwise_network::{ChannelClass, TerminalId, VcSet};
use turnwise_sim::{News, Phases, Traffic};
use ways::{Site, Ways, pace};

/// Routes of a few packets, whatever the load.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    terminals: f64,
    /// What all channels together can carry in a cycle.
    channels: f64,
    packet_flits: f64,
    /// Packets that are created at once.
    packets_of_message: f64,
    /// In an idle network.
    idle: Ways,
    /// Around the channels that a full load overloads in an idle network for certain, as routing that looks at queues takes them.
    around: Option<Ways>,
    closed: Option<Closed>,
    news: News,
    asks_again: bool,
}

impl Routes {
    pub(crate) fn of(experiment: &Experiment) -> Self {
        let (network, routing) = (&*experiment.routed.network, &*experiment.routed.routing);
        let terminals: Vec<TerminalId> = network.living_terminals().collect();
        let Sent { packets, closed } = experiment.outlook.sent(&experiment.demand, &terminals);
        let site = Site {
            network,
            routing,
            model: &experiment.model,
        };
        let (idle, full) = Ways::idle(site, packets);
        let flits = packets.iter().map(|(.., flits)| flits).sum::<f64>();
        Self {
            terminals: terminals.len() as f64,
            channels: network
                .channels()
                .map(|(_, channel)| pace(channel))
                .sum::<f64>()
                .max(f64::MIN_POSITIVE),
            packet_flits: flits / f64::max(packets.len() as f64, 1.0),
            packets_of_message: packets_of_message(&experiment.demand),
            idle,
            around: full.map(|full| Ways::around(site, packets, &full)),
            closed: *closed,
            asks_again: routing.asks_again(),
            news: routing
                .sensing()
                .map_or(News::default(), |sensing| News::of(network, sensing)),
        }
    }

    /// The mean length of a packet in flits.
    pub(crate) fn packet_flits(&self) -> f64 {
        self.packet_flits
    }

    /// Classes of channels that do not carry what is sent at a load, and the virtual channels that packets take there in an idle network.
    pub(crate) fn overloaded(&self, load: f64) -> impl Iterator<Item = (ChannelClass, VcSet)> + '_ {
        let sent = load * self.terminals;
        let over = self
            .idle
            .classes
            .iter()
            .filter(move |of| of.share * sent > of.capacity);
        over.map(|of| (of.class, of.vcs))
    }

    /// What terminals that answer each other send: about the load, and when. `None` if they do not.
    pub(crate) fn closed(&self, phases: &Phases) -> Option<(f64, Phases)> {
        let closed = self.closed?;
        let load = self.closed_load(&closed);
        let Some(total) = closed.total_flits else {
            return Some((load, *phases));
        };
        // Programs go on until everything has got through, and are given the time for it.
        let load = load.max(total / phases.limit as f64).min(1.0);
        let cycles = if load > 0.0 { total / load } else { 0.0 };
        let of_program = Phases {
            measure: (cycles as u64).min(phases.limit),
            drain: true,
            ..*phases
        };
        Some((load, of_program))
    }

    fn closed_load(&self, closed: &Closed) -> f64 {
        if closed.messages > 0 {
            // What is sent next waits for what has arrived, message by message.
            let message = closed.flits as f64 / closed.messages as f64;
            return message.max(1.0) / (message.max(1.0) + self.idle.idle_cycles);
        }
        let cycles = 2.0 * self.idle.idle_cycles + closed.first_cycle;
        (self.before_an_answer(closed) / cycles.max(1.0)).min(1.0)
    }

    /// Flits that a terminal sends before it hears anything. Where it only announces what it sends, it soon may send that, too.
    fn before_an_answer(&self, closed: &Closed) -> f64 {
        match closed.total_flits {
            Some(total) => closed.first_flits.max(self.packet_flits).min(total),
            None => closed.first_flits,
        }
    }

    /// The ways that packets take if so many flits are sent in a cycle, and the share of them that do not get through.
    fn ways(&self, sent: f64) -> (&Ways, f64) {
        let stuck = self.idle.stuck(sent);
        let around = self.around.as_ref().filter(|_| stuck > 0.0);
        let around = around.map(|ways| (ways, ways.stuck(sent)));
        around
            .filter(|&(_, less)| less < stuck)
            .unwrap_or((&self.idle, stuck))
    }

    /// The share of what is sent at a load that does not get through. Programs send no more than does for long.
    pub(crate) fn stuck(&self, load: f64) -> f64 {
        let ends = self
            .closed
            .is_some_and(|closed| closed.total_flits.is_some());
        match ends {
            true => 0.0,
            false => self.ways(load * self.terminals).1,
        }
    }

    /// Messages that programs send; none where there is no program.
    pub(crate) fn messages(&self) -> f64 {
        let of_terminal = |closed: Closed| {
            let of_message = closed.flits.max(1) as f64 / closed.messages as f64;
            Some(closed.total_flits? / of_message)
        };
        let told = self.closed.filter(|closed| closed.messages > 0);
        told.and_then(of_terminal).unwrap_or(0.0) * self.terminals
    }

    /// What is under way at a time, and how many flits cross a router before the run ends.
    pub(crate) fn traffic(&self, load: f64, phases: &Phases) -> (Traffic, f64) {
        let flits_per_cycle = load * self.terminals;
        let (
            &Ways {
                hops, idle_cycles, ..
            },
            stuck,
        ) = self.ways(flits_per_cycle);
        // A channel that takes one flit a cycle, all of them loaded alike: the queue M/D/1.
        let busy = (flits_per_cycle * hops / self.channels).min(0.9);
        let at_once = self.packet_flits * self.packets_of_message;
        let waiting = at_once * busy / (2.0 * (1.0 - busy));
        // Packets of a message leave one after the other.
        let own = (at_once - self.packet_flits) / 2.0;
        let through = idle_cycles + (hops + 1.0) * waiting + own;
        let window_end = (phases.warmup + phases.measure) as f64;
        // A run that waits for every packet of its window goes on until the last has got through.
        let cycles = match phases.drain {
            true => (window_end / (1.0 - stuck).max(1e-3)).min(phases.limit as f64),
            false => window_end,
        };
        let residence = (1.0 - stuck) * through + stuck * cycles;
        // Who waits for answers sends no more.
        let most = self.closed.map_or(f64::INFINITY, |closed| {
            self.before_an_answer(&closed) * self.terminals / flits_per_cycle.max(1e-9)
        });
        let traffic = Traffic {
            flits_per_cycle,
            packet_flits: self.packet_flits,
            hops,
            residence: residence.min(most),
            cycles,
            news: self.news,
            asks_again: self.asks_again,
        };
        let flits = flits_per_cycle * (1.0 - stuck) * cycles;
        (traffic, flits * (1.0 + hops))
    }
}
