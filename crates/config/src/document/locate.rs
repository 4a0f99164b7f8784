//! From a field that makes no sense to its place in the text.

use super::{Step, Value, steps};
use crate::diagnostic::{Diagnostic, Invalid};

impl Invalid {
    /// Finds the field in the table it came from.
    ///
    /// A field that was never written (its default is to blame) points to the innermost
    /// table or array on its path that was.
    pub fn locate(self, table: &Value) -> Diagnostic {
        let mut innermost = table;
        for step in steps(&self.place) {
            let next = match step {
                Step::Key(name) => innermost.table().and_then(|table| table.get(name)),
                Step::Index(index) => innermost.array().and_then(|array| array.get(index)),
            };
            match next {
                Some(value) => innermost = value,
                None => break,
            }
        }
        Diagnostic {
            place: Some(innermost.span),
            message: self.to_string(),
            help: self.help,
        }
    }
}
