//! Studies that nobody thought of: drawn from the schema, so that whatever is registered is in them, with everything else.
//!
//! What the schema allows is often not what the network is made for. A study that is refused is mended
//! where the message points, as its user would, until it is accepted or there is nothing left to mend.

mod mending;

use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use turnwise_network::random::{Purpose, Random};

pub(crate) type Table = Map<String, Json>;

/// Files that come with `common::examples`, for kinds that read one.
const FILES: &[(&str, &str, &str)] = &[
    ("network", "edge-list", "cables.txt"),
    ("network", "ibsim", "fabric.net"),
    ("workload", "goal", "pingpong.goal"),
    ("workload", "htsim", "chain.cm"),
    ("workload", "trace", "halo.trace"),
    ("workload", "chakra", "step"),
    ("workload", "simgrid", "ranks.txt"),
    ("workload", "dumpi", "job.meta"),
];

/// Draws studies.
pub(crate) struct Drawer<'a> {
    schema: &'a Json,
    rng: Random,
    /// Fields that a reader has asked for.
    needed: Vec<String>,
}

impl<'a> Drawer<'a> {
    pub(crate) fn new(schema: &'a Json, seed: u64, number: u32) -> Self {
        Self {
            schema,
            rng: Random::new(seed, Purpose::Other, number, 0),
            needed: Vec::new(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u32) as usize
    }

    /// True in so many of a hundred.
    fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    fn pick<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[self.below(all.len())]
    }

    /// A study: its tables by name.
    pub(crate) fn study(&mut self) -> Table {
        let mut study = Table::new();
        for (name, share) in [("study", 15), ("report", 15), ("placement", 10)] {
            if self.percent(share) {
                self.draw_table(&mut study, name);
            }
        }
        for name in ["network", "routing"] {
            self.draw_table(&mut study, name);
        }
        let queues = if self.percent(25) {
            "ethernet"
        } else {
            "router"
        };
        let table = if self.percent(60) {
            self.table(queues)
        } else {
            json!({})
        };
        study.insert(queues.into(), table);
        if queues == "router" && self.percent(70) {
            study["router"]["virtual_channels"] = json!(6);
        }
        let demand = if self.percent(50) {
            "workload"
        } else {
            "traffic"
        };
        self.draw_table(&mut study, demand);
        study.insert("simulation".into(), self.simulation(demand));
        if self.percent(30) {
            let sweep = self.sweep(&study);
            study.insert("sweep".into(), sweep.into());
        }
        // The name is a folder, and other scales need their tables.
        for field in ["name", "scale"] {
            if let Some(Json::Object(table)) = study.get_mut("study") {
                table.remove(field);
            }
        }
        study
    }

    /// Draws one of a study's tables, whether or not it has one.
    pub(crate) fn draw_table(&mut self, study: &mut Table, name: &str) {
        study.insert(name.into(), self.table(name));
    }

    /// A table: of a kind, if it has kinds, and with some of the fields it may have.
    fn table(&mut self, name: &str) -> Json {
        let schema = &self.schema["properties"][name];
        let Some(kinds) = schema["anyOf"].as_array() else {
            return self.draw(schema, name, 0);
        };
        let schema = self.pick(kinds);
        let mut table = self.draw(schema, name, 0);
        let tag = tag(name);
        let kind = schema["properties"][tag]["enum"][0].clone();
        let file = FILES
            .iter()
            .find(|(of, known, _)| *of == name && kind == *known);
        if let Some((_, _, file)) = file {
            table["file"] = json!(file);
        }
        table[tag] = kind;
        if name == "traffic" {
            let load = self.pick(&[0.05, 0.2, 0.5, 0.9]);
            table["load"] = json!(load);
        }
        table
    }

    /// Short runs, most of them with every check.
    fn simulation(&mut self, demand: &str) -> Json {
        let mut table = self.table("simulation");
        table["cycles_limit"] = json!(self.pick(&[600, 2_000, 20_000]));
        table["check"] = json!(self.percent(60));
        let fields = table.as_object_mut().unwrap();
        fields.remove("threads");
        if demand == "traffic" {
            fields.insert("warmup_cycles".into(), json!(self.pick(&[0, 50])));
            fields.insert("measure_cycles".into(), json!(self.pick(&[100, 200])));
        }
        table
    }

    /// One or two fields of the study's tables, with two values each.
    fn sweep(&mut self, study: &Table) -> Table {
        let mut sweep = Table::new();
        for _ in 0..=self.below(2) {
            let names: Vec<&String> = study.keys().collect();
            let name = *self.pick(&names);
            let Some(fields) = self.fields(name, &study[name]) else {
                continue;
            };
            let fields: Vec<&String> = fields.keys().filter(|field| *field != tag(name)).collect();
            if fields.is_empty() || ["study", "report", "simulation"].contains(&name.as_str()) {
                continue;
            }
            let field = *self.pick(&fields);
            let schema = &self.fields(name, &study[name]).unwrap()[field];
            let mut values = vec![self.draw(schema, field, 1)];
            let other = self.draw(schema, field, 1);
            if other != values[0] {
                values.push(other);
            }
            sweep.insert(format!("{name}.{field}"), values.into());
        }
        sweep
    }

    /// The fields that a table of this kind may have.
    fn fields(&self, name: &str, table: &Json) -> Option<&'a Table> {
        let schema = &self.schema["properties"][name];
        let of_kind = |kind: &&Json| {
            let names = kind["properties"][tag(name)]["enum"].as_array();
            names.is_some_and(|names| names.contains(&table[tag(name)]))
        };
        let schema = match schema["anyOf"].as_array() {
            Some(kinds) => kinds.iter().find(of_kind)?,
            None => schema,
        };
        schema["properties"].as_object()
    }

    fn draw(&mut self, schema: &Json, name: &str, depth: usize) -> Json {
        let mut schema = self.resolved(schema);
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return self.pick(values).clone();
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(kinds) = schema[choice].as_array().cloned() {
                let drawn = self.pick(&kinds);
                let mut drawn = self.resolved(drawn);
                // Bounds may stand beside the choice.
                for (key, value) in schema.as_object().unwrap() {
                    if key != choice && drawn.get(key).is_none() {
                        drawn[key] = value.clone();
                    }
                }
                schema = drawn;
                if schema.get("const").is_some() || schema.get("oneOf").is_some() {
                    return self.draw(&schema, name, depth);
                }
            }
        }
        match self.kind(&schema).as_str() {
            "integer" => self.integer(&schema).into(),
            "number" => self.number(&schema).into(),
            "boolean" => self.percent(50).into(),
            "string" => match schema.get("x-unit").and_then(Json::as_str) {
                Some(unit) if unit.contains("flit") => json!("64 B"),
                Some(_) => json!("100 ns"),
                None if name == "pattern" => json!("uniform"),
                None => json!(self.pick(&["a", "x y", "routers", "load"])),
            },
            "array" => self.array(&schema, name, depth),
            _ => self.object(&schema, depth).into(),
        }
    }

    fn resolved(&self, schema: &Json) -> Json {
        match schema.get("$ref").and_then(Json::as_str) {
            Some(place) => {
                let place = place.trim_start_matches('#');
                self.resolved(self.schema.pointer(place).unwrap())
            }
            None => schema.clone(),
        }
    }

    /// The type of a value; of numbers that may have a unit, a few have one.
    fn kind(&mut self, schema: &Json) -> String {
        let kinds: Vec<String> = match &schema["type"] {
            Json::String(kind) => vec![kind.clone()],
            Json::Array(kinds) => kinds
                .iter()
                .map(|kind| kind.as_str().unwrap().into())
                .collect(),
            _ => vec!["object".into()],
        };
        let has_unit = schema.get("x-unit").is_some() && self.percent(95);
        let is_left = |kind: &&String| *kind != "null" && !(has_unit && *kind == "string");
        let left: Vec<&String> = kinds.iter().filter(is_left).collect();
        (*self.pick(&left)).clone()
    }

    /// Mostly small, now and then as small or as large as may be.
    fn integer(&mut self, schema: &Json) -> i64 {
        let least = schema["minimum"].as_f64().unwrap_or(0.0) as i64;
        let most = schema["maximum"].as_f64().unwrap_or(f64::from(u32::MAX)) as i64;
        if self.percent(2) {
            return *self.pick(&[least, most]);
        }
        let small = [least, least + 1, least + 2, 2, 3, 4, 5, 8, 16];
        self.within(&small, least, most)
    }

    /// One of these within bounds, or the least there may be.
    fn within<T: Copy + PartialOrd>(&mut self, some: &[T], least: T, most: T) -> T {
        let some = some.iter().copied();
        let some: Vec<T> = some
            .filter(|value| (least..=most).contains(value))
            .collect();
        if some.is_empty() {
            least
        } else {
            *self.pick(&some)
        }
    }

    fn number(&mut self, schema: &Json) -> f64 {
        let bound = |plain: &str, open: &str| schema[plain].as_f64().or(schema[open].as_f64());
        let least = bound("minimum", "exclusiveMinimum").unwrap_or(0.0);
        let most = bound("maximum", "exclusiveMaximum").unwrap_or(f64::INFINITY);
        if most <= 1.0 {
            let share = f64::from(self.rng.below(1_000)) / 1_000.0;
            return least + (most - least) * share;
        }
        self.within(&[least + 0.25, 0.5, 1.0, 1.5, 2.0, 10.0], least, most)
    }

    fn array(&mut self, schema: &Json, name: &str, depth: usize) -> Json {
        let bound = |name: &str, default| {
            schema[name]
                .as_u64()
                .map_or(default, |count| count as usize)
        };
        let (least, most) = (bound("minItems", 1), bound("maxItems", 3));
        let length = (1 + self.below(3)).clamp(least, most.max(least));
        let drawn = (0..length).map(|_| self.draw(&schema["items"], name, depth + 1));
        drawn.collect()
    }

    fn object(&mut self, schema: &Json, depth: usize) -> Table {
        let mut table = Table::new();
        let Some(fields) = schema["properties"].as_object() else {
            return table;
        };
        for (name, field) in fields {
            let is_needed = ["required", "x-required"].iter().any(|list| {
                let listed = schema[*list].as_array();
                listed.is_some_and(|names| names.contains(&json!(name)))
            });
            if is_needed || self.percent(if depth == 0 { 12 } else { 40 }) {
                table.insert(name.clone(), self.draw(field, name, depth + 1));
            }
        }
        table
    }
}

/// What the kinds of a table are told apart by.
fn tag(table: &str) -> &'static str {
    match table {
        "traffic" => "pattern",
        _ => "kind",
    }
}

/// The study as a file, each field of a table on a line of its own.
pub(crate) fn text(study: &Table) -> String {
    let mut text = String::new();
    for (name, table) in study {
        writeln!(text, "[{name}]").unwrap();
        for (field, value) in table.as_object().unwrap() {
            writeln!(text, "{} = {}", quoted(field), inline(value)).unwrap();
        }
    }
    text
}

fn inline(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{} = {}", quoted(name), inline(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Json::Array(values) => {
            let values: Vec<String> = values.iter().map(inline).collect();
            format!("[{}]", values.join(", "))
        }
        other => other.to_string(),
    }
}

fn quoted(name: &str) -> String {
    json!(name).to_string()
}

/// The points of a sweep, each as a study of its own; `None` if they are not simply all combinations.
pub(crate) fn alone(study: &Table) -> Option<Vec<Table>> {
    let mut points = vec![study.clone()];
    let sweep = study.get("sweep")?.as_object()?;
    for (path, values) in sweep {
        let (name, field) = path.split_once('.')?;
        let with = |point: &Table, value: &Json| {
            let mut point = point.clone();
            point.remove("sweep");
            point[name][field] = value.clone();
            point
        };
        let values = values.as_array()?;
        points = points
            .iter()
            .flat_map(|point| values.iter().map(move |value| with(point, value)))
            .collect();
    }
    Some(points)
}
