//! Traffic that switches follows one pattern before the switch and the other from it on.

use crate::{MATRIX, counts, dragonfly, hypercube, parameters, torus};
use proptest::prelude::*;
use std::collections::BTreeMap;
use turnwise_network::{Injector, Network, PacketRequest, TerminalId};
use turnwise_workload::{
    Context, Injection, PacketFlits, Pattern, REGISTRY, TrafficPhase, switching,
};

const CONTEXT: Context<'static> = Context {
    seed: 3,
    send_to_self: false,
    file: Some(MATRIX),
};

fn pattern(name: &str, network: &Network) -> Option<Box<dyn Pattern>> {
    let entry = REGISTRY.iter().find(|entry| entry.name == name)?;
    let parameters = parameters(entry, "").or_else(|| parameters(entry, entry.example))?;
    parameters.build(network, &CONTEXT).ok()
}

/// Sources that go through phases of (first cycle, pattern, load).
fn source(
    network: &Network,
    phases: &[(u64, &str, f64)],
    injection: Injection,
    seed: u64,
) -> Box<dyn Injector> {
    let phase = |&(from, name, load): &(u64, &str, f64)| TrafficPhase {
        from,
        pattern: pattern(name, network).unwrap(),
        packet_flits: PacketFlits::Fixed(2),
        load,
    };
    let phases = phases.iter().map(phase).collect();
    switching(phases, injection, network.terminal_count(), seed).unwrap()
}

/// The packets that a terminal creates before a cycle.
fn packets(source: &dyn Injector, terminal: u32, until: u64) -> Vec<PacketRequest> {
    let mut packets: Vec<PacketRequest> = Vec::new();
    loop {
        let after = packets.last().map(|last| last.created);
        let number = packets.len() as u32;
        match source.next(TerminalId(terminal), number, after) {
            Some(packet) if packet.created < until => {
                assert!(after.is_none_or(|after| packet.created > after));
                packets.push(packet);
            }
            _ => return packets,
        }
    }
}

const PROCESSES: [Injection; 3] = [
    Injection::Bernoulli,
    Injection::Periodic,
    Injection::OnOff {
        mean_burst: 20.0,
        peak_load: 0.8,
    },
];

/// Any pattern before any other: nothing of the second before the switch, nothing of the first behind it.
#[test]
fn every_pattern_ends_and_begins_with_the_switch() {
    const AT: u64 = 60;
    for network in [dragonfly(), hypercube(4), torus(&[4, 4])] {
        let fits = |name: &&str| pattern(name, &network).is_some();
        let names: Vec<&str> = REGISTRY
            .iter()
            .map(|entry| entry.name)
            .filter(fits)
            .collect();
        assert!(names.len() > 8, "{}", network.description());
        for second in &names {
            let mut reached: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            let built = pattern(second, &network).unwrap();
            // What follows the switch does not depend on what was before it.
            let other = [(0, "uniform", 0.1), (AT, *second, 0.4)];
            let other = source(&network, &other, Injection::Bernoulli, 9);
            for first in &names {
                let what = format!("{first}, then {second} on {}", network.description());
                let alone = source(&network, &[(0, *first, 0.4)], Injection::Bernoulli, 9);
                let phases = [(0, *first, 0.4), (AT, *second, 0.4)];
                let both = source(&network, &phases, Injection::Bernoulli, 9);
                for terminal in (0..network.terminal_count() as u32).step_by(7) {
                    let all = packets(&*both, terminal, 2 * AT);
                    let before = all.partition_point(|packet| packet.created < AT);
                    assert_eq!(all[..before], packets(&*alone, terminal, AT), "{what}");
                    let reached = reached
                        .entry(terminal)
                        .or_insert_with(|| counts(&*built, &network, terminal, 3_000));
                    for (number, packet) in all.iter().enumerate().skip(before) {
                        assert!(
                            reached[packet.destination.index()] > 0,
                            "{what}: {packet:?}"
                        );
                        let after = all[..number].last().map(|last| last.created);
                        let after = after.filter(|&after| after >= AT).unwrap_or(AT - 1);
                        let number = number as u32;
                        let same = other.next(TerminalId(terminal), number, Some(after));
                        assert_eq!(same, Some(*packet), "{what}");
                    }
                }
            }
        }
    }
}

/// The load is that of the phase from its first cycle on: no gap that is longer or shorter because it crosses
/// the switch.
#[test]
fn the_load_is_the_phases_own_from_its_first_cycle_on() {
    let network = torus(&[32, 32]);
    for injection in PROCESSES {
        for loads in [(0.3, 0.3), (0.0, 0.3), (0.6, 0.2), (0.1, 0.5)] {
            let phases = [(0, "uniform", loads.0), (500, "tornado", loads.1)];
            let mut created = [0.0; 4];
            for seed in 0..4 {
                let source = source(&network, &phases, injection, seed);
                for terminal in 0..1024 {
                    for packet in packets(&*source, terminal, 520) {
                        // Ten cycles before the switch, the first five behind it, and the next ten.
                        let place = match packet.created {
                            490..500 => 1,
                            500..505 => 2,
                            505..515 => 3,
                            _ => 0,
                        };
                        created[place] += 2.0;
                    }
                }
            }
            for (place, cycles, load) in [(1, 10.0, loads.0), (2, 5.0, loads.1), (3, 10.0, loads.1)]
            {
                let expected = 4.0 * 1024.0 * cycles * load;
                let off = (created[place] - expected).abs();
                // Bursts vary by more than packets that know nothing of each other.
                let deviation = (expected * 2.0 * 5.0).sqrt();
                assert!(
                    off <= 4.0 * deviation,
                    "{injection:?} {loads:?} {place}: {created:?}"
                );
            }
        }
    }
}

/// Who has nothing to say in one phase may have in the next, and the other way round.
#[test]
fn silence_lasts_as_long_as_its_phase() {
    let network = torus(&[4, 4]);
    let phases = [
        (0, "matrix", 0.9),
        (100, "uniform", 0.0),
        (200, "matrix-transpose", 0.9),
    ];
    let source = source(&network, &phases, Injection::Bernoulli, 1);
    let cycles = |terminal| -> Vec<u64> {
        let packets = packets(&*source, terminal, 300);
        packets.iter().map(|packet| packet.created).collect()
    };
    // Terminal 1 sends nothing according to the matrix, terminal 0 lies on the diagonal, 3 does both.
    let (one, zero, three) = (cycles(1), cycles(0), cycles(3));
    assert!(
        !one.is_empty() && one.iter().all(|&cycle| cycle >= 200),
        "{one:?}"
    );
    assert!(
        !zero.is_empty() && zero.iter().all(|&cycle| cycle < 100),
        "{zero:?}"
    );
    assert!(three.iter().any(|&cycle| cycle < 100) && three.iter().any(|&cycle| cycle >= 200));
    assert!(
        three.iter().all(|cycle| !(100..200).contains(cycle)),
        "{three:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn packets_made_together_are_those_made_one_at_a_time(
        seed: u64,
        loads in prop::array::uniform3(prop::sample::select(vec![0.0, 0.01, 0.4, 1.0, 2.0])),
        first_switch in 1..60u64,
        second_switch in 1..60u64,
        process in 0..3usize,
        sequence in prop_oneof![0..20u32, u32::MAX - 12..=u32::MAX],
        after in prop_oneof![Just(None), (0..150u64).prop_map(Some), (u64::MAX - 30..=u64::MAX).prop_map(Some)],
        most in 0..35usize,
    ) {
        let network = dragonfly();
        let phases = [
            (0, "uniform", loads[0]),
            (first_switch, "adversarial", loads[1]),
            (first_switch + second_switch, "random-permutation", loads[2]),
        ];
        // Bursts have a peak load that no other is above.
        let injection = PROCESSES[if loads.iter().any(|&load| load > 0.8) { process % 2 } else { process }];
        let source = source(&network, &phases, injection, seed);
        for terminal in (0..72).step_by(11).map(TerminalId) {
            let mut few = vec![PacketRequest::default(); most];
            let made = source.next_few(terminal, sequence, after, &mut few);
            let (mut alone, mut last) = (Vec::new(), after);
            while alone.len() < most {
                let number = sequence.wrapping_add(alone.len() as u32);
                let Some(packet) = source.next(terminal, number, last) else {
                    break;
                };
                last = Some(packet.created);
                alone.push(packet);
            }
            prop_assert_eq!(&few[..made], &alone[..], "{}", terminal);
        }
    }
}
