//! Time-independent traces of SimGrid: `<rank> <action> <arguments>`, a line each.
//!
//! One file for all ranks, or one for each and a file that lists them. Sizes count elements of a type; computing counts operations,
//! which [`Reading::speed`] makes a time of. Waits name sender, receiver and tag. All is of the world's communicator.
//! Reductions compute behind the operation, as SimGrid does it. What `test` finds is not known, so it finds nothing.
//!
//! Source: `smpi_replay.cpp` of SimGrid 3.32; what `smpirun -trace-ti` writes.

mod collectives;
mod reader;

use super::recorded::{Recorded, Section};
use super::words::{Words, lines};
use super::{Fault, Format, Read, Reading};
use crate::calls::Calls;
use std::sync::Arc;
use turnwise_config::{File, Flaw};

pub(super) const FORMAT: Format = Format {
    name: "simgrid",
    summary: "Time-independent traces of SimGrid, in one file or in several and one that lists them",
    extensions: &["ti"],
    recognises: |bytes| is_trace(bytes) || !listed(bytes, LOOKED_AT).is_empty(),
    companions: |bytes| listed(bytes, usize::MAX),
    read,
};

/// So many bytes say what a file is.
const LOOKED_AT: usize = 4096;

/// Is the first line a rank that initialises itself, or another that has a rank and an action?
fn is_trace(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    let mut filled = lines(start, 0..start.len())
        .map(|line| Words::new(start, line))
        .filter_map(|mut words| words.has_more().then_some(words));
    filled.next().is_some_and(|mut words| {
        words.number("a rank", 0..u64::MAX).is_ok() && words.word().is_some_and(reader::is_action)
    })
}

/// The names in a file that lists others, one a line; none if it is none.
fn listed(bytes: &[u8], most: usize) -> Vec<String> {
    let start = &bytes[..bytes.len().min(most)];
    let mut names = Vec::new();
    for line in lines(start, 0..start.len()) {
        let is_cut = line.end == start.len() && start.len() < bytes.len();
        let mut words = Words::new(start, line);
        let Some(word) = words.word() else { continue };
        let name = std::str::from_utf8(word).ok();
        match name.filter(|name| name.contains('.') && !words.has_more()) {
            Some(name) => names.push(name.to_owned()),
            None if is_cut => {}
            None => return Vec::new(),
        }
    }
    names
}

fn read(files: &Arc<[File]>, reading: &Reading) -> Read {
    let is_list = !listed(&files[0].bytes, usize::MAX).is_empty();
    let first = usize::from(is_list);
    // A rank has a line at least, so none has a number that is larger than the text.
    let most = files.iter().map(|file| file.bytes.len()).sum::<usize>();
    let mut sections: Vec<Vec<Section>> = Vec::new();
    for (number, file) in files.iter().enumerate().skip(first) {
        let text = &file.bytes;
        let wrong = |flaw| Fault { file: number, flaw };
        let mut open: Option<(usize, Section)> = None;
        for line in lines(text, 0..text.len()) {
            let mut words = Words::new(text, line.clone());
            if !words.has_more() {
                continue;
            }
            let rank = words.number("a rank", 0..most as u64).map_err(wrong)? as usize;
            match &mut open {
                Some((of, section)) if *of == rank => section.range.end = line.end,
                _ => {
                    let range = line.clone();
                    let section = Section {
                        file: number,
                        range,
                    };
                    keep(&mut sections, open.replace((rank, section)));
                }
            }
        }
        keep(&mut sections, open);
    }
    let in_first = |flaw| Fault {
        file: first.min(files.len() - 1),
        flaw,
    };
    if sections.is_empty() {
        return Err(in_first(Flaw::general("there is no line of any rank")));
    }
    if let Some(rank) = sections.iter().position(Vec::is_empty) {
        let last = sections.len() - 1;
        let message = format!("there is no line of rank {rank}, and there is one of rank {last}");
        return Err(in_first(Flaw::general(message)));
    }
    let language = reader::Language {
        ranks: sections.len() as u32,
        reading: reading.clone(),
    };
    let recorded = Recorded::new(files, language, sections)?;
    Ok(Box::new(Calls::new(
        Box::new(recorded),
        reading.selection.clone(),
    )))
}

fn keep(sections: &mut Vec<Vec<Section>>, section: Option<(usize, Section)>) {
    let Some((rank, section)) = section else {
        return;
    };
    if sections.len() <= rank {
        sections.resize_with(rank + 1, Vec::new);
    }
    sections[rank].push(section);
}
