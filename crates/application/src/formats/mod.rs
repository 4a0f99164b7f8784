//! Files that programs are read from and written to, one module for each format.
//!
//! A new format is one module and one line in [`FORMATS`]. `recorded` keeps programs of calls as the text that they were, `words`
//! splits lines, `bytes` takes files that are no text apart, `requests` numbers requests, `lengths` has collectives whose blocks
//! differ, `agreement` sees whether ranks make the same collective calls. `foreign` knows files that are not read.

mod agreement;
mod bytes;
pub mod chakra;
mod dumpi;
mod foreign;
pub mod goal;
mod htsim;
mod lengths;
mod recorded;
mod requests;
mod simgrid;
pub mod trace;
mod words;

use crate::collectives::Selection;
use crate::script::Program;
use foreign::foreign;
use std::sync::Arc;
use turnwise_config::diagnostic::{Invalid, suggestion};
use turnwise_config::{File, Flaw};

/// A format that programs are read from.
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// In a sentence.
    pub summary: &'static str,
    /// How names of its files end.
    pub extensions: &'static [&'static str],
    /// Does a file that begins like this have it?
    recognises: fn(&[u8]) -> bool,
    /// Names of files that a file says belong to it, relative to where it is.
    companions: fn(&[u8]) -> Vec<String>,
    read: fn(&Arc<[File]>, &Reading) -> Read,
}

/// A program that was read.
type Read = Result<Box<dyn Program>, Fault>;

/// All formats, in the order in which they are tried.
pub const FORMATS: &[Format] = &[
    trace::FORMAT,
    goal::FORMAT,
    htsim::FORMAT,
    simgrid::FORMAT,
    chakra::FORMAT,
    dumpi::FORMAT,
];

/// What Windows programs put in front of their text files. It is no part of the text, whatever the format.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// What is in a file, without a byte order mark.
fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// What is wrong in one of several files.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which file.
    pub file: usize,
    /// What, and where.
    pub flaw: Flaw,
}

/// What formats leave open.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Which algorithms collectives use.
    pub selection: Selection,
    /// Operations that a rank does in a second, where a format counts these instead of time.
    pub speed: f64,
}

impl Default for Reading {
    fn default() -> Self {
        let selection = Selection::default();
        Self {
            selection,
            speed: 1e9,
        }
    }
}

impl Reading {
    /// Picoseconds of so many operations, up to a hundred days.
    fn time(&self, operations: f64) -> u64 {
        let picoseconds = (operations / self.speed * 1e12).round();
        picoseconds.min(words::TIME as f64 - 2000.0) as u64
    }
}

impl Fault {
    /// The same of files of which some have a byte order mark, and where that was taken away.
    fn behind_marks(mut self, files: &[File]) -> Self {
        let is_marked = |file: &File| file.bytes.starts_with(MARK);
        if let Some(place) = &mut self.flaw.place {
            *place += match files.get(self.file).is_some_and(is_marked) {
                true => MARK.len(),
                false => 0,
            };
        }
        self
    }

    /// As a complaint about the field that names the files.
    pub fn in_files(self, field: &str, files: &[File]) -> Invalid {
        match files.get(self.file) {
            Some(file) => self.flaw.in_contents_of(field, &file.name, &file.bytes),
            None => Invalid::new(field, self.flaw.message),
        }
    }
}

impl Format {
    /// The format of a name.
    ///
    /// # Errors
    /// There is none, and what could be meant.
    pub fn named(name: &str) -> Result<&'static Self, Invalid> {
        let names = || FORMATS.iter().map(|format| format.name);
        FORMATS
            .iter()
            .find(|format| format.name == name)
            .ok_or_else(|| {
                let help = suggestion(name, "the formats are", names(), names());
                Invalid::new("format", format!("there is no format `{name}`")).with_help(help)
            })
    }

    /// The format of a file: that which it begins like, else that which its name ends like.
    ///
    /// # Errors
    /// It is like none.
    pub fn of(file: &File) -> Result<&'static Self, Flaw> {
        let bytes = unmarked(&file.bytes);
        if let Some(flaw) = foreign(bytes) {
            return Err(flaw);
        }
        let name = file.name.strip_suffix(".zst").unwrap_or(&file.name);
        let ends = |format: &&Self| {
            let extension = name.rsplit_once('.').map(|(_, extension)| extension);
            extension.is_some_and(|extension| format.extensions.contains(&extension))
        };
        let begins = FORMATS.iter().find(|format| (format.recognises)(bytes));
        begins
            .or_else(|| FORMATS.iter().find(ends))
            .ok_or_else(|| Flaw::general("this has no format that is known"))
    }

    /// Names of files that a file of this format says belong to it, relative to where it is.
    pub fn companions(&self, bytes: &[u8]) -> Vec<String> {
        let bytes = unmarked(bytes);
        match foreign(bytes) {
            Some(_) => Vec::new(),
            None => (self.companions)(bytes),
        }
    }

    /// Reads a program.
    ///
    /// # Errors
    /// The first thing that is not understood, or that no rank could do.
    pub fn read(&self, files: &Arc<[File]>, reading: &Reading) -> Read {
        let flaw = match files.first() {
            None => Some(Flaw::general("there is no file")),
            Some(file) => foreign(unmarked(&file.bytes)),
        };
        if let Some(flaw) = flaw {
            return Err(Fault { file: 0, flaw });
        }
        if !files.iter().any(|file| file.bytes.starts_with(MARK)) {
            return (self.read)(files, reading);
        }
        let unmarked = files.iter().map(|file| File {
            name: file.name.clone(),
            bytes: match file.bytes.strip_prefix(MARK) {
                Some(text) => text.to_vec().into(),
                None => file.bytes.clone(),
            },
        });
        let read = (self.read)(&unmarked.collect(), reading);
        read.map_err(|fault| fault.behind_marks(files))
    }
}

/// A format whose files are alone.
fn no_companions(_: &[u8]) -> Vec<String> {
    Vec::new()
}

/// The only file of a format that has one.
fn only(files: &[File]) -> Result<&File, Fault> {
    match files {
        [file] => Ok(file),
        files => Err(Fault {
            file: 1,
            flaw: Flaw::general(format!("expected one file, found {}", files.len())),
        }),
    }
}

/// The first word of a text's first line that has one.
fn first_word(text: &[u8]) -> Option<&[u8]> {
    let start = &text[..text.len().min(4096)];
    let mut lines = words::lines(start, 0..start.len());
    lines.find_map(|line| words::Words::new(start, line).word())
}
