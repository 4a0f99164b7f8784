//! The registry of topologies describes itself, and every example in it works.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod common;

use common::promises::{assert_announced, assert_documented, parsed};
use turnwise_config::registry::{find, health};
use turnwise_network::topologies::{REGISTRY, Topology};

fn read(kind: &str, fields: &str) -> Result<Box<dyn Topology>, String> {
    parsed(REGISTRY, kind, fields)
}

#[test]
fn the_registry_is_healthy() {
    assert_eq!(health(REGISTRY), Vec::<String>::new());
}

#[test]
fn the_names_that_studies_use_are_there() {
    let names = "torus mesh hypercube full-mesh hyperx dragonfly megafly k-ary-n-tree xgft \
                 random-regular random-irregular edge-list graphml anynet \
                 ibnetdiscover ibsim";
    for name in names.split_whitespace() {
        assert!(find(REGISTRY, name).is_some(), "{name}");
    }
}

#[test]
fn every_example_parses_and_builds_what_it_announces() {
    REGISTRY.iter().for_each(assert_announced);
}

#[test]
fn every_field_is_documented() {
    REGISTRY.iter().for_each(assert_documented);
}

#[test]
fn slips_are_told_in_the_words_of_the_study() {
    let error = |kind, fields| read(kind, fields).err().unwrap();
    assert!(error("dragonfly", "groups = 9").contains("routers_per_group"));
    assert!(
        error("megafly", "half_radix = 2\ngroups = 5\nwiring = \"ring\"").contains("circulant")
    );
    assert!(error("xgft", "m = [4, -4]\nw = [1, 4]").contains("-4"));
    assert!(error("hypercube", "dimension = 3").contains("did you mean `dimensions`"));
}

#[test]
fn impossible_parameters_name_their_field() {
    let field = |kind: &str, fields: &str| {
        let invalid = read(kind, fields).unwrap().build(None).unwrap_err();
        assert!(!invalid.message.is_empty());
        invalid.place
    };
    let dragonfly = "groups = 10\nrouters_per_group = 4\nglobal_ports_per_router = 2";
    assert_eq!(field("dragonfly", dragonfly), "global_ports_per_router");
    assert_eq!(field("megafly", "half_radix = 2\ngroups = 6"), "groups");
    assert_eq!(
        field(
            "megafly",
            "half_radix = 3\ngroups = 5\nwiring = \"circulant\""
        ),
        "wiring"
    );
    assert_eq!(
        field(
            "megafly",
            "half_radix = 2\ngroups = 4\nwiring = \"circulant\""
        ),
        "wiring"
    );
    assert_eq!(
        field(
            "megafly",
            "half_radix = 4\ngroups = 4\nwiring = \"alltoall\""
        ),
        "wiring"
    );
    assert_eq!(field("xgft", "m = [4, 4]\nw = [2, 4]"), "w[0]");
    assert_eq!(field("xgft", "m = [4, 4]\nw = [1]"), "w");
    assert_eq!(field("xgft", "m = [4, 0]\nw = [1, 2]"), "m[1]");
    for impossible in [
        "5\ndegree = 3",
        "4\ndegree = 4",
        "2\ndegree = 0",
        "4\ndegree = 1",
    ] {
        assert_eq!(
            field("random-regular", &format!("routers = {impossible}")),
            "degree"
        );
    }
    for (impossible, at) in [
        ("5\nlinks = 3\nmost_links = 4", "links"),
        ("5\nlinks = 8\nmost_links = 3", "links"),
        ("5\nlinks = 11\nmost_links = 9", "links"),
        ("3\nlinks = 2\nmost_links = 1", "most_links"),
        ("0\nlinks = 2\nmost_links = 1", "routers"),
    ] {
        let fields = format!("routers = {impossible}");
        assert_eq!(field("random-irregular", &fields), at);
    }
    assert_eq!(field("mesh", "sizes = [4, 0]"), "sizes[1]");
    assert_eq!(field("hypercube", "dimensions = 0"), "dimensions");
    assert_eq!(field("full-mesh", "routers = 0"), "routers");
    assert_eq!(
        field("full-mesh", "routers = 4\nterminals_per_router = 0"),
        "terminals_per_router"
    );
    let far = "groups = 9\nrouters_per_group = 4\nchannel_latency.global.per_group = 1e6";
    assert_eq!(field("dragonfly", far), "channel_latency.global");
}
