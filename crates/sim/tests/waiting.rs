//! How long packets wait in queues, against results that somebody proved.
//!
//! Karol, Hluchyj, Morgan, "Input versus output queueing on a space-division packet switch",
//! IEEE Trans. Communications 35(12), 1987: if the inputs of a slotted switch create packets
//! for one of its outputs independently at random, `load` packets a slot altogether, then those wait
//! `(N - 1) / N * load / (2 (1 - load))` slots for it on average.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::toys;

use crate::toys::{Listed, NextHop, Packet, Toys, Uniform};
use turnwise_network::{
    Header, Hop, Injector, Network, PacketRequest, RouterId, Routing, Start, TerminalId, Vc, VcSet,
};
use turnwise_sim::{Allocator, Depth, Ending, Measurement, RouterKind, RouterModel};

fn measure(
    network: &Network,
    injector: &dyn Injector,
    model: &RouterModel,
    cycles: u64,
) -> Measurement {
    let inner = NextHop::shortest(network, model.virtual_channels);
    let by_destination = PerDestination {
        inner: &inner,
        terminals: network.terminal_count(),
    };
    let routing: &dyn Routing = match model.virtual_channels {
        1 => &inner,
        _ => &by_destination,
    };
    let phases = toys::window(2_000, cycles);
    let outcome = Toys {
        network,
        routing,
        injector,
        model,
        phases: &phases,
        seed: 1,
    }
    .run();
    assert_eq!(outcome.ending, Ending::Completed);
    outcome.measurement
}

/// Look-ahead, and so many allocation steps a cycle: with two, a queue passes a packet of one flit a
/// cycle, which is a slot; with 16, everything that arrives in a cycle crosses the switch in it.
fn look_ahead(speedup: u32) -> RouterModel {
    RouterModel {
        buffers: Depth::everywhere(4_096),
        routing_delay: 0,
        speedup_permille: 1000 * speedup,
        ..RouterModel::default()
    }
}

/// Slots a packet waits on average for an output that `n` inputs send to.
fn karol_waiting(n: f64, load: f64) -> f64 {
    (n - 1.0) / n * load / (2.0 * (1.0 - load))
}

/// Cycles a packet waits on average, wherever it does: all but what it takes alone.
fn waiting(network: &Network, injector: &dyn Injector, model: &RouterModel, cycles: u64) -> f64 {
    let last = network.terminal_count() as u32 - 1;
    let alone = Listed(vec![Packet {
        source: 0,
        created: 2_000,
        destination: last,
        flits: 1,
    }]);
    let alone = measure(network, &alone, model, 1_000);
    assert_eq!(alone.packets, 1);
    let measured = measure(network, injector, model, cycles);
    measured.packet_latency.mean - alone.packet_latency.mean
}

fn assert_waiting(measured: f64, expected: f64, what: &str) {
    assert!(
        (measured - expected).abs() <= 0.02 * expected,
        "{what}: {measured} cycles, not {expected}"
    );
}

/// Packets cross at once and wait at the outputs.
#[test]
fn output_queues_are_as_long_as_karol_says() {
    for (terminals, load) in [(1, 0.7), (2, 0.5), (4, 0.6), (4, 0.8), (8, 0.5), (16, 0.7)] {
        let network = toys::single_router(terminals as usize, 1);
        let injector = Uniform {
            terminals,
            load,
            flits: 1,
            seed: 5,
        };
        let expected = karol_waiting(terminals.into(), load);
        for kind in [RouterKind::InputQueued, RouterKind::InputOutputQueued] {
            let model = RouterModel {
                kind,
                output_buffer_flits: Some(1_000),
                ..look_ahead(16)
            };
            let measured = waiting(&network, &injector, &model, 100_000);
            assert_waiting(
                measured,
                expected,
                &format!("{terminals} terminals at {load}, {kind:?}"),
            );
        }
    }
}

/// The same by more crossbar ports instead of more steps, where every input has a few queues for each
/// output. If each of them has a crossbar input of its own, every output serves somebody in every
/// slot in which anybody waits for it. If every output has a crossbar output for each input,
/// nobody waits before the crossbar at all. Without either, inputs and outputs miss each other.
#[test]
fn crossbar_ports_make_output_queues() {
    const QUEUES: Vc = 16;
    for (terminals, load) in [(4, 0.8), (8, 0.7)] {
        let network = toys::single_router(terminals as usize, 1);
        let injector = Uniform {
            terminals,
            load,
            flits: 1,
            seed: 5,
        };
        let expected = karol_waiting(terminals.into(), load);
        let measured = |input_speedup, output_speedup| {
            let model = RouterModel {
                virtual_channels: QUEUES,
                input_speedup,
                output_speedup,
                // A head that could have a virtual channel gets one.
                allocation_iterations: 8,
                ..look_ahead(1)
            };
            waiting(&network, &injector, &model, 60_000)
        };
        assert_waiting(measured(QUEUES.into(), 1), expected, "crossbar inputs");
        assert_waiting(measured(1, terminals), expected, "crossbar outputs");
        let missed = measured(1, 1);
        assert!(
            missed > 1.5 * expected,
            "{missed} cycles, {expected} at best"
        );
    }
}

/// Everybody wants the same output. It serves somebody in every slot in which anybody waits, so the
/// work that is left over, and by Little's law the mean waiting time, are those of the output
/// queue, although packets wait at the inputs and whoever is served.
#[test]
fn who_is_served_does_not_change_how_long_all_wait() {
    for (terminals, load) in [(2, 0.6), (5, 0.8), (16, 0.7)] {
        let network = toys::single_router(terminals as usize, 1);
        let injector = Uniform {
            terminals: 1,
            load: load / f64::from(terminals),
            flits: 1,
            seed: 6,
        };
        for allocator in [Allocator::Islip, Allocator::SeparableInputFirst] {
            let model = RouterModel {
                vc_allocator: allocator,
                switch_allocator: allocator,
                ..look_ahead(2)
            };
            let measured = waiting(&network, &injector, &model, 250_000);
            let expected = karol_waiting(terminals.into(), load);
            assert_waiting(
                measured,
                expected,
                &format!("{terminals} terminals at {load}, {allocator:?}"),
            );
        }
    }
}

/// A channel between two routers that `n` terminals share is such an output, too, however
/// long it is; behind it packets come one at a time and wait for nobody.
#[test]
fn a_channel_is_a_queue() {
    for (terminals, load, latency) in [(2, 0.7, 1), (4, 0.8, 9)] {
        let network = toys::mesh(&[2], terminals, latency, 1);
        let injector = Crossing {
            terminals,
            inner: Uniform {
                terminals,
                load: load / f64::from(terminals),
                flits: 1,
                seed: 7,
            },
        };
        let measured = waiting(&network, &injector, &look_ahead(2), 200_000);
        let expected = karol_waiting(terminals.into(), load);
        assert_waiting(
            measured,
            expected,
            &format!("{terminals} terminals at {load} over {latency} cycles"),
        );
    }
}

/// Terminals of either of two routers send to those of the other.
struct Crossing {
    terminals: u32,
    inner: Uniform,
}

impl Injector for Crossing {
    fn next(
        &self,
        terminal: TerminalId,
        sequence: u32,
        after: Option<u64>,
    ) -> Option<PacketRequest> {
        let mut packet = self.inner.next(terminal, sequence, after)?;
        if terminal.0 < self.terminals {
            packet.destination.0 += self.terminals;
        }
        Some(packet)
    }

    fn longest_packet(&self) -> u16 {
        self.inner.longest_packet()
    }
}

/// Virtual output queues: at the injection channel, every so-many-th virtual channel is for the same
/// destination.
struct PerDestination<'a> {
    inner: &'a NextHop<'a>,
    terminals: usize,
}

impl Routing for PerDestination<'_> {
    fn virtual_channels(&self) -> Vc {
        self.inner.virtual_channels()
    }

    fn start(&self, source: TerminalId, destination: TerminalId) -> Option<Start> {
        let start = self.inner.start(source, destination)?;
        let own =
            (destination.index()..usize::from(self.virtual_channels())).step_by(self.terminals);
        let vcs = VcSet(own.fold(0, |set, vc| set | 1 << vc));
        Some(Start { vcs, ..start })
    }

    fn options(&self, at: RouterId, header: Header, options: &mut Vec<Hop>) {
        self.inner.options(at, header, options);
    }
}
