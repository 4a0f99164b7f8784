//! Reads a traffic matrix from CSV: dense, or a list of pairs.

use turnwise_config::Flaw;

/// One terminal sends something to another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) source: u32,
    pub(super) destination: u32,
    /// Above 0.
    pub(super) weight: f64,
}

/// The header of a list of pairs.
const HEADER: [&str; 3] = ["source", "destination", "weight"];

/// The pairs with a weight above 0, sorted by source and destination.
///
/// Empty lines and what comes after `#` do not count.
///
/// # Errors
/// The first thing in the text that is not understood, names a terminal that is not there, or is given twice.
pub(super) fn read(text: &str, terminals: usize) -> Result<Vec<Pair>, Flaw> {
    // Windows programs put a byte order mark in front of their text files.
    let begin = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut lines = Lines { text, at: begin }.peekable();
    let is_list = lines.peek().is_some_and(|line| {
        let names = line.cells().map(|cell| cell.text.to_ascii_lowercase());
        names.eq(HEADER)
    });
    if is_list {
        lines.next();
        list(lines, terminals)
    } else {
        dense(lines, terminals, text.len())
    }
}

fn dense<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    terminals: usize,
    end: usize,
) -> Result<Vec<Pair>, Flaw> {
    let (mut pairs, mut rows) = (Vec::new(), 0);
    let expected = format!(
        "a matrix has {terminals} rows of {terminals} weights, one of each for every terminal"
    );
    let other = "a list of pairs begins with the line `source,destination,weight`";
    for line in lines {
        if rows == terminals {
            let message = format!("{expected}; this is one row more");
            return Err(Flaw::at(line.offset, message).with_help(other));
        }
        let mut cells = 0;
        for cell in line.cells() {
            if cells == terminals {
                let message = format!("{expected}; this is one weight more");
                return Err(Flaw::at(cell.offset, message).with_help(other));
            }
            let weight = cell.weight()?;
            if weight > 0.0 {
                pairs.push(Pair {
                    source: rows as u32,
                    destination: cells as u32,
                    weight,
                });
            }
            cells += 1;
        }
        if cells < terminals {
            let message = format!("{expected}; this row has {cells}");
            return Err(Flaw::at(line.offset, message).with_help(other));
        }
        rows += 1;
    }
    match rows == terminals {
        true => Ok(pairs),
        false => {
            let message = format!("{expected}; there are {rows} rows");
            Err(Flaw::at(end, message).with_help(other))
        }
    }
}

fn list<'a>(lines: impl Iterator<Item = Line<'a>>, terminals: usize) -> Result<Vec<Pair>, Flaw> {
    // With the place of each, to say which one is given twice.
    let mut pairs: Vec<(Pair, usize)> = Vec::new();
    for line in lines {
        let mut cells = line.cells();
        let mut next = |name: &str| {
            cells.next().ok_or_else(|| {
                Flaw::at(
                    line.end(),
                    format!("expected a {name}, found the end of the line"),
                )
            })
        };
        let source = next("source")?.terminal(terminals)?;
        let destination = next("destination")?.terminal(terminals)?;
        let weight = next("weight")?.weight()?;
        if let Some(more) = cells.next() {
            let message = format!("expected the end of the line, found `{}`", more.text);
            return Err(Flaw::at(more.offset, message));
        }
        let pair = Pair {
            source,
            destination,
            weight,
        };
        pairs.push((pair, line.offset));
    }
    let ends = |pair: &Pair| (pair.source, pair.destination);
    pairs.sort_by_key(|(pair, offset)| (ends(pair), *offset));
    let twice = pairs
        .windows(2)
        .filter(|two| ends(&two[0].0) == ends(&two[1].0));
    if let Some(offset) = twice.map(|two| two[1].1).min() {
        return Err(Flaw::at(offset, "this pair of terminals is given twice"));
    }
    let pairs = pairs.into_iter().map(|(pair, _)| pair);
    Ok(pairs.filter(|pair| pair.weight > 0.0).collect())
}

/// The lines that say something.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        while self.at < self.text.len() {
            let offset = self.at;
            let rest = &self.text[offset..];
            let line = rest.split_inclusive('\n').next().unwrap_or(rest);
            self.at += line.len();
            let text = line.split('#').next().unwrap_or(line).trim_end();
            if !text.trim().is_empty() {
                return Some(Line { text, offset });
            }
        }
        None
    }
}

/// One value of a line.
struct Cell<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Line<'a> {
    fn end(&self) -> usize {
        self.offset + self.text.len()
    }

    fn cells(self) -> impl Iterator<Item = Cell<'a>> {
        let mut at = self.offset;
        self.text.split(',').map(move |cell| {
            let offset = at + cell.len() - cell.trim_start().len();
            at += cell.len() + 1;
            Cell {
                text: cell.trim(),
                offset,
            }
        })
    }
}

impl Cell<'_> {
    fn terminal(&self, terminals: usize) -> Result<u32, Flaw> {
        let wrong = |message| Err(Flaw::at(self.offset, message));
        match self.text.parse::<u32>() {
            Ok(terminal) if (terminal as usize) < terminals => Ok(terminal),
            Ok(terminal) => wrong(format!(
                "there is no terminal {terminal}: the network has {terminals}, numbered from 0"
            )),
            Err(_) => wrong(format!(
                "expected a terminal's number, found `{}`",
                self.text
            )),
        }
    }

    fn weight(&self) -> Result<f64, Flaw> {
        // So that sums over all pairs stay finite.
        const MOST: f64 = 1e100;
        match self.text.parse::<f64>() {
            Ok(weight) if (0.0..=MOST).contains(&weight) => Ok(weight),
            _ => {
                let message = format!("expected a weight of 0 or more, found `{}`", self.text);
                Err(Flaw::at(self.offset, message))
            }
        }
    }
}
