//! Files that nobody would write: real ones with pieces torn out, doubled, swapped, or replaced by what readers trip over.
//!
//! No reader may panic, hang, or take much memory, and whoever refuses says in which file, line and column, unless all of it is too large. 20,000 files, or as many as `TURNWISE_SOAK_FILES`
//! says, from `PROPTEST_RNG_SEED`.

#![allow(clippy::unwrap_used)]

use turnwise_config::Flaw;
use turnwise_network::formats::infiniband::{levels, lft, sl2vl};
use turnwise_network::formats::{WRITERS, read_fabric};
use turnwise_network::random::{Purpose, Random};
use turnwise_network::topologies::{REGISTRY, Topology};

#[allow(dead_code)]
mod common;

/// Longer files are cut, so that more of them can be read.
const LENGTH: usize = 3000;

/// What readers trip over.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1e9",
    "4294967295",
    "4294967296",
    "99999999999999999999",
    "0x",
    "0xffffffffffffffff",
    "0xffff",
    "255",
    "254",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "/>",
    "<!--",
    "&amp;",
    "&",
    "=",
    ":",
    ",",
    "#",
    "\\",
    "\0",
    "\r",
    "\r\n",
    "\n\n",
    "\t",
    "\u{feff}",
    "\u{1f600}",
    "ß",
    "routers",
    "router 0",
    "node 7",
    "terminals",
    "Switch 4 \"S\"\n",
    "Ca 1 \"H\"\n",
    "[1]",
    "lid",
    "lmc 7",
    "Unicast lids [0x0-0x19] of switch Lid 0 guid 0x5 (a):\n",
    "0x0001 001",
    "qos-match-rule",
    "source:",
    "end-qos-match-rule",
    "port-guid: 0x5\n",
    "null",
    "[[[[[[[[",
    "{\"routers\":",
    "<node id='0'>",
];

/// Something that reads a text, and its complaint.
type Reader = Box<dyn Fn(&str) -> Option<String>>;

fn readers() -> Vec<Reader> {
    let mut all: Vec<Reader> = Vec::new();
    for &(kind, rows) in common::examples::EXAMPLES {
        let table = common::written::read(&format!("kind = \"{kind}\"\n{}", rows[0]));
        let topology = turnwise_config::registry::parse(REGISTRY, &table, "kind", &mut Vec::new());
        let topology: Box<dyn Topology> = topology.unwrap();
        if let Some(file) = topology.file().map(str::to_owned) {
            all.push(Box::new(move |text| {
                let complaint = topology.build(Some(text)).err()?;
                assert!(complaint.message.starts_with(&file), "{complaint}");
                Some(complaint.message)
            }));
        }
    }
    let placed = |flaw: Flaw, text: &str| flaw.in_file_of("file", "subnet.txt", text).message;
    all.push(Box::new(move |text| {
        Some(placed(read_fabric(text).err()?, text))
    }));
    all.push(Box::new(move |text| {
        Some(placed(lft::read(text).err()?, text))
    }));
    all.push(Box::new(move |text| {
        Some(placed(levels::read(text).err()?, text))
    }));
    all.push(Box::new(move |text| {
        Some(placed(sl2vl::read(text).err()?, text))
    }));
    all
}

/// What every writer makes of small networks, and what real tools have written.
fn samples() -> Vec<Vec<char>> {
    let zoo = common::zoo();
    let written = WRITERS.iter().flat_map(|writer| {
        let texts = zoo
            .iter()
            .filter_map(|network| (writer.write)(network).ok());
        texts.filter(|text| text.len() < 2 * LENGTH).take(3)
    });
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/reference/opensm");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let real = files
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap());
    let texts = written.chain(real);
    texts
        .map(|text| text.chars().take(LENGTH).collect())
        .collect()
}

/// The reader that gets furthest into a text, which may have been cut.
fn reader_of(text: &[char], readers: &[Reader]) -> usize {
    let text: String = text.iter().collect();
    let lines = |complaint: Option<String>| match complaint {
        None => usize::MAX,
        Some(message) => {
            let mut parts = message.split(':');
            parts.find_map(|part| part.parse().ok()).unwrap_or(0)
        }
    };
    let reach = |&number: &usize| (lines(readers[number](&text)), std::cmp::Reverse(number));
    (0..readers.len()).max_by_key(reach).unwrap()
}

/// A text with some pieces changed, and of which sample it is.
fn mangled(samples: &[Vec<char>], rng: &mut Random) -> (String, usize) {
    let below = |rng: &mut Random, count: usize| rng.below(count.max(1) as u32) as usize;
    let sample = below(rng, samples.len());
    let mut text = samples[sample].clone();
    for _ in 0..1 + rng.below(5) {
        let at = below(rng, text.len() + 1);
        let end = (at + below(rng, 60)).min(text.len());
        let piece: Vec<char> = text[at..end].to_vec();
        let other = &samples[below(rng, samples.len())];
        match rng.below(7) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, piece)),
            2 => drop(text.splice(at..end, WORDS[below(rng, WORDS.len())].chars())),
            3 => {
                let from = below(rng, other.len());
                let to = (from + below(rng, 200)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            4 => text.truncate(at),
            5 => {
                // A number in the place of another one.
                let digits = text[at..]
                    .iter()
                    .position(char::is_ascii_digit)
                    .map_or(at, |next| at + next);
                let after = text[digits..]
                    .iter()
                    .position(|letter| !letter.is_ascii_hexdigit());
                let after = after.map_or(text.len(), |next| digits + next);
                text.splice(digits..after, WORDS[below(rng, 11)].chars());
            }
            _ => {
                if let Some(letter) = text.get_mut(at) {
                    *letter = char::from(rng.below(128) as u8);
                }
            }
        }
    }
    (text.into_iter().collect(), sample)
}

/// Does a complaint begin with a file, a line and a column?
fn is_placed(message: &str) -> bool {
    let places = message.split(':').skip(1).take(2);
    places.filter(|place| place.parse::<u32>().is_ok()).count() == 2
}

fn set(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_file_makes_a_reader_panic_or_hang_or_take_much() {
    let (readers, samples) = (readers(), samples());
    assert!(readers.len() >= 9 && samples.len() > 20);
    let proper: Vec<usize> = samples
        .iter()
        .map(|text| reader_of(text, &readers))
        .collect();
    let seed = set("PROPTEST_RNG_SEED").unwrap_or(1);
    let (mut refused, mut read) = (0u64, 0u64);
    for number in 0..set("TURNWISE_SOAK_FILES").unwrap_or(20_000) {
        let mut rng = Random::new(seed, Purpose::Other, number as u32, (number >> 32) as u32);
        let (text, sample) = mangled(&samples, &mut rng);
        let reader = match rng.below(5) {
            0 => rng.below(readers.len() as u32) as usize,
            _ => proper[sample],
        };
        match readers[reader](&text) {
            Some(message) => {
                let is_too_large = |words| message.contains(words);
                assert!(
                    is_placed(&message)
                        || ["at most", "this network would have"]
                            .into_iter()
                            .any(is_too_large),
                    "{message} in {text}"
                );
                refused += 1;
            }
            None => read += 1,
        }
    }
    assert!(refused > 0 && read > 0, "{refused} refused, {read} read");
    // What the process has ever taken, where that can be known.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let most = most.and_then(|most| most.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    assert!(most.unwrap_or(0) < 256 << 10, "{most:?} kB");
}
