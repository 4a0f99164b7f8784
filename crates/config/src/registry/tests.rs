use super::*;
use crate::diagnostic::Span;
use crate::document::{Key, Kind, Table};
use serde::Deserialize;

trait Shape: std::fmt::Debug {
    fn corners(&self) -> u32;
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ring {
    routers: u32,
}

impl Shape for Ring {
    fn corners(&self) -> u32 {
        self.routers
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Point {}

impl Shape for Point {
    fn corners(&self) -> u32 {
        1
    }
}

impl Family for dyn Shape {
    const SHARED: &'static [&'static str] = &["kind", "faults"];
}

const RING: Entry<dyn Shape> = Entry {
    name: "ring",
    aliases: &["cycle"],
    summary: "Routers in a circle",
    source: "folklore",
    example: "routers = 4",
    schema: schema_of::<Ring>,
    parse: |table, errors| Some(Box::new(parse_as::<Ring, dyn Shape>(table, errors)?)),
};

const POINT: Entry<dyn Shape> = Entry {
    name: "point",
    aliases: &[],
    summary: "A single router",
    source: "folklore",
    example: "# nothing to set",
    schema: schema_of::<Point>,
    parse: |table, errors| Some(Box::new(parse_as::<Point, dyn Shape>(table, errors)?)),
};

const ENTRIES: &[Entry<dyn Shape>] = &[RING, POINT];

/// A table whose n-th entry has its key at `10 n` and its value at `10 n + 5`.
fn table(entries: &[(&str, Kind)]) -> Value {
    let mut table = Table::default();
    let mut offset = 0;
    for (name, kind) in entries {
        let span = |start| Span::new(0, start, start + 3);
        let key = Key {
            name: (*name).to_owned(),
            span: span(offset),
        };
        table.insert(key, Value::new(span(offset + 5), kind.clone()));
        offset += 10;
    }
    Value::new(Span::new(0, 0, offset), Kind::Table(table))
}

fn text(text: &str) -> Kind {
    Kind::String(text.to_owned())
}

fn read(table: &Value) -> Result<Box<dyn Shape>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let shape = parse(ENTRIES, table, "kind", &mut errors);
    assert_eq!(shape.is_none(), !errors.is_empty());
    shape.ok_or(errors)
}

fn only_error(table: &Value) -> (u32, String) {
    let errors = read(table).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    (errors[0].place.unwrap().start, errors[0].to_string())
}

#[test]
fn an_entry_is_selected_and_parsed() {
    let ring = table(&[("kind", text("cycle")), ("routers", Kind::Integer(5))]);
    assert_eq!(read(&ring).unwrap().corners(), 5);
    let faults = Kind::Table(Table::default());
    let point = table(&[("kind", text("point")), ("faults", faults)]);
    assert_eq!(read(&point).unwrap().corners(), 1);
}

#[test]
fn a_misspelt_name_finds_the_right_one() {
    let found = only_error(&table(&[("kind", text("cycel"))]));
    let expected = "unknown kind \"cycel\" \
         (help: did you mean `cycle`? the names are: `ring` and `point`)";
    assert_eq!(found, (5, expected.to_owned()));
}

#[test]
fn a_missing_or_wrong_selector_lists_the_names() {
    let (at, message) = only_error(&table(&[("routers", Kind::Integer(5))]));
    assert_eq!(at, 0);
    assert!(message.starts_with("missing key `kind`"), "{message}");
    // A field of an entry is none by another name, whatever stands there.
    let (at, message) = only_error(&table(&[("routers", text("point"))]));
    assert_eq!(at, 0);
    assert!(message.contains("`ring` and `point`"), "{message}");
    let (at, message) = only_error(&table(&[("shape", text("point"))]));
    assert_eq!(at, 0);
    assert!(
        message.contains("write kind = \"point\" instead of `shape`"),
        "{message}"
    );
    let slip = [("routers", Kind::Integer(5)), ("kinde", text("ring"))];
    assert_eq!(only_error(&table(&slip)).0, 10);
    let (at, message) = only_error(&table(&[("kind", Kind::Integer(5))]));
    assert_eq!(at, 5);
    assert!(message.contains("found the number 5"), "{message}");
    assert!(message.contains("`ring` and `point`"), "{message}");
    let (_, message) = only_error(&Value::new(Span::default(), Kind::Boolean(true)));
    assert_eq!(message, "expected a table, found `true`");
}

#[test]
fn shared_keys_are_suggested_too() {
    let (at, message) = only_error(&table(&[
        ("kind", text("ring")),
        ("routers", Kind::Integer(4)),
        ("fault", Kind::Integer(4)),
    ]));
    assert_eq!(at, 20);
    let expected = "unknown key `fault` (help: did you mean `faults`? \
         the keys of this table are: `routers`, `kind` and `faults`)";
    assert_eq!(message, expected);
}

#[test]
fn a_healthy_registry_has_no_problems() {
    assert_eq!(health(ENTRIES), Vec::<String>::new());
    let schema = (ENTRIES[0].schema)();
    assert!(schema.pointer("/properties/routers").is_some());
}

#[test]
fn every_problem_of_a_registry_is_told() {
    let sick = |name, aliases| Entry::<dyn Shape> {
        name,
        aliases,
        summary: "Ends with a stop.",
        source: " ",
        example: "x = 1",
        schema: schema_of::<Point>,
        parse: |_, _| None,
    };
    let problems = health(&[sick("ring", &["Ring"]), sick("a--b", &["ring"])]);
    let expected = [
        "ring: \"Ring\" is not in kebab-case",
        "ring: no source",
        "ring: the summary is not one line without a full stop",
        "a--b: \"a--b\" is not in kebab-case",
        "a--b: \"ring\" is taken",
        "a--b: no source",
        "a--b: the summary is not one line without a full stop",
    ];
    assert_eq!(problems, expected);
}
