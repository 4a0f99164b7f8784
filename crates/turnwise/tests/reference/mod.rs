//! Renders the reference pages from what the program says of itself: its schema, `list` and `describe`.

use serde_json::{Map, Value as Json};
use std::fmt::Write;

/// One page of `docs/reference`.
pub(crate) struct Page {
    /// Its file.
    pub(crate) file: &'static str,
    title: &'static str,
    introduction: &'static str,
    /// What `turnwise list` and `describe` call the family.
    pub(crate) family: &'static str,
    /// The table of a study.
    table: &'static str,
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
        fields_table(
            table,
            &own.map(|(name, _)| name).collect::<Vec<_>>(),
            &mut text,
        );
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
        self.common(entries, &mut text);
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
            let own = |name: &&String| *name != self.key && !self.shared.contains(&name.as_str());
            let names: Vec<&String> = fields(entry).keys().filter(own).collect();
            fields_table(entry, &names, &mut text);
            write!(text, "```toml\n{}```\n\n", example(name)).unwrap();
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// The fields that many entries have.
    fn common(&self, entries: &[Json], text: &mut String) {
        if self.shared.is_empty() {
            return;
        }
        text.push_str("## Fields that all have\n\n");
        let has_all = |entry: &&Json| {
            self.shared
                .iter()
                .all(|name| fields(entry).contains_key(*name))
        };
        let entry = entries.iter().find(has_all).unwrap();
        let shared: Vec<String> = self.shared.iter().map(|name| (*name).to_owned()).collect();
        fields_table(entry, &shared.iter().collect::<Vec<_>>(), text);
        for name in self.shared {
            let field = &entry["properties"][*name];
            if field["type"] == "object" {
                write!(text, "In `[{}.{name}]`:\n\n", self.table).unwrap();
                fields_table(field, &fields(field).keys().collect::<Vec<_>>(), text);
            }
        }
    }
}

fn summary(entry: &Json) -> &str {
    let table = entry["properties"].as_object().unwrap();
    let selector = table.get("kind").or(table.get("pattern")).unwrap();
    selector["description"].as_str().unwrap()
}

fn fields(schema: &Json) -> &Map<String, Json> {
    schema["properties"].as_object().unwrap()
}

fn strings(array: &Json) -> impl Iterator<Item = &str> {
    array
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// A Markdown table of fields, followed by what their named values mean.
fn fields_table(schema: &Json, names: &[&String], text: &mut String) {
    if names.is_empty() {
        return;
    }
    let required: Vec<&str> = strings(&schema["x-required"]).collect();
    text.push_str("| field | type | default | meaning |\n|---|---|---|---|\n");
    for &name in names {
        let field = &schema["properties"][name.as_str()];
        let default = match &field["default"] {
            _ if required.contains(&name.as_str()) => "required".to_owned(),
            Json::Null => String::new(),
            value => format!("`{value}`"),
        };
        let meaning = field["description"].as_str().unwrap_or_default();
        writeln!(
            text,
            "| `{name}` | {} | {default} | {} |",
            cell(&kind(field)),
            cell(meaning)
        )
        .unwrap();
    }
    text.push('\n');
    let mut any = false;
    for &name in names {
        for (value, meaning) in named_values(&schema["properties"][name.as_str()]) {
            writeln!(text, "- `{name} = \"{value}\"`: {meaning}").unwrap();
            any = true;
        }
    }
    if any {
        text.push('\n');
    }
}

/// The strings a field may be, with their meanings.
fn named_values(schema: &Json) -> Vec<(&str, &str)> {
    if let Some(value) = schema["const"].as_str() {
        return vec![(value, schema["description"].as_str().unwrap_or_default())];
    }
    let alternatives = ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|how| schema[how].as_array());
    alternatives.flatten().flat_map(named_values).collect()
}

/// A field's type in a few words.
fn kind(schema: &Json) -> String {
    let mut kinds: Vec<String> = Vec::new();
    let mut add = |kind: String| {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    };
    for alternative in ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|how| schema[how].as_array())
        .flatten()
    {
        match alternative["const"].as_str() {
            Some(_) => add("name".to_owned()),
            None if alternative["type"] == "null" => {}
            None => add(kind(alternative)),
        }
    }
    let types = match &schema["type"] {
        Json::String(name) => vec![name.as_str()],
        other => strings(other).collect(),
    };
    for name in types.into_iter().filter(|name| *name != "null") {
        add(match name {
            "array" => format!("list of {}", kind(&schema["items"])),
            "object" => "table".to_owned(),
            "integer" => "whole number".to_owned(),
            "boolean" => "true or false".to_owned(),
            "string" if schema["x-unit"].is_string() => "text with a unit".to_owned(),
            other => other.to_owned(),
        });
    }
    kinds.join(" or ")
}

/// Text as a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
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
