use super::*;
use turnwise_network::Faults;
use turnwise_network::random::Purpose;
use turnwise_network::topologies::{Topology, Torus};

fn ring(size: u32) -> Network {
    Torus {
        sizes: vec![size],
        ..Torus::default()
    }
    .build(None)
    .unwrap()
}

fn built(
    text: &str,
    network: &Network,
    scale: Scale,
    send_to_self: bool,
) -> Result<Box<dyn Pattern>, Invalid> {
    let matrix = Matrix {
        file: "m.csv".into(),
        scale,
    };
    let context = Context {
        send_to_self,
        file: Some(text),
        ..Context::default()
    };
    matrix.build(network, &context)
}

fn counts(pattern: &dyn Pattern, source: u32, terminals: usize) -> Vec<f64> {
    let mut counts = vec![0.0; terminals];
    for packet in 0..40_000 {
        let mut rng = Random::new(1, Purpose::Injection, source, packet);
        if let Some(destination) = pattern.destination(TerminalId(source), &mut rng) {
            counts[destination.index()] += 1.0;
        }
    }
    counts
}

const DENSE: &str = "0, 3, 1\n# a comment\n0.5, 7, 0.5   # and another\n\n0,0,0\n";
const PAIRS: &str = "source, destination, weight\n1,2,0.5\n0,1,3\n0,2,1\n1,1,7\n1,0,0.5\n2,0,0\n";

#[test]
fn destinations_come_in_their_shares_from_either_form() {
    for text in [
        DENSE,
        PAIRS,
        &DENSE.replace('\n', "\r\n"),
        &format!("\u{feff}{PAIRS}"),
    ] {
        let pattern = built(text, &ring(3), Scale::Max, false).unwrap();
        let first = counts(&*pattern, 0, 3);
        assert_eq!((first[0], first[1] + first[2]), (0.0, 40_000.0));
        assert!(
            (first[1] - 30_000.0).abs() < 4.0 * f64::sqrt(7_500.0),
            "{first:?}"
        );
        let second = counts(&*pattern, 1, 3);
        assert!(
            (second[0] - 20_000.0).abs() < 400.0 && second[1] == 0.0,
            "{second:?}"
        );
        assert_eq!(counts(&*pattern, 2, 3), [0.0; 3]);
    }
}

#[test]
fn the_busiest_source_or_every_source_offers_the_full_load() {
    let shares = |scale, send_to_self| {
        let pattern = built(DENSE, &ring(3), scale, send_to_self).unwrap();
        [0, 1].map(|source| pattern.share(TerminalId(source)))
    };
    assert_eq!(shares(Scale::Max, false), [1.0, 0.25]);
    assert_eq!(shares(Scale::Max, true), [0.5, 1.0]);
    assert_eq!(shares(Scale::Row, false), [1.0, 1.0]);
}

#[test]
fn the_dead_neither_send_nor_receive() {
    let faults = Faults {
        terminals: vec![1],
        ..Faults::default()
    };
    let network = ring(3).without(&faults).unwrap();
    let pattern = built(DENSE, &network, Scale::Max, false).unwrap();
    assert_eq!(counts(&*pattern, 0, 3), [0.0, 0.0, 40_000.0]);
    assert_eq!(counts(&*pattern, 1, 3), [0.0; 3]);
}

#[test]
fn what_is_wrong_has_its_line_and_column() {
    let network = ring(3);
    for (text, place, word) in [
        ("0,1,2\n3,x,4\n5,6,7\n", "m.csv:2:3:", "`x`"),
        ("0,1,2\n3,-1,4\n5,6,7\n", "m.csv:2:3:", "0 or more"),
        ("0,1,2\n3,nan,4\n5,6,7\n", "m.csv:2:3:", "0 or more"),
        ("0,1,2\n3,1e300,4\n5,6,7\n", "m.csv:2:3:", "0 or more"),
        ("0,1,2\n3,4\n5,6,7\n", "m.csv:2:1:", "this row has 2"),
        ("0,1,2\n3,4,5,6\n5,6,7\n", "m.csv:2:7:", "one weight more"),
        ("0,1,2\n3,4,5\n", "m.csv:3:1:", "there are 2 rows"),
        ("0,1,2\n3,4,5\n6,7,8\n1,1,1\n", "m.csv:4:1:", "one row more"),
        ("", "m.csv:1:1:", "there are 0 rows"),
        (
            "source,destination,weight\n0,3,1\n",
            "m.csv:2:3:",
            "no terminal 3",
        ),
        (
            "source,destination,weight\n0,1\n",
            "m.csv:2:4:",
            "end of the line",
        ),
        ("source,destination,weight\n0,1,2,3\n", "m.csv:2:7:", "`3`"),
        (
            "source,destination,weight\n0,1,2\n1,0,1\n0,1,0\n",
            "m.csv:4:1:",
            "twice",
        ),
        (
            "source,destination,weight\n",
            "m.csv: ",
            "no terminal sends",
        ),
        ("1,0,0\n0,1,0\n0,0,1\n", "m.csv: ", "no terminal sends"),
    ] {
        let Err(error) = built(text, &network, Scale::Max, false) else {
            panic!("{text:?} is accepted");
        };
        let message = error.to_string();
        assert!(
            message.contains(place) && message.contains(word),
            "{text:?}: {message}"
        );
    }
}
