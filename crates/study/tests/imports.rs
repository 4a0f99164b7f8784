//! Configurations of other simulators that nobody would write: real ones with pieces torn out, doubled, or replaced by what readers trip over.
//!
//! No importer may panic or hang. Whoever refuses says where, within the text, and what is imported is a study, or one that is refused for
//! what it asks for. 5,000 configurations, or as many as `TURNWISE_SOAK_FILES` says, from `PROPTEST_RNG_SEED`.

use crate::stack::try_plan;
use std::fs;
use std::path::Path;
use turnwise_config::diagnostic::Diagnostic;
use turnwise_network::random::{Purpose, Random};
use turnwise_study::{Source, import};

/// What stands in the place of a piece.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "7",
    "0.1",
    "1e30",
    "4294967295",
    "9223372036854775808",
    "\"x\"",
    "\"\"",
    "true",
    "false",
    "null",
    "{}",
    "[]",
    "[[[[[[[[",
    "\"$&(/network)&$\"",
    "\"$&(/network/local_width)&$\"",
    "\"$$(x)$$\"",
    "\"",
    "{",
    "}",
    ",",
    ":",
    ";",
    "=",
    "//",
    "/*",
    "\\",
    "\\ud800",
    "\0",
    "\r\n",
    "\u{feff}",
    "\u{1f600}",
    "ß",
];

/// One of each simulator, and what SuperSim was given for one of its runs.
fn samples() -> Vec<Vec<char>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = [
        "studies/booksim.cfg",
        "studies/supersim.json",
        "tests/reference/supersim/configs/df9x4x2_iq_m1_minimal_ur.json",
    ];
    let texts = files.map(|file| fs::read_to_string(root.join(file)).unwrap());
    texts.map(|text| text.chars().collect()).into()
}

/// A text with some pieces changed.
fn mangled(samples: &[Vec<char>], rng: &mut Random) -> String {
    let below = |rng: &mut Random, count: usize| rng.below(count.max(1) as u32) as usize;
    let mut text = samples[below(rng, samples.len())].clone();
    for _ in 0..1 + rng.below(3) {
        let at = below(rng, text.len() + 1);
        let end = (at + below(rng, 40)).min(text.len());
        let piece: Vec<char> = text[at..end].to_vec();
        let word = WORDS[below(rng, WORDS.len())].chars();
        match rng.below(8) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, piece)),
            2 => drop(text.splice(at..end, word)),
            3 if rng.below(8) == 0 => text.truncate(at),
            // One value in the place of another one.
            _ => {
                let starts = text[at..].iter().position(|&letter| ":=".contains(letter));
                let start = starts.map_or(at, |place| at + place + 1);
                let ends = text[start..]
                    .iter()
                    .position(|&letter| ",;\n}".contains(letter));
                let end = ends.map_or(text.len(), |place| start + place);
                text.splice(start..end, word);
            }
        }
    }
    text.into_iter().collect()
}

/// Is the place of an error one in this text?
fn is_placed(error: &Diagnostic, text: &str) -> bool {
    error.place.is_none_or(|span| {
        let (start, end) = (span.start as usize, span.end as usize);
        span.source == 0 && start <= end && text.get(start..end).is_some()
    })
}

#[test]
fn no_configuration_makes_an_importer_panic_or_hang_or_print_what_is_no_study() {
    let samples = samples();
    let set = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let seed = set("PROPTEST_RNG_SEED").unwrap_or(1);
    let (mut refused, mut imported, mut fine) = (0u64, 0u64, 0u64);
    for number in 0..set("TURNWISE_SOAK_FILES").unwrap_or(5_000) {
        let mut rng = Random::new(seed, Purpose::Other, number as u32, (number >> 32) as u32);
        let text = mangled(&samples, &mut rng);
        let mut source = Source::empty();
        source.add("configuration", &text);
        match import::study("mangled", &source) {
            Ok(study) => {
                let errors = try_plan(&study).err().unwrap_or_default();
                assert!(
                    errors.iter().all(|error| is_placed(error, &study)),
                    "{errors:?} in\n{study}"
                );
                fine += u64::from(errors.is_empty());
                imported += 1;
            }
            Err(errors) => {
                assert!(!errors.is_empty(), "{text}");
                assert!(
                    errors.iter().all(|error| is_placed(error, &text)),
                    "{errors:?} in\n{text}"
                );
                refused += 1;
            }
        }
        import::is_one(&text);
    }
    assert!(
        refused > 500 && fine > 100,
        "{refused} refused, {fine} of {imported} imported fine"
    );
}
