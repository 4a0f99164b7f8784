use super::*;
use crate::pattern::{Context, PatternParameters};
use crate::patterns::{Matrix, Scale, Shift, Uniform};
use crate::sizes::Length;
use turnwise_network::topologies::{Topology, Torus};
use turnwise_network::{Network, one_by_one};

fn torus() -> Network {
    Torus {
        sizes: vec![4, 4],
        ..Torus::default()
    }
    .build(None)
    .unwrap()
}

fn uniform() -> Box<dyn Pattern> {
    Uniform::default()
        .build(&torus(), &Context::default())
        .unwrap()
}

fn class(pattern: Box<dyn Pattern>, share: f64, packet_flits: PacketFlits) -> TrafficClass {
    TrafficClass {
        pattern,
        share,
        packet_flits,
    }
}

fn mixed() -> PacketFlits {
    let length = |(flits, share)| Length { flits, share };
    PacketFlits::Mixed([(1, 0.8), (5, 0.2)].map(length).to_vec())
}

fn bursts() -> Injection {
    Injection::OnOff {
        mean_burst: 30.0,
        peak_load: 0.9,
    }
}

/// A terminal's packets before a cycle, with their classes.
fn packets(injector: &dyn Injector, terminal: u32, until: u64) -> Vec<(PacketRequest, usize)> {
    let (mut packets, mut after) = (Vec::new(), None);
    loop {
        let sequence = packets.len() as u32;
        let next = injector.next(TerminalId(terminal), sequence, after);
        let Some(packet) = next.filter(|packet| packet.created < until) else {
            return packets;
        };
        assert!(after.is_none_or(|after| packet.created > after));
        after = Some(packet.created);
        packets.push((packet, injector.class(TerminalId(terminal), sequence)));
    }
}

/// Flits per terminal and cycle, by class.
fn loads(injector: &dyn Injector, terminals: u32, until: u64) -> Vec<f64> {
    let mut loads = vec![0.0; injector.class_count()];
    for terminal in 0..terminals {
        for (packet, class) in packets(injector, terminal, until) {
            loads[class] += f64::from(packet.flits);
        }
    }
    let capacity = f64::from(terminals) * until as f64;
    loads.into_iter().map(|flits| flits / capacity).collect()
}

#[test]
fn the_mean_load_is_the_one_asked_for_whatever_the_process_and_the_lengths() {
    for (injection, flits) in [
        (Injection::Bernoulli, mixed()),
        (Injection::Periodic, mixed()),
        (Injection::Dithered, mixed()),
        (bursts(), mixed()),
        (bursts(), PacketFlits::Fixed(3)),
        (Injection::Periodic, PacketFlits::Fixed(3)),
    ] {
        let classes = vec![class(uniform(), 1.0, flits.clone())];
        let injector = open_loop(classes, injection, 0.3, 16, 7).unwrap();
        let load = loads(&*injector, 16, 60_000)[0];
        // Bursts of 30 cycles spread the load's mean most, by 0.4 % here.
        assert!(
            (load - 0.3).abs() < 0.005,
            "{injection:?} {flits:?}: {load}"
        );
    }
}

#[test]
fn classes_have_their_shares_of_the_flits_and_their_own_destinations() {
    let shift = Shift::default()
        .build(&torus(), &Context::default())
        .unwrap();
    let target = shift.destination(TerminalId(3), &mut Random::new(1, Purpose::Other, 0, 0));
    let classes = [
        class(uniform(), 0.25, PacketFlits::Fixed(1)),
        class(shift, 0.75, PacketFlits::Fixed(6)),
    ];
    for injection in [Injection::Bernoulli, bursts()] {
        let classes = classes
            .iter()
            .enumerate()
            .map(|(index, known)| {
                let pattern = match index {
                    0 => uniform(),
                    _ => Shift::default()
                        .build(&torus(), &Context::default())
                        .unwrap(),
                };
                class(pattern, known.share, known.packet_flits.clone())
            })
            .collect();
        let injector = open_loop(classes, injection, 0.4, 16, 7).unwrap();
        let loads = loads(&*injector, 16, 100_000);
        assert!((loads[0] - 0.1).abs() < 0.003, "{injection:?}: {loads:?}");
        assert!((loads[1] - 0.3).abs() < 0.006, "{injection:?}: {loads:?}");
        for (packet, class) in packets(&*injector, 3, 10_000) {
            assert_eq!(packet.flits, [1, 6][class]);
            assert!(class == 0 || Some(packet.destination) == target);
        }
    }
}

/// Sources that send less have their own rates, with tables for few of them and without for many.
#[test]
fn a_matrix_scales_the_load_of_every_source() {
    for side in [4_u32, 9] {
        let network = Torus {
            sizes: vec![side, side],
            ..Torus::default()
        }
        .build(None)
        .unwrap();
        let terminals = side * side;
        let mut text = String::from("source,destination,weight\n");
        for source in 0..terminals {
            let to = (source + 1) % terminals;
            text.push_str(&format!("{source},{to},{}\n", source + 1));
        }
        let matrix = Matrix {
            file: "m.csv".into(),
            scale: Scale::Max,
        };
        let context = Context {
            file: Some(&text),
            ..Context::default()
        };
        for injection in [
            Injection::Bernoulli,
            bursts(),
            Injection::Periodic,
            Injection::Dithered,
        ] {
            let pattern = matrix.build(&network, &context).unwrap();
            let classes = vec![class(pattern, 1.0, PacketFlits::Fixed(1))];
            let injector = open_loop(classes, injection, 0.5, terminals as usize, 7).unwrap();
            for source in [0, terminals / 2, terminals - 1] {
                let sent = packets(&*injector, source, 200_000).len() as f64;
                let expected = 100_000.0 * f64::from(source + 1) / f64::from(terminals);
                // Bursts of 30 cycles make the count's variance about fifty times that of a Poisson one.
                let error = 4.0 * (50.0 * expected).sqrt();
                assert!(
                    (sent - expected).abs() < error,
                    "{injection:?} {source}: {sent} of {expected}"
                );
            }
        }
    }
}

/// The general sources agree with the fast ones where both can be used.
#[test]
fn what_is_made_for_speed_makes_the_same_packets() {
    for load in [0.0, 0.02, 0.6, 1.0] {
        let general = Classes::new(
            vec![class(uniform(), 1.0, PacketFlits::Fixed(4))],
            Injection::Bernoulli,
            load,
            16,
            3,
        )
        .unwrap();
        let fast = OpenLoop::new(uniform(), load, 4, 3).unwrap();
        for terminal in (0..16).map(TerminalId) {
            let (mut one, mut other) = (
                [PacketRequest::default(); 20],
                [PacketRequest::default(); 20],
            );
            let made = one_by_one(&general, terminal, 0, None, &mut one);
            assert_eq!(fast.next_few(terminal, 0, None, &mut other), made);
            assert_eq!(one[..made], other[..made]);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_on_its_field() {
    let field = |classes, injection, load| {
        let built = open_loop(classes, injection, load, 16, 1);
        built.err().map(|error| error.place)
    };
    let one = |flits| vec![class(uniform(), 1.0, flits)];
    let named = |field: &str| Some(field.to_owned());
    assert_eq!(
        field(one(PacketFlits::Fixed(0)), Injection::Bernoulli, 0.1),
        named("packet_flits")
    );
    assert_eq!(
        field(one(mixed()), Injection::Bernoulli, -0.1),
        named("load")
    );
    assert_eq!(field(one(mixed()), bursts(), 0.95), named("load"));
    let two = |share, flits| {
        vec![
            class(uniform(), 0.5, PacketFlits::Fixed(1)),
            class(uniform(), share, PacketFlits::Fixed(flits)),
        ]
    };
    assert_eq!(
        field(two(0.4, 1), Injection::Bernoulli, 0.1),
        named("classes")
    );
    assert_eq!(
        field(two(0.5, 0), Injection::Bernoulli, 0.1),
        named("classes[1].packet_flits")
    );
    assert_eq!(field(two(0.5, 2), Injection::Bernoulli, 0.1), None);
}
