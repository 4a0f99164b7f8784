//! The last few things made, so that neighbouring points share them without keeping all.

use std::sync::{Mutex, PoisonError};
use turnwise_config::diagnostic::Diagnostic;

/// Things by the text of what they were made from.
pub(crate) struct Cache<T> {
    entries: Mutex<Vec<(String, T)>>,
}

impl<T: Clone> Cache<T> {
    const CAPACITY: usize = 16;

    pub(crate) fn new() -> Self {
        Self {
            entries: Mutex::new(Vec::new()),
        }
    }

    /// The thing with a key, made if it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    ///
    /// Making happens under the lock: two threads that want the same thing must not both make it.
    pub(crate) fn get_or_make(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = entries.iter().position(|(known, _)| known == key) {
            let entry = entries.remove(at);
            let value = entry.1.clone();
            entries.push(entry);
            return Ok(value);
        }
        let value = make()?;
        if entries.len() == Self::CAPACITY {
            entries.remove(0);
        }
        entries.push((key.to_owned(), value.clone()));
        Ok(value)
    }
}
