//! What is read from studies.

use crate::written::read;
use crate::{MATRIX, counts, dragonfly, hypercube, parameters, without_routers, without_terminals};
use turnwise_config::registry::{health, parse};
use turnwise_network::TerminalId;
use turnwise_workload::{Context, REGISTRY};

#[test]
fn the_registry_is_healthy_and_its_examples_parse() {
    assert_eq!(health(REGISTRY), Vec::<String>::new());
    for entry in REGISTRY {
        let written = format!("pattern = \"{}\"\n{}", entry.name, entry.example);
        let mut errors = Vec::new();
        assert!(
            parse(REGISTRY, &read(&written), "pattern", &mut errors).is_some(),
            "{}: {errors:?}",
            entry.name
        );
        let mut errors = Vec::new();
        assert!(
            (entry.parse)(&read("colour = 1"), &mut errors).is_none(),
            "{}",
            entry.name
        );
        let schema = (entry.schema)();
        let properties = schema
            .pointer("/properties")
            .and_then(|properties| properties.as_object());
        let described = properties.is_none_or(|properties| {
            properties
                .values()
                .all(|property| property.get("description").is_some())
        });
        assert!(described, "{}: an undocumented field", entry.name);
    }
}

#[test]
fn group_modes_are_words_or_numbers() {
    let errors_of = |text: &str| {
        let mut errors = Vec::new();
        let written = format!("pattern = \"group-attack\"\ngroup_mode = {text}");
        parse(REGISTRY, &read(&written), "pattern", &mut errors);
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for good in ["\"half\"", "\"opposite\"", "3", "-3"] {
        assert!(errors_of(good).is_empty(), "{good}: {:?}", errors_of(good));
    }
    let wrong = errors_of("\"hlaf\"");
    assert!(wrong.len() == 1 && wrong[0].contains("half"), "{wrong:?}");
    assert_eq!(errors_of("0.5").len(), 1);
}

/// Every pattern on a damaged network: whether a terminal sends does not depend on the
/// rng, and nobody dead is involved.
#[test]
fn every_pattern_lives_with_faults() {
    let networks = [
        without_routers(&dragonfly(), &[0, 5, 17]),
        without_routers(&hypercube(6), &[1, 2, 60]),
        without_terminals(&dragonfly(), &[0, 11, 34]),
        without_terminals(&hypercube(6), &[1, 2, 60]),
    ];
    for (entry, network) in REGISTRY
        .iter()
        .flat_map(|entry| networks.iter().map(move |network| (entry, network)))
    {
        let parameters = parameters(entry, "").or_else(|| parameters(entry, entry.example));
        let context = Context {
            file: Some(MATRIX),
            ..Context::default()
        };
        let Some(Ok(pattern)) = parameters.map(|known| known.build(network, &context)) else {
            continue;
        };
        for source in 0..network.terminal_count() as u32 {
            let counts = counts(&*pattern, network, source, 50);
            let sent: u32 = counts.iter().sum();
            assert!(
                sent == 0 || sent == 50,
                "{}: {source} sends {sent}",
                entry.name
            );
            assert!(
                sent == 0 || network.is_terminal_alive(TerminalId(source)),
                "{}",
                entry.name
            );
            let to_dead = network
                .terminals()
                .filter(|&terminal| !network.is_terminal_alive(terminal));
            assert_eq!(
                to_dead
                    .map(|terminal| counts[terminal.index()])
                    .sum::<u32>(),
                0,
                "{}",
                entry.name
            );
            assert_eq!(counts[source as usize], 0, "{}", entry.name);
        }
    }
}
