//! Renders the reference pages from what the program says of itself: its schema, `list` and `describe`.

mod fields;
pub(crate) mod told;

use fields::{cell, fields, fields_table, inner_table, inside, places, strings};
use serde_json::Value as Json;
use std::fmt::Write;
use turnwise_study::schema::Inner;

/// One page of `docs/reference`.
pub(crate) struct Page {
    /// Its file.
    pub(crate) file: &'static str,
    title: &'static str,
    introduction: &'static str,
    /// What `turnwise list` and `describe` call the family.
    pub(crate) family: &'static str,
    /// The table of a study.
    pub(crate) table: &'static str,
    /// The key that selects an entry.
    key: &'static str,
    /// Fields that all or many entries have, described once.
    shared: &'static [&'static str],
}

/// All pages.
pub(crate) const PAGES: [Page; 5] = [
    Page {
        file: "networks.md",
        title: "Networks",
        introduction: "What `kind` in `[network]` may be. Terminals are numbered router by router.",
        family: "network",
        table: "network",
        key: "kind",
        shared: &["channel_latency", "channel_interval", "faults"],
    },
    Page {
        file: "routings.md",
        title: "Routing algorithms",
        introduction: "What `kind` in `[routing]` may be.",
        family: "routing",
        table: "routing",
        key: "kind",
        shared: &["seed"],
    },
    Page {
        file: "patterns.md",
        title: "Traffic patterns",
        introduction: "What `pattern` in `[traffic]` may be.",
        family: "pattern",
        table: "traffic",
        key: "pattern",
        shared: &[
            "load",
            "packet_flits",
            "send_to_self",
            "injection",
            "classes",
            "then",
        ],
    },
    Page {
        file: "workloads.md",
        title: "Workloads",
        introduction: "What `kind` in `[workload]` may be; [workloads](../workloads.md) says what they are good for. \
                       Where there is a `pattern`, the fields of that [pattern](patterns.md) stand in the same table.",
        family: "workload",
        table: "workload",
        key: "kind",
        shared: &[],
    },
    Page {
        file: "placements.md",
        title: "Placements",
        introduction: "What `kind` in `[placement]` may be, which says where the ranks of a [workload](workloads.md) are; \
                       [applications](../applications.md) says what they are good for.",
        family: "placement",
        table: "placement",
        key: "kind",
        shared: &["ranks_per_terminal"],
    },
];

/// The page of the tables that are the same in all studies.
pub(crate) const TABLES_FILE: &str = "tables.md";

/// Its text.
pub(crate) fn render_tables(schema: &Json) -> String {
    let mut text = String::from("# Tables\n\n");
    text.push_str("<!-- Generated from the schema by `make docs`; do not edit. -->\n\n");
    text.push_str(
        "What the tables of a study have whatever its network, routing and pattern. The others are \
         described with [networks](networks.md), [routings](routings.md), [patterns](patterns.md), \
         [workloads](workloads.md) and [placements](placements.md).\n\n",
    );
    for name in [
        "study",
        "router",
        "ethernet",
        "simulation",
        "sweep",
        "report",
    ] {
        let table = &schema["properties"][name];
        let description = table["description"].as_str().unwrap();
        write!(text, "## {name}\n\n{description}\n\n").unwrap();
        // The paths of a sweep are fields of the other tables, to which the schema refers.
        let own = fields(table)
            .iter()
            .filter(|(_, field)| field.get("$ref").is_none());
        let own: Vec<&String> = own.map(|(name, _)| name).collect();
        fields_table(table, &own, &mut text);
        for inner in inside(name, table, &own) {
            write!(text, "Fields of {}:\n\n", places(&inner)).unwrap();
            inner_table(&inner, &mut text);
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

impl Page {
    /// The page's text; `example` gives the example of an entry.
    pub(crate) fn render(&self, schema: &Json, example: impl Fn(&str) -> String) -> String {
        let entries = schema["properties"][self.table]["anyOf"]
            .as_array()
            .unwrap();
        let mut text = format!("# {}\n\n", self.title);
        text.push_str("<!-- Generated from the registry by `make docs`; do not edit. -->\n\n");
        writeln!(text, "{}\n", self.introduction).unwrap();
        text.push_str("| name | what it is |\n|---|---|\n");
        for entry in entries {
            let name = entry["title"].as_str().unwrap();
            writeln!(text, "| [`{name}`](#{name}) | {} |", cell(summary(entry))).unwrap();
        }
        text.push('\n');
        let common = self.common(entries);
        let mut elsewhere = Elsewhere::default();
        if let Some(common) = &common {
            text.push_str("## Fields that all have\n\n");
            let names: Vec<&String> = fields(common).keys().collect();
            fields_table(common, &names, &mut text);
            for inner in inside(self.table, common, &names) {
                write!(text, "Fields of {}:\n\n", places(&inner)).unwrap();
                inner_table(&inner, &mut text);
                elsewhere.above.push(inner);
            }
        }
        let own = |entry| self.own(entry, common.as_ref());
        let insides = entries
            .iter()
            .map(|entry| inside(self.table, entry, &own(entry)));
        elsewhere.find_repeated(insides);
        for entry in entries {
            let name = entry["title"].as_str().unwrap();
            write!(text, "## {name}\n\n{}.\n\n", summary(entry)).unwrap();
            let names: Vec<&str> = strings(&entry["properties"][self.key]["enum"])
                .skip(1)
                .collect();
            if !names.is_empty() {
                writeln!(text, "Also called `{}`.\n", names.join("`, `")).unwrap();
            }
            let description = entry["description"].as_str().unwrap();
            let source = description
                .strip_prefix(summary(entry))
                .unwrap_or(description);
            writeln!(
                text,
                "Source: {}.\n",
                source.trim_start_matches(". ").trim_end_matches('.')
            )
            .unwrap();
            let names = own(entry);
            fields_table(entry, &names, &mut text);
            for inner in inside(self.table, entry, &names) {
                let places = places(&inner);
                match elsewhere.link(&inner) {
                    Some(link) => write!(text, "Fields of {places}: {link}.\n\n").unwrap(),
                    None => {
                        write!(text, "Fields of {places}:\n\n").unwrap();
                        inner_table(&inner, &mut text);
                    }
                }
            }
            write!(text, "```toml\n{}```\n\n", example(name)).unwrap();
        }
        for inner in &elsewhere.below {
            write!(text, "## Fields of {}\n\n", places(inner)).unwrap();
            inner_table(inner, &mut text);
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// The fields that many entries have, as a table; nothing if there are none.
    fn common(&self, entries: &[Json]) -> Option<Json> {
        let has = |entry: &Json, name: &&str| fields(entry).contains_key(*name);
        let has_all = |entry: &&Json| self.shared.iter().all(|name| has(entry, name));
        let mut common = entries.iter().find(has_all).unwrap().clone();
        let fields = common["properties"].as_object_mut().unwrap();
        fields.retain(|name, _| self.shared.contains(&name.as_str()));
        (!self.shared.is_empty()).then_some(common)
    }

    /// The fields that an entry alone has, or that are something else in it than in all others.
    fn own<'a>(&self, entry: &'a Json, common: Option<&Json>) -> Vec<&'a String> {
        let common = |name: &str| common.and_then(|common| fields(common).get(name));
        let own = fields(entry).iter();
        let own = own.filter(|(name, field)| *name != self.key && common(name) != Some(field));
        own.map(|(name, _)| name).collect()
    }
}

/// The tables inside entries that are not described with each of these.
#[derive(Default)]
struct Elsewhere {
    /// With the fields that all have.
    above: Vec<Inner>,
    /// In sections of their own.
    below: Vec<Inner>,
}

impl Elsewhere {
    /// Those that several entries have, or one at several depths.
    fn find_repeated(&mut self, entries: impl Iterator<Item = Vec<Inner>>) {
        let mut all: Vec<(Inner, usize)> = Vec::new();
        for inner in entries.flatten() {
            match all.iter_mut().find(|(known, _)| known.table == inner.table) {
                None => all.push((inner, 1)),
                Some((known, times)) => {
                    *times += 1;
                    let new = inner.paths.into_iter();
                    let new: Vec<String> = new.filter(|path| !known.paths.contains(path)).collect();
                    known.paths.extend(new);
                }
            }
        }
        let is_above = |inner: &Inner| self.above.iter().any(|known| known.table == inner.table);
        all.retain(|(inner, times)| *times > 1 && !is_above(inner));
        self.below = all.into_iter().map(|(inner, _)| inner).collect();
    }

    fn link(&self, inner: &Inner) -> Option<String> {
        let is_it = |known: &&Inner| known.table == inner.table;
        if self.above.iter().any(|known| is_it(&known)) {
            return Some("[above](#fields-that-all-have)".to_owned());
        }
        let below = self.below.iter().find(is_it)?;
        Some(format!("[below](#{})", anchor(below)))
    }
}

/// Where on its page the heading of a table is.
fn anchor(inner: &Inner) -> String {
    let heading = format!("fields of {}", places(inner)).replace(' ', "-");
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    heading.chars().filter(kept).collect()
}

fn summary(entry: &Json) -> &str {
    let table = entry["properties"].as_object().unwrap();
    let selector = table.get("kind").or(table.get("pattern")).unwrap();
    selector["description"].as_str().unwrap()
}

/// The page of the columns of results.
pub(crate) const COLUMNS_FILE: &str = "columns.md";

/// A row for each column: name, type, unit, meaning.
pub(crate) fn render_columns(columns: &Json) -> String {
    let mut page = String::from(
        "# Columns of results\n\nWhat `results.csv`, Parquet and Arrow files and tables in Python have, after the fields that are swept. \
         Generated by `make docs`; the same as JSON is printed by `turnwise schema --columns`.\n\n\
         | column | type | unit | meaning |\n|---|---|---|---|\n",
    );
    for column in columns.as_array().into_iter().flatten() {
        let word = |key: &str| column[key].as_str().unwrap_or_default();
        let [name, kind, unit, meaning] = ["name", "type", "unit", "meaning"].map(word);
        let _ = writeln!(page, "| `{name}` | {kind} | {unit} | {meaning} |");
    }
    page
}
