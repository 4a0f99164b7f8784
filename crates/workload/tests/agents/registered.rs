//! Every workload of the registry, with every pattern that fits.

use crate::mock::{JITTER, run};
use crate::written::read;
use crate::{LIMIT, networks, parameters};
use turnwise_config::File;
use turnwise_config::registry::{Family, Registered, health, parse};
use turnwise_workload::{
    PatternParameters, REGISTRY, WORKLOADS, WorkloadEntry, WorkloadParameters,
};

/// A workload's example with each of the patterns, or as it is if it has none.
pub(crate) fn texts(line: &WorkloadEntry) -> Vec<String> {
    let entry = line.entry();
    let kind = format!("kind = \"{}\"\n", entry.name);
    if !line.has_pattern() {
        return vec![kind + entry.example];
    }
    let own: String = lines(entry.example, &|key| key != "pattern");
    let shared = <dyn PatternParameters>::SHARED;
    let patterns = REGISTRY
        .iter()
        .filter(|pattern| !pattern.example.contains("file"));
    let texts = patterns.flat_map(|pattern| {
        let of_pattern = lines(pattern.example, &|key| !shared.contains(&key));
        [false, true].map(|send_to_self| {
            format!(
                "{kind}pattern = \"{}\"\nsend_to_self = {send_to_self}\n{own}{of_pattern}",
                pattern.name
            )
        })
    });
    texts.collect()
}

fn lines(example: &str, wanted: &dyn Fn(&str) -> bool) -> String {
    let lines = example.lines().filter(|line| {
        let key = line.split('=').next().unwrap_or_default().trim();
        wanted(key)
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_registry_is_healthy_and_its_examples_parse() {
    assert_eq!(health(WORKLOADS), Vec::<String>::new());
    for entry in WORKLOADS.iter().map(Registered::entry) {
        let parameters = parameters(&format!("kind = \"{}\"\n{}", entry.name, entry.example));
        assert!(
            parameters.check().is_ok() && parameters.ends(),
            "{}",
            entry.name
        );
        assert!((1..=parameters.classes().len()).contains(&parameters.classes_apart().into()));
        let mut errors = Vec::new();
        let strange = read(&format!(
            "kind = \"{}\"\n{}\ncolour = 1",
            entry.name, entry.example
        ));
        assert!(parse(WORKLOADS, &strange, "kind", &mut errors).is_none());
        assert!(
            errors
                .iter()
                .any(|error| error.to_string().contains("colour")),
            "{errors:?}"
        );
        let schema = (entry.schema)();
        let properties = schema
            .pointer("/properties")
            .and_then(|fields| fields.as_object());
        let fields = properties.into_iter().flatten();
        for (name, field) in fields {
            assert!(field.get("description").is_some(), "{}: {name}", entry.name);
        }
    }
}

/// A field can only be read if it is clear whose it is.
#[test]
fn no_workload_has_a_field_that_a_pattern_has() {
    for entry in WORKLOADS
        .iter()
        .filter(|line| line.has_pattern())
        .map(Registered::entry)
    {
        let own = (entry.schema)();
        let own = own
            .pointer("/properties")
            .and_then(|fields| fields.as_object())
            .unwrap();
        for pattern in REGISTRY {
            let fields = (pattern.schema)();
            let fields = fields
                .pointer("/properties")
                .and_then(|fields| fields.as_object())
                .cloned();
            for name in fields.into_iter().flatten().map(|(name, _)| name) {
                assert!(
                    !own.contains_key(&name),
                    "{}, {}: {name}",
                    entry.name,
                    pattern.name
                );
            }
        }
    }
}

#[test]
fn every_workload_settles_on_every_network_with_every_pattern() {
    let (networks, mut settled) = (networks(), 0);
    for (line, network) in WORKLOADS
        .iter()
        .flat_map(|line| networks.iter().map(move |network| (line, network)))
    {
        for text in texts(line) {
            let parameters = parameters(&text);
            let files = files(line.entry().name, &*parameters);
            let Ok(workload) = parameters.build(network, 3, &files) else {
                continue;
            };
            let classes = parameters.classes().len() * parameters.jobs().len().max(1);
            assert_eq!(usize::from(workload.classes()), classes, "{text}");
            assert_eq!(workload.answers(), parameters.answers(), "{text}");
            assert_eq!(workload.longest_packet(), parameters.lengths().1, "{text}");
            let outcome = run(network, &*workload, LIMIT, JITTER);
            let name = format!("{text} on {}", network.description());
            assert!(outcome.makespan < LIMIT, "{name}");
            assert_eq!((outcome.refused, outcome.busy), (0, 0), "{name}");
            settled += 1;
        }
    }
    assert!(settled > 200, "{settled}");
}

/// What stands in the files of a workload that is read from some: a program of two ranks.
pub(crate) fn files(kind: &str, parameters: &dyn WorkloadParameters) -> Vec<File> {
    if parameters.files().is_empty() {
        return Vec::new();
    }
    let of_dumpi = [0, 1].map(rank_of_dumpi);
    let texts: Vec<&[u8]> = match kind {
        "goal" => vec![SCHEDULE.as_bytes()],
        "trace" => vec![
            b"turnwise-trace 1\nranks 2\ntime ns\ncontent calls\nrank 0\nsend 1 100000\nall-reduce 8\n\
              rank 1\nrecv 0 100000\ncompute 500\nall-reduce 8\nend",
        ],
        "simgrid" => vec![b"0 init\n1 init\n0 isend 1 7 5000\n1 recv 0 7 5000\n0 wait 0 1 7\n0 barrier\n1 barrier"],
        "htsim" => vec![b"Nodes 2\nConnections 2\n0->1 id 1 start 0 size 9000\n1->0 id 2 start 7000 size 40"],
        "dumpi" => vec![b"numprocs=2\nfileprefix=a", &of_dumpi[0], &of_dumpi[1]],
        // Metadata of version 1, and an all-reduce of 1000 bytes, at each.
        "chakra" => vec![NODE, NODE],
        kind => panic!("{kind} is read from a file, and there is none here"),
    };
    assert_eq!(parameters.files()[0].0, "file");
    let file = |(number, text): (usize, &&[u8])| File {
        name: format!("a.{number}.et"),
        bytes: text.to_vec().into(),
    };
    texts.iter().enumerate().map(file).collect()
}

/// A rank of two that sends a hundred bytes to the other or receives them, without times, and its index.
fn rank_of_dumpi(me: u8) -> Vec<u8> {
    let magic = b"\xff\xaa\xddDUMPI";
    let mut bytes = [
        &magic[..],
        &[0; 8],
        &[0, me, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 1 - me],
    ]
    .concat();
    bytes.extend([0, 0, 0, 7, 0, 2, 1, 37]);
    let header = bytes.len() as u64;
    bytes.extend([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
    bytes.extend(magic);
    for place in [header + 3, 0, 0, header, 8, 0, 0] {
        bytes.extend(place.to_be_bytes());
    }
    bytes
}

/// Those of the example's jobs together.
const RANKS_OF_JOBS: u32 = 8;
const NODE: &[u8] = b"\x03\n\x011\x21\x18\x07R\r\n\tcomm_typeH\x00R\x0e\n\tcomm_sizeH\xe8\x07";
const SCHEDULE: &str = "num_ranks 2\nrank 0 {\na: send 100000b to 1\nb: recv 40b from 1\nb requires a\n}\n\
                        rank 1 {\na: recv 100000b from 0\nb: send 40b to 0\nb irequires a\ncalc 500\n}";

#[test]
fn a_seed_fixes_everything() {
    for (line, network) in WORKLOADS.iter().zip(networks().iter().cycle()) {
        for text in texts(line) {
            let parameters = parameters(&text);
            let transactions = |seed| {
                let files = files(line.entry().name, &*parameters);
                let workload = parameters.build(network, seed, &files).ok()?;
                Some(run(network, &*workload, LIMIT, JITTER).transactions)
            };
            assert_eq!(transactions(1), transactions(1), "{text}");
        }
    }
}

/// What is said of the work is what is done, where every terminal has somebody to send to.
#[test]
fn the_flits_that_were_foretold_are_sent() {
    for line in WORKLOADS {
        let entry = line.entry();
        let parameters = parameters(&format!("kind = \"{}\"\n{}", entry.name, entry.example));
        for network in networks() {
            let terminals = network.living_terminals().count() as u32;
            let files = files(entry.name, &*parameters);
            let workload = parameters.build(&network, 3, &files);
            let program = parameters.as_program();
            let program = program.and_then(|program| program.program(terminals, &files).ok());
            let least = match parameters.jobs().is_empty() {
                true => program.map_or(0, |program| program.ranks()),
                false => RANKS_OF_JOBS,
            };
            if terminals < least {
                assert!(workload.is_err(), "{} on {terminals} terminals", entry.name);
                continue;
            }
            let flits = run(&network, &*workload.unwrap(), LIMIT, 0).flits as f64;
            let foretold =
                parameters.total_flits(terminals, &files).unwrap() * f64::from(terminals);
            let alone = terminals == 1 && flits == 0.0;
            assert!(
                alone || (flits - foretold).abs() < 1e-6,
                "{}: {flits}, {foretold}",
                entry.name
            );
        }
    }
}
