//! Every unit there is, and every text that is none.

use super::known::{Dimension, UNITS, Unit};
use super::{Clock, FlitSize, KEY, Quantity, Scale};
use crate::diagnostic::Invalid;
use crate::document::Kind;
use proptest::prelude::*;

/// A cycle of 0.8 ns, flits of 20 B: 200 Gb/s.
fn scale() -> Scale {
    Scale {
        clock: Clock::parse("1.25 GHz").ok(),
        flit_size: FlitSize::parse("20 B").ok(),
    }
}

fn count(text: &str, quantity: Quantity) -> Result<Option<Kind>, Invalid> {
    let count = scale().count(text, quantity)?;
    Ok(count.map(|count| count.number))
}

fn integer(text: &str, quantity: Quantity) -> i64 {
    match count(text, quantity) {
        Ok(Some(Kind::Integer(number))) => number,
        other => panic!("{text}: {other:?}"),
    }
}

fn float(text: &str, quantity: Quantity) -> f64 {
    match count(text, quantity) {
        Ok(Some(Kind::Float(number))) => number,
        other => panic!("{text}: {other:?}"),
    }
}

fn message(text: &str, quantity: Quantity) -> String {
    let invalid = count(text, quantity).unwrap_err();
    assert_eq!(invalid.place, "");
    format!("{} ({})", invalid.message, invalid.help.unwrap_or_default())
}

#[test]
fn bytes_need_no_flits() {
    let count = |text: &str| Scale::default().count(text, Quantity::Bytes);
    let bytes = |text: &str| count(text).unwrap().unwrap().number;
    assert_eq!(bytes("4 KiB"), Kind::Integer(4096));
    assert_eq!(bytes("1.5 kB"), Kind::Integer(1500));
    assert_eq!(bytes("16 bit"), Kind::Integer(2));
    // Readers say that there is no half of one.
    assert_eq!(bytes("4 bit"), Kind::Float(0.5));
    let invalid = count("4 flits").unwrap_err();
    assert_eq!(invalid.message, "expected a size, found a number of flits");
    assert_eq!(
        invalid.help.as_deref(),
        Some("the units here are: `bit`, `B`, `kB`, `MB`, `GB`, `KiB`, `MiB` and `GiB`")
    );
}

#[test]
fn times_are_cycles() {
    use Quantity::{Cycles, Time};
    for text in [
        "8 ns",
        "8ns",
        " 8.00  ns ",
        "0.008 us",
        "8000 ps",
        "10 cycles",
        "0.008 \u{b5}s",
    ] {
        assert_eq!(integer(text, Cycles), 10, "{text}");
    }
    assert_eq!(integer("1 ms", Cycles), 1_250_000);
    assert_eq!(integer("0 ns", Cycles), 0);
    assert_eq!(float("1 ns", Time), 1.25);
    assert_eq!(integer("4 ns", Time), 5);
}

#[test]
fn what_is_not_whole_is_rounded_up_and_says_so() {
    let rounded = |text: &str, quantity| {
        let count = scale().count(text, quantity).unwrap().unwrap();
        (count.number, count.exactly)
    };
    let cycles = rounded("10 ns", Quantity::Cycles);
    assert_eq!(cycles, (Kind::Integer(13), Some(12.5)));
    // The least bit of time takes a cycle.
    let least = rounded("0.000001 ns", Quantity::Cycles);
    assert_eq!(least.0, Kind::Integer(1));
    assert_eq!(
        rounded("1 B", Quantity::Flits),
        (Kind::Integer(1), Some(0.05))
    );
    assert_eq!(rounded("8 ns", Quantity::Cycles).1, None);
    // Nobody who counts in cycles is corrected: the field's reader says that half a cycle is none.
    assert_eq!(float("1.5 cycles", Quantity::Cycles), 1.5);
    assert_eq!(float("1.5 flits", Quantity::Flits), 1.5);
}

#[test]
fn sizes_are_flits_and_rates_are_loads() {
    assert_eq!(integer("1500 B", Quantity::Flits), 75);
    assert_eq!(integer("320 bits", Quantity::Flits), 2);
    assert_eq!(integer("1 KiB", Quantity::Flits), 52);
    assert_eq!(integer("1 kB", Quantity::Flits), 50);
    for text in [
        "80 Gb/s",
        "80Gbps",
        "80 Gbit/s",
        "10 GB/s",
        "80000 Mb/s",
        "0.4 flits/cycle",
    ] {
        assert_eq!(float(text, Quantity::Load), 0.4, "{text}");
    }
    assert_eq!(float("200 Gb/s", Quantity::Load), 1.0);
}

#[test]
fn other_texts_are_left_to_their_readers() {
    for text in [
        "round-trip",
        "",
        "  ",
        "16",
        "1e3",
        "-1",
        "nan",
        "inf",
        ".",
        "-",
        "batched",
    ] {
        assert_eq!(count(text, Quantity::Cycles), Ok(None), "{text:?}");
    }
}

#[test]
fn what_makes_no_sense_is_said_with_advice() {
    use Quantity::{Cycles, Flits, Load};
    let cases = [
        (
            "10 nss",
            Cycles,
            "unknown unit `nss` in \"10 nss\" (did you mean `ns`? the units are: `cycles`, `s`",
        ),
        (
            "10 NS",
            Cycles,
            "unknown unit `NS` in \"10 NS\" (did you mean `ns`?",
        ),
        (
            "40 gb/s",
            Load,
            "unknown unit `gb/s` in \"40 gb/s\" (did you mean `Gb/s`?",
        ),
        (
            "10 ns",
            Load,
            "expected a load or a data rate, found a time (the units here are: `flits/cycle`, `b/s`",
        ),
        (
            "40 Gb/s",
            Flits,
            "expected a number of flits or a size, found a data rate",
        ),
        (
            "4 KiB",
            Cycles,
            "expected a number of cycles or a time, found a size",
        ),
        (
            "1 GHz",
            Cycles,
            "expected a number of cycles or a time, found a frequency",
        ),
        ("-3 ns", Cycles, "\"-3 ns\" is less than nothing"),
        (
            "1.2.3 ns",
            Cycles,
            "expected a number and a unit, found \"1.2.3 ns\"",
        ),
        ("1e3 ns", Cycles, "unknown unit `e3 ns` in \"1e3 ns\""),
        ("1 ns ns", Cycles, "unknown unit `ns ns`"),
        (
            "1234567890123456789 ns",
            Cycles,
            "expected a number and a unit",
        ),
        (
            "999999999999999999 s",
            Cycles,
            "\"999999999999999999 s\" is more, or has more digits, than can be counted",
        ),
        ("999999999999 GiB", Flits, "\"999999999999 GiB\" is more"),
    ];
    for (text, quantity, expected) in cases {
        let said = message(text, quantity);
        assert!(said.starts_with(expected), "{text}: {said}");
    }
}

#[test]
fn what_is_not_known_is_asked_for() {
    let nothing = Scale::default();
    let said = |scale: Scale, text: &str, quantity| {
        let invalid: Invalid = scale.count(text, quantity).unwrap_err();
        format!("{} ({})", invalid.message, invalid.help.unwrap_or_default())
    };
    assert_eq!(
        said(nothing, "10 ns", Quantity::Cycles),
        "\"10 ns\" means nothing before the study says how long a cycle is (add to [study], for example: clock = \"1 GHz\")"
    );
    let clock = Scale {
        flit_size: None,
        ..scale()
    };
    assert_eq!(
        said(clock, "40 Gb/s", Quantity::Load),
        "\"40 Gb/s\" means nothing before the study says how large a flit is (add to [study], for example: flit_size = \"32 B\")"
    );
    assert!(said(nothing, "40 Gb/s", Quantity::Load).contains("cycle is and how large"));
    assert!(nothing.count("10 cycles", Quantity::Cycles).is_ok());
    assert!(clock.count("10 ns", Quantity::Cycles).is_ok());
}

#[test]
fn clocks_and_flits_are_positive_and_whole() {
    assert_eq!(Clock::parse("1.25 GHz"), Clock::parse("0.8 ns"));
    assert_eq!(Clock::parse("800 ps"), Clock::parse("1250 MHz"));
    assert_eq!(FlitSize::parse("32 B"), FlitSize::parse("256 bit"));
    let wrong = [
        "0 GHz",
        "0 ns",
        "2 s",
        "1",
        "",
        "GHz",
        "1 GHZ",
        "32 B",
        "0.1 fs",
        "-1 ns",
        "10 cycles",
        "NaN ns",
    ];
    for text in wrong {
        assert!(Clock::parse(text).unwrap_err().help.is_some(), "{text}");
    }
    for text in ["0 B", "0.5 bit", "2 GiB", "1 GHz", "4 flits", "32", ""] {
        assert!(FlitSize::parse(text).is_err(), "{text}");
    }
    assert_eq!(scale().nanoseconds(), Some(0.8));
    assert_eq!(scale().gigabits(), Some(200.0));
}

#[test]
fn names_of_units_and_quantities_are_unique() {
    let mut names: Vec<&str> = UNITS.iter().flat_map(|unit| unit.names).copied().collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
    for quantity in Quantity::ALL {
        assert_eq!(Quantity::named(quantity.name()), Some(quantity));
    }
    assert_eq!(KEY, "x-unit");
}

fn any_unit() -> impl Strategy<Value = (&'static Unit, &'static str)> {
    let all: Vec<_> = UNITS
        .iter()
        .flat_map(|unit| unit.names.iter().map(move |name| (unit, *name)))
        .collect();
    prop::sample::select(all)
}

proptest! {
    /// Every unit, however it is spelt, is what the table says: by integers alone.
    #[test]
    fn every_unit_is_what_it_says((unit, name) in any_unit(), number in 1u64..1_000_000, blank in " {0,3}") {
        let text = format!("{number}{blank}{name}");
        for quantity in Quantity::ALL {
            let [counted, measured] = quantity.dimensions();
            let result = scale().count(&text, quantity);
            if ![counted, measured].contains(&unit.dimension) {
                prop_assert!(result.is_err(), "{}", text);
                continue;
            }
            // Seconds a cycle 4/5e9, bits a flit 160 and a byte 8, bits a second 200e9.
            let (size, per) = match unit.dimension {
                Dimension::Size if quantity == Quantity::Bytes => (8, 1),
                Dimension::Time => (4, 5_000_000_000u128),
                Dimension::Size => (160, 1),
                Dimension::Rate => (200_000_000_000, 1),
                _ => (1, 1),
            };
            let numerator = u128::from(number) * unit.size.0 * per;
            let denominator = unit.size.1 * size;
            let count = result.unwrap().unwrap();
            let exactly = numerator as f64 / denominator as f64;
            match count.number {
                Kind::Integer(whole) => prop_assert_eq!(whole as u128, numerator.div_ceil(denominator)),
                Kind::Float(load) => prop_assert!((load - exactly).abs() <= 1e-15 * exactly, "{}", text),
                other => prop_assert!(false, "{:?}", other),
            }
            prop_assert!(count.exactly.is_none_or(|own| (own - exactly).abs() <= 1e-15 * exactly));
        }
    }

    /// No text makes it panic, whatever it is for.
    #[test]
    fn no_text_makes_it_panic(text in "[-+.0-9a-zA-Z/\u{b5} ]{0,30}|\\PC*") {
        for quantity in Quantity::ALL {
            let _ = scale().count(&text, quantity);
            let _ = Scale::default().count(&text, quantity);
        }
        let (_, _) = (Clock::parse(&text), FlitSize::parse(&text));
    }
}
