//! Writing traces: programs that make calls as their calls, others as their tasks.

use super::calls::{OWN_LENGTHS, has_root};
use super::header::{MAGIC, VERSION};
use crate::calls::{Call, Calling};
use crate::collectives::{Collective, Kind};
use crate::graph::Graph;
use crate::group::Group;
use crate::script::Program;
use crate::task::{ANY, Message, Work};
use crate::window::Moment;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Writes a program as a trace; what it calls is never held at once.
///
/// # Errors
/// Whatever the writer says.
pub fn write(program: &dyn Program, out: &mut dyn Write) -> io::Result<()> {
    let content = match program.calling() {
        Some(_) => "calls",
        None => "tasks",
    };
    let ranks = program.ranks();
    writeln!(
        out,
        "{MAGIC} {VERSION}\nranks {ranks}\ntime ps\ncontent {content}"
    )?;
    match program.calling() {
        Some(program) => calls(program, out)?,
        None => tasks(program, out)?,
    }
    writeln!(out, "end")
}

fn calls(program: &dyn Calling, out: &mut dyn Write) -> io::Result<()> {
    let mut groups: BTreeMap<u32, Group> = BTreeMap::new();
    for rank in 0..program.ranks() {
        each_call(program, rank, &mut |call| {
            if let Call::Collective(_, group) = call
                && group.context != 0
            {
                groups.entry(group.context).or_insert_with(|| group.clone());
            }
            Ok(())
        })?;
    }
    for (number, group) in &groups {
        write!(out, "group {number}")?;
        for member in 0..group.count() {
            write!(out, " {}", group.rank(member))?;
        }
        writeln!(out)?;
    }
    for rank in 0..program.ranks() {
        writeln!(out, "rank {rank}")?;
        let mut open = BTreeSet::new();
        each_call(program, rank, &mut |call| {
            write_call(out, rank, call, &mut open)
        })?;
    }
    Ok(())
}

fn each_call(
    program: &dyn Calling,
    rank: u32,
    what: &mut dyn FnMut(&Call) -> io::Result<()>,
) -> io::Result<()> {
    let mut caller = program.caller(rank);
    let mut calls = Vec::new();
    let mut part = 0;
    loop {
        let is_last = caller.calls(part, &mut calls);
        part += 1;
        for call in calls.drain(..) {
            what(&call)?;
        }
        if is_last {
            return Ok(());
        }
    }
}

/// Writes a call; `open` are the requests that nobody has waited for.
fn write_call(
    out: &mut dyn Write,
    rank: u32,
    call: &Call,
    open: &mut BTreeSet<u32>,
) -> io::Result<()> {
    match call {
        Call::Isend(_, request) | Call::Irecv(_, request) => {
            // Whoever takes the number again will never wait for what had it.
            open.insert(*request);
        }
        Call::Wait(request) if !open.remove(request) => return Ok(()),
        _ => {}
    }
    match call {
        Call::Compute(time) => write!(out, "compute {time}")?,
        Call::Send(message) => write_message(out, "send", message)?,
        Call::Recv(message) => write_message(out, "recv", message)?,
        Call::Isend(message, request) => write_message(out, &format!("isend {request}"), message)?,
        Call::Irecv(message, request) => write_message(out, &format!("irecv {request}"), message)?,
        Call::Wait(request) => write!(out, "wait {request}")?,
        Call::Waitall(below) => {
            let rest = open.split_off(below);
            let waited = std::mem::replace(open, rest);
            if waited.is_empty() {
                return Ok(());
            }
            write!(out, "wait")?;
            waited
                .iter()
                .try_for_each(|request| write!(out, " {request}"))?;
        }
        Call::Collective(collective, group) => write_collective(out, rank, collective, group)?,
    }
    writeln!(out)
}

fn write_message(out: &mut dyn Write, verb: &str, message: &Message) -> io::Result<()> {
    match message.peer {
        ANY => write!(out, "{verb} any {}", message.bytes)?,
        peer => write!(out, "{verb} {peer} {}", message.bytes)?,
    }
    match (message.tag, message.context) {
        (0, 0) => {}
        (ANY, _) => write!(out, " any")?,
        (tag, _) => write!(out, " {tag}")?,
    }
    match message.context {
        0 => Ok(()),
        context => write!(out, " {context}"),
    }
}

fn write_collective(
    out: &mut dyn Write,
    rank: u32,
    collective: &Collective,
    group: &Group,
) -> io::Result<()> {
    let name = collective.kind.name();
    let root = group.rank(collective.root);
    let me = group.member(rank).unwrap_or_default();
    let Some(lengths) = &collective.lengths else {
        write!(out, "{name}")?;
        if collective.kind != Kind::Barrier {
            write!(out, " {}", collective.bytes)?;
        }
        if has_root(collective.kind) {
            write!(out, " {root}")?;
        }
        return match group.context {
            0 => Ok(()),
            context => write!(out, " {context}"),
        };
    };
    write!(out, "{name}{OWN_LENGTHS} {}", group.context)?;
    if has_root(collective.kind) {
        write!(out, " {root}")?;
    }
    let between = |from: u32, to: u32| (lengths.0)(from, to);
    let mut list = |what: &dyn Fn(u32) -> u64| {
        (0..group.count()).try_for_each(|member| write!(out, " {}", what(member)))
    };
    let root = collective.root;
    match collective.kind {
        Kind::Gather if me == root => list(&|member| between(member, root)),
        Kind::Gather => write!(out, " {}", between(me, root)),
        Kind::Scatter if me == root => list(&|member| between(root, member)),
        Kind::Scatter => write!(out, " {}", between(root, me)),
        _ => {
            list(&|member| between(me, member))?;
            list(&|member| between(member, me))
        }
    }
}

fn tasks(program: &dyn Program, out: &mut dyn Write) -> io::Result<()> {
    for rank in 0..program.ranks() {
        writeln!(out, "rank {rank}")?;
        let graph = Graph::of_rank(program, rank);
        for task in &graph.tasks {
            match &task.work {
                Work::Send(message) => write_message(out, "send", message)?,
                Work::Receive(message) => write_message(out, "recv", message)?,
                Work::Compute(time) => write!(out, "compute {time}")?,
                Work::Proceed(_) => write!(out, "compute 0")?,
            }
            if task.processor > 0 {
                write!(out, " cpu {}", task.processor)?;
            }
            if task.interface > 0 {
                write!(out, " nic {}", task.interface)?;
            }
            if task.is_offloaded {
                write!(out, " offloaded")?;
            }
            writeln!(out)?;
        }
        for condition in &graph.conditions {
            let word = match condition.moment {
                Moment::Done => "requires",
                Moment::Started => "irequires",
            };
            writeln!(out, "{word} {} {}", condition.task, condition.after)?;
        }
    }
    Ok(())
}
