//! What is wrong, as exceptions of the package.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::fmt::Display;
use std::path::Path;
use turnwise_network::Diagnostic;
use turnwise_study::Source;

/// A problem as `turnwise.Problem` has it: message, help, file, line and column.
type Problem = (
    String,
    Option<String>,
    Option<String>,
    Option<usize>,
    Option<usize>,
);

/// `turnwise.StudyError` of everything that is wrong with a study.
pub(crate) fn study_error(py: Python<'_>, source: &Source, errors: &[Diagnostic]) -> PyErr {
    let problem = |error: &Diagnostic| -> Problem {
        let (message, help) = (error.message.clone(), error.help.clone());
        match error.place {
            Some(span) => {
                let (file, line, column) = source.position(span);
                (
                    message,
                    help,
                    Some(file.to_owned()),
                    Some(line),
                    Some(column),
                )
            }
            None => (message, help, source.name(0).map(str::to_owned), None, None),
        }
    };
    let problems: Vec<Problem> = errors.iter().map(problem).collect();
    raised(py, "study_error", problems)
}

/// `turnwise.TurnwiseError` with a sentence.
pub(crate) fn error(py: Python<'_>, message: &impl Display) -> PyErr {
    raised(py, "plain_error", message.to_string())
}

/// `OSError` about a file that could not be written.
pub(crate) fn not_written(path: &Path, error: &std::io::Error) -> PyErr {
    let message = format!("cannot write {}: {error}", path.display());
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, message)),
        None => PyOSError::new_err(message),
    }
}

/// What a function of `turnwise._errors` makes.
fn raised<'py>(py: Python<'py>, name: &str, what: impl IntoPyObject<'py>) -> PyErr {
    let made = py
        .import("turnwise._errors")
        .and_then(|module| module.getattr(name)?.call1((what,)));
    made.map_or_else(|error| error, PyErr::from_value)
}
