//! Classes of messages that are kept apart: each does what the algorithm does without classes, on virtual channels of
//! its own, and waits for nobody else.

use super::choices::Noise;
use super::deadlock::{dependencies, in_a_circle};
use super::graph::CLASSES;
use super::subjects::{Built, Subject};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::{Congestion, Header, Hop, Port, RouterId, Routing, Start, Vc, VcSet};

/// What an algorithm of so many virtual channels would see if it were alone with one class.
struct Alone<'a> {
    noise: &'a Noise,
    vcs: Vc,
    class: u8,
}

impl Congestion for Alone<'_> {
    fn unacknowledged(&self, port: Port, vcs: VcSet) -> u32 {
        let ours = vcs.iter().filter(|&vc| vc < self.vcs);
        let each = ours.map(|vc| VcSet::one(vc + self.class * self.vcs));
        each.map(|vc| self.noise.unacknowledged(port, vc)).sum()
    }

    fn queued(&self, port: Port, vcs: VcSet) -> u32 {
        let ours = vcs.iter().filter(|&vc| vc < self.vcs);
        let all = ours.fold(0, |all, vc| all | 1 << (vc + self.class * self.vcs));
        self.noise.queued(port, VcSet(all))
    }

    fn awaiting(&self, port: Port) -> u32 {
        self.noise.awaiting(port)
    }

    fn capacity(&self, port: Port) -> u32 {
        self.noise.capacity(port) / u32::from(CLASSES)
    }

    fn memory(&self) -> &[u32] {
        &[]
    }
}

/// Where a class has its virtual channels.
fn moved(vcs: VcSet, count: Vc, class: u8) -> VcSet {
    let theirs = vcs.iter().filter(|&vc| vc < count);
    VcSet(theirs.fold(0, |all, vc| all | 1 << (vc + class * count)))
}

pub(crate) fn check(subject: &Subject<'_>) -> Result<(), String> {
    let Some(apart) = &subject.classes_apart else {
        return Ok(());
    };
    let alone = &subject.healthy;
    let count = alone.routing.virtual_channels();
    if apart.routing.virtual_channels() != count * CLASSES {
        return Err(format!("not {CLASSES} times {count} virtual channels"));
    }
    let says = |built: &Built| {
        let routing = &built.routing;
        (
            [routing.asks_again(), routing.keeps_order()],
            [routing.distinguishes_terminals(), routing.chooses_start()],
            (routing.sensing().is_some(), routing.memory_bytes()),
        )
    };
    if says(alone) != says(apart) {
        return Err("classes make it promise something else".to_owned());
    }
    if apart.graph.states.len() != alone.graph.states.len() * usize::from(CLASSES) {
        return Err("classes are in other states than packets without".to_owned());
    }
    for &((source, destination, class), ref ways) in &apart.graph.ways {
        let theirs = alone.graph.ways_of((source, destination, 0)).iter();
        let expected = theirs.map(|&(start, _)| Start {
            header: of_class(start.header, class),
            vcs: moved(start.vcs, count, class),
        });
        if !ways.iter().map(|&(start, _)| start).eq(expected) {
            return Err(format!("{ways:?} of class {class}"));
        }
    }
    for (index, state) in apart.graph.states.iter().enumerate() {
        same_ways(alone, &*apart.routing, state.at, state.header, index)?;
    }
    let circle = |built: &Built| in_a_circle(dependencies(built)).is_some();
    match circle(alone) == circle(apart) {
        true => Ok(()),
        false => Err("the verdict differs from that without classes".to_owned()),
    }
}

fn of_class(header: Header, message: u8) -> Header {
    Header { message, ..header }
}

/// Everything that can be asked about a state is answered as without classes, moved.
fn same_ways(
    alone: &Built,
    apart: &dyn Routing,
    at: RouterId,
    header: Header,
    index: usize,
) -> Result<(), String> {
    let (class, plain) = (header.message, of_class(header, 0));
    let vcs = alone.routing.virtual_channels();
    let alone = &*alone.routing;
    let moved = |hop: Hop| Hop {
        vcs: moved(hop.vcs, vcs, class),
        header: of_class(hop.header, class),
        ..hop
    };
    let noise = Noise::on_all(index as u64);
    let sees = Alone {
        noise: &noise,
        vcs,
        class,
    };
    let rng = || Random::new(1, Purpose::Routing, index as u32, 0);
    let [mut expected, mut found] = [Vec::new(), Vec::new()];
    alone.options(at, plain, &mut expected);
    apart.options(at, header, &mut found);
    alone.escape(at, plain, &mut expected);
    apart.escape(at, header, &mut found);
    expected.extend(alone.void(at, plain));
    found.extend(apart.void(at, header));
    expected.extend(alone.settled(at, plain));
    found.extend(apart.settled(at, header));
    expected.extend(alone.choose(at, plain, &sees, &mut rng()));
    found.extend(apart.choose(at, header, &noise, &mut rng()));
    expected.extend(alone.choose_again(at, plain, &sees, &mut rng()));
    found.extend(apart.choose_again(at, header, &noise, &mut rng()));
    let expected: Vec<Hop> = expected.into_iter().map(moved).collect();
    match expected == found {
        true => Ok(()),
        false => Err(format!(
            "{found:?} instead of {expected:?} at {at}, {header:?}"
        )),
    }
}
