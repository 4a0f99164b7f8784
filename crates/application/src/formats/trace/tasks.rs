//! Lines that are tasks, and what they wait for.

use super::calls::message;
use super::header::{GROUPS_FIRST, Header};
use super::time;
use crate::formats::recorded::Section;
use crate::formats::words::{Words, lines};
use crate::graph::{Condition, Graph, RankGraph};
use crate::task::{Task, Work};
use crate::window::Moment;
use turnwise_config::Flaw;

/// All tasks of all ranks.
pub(super) fn read(text: &[u8], header: &Header, sections: &[Vec<Section>]) -> Result<Graph, Flaw> {
    let mut graphs = vec![RankGraph::default(); sections.len()];
    // Ranks are read in the order in which they stand in the file, for the first flaw to be the first.
    let mut ordered: Vec<(usize, &Section)> = Vec::new();
    for (rank, sections) in sections.iter().enumerate() {
        ordered.extend(sections.iter().map(|section| (rank, section)));
    }
    ordered.sort_by_key(|(_, section)| section.range.start);
    let (mut counted, mut number) = (0, 1);
    for (rank, section) in ordered {
        for line in lines(text, section.range.clone()) {
            let between = &text[counted..line.start];
            number += between.iter().filter(|&&byte| byte == b'\n').count() as u32;
            counted = line.start;
            let mut words = Words::new(text, line);
            if words.has_more() {
                read_line(&mut words, header, &mut graphs[rank], number)?;
                words.expect_end()?;
            }
        }
    }
    Ok(Graph::new(graphs))
}

fn read_line(
    words: &mut Words<'_>,
    header: &Header,
    graph: &mut RankGraph,
    line: u32,
) -> Result<(), Flaw> {
    let moment = match words.peek() {
        Some(b"requires") => Some(Moment::Done),
        Some(b"irequires") => Some(Moment::Started),
        _ => None,
    };
    if let Some(moment) = moment {
        words.word();
        let end = graph.tasks.len() as u64;
        let what = "the number of a task before this line";
        graph.conditions.push(Condition {
            task: words.number(what, 0..end)? as u32,
            after: words.number(what, 0..end)? as u32,
            moment,
        });
        return Ok(());
    }
    let work = if words.takes("compute") {
        Work::Compute(time(words, header)?)
    } else if words.takes("send") {
        Work::Send(message(words, header, false)?)
    } else if words.takes("recv") {
        Work::Receive(message(words, header, true)?)
    } else {
        let flaw = words.expected("`compute`, `send`, `recv`, `requires` or `irequires`");
        return Err(match words.peek() {
            Some(b"group") => flaw.with_help(GROUPS_FIRST),
            _ => flaw,
        });
    };
    let mut task = Task::new(work);
    if words.takes("cpu") {
        task.processor = words.number("the number of a processor", 0..255)? as u8;
    }
    if words.takes("nic") {
        task.interface = words.number("the number of a network interface", 0..255)? as u8;
    }
    task.is_offloaded = words.takes("offloaded");
    graph.tasks.push(task);
    graph.lines.push(line);
    Ok(())
}
