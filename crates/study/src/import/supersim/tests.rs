use crate::import::{is_one, study};
use crate::source::Source;
use std::path::Path;

/// A configuration that the documentation uses.
fn usual() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/supersim.json");
    std::fs::read_to_string(file).unwrap()
}

/// The study, or what is wrong, with places in the file and 0 for those elsewhere.
fn converted(text: &str, overrides: &[&str]) -> Result<toml::Table, Vec<String>> {
    let mut source = Source::empty();
    source.add("attack", text);
    for text in overrides {
        source.add(text, text);
    }
    match study("attack", &source) {
        Ok(text) => Ok(text.parse().unwrap()),
        Err(errors) => Err(errors
            .into_iter()
            .map(|error| {
                let span = error.place.unwrap_or_default();
                let (_, line, column) = source.position(span);
                format!("{}:{line}:{column}: {error}", span.source)
            })
            .collect()),
    }
}

/// What is wrong with the usual configuration under such settings.
fn wrong(overrides: &[&str]) -> Vec<String> {
    converted(&usual(), overrides).expect_err(&format!("{overrides:?}"))
}

fn field<'a>(study: &'a toml::Table, path: &str) -> Option<&'a toml::Value> {
    let (table, field) = path.split_once('.').unwrap();
    study[table].get(field)
}

/// Fields of the study of the usual configuration under such settings.
#[track_caller]
fn assert_fields(overrides: &[&str], expected: &[(&str, &str)]) {
    let study = converted(&usual(), overrides).unwrap();
    for &(path, expected) in expected {
        let found = field(&study, path).map(ToString::to_string);
        assert_eq!(found.as_deref(), Some(expected), "{path} of {overrides:?}");
    }
}

const TERMINAL: &str = "/workload/applications/0/blast_terminal";
const ROUTER: &str = "/network/router";

#[test]
fn what_counts_comes_over() {
    assert_fields(
        &[],
        &[
            ("study.name", "\"attack\""),
            ("study.seed", "1234567"),
            ("network.groups", "9"),
            ("network.global_ports_per_router", "2"),
            ("network.arrangement", "\"relative\""),
            ("routing.progressive", "true"),
            ("routing.bias", "0.1"),
            ("routing.queue_flits", "9"),
            ("routing.offset", "0.1"),
            ("router.preset", "\"supersim-ioq\""),
            ("router.output_buffer_flits", "9"),
            ("router.virtual_channels", "5"),
            ("traffic.load", "0.2"),
            ("traffic.packet_flits", "4"),
            ("traffic.group_mode", "\"half\""),
            // 8 samples of 100 flits, and 500 messages of 4.
            ("simulation.warmup_cycles", "4000"),
            ("simulation.measure_cycles", "10000"),
        ],
    );
}

#[test]
fn settings_go_on_top_before_references_are_followed() {
    let concentration = ["/network/concentration=uint=3"];
    assert_fields(&concentration, &[("network.terminals_per_router", "3")]);
    // As older versions write paths.
    let rate = ["workload.applications[0].blast_terminal.request_injection_rate=float=0.05"];
    assert_fields(&rate, &[("traffic.load", "0.05")]);
    let referred = [&*format!(
        "{TERMINAL}/num_transactions=ref=/network/global_width"
    )];
    assert_fields(&referred, &[("simulation.measure_cycles", "180")]);
}

#[test]
fn sensors_see_what_they_see_there() {
    for (settings, fields) in [
        (
            [
                "congestion_sensor/mode=string=absolute_port",
                "congestion_mode=string=downstream",
            ],
            [
                ("sensor_scope", "\"port\""),
                ("normalised", "false"),
                ("sensor_source", "\"credits\""),
            ],
        ),
        (
            [
                "congestion_sensor/mode=string=normalized_max",
                "congestion_mode=string=output",
            ],
            [
                ("sensor_scope", "\"max\""),
                ("queue_flits", "8"),
                ("sensor_source", "\"queue\""),
            ],
        ),
        (
            [
                "congestion_sensor/granularity=uint=7",
                "output_queue_depth=uint=20",
            ],
            [
                ("granularity", "7"),
                ("queue_flits", "21"),
                ("sensor_source", "\"both\""),
            ],
        ),
        (
            [
                "architecture=string=input_queued",
                "congestion_mode=string=downstream",
            ],
            [
                ("queue_flits", "0"),
                ("sensor_scope", "\"vc\""),
                ("sensor_source", "\"both\""),
            ],
        ),
    ] {
        let settings = settings.map(|setting| format!("{ROUTER}/{setting}"));
        let fields = fields.map(|(field, expected)| (format!("routing.{field}"), expected));
        assert_fields(
            &settings.each_ref().map(String::as_str),
            &fields
                .each_ref()
                .map(|(field, expected)| (field.as_str(), *expected)),
        );
    }
    let phantom = [
        "phantom=bool=1",
        "value_coeff=float=1.0",
        "length_coeff=float=2.0",
    ]
    .map(|setting| format!("{ROUTER}/congestion_sensor/{setting}"));
    let study = converted(&usual(), &phantom.each_ref().map(String::as_str)).unwrap();
    let found = field(&study, "routing.phantom").unwrap();
    assert_eq!(found["length_coefficient"].as_float(), Some(2.0));
}

#[test]
fn scalars_have_the_digits_of_supersim() {
    // A tenth is a little more in single precision, so that ten of them are 2 cycles, rounded up.
    let study = converted(&usual(), &["/network/global_scalar=float=0.1"]).unwrap();
    let latency = field(&study, "network.channel_latency").unwrap();
    let each = latency["global"]["per_group"].as_float().unwrap();
    assert_eq!((each * 10.0).ceil(), 2.0);
}

#[test]
fn fixed_latencies_and_queues_need_no_scalars_and_no_limits() {
    let study = converted(
        &usual(),
        &[
            "/network/channel_mode=string=fixed",
            "/network/global_channel/latency=uint=50",
            "/network/local_channel/latency=uint=5",
            "/network/router/input_queue_mode=string=fixed",
            "/network/router/input_queue_depth=uint=128",
            "/network/router/input_queue_min=uint=1",
        ],
    )
    .unwrap();
    let latency = field(&study, "network.channel_latency").unwrap();
    assert_eq!(latency["global"].as_integer(), Some(50));
    assert_eq!(
        field(&study, "router.buffer_flits").unwrap().as_integer(),
        Some(128)
    );
}

#[test]
fn messages_are_cut_into_packets() {
    let size = format!("{TERMINAL}/message_size_distribution/message_size=uint=10");
    let cut = [
        ("traffic.message_flits", "10"),
        ("traffic.packet_flits", "4"),
        // 500 messages at 0.2.
        ("simulation.measure_cycles", "25000"),
    ];
    assert_fields(&[&size], &cut);
    for place in [
        "/network/protocol_classes/0/injection",
        "/network/interface",
    ] {
        let fixed = format!("{place}/fixed_msg_vc=bool=true");
        assert!(converted(&usual(), &[&fixed]).is_ok());
        let found = wrong(&[&size, &fixed]);
        assert!(
            found[0].contains("virtual channels of their own"),
            "{found:?}"
        );
    }
}

#[test]
fn patterns_are_the_same() {
    let pattern = |kind: &str| format!("{TERMINAL}/traffic_pattern/type=string={kind}");
    let more = |setting: &str| format!("{TERMINAL}/traffic_pattern/{setting}");
    for (settings, fields) in [
        (
            vec![pattern("uniform_random"), more("send_to_self=bool=true")],
            [("pattern", "\"uniform\""), ("send_to_self", "true")],
        ),
        (
            vec![more("group_mode=int=-2")],
            [("pattern", "\"group-attack\""), ("group_mode", "-2")],
        ),
        (
            vec![more("group_mode=string=opposite")],
            [("group_mode", "\"opposite\""), ("send_to_self", "true")],
        ),
        (
            vec![pattern("random_exchange")],
            [("pattern", "\"random-exchange\""), ("packet_flits", "4")],
        ),
        (
            vec![
                pattern("local_random_remote_attack"),
                more("block_size=uint=8"),
                more("local_probability=float=0.25"),
                more("remote_mode=string=half"),
            ],
            [("local_fraction", "0.25"), ("offset", "4")],
        ),
    ] {
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let fields = fields.map(|(field, expected)| (format!("traffic.{field}"), expected));
        assert_fields(
            &settings,
            &fields
                .each_ref()
                .map(|(field, expected)| (field.as_str(), *expected)),
        );
    }
}

#[test]
fn whatever_has_no_counterpart_is_refused() {
    for (setting, expected) in [
        (
            "/network/topology=string=torus",
            "1:1:26: `network.topology = torus` has no counterpart here (help: what has: `dragonfly`)",
        ),
        (
            "/network/local_weight=uint=2",
            "1:1:28: `network.local_weight = 2` has no counterpart here (help: only `network.local_weight = 1` has)",
        ),
        (
            "/network/global_width=uint=3",
            "groups of 4 routers have room for 2 links",
        ),
        (
            "/network/global_width=uint=0",
            "network.global_width: expected at least 1, found 0",
        ),
        ("/network/global_scalar=string=ten", "expected a number"),
        (
            "/network/protocol_classes/0/num_vcs=uint=4",
            "expected at least 5, one for each routing class, found 4",
        ),
        (
            "/network/protocol_classes/0/routing/mode=string=port_ave",
            "routing.mode = port_ave` has no counterpart",
        ),
        (
            "/network/protocol_classes/0/routing/reduction/algorithm=string=least_congested_minimal",
            "adaptive routing weighs what is not minimal",
        ),
        (
            "/network/protocol_classes/0/routing/propagation_mode=string=port",
            "global",
        ),
        (
            "/network/protocol_classes/0/routing/global_scalar=float=5",
            "ways are as long here",
        ),
        (
            "/network/router/architecture=string=output_queued",
            "what has: `input_output_queued` and `input_queued`",
        ),
        (
            "/network/router/architecture=string=input_queued",
            "write \"downstream\"",
        ),
        (
            "/network/router/crossbar_scheduler/full_packet=bool=false",
            "full_packet = false` has no counterpart",
        ),
        (
            "/network/router/input_queue_max=uint=100",
            "the longest channel has a queue of 160 flits here",
        ),
        (
            "/network/router/input_queue_min=uint=1",
            "at least 16 flits",
        ),
        (
            "/network/interface/init_credits=float=1.0",
            "as many credits here as input queues",
        ),
        (
            "/network/interface/credits_max=uint=5",
            "expected the same as that of the router",
        ),
        (
            "/simulator/router_cycle_time=uint=2",
            "there is one clock here",
        ),
        (
            "/workload/applications/0/type=string=stream",
            "what has: `blast`",
        ),
        (
            "/workload/applications/0/blast_terminal/max_packet_size=uint=0",
            "at least one flit",
        ),
        (
            "/workload/applications/0/blast_terminal/request_injection_rate=float=1.5",
            "found 1.5",
        ),
        (
            "/workload/applications/0/blast_terminal/relative_injection=string=rates.csv",
            "leave it out",
        ),
        (
            "/workload/applications/0/blast_terminal/enable_responses=bool=true",
            "enable_responses = true` has no",
        ),
        (
            "/workload/applications/0/blast_terminal/traffic_pattern/group_size=uint=5",
            "expected 4, found 5",
        ),
        (
            "/workload/applications/0/blast_terminal/traffic_pattern/type=string=tornado",
            "what has: `uniform_random`",
        ),
        (
            "/network/concentratoin=uint=2",
            "did you mean `concentration`?",
        ),
    ] {
        let found = wrong(&[setting]);
        assert!(
            found.iter().any(|error| error.contains(expected)),
            "{setting}: {found:#?}"
        );
    }
}

#[test]
fn ways_by_scalars_are_not_those_of_fixed_channels() {
    let ratio = "/network/protocol_classes/0/routing/propagation_weight=float=0.5";
    assert!(converted(&usual(), &[ratio]).is_ok());
    let fixed = [
        ratio,
        "/network/channel_mode=string=fixed",
        "/network/global_channel/latency=uint=100",
        "/network/local_channel/latency=uint=10",
    ];
    let found = wrong(&fixed);
    assert!(found[0].contains("not as scalars say"), "{found:?}");
}

#[test]
fn queues_are_no_deeper_than_can_be_told() {
    for (depth, is_one) in [("128", true), ("1e30", false), ("0.5", false)] {
        let depth = format!("/network/router/input_queue_depth=float={depth}");
        let fixed = ["/network/router/input_queue_mode=string=fixed", &depth];
        assert_eq!(converted(&usual(), &fixed).is_ok(), is_one, "{depth}");
    }
}

#[test]
fn what_is_very_large_is_refused() {
    let keys: Vec<String> = (0..2_000).map(|key| format!("\"k{key}\": 1")).collect();
    let found = converted(&format!("{{ {} }}", keys.join(", ")), &[]).unwrap_err();
    assert!(
        found[0].contains("no table has more than 1000 keys"),
        "{found:?}"
    );
    let numbers = vec!["1"; 60_000].join(", ");
    let text = format!(
        "{{ \"network\": [{numbers}], \"a\": \"$&(/network)&$\", \"b\": \"$&(/network)&$\" }}"
    );
    let found = converted(&text, &[]).unwrap_err();
    assert!(found[0].contains("or to very much"), "{}", found.len());
}

#[test]
fn what_is_referred_to_is_wrong_once() {
    let locked = format!("{ROUTER}/crossbar_scheduler/packet_lock=bool=0");
    assert_eq!(wrong(&[&locked]).len(), 1);
}

#[test]
fn minimal_routing_goes_by_flits_and_nothing_else() {
    let minimal = "/network/protocol_classes/0/routing/algorithm=string=minimal";
    let plain = converted(&usual(), &[minimal]);
    // What only adaptive routing has is passed over with it.
    assert_eq!(
        field(&plain.unwrap(), "routing.classes").unwrap().as_str(),
        Some("supersim")
    );
    for setting in [
        "congestion_sensor/mode=string=normalized_port",
        "congestion_sensor/granularity=uint=10",
        "congestion_sensor/latency=uint=3",
        "congestion_mode=string=output",
    ] {
        let found = wrong(&[minimal, &format!("{ROUTER}/{setting}")]);
        assert!(
            found
                .iter()
                .all(|error| error.contains("the fewest flits now")),
            "{found:#?}"
        );
    }
    let found = wrong(&[
        minimal,
        "/network/global_weight=uint=2",
        "/network/local_width=uint=4",
    ]);
    assert!(
        found.iter().any(|error| error.contains("several links")),
        "{found:#?}"
    );
}

#[test]
fn places_are_those_of_the_text() {
    let text = usual().replace("\"concentration\": 2,", "\"concentration\": 0, // nobody");
    let found = converted(&text, &[]).unwrap_err();
    assert_eq!(
        found[0],
        "0:19:22: network.concentration: expected at least 1, found 0"
    );
    let text = usual().replace("      \"output_queue_depth\": 8,\n", "");
    let found = converted(&text, &[]).unwrap_err();
    assert_eq!(found, ["0:49:5: missing key `output_queue_depth`"]);
}

#[test]
fn broken_files_are_told_where() {
    for (text, expected) in [
        ("{", "0:1:1: this is not JSON: EOF while parsing an object"),
        (
            "{\n  \"network\": {},\n}",
            "0:3:1: this is not JSON: key must be a string",
        ),
        (
            "{ \"simulator\": { \"random_seed\": 9223372036854775808 } }",
            "0:1:33: this whole number is out of range",
        ),
        (
            "{ \"network\": 1, \"network\": 2 }",
            "0:1:17: `network` is written twice",
        ),
        (
            "{ \"network\": \"$$(network.json)$$\" }",
            "0:1:14: `network.json`: other files are not read",
        ),
        (
            "{ \"network\": \"$&(/nowhere)&$\" }",
            "0:1:14: there is no `nowhere`",
        ),
        (
            "{ \"network\": \"$&(/network)&$\" }",
            "0:1:14: references lead to each other",
        ),
        ("{ \"network\": 7 }", "0:1:14: "),
        ("{}", "0:1:1: missing key `simulator`"),
        (
            "\u{feff}{ /* nothing\n*/ }",
            "0:1:2: missing key `simulator`",
        ),
    ] {
        let found = converted(text, &[]).unwrap_err();
        assert!(
            found.iter().any(|error| error.contains(expected)),
            "{text}: {found:#?}"
        );
    }
    let deep = "[".repeat(100_000);
    for text in [
        format!("{{\"network\": {deep}"),
        format!("{{\"network\": {deep}{}}}", "]".repeat(100_000)),
    ] {
        assert_eq!(converted(&text, &[]).unwrap_err().len(), 1);
    }
}

#[test]
fn settings_of_the_command_line_are_told_what_they_lack() {
    for (setting, expected) in [
        (
            "/network/concentration=3",
            "1:1:1: expected PATH=TYPE=VALUE",
        ),
        (
            "/network/concentration=uint=-3",
            "1:1:29: expected a whole number, found `-3`",
        ),
        (
            "/simulator/random_seed=uint=18446744073709551615",
            "1:1:29: this whole number is out of range (help: the largest is 9223372036854775807)",
        ),
        (
            "/network/concentration=float=nan",
            "expected a number, found `nan`",
        ),
        (
            "/network/concentration=list=3",
            "1:1:24: there are no settings of the type `list` here",
        ),
        (
            "/network/topology/size=uint=3",
            "1:1:1: network.topology: is the string",
        ),
        ("=uint=3", "expected the path of a setting"),
        ("/=uint=3", "expected the path of a setting"),
    ] {
        let found = wrong(&[setting]);
        assert!(
            found.iter().any(|error| error.contains(expected)),
            "{setting}: {found:#?}"
        );
    }
}

#[test]
fn a_study_is_not_taken_for_one() {
    assert!(is_one(&usual()).unwrap().message.contains("SuperSim"));
    let commented = format!("// Ours.\n{}", usual());
    assert_eq!(is_one(&commented).unwrap().place.unwrap().start, 9);
    for text in ["[network]\nkind = \"torus\"", "", "{}", "# {\n\"network\""] {
        assert_eq!(is_one(text), None, "{text}");
    }
}
