//! What the reference pages say, row by row, to find what they leave out.

use super::PAGES;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Where something is told: a section of a page, and the path of a table of fields in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    file: String,
    /// Its heading; empty for tables that all or many entries have.
    section: String,
    path: String,
}

impl Spot {
    pub(crate) fn new(file: &str, section: &str, path: &str) -> Self {
        let [file, section, path] = [file, section, path].map(str::to_owned);
        Self {
            file,
            section,
            path,
        }
    }
}

/// The fields that pages tell, each with its spot, its name and its meaning.
#[derive(Default)]
pub(crate) struct Told(BTreeSet<(Spot, String, String)>);

impl Told {
    /// Adds what a page says; fields that stand in no table of their own are those of `table`, or of
    /// the section if there is none.
    pub(crate) fn read(&mut self, file: &str, text: &str, table: Option<&str>) {
        let (mut section, mut paths) = ("", vec![]);
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                let is_common = heading.starts_with("Fields ");
                section = if is_common { "" } else { heading };
                paths = vec![table.unwrap_or(heading)];
            }
            if line.trim_start_matches("## ").starts_with("Fields of `") {
                paths = line.split('`').skip(1).step_by(2).collect();
            }
            let Some(row) = line.strip_prefix("| `") else {
                continue;
            };
            let (name, rest) = row.split_once("` |").unwrap();
            let meaning = rest.trim_end_matches(" |").splitn(3, " | ").nth(2);
            for path in &paths {
                let spot = Spot::new(file, section, path);
                let (name, meaning) = (name.to_owned(), meaning.unwrap_or_default().to_owned());
                self.0.insert((spot, name, meaning));
            }
        }
    }

    /// The paths of fields that are told at none of the spots of the table that they are in, whatever
    /// is in which; and how many were looked for.
    pub(crate) fn missing(
        &self,
        schema: &Json,
        table: &Json,
        spots: &[Spot],
    ) -> (Vec<String>, usize) {
        let mut missing = (Vec::new(), 0);
        self.look(schema, table, spots, &mut missing);
        missing
    }

    fn look(
        &self,
        schema: &Json,
        table: &Json,
        spots: &[Spot],
        missing: &mut (Vec<String>, usize),
    ) {
        let is_entry = table["title"].is_string();
        for (name, field) in table["properties"].as_object().into_iter().flatten() {
            // The paths of sweeps are told where they lead; and what selects an entry is its heading.
            let selects = is_entry && ["kind", "pattern"].contains(&name.as_str());
            if field.get("$ref").is_some() || selects && field["enum"].is_array() {
                continue;
            }
            let meaning = super::cell(field["description"].as_str().unwrap());
            let is_told = |spot: &Spot| {
                let row = (spot.clone(), name.clone(), meaning.clone());
                self.0.contains(&row)
            };
            missing.1 += 1;
            if !spots.iter().any(is_told) {
                missing.0.push(format!("{}.{name}", spots[0].path));
            }
            let inside = spots.iter().cloned().map(|mut spot| {
                spot.path = format!("{}.{name}", spot.path);
                spot
            });
            self.look_into(schema, field, &inside.collect::<Vec<_>>(), missing);
        }
    }

    /// Whatever forms a field has, and what lists of it hold.
    fn look_into(
        &self,
        schema: &Json,
        field: &Json,
        spots: &[Spot],
        missing: &mut (Vec<String>, usize),
    ) {
        let mut spots = spots.to_vec();
        if let Some(entry) = field["title"]
            .as_str()
            .filter(|_| field["properties"].is_object())
        {
            // Entries of a registry that stand elsewhere are told on their own page.
            for page in PAGES {
                let entries = schema["properties"][page.table]["anyOf"]
                    .as_array()
                    .unwrap();
                if entries.iter().any(|known| known["title"] == entry) {
                    spots.push(Spot::new(page.file, entry, page.table));
                    spots.push(Spot::new(page.file, "", page.table));
                }
            }
        }
        self.look(schema, field, &spots, missing);
        let forms = ["anyOf", "oneOf"]
            .into_iter()
            .filter_map(|how| field[how].as_array());
        for form in forms.flatten().chain(field.get("items")) {
            self.look_into(schema, form, &spots, missing);
        }
    }
}
