use super::*;

fn converted(text: &str, overrides: &[&str]) -> Result<String, Vec<String>> {
    let mut source = Source::empty();
    source.add("torus88", text);
    for text in overrides {
        source.add(text, text);
    }
    let told = |error: Diagnostic| {
        let (_, line, column) = source.position(error.place.unwrap_or_default());
        format!("{line}:{column}: {error}")
    };
    crate::import::study("torus88", &source)
        .map_err(|errors| errors.into_iter().map(told).collect())
}

/// Fields of a table of the study.
fn fields(text: &str, table: &str) -> toml::Table {
    let study: toml::Table = text.parse().unwrap();
    study[table].as_table().unwrap().clone()
}

#[test]
fn defaults_are_those_of_booksim() {
    let text = converted("routing_function = dim_order;\nnum_vcs = 4;", &[]).unwrap();
    let network = fields(&text, "network");
    assert_eq!(network["sizes"].to_string(), "[8, 8]");
    assert_eq!(network["channel_latency"].as_integer(), Some(2));
    let router = fields(&text, "router");
    for (field, expected) in [
        ("virtual_channels", 4),
        ("buffer_flits", 8),
        ("credit_delay", 0),
        ("switch_traversal_delay", 1),
    ] {
        assert_eq!(router[field].as_integer(), Some(expected), "{field}");
    }
    let traffic = fields(&text, "traffic");
    assert_eq!(traffic["load"].as_float(), Some(0.1));
    let simulation = fields(&text, "simulation");
    assert_eq!(simulation["warmup_cycles"].as_integer(), Some(3000));
}

#[test]
fn rates_count_packets_unless_they_count_flits() {
    let of = |more: &[&str]| {
        let text = "routing_function=dim_order;packet_size=20;injection_rate=0.01;";
        let text = converted(text, more).unwrap();
        fields(&text, "traffic")["load"].as_float().unwrap()
    };
    assert_eq!(of(&[]), 0.2);
    assert_eq!(of(&["injection_rate_uses_flits=1"]), 0.01);
    // What comes last counts.
    assert_eq!(of(&["injection_rate=0.5", "injection_rate=0.02"]), 0.4);
}

#[test]
fn what_has_no_counterpart_is_refused_at_its_place() {
    let text = "// A mesh.\n\
        topology = cmesh; k = 4;  // concentrated\n\
        routing_function = dor;\n\
        num_vc = 2;\n\
        speculative = 1;\n\
        priority = none; internal_speedup = 0.5;\n\
        traffic = uniform\n\
        sw_allocator = wavefront;\n\
        injection_rate = 0.5; packet_size = 3;\n\
        watch_out = -;\n";
    let told = converted(text, &["vc_buf_size=none"]).unwrap_err();
    let expected = [
        "2:12: `topology = cmesh` has no counterpart here (help: what has: `torus`, `mesh`",
        "4:1: BookSim2 has no setting `num_vc` (help: did you mean `num_vcs`?)",
        "5:15: `speculative = 1` has no counterpart here (help: only `speculative = 0` has)",
        "6:37: `internal_speedup`: expected a number from 1 to 16, found `0.5` (help: it is 1.0 if not given)",
        "7:11: expected `;` behind `traffic`",
        "8:16: `sw_allocator = wavefront` has no counterpart here (help: what has: `islip`",
        "9:18: `injection_rate`: a terminal sends a flit in a cycle at most, not 1.5 (help: a flit in every cycle is 0.333",
        "1:13: `vc_buf_size`: expected a number from 1 to 2147483647, found `none` (help: it is 8 if not given)",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}\n{expected}");
    }
}

#[test]
fn routings_depend_on_the_topology() {
    let told = |text: &str| converted(text, &[]).err().unwrap_or_default().join("; ");
    assert_eq!(told("topology = mesh; routing_function = dor;"), "");
    let expected = "has no counterpart here (help: what has: `nca` and `anca`)";
    assert!(told("topology = fattree; routing_function = min;").contains(expected));
    let expected =
        "`routing_function = none` has no counterpart here (help: what has: `min` and `ugal`)";
    assert!(told("topology = dragonflynew; n = 1;").ends_with(expected));
    let expected = "`n`: expected 1, found `2` (help: it is 2 if not given)";
    assert!(told("topology = dragonflynew; routing_function = min;").contains(expected));
    assert!(
        told("topology = anynet; routing_function = min;").contains("`network_file` is missing")
    );
}

/// What BookSim2 does with these is not what a study of the same numbers does.
#[test]
fn what_would_be_another_experiment_is_refused() {
    let torus = "topology = torus; routing_function = dim_order;";
    let mesh = "topology = mesh; routing_function = dor;";
    let ugal = "topology = dragonflynew; routing_function = ugal; n = 1;";
    for (text, setting, names) in [
        (torus, "k = 2;", "`k`: expected a number from 3"),
        (torus, "num_vcs = 3;", "`num_vcs`: both classes"),
        (torus, "num_vcs = 1;", "`num_vcs`: expected a number from 2"),
        (ugal, "num_vcs = 4;", "`num_vcs`: expected 3, found `4`"),
        (
            ugal,
            "num_vcs = 3; k = 70000;",
            "`k`: expected a number from 1 to 1000",
        ),
        (
            mesh,
            "include_queuing = 0;",
            "only `include_queuing = 1` has",
        ),
        (mesh, "xr = 2; traffic = tornado;", "only `xr = 1` has"),
        (
            mesh,
            "traffic = randperm; sim_count = 3;",
            "BookSim2 has one for all",
        ),
        (
            mesh,
            "injection_rate = inf;",
            "expected a number from 0 to 1, found `inf`",
        ),
        (
            mesh,
            "k = ;",
            "`k`: expected a number from 1 to 2147483647, found nothing",
        ),
        (mesh, "injection_rate = {0.1, 0.2};", "found `{0.1, 0.2}`"),
    ] {
        let told = converted(&format!("{text} {setting}"), &[]).unwrap_err();
        assert!(told.len() == 1 && told[0].contains(names), "{told:?}");
    }
}

/// Terminals of BookSim2 are numbered with the first dimension fastest, ours with the last.
#[test]
fn bits_of_three_digits_move_as_in_booksim() {
    let of = |text: &str| fields(&converted(text, &[]).unwrap(), "routing");
    let cube = "topology = mesh; routing_function = dor; k = 4; n = 3;";
    for traffic in ["shuffle", "transpose"] {
        let routing = of(&format!("{cube} traffic = {traffic};"));
        assert_eq!(routing["order"].to_string(), "[2, 1, 0]");
    }
    for others in ["", "traffic = bitrev;", "traffic = shuffle; n = 2;"] {
        assert!(of(&format!("{cube} {others}")).get("order").is_none());
    }
}

#[test]
fn texts_are_read_as_editors_write_them() {
    let text = "\u{feff}topology = mesh;\r\n routing_function = \"dor\";\r\n// n = 9;\r\n\
        packet_size = {15};injection_rate=0.06;";
    let traffic = fields(&converted(text, &[]).unwrap(), "traffic");
    assert_eq!(traffic["load"].as_float(), Some(0.9));
    assert_eq!(traffic["packet_flits"].as_integer(), Some(15));
}

#[test]
fn configurations_are_told_from_studies() {
    for (text, start) in [
        ("// A torus.\nk = 8;\n", 12),
        ("\ntopology = torus; // folded\nk = 8;", 1),
    ] {
        let told = crate::import::is_one(text).unwrap();
        assert_eq!(told.place.map(|place| place.start), Some(start), "{text}");
    }
    for text in [
        "topology = \"torus\"\nkind = \n",
        "# k = 8;\n[network\nkind = 1;",
        "load = 0.1;",
    ] {
        assert_eq!(crate::import::is_one(text), None, "{text}");
    }
}

proptest::proptest! {
    /// Whatever it is; and what is accepted can be read as a study.
    #[test]
    fn any_text_is_a_study_or_refused(
        text in "([a-z_]{0,12} ?[=;/] ?[-0-9a-z_.\"{,\n]{0,6}|\\PC{0,3}){0,12}",
        chosen in proptest::collection::vec((0..keys::names().count(), 0..5_usize), 0..12),
    ) {
        let _ = converted(&text, &[]);
        let values = |default| [default, "0", "1", "3", "mesh"];
        let lines = chosen.iter().map(|&(index, value)| {
            let key = keys::names().nth(index).unwrap();
            format!("{key} = {};\n", values(keys::default(key).unwrap_or("2"))[value])
        });
        let text: String = lines.chain(["routing_function = dim_order;".to_owned()]).collect();
        if let Ok(study) = converted(&text, &[]) {
            let (_, read) = Source::parse("study.toml", study.as_bytes(), &[]);
            let errors = crate::specification::Specification::read(&read.unwrap(), crate::specification::Scope::Simulation).err();
            for error in errors.into_iter().flatten() {
                proptest::prop_assert!(!error.message.starts_with("unknown"), "{error} in {study}");
            }
        }
    }
}
