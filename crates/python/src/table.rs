//! Columns that pandas, polars, pyarrow and others take over without copying them.
//!
//! Source: the Arrow PyCapsule interface, <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.

use crate::failure::error;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use turnwise_config::diagnostic::suggestion;

/// A table of columns with names, types and units.
#[pyclass(frozen, module = "turnwise._native")]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn new(batch: RecordBatch) -> Self {
        Self { batch }
    }

    fn column(&self, name: &str) -> PyResult<&ArrayRef> {
        self.batch.column_by_name(name).ok_or_else(|| {
            let schema = self.batch.schema();
            let names = schema.fields().iter().map(|field| field.name().as_str());
            let help = suggestion(name, "the columns are", names.clone(), names);
            PyKeyError::new_err(format!("there is no column `{name}`; {help}"))
        })
    }
}

#[pymethods]
impl Table {
    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.batch.schema();
        let fields = schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// For each column what is known of it, by name: `unit` and `meaning`.
    fn metadata(&self) -> Vec<(String, Vec<(String, String)>)> {
        let schema = self.batch.schema();
        let of_field = |field: &arrow_schema::FieldRef| {
            let mut known: Vec<(String, String)> = field.metadata().clone().into_iter().collect();
            known.sort();
            (field.name().clone(), known)
        };
        schema.fields().iter().map(of_field).collect()
    }

    /// A column of numbers: the type that NumPy has for them, and their bytes, missing ones as NaN; nothing if it holds others.
    fn numbers(&self, column: &str) -> PyResult<Option<(&'static str, Vec<u8>)>> {
        let array = self.column(column)?;
        let figures = |figure: &dyn Fn(usize) -> f64| {
            let figures = (0..array.len()).map(|at| {
                if array.is_null(at) {
                    f64::NAN
                } else {
                    figure(at)
                }
            });
            Some(("<f8", figures.flat_map(f64::to_le_bytes).collect()))
        };
        let has_all = array.null_count() == 0;
        if let Some(numbers) = array.as_primitive_opt::<Int32Type>().filter(|_| has_all) {
            let bytes = numbers
                .values()
                .iter()
                .flat_map(|number| number.to_le_bytes());
            return Ok(Some(("<i4", bytes.collect())));
        }
        if let Some(numbers) = array.as_primitive_opt::<Int64Type>() {
            let bytes = numbers
                .values()
                .iter()
                .flat_map(|number| number.to_le_bytes());
            return Ok(match has_all {
                true => Some(("<i8", bytes.collect())),
                false => figures(&|at| numbers.value(at) as f64),
            });
        }
        let numbers = array.as_primitive_opt::<Float64Type>();
        Ok(numbers.and_then(|numbers| figures(&|at| numbers.value(at))))
    }

    /// A column of truth values or texts; None for those that are missing.
    #[pyo3(signature = (column) -> "list[bool | None] | list[str | None]")]
    fn values<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyList>> {
        let array = self.column(column)?;
        let present = |at: usize| (!array.is_null(at)).then_some(at);
        let rows = 0..array.len();
        match (array.as_boolean_opt(), array.as_string_opt::<i32>()) {
            (Some(flags), _) => PyList::new(py, rows.map(|at| Some(flags.value(present(at)?)))),
            (_, Some(texts)) => PyList::new(py, rows.map(|at| Some(texts.value(present(at)?)))),
            _ => Ok(PyList::empty(py)),
        }
    }

    /// The schema as a capsule of the Arrow C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let schema = FFI_ArrowSchema::try_from(&*self.batch.schema());
        let schema = schema.map_err(|why| error(py, &why))?;
        Ok(PyCapsule::new_with_value(py, schema, c"arrow_schema")?.into_any())
    }

    /// The columns as a capsule of the Arrow C stream interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // A wish, which producers need not grant.
        drop(requested_schema);
        let schema = self.batch.schema();
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], schema);
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(batches);
        let stream = FFI_ArrowArrayStream::new(reader);
        Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?.into_any())
    }
}
