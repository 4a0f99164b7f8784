//! Detours on HyperX, full meshes and Slim Fly against what theory says they carry: under patterns that put all that a router sends on one
//! channel, and under uniform traffic, where minimal routes are best.
#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

use crate::stack;
use turnwise_study::row::Row;

const FULL_MESH: &str = "kind = 'full-mesh'\nrouters = 8\nterminals_per_router = 7";
const HYPERX: &str = "kind = 'hyperx'\nsizes = [4, 4]\nterminals_per_router = 4";
const SLIM_FLY: &str = "kind = 'slim-fly'\nq = 5";

/// With routers that are not what saturates.
fn row(network: &str, routing: &str, pattern: &str, load: f64) -> Row {
    let rows = stack::rows(&format!(
        "[network]\n{network}\n[routing]\nkind = '{routing}'\n\
         [router]\nvirtual_channels = 8\nbuffer_flits = 32\nrouting_delay = 0\ninternal_speedup = 2.0\n\
         [traffic]\n{pattern}\nload = {load}\n\
         [simulation]\nwarmup_cycles = 1500\nmeasure_cycles = 2000\ndrain = false"
    ));
    rows.into_iter().next().unwrap()
}

/// What is accepted, a terminal and cycle.
fn accepted(network: &str, routing: &str, pattern: &str, load: f64) -> f64 {
    stack::figure(&row(network, routing, pattern, load), "accepted_load")
}

/// All terminals of a router send to those of the next one.
fn shift(terminals: u32) -> String {
    format!("pattern = 'shift'\noffset = {terminals}")
}

/// Of 8 routers with 7 terminals each, whose packets all go to the next router, every one sends a flit a cycle straight, and two channels
/// carry what goes by another router: 7 channels, 1 + (7 - 1) / 2 = 4 flits for 7 terminals. Minimal routing carries 1 of 7.
#[test]
fn a_full_mesh_carries_what_detours_leave_room_for() {
    let (straight, bound) = (1.0 / 7.0, 4.0 / 7.0);
    let minimal = accepted(FULL_MESH, "dimension-order", &shift(7), 0.9);
    assert!(
        (minimal - straight).abs() < 0.03 * straight,
        "dimension-order: {minimal}"
    );
    for routing in ["dimwar", "ugal"] {
        let load = accepted(FULL_MESH, routing, &shift(7), 0.9);
        assert!(load < bound * 1.01, "{routing}: {load}");
        assert!(load > bound * 0.85, "{routing}: {load}");
    }
}

/// Packets to the next row and none elsewhere: dimension order carries 1 of 4. Along a row of 4 routers alone detours bring that to
/// 1 + (3 - 1) / 2 = 2 flits for 4 terminals, which no `dimwar` exceeds; the other dimension is of use to `ugal`.
#[test]
fn adaptive_routings_of_hyperx_carry_more_than_one_channel() {
    let minimal = accepted(HYPERX, "dimension-order", &shift(16), 0.9);
    assert!((minimal - 0.25).abs() < 0.01, "dimension-order: {minimal}");
    let load = accepted(HYPERX, "dimwar", &shift(16), 0.48);
    assert!((0.45..0.505).contains(&load), "dimwar: {load}");
    let load = accepted(HYPERX, "ugal", &shift(16), 0.9);
    assert!(load > 0.4, "ugal: {load}");
}

/// A Slim Fly's routers that are two apart share one way, which carries a flit a cycle for four terminals, and less where ways meet.
#[test]
fn detours_of_a_slim_fly_carry_more_than_one_way() {
    let minimal = accepted(SLIM_FLY, "shortest-path", &shift(4), 0.9);
    assert!(minimal < 0.25, "shortest-path: {minimal}");
    for routing in ["valiant", "ugal"] {
        let load = accepted(SLIM_FLY, routing, &shift(4), 0.9);
        assert!(load > 1.4 * minimal, "{routing}: {load} after {minimal}");
    }
}

/// Where minimal routing is best, detours are rare enough to cost next to nothing, and Valiant's halve what is carried.
#[test]
fn uniform_traffic_goes_minimally() {
    for (network, adaptive) in [(HYPERX, &["dimwar", "ugal"][..]), (SLIM_FLY, &["ugal"])] {
        let (uniform, load) = ("pattern = 'uniform'", 0.7);
        for routing in adaptive {
            let row = row(network, routing, uniform, load);
            let carried = stack::figure(&row, "accepted_load");
            let astray = stack::figure(&row, "nonminimal_share");
            assert!(
                (carried - load).abs() < 0.02 && astray < 0.08,
                "{routing}: {carried}, {astray}"
            );
        }
        let halved = accepted(network, "valiant", uniform, load);
        assert!(halved < 0.53, "valiant: {halved}");
    }
}

/// However long ways are, an almost empty network has packets go minimally.
#[test]
fn long_ways_make_no_detours_of_little_traffic() {
    for network in [
        "kind = 'torus'\nsizes = [16, 16]",
        "kind = 'torus'\nsizes = [32]",
        "kind = 'mesh'\nsizes = [16, 16]",
    ] {
        let rows = stack::rows(&format!(
            "[network]\n{network}\n[routing]\nkind = 'ugal'\n[traffic]\npattern = 'uniform'\nload = 0.02\n\
             [simulation]\nmeasure_cycles = 4000\n"
        ));
        let share = stack::figure(&rows[0], "nonminimal_share");
        assert!(share < 0.01, "{network}: {share}");
    }
}

/// Two legs of twenty hops need more virtual channels than a channel can have.
#[test]
fn ways_that_need_too_many_virtual_channels_are_refused() {
    let study = |routing: &str| {
        format!(
            "[network]\nkind = 'random-regular'\nrouters = 40\ndegree = 2\n[routing]\n{routing}\n\
             [traffic]\npattern = 'uniform'\nload = 0.1\n"
        )
    };
    for kind in ["valiant", "ugal"] {
        let errors = stack::try_plan(&study(&format!("kind = '{kind}'")))
            .err()
            .unwrap();
        let message = &errors[0].message;
        let says = "needs 40 virtual channels on this network";
        assert!(
            message.contains(says) && message.contains("more than 32"),
            "{message}"
        );
        stack::plan(&study(&format!("kind = '{kind}'\nvirtual_channels = 32")));
    }
}

/// Shortest ways of more than 254 channels are not kept, so that nothing is called longer than they are.
#[test]
fn nothing_is_a_detour_where_the_shortest_way_is_not_known() {
    for routers in ["", "[ethernet]\n"] {
        let rows = stack::rows(&format!(
            "[study]\nclock = '1.25 GHz'\nflit_size = '1 B'\n[network]\nkind = 'mesh'\nsizes = [300]\n[routing]\nkind = 'dimension-order'\n{routers}\
             [traffic]\npattern = 'shift'\noffset = 280\nload = 0.002\npacket_flits = 64\n\
             [simulation]\nmeasure_cycles = 20000\n"
        ));
        assert_eq!(
            stack::figure(&rows[0], "nonminimal_share"),
            0.0,
            "{routers}"
        );
    }
}
