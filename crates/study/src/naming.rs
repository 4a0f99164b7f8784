//! Short names for the points of a study: what tells them apart, in words.
//!
//! A swept field is named by its value, numbers with their field (`virtual channels 4`). A swept
//! table is named by its kind and by those of its fields that differ among tables of that kind.

use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};

/// The swept fields of a point, as rows have them.
pub type Fields = Map<String, Json>;

/// Which fields of swept tables are worth a word.
#[derive(Debug, Default)]
pub struct Names {
    /// By swept field and kind, the values that each field of such tables takes.
    tables: BTreeMap<(String, String), BTreeMap<String, BTreeSet<String>>>,
    /// By swept field and kind, how many tables there are.
    members: BTreeMap<(String, String), BTreeSet<String>>,
    /// Swept fields that have also values that are no tables.
    plain: BTreeSet<String>,
}

impl Names {
    /// Looks at all points that are to be told apart.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Fields>) -> Self {
        let mut names = Self::default();
        for (key, value) in points.into_iter().flatten() {
            let Json::Object(_) = value else {
                names.plain.insert(key.clone());
                continue;
            };
            let group = (key.clone(), kind(value).unwrap_or_default().to_owned());
            let members = names.members.entry(group.clone()).or_default();
            if !members.insert(value.to_string()) {
                continue;
            }
            let fields = names.tables.entry(group).or_default();
            for (leaf, value) in leaves(key, value) {
                fields.entry(leaf).or_default().insert(value.to_string());
            }
        }
        names
    }

    /// What a point is called, by those of its fields that are wanted, in the order of the sweep.
    pub fn words(&self, point: &Fields, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut words = Vec::new();
        for (key, value) in point {
            if !value.is_object() {
                words.extend(wanted(key).then(|| value_words(key, value)));
                continue;
            }
            for (leaf, value) in leaves(key, value) {
                let is_kind = is_kind(key, &leaf);
                if wanted(&leaf) && (is_kind || self.varies(key, point, &leaf)) {
                    words.push(value_words(&leaf, value));
                }
            }
        }
        words
    }

    fn varies(&self, key: &str, point: &Fields, leaf: &str) -> bool {
        let kind = point.get(key).and_then(kind).unwrap_or_default();
        let group = (key.to_owned(), kind.to_owned());
        let values = self.tables.get(&group).and_then(|fields| fields.get(leaf));
        let members = self.members.get(&group).map_or(0, BTreeSet::len);
        // A table without a name, the only one among other values, is told from these by all that it says.
        if kind.is_empty() && members == 1 && self.plain.contains(key) {
            return true;
        }
        // A field that some of the tables do not have tells them apart as well.
        let everywhere = || {
            let tables = self.members.get(&group).into_iter().flatten();
            let own = leaf.rsplit('.').next().unwrap_or(leaf);
            tables
                .filter(|table| table.contains(&format!("\"{own}\":")))
                .count()
                == members
        };
        values.is_some_and(|values| values.len() > 1 || (members > 1 && !everywhere()))
    }
}

/// The kind of network, algorithm or pattern that a table describes.
fn kind(table: &Json) -> Option<&str> {
    table.get("kind").or(table.get("pattern"))?.as_str()
}

fn is_kind(key: &str, leaf: &str) -> bool {
    let own = leaf.strip_prefix(key).unwrap_or_default();
    matches!(own, ".kind" | ".pattern")
}

/// The fields of a swept value with their paths, its kind first; tables in it are taken apart.
pub fn leaves<'a>(key: &str, value: &'a Json) -> Vec<(String, &'a Json)> {
    let Json::Object(table) = value else {
        return vec![(key.to_owned(), value)];
    };
    let inner = table.iter();
    let mut leaves: Vec<(String, &Json)> = inner
        .flat_map(|(name, value)| leaves(&format!("{key}.{name}"), value))
        .collect();
    leaves.sort_by_key(|(leaf, _)| !is_kind(key, leaf));
    leaves
}

/// The value of a field of a point, which may lie inside a swept table.
pub fn lookup<'a>(point: &'a Fields, path: &str) -> Option<&'a Json> {
    point.iter().find_map(|(key, value)| {
        let rest = path.strip_prefix(key.as_str())?;
        if rest.is_empty() {
            return Some(value);
        }
        let mut steps = rest.strip_prefix('.')?.split('.');
        steps.try_fold(value, |value, step| value.get(step))
    })
}

/// Is `path` the field `of`, or does it lie in the table `of`?
pub fn lies_in(path: &str, of: &str) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The fields of a point for people, such as `traffic.load = 0.3, routing = valiant (via group)`.
pub fn point_words<'a>(fields: impl Iterator<Item = (&'a str, &'a Json)>) -> String {
    let words = fields.map(|(name, value)| format!("{name} = {}", plain_words(value)));
    words.collect::<Vec<_>>().join(", ")
}

/// A value without the name of its field; a table by its kind and what else it says.
fn plain_words(value: &Json) -> String {
    let table = match value {
        Json::String(text) => return text.clone(),
        Json::Object(table) if !table.is_empty() => table,
        other => return other.to_string(),
    };
    let of_kind = if table.contains_key("kind") {
        "kind"
    } else {
        "pattern"
    };
    let others = table.iter().filter(|(name, _)| *name != of_kind);
    let others = others.map(|(name, value)| format!("{name} {}", plain_words(value)));
    let others = others.collect::<Vec<_>>().join(", ");
    match (kind(value), others.as_str()) {
        (Some(kind), "") => kind.to_owned(),
        (Some(kind), _) => format!("{kind} ({others})"),
        (None, _) => format!("({others})"),
    }
}

/// A field's name for people.
pub fn field_words(path: &str) -> String {
    path.rsplit('.').next().unwrap_or(path).replace('_', " ")
}

/// A value for people: strings speak for themselves, numbers need their field's name.
pub fn value_words(path: &str, value: &Json) -> String {
    let field = field_words(path);
    match value {
        Json::String(text) => text.clone(),
        Json::Bool(true) => field,
        Json::Bool(false) => format!("no {field}"),
        Json::Object(table) if table.is_empty() => format!("no {field}"),
        Json::Array(items) if items.iter().all(Json::is_number) && !items.is_empty() => {
            let numbers: Vec<String> = items.iter().map(Json::to_string).collect();
            format!("{field} {}", numbers.join("x"))
        }
        Json::Array(items) if items.iter().all(Json::is_object) && !items.is_empty() => {
            let words = |item| {
                let of = leaves("", item).into_iter();
                let of = of.map(|(leaf, value)| value_words(&leaf, value));
                of.collect::<Vec<_>>().join(" ")
            };
            let items: Vec<String> = items.iter().map(words).collect();
            format!("{field} {}", items.join(" and "))
        }
        other => format!("{field} {other}"),
    }
}

/// Makes equal names of different things unequal, by numbering all but the first.
pub fn distinct(names: &mut [&mut String]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for name in names {
        let times = seen.entry((**name).clone()).or_insert(0);
        *times += 1;
        if *times > 1 {
            **name = format!("{name} (no. {times})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tables_are_told_in_words() {
        let point = json!({
            "traffic.load": 0.3,
            "routing": { "kind": "valiant", "via": "group" },
            "placement": { "kind": "linear" },
            "traffic": { "pattern": "shift", "by": { "groups": 1 } },
            "router": { "buffer_flits": 4 },
            "network.sizes": [4, 4],
        });
        let fields = point.as_object().unwrap();
        assert_eq!(
            point_words(fields.iter().map(|(name, value)| (name.as_str(), value))),
            "traffic.load = 0.3, routing = valiant (via group), placement = linear, traffic = shift (by (groups 1)), \
             router = (buffer_flits 4), network.sizes = [4,4]"
        );
    }

    fn named(points: &[Json]) -> Vec<String> {
        let points: Vec<Fields> = points
            .iter()
            .filter_map(|p| p.as_object().cloned())
            .collect();
        let names = Names::of(&points);
        let words = |point: &Fields| names.words(point, &|_| true).join(", ");
        points.iter().map(words).collect()
    }

    #[test]
    fn tables_are_named_by_their_kind_and_by_what_differs() {
        let tables = [
            json!({"routing": {"kind": "minimal", "virtual_channels": 2}}),
            json!({"routing": {"kind": "valiant", "via": "group", "virtual_channels": 2}}),
            json!({"routing": {"kind": "valiant", "via": "router", "virtual_channels": 2}}),
        ];
        assert_eq!(
            named(&tables),
            ["minimal", "valiant, group", "valiant, router"]
        );
        let some_have_it = [
            json!({"routing": {"kind": "ugal"}}),
            json!({"routing": {"kind": "ugal", "bias": 3}}),
        ];
        assert_eq!(named(&some_have_it), ["ugal", "ugal, bias 3"]);
    }

    #[test]
    fn values_are_words() {
        let points = [json!({
            "network.sizes": [4, 4], "router.virtual_channels": 1,
            "router.hold_switch": false, "traffic.pattern": "tornado",
        })];
        let words = "sizes 4x4, virtual channels 1, no hold switch, tornado";
        assert_eq!(named(&points), [words]);
    }

    #[test]
    fn a_table_among_other_values_is_named_by_what_it_says() {
        let buffers = [
            json!({"router.buffer_flits": 16}),
            json!({"router.buffer_flits": "round-trip"}),
            json!({"router.buffer_flits": {"local": 32}}),
        ];
        assert_eq!(
            named(&buffers),
            ["buffer flits 16", "round-trip", "local 32"]
        );
        let mixed = [
            json!({"traffic.packet_flits": 1}),
            json!({"traffic.packet_flits": [{"flits": 1, "share": 0.8}, {"flits": 5, "share": 0.2}]}),
        ];
        let words = "packet flits flits 1 share 0.8 and flits 5 share 0.2";
        assert_eq!(named(&mixed), ["packet flits 1", words]);
    }

    #[test]
    fn fields_inside_swept_tables_are_found() {
        let point = json!({"network": {"faults": {"random_links": 3}}, "networks": 1});
        let point = point.as_object().unwrap();
        let found = lookup(point, "network.faults.random_links");
        assert_eq!(found, Some(&json!(3)));
        assert_eq!(lookup(point, "network.sizes"), None);
        assert!(lies_in("network.faults", "network") && !lies_in("networks", "network"));
    }

    #[test]
    fn equal_names_are_numbered() {
        let (mut a, mut b) = ("x".to_owned(), "x".to_owned());
        distinct(&mut [&mut a, &mut b]);
        assert_eq!((a.as_str(), b.as_str()), ("x", "x (no. 2)"));
    }
}
