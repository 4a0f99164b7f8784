//! Rows by panel and curve, each under a short name of its own.

use super::points::{mean, points};
use super::roles::{LOAD, Role, Roles};
use super::transients::phases;
use crate::naming::{Fields, Names, distinct, field_words, leaves, lies_in, lookup};
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::row::Row;
use crate::workload::is_of_protocol;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use turnwise_config::document::Value;
use turnwise_config::units::Amount;
use turnwise_report::{Across, Panel, Series};

/// Largest over smallest value from which an axis is logarithmic.
const DECADES: f64 = 50.0;
/// Largest over median value from which it is if there is a zero, too.
const BESIDE_ZERO: f64 = 10.0;

/// All panels, and what they were made of.
pub(super) struct Grouped<'a> {
    pub(super) panels: Vec<Panel>,
    /// The rows of each curve of each panel, in the order of the study.
    pub(super) members: Vec<Vec<Vec<Member<'a>>>>,
}

/// One row of a curve.
pub(super) struct Member<'a> {
    /// The number of the point.
    pub(super) point: usize,
    pub(super) row: &'a Row,
    /// The place on the axis in words; empty if the axis is the load.
    pub(super) place: String,
}

/// One row, its place on the axis and its names.
struct Placed<'a> {
    /// Its place among all rows.
    at: usize,
    row: &'a Row,
    x: Option<Cow<'a, Json>>,
    /// The place in words.
    category: String,
    panel: Named,
    curve: Named,
}

/// What rows of one panel or curve have in common: the values, and these in words.
#[derive(Clone, PartialEq)]
struct Named {
    key: String,
    words: String,
}

/// The curves of a panel, each with its rows.
type Curves<'a> = Vec<(Named, Vec<&'a Placed<'a>>)>;

/// All panels, in order of first appearance.
pub(super) fn panels<'a>(plan: &Plan, proofs: &Proofs, rows: &[(usize, &'a Row)]) -> Grouped<'a> {
    let all: Vec<Cow<'_, Fields>> = rows.iter().map(|(_, row)| fields(row)).collect();
    let names = Names::of(all.iter().map(Cow::as_ref));
    let one_load = spread(rows.iter().map(|(_, row)| row.cell("offered_load"))) < 2;
    let usual = usual_axis(plan, &all);
    let roles = Roles::new(&plan.report, usual, one_load).seeing(all.iter().map(Cow::as_ref));
    let ignored = follows_axis(&all, &roles);
    let mut placed: Vec<Placed<'_>> = rows
        .iter()
        .zip(&all)
        .enumerate()
        .map(|(at, (&(index, row), point))| {
            let named = |role: Role| {
                let wanted = |field: &str| roles.of(field) == role && !ignored.contains(field);
                let network = proofs.network_name(index);
                named(&names, point, &wanted, network)
            };
            let x = match roles.axis() {
                LOAD => Some(Cow::Owned(row.cell("offered_load").clone().into())),
                field => lookup(point, field).map(Cow::Borrowed),
            };
            let category = match x.as_deref() {
                Some(Json::Object(_)) => named(Role::Axis).words,
                other => category(other),
            };
            let (panel, curve) = (named(Role::Panel), named(Role::Curve));
            Placed {
                at,
                row,
                x,
                category,
                panel,
                curve,
            }
        })
        .collect();
    let unit = in_one_unit(&mut placed);
    let has_workload = plan.first.workload().is_some();
    let across = match roles.axis() {
        LOAD if has_workload => Across::Nothing,
        axis => across(axis, unit, &placed),
    };
    let mut groups: Vec<(Named, Curves<'_>)> = Vec::new();
    for row in &placed {
        let curves = entry(&mut groups, &row.panel);
        entry(curves, &row.curve).push(row);
    }
    let member = |placed: &&Placed<'_>| Member {
        point: rows[placed.at].0,
        row: rows[placed.at].1,
        place: match &across {
            Across::Load | Across::Nothing => String::new(),
            _ => format!("{} {}", field_words(roles.axis()), placed.category),
        },
    };
    let of_panel = |(_, curves): &(Named, Curves<'_>)| -> Vec<Vec<Member<'a>>> {
        let rows = curves.iter().map(|(_, rows)| rows.iter());
        rows.map(|rows| rows.map(member).collect()).collect()
    };
    let members = groups.iter().map(of_panel).collect();
    let note = note(plan, &roles, one_load, &all);
    let alone = match lies_in("routing.kind", roles.axis()) {
        true => title(plan),
        false => text_at(plan, "routing.kind"),
    };
    let mut panels: Vec<Panel> = groups
        .into_iter()
        .map(|(name, curves)| Panel {
            title: or_else(name.words, || title(plan)),
            note: note.clone(),
            across: across.clone(),
            units: plan.units.of_report(),
            series: curves
                .into_iter()
                .map(|(name, rows)| series(name, &rows, &across, alone.as_ref()))
                .collect(),
        })
        .collect();
    for panel in &mut panels {
        let mut labels: Vec<&mut String> = panel.series.iter_mut().map(|s| &mut s.label).collect();
        distinct(&mut labels);
    }
    let mut titles: Vec<&mut String> = panels.iter_mut().map(|panel| &mut panel.title).collect();
    distinct(&mut titles);
    Grouped { panels, members }
}

fn named(
    names: &Names,
    point: &Fields,
    wanted: &dyn Fn(&str) -> bool,
    network: Option<&str>,
) -> Named {
    let own = point.iter().flat_map(|(key, value)| leaves(key, value));
    let key = own
        .filter(|(leaf, _)| wanted(leaf))
        .map(|(leaf, value)| format!("{leaf}={value};"))
        .collect();
    // A network that is swept as a whole goes by its description.
    let table = point.get("network").filter(|table| table.is_object());
    let whole = table.is_some_and(|table| {
        leaves("network", table)
            .iter()
            .all(|(leaf, _)| wanted(leaf))
    });
    let described = network.filter(|_| whole);
    let mut words: Vec<String> = described.into_iter().map(str::to_owned).collect();
    let still = |field: &str| {
        let in_table = table.is_some_and(|table| {
            leaves("network", table)
                .iter()
                .any(|(leaf, _)| leaf == field)
        });
        wanted(field) && !(described.is_some() && in_table)
    };
    words.extend(names.words(point, &still));
    Named {
        key,
        words: words.join(", "),
    }
}

/// Swept fields that have one value for each value of an axis the study chose: they are
/// swept together with it, and would make a curve of every point.
fn follows_axis(points: &[Cow<'_, Fields>], roles: &Roles<'_>) -> BTreeSet<String> {
    let mut follows: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for point in points.iter().filter(|_| roles.axis() != LOAD) {
        let x = lookup(point, roles.axis()).map_or(String::new(), Json::to_string);
        let own = point.iter().flat_map(|(key, value)| leaves(key, value));
        for (leaf, value) in own.filter(|(leaf, _)| !lies_in(leaf, roles.axis())) {
            let by_x = follows.entry(leaf).or_default();
            by_x.entry(x.clone()).or_default().insert(value.to_string());
        }
    }
    let alone = |by_x: &BTreeMap<String, BTreeSet<String>>| {
        let all: BTreeSet<&String> = by_x.values().flatten().collect();
        all.len() > 1 && by_x.values().all(|values| values.len() == 1)
    };
    follows.retain(|_, by_x| alone(by_x));
    follows.into_keys().collect()
}

fn entry<'a, V: Default>(entries: &'a mut Vec<(Named, V)>, name: &Named) -> &'a mut V {
    let known = entries.iter().position(|(known, _)| known.key == name.key);
    let at = known.unwrap_or_else(|| {
        entries.push((name.clone(), V::default()));
        entries.len() - 1
    });
    &mut entries[at].1
}

/// The swept fields of a row; repetitions of a point are not told apart.
fn fields(row: &Row) -> Cow<'_, Fields> {
    let mut fields = Cow::Borrowed(&row.point);
    if fields.contains_key("repeat") {
        fields.to_mut().remove("repeat");
    }
    fields
}

/// How many different values there are, counted up to two.
fn spread<'a, V: PartialEq + 'a>(values: impl Iterator<Item = &'a V>) -> usize {
    let mut first = None;
    for value in values {
        match first {
            None => first = Some(value),
            Some(first) if first != value => return 2,
            Some(_) => {}
        }
    }
    usize::from(first.is_some())
}

/// Makes numbers of places that are texts with units, if all of them are; returns the unit.
fn in_one_unit(rows: &mut [Placed<'_>]) -> Option<&'static str> {
    let texts = rows.iter().map(|row| row.x.as_deref()?.as_str());
    let (numbers, unit) = amounts(texts)?;
    for (row, number) in rows.iter_mut().zip(numbers) {
        row.x = Some(Cow::Owned(number.into()));
    }
    Some(unit)
}

/// Texts with units as numbers of the first one's unit, if all of them are; and the unit.
pub(super) fn amounts<'a>(
    texts: impl Iterator<Item = Option<&'a str>>,
) -> Option<(Vec<f64>, &'static str)> {
    let mut amounts = texts.map(|text| Amount::parse(text?, None).ok());
    let first = amounts.next()??;
    let number = |amount: Option<Amount>| Some(amount?.in_unit_of(first)?.to_f64());
    let others = amounts.map(number);
    let numbers = std::iter::once(number(Some(first))).chain(others);
    Some((numbers.collect::<Option<_>>()?, first.unit()))
}

/// Are values easier to tell apart on a logarithmic axis? Beside zero, they are if the lower half of the others lies close to it.
fn span_decades(mut values: Vec<f64>) -> bool {
    values.sort_by(f64::total_cmp);
    values.dedup();
    let has_zero = values.first() == Some(&0.0);
    let positive = &values[usize::from(has_zero)..];
    let (Some(&least), Some(&most)) = (positive.first(), positive.last()) else {
        return false;
    };
    let median = positive[(positive.len() - 1) / 2];
    least > 0.0 && most >= DECADES * least && (!has_zero || most >= BESIDE_ZERO * median)
}

/// The axis: numbers, or else names in order of appearance.
fn across(field: &str, unit: Option<&str>, rows: &[Placed<'_>]) -> Across {
    if field == LOAD {
        return Across::Load;
    }
    let mut name = field_words(field);
    name.extend(unit.map(|unit| format!(" [{unit}]")));
    let values: Vec<&Json> = rows.iter().filter_map(|row| row.x.as_deref()).collect();
    let numbers: Vec<f64> = values.iter().filter_map(|value| value.as_f64()).collect();
    if numbers.len() == rows.len() {
        return Across::Numbers {
            name,
            logarithmic: span_decades(numbers),
        };
    }
    let mut values: Vec<String> = rows.iter().map(|row| row.category.clone()).collect();
    let mut seen = BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
    Across::Names { name, values }
}

fn category(value: Option<&Json>) -> String {
    match value {
        None => "none".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(items)) if items.iter().all(Json::is_number) => items
            .iter()
            .map(Json::to_string)
            .collect::<Vec<_>>()
            .join("x"),
        Some(other) => other.to_string(),
    }
}

/// `alone` is what a curve is called that no swept field tells from others.
fn series(name: Named, rows: &[&Placed<'_>], across: &Across, alone: Option<&String>) -> Series {
    let place = |row: &Placed<'_>| match across {
        Across::Nothing => 0.0,
        Across::Load | Across::Numbers { .. } => {
            row.x.as_deref().and_then(Json::as_f64).unwrap_or(f64::NAN)
        }
        Across::Names { values, .. } => values
            .iter()
            .position(|value| *value == row.category)
            .map_or(f64::NAN, |at| at as f64),
    };
    let placed: Vec<(f64, &Row)> = rows.iter().map(|row| (place(row), row.row)).collect();
    // Along any other axis every place has its own, and a mean of these is nobody's.
    let of_all = matches!(across, Across::Load | Across::Nothing);
    let own: Vec<&Row> = rows.iter().map(|row| row.row).collect();
    let searched = of_all.then(|| mean(&own, "saturation_load"));
    Series {
        label: or_else(name.words, || alone.cloned()),
        points: points(&placed),
        saturation_load: searched.filter(|load| load.is_finite()),
    }
}

/// What plots are drawn against unless the study says: the load, which workloads do not have. These are drawn against
/// the first number of theirs that is swept, or else the first that is swept at all.
fn usual_axis<'a>(plan: &'a Plan, points: &[Cow<'_, Fields>]) -> &'a str {
    if plan.first.workload().is_none() {
        return LOAD;
    }
    let keys = plan.keys.iter();
    let swept: Vec<&String> = keys.filter(|key| sweeps_numbers(points, key)).collect();
    // Classes of messages are compared.
    let own = |key: &&&String| lies_in(key, "workload") && !is_of_protocol(key);
    let other = |key: &&&String| !is_of_protocol(key);
    let found = swept.iter().find(own).or(swept.iter().find(other));
    found.map_or(LOAD, |key| key.as_str())
}

/// Does a field run through several numbers, or amounts in units of one kind?
fn sweeps_numbers(points: &[Cow<'_, Fields>], key: &str) -> bool {
    let values = || points.iter().filter_map(|point| point.get(key));
    let are_numbers =
        values().all(Json::is_number) || amounts(values().map(Json::as_str)).is_some();
    are_numbers && spread(values()) > 1
}

/// A hint for studies of one load that sweep a number: it can be the axis.
fn note(plan: &Plan, roles: &Roles<'_>, one_load: bool, points: &[Cow<'_, Fields>]) -> String {
    if !one_load || roles.axis() != LOAD {
        return String::new();
    }
    match plan.keys.iter().find(|key| sweeps_numbers(points, key)) {
        Some(key) => format!(
            "To plot this against {}, write x = \"{key}\" in the study's [report] table.",
            field_words(key)
        ),
        None => String::new(),
    }
}

fn or_else(words: String, other: impl Fn() -> Option<String>) -> String {
    match words.is_empty() {
        true => other().unwrap_or_else(|| "results".into()),
        false => words,
    }
}

/// The title where no swept field gives one: the traffic, if there is but one.
fn title(plan: &Plan) -> Option<String> {
    let is_swept = |path: &str| plan.keys.iter().any(|key| lies_in(path, key));
    if plan.first.workload().is_some() {
        let words = ["workload.kind", "workload.pattern"].into_iter();
        let fixed = words.filter(|path| !is_swept(path));
        let texts: Vec<String> = fixed.filter_map(|path| text_at(plan, path)).collect();
        return (!texts.is_empty()).then(|| texts.join(", "));
    }
    if is_swept("traffic.pattern") || is_swept("traffic.then") {
        return Some("all patterns".into());
    }
    let pattern = || text_at(plan, "traffic.pattern");
    // The phases of the first point are not those of all where a field of theirs is swept.
    let is_of_a_phase = |key: &String| key.starts_with("traffic.then[");
    match plan.keys.iter().any(is_of_a_phase) {
        true => Some(format!("{}, then other traffic", pattern()?)),
        false => phases(plan, 0).or_else(pattern),
    }
}

fn text_at(plan: &Plan, path: &str) -> Option<String> {
    let first = plan.point(0)?;
    let value: &Value = first.point.document.at_path(path)?;
    value.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_beside_decades_does_not_crowd_what_is_above_it() {
        let spans = |values: &[f64]| span_decades(values.to_vec());
        assert!(spans(&[0.0, 10.0, 100.0, 1000.0]) && spans(&[0.0, 1.0, 100.0]));
        assert!(spans(&[1.0, 50.0, 100.0]) && !spans(&[1.0, 49.0]));
        // Evenly spaced values stay so.
        let even: Vec<f64> = (0..=100).map(f64::from).collect();
        assert!(!spans(&even) && !spans(&[0.0]) && !spans(&[]));
        assert!(!spans(&[-1.0, 0.0, 1.0, 100.0]));
    }
}
