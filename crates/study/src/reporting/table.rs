//! All results as the table at the end of the report.

use super::panels::amounts;
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
    // Amounts with units are figures in one of them, as on the axes of the charts.
    let in_one_unit: Vec<_> = asked.iter().map(|key| one_unit(key, rows)).collect();
    let columns = asked
        .iter()
        .zip(&in_one_unit)
        .map(|(key, amounts)| field_column(key, amounts, rows));
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
    let cells = |(index, &(_, row)): (usize, &(usize, &Row))| {
        let fields = asked.iter().zip(&in_one_unit);
        let fields = fields.map(|(key, amounts)| match amounts {
            Some((numbers, _)) => figure(numbers[index]),
            None => field(row.point.get(key)),
        });
        let measured = measured().map(|column| cell(row.cell(column)));
        let own = further.iter().map(|column| cell(&column.cell(row)));
        fields.chain(measured).chain(own).collect()
    };
    Table {
        rows: rows
            .iter()
            .enumerate()
            .take(Table::MOST_ROWS)
            .map(cells)
            .collect(),
        left_out: rows.len().saturating_sub(Table::MOST_ROWS),
        swept: asked.len(),
        columns,
    }
}

/// A swept field's values in one unit, and the unit.
type Amounts = Option<(Vec<f64>, &'static str)>;

fn one_unit(key: &str, rows: &[(usize, &Row)]) -> Amounts {
    amounts(rows.iter().map(|(_, row)| row.point.get(key)?.as_str()))
}

fn field_column(key: &str, amounts: &Amounts, rows: &[(usize, &Row)]) -> TableColumn {
    let is_text = |(_, row): &(usize, &Row)| row.point.get(key).is_some_and(Json::is_string);
    let unit = match amounts {
        Some((_, unit)) => unit,
        // Where some say their own unit, that of the field is not all cells'.
        None if rows.iter().any(is_text) => "",
        None => unit_of_field(key).unwrap_or_default(),
    };
    TableColumn {
        unit: unit.to_owned(),
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
