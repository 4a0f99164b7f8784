//! Values of Python as the texts that a study is made of.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::fmt::{Display, Write};
use toml::ser::ValueSerializer;

/// A two-dimensional array of whole numbers (int64) as CSV.
#[pyfunction]
#[pyo3(signature = (array: "Any", columns))]
pub(crate) fn whole_numbers_as_csv(
    py: Python<'_>,
    array: PyBuffer<i64>,
    columns: usize,
) -> PyResult<Vec<u8>> {
    let numbers = array.to_vec(py)?;
    Ok(py.detach(|| csv(&numbers, columns)))
}

/// A two-dimensional array of numbers (float64) as CSV.
#[pyfunction]
#[pyo3(signature = (array: "Any", columns))]
pub(crate) fn numbers_as_csv(
    py: Python<'_>,
    array: PyBuffer<f64>,
    columns: usize,
) -> PyResult<Vec<u8>> {
    let numbers = array.to_vec(py)?;
    Ok(py.detach(|| csv(&numbers, columns)))
}

fn csv<T: Display>(numbers: &[T], columns: usize) -> Vec<u8> {
    let mut text = String::new();
    for row in numbers.chunks(columns.max(1)) {
        for (place, number) in row.iter().enumerate() {
            let separator = if place == 0 { "" } else { "," };
            // Writing into a string cannot fail.
            let _ = write!(text, "{separator}{number}");
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// A value that is JSON as TOML: a document of tables, or inline as `--set` takes it.
#[pyfunction]
#[pyo3(signature = (json, inline = false))]
pub(crate) fn toml_of(json: &str, inline: bool) -> PyResult<String> {
    let wrong = |what: String| PyValueError::new_err(format!("cannot be written as TOML: {what}"));
    let value: Json = serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
    let text = match &value {
        Json::Object(tables) if !inline => document(tables),
        value => inlined(value),
    };
    text.map_err(|error| wrong(error.to_string()))
}

/// A value on one line, its fields in their order.
fn inlined(value: &Json) -> Result<String, toml::ser::Error> {
    let mut text = String::new();
    value.serialize(ValueSerializer::new(&mut text))?;
    Ok(text)
}

/// A line for each field, below the name of its table. What is inside a field stays on its line: the order of what is swept has a meaning, and
/// tables of their own would all come last.
fn document(tables: &Map<String, Json>) -> Result<String, toml::ser::Error> {
    let mut text = String::new();
    let field = |text: &mut String, name: &str, value: &Json| {
        let (name, value) = (key(name), inlined(value)?);
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{name} = {value}");
        Ok::<_, toml::ser::Error>(())
    };
    let is_table = |value: &Json| value.is_object();
    for (name, value) in tables.iter().filter(|(_, value)| !is_table(value)) {
        field(&mut text, name, value)?;
    }
    for (name, table) in tables {
        let Json::Object(fields) = table else {
            continue;
        };
        let _ = writeln!(text, "\n[{}]", key(name));
        for (name, value) in fields {
            field(&mut text, name, value)?;
        }
    }
    Ok(text)
}

/// A key, in quotes where it has to be.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => toml::Value::from(name).to_string(),
    }
}
