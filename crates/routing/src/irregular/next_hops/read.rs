//! Reads a table of next hops from CSV, cell by cell.

use turnwise_config::Flaw;
use turnwise_network::{Network, Port, RouterId, TerminalId};

/// A table whose every entry is a living channel, or nothing.
pub(super) struct Table {
    /// Are columns terminals, and not routers?
    pub(super) has_terminals: bool,
    rows: usize,
    /// Column by column; `None` at a destination too.
    ports: Vec<Option<Port>>,
}

impl Table {
    /// The ports of all routers towards a destination.
    pub(super) fn column(&self, column: usize) -> &[Option<Port>] {
        &self.ports[column * self.rows..(column + 1) * self.rows]
    }

    pub(super) fn columns(&self) -> usize {
        self.ports.len().checked_div(self.rows).unwrap_or(0)
    }

    /// The router that a column leads to.
    pub(super) fn destination(&self, network: &Network, column: usize) -> RouterId {
        match self.has_terminals {
            true => network.router_of(TerminalId(column as u32)),
            false => RouterId(column as u32),
        }
    }
}

/// Reads a table.
///
/// # Errors
/// The first cell that is no next hop of its router, or a wrong number of rows or cells.
pub(super) fn read(text: &str, network: &Network) -> Result<Table, Flaw> {
    let rows = network.router_count();
    let expected = format!(
        "a table of next hops has {rows} rows, one for each router, of {rows} cells, one for each router, or {}, one for each terminal",
        network.terminal_count()
    );
    let wrong = |offset: usize, what: String| Flaw::at(offset, format!("{expected}; {what}"));
    let lines: Vec<(&str, usize)> = lines(text).collect();
    let width = lines.first().map_or(0, |(line, _)| cells(line, 0).count());
    let has_terminals = width != rows;
    if has_terminals && width != network.terminal_count() {
        let offset = lines.first().map_or(0, |(_, offset)| *offset);
        return Err(wrong(offset, format!("this row has {width}")));
    }
    if lines.len() != rows {
        let offset = lines.get(rows).map_or(text.len(), |(_, offset)| *offset);
        return Err(wrong(offset, format!("there are {} rows", lines.len())));
    }
    let mut table = Table {
        has_terminals,
        rows,
        ports: vec![None; rows * width],
    };
    // By router, the port that leads there from the row's.
    let mut towards = vec![None; rows];
    for (row, (line, offset)) in lines.into_iter().enumerate() {
        let at = RouterId(row as u32);
        towards.fill(None);
        for port in (0..network.radix(at) as Port).rev() {
            if let Some(next) = network.next_router(at, port) {
                towards[next.index()] = Some(port);
            }
        }
        let count = cells(line, offset).count();
        if count != width {
            return Err(wrong(
                offset,
                format!("this row has {count}, the first has {width}"),
            ));
        }
        for (column, cell) in cells(line, offset).enumerate() {
            let found = entry(&towards, at, table.destination(network, column), cell.0);
            table.ports[column * rows + row] =
                found.map_err(|what| Flaw::at(cell.1, named(row, column, &what)))?;
        }
    }
    Ok(table)
}

/// What is wrong with an entry, by its row and column.
pub(super) fn named(row: usize, column: usize, what: &str) -> String {
    format!("entry [{row}, {column}]: {what}")
}

/// Where the cell of a row and column begins.
pub(super) fn place(text: &str, row: usize, column: usize) -> usize {
    let line = lines(text).nth(row);
    let cell = line.and_then(|(line, offset)| cells(line, offset).nth(column));
    cell.map_or(text.len(), |(_, offset)| offset)
}

/// The lines that say anything, each with its place.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let begin = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut start = begin;
    let lines = text[begin..].split_inclusive('\n').map(move |line| {
        let offset = start;
        start += line.len();
        (line.split('#').next().unwrap_or(line), offset)
    });
    lines.filter(|(line, _)| !line.trim().is_empty())
}

/// The cells of a line, each with its place.
fn cells(line: &str, offset: usize) -> impl Iterator<Item = (&str, usize)> {
    let mut start = offset;
    line.split(',').map(move |cell| {
        let at = start + (cell.len() - cell.trim_start().len());
        start += cell.len() + 1;
        (cell.trim(), at)
    })
}

/// The port that an entry of a router's row means, or what is wrong with it; `towards` has the ports by where they lead.
fn entry(
    towards: &[Option<Port>],
    at: RouterId,
    destination: RouterId,
    cell: &str,
) -> Result<Option<Port>, String> {
    let number: i64 = cell
        .parse()
        .map_err(|_| format!("expected the number of a router or -1, found `{cell}`"))?;
    if number == -1 {
        return Ok(None);
    }
    let routers = towards.len();
    let next = usize::try_from(number).ok().filter(|&next| next < routers);
    let next = next.ok_or_else(|| {
        let most = routers - 1;
        format!("there is no router {cell}: they are numbered from 0 to {most}, and -1 is none")
    })?;
    let row = at.index();
    match (at == destination, next == row) {
        (true, true) => Ok(None),
        (true, false) => Err(format!(
            "router {row} is the destination, from where nobody goes on: expected -1, found {next}"
        )),
        _ => towards[next]
            .map(Some)
            .ok_or_else(|| format!("no channel leads from router {row} to router {next}")),
    }
}
