//! All results as the table at the end of the report.

use crate::columns::about;
use crate::plan::Plan;
use crate::row::{COLUMNS, Cell, Row, figure};
use crate::schema::unit_of_field;
use serde_json::{Number, Value as Json};
use turnwise_report::{Table, TableColumn};

/// The swept fields, the verdict and what was measured, one row a point.
pub(super) fn table(plan: &Plan, rows: &[(usize, &Row)]) -> Table {
    let repeated = plan.is_repeated();
    let mut asked = plan.keys.clone();
    asked.extend(repeated.then(|| "repeat".to_owned()));
    let measured = || std::iter::once("verdict").chain(COLUMNS.iter().copied());
    let mut further = plan.columns();
    // Classes and jobs have tables of their own.
    further.retain(|column| !column.is_of_parts());
    let all = measured().chain(further.iter().map(|column| column.name));
    let columns = asked.iter().map(|key| field_column(key));
    let columns = columns.chain(all.map(measured_column)).collect();
    let number = |number: &Number| number.as_f64().map_or_else(|| number.to_string(), figure);
    let field = |value: Option<&Json>| match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(value)) => number(value),
        Some(other) => other.to_string(),
    };
    let cell = |cell: &Cell| match cell {
        Cell::Nothing => String::new(),
        Cell::Text(text) => text.to_string(),
        Cell::Number(value) => number(value),
        Cell::Flag(flag) => flag.to_string(),
    };
    let cells = |&(_, row): &(usize, &Row)| {
        let fields = asked.iter().map(|key| field(row.point.get(key)));
        let measured = measured().map(|column| cell(row.cell(column)));
        let own = further.iter().map(|column| cell(&column.cell(row)));
        fields.chain(measured).chain(own).collect()
    };
    Table {
        rows: rows.iter().take(Table::MOST_ROWS).map(cells).collect(),
        left_out: rows.len().saturating_sub(Table::MOST_ROWS),
        swept: asked.len(),
        columns,
    }
}

fn field_column(key: &str) -> TableColumn {
    TableColumn {
        unit: unit_of_field(key).unwrap_or_default().to_owned(),
        ..TableColumn::from(key)
    }
}

/// Shares and mere numbers have no unit that readers would want to see.
fn measured_column(name: &str) -> TableColumn {
    let about = about(name);
    let unit = about.map_or("", |about| about.unit);
    TableColumn {
        name: name.to_owned(),
        unit: if unit == "1" { "" } else { unit }.to_owned(),
        meaning: about.map_or("", |about| about.meaning).to_owned(),
    }
}
