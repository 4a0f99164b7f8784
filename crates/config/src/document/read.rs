//! From the tree to typed structs: a serde data format whose errors know their place.

mod access;
mod reader;
mod trouble;

use std::cell::RefCell;

use serde::de::DeserializeOwned;

use self::reader::Reader;
use self::trouble::Trouble;
use super::Value;
use crate::diagnostic::Diagnostic;

/// Reads a value into a type, or says everything that is wrong with it.
///
/// * A value of the wrong type is reported where it stands, in plain words. A whole number
///   does where any number is wanted, but not the other way round; NaN and infinities are
///   refused everywhere, as are numbers that do not fit the target type.
/// * Every key a struct does not have is reported (with or without
///   `deny_unknown_fields`), with the nearest key it does have.
/// * A missing key is reported at its table.
/// * Mistakes in different fields and array elements are reported together.
///
/// Structs with `#[serde(flatten)]` are read as maps, which know no unknown keys; untagged
/// enums need `#[serde(expecting = "expected ...")]` to say more than that no form fits.
///
/// Returns nothing exactly when it adds to `errors`; these are in the order of the text.
pub fn deserialize<T: DeserializeOwned>(value: &Value, errors: &mut Vec<Diagnostic>) -> Option<T> {
    deserialize_ignoring(value, &[], errors)
}

/// Like [`deserialize`], for a table some of whose keys belong to somebody else.
///
/// The `ignored` keys of the outermost table are not shown to `T`, but are mentioned when
/// another key looks like a misspelling of one of them.
pub fn deserialize_ignoring<T: DeserializeOwned>(
    value: &Value,
    ignored: &[&str],
    errors: &mut Vec<Diagnostic>,
) -> Option<T> {
    let reading = Reading {
        root: value,
        ignored,
        failed: RefCell::default(),
        found: RefCell::default(),
    };
    let mut fruitless = 0;
    for _ in 0..MOST_PASSES {
        let known = reading.found.borrow().len();
        match T::deserialize(Reader::new(value, &reading)) {
            Ok(read) if reading.found.borrow().is_empty() => return Some(read),
            Ok(_) => break,
            Err(trouble) => reading.report(trouble.at(value)),
        }
        let all = reading.found.borrow().len();
        fruitless = if all > known { 0 } else { fruitless + 1 };
        if fruitless > all {
            break;
        }
    }
    let mut found = reading.found.into_inner();
    found.sort_by_key(|diagnostic| diagnostic.place.map(|span| (span.source, span.start)));
    errors.append(&mut found);
    None
}

/// Nobody reads more mistakes than this at once, and each costs a pass.
const MOST_PASSES: usize = 64;

/// What is remembered while one value is read, possibly several times.
///
/// A type stops at its first mistake: that is how serde works. So after a mistake we read
/// again, showing what failed last of all, until no pass finds a new one.
struct Reading<'a> {
    root: &'a Value,
    ignored: &'a [&'a str],
    /// Values that failed, outer ones included; the one which failed last is at the end.
    failed: RefCell<Vec<*const Value>>,
    found: RefCell<Vec<Diagnostic>>,
}

impl Reading<'_> {
    fn report(&self, diagnostic: Diagnostic) {
        let mut found = self.found.borrow_mut();
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }

    /// Gives a mistake its place and remembers on whose account the reading stopped.
    fn blame(&self, value: &Value, trouble: Trouble) -> Trouble {
        let mut failed = self.failed.borrow_mut();
        failed.retain(|&other| !std::ptr::eq(other, value));
        failed.push(value);
        Trouble::Located(Box::new(trouble.at(value)))
    }

    /// Position among those that failed; `None`, the smallest, for those that did not.
    fn rank(&self, value: &Value) -> Option<usize> {
        let failed = self.failed.borrow();
        failed.iter().position(|&other| std::ptr::eq(other, value))
    }

    fn ignored_in(&self, table: &Value) -> &[&str] {
        if std::ptr::eq(self.root, table) {
            self.ignored
        } else {
            &[]
        }
    }
}

#[cfg(test)]
mod tests;
