//! Chakra execution traces: the nodes of each rank's graph, a file for each rank.
//!
//! A file is messages of protocol buffers, each after its length: a `GlobalMetadata`, then a `Node` each. Groups of ranks, where
//! nodes name them, are in a file of JSON beside, `{"7": [0, 2, 4]}`, or in nodes in which PyTorch notes its process groups; `""` and
//! `"0"` are all ranks.
//!
//! Nodes of the host compute on one processor, others on a second; what moves memory and what moves messages has one each,
//! so that all four overlap. Computing takes as long as a node says, or else as its operations take at
//! [`Reading::speed`](super::Reading::speed). The collectives of a group are matched in the order in which files have them.
//!
//! Source: `et_def.proto` of mlcommons/chakra, and what ASTRA-sim makes of its attributes.

mod graph;
mod groups;
pub mod messages;

use super::{Fault, Format, Read, Reading, no_companions};
use crate::graph::{Graph, Numbered};
use messages::Messages;
use std::sync::Arc;
use turnwise_config::{File, Flaw};

pub(super) const FORMAT: Format = Format {
    name: "chakra",
    summary: "Chakra execution traces, a file for each rank: PyTorch, ASTRA-sim",
    extensions: &["et"],
    recognises,
    companions: no_companions,
    read,
};

/// Are these two messages, of which the second is a node?
fn recognises(bytes: &[u8]) -> bool {
    let mut messages = Messages::new(bytes);
    let Ok(Some((_, metadata))) = messages.metadata() else {
        return false;
    };
    let is_node = |node: &messages::Node| (1..=10).contains(&node.kind);
    let first = messages.node();
    let has_node = first.is_ok_and(|found| found.is_none_or(|(_, node)| is_node(&node)));
    has_node && (!metadata.version.is_empty() || !metadata.attributes.is_empty())
}

/// The number at the end of a file's name, `NAME.0.et`, `NAME_0.et` or `NAME-0.et`, and the name of all of them.
fn number_of(file: &File) -> Option<(u64, String)> {
    let name = &file.name;
    let (name, compressed) = match name.strip_suffix(".zst") {
        Some(name) => (name, ".zst"),
        None => (&**name, ""),
    };
    let name = name.strip_suffix(".et")?;
    let (_, number) = name.rsplit_once(['.', '_', '-'])?;
    let all = format!("{}*.et{compressed}", name.strip_suffix(number)?);
    Some((number.parse().ok()?, all))
}

/// Sorts the files of ranks by their numbers, if all have one: shells put 10 before 2. The number of a single file may be
/// anything, such as a date.
fn in_order(files: &[File], ranks: &mut [usize]) -> Result<(), Fault> {
    let number = |file: usize| number_of(&files[file]).map(|(number, _)| number);
    if ranks.len() == 1 {
        return Ok(());
    }
    let numbers: Option<Vec<u64>> = ranks.iter().map(|&file| number(file)).collect();
    if numbers.is_none() {
        return Ok(());
    }
    ranks.sort_by_key(|&file| number(file));
    for (rank, &file) in (0..).zip(&*ranks) {
        if number(file) != Some(rank) {
            let flaw = Flaw::general(format!(
                "expected the trace of rank {rank}: ranks are numbered from 0 on"
            ));
            return Err(Fault { file, flaw });
        }
    }
    Ok(())
}

/// Is this all that there is of a program? A rank that is alone calls nobody together, so a file with a number that does is one of several.
fn is_whole(file: &File, maker: &graph::Maker<'_>) -> Result<(), Flaw> {
    let calls = maker.calls_of_all();
    let Some((_, all)) = number_of(file).filter(|_| calls > 0) else {
        return Ok(());
    };
    let plural = if calls == 1 { "" } else { "s" };
    let flaw = Flaw::general(format!(
        "this is what one rank of several did: it makes {calls} collective call{plural} of all ranks, and is named alone"
    ));
    Err(flaw.with_help(format!(
        "name the files of all ranks, `{all}`; a program of a single rank has no number in the name of its file"
    )))
}

fn read(files: &Arc<[File]>, reading: &Reading) -> Read {
    let is_groups = |file: &File| file.name.ends_with(".json");
    let mut ranks = Vec::new();
    let mut groups = None;
    for (number, file) in files.iter().enumerate() {
        match is_groups(file) {
            true => groups = Some(number),
            false => ranks.push(number),
        }
    }
    if ranks.is_empty() {
        let flaw = Flaw::general("expected a trace for each rank, found groups alone");
        return Err(Fault { file: 0, flaw });
    }
    in_order(files, &mut ranks)?;
    let groups = groups::read(files, groups, ranks.len() as u32)?;
    let mut maker = graph::Maker::new(ranks.len() as u32, groups, reading);
    let mut graphs = Vec::with_capacity(ranks.len());
    for (rank, &file) in (0..).zip(&ranks) {
        let graph = maker.rank(rank, &files[file].bytes);
        graphs.push(graph.map_err(|flaw| Fault { file, flaw })?);
    }
    let first = ranks.first().copied().unwrap_or(0);
    let complain = |flaw| Fault { file: first, flaw };
    maker.end().map_err(complain)?;
    if ranks.len() == 1 {
        is_whole(&files[first], &maker).map_err(complain)?;
    }
    Ok(Box::new(Graph::new(graphs).numbered(Numbered::Nodes)))
}
