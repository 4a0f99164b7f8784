//! Routes of ours that change lanes.

use crate::irregular::{built, most_loaded};
use std::sync::Arc;
use turnwise_network::topologies::{RandomRegular, Topology};
use turnwise_routing::algorithms::{Deployment, Turnwise};

/// Lanes are changed to need fewer of them: who needs more has to carry more. Of these graphs some once took three where two are enough.
#[test]
fn more_lanes_than_without_changes_are_for_more_traffic() {
    for seed in 0..40 {
        let random = RandomRegular {
            routers: 16,
            degree: 3,
            seed,
            ..RandomRegular::default()
        };
        let network = Arc::new(random.build(None).unwrap());
        let [kept, changed] = [Deployment::Layered, Deployment::Transitions].map(|deployment| {
            let ours = Turnwise {
                deployment,
                ..Turnwise::default()
            };
            let routing = built(&ours, &network);
            (most_loaded(&network, &*routing), routing.virtual_channels())
        });
        assert!(
            changed.1 <= kept.1 || changed.0 < kept.0,
            "{seed}: {changed:?}, {kept:?} without changes"
        );
    }
}

/// And lanes that are left stay free, where routes keep to theirs after all.
#[test]
fn lanes_that_are_not_needed_stay_free() {
    let random = RandomRegular {
        routers: 16,
        degree: 3,
        seed: 15,
        ..RandomRegular::default()
    };
    let network = Arc::new(random.build(None).unwrap());
    let ours = Turnwise {
        virtual_lanes: Some(8),
        deployment: Deployment::Transitions,
        ..Turnwise::default()
    };
    let routing = built(&ours, &network);
    let tables = routing
        .forwards()
        .expect("these routes keep to their lanes");
    let levels = network.terminals().flat_map(|from| {
        let others = network.terminals().filter(move |&to| to != from);
        others.map(move |to| tables.service_level(from, to))
    });
    assert_eq!(levels.max(), Some(1));
}
