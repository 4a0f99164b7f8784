//! The number of threads changes nothing but the time a simulation takes.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

mod configurations;
mod toys;

use configurations::{difference, sample, talks};
use toys::{Adaptive, Classes, DimensionOrder, Toys, Uniform};
use turnwise_sim::{Ending, Outcome, Phases, RouterModel};

/// How many random configurations: more in a soak, see `scripts/soak.sh`.
fn count() -> usize {
    let wanted = std::env::var("TURNWISE_SOAK_CONFIGURATIONS");
    wanted.map_or(50, |count| count.parse().unwrap())
}

#[test]
fn one_to_four_threads_agree() {
    for configuration in sample(count(), 29) {
        let network = configuration.network();
        let routing = configuration.routing(&network);
        let injector = configuration.injector(&network);
        let toys = configuration.toys(&network, &*routing, &injector);
        let alone = toys.run_on(1);
        for threads in 2..=4 {
            let difference = difference(&alone, &toys.run_on(threads));
            assert_eq!(difference, None, "{threads} threads, {configuration:?}");
        }
    }
}

/// Routers tell each other what they see, over channels and after a time of their own. Any router, any
/// network.
#[test]
fn one_to_four_threads_hear_the_same() {
    let (mut heard, mut configurations) = (0, 0);
    for (configuration, talk) in sample(count(), 31).into_iter().zip(talks()) {
        let network = configuration.network();
        let routing = configuration.informed(&network, talk);
        let injector = configuration.injector(&network);
        let toys = configuration.toys(&network, &routing, &injector);
        let alone = toys.run_on(1);
        for threads in 2..=4 {
            let difference = difference(&alone, &toys.run_on(threads));
            assert_eq!(
                difference, None,
                "{threads} threads, {talk:?}, {configuration:?}"
            );
        }
        let deaf = Adaptive::new(&network, configuration.model.virtual_channels);
        let deaf = configuration.toys(&network, &deaf, &injector);
        heard += usize::from(difference(&alone, &deaf.run_on(1)).is_some());
        configurations += 1;
    }
    // Many are too small, or too quiet, for two shortest ways to differ.
    assert!(heard * 4 > configurations, "{heard} of {configurations}");
}

/// A torus large enough for domains that have an inside.
fn torus(classes: Classes, load: f64, latency: u32, threads: usize) -> Outcome {
    let network = toys::torus_with(&[8, 8], 1, latency, 1);
    let model = RouterModel {
        virtual_channels: 2,
        buffer_flits: 4,
        ..RouterModel::default()
    };
    let routing = DimensionOrder {
        network: &network,
        vcs: 2,
        classes,
    };
    let injector = Uniform {
        terminals: 64,
        load,
        flits: 5,
        seed: 8,
    };
    let phases = Phases {
        warmup: 500,
        measure: 1_000,
        drain: true,
        limit: 100_000,
    };
    let toys = Toys {
        network: &network,
        routing: &routing,
        injector: &injector,
        model: &model,
        phases: &phases,
        seed: 5,
    };
    toys.run_on(threads)
}

#[test]
fn packets_cross_between_domains_while_they_are_cut_through() {
    for latency in [1, 2, 30] {
        let alone = torus(Classes::Dateline, 0.3, latency, 1);
        assert_eq!(alone.ending, Ending::Completed);
        for threads in [2, 3] {
            let together = torus(Classes::Dateline, 0.3, latency, threads);
            assert_eq!(difference(&alone, &together), None, "{threads} threads");
        }
    }
}

#[test]
fn a_deadlock_across_domains_is_found_in_the_same_cycle() {
    let alone = torus(Classes::None, 1.0, 1, 1);
    assert!(
        matches!(&alone.ending, Ending::Deadlocked(_)),
        "{:?}",
        alone.ending
    );
    let together = torus(Classes::None, 1.0, 1, 3);
    assert_eq!(difference(&alone, &together), None);
}
