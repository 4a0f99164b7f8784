//! Small networks, routing algorithms and injectors, so that the engine's tests need no other crate.
#![allow(dead_code, unused_imports)]

mod adaptive;
mod again;
mod agents;
mod apart;
mod crew;
mod informed;
mod injectors;
mod networks;
mod piggyback;
mod routings;

pub(crate) use adaptive::Adaptive;
pub(crate) use again::{Again, Escaping};
pub(crate) use agents::{NEVER, Requests, Scripted};
pub(crate) use apart::{Apart, Counted, EitherHalf, Written};
pub(crate) use crew::{Crew, crews};
pub(crate) use informed::{Informed, Talk};
pub(crate) use injectors::{Greedy, Length, Listed, Packet, Senders, Uniform};
pub(crate) use networks::{graph, latencies, mesh, single_router, slowed, torus, torus_with};
pub(crate) use piggyback::Piggyback;
pub(crate) use routings::{Classes, DimensionOrder, NextHop, Witness};

use turnwise_network::{Injector, Network, Routing, Workload};
use turnwise_sim::{Demand, Outcome, Phases, RouterModel, Schedule, Setup, Violation};

/// A simulation of toys.
#[derive(Clone, Copy)]
pub(crate) struct Toys<'a> {
    pub(crate) network: &'a Network,
    pub(crate) routing: &'a dyn Routing,
    pub(crate) injector: &'a dyn Injector,
    pub(crate) model: &'a RouterModel,
    pub(crate) phases: &'a Phases,
    pub(crate) seed: u64,
}

impl Toys<'_> {
    /// Runs to the end; if asked to, the engine's own invariants are part of the answer.
    pub(crate) fn try_run(self, check: bool) -> Result<Outcome, Violation> {
        self.simulate(check, 1.into())
    }

    /// Runs to the end on so many threads, or processes.
    pub(crate) fn run_on(self, crew: impl Into<Crew>) -> Outcome {
        self.simulate(false, crew.into())
            .unwrap_or_else(|violation| panic!("{violation}"))
    }

    fn simulate(self, check: bool, crew: Crew) -> Result<Outcome, Violation> {
        let Self {
            network,
            routing,
            injector,
            model,
            phases,
            seed,
        } = self;
        let setup = Setup {
            network,
            routing,
            demand: Demand::Open(injector),
            model,
            schedule: Schedule::Window(*phases),
            seed,
            minimal: None,
            interval: None,
            check,
            threads: 1,
        };
        crew.simulate(setup)
    }

    /// Runs to the end, all invariants holding.
    pub(crate) fn run(self) -> Outcome {
        self.try_run(true)
            .unwrap_or_else(|violation| panic!("{violation}"))
    }
}

/// A simulation of toys whose terminals answer.
#[derive(Clone, Copy)]
pub(crate) struct Answering<'a> {
    pub(crate) network: &'a Network,
    pub(crate) routing: &'a dyn Routing,
    pub(crate) workload: &'a dyn Workload,
    pub(crate) model: &'a RouterModel,
    pub(crate) schedule: Schedule,
    pub(crate) seed: u64,
}

impl Answering<'_> {
    /// Runs to the end on so many threads, or processes; with all invariants checked, if asked to, on one.
    pub(crate) fn simulate(self, check: bool, crew: impl Into<Crew>) -> Outcome {
        let setup = Setup {
            network: self.network,
            routing: self.routing,
            demand: Demand::Closed(self.workload),
            model: self.model,
            schedule: self.schedule,
            seed: self.seed,
            minimal: None,
            interval: None,
            check,
            threads: 1,
        };
        let outcome = crew.into().simulate(setup);
        outcome.unwrap_or_else(|violation| panic!("{violation}"))
    }

    /// Runs to the end, all invariants holding.
    pub(crate) fn run(self) -> Outcome {
        self.simulate(true, 1)
    }
}

/// A window long enough for every one of a few listed packets, then drain.
pub(crate) fn until_all_arrive(window: u64) -> Phases {
    Phases {
        warmup: 0,
        measure: window,
        drain: true,
        limit: 1_000_000,
    }
}

/// A window after a warm-up, and no drain: for throughput.
pub(crate) fn window(warmup: u64, measure: u64) -> Phases {
    Phases {
        warmup,
        measure,
        drain: false,
        limit: warmup + measure,
    }
}
