//! What a user does who is told that a study is wrong: he looks where the message points.

use super::{Drawer, Table, tag};
use serde_json::json;

impl Drawer<'_> {
    /// Changes what a message complains of; false if nobody knows how.
    pub(crate) fn mend(&mut self, study: &mut Table, message: &str) -> bool {
        let Some((line, said)) = placed(message) else {
            return false;
        };
        let Some((name, field)) = at_line(study, line) else {
            return false;
        };
        if let Some(asked) = between(said, "missing key `", "`")
            && study[&name].get(asked).is_none()
            && self.supply(study, &name, asked)
        {
            return true;
        }
        for (clue, field, value) in [
            ("cycle_ns:", "cycle_ns", json!(2.0)),
            ("how long a cycle is", "cycle_ns", json!(2.0)),
            ("flit_bytes:", "flit_bytes", json!(16)),
        ] {
            let counts = ["workload", "ethernet"].contains(&name.as_str());
            if counts && said.contains(clue) && study[&name].get(field).is_none() {
                study[&name][field] = value;
                return true;
            }
        }
        let kinds = message.split("algorithms for this network: ").nth(1);
        if let (Some(kinds), "routing") = (kinds, name.as_str()) {
            let kinds: Vec<&str> = kinds.split('`').skip(1).step_by(2).collect();
            study["routing"] = json!({ "kind": self.pick(&kinds) });
            return true;
        }
        // Either the field of this line, or one that the message names first.
        let named = said.split([':', '[', '.']).next().unwrap_or_default();
        for field in [field.unwrap_or_default().as_str(), named] {
            let is_kind = field == tag(&name) || said.starts_with("cannot read");
            if is_kind || study[&name].get(field).is_none() {
                continue;
            }
            if self.needed.contains(&format!("{name}.{field}")) {
                return self.supply(study, &name, field);
            }
            study[&name].as_object_mut().unwrap().remove(field);
            return true;
        }
        if ["sweep", "report", "placement", "study"].contains(&name.as_str()) {
            study.remove(&name);
            return true;
        }
        // It asks for a field, or the kind itself is at fault.
        if named == tag(&name) || !self.supply(study, &name, named) {
            self.draw_table(study, &name);
        }
        true
    }

    /// Draws a field that has to be there.
    fn supply(&mut self, study: &mut Table, name: &str, field: &str) -> bool {
        let fields = self.fields(name, &study[name]);
        let Some(schema) = fields.and_then(|fields| fields.get(field)) else {
            return false;
        };
        self.needed.push(format!("{name}.{field}"));
        study[name][field] = self.draw(schema, field, 1);
        true
    }
}

/// Line and words of the first message: `error: study.toml:4:10: stages: expected ...`.
fn placed(message: &str) -> Option<(usize, &str)> {
    let first = message.lines().find(|line| line.starts_with("error: "))?;
    let mut parts = first.strip_prefix("error: study.toml:")?.splitn(3, ':');
    let line = parts.next()?.parse().ok()?;
    let (_, said) = (parts.next()?, parts.next()?);
    Some((line, said.trim()))
}

/// The table that a line of the study's text is in, and the field that it has.
fn at_line(study: &Table, line: usize) -> Option<(String, Option<String>)> {
    let mut lines = 0;
    for (name, table) in study {
        lines += 1;
        if line == lines {
            return Some((name.clone(), None));
        }
        for field in table.as_object()?.keys() {
            lines += 1;
            if line == lines {
                return Some((name.clone(), Some(field.clone())));
            }
        }
    }
    None
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = text.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}
