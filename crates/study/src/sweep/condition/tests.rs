use crate::source::Source;
use crate::sweep::{Sweep, expand};
use crate::units::Units;

const STUDY: &str = "\
[network]
kind = 'torus'
sizes = [4, 8]
[simulation]
drain = true
[sweep]
\"traffic.load\" = [0.1, 0.2, 0.3]
\"routing.kind\" = ['minimal', 'valiant']
";

/// The points for which a condition holds, as "load kind".
fn kept(condition: &str) -> Vec<String> {
    let study = format!("{STUDY}where = \"{condition}\"");
    let (_, parsed) = Source::parse("s", study.as_bytes(), &[]);
    let points = expand(&parsed.unwrap()).unwrap();
    let field = |value: &turnwise_config::document::Value| match value.as_str() {
        Some(text) => text[..1].to_owned(),
        None => value.canonical(),
    };
    let row = |fields: &[(String, _)]| format!("{} {}", field(&fields[0].1), field(&fields[1].1));
    points.iter().map(|point| row(&point.fields)).collect()
}

/// Line, column and words of the complaints about `where = ...`, which is line 9.
fn complaints(written: &str) -> Vec<String> {
    let study = format!("{STUDY}where = {written}");
    let (source, parsed) = Source::parse("s", study.as_bytes(), &[]);
    let errors = Sweep::read(&parsed.unwrap(), &Units::default()).unwrap_err();
    errors
        .iter()
        .map(|error| source.render_plain(error))
        .collect()
}

fn complaint(condition: &str) -> String {
    complaints(&format!("\"{condition}\"")).join("; ")
}

#[test]
fn comparisons_choose_points() {
    assert_eq!(kept("traffic.load <= 0.1"), ["0.1 m", "0.1 v"]);
    assert_eq!(kept("traffic.load > 0.2"), ["0.3 m", "0.3 v"]);
    assert_eq!(kept("0.2 == traffic.load"), ["0.2 m", "0.2 v"]);
    assert_eq!(
        kept("traffic.load >= 2e-1 and routing.kind != 'minimal'"),
        ["0.2 v", "0.3 v"]
    );
    assert_eq!(kept("traffic.load < +1").len(), 6);
}

#[test]
fn or_binds_less_than_and_and_not_binds_most() {
    let all = "routing.kind == 'valiant' or traffic.load < 0.2 and not simulation.drain";
    assert_eq!(kept(all), ["0.1 v", "0.2 v", "0.3 v"]);
    let grouped = "(routing.kind == 'valiant' or traffic.load < 0.2) and simulation.drain";
    assert_eq!(kept(grouped), ["0.1 m", "0.1 v", "0.2 v", "0.3 v"]);
    assert_eq!(
        kept("not (traffic.load < 0.3 or routing.kind == 'minimal')"),
        ["0.3 v"]
    );
    assert_eq!(kept("not not true").len(), 6);
}

#[test]
fn names_reach_into_the_rest_of_the_study() {
    assert_eq!(
        kept("network.sizes[1] == 8 and network.kind == 'torus'").len(),
        6
    );
    assert_eq!(kept("network.kind == 3 or network.kind != 3").len(), 6);
}

#[test]
fn a_field_that_a_point_lacks_equals_nothing() {
    let study = "[sweep]\nrouting = [{ kind = 'a', bias = 1 }, { kind = 'b' }]\n";
    let count = |condition: &str| {
        let study = format!("{study}where = \"{condition}\"");
        let (_, parsed) = Source::parse("s", study.as_bytes(), &[]);
        expand(&parsed.unwrap()).map_or(0, |points| points.len())
    };
    assert_eq!(count("routing.bias == 1"), 1);
    assert_eq!(count("routing.bias != 1"), 1);
    assert_eq!(count("routing.bias < 9"), 1);
    assert_eq!(count("routing.fast"), 0);
    assert_eq!(count("routing.kind == 'b'"), 1);
}

#[test]
fn a_list_of_conditions_must_hold_together() {
    let study = format!("{STUDY}where = [\"traffic.load < 0.3\", \"routing.kind == 'minimal'\"]");
    let (_, parsed) = Source::parse("s", study.as_bytes(), &[]);
    assert_eq!(expand(&parsed.unwrap()).unwrap().len(), 2);
    assert_eq!(
        complaints("[\"true\", 3, 'x <', \"traffic.lod < 1\"]"),
        [
            "s:9:18: expected a condition, found the number 3 \
             (help: write where = \"traffic.load <= 0.3\")",
            "s:9:22: `x` is neither swept nor written in the study \
             (help: the swept keys are: `traffic.load` and `routing.kind`)",
            "s:9:29: `traffic.lod` is neither swept nor written in the study \
             (help: did you mean `traffic.load`? \
             the swept keys are: `traffic.load` and `routing.kind`)",
        ]
    );
}

#[test]
fn mistakes_are_placed_inside_the_string() {
    let cases = [
        ("", "s:9:10: the condition has no end"),
        ("traffic.load <", "s:9:24: the condition has no end"),
        (
            "traffic.load < and",
            "s:9:25: a name or a value is missing here",
        ),
        (
            "traffic.load = 0.1",
            "s:9:23: `=` means nothing in a condition (help: write `==` to compare)",
        ),
        (
            "true && false",
            "s:9:15: `&` means nothing in a condition (help: write `and`)",
        ),
        (
            "0.1 < traffic.load < 0.3",
            "s:9:29: a comparison has two sides (help: write `a < b and b < c`)",
        ),
        (
            "true true",
            "s:9:15: `true` does not belong here (help: conditions are joined by `and` and `or`)",
        ),
        (
            "(true or (false)",
            "s:9:10: this parenthesis is never closed",
        ),
        ("traffic.load < 0.1.2", "s:9:25: `0.1.2` is not a number"),
        ("routing.kind == 'a", "s:9:26: the string has no end"),
        (
            "routing.kind < 3",
            "s:9:23: `<` cannot compare the string \"minimal\" with the number 3",
        ),
        (
            "network.sizes == 3",
            "s:9:24: `==` cannot compare an array of 2 values with the number 3",
        ),
        (
            "network.kind",
            "s:9:10: expected `true` or `false`, found the string \"torus\" (help: compare it with something)",
        ),
        (
            "traffic.load > 5",
            "s:9:9: no point satisfies this condition",
        ),
        (
            "é",
            "s:9:10: `é` is neither swept nor written in the study (help: the swept keys are: `traffic.load` and `routing.kind`)",
        ),
    ];
    for (condition, expected) in cases {
        assert_eq!(complaint(condition), expected, "{condition}");
    }
}

#[test]
fn other_quotes_are_seen_through_or_else_the_string_is_blamed() {
    let start = |written: &str| {
        complaints(written)[0]
            .split(": ")
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(start("'traffic.load = 1'"), "s:9:23");
    assert_eq!(start("'''traffic.load = 1'''"), "s:9:25");
    assert_eq!(start("'''\ntraffic.load = 1'''"), "s:10:14");
    assert_eq!(start(r#""routing.kind = \"a\"""#), "s:9:9");
    let overrides = ["sweep.where=traffic.load<0.3<1".to_owned()];
    let (source, parsed) = Source::parse("s", STUDY.as_bytes(), &overrides);
    let errors = Sweep::read(&parsed.unwrap(), &Units::default()).unwrap_err();
    assert_eq!(
        source.position(errors[0].place.unwrap()),
        ("--set #1", 1, 29)
    );
}

#[test]
fn nesting_has_a_limit_and_length_has_none() {
    let deep = format!("{}true", "not ".repeat(100_000));
    assert!(complaint(&deep).ends_with("the condition is nested too deeply"));
    let deep = "(".repeat(100_000);
    assert!(complaint(&deep).ends_with("the condition is nested too deeply"));
    assert_eq!(kept(&["true"; 10_000].join(" and ")).len(), 6);
    assert_eq!(kept(&["(true)"; 10_000].join(" and ")).len(), 6);
}

proptest::proptest! {
    #[test]
    fn no_condition_makes_it_panic(text in "([(]|[)]|not|and|or|traffic\\.load|'a'|0\\.2|<|==|!|é|\\[0\\]| ){0,12}") {
        let study = format!("{STUDY}where = \"{text}\"");
        let (source, parsed) = Source::parse("s", study.as_bytes(), &[]);
        for error in Sweep::read(&parsed.unwrap(), &Units::default()).err().unwrap_or_default() {
            source.render_plain(&error);
        }
    }
}
