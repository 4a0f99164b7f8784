//! Programs whose calls are lines of text, and stay text until they are made.
//!
//! Everything is read once, to see whether it makes sense, and every rank reads its lines again while it is played; so a program
//! takes as much memory as its text, and a few calls of each rank.
//!
//! Complexity: O(text), twice; memory for the text, and for each part of it that is of one rank.

use super::Fault;
use super::agreement::Agreement;
use super::words::{Words, lines};
use crate::calls::{Call, Caller, Calling};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use turnwise_config::{File, Flaw};

/// What lines mean.
pub(super) trait Language: Send + Sync + 'static {
    /// Someone who reads a rank's lines.
    type Reader: Reader;

    /// Before a rank's first line.
    fn reader(&self, rank: u32) -> Self::Reader;
}

/// Reads the lines of a rank, one after the other.
pub(super) trait Reader: Send + 'static {
    /// The calls that a line says.
    fn line(&mut self, words: &mut Words<'_>, calls: &mut Vec<Call>) -> Result<(), Flaw>;
}

/// Lines of one rank that follow each other.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Which file they stand in.
    pub(super) file: usize,
    /// Where.
    pub(super) range: Range<usize>,
}

/// A program whose calls are lines.
pub(super) struct Recorded<L> {
    files: Arc<[File]>,
    language: Arc<L>,
    /// By rank.
    sections: Vec<Arc<[Section]>>,
    /// By file and block, ends of lines before the block; counted when somebody asks for a line, who may ask for one of every rank.
    ends: OnceLock<Vec<Vec<usize>>>,
}

/// Bytes of a block.
const BLOCK: usize = 1 << 12;

/// So many lines are read at once.
const AT_ONCE: usize = 32;

impl<L: Language> Recorded<L> {
    /// Reads all lines of all ranks, and keeps none.
    ///
    /// # Errors
    /// The first line that makes no sense, or calls that do not fit together.
    pub(super) fn new(
        files: &Arc<[File]>,
        language: L,
        sections: Vec<Vec<Section>>,
    ) -> Result<Self, Fault> {
        let recorded = Self {
            files: Arc::clone(files),
            language: Arc::new(language),
            sections: sections.into_iter().map(Arc::from).collect(),
            ends: OnceLock::new(),
        };
        let mut agreement = Agreement::default();
        for rank in 0..recorded.ranks() {
            let mut lines = recorded.lines_of(rank);
            let mut calls = Vec::new();
            loop {
                let place = lines.place();
                let file = lines.file();
                let wrong = |flaw| Fault { file, flaw };
                if !lines.read(&mut calls).map_err(wrong)? {
                    break;
                }
                for call in calls.drain(..) {
                    agreement.note(rank, &call, place).map_err(wrong)?;
                }
            }
        }
        agreement.end().map_err(|flaw| Fault { file: 0, flaw })?;
        Ok(recorded)
    }

    /// The number of the line of a place in a file.
    fn line(&self, file: usize, place: usize) -> usize {
        let ends_in =
            |bytes: &[u8]| -> usize { bytes.iter().filter(|&&byte| byte == b'\n').count() };
        let of_file = |file: &File| -> Vec<usize> {
            let mut before = 0;
            let blocks = file.bytes.chunks(BLOCK);
            let of_block = blocks.map(|block| {
                let here = before;
                before += ends_in(block);
                here
            });
            of_block.collect()
        };
        let ends = self
            .ends
            .get_or_init(|| self.files.iter().map(of_file).collect());
        let bytes = &self.files[file].bytes;
        // Behind the last block where that is full and the file ends with it.
        let block = (place / BLOCK).min(ends[file].len().saturating_sub(1));
        let before = ends[file].get(block).copied().unwrap_or(0);
        before + ends_in(&bytes[block * BLOCK..place]) + 1
    }

    fn lines_of(&self, rank: u32) -> Lines<L::Reader> {
        let sections = Arc::clone(&self.sections[rank as usize]);
        let at = sections.first().map_or(0, |section| section.range.start);
        Lines {
            files: Arc::clone(&self.files),
            reader: self.language.reader(rank),
            sections,
            section: 0,
            at,
        }
    }
}

impl<L: Language> Calling for Recorded<L> {
    fn ranks(&self) -> u32 {
        self.sections.len() as u32
    }

    fn parts(&self) -> u32 {
        1
    }

    fn caller(&self, rank: u32) -> Box<dyn Caller> {
        Box::new(self.lines_of(rank))
    }

    fn place(&self, rank: u32, call: u64) -> Option<String> {
        let mut lines = self.lines_of(rank);
        let mut calls = Vec::new();
        let mut count = 0;
        loop {
            let (file, place) = (lines.file(), lines.place());
            if !lines.read(&mut calls).ok()? {
                return None;
            }
            count += calls.drain(..).count() as u64;
            if count > call {
                let line = self.line(file, place);
                let file = &self.files[file];
                return Some(match self.files.len() {
                    1 => format!("line {line}"),
                    _ => format!("{} line {line}", file.name),
                });
            }
        }
    }

    fn memory_bytes(&self) -> u64 {
        let texts: usize = self.files.iter().map(|file| file.bytes.len()).sum();
        let sections: usize = self.sections.iter().map(|sections| sections.len()).sum();
        (texts + sections * size_of::<Section>()) as u64
    }
}

/// A rank's lines, from the next one on.
struct Lines<R> {
    files: Arc<[File]>,
    reader: R,
    sections: Arc<[Section]>,
    section: usize,
    at: usize,
}

impl<R: Reader> Lines<R> {
    fn place(&self) -> usize {
        self.at
    }

    fn file(&self) -> usize {
        self.sections
            .get(self.section)
            .map_or(0, |section| section.file)
    }

    /// Reads a line; false at the end.
    fn read(&mut self, calls: &mut Vec<Call>) -> Result<bool, Flaw> {
        let Some(section) = self.sections.get(self.section) else {
            return Ok(false);
        };
        let text = &self.files[section.file].bytes;
        let Some(line) = lines(text, self.at..section.range.end).next() else {
            self.section += 1;
            let next = self.sections.get(self.section);
            self.at = next.map_or(0, |section| section.range.start);
            return Ok(true);
        };
        let mut words = Words::new(text, line.clone());
        if words.has_more() {
            self.reader.line(&mut words, calls)?;
            words.expect_end()?;
        }
        self.at = (line.end + 1).min(section.range.end);
        Ok(true)
    }
}

impl<R: Reader> Caller for Lines<R> {
    fn calls(&mut self, _: u32, calls: &mut Vec<Call>) -> bool {
        // All lines have been read before, so none is wrong.
        (0..AT_ONCE).any(|_| !matches!(self.read(calls), Ok(true)))
    }
}
