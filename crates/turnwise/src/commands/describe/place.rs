//! Where in a study something is: a table, or one inside it, with the fields that it has.

use super::fields::{description, fields};
use crate::failure::Failure;
use serde_json::Value as Json;
use turnwise_config::diagnostic::suggestion;
use turnwise_study::schema::{SELECTS, table_in};

/// A table of a study, however deep.
pub(super) struct Place {
    /// Its name, as between brackets.
    path: String,
    /// What it is for.
    what: String,
    schema: Json,
}

/// A way that was gone as far as it leads.
pub(super) enum Way<'a> {
    /// To a table, and perhaps one field of it.
    Found(Place, Option<&'a str>),
    /// To a field of an entry of the registry that another table is for: its name, and what is left.
    Elsewhere(String, &'a [&'a str]),
}

impl Place {
    pub(super) fn new(path: &str, what: &str, schema: Json) -> Self {
        Self {
            path: path.to_owned(),
            what: what.to_owned(),
            schema,
        }
    }

    /// Goes from field to field.
    pub(super) fn walk<'a>(self, steps: &'a [&'a str]) -> Result<Way<'a>, Failure> {
        let Some((&name, rest)) = steps.split_first() else {
            return Ok(Way::Found(self, None));
        };
        let path = &self.path;
        let known = self.schema["properties"].as_object();
        let Some(field) = known.and_then(|fields| fields.get(name)) else {
            if let Some((table, _)) = self.schema[SELECTS]
                .as_str()
                .and_then(|at| at.split_once('.'))
            {
                return Ok(Way::Elsewhere(table.to_owned(), steps));
            }
            let names = || {
                known
                    .into_iter()
                    .flat_map(|fields| fields.keys().map(String::as_str))
            };
            let help = suggestion(name, "the fields are", names(), names());
            let message = format!("there is no field called `{name}` in [{path}]");
            return Err(Failure::Plain(message, Some(help)));
        };
        if rest.is_empty() {
            return Ok(Way::Found(self, Some(name)));
        }
        let Some(table) = table_in(field) else {
            let message = format!("`{name}` in [{path}] has no fields of its own");
            return Err(Failure::plain(message));
        };
        Self::new(&format!("{path}.{name}"), &description(field), table).walk(rest)
    }

    /// Has it a field of this name?
    pub(super) fn has(&self, name: &str) -> bool {
        self.schema["properties"].get(name).is_some()
    }

    /// All fields, or one of them; and those of the tables inside.
    pub(super) fn fields(mut self, only: Option<&str>) -> String {
        if let (Some(only), Some(fields)) = (only, self.schema["properties"].as_object_mut()) {
            fields.retain(|known, _| known == only);
        }
        fields(&self.path, &self.schema)
    }

    /// The page of the table, or of one field of it.
    pub(super) fn page(self, only: Option<&str>) -> String {
        let head = format!("[{}]: {}", self.path, self.what.trim_end_matches('.'));
        format!("{head}\n\nfields:\n{}", self.fields(only))
    }
}
