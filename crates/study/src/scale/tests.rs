use super::*;
use crate::sweep::Point;
use proptest::prelude::*;

const STUDY: &str = "\
[study]
repeat = 2

[network]
kind = 'torus'
sizes = [4, 4]

[traffic]
pattern = 'uniform'
load = 0.5

[simulation]
measure_cycles = 4000

[sweep]
traffic.load = [0.1, 0.2, 0.3]
\"routing\" = [{ kind = 'dimension-order' }, { kind = 'valiant' }]
";

fn document(text: &str, overrides: &[String]) -> Result<Value, Vec<String>> {
    let (source, parsed) = Source::parse("s", text.as_bytes(), overrides);
    let document = parsed.and_then(|document| scaled(&source, &document));
    let plain = |errors: Vec<Diagnostic>| {
        let errors = errors.iter();
        errors.map(|error| source.render_plain(error)).collect()
    };
    document.map_err(plain)
}

fn sweep(text: &str, overrides: &[&str]) -> Sweep {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let document = document(text, &overrides).unwrap();
    Sweep::read(&document, &Units::default()).unwrap()
}

fn identities(text: &str, overrides: &[&str]) -> Vec<u128> {
    let points = sweep(text, overrides);
    points.iter().map(|point: Point| point.identity()).collect()
}

fn errors(scale: &str) -> Vec<String> {
    let text = format!("{STUDY}{scale}");
    document(&text, &["study.scale=quick".to_owned()]).unwrap_err()
}

#[test]
fn without_being_asked_for_a_scale_changes_nothing() {
    let text = format!("{STUDY}[scale.quick]\n'traffic.load' = [0.9]\n");
    let full = identities(STUDY, &[]);
    assert_eq!(full.len(), 12);
    assert_eq!(identities(&text, &[]), full);
    assert_eq!(identities(&text, &["study.scale=full"]), full);
}

#[test]
fn points_are_told_by_values_and_not_by_scales() {
    let text = format!("{STUDY}[scale.quick]\nstudy.repeat = 1\n'traffic.load' = [0.3, 0.1]\n");
    let quick = identities(&text, &["study.scale=quick"]);
    let full = identities(&text, &[]);
    // The loads in the scale's order, the sweep's own order of keys, the first repetitions.
    assert_eq!(quick, [8, 10, 0, 2].map(|index: usize| full[index]));
}

#[test]
fn a_scale_may_be_chosen_in_the_file_and_given_up_outside() {
    let text = format!("{STUDY}[scale.quick]\n'traffic.load' = 0.3\n");
    let chosen = text.replace("[study]", "[study]\nscale = 'quick'");
    let quick = identities(&text, &["study.scale=quick"]);
    assert_eq!(identities(&chosen, &[]), quick);
    assert_eq!(
        identities(&chosen, &["study.scale=full"]),
        identities(STUDY, &[])
    );
}

#[test]
fn overrides_lie_above_scales() {
    let text = format!(
        "{STUDY}[scale.quick]\n'traffic.load' = [0.1, 0.2]\n'simulation.measure_cycles' = 10\n"
    );
    let quick = "study.scale=quick";
    let points = sweep(
        &text,
        &["traffic.load=0.7", quick, "simulation.measure_cycles=20"],
    );
    let point = points.point(0).unwrap();
    let number = |path| point.document.at_path(path).unwrap().as_f64();
    assert_eq!((points.len(), number("traffic.load")), (4, Some(0.7)));
    assert_eq!(number("simulation.measure_cycles"), Some(20.0));
    let changed = sweep(&text, &[quick, "scale.quick.traffic.load=[0.4]"]);
    // What the file says of the scale has a key of its own, which a later one replaces.
    assert_eq!(changed.len(), 4);
}

#[test]
fn tables_of_a_scale_change_what_they_name() {
    let text = format!(
        "{STUDY}[scale.quick]\nnetwork = {{ sizes = [2, 2], faults = {{ routers = [1] }} }}\n"
    );
    let points = sweep(&text, &["study.scale=quick"]);
    let network = points.value("network", 0).unwrap().canonical();
    assert_eq!(
        network,
        r#"{"faults"={"routers"=[1]},"kind"="torus","sizes"=[2,2]}"#
    );
}

#[test]
fn mistakes_in_scales_have_their_place() {
    let place = |error: &[String]| error[0].split(": ").next().map(str::to_owned);
    let found = errors("[scale.quik]\n");
    assert_eq!(
        found,
        [
            "--set #1:1:13: this study has no scale \"quick\" (help: did you mean `quik`? the scales are: `full` and `quik`)"
        ]
    );
    for (scale, column, words) in [
        (
            "'trafic.load' = 1",
            1,
            "`trafic.load` cannot be different at a scale (help: did you mean `traffic`?",
        ),
        (
            "'scale.x' = 1",
            1,
            "`scale.x` cannot be different at a scale",
        ),
        ("'traffic.' = 1", 1, "`traffic.` is not the path of a field"),
        ("study.scale = 'full'", 7, "a scale cannot choose a scale"),
        (
            "'routing.kind' = 'valiant'",
            1,
            "the sweep over `routing` replaces this (help: say what it runs through: \"routing\" = [...])",
        ),
        (
            "'traffic.pattern.x' = 1",
            1,
            "`traffic.pattern.x` cannot be set: traffic.pattern: is the string",
        ),
    ] {
        let found = errors(&format!("[scale.quick]\n{scale}\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(place(&found), Some(format!("s:19:{column}")), "{found:?}");
        assert!(found[0].contains(words), "{found:?}");
    }
    let found = errors("[scale.full]\n[scale.quick]\n");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("s:18:8: `full` is the study as it is written"),
        "{found:?}"
    );
    let found = errors("[scale]\nquick = 3\nslow = []\n");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn scales_that_are_not_meant_are_looked_at_too() {
    let mistakes = |scale: &str, overrides: &[&str]| -> Vec<String> {
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        let text = format!("{STUDY}[scale.quick]\n{scale}\n");
        let (source, document) = Source::parse("s", text.as_bytes(), &overrides);
        let document = scaled(&source, &document.unwrap()).unwrap();
        let found = mistakes_elsewhere(&source, &document, Scope::Simulation);
        found
            .iter()
            .map(|error| source.render_plain(error))
            .collect()
    };
    let misspelt = "simulation.mesure_cycles = 3";
    let found = mistakes(misspelt, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("s:19:12: unknown key `mesure_cycles`"),
        "{found:?}"
    );
    assert_eq!(mistakes("'traffic.load' = ['much']", &[]).len(), 1);
    assert_eq!(mistakes("'traffic.load' = []", &[]).len(), 1);
    assert_eq!(mistakes("'traffic.load' = [0.1]", &[]), [""; 0]);
    // Another network needs other fields, which is not the scale's mistake.
    let torus = "'network.sizes' = [2, 2]";
    let other = "network={ kind = 'full-mesh', routers = 4 }";
    assert_eq!(mistakes(torus, &[other]), [""; 0]);
}

proptest! {
    /// A scale is nothing but the overrides that one would type.
    #[test]
    fn a_scale_is_what_its_overrides_are(
        chosen in proptest::sample::subsequence(vec![0_usize, 1, 2, 3, 4], 0..=5), nested in any::<bool>(), load in 1..9
    ) {
        let fields = [
            ("network.sizes", "[3, 5]".to_owned(), false),
            ("simulation.measure_cycles", "100".to_owned(), false),
            ("traffic.load", format!("{{ from = 0.0{load}, to = 0.9, count = 3 }}"), true),
            ("routing", "[{ kind = 'minimal' }]".to_owned(), true),
            ("study.seed", "7".to_owned(), false),
        ];
        let fields: Vec<_> = chosen.iter().map(|&index| fields[index].clone()).collect();
        let mut text = STUDY.replace("traffic.load =", "'traffic.load' =");
        let plain = text.clone();
        text.push_str("[scale.quick]\n");
        for (path, value, _) in &fields {
            match nested {
                true => text.push_str(&format!("{path} = {value}\n")),
                false => text.push_str(&format!("\"{path}\" = {value}\n")),
            }
        }
        let overrides: Vec<String> = fields.iter().map(|(path, value, swept)| match swept {
            true => format!("sweep.{path}={value}"),
            false => format!("{path}={value}"),
        }).collect();
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        prop_assert_eq!(identities(&text, &["study.scale=quick"]), identities(&plain, &overrides));
    }
}
