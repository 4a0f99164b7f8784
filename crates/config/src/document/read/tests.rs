use std::collections::BTreeMap;
use std::num::NonZeroU32;

use proptest::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::diagnostic::Diagnostic;
use crate::document::testing::from_toml;
use crate::document::{Value, deserialize, deserialize_ignoring};

fn read<T: DeserializeOwned>(text: &str) -> T {
    let mut errors = Vec::new();
    let read = deserialize(&from_toml(text), &mut errors);
    assert_eq!(errors, []);
    read.unwrap()
}

/// Every error as "`the text it points at`: message (help: ...)".
fn complain<T: DeserializeOwned>(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    assert!(deserialize::<T>(&from_toml(text), &mut errors).is_none());
    errors.iter().map(|error| quote(text, error)).collect()
}

fn quote(text: &str, error: &Diagnostic) -> String {
    let span = error.place.unwrap();
    let mut place = &text[span.start as usize..span.end as usize];
    if place == text {
        place = "everything";
    }
    format!("{place} | {error}")
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Torus {
    sizes: Vec<u32>,
    #[serde(default)]
    bias: f64,
    latency: Option<Latency>,
    #[serde(default)]
    faults: Faults,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
struct Faults {
    #[serde(default)]
    links: Vec<[u16; 2]>,
    #[serde(default)]
    seed: u64,
    mode: Option<Mode>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    FailStop,
    Transient { mean: f32 },
    After(NonZeroU32),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Latency {
    Cycles(u32),
    Text(String),
    PerGroup { per_group: u32 },
}

#[test]
fn every_shape_of_type_can_be_read() {
    let torus: Torus = read(
        "sizes = [4, 2]\nbias = 1\nlatency = { per_group = 7 }\n\
         [faults]\nlinks = [[0, 1], [2, 3]]\nseed = 0x10",
    );
    assert_eq!(torus.sizes, [4, 2]);
    assert_eq!(torus.bias, 1.0);
    assert_eq!(torus.latency, Some(Latency::PerGroup { per_group: 7 }));
    assert_eq!(torus.faults.links, [[0, 1], [2, 3]]);

    #[derive(Debug, Deserialize, PartialEq)]
    struct Wrapped(u8);
    #[derive(Debug, Deserialize, PartialEq)]
    struct Nothing;
    let maps: BTreeMap<String, (Wrapped, bool, char)> = read("a = [1, true, \"x\"]");
    assert_eq!(maps["a"], (Wrapped(1), true, 'x'));
    let modes: BTreeMap<String, Mode> =
        read("a = \"fail-stop\"\nb = { transient = { mean = 2 } }\nc = { after = 3 }");
    assert_eq!(modes["a"], Mode::FailStop);
    assert_eq!(modes["b"], Mode::Transient { mean: 2.0 });
    assert_eq!(modes["c"], Mode::After(NonZeroU32::new(3).unwrap()));
    assert_eq!(read::<Nothing>(""), Nothing);
    let latency: BTreeMap<String, Latency> = read("a = 3\nb = \"3 ns\"");
    assert_eq!(latency["a"], Latency::Cycles(3));
    assert_eq!(latency["b"], Latency::Text("3 ns".into()));
}

#[test]
fn all_mistakes_are_reported_at_once_in_the_order_of_the_text() {
    let found = complain::<Torus>(
        "siezs = 1\nsizes = [4, -1, 'x', 2.0]\nbias = 'high'\n\
         [faults]\nlinks = [[0, 70000], [1]]\nseed = -1\nsede = 2",
    );
    let expected = [
        "siezs | unknown key `siezs` (help: did you mean `sizes`? \
         the keys of this table are: `sizes`, `bias`, `latency` and `faults`)",
        "-1 | expected a whole number from 0 to 4294967295, found the number -1",
        "'x' | expected a whole number, found the string \"x\"",
        "2.0 | expected a whole number, found the number 2.0 \
         (help: write `2`, without a fraction)",
        "'high' | expected a number, found the string \"high\"",
        "70000 | expected a whole number from 0 to 65535, found the number 70000",
        "[1] | expected an array of 2 values, found an array of 1 value",
        "-1 | expected a whole number of at least 0, found the number -1",
        "sede | unknown key `sede` (help: did you mean `seed`? \
         the keys of this table are: `links`, `seed` and `mode`)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_missing_key_is_missed_at_its_table() {
    assert_eq!(
        complain::<Torus>("bias = 1"),
        ["everything | missing key `sizes`"]
    );
    let mode = "mode = { transient = {} }";
    assert_eq!(complain::<Faults>(mode), ["{} | missing key `mean`"]);
}

#[test]
fn enums_suggest_the_nearest_variant() {
    let all = "choose one of: `fail-stop`, `transient` and `after`";
    let wrong = complain::<Faults>("mode = 'failstop'");
    let expected =
        format!("'failstop' | unknown choice `failstop` (help: did you mean `fail-stop`? {all})");
    assert_eq!(wrong, [expected]);
    let wrong = complain::<Faults>("mode = { sometimes = 1 }");
    let expected = format!("sometimes | unknown choice `sometimes` (help: {all})");
    assert_eq!(wrong, [expected]);
    assert_eq!(
        complain::<Faults>("mode = 3"),
        ["3 | expected one of `fail-stop`, `transient` and `after`, found the number 3"]
    );
    assert_eq!(
        complain::<Faults>("mode = 'transient'"),
        ["'transient' | `transient` needs a value: { transient = ... }"]
    );
    assert_eq!(
        complain::<Faults>("mode = { fail-stop = 1 }"),
        ["{ fail-stop = 1 } | `fail-stop` takes no value: write \"fail-stop\""]
    );
    assert_eq!(
        complain::<Faults>("mode = { after = 0 }"),
        ["0 | expected a whole number other than 0, found the number 0"]
    );
    assert_eq!(
        complain::<Faults>("mode = { transient = { maen = 1 } }"),
        [
            "{ maen = 1 } | missing key `mean`",
            "maen | unknown key `maen` (help: did you mean `mean`? \
             the keys of this table are: `mean`)",
        ]
    );
}

#[test]
fn untagged_enums_complain_about_the_whole_value() {
    let torus = "sizes = [1]\nlatency = ";
    assert_eq!(
        complain::<Torus>(&format!("{torus}true")),
        ["true | no accepted form fits `true`"]
    );

    #[derive(Debug, Deserialize)]
    #[serde(untagged, expecting = "expected a number or \"auto\"")]
    #[expect(dead_code, reason = "only its errors are looked at")]
    enum Explained {
        Number(f64),
    }
    assert_eq!(
        complain::<BTreeMap<String, Explained>>("a = []"),
        ["[] | expected a number or \"auto\""]
    );
}

#[test]
fn infinities_and_nan_are_refused_in_any_form() {
    assert_eq!(
        complain::<Torus>("sizes = []\nbias = nan"),
        ["nan | expected a finite number, found the number NaN"]
    );
    assert_eq!(
        complain::<Torus>("sizes = []\nlatency = -inf"),
        ["-inf | expected a finite number, found the number -inf"]
    );
    assert_eq!(
        complain::<Faults>("mode = { transient = { mean = 1e300 } }"),
        ["1e300 | expected a number of at most 3e38, found the number 1e300"]
    );
}

#[test]
fn slips_of_quoting_are_explained() {
    let hints = |text: &str| complain::<(String, bool, f64)>(text);
    assert_eq!(
        hints("x = 1"),
        ["everything | expected an array, found a table"]
    );
    type Row = BTreeMap<String, (String, bool, f64)>;
    let found = complain::<Row>("a = [1, true, 1]\nb = ['', 'true', 1]\nc = ['', true, '0.5']");
    let expected = [
        "1 | expected a string, found the number 1 (help: write `\"1\"`, with quotes)",
        "'true' | expected `true` or `false`, found the string \"true\" \
         (help: write `true`, without quotes)",
        "'0.5' | expected a number, found the string \"0.5\" \
         (help: write `0.5`, without quotes)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_type_says_itself_keeps_its_place() {
    #[derive(Debug, Deserialize)]
    #[serde(try_from = "u32")]
    struct Even;
    impl TryFrom<u32> for Even {
        type Error = String;
        fn try_from(number: u32) -> Result<Self, String> {
            match number % 2 {
                0 => Ok(Self),
                _ => Err(format!("{number} is odd")),
            }
        }
    }
    let found = complain::<BTreeMap<String, Vec<Even>>>("a = [2, 3]\nb = [4, 5]");
    assert_eq!(found, ["3 | 3 is odd", "5 | 5 is odd"]);
    assert_eq!(
        complain::<BTreeMap<Mode2, u8>>("odd = 1")[0],
        "odd | unknown choice `odd` (help: choose one of: `even`)"
    );
}

#[test]
fn a_visitor_of_its_own_loses_neither_place_nor_help() {
    #[derive(Debug)]
    struct Own;
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its errors are looked at")]
    struct Fields {
        local: u32,
    }
    struct Visit;
    impl<'de> serde::de::Visitor<'de> for Visit {
        type Value = Own;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a latency")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Own, A::Error> {
            let map = serde::de::value::MapAccessDeserializer::new(map);
            Fields::deserialize(map).map(|_| Own)
        }
    }
    impl<'de> Deserialize<'de> for Own {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Visit)
        }
    }
    let found = complain::<BTreeMap<String, Own>>(
        "a = 'x'\nb = { locl = 1 }\nc = { local = 'x' }\nd = {}\n",
    );
    let expected = [
        "'x' | expected a latency, found the string \"x\"",
        "locl | unknown key `locl` (help: did you mean `local`? \
         the keys of this table are: `local`)",
        "'x' | expected a whole number, found the string \"x\"",
        "{} | missing key `local`",
    ];
    assert_eq!(found, expected);
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Mode2 {
    Even,
}

#[test]
fn ignored_keys_are_for_others_but_remembered() {
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Ring {
        routers: u8,
    }
    let shared = ["kind", "faults"];
    let tree = |text| -> Value { from_toml(text) };
    let mut errors = Vec::new();
    let good = tree("kind = 'ring'\nrouters = 3\nfaults.seed = 1");
    let ring = deserialize_ignoring::<Ring>(&good, &shared, &mut errors);
    assert_eq!((ring, errors.len()), (Some(Ring { routers: 3 }), 0));
    let flat = deserialize_ignoring::<BTreeMap<String, u8>>(&good, &shared, &mut errors);
    assert_eq!(flat.unwrap().len(), 1);

    let text = "routers = 3\nfaulst.kind = 1";
    let ring = deserialize_ignoring::<Ring>(&tree(text), &shared, &mut errors);
    assert_eq!(ring, None);
    let expected = "faulst | unknown key `faulst` (help: did you mean `faults`? \
         the keys of this table are: `routers`, `kind` and `faults`)";
    assert_eq!(quote(text, &errors[0]), expected);
}

#[test]
fn many_mistakes_in_nested_places_are_all_found() {
    let rows: Vec<String> = (0..9).map(|row| format!("[{row}, '{row}']")).collect();
    let found = complain::<BTreeMap<String, Vec<[u16; 2]>>>(&format!(
        "a = [{0}]\nb = [{0}]",
        rows.join(", ")
    ));
    assert_eq!(found.len(), 18);
}

proptest! {
    #[test]
    fn whole_numbers_fit_exactly_their_range(number in any::<i64>()) {
        let text = format!("x = {number}");
        let mut errors = Vec::new();
        let tree = from_toml(&text);
        let byte = deserialize::<BTreeMap<String, i8>>(&tree, &mut errors);
        prop_assert_eq!(byte.map(|map| map["x"]), i8::try_from(number).ok());
        let word = deserialize::<BTreeMap<String, u64>>(&tree, &mut errors);
        prop_assert_eq!(word.map(|map| map["x"]), u64::try_from(number).ok());
        let float = deserialize::<BTreeMap<String, f64>>(&tree, &mut errors);
        prop_assert_eq!(float.map(|map| map["x"]), Some(number as f64));
    }

    #[test]
    fn a_reading_fails_exactly_when_it_complains(text in "(x = (1|-1|'a'|\\[1\\]|\\{\\})\n)?(seed = (1|-1|1\\.5)\n)?(links = \\[(\\[1, (2|'b')\\])?\\])?") {
        let mut errors = Vec::new();
        let read = deserialize::<Faults>(&from_toml(&text), &mut errors);
        prop_assert_eq!(read.is_some(), errors.is_empty());
    }
}
