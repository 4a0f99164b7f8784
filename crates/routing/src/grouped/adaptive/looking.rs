//! Judges who look first decide as they would if they did not: the test that each of them has.

use super::dragonfly::{Detouring, DragonflyWays};
use super::judge::Judge;
use super::ways::{Relation, Ways};
use crate::algorithm::Context;
use crate::grouped::links::GroupLinks;
use std::sync::Arc;
use turnwise_network::random::{Purpose, Random, mix};
use turnwise_network::topologies::{Dragonfly, Topology};
use turnwise_network::{Congestion, Header, Network, Port, RouterId, Shape, TerminalId, VcSet};

/// The same judge, who does not look first.
struct Blind<'a, J>(&'a J);

impl<J: Judge> Judge for Blind<'_, J> {
    fn choose<W: Ways>(
        &self,
        ways: &W,
        at: RouterId,
        header: Header,
        sees: &dyn Congestion,
        rng: &mut Random,
    ) -> Option<W::Way> {
        self.0.choose(ways, at, header, sees, rng)
    }
}

/// Queues here, and what is told of others.
struct Noise {
    seed: u64,
    memory: Vec<u32>,
}

impl Noise {
    /// Of so many channels elsewhere, with so many flits at most.
    fn new(seed: u64, words: usize, most: u64) -> Self {
        let word = |word| (mix(seed ^ word << 20) % (most + 1)) as u32;
        let memory = (0..words as u64).map(word).collect();
        Self { seed, memory }
    }
}

impl Congestion for Noise {
    fn unacknowledged(&self, port: Port, _: VcSet) -> u32 {
        (mix(self.seed ^ u64::from(port)) % 90) as u32
    }

    fn queued(&self, _: Port, _: VcSet) -> u32 {
        0
    }

    fn capacity(&self, _: Port) -> u32 {
        128
    }

    fn memory(&self) -> &[u32] {
        &self.memory
    }
}

/// A judge of a dragonfly is asked under many queues, who is seen to go minimally and who is not.
pub(super) fn check<J: Judge>(judge: impl Fn(&Network, &GroupLinks) -> J) {
    let network: Arc<Network> = Arc::new(Dragonfly::default().build(None).unwrap());
    let Shape::Dragonfly(shape) = network.shape() else {
        unreachable!("it is one");
    };
    for progressive in [false, true] {
        let detouring = Detouring {
            by_router: !progressive,
            progressive,
        };
        let context = Context::default();
        let ways = DragonflyWays::new("any", &network, shape, detouring, None, &context).unwrap();
        let links = &ways.legs().links;
        let judge = judge(&network, links);
        let mut detours = 0;
        for draw in 0..2_000 {
            let noise = Noise::new(draw, links.leaving(0).len(), 20 << (draw % 4));
            let away = 8 + draw as u32 % (network.terminal_count() as u32 - 8);
            let header = Header::to(TerminalId(away));
            let rng = || Random::new(draw, Purpose::Other, 0, 0);
            let at = RouterId(0);
            let looking = ways.judged(&judge, at, header, &noise, &mut rng());
            let blind = ways.judged(&Blind(&judge), at, header, &noise, &mut rng());
            assert_eq!(looking, blind, "{draw}");
            let minimal = ways.draw_minimal(at, header, &mut rng());
            let minimal = minimal.map(|way| ways.hop(header, way));
            detours += u32::from(looking != minimal);
        }
        assert!((100..1_900).contains(&detours), "{detours} of 2000");
    }
}
