//! Dead channels and routers of dragonflies and megaflies, under every algorithm of the registry that is made for these: whatever is
//! dead costs bandwidth, and never a hang or a silent loss.
//!
//! Every pair that is connected is routed and proved, or the verifier says which are not, and a simulation that meets one of these
//! ends and says so. Where only channels inside a dragonfly's group are dead nobody loses a pair, and where packets may make detours
//! nobody does for channels between groups or routers either.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack::{plan, simulate};
use turnwise_network::{ChannelClass, FlowControl, Network, Shape};
use turnwise_routing::REGISTRY;
use turnwise_sim::Ending;
use turnwise_verify::analyse;

/// The algorithms of the registry that are made for networks of groups.
fn made_for(shape: &Shape) -> impl Iterator<Item = &'static str> {
    let all = REGISTRY.iter();
    let own = all.filter(move |entry| (entry.fits)(shape) && !(entry.fits)(&Shape::Graph));
    own.map(|entry| entry.name)
}

fn text(network: &str, faults: &str, routing: &str) -> String {
    format!(
        "[network]\n{network}\n{faults}\n[routing]\nkind = '{routing}'\n[traffic]\npattern = 'uniform'\nload = 0.2\n\
         [simulation]\nwarmup_cycles = 200\nmeasure_cycles = 400\ncycles_limit = 20_000\n"
    )
}

fn built(network: &str) -> Network {
    let plan = plan(&text(network, "", "minimal"));
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    (*experiment.routed.network).clone()
}

/// The links of a class, each once.
fn links(network: &Network, class: ChannelClass) -> Vec<[u32; 2]> {
    let of_class = network
        .channels()
        .filter(|(_, channel)| channel.class == class);
    let ends = of_class.filter_map(|(id, _)| network.ends(id));
    let each = ends.filter(|(from, to)| from < to);
    each.map(|(from, to)| [from.0, to.0]).collect()
}

/// Pairs that are connected and not routed, after proof and simulation have been held to what is said above.
fn lost(network: &str, faults: &str, routing: &str) -> u64 {
    let case = format!("{routing} on {network}, {faults}");
    let plan = plan(&text(network, faults, routing));
    let experiment = plan.experiment(&plan.point(0).unwrap(), None).unwrap();
    let routed = &experiment.routed;
    let flow_control = match routing {
        "in-transit" => FlowControl::VirtualCutThrough,
        _ => FlowControl::Wormhole,
    };
    assert_eq!(experiment.model.flow_control, flow_control, "{case}");
    let analysis = analyse(&routed.network, &*routed.routing, flow_control);
    let reachability = &analysis.reachability;
    assert!(analysis.verdict.is_deadlock_free(), "{case}");
    assert_eq!(reachability.endless.pairs, 0, "{case}");
    let outcome = simulate(&experiment, true);
    match reachability.routable == reachability.pairs {
        true => assert_eq!(outcome.ending, Ending::Completed, "{case}"),
        false => assert!(
            matches!(outcome.ending, Ending::Completed | Ending::Lost { .. }),
            "{case}: {:?}",
            outcome.ending
        ),
    }
    reachability.lost.pairs
}

/// The words of the arrangements and wirings, with fields that suit them all.
fn with_each_word(fields: &str, field: &str) -> Vec<String> {
    let entry = turnwise_network::topologies::REGISTRY
        .iter()
        .find(|entry| fields.contains(entry.name));
    let schema = (entry.unwrap().schema)();
    let reference = schema.as_value()["properties"][field]["$ref"]
        .as_str()
        .unwrap();
    let of = schema
        .as_value()
        .pointer(reference.trim_start_matches('#'))
        .unwrap();
    let words = of["oneOf"].as_array().unwrap();
    let word = |choice: &serde_json::Value| choice["const"].as_str().unwrap().to_owned();
    let words: Vec<String> = words.iter().map(word).collect();
    words
        .iter()
        .map(|word| format!("{fields}\n{field} = '{word}'"))
        .collect()
}

const DRAGONFLY: &str =
    "kind = 'dragonfly'\ngroups = 9\nrouters_per_group = 4\nglobal_ports_per_router = 2";

#[test]
fn a_dead_channel_inside_a_group_costs_no_pair_of_a_dragonfly() {
    for network in with_each_word(DRAGONFLY, "arrangement") {
        let healthy = built(&network);
        let locals = links(&healthy, ChannelClass::Local);
        // One; two of one router; and one in each of three groups.
        let faults = [
            vec![locals[0]],
            locals[..2].to_vec(),
            vec![locals[3], locals[9], locals[53]],
        ];
        for faults in faults {
            let faults = format!("faults = {{ links = {faults:?} }}");
            for routing in made_for(healthy.shape()) {
                assert_eq!(
                    lost(&network, &faults, routing),
                    0,
                    "{routing} on {network}, {faults}"
                );
            }
        }
    }
}

#[test]
fn dead_channels_between_groups_and_dead_routers_cost_pairs_only_who_makes_no_detours() {
    for network in with_each_word(DRAGONFLY, "arrangement") {
        let healthy = built(&network);
        let globals = links(&healthy, ChannelClass::Global);
        for faults in [
            format!("links = {:?}", &globals[..1]),
            format!("links = {:?}", [globals[0], globals[7], globals[20]]),
            "routers = [5]".to_owned(),
            "routers = [0, 13]".to_owned(),
        ] {
            let faults = format!("faults = {{ {faults} }}");
            for routing in made_for(healthy.shape()) {
                let lost = lost(&network, &faults, routing);
                assert_eq!(
                    lost > 0,
                    routing == "minimal",
                    "{routing} on {network}, {faults}: {lost}"
                );
            }
        }
    }
}

/// All wirings; where every spine has links to every group there are but three groups of this size.
fn megaflies() -> impl Iterator<Item = String> {
    let all = with_each_word("kind = 'megafly'\nhalf_radix = 2\ngroups = 5", "wiring");
    let suited = |network: String| match network.contains("alltoall") {
        true => network.replace("groups = 5", "groups = 3"),
        false => network,
    };
    all.into_iter().map(suited)
}

#[test]
fn dead_spines_and_dead_channels_of_megaflies_cost_pairs_only_who_makes_no_detours() {
    for network in megaflies() {
        let healthy = built(&network);
        let globals = links(&healthy, ChannelClass::Global);
        let locals = links(&healthy, ChannelClass::Local);
        let last = healthy.router_count() - 1;
        for faults in [
            format!("links = {:?}", &globals[..1]),
            format!("links = {:?}", &locals[..1]),
            format!("routers = [{last}]"),
        ] {
            let faults = format!("faults = {{ {faults} }}");
            for routing in made_for(healthy.shape()) {
                let lost = lost(&network, &faults, routing);
                // Of three groups every spine has a link to each, or several.
                let expected = routing == "minimal" && !network.contains("alltoall");
                assert_eq!(
                    lost > 0,
                    expected,
                    "{routing} on {network}, {faults}: {lost}"
                );
            }
        }
    }
}
