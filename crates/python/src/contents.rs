//! Values of Python as the texts that a study is made of.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::Value as Json;
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
    let text = match inline {
        true => {
            let mut text = String::new();
            let written = value.serialize(ValueSerializer::new(&mut text)).map(drop);
            written.map(|()| text)
        }
        false => toml::to_string(&value),
    };
    text.map_err(|error| wrong(error.to_string()))
}
