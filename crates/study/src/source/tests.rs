use proptest::prelude::*;
use serde::Deserialize;
use turnwise_config::document::deserialize;

use super::*;

const STUDY: &str = "\
[network]
kind = \"torus\"
sizes = [4, 4]

[traffic]
pattern = \"tornado\"   # Größe: 5 µm
load = 0.3
";

fn parse(text: &str, overrides: &[&str]) -> (Source, Result<Value, Vec<Diagnostic>>) {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Source::parse("study.toml", text.as_bytes(), &overrides)
}

fn tree(text: &str, overrides: &[&str]) -> Value {
    parse(text, overrides).1.unwrap()
}

fn errors(text: &str, overrides: &[&str]) -> Vec<String> {
    let (source, parsed) = parse(text, overrides);
    let errors = parsed.unwrap_err();
    errors
        .iter()
        .map(|error| source.render_plain(error))
        .collect()
}

#[test]
fn a_file_becomes_a_tree_in_the_order_it_was_written() {
    let tree = tree(
        "[z]\nb = 1\na = { y = 0x1f, x = -1.5e3 }\n[a]\nc = [true, 'x']",
        &[],
    );
    let names = |path| -> Vec<String> {
        let table = tree.at_path(path).unwrap().table().unwrap();
        table.keys().map(|key| key.name.clone()).collect()
    };
    assert_eq!(names(""), ["z", "a"]);
    assert_eq!(names("z"), ["b", "a"]);
    assert_eq!(names("z.a"), ["y", "x"]);
    assert_eq!(
        tree.canonical(),
        r#"{"a"={"c"=[true,"x"]},"z"={"a"={"x"=-1500.0,"y"=31},"b"=1}}"#
    );
}

#[test]
fn positions_count_characters_from_one() {
    let (source, parsed) = parse(STUDY, &["network.sizes=[4,8]"]);
    let tree = parsed.unwrap();
    let place = |path| source.position(tree.at_path(path).unwrap().span);
    assert_eq!(place("network"), ("study.toml", 1, 1));
    assert_eq!(place("network.kind"), ("study.toml", 2, 8));
    assert_eq!(place("traffic.load"), ("study.toml", 7, 8));
    assert_eq!(place("network.sizes"), ("--set #1", 1, 15));
    assert_eq!(place("network.sizes[1]"), ("--set #1", 1, 18));
    let micro = STUDY.find("µm").unwrap() as u32;
    assert_eq!(
        source.position(Span::new(0, micro, micro)),
        ("study.toml", 6, 34)
    );
    let inside_of_a_letter = Span::new(0, micro + 1, micro + 1);
    assert_eq!(source.position(inside_of_a_letter).2, 34);
    assert_eq!(
        source.position(Span::new(0, 9999, 9999)),
        ("study.toml", 8, 1)
    );
    assert_eq!(source.position(Span::new(7, 0, 0)).0, "(unknown text)");
}

#[test]
fn every_syntax_error_is_reported_once_a_line() {
    let found = errors(
        "[network]\nkind = torus\nsizes = [4, 4\n\n[traffic]\nload = 1 2\n",
        &[],
    );
    let quoted = "study.toml:2:8: `torus` is not a value (help: text stands in quotes: \"torus\")";
    assert_eq!(found[0], quoted);
    assert!(found.len() >= 2, "{found:?}");
    let found = errors("a = 1\na = 2\nb = \"x", &[]);
    assert_eq!(
        found,
        [
            "study.toml:2:1: duplicate key `a`",
            "study.toml:3:7: invalid basic string, expected `\"`",
        ]
    );
}

#[test]
fn values_a_study_cannot_hold_are_refused_together() {
    let found = errors(
        "a = 1979-05-27\nb = [99999999999999999999]\nc = 1e999\nd = inf",
        &[],
    );
    let expected = [
        "study.toml:1:5: a date has no meaning in a study \
         (help: if it is meant as text, put it in quotes)",
        "study.toml:2:6: this whole number is out of range \
         (help: the largest is 9223372036854775807)",
        "study.toml:3:5: this number is out of range (help: the largest is 1.7e308)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn text_that_is_not_utf8_is_placed_exactly() {
    let mut bytes = "[network]\nname = \"Größe ".as_bytes().to_vec();
    bytes.extend([0xff, b'"', b'\n']);
    let (source, parsed) = Source::parse("latin.toml", &bytes, &[]);
    let errors = parsed.unwrap_err();
    assert_eq!(
        source.render_plain(&errors[0]),
        "latin.toml:2:15: byte 0xff is not UTF-8 text (help: save the file in UTF-8 encoding)"
    );
    assert!(source.text(0).unwrap().ends_with("\u{fffd}\"\n"));
}

#[test]
fn overrides_replace_and_create() {
    let tree = tree(
        STUDY,
        &[
            "traffic.load=0.4",
            " routing.kind = valiant ",
            "network.sizes[1]=8",
            "network.channel_latency=10 ns",
            "simulation.drain=false",
            "network.faults={ links = [[0, 1]] }",
            "study.name=\"a=b\"",
            "network.file=fabrics/a.graphml",
        ],
    );
    let at = |path| tree.at_path(path).unwrap();
    assert_eq!(at("traffic.load").as_f64(), Some(0.4));
    assert_eq!(at("routing.kind").as_str(), Some("valiant"));
    assert_eq!(at("network.sizes").canonical(), "[4,8]");
    assert_eq!(at("network.channel_latency").as_str(), Some("10 ns"));
    assert_eq!(at("simulation.drain").as_bool(), Some(false));
    assert_eq!(at("network.faults.links[0]").canonical(), "[0,1]");
    assert_eq!(at("study.name").as_str(), Some("a=b"));
    assert_eq!(at("network.file").as_str(), Some("fabrics/a.graphml"));
}

#[test]
fn a_sweep_is_overridden_by_its_whole_key() {
    let tree = tree(
        "[sweep]\n\"traffic.load\" = [0.1]",
        &["sweep.traffic.load=[0.2]"],
    );
    assert_eq!(tree.canonical(), r#"{"sweep"={"traffic.load"=[0.2]}}"#);
    let created = self::tree("", &["sweep.traffic.load=[0.2]"]);
    assert_eq!(created.canonical(), tree.canonical());
    for quoted in ["sweep.\"traffic.load\"=[0.2]", "sweep.'traffic.load'=[0.2]"] {
        assert_eq!(self::tree("", &[quoted]).canonical(), tree.canonical());
    }
}

#[test]
fn errors_in_overrides_point_into_the_override() {
    let found = errors(
        STUDY,
        &[
            "traffic.load",
            "=3",
            "traffic..load=3",
            "traffic.load= ",
            "network.sizes = [4, 4",
            "traffic.load.peak=1",
            "network.sizes[5]=1",
            "study.date=2024-01-01",
        ],
    );
    let expected = [
        "--set #1:1:1: `traffic.load` sets nothing \
         (help: write key=value, such as traffic.load=0.4)",
        "--set #2:1:1: `` is not the path of a field \
         (help: write names with dots between them, such as traffic.load)",
        "--set #3:1:1: `traffic..load` is not the path of a field \
         (help: write names with dots between them, such as traffic.load)",
        "--set #4:1:15: a value is missing (help: an empty string is written \"\")",
        "--set #5:1:22: unclosed array, expected `]`",
        "--set #6:1:1: traffic.load: is the number 0.3, not a table",
        "--set #7:1:1: network.sizes: has no element 5: it is an array of 2 values",
        "--set #8:1:12: a date has no meaning in a study \
         (help: if it is meant as text, put it in quotes)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn typed_errors_name_the_text_to_blame() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its errors are looked at")]
    struct Traffic {
        pattern: String,
        load: f64,
    }
    let (source, parsed) = parse(STUDY, &["traffic.load=high", "traffic.lod=1"]);
    let mut errors = Vec::new();
    let tree = parsed.unwrap();
    let read = deserialize::<Traffic>(tree.at_path("traffic").unwrap(), &mut errors);
    assert!(read.is_none());
    let rendered: Vec<String> = errors
        .iter()
        .map(|error| source.render_plain(error))
        .collect();
    let expected = [
        "--set #1:1:14: expected a number, found the string \"high\"",
        "--set #2:1:1: unknown key `lod` (help: did you mean `load`? \
         the keys of this table are: `pattern` and `load`)",
    ];
    assert_eq!(rendered, expected);
    let general = source.render_plain(&Diagnostic::general("nothing to do"));
    assert_eq!(general, "study.toml: nothing to do");
    assert_eq!((source.count(), source.name(2)), (3, Some("--set #2")));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), set in any::<String>()) {
        let (source, parsed) = Source::parse("study.toml", text.as_bytes(), &[set]);
        for error in parsed.err().unwrap_or_default() {
            source.render_plain(&error);
        }
    }

    #[test]
    fn nearly_toml_does_not_make_it_panic(
        text in "([a-c](\\.[a-c])? ?= ?(1|'x'|\\[1, ?|\\]|\\{|\"é|nan|0x)\r?\n|\\[\\[?[a-c]\\]?\\]?\n){0,6}",
        set in "[a-c.\\[\\]0-9]{0,6}=[\\[\\]{}'\"a1,= ]{0,6}",
    ) {
        let (source, parsed) = Source::parse("study.toml", text.as_bytes(), &[set]);
        for error in parsed.err().unwrap_or_default() {
            source.render_plain(&error);
        }
    }

    #[test]
    fn bytes_are_placed_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let (source, parsed) = Source::parse("study.toml", &bytes, &[]);
        if let Err(utf8) = std::str::from_utf8(&bytes) {
            let errors = parsed.unwrap_err();
            let good = std::str::from_utf8(&bytes[..utf8.valid_up_to()]).unwrap();
            let (_, line, _) = source.position(errors[0].place.unwrap());
            prop_assert_eq!(line, good.matches('\n').count() + 1);
        }
    }
}
