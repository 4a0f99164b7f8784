//! Which swept fields are the axis, which name curves, and which name panels: `[report]`.

use crate::naming::{Fields, lies_in};
use crate::outline::ReportTable;
use crate::sweep::Sweep;
use crate::workload::is_of_protocol;
use std::collections::BTreeMap;
use turnwise_config::diagnostic::{Diagnostic, suggestion};
use turnwise_config::document::Value;

/// The field plots are drawn against unless a study says otherwise.
pub(super) const LOAD: &str = "traffic.load";

/// The field that names programs of a suite.
const PROGRAM: &str = "workload.program";

/// What a swept field is to the plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The horizontal axis.
    Axis,
    /// Points that differ in it lie on different curves.
    Curve,
    /// Points that differ in it lie in different plots.
    Panel,
}

/// The roles of all fields.
pub(super) struct Roles<'a> {
    table: &'a ReportTable,
    /// The axis if the study does not say.
    usual: &'a str,
    /// Is there but one load, so that nothing can be drawn against it?
    one_load: bool,
    /// Does a program run with different values of anything else?
    programs_by_others: bool,
}

impl<'a> Roles<'a> {
    /// The roles that `[report]` gives; the axis is the `usual` one if it does not say.
    pub(super) fn new(table: &'a ReportTable, usual: &'a str, one_load: bool) -> Self {
        Self {
            table,
            usual,
            one_load: one_load && usual == LOAD,
            programs_by_others: false,
        }
    }

    /// The same for points with these fields.
    pub(super) fn seeing<'f>(self, mut points: impl Iterator<Item = &'f Fields>) -> Self {
        let mut first: BTreeMap<String, &Fields> = BTreeMap::new();
        let differs = |point: &'f Fields| {
            let program = point.get(PROGRAM).map(ToString::to_string);
            program.is_some_and(|program| *first.entry(program).or_insert(point) != point)
        };
        Self {
            programs_by_others: points.any(differs),
            ..self
        }
    }

    /// The field of the horizontal axis.
    pub(super) fn axis(&self) -> &'a str {
        self.table.x.as_deref().unwrap_or(self.usual)
    }

    /// The role of a field; of several fields that it lies in, the innermost decides.
    pub(super) fn of(&self, field: &str) -> Role {
        if lies_in(field, self.axis()) {
            return Role::Axis;
        }
        let longest = |named: &Option<Vec<String>>| {
            let named = named.iter().flatten();
            named.filter(|of| lies_in(field, of)).map(String::len).max()
        };
        let (curves, panels) = (longest(&self.table.curves), longest(&self.table.panels));
        let by_default = match (&self.table.curves, &self.table.panels) {
            // How long one program takes says nothing of another one.
            (None, None) if field == PROGRAM && self.programs_by_others => Role::Panel,
            (None, None) if self.one_load && self.table.x.is_none() => Role::Curve,
            (None, None)
                if ["routing", "router", "ethernet"]
                    .iter()
                    .any(|table| lies_in(field, table)) =>
            {
                Role::Curve
            }
            (None, None) if is_of_protocol(field) && field != "workload.kind" => Role::Curve,
            (None, Some(_)) => Role::Curve,
            _ => Role::Panel,
        };
        match (curves, panels) {
            (None, None) => by_default,
            (curves, panels) if curves >= panels => Role::Curve,
            _ => Role::Panel,
        }
    }
}

/// Finds fields of `[report]` that are not swept.
pub fn check_roles(
    table: &ReportTable,
    document: &Value,
    sweep: &Sweep,
    errors: &mut Vec<Diagnostic>,
) {
    // Enough points to meet every kind of table that is swept, few enough to take no time.
    const LOOKED_AT: usize = 1_000;
    let field = |path: &str| {
        let mut points = (0..sweep.len().min(LOOKED_AT)).filter_map(|index| sweep.point(index));
        path == LOAD
            || sweep.keys().any(|key| lies_in(path, key))
                && points.any(|point| point.document.at_path(path).is_some())
    };
    let table_of_fields = |path: &str| sweep.keys().any(|key| lies_in(key, path));
    let mut refuse = |path: &str, place: Option<&Value>| {
        let span = place.unwrap_or(document).span;
        let error = Diagnostic::at(span, format!("`{path}` is not a swept field"));
        let mut names: Vec<&str> = sweep.keys().collect();
        if !names.contains(&LOAD) {
            names.push(LOAD);
        }
        let tables = sweep
            .keys()
            .flat_map(|key| key.match_indices('.').map(move |(at, _)| &key[..at]));
        let spellings: Vec<&str> = names.iter().copied().chain(tables).collect();
        let help = suggestion(path, "the swept fields are", spellings, names);
        errors.push(error.with_help(help));
    };
    if let Some(x) = table.x.as_ref().filter(|x| !field(x)) {
        refuse(x, document.at_path("report.x"));
    }
    for (name, paths) in [("curves", &table.curves), ("panels", &table.panels)] {
        let written = document.at_path(&format!("report.{name}"));
        for (index, path) in paths.iter().flatten().enumerate() {
            let place = written
                .and_then(Value::array)
                .and_then(|items| items.get(index));
            if !field(path) && !table_of_fields(path) {
                refuse(path, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(x: &str, curves: Option<&[&str]>, panels: Option<&[&str]>) -> ReportTable {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        ReportTable {
            x: Some(x.to_owned()).filter(|x| !x.is_empty()),
            curves: curves.map(owned),
            panels: panels.map(owned),
        }
    }

    #[test]
    fn routing_and_router_name_curves_unless_told_otherwise() {
        let plain = table("", None, None);
        let roles = Roles::new(&plain, LOAD, false);
        assert_eq!(roles.of("traffic.load"), Role::Axis);
        assert_eq!(roles.of("routing.kind"), Role::Curve);
        assert_eq!(roles.of("router.buffer_flits"), Role::Curve);
        assert_eq!(roles.of("network.sizes"), Role::Panel);
        let one_load = Roles::new(&plain, LOAD, true);
        assert_eq!(one_load.of("network.sizes"), Role::Curve);
        assert_eq!(one_load.of(PROGRAM), Role::Curve);
        let point = |program: &str, sizes: &str| {
            let fields = [(PROGRAM, program), ("network.sizes", sizes)];
            Fields::from_iter(fields.map(|(field, value)| (field.to_owned(), value.into())))
        };
        let [cg, ft, larger] = [("cg", "4"), ("ft", "8"), ("cg", "8")].map(|(a, b)| point(a, b));
        let zipped = Roles::new(&plain, LOAD, true).seeing([&cg, &ft].into_iter());
        assert_eq!(zipped.of(PROGRAM), Role::Curve);
        let by_others = zipped.seeing([&cg, &ft, &larger].into_iter());
        assert_eq!(by_others.of(PROGRAM), Role::Panel);
        assert_eq!(by_others.of("network.sizes"), Role::Curve);
    }

    #[test]
    fn the_innermost_name_decides() {
        let both = table(
            "network.sizes",
            Some(&["network"]),
            Some(&["network.faults"]),
        );
        let roles = Roles::new(&both, LOAD, false);
        assert_eq!(roles.of("network.sizes"), Role::Axis);
        assert_eq!(roles.of("network.kind"), Role::Curve);
        assert_eq!(roles.of("network.faults.random_links"), Role::Panel);
        assert_eq!(roles.of("traffic.load"), Role::Panel);
        let panels = table("", None, Some(&["routing"]));
        assert_eq!(
            Roles::new(&panels, LOAD, false).of("network.sizes"),
            Role::Curve
        );
    }
}
