//! All results as the table at the end of the report.

use crate::plan::Plan;
use crate::report::Table;
use crate::row::{COLUMNS, Row, figure};
use serde_json::Value as Json;

/// The swept fields, the verdict and what was measured, one row a point.
pub(super) fn table(plan: &Plan, rows: &[(usize, &Row)]) -> Table {
    let repeated = plan.is_repeated();
    let mut columns = plan.keys.clone();
    columns.extend(repeated.then(|| "repeat".to_owned()));
    let swept = columns.len();
    let measured = || std::iter::once("verdict").chain(COLUMNS.iter().copied());
    columns.extend(measured().map(str::to_owned));
    let text = |value: Option<&Json>| match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), figure),
        Some(other) => other.to_string(),
    };
    let cells = |&(_, row): &(usize, &Row)| {
        let point = row.0.get("point");
        let fields = columns[..swept]
            .iter()
            .map(|key| text(point.and_then(|point| point.get(key))));
        fields
            .chain(measured().map(|column| text(row.0.get(column))))
            .collect()
    };
    Table {
        rows: rows.iter().map(cells).collect(),
        columns,
    }
}
