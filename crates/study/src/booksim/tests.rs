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
    study("torus88", &source).map_err(|errors| errors.into_iter().map(told).collect())
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
        injection_rate = 1.5;\n\
        watch_out = -;\n";
    let told = converted(text, &["vc_buf_size=none"]).unwrap_err();
    let expected = [
        "2:12: `topology = cmesh` has no counterpart here (help: what has: `torus`, `mesh`",
        "4:1: BookSim2 has no setting `num_vc` (help: did you mean `num_vcs`?)",
        "5:15: `speculative = 1` has no counterpart here (help: only `speculative = 0` has)",
        "6:37: `internal_speedup`: expected a number from 1, found `0.5` (help: 1.0 if not given)",
        "7:11: expected `;` behind `traffic`",
        "8:16: `sw_allocator = wavefront` has no counterpart here (help: what has: `islip`",
        "9:18: `injection_rate`: a terminal sends a flit in a cycle at most, not 1.5 (help: a flit in every cycle is 1)",
        "1:13: `vc_buf_size`: expected a number from 1, found `none` (help: 8 if not given)",
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
    assert!(told("topology = dragonflynew; routing_function = min;").contains("write n = 1"));
    assert!(
        told("topology = anynet; routing_function = min;").contains("`network_file` is missing")
    );
}

proptest::proptest! {
    /// Whatever it is; and what is accepted can be read as a study.
    #[test]
    fn any_text_is_a_study_or_refused(
        text in "([a-z_]{0,12} ?[=;/] ?[-0-9a-z_.\"{,\n]{0,6}|\\PC{0,3}){0,12}",
        chosen in proptest::collection::vec((0..keys::KEYS.len(), 0..5_usize), 0..12),
    ) {
        let _ = converted(&text, &[]);
        let values = |default| [default, "0", "1", "3", "mesh"];
        let lines = chosen.iter().map(|&(index, value)| {
            let (key, default, _) = keys::KEYS[index];
            format!("{key} = {};\n", values(default)[value])
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
