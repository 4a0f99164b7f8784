//! Which host sits at which node of the torus.

use std::collections::BTreeMap;
use std::ops::Range;
use turnwise_config::diagnostic::{Diagnostic, Span, nearest};
use turnwise_config::document::{Table, Value};
use turnwise_config::hostlist::{self, Host};
use turnwise_network::{Network, RouterId, Shape};

/// Hosts by position and positions by host. A position is the number of a router of the torus.
#[derive(Clone, Debug)]
pub struct Hosts {
    names: Vec<Option<String>>,
    positions: BTreeMap<String, u32>,
}

impl Hosts {
    /// Reads `hosts`: a hostlist of all nodes row by row, or a table of coordinates.
    pub(super) fn read(
        value: &Value,
        torus: &Network,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let before = errors.len();
        let mut hosts = Self {
            names: vec![None; torus.router_count()],
            positions: BTreeMap::new(),
        };
        if let Some(text) = value.as_str() {
            hosts.place_all(value, text, errors);
        } else if let Some(table) = value.table() {
            hosts.place_each(table, torus, errors);
            if table.is_empty() {
                errors.push(Diagnostic::at(value.span, "there are no hosts"));
            }
        } else {
            let message = format!("expected a hostlist or a table, found {}", value.describe());
            let help = "write hosts = \"n[1-32]\", or a table [hosts] with n1 = [0, 0, 0, 0]";
            errors.push(Diagnostic::at(value.span, message).with_help(help));
        }
        (errors.len() == before).then_some(hosts)
    }

    fn place_all(&mut self, value: &Value, text: &str, errors: &mut Vec<Diagnostic>) {
        let Some(list) = expand_at(value, text, errors) else {
            return;
        };
        if list.len() != self.names.len() {
            let message = format!(
                "{} hosts do not fill a torus of {} nodes",
                list.len(),
                self.names.len()
            );
            let help = "a hostlist fills the torus row by row; give coordinates in a table [hosts] if it has gaps";
            errors.push(Diagnostic::at(value.span, message).with_help(help));
            return;
        }
        for (position, host) in list.into_iter().enumerate() {
            if self.positions.contains_key(&host.name) {
                let message = format!("host `{}` is listed twice", host.name);
                errors.push(Diagnostic::at(within(value, text, &host.at), message));
                return;
            }
            self.positions.insert(host.name.clone(), position as u32);
            self.names[position] = Some(host.name);
        }
    }

    fn place_each(&mut self, table: &Table, torus: &Network, errors: &mut Vec<Diagnostic>) {
        for (key, value) in table.iter() {
            let alone = hostlist::expand(&key.name)
                .is_ok_and(|hosts| hosts.len() == 1 && hosts[0].name == key.name);
            if !alone {
                let message = format!("`{}` is not a host's name", key.name);
                let help = "names have letters, digits, `-`, `_` and `.`";
                errors.push(Diagnostic::at(key.span, message).with_help(help));
                continue;
            }
            let Some(position) = position(value, torus, errors) else {
                continue;
            };
            let slot = &mut self.names[position as usize];
            if let Some(other) = slot {
                let label = torus.router_label(RouterId(position));
                let message = format!("`{}` sits at {label}, where `{other}` is", key.name);
                errors.push(Diagnostic::at(value.span, message));
                continue;
            }
            *slot = Some(key.name.clone());
            self.positions.insert(key.name.clone(), position);
        }
    }

    /// The host at a position, if there is one.
    pub fn name(&self, position: u32) -> Option<&str> {
        self.names.get(position as usize)?.as_deref()
    }

    /// A position's host for people.
    pub fn label(&self, position: u32) -> &str {
        self.name(position).unwrap_or("(no host)")
    }

    /// Where a host sits.
    pub fn position(&self, name: &str) -> Option<u32> {
        self.positions.get(name).copied()
    }

    /// Positions with hosts, ascending.
    pub fn occupied(&self) -> impl Iterator<Item = u32> + '_ {
        let positions = 0..self.names.len() as u32;
        positions.filter(|&position| self.names[position as usize].is_some())
    }

    /// A set of positions as a hostlist.
    pub fn list(&self, positions: &[u32]) -> String {
        hostlist::compress(positions.iter().filter_map(|&position| self.name(position)))
    }

    /// "There is no host x", with the nearest there is.
    pub fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let message = format!("the site has no host `{name}`");
        let mut help = format!("its hosts are {}", self.abridged());
        let near = nearest(name, self.positions.keys().map(String::as_str));
        if let Some(near) = near {
            help = format!("did you mean `{near}`? {help}");
        }
        Diagnostic::at(span, message).with_help(help)
    }

    fn abridged(&self) -> String {
        const LONGEST: usize = 120;
        let mut list = hostlist::compress(self.positions.keys().map(String::as_str));
        if list.len() > LONGEST {
            list.truncate(LONGEST);
            list.push_str("...");
        }
        list
    }

    /// The positions of all hosts of a list, ascending; `source` is the number of its text.
    ///
    /// # Errors
    /// A list that makes no sense, hosts that do not exist, hosts listed twice.
    pub fn positions(&self, text: &str, source: u16) -> Result<Vec<u32>, Vec<Diagnostic>> {
        let span = |at: &Range<usize>| Span::new(source, at.start as u32, at.end as u32);
        let list =
            hostlist::expand(text).map_err(|wrong| vec![wrong.moved(|at| Some(span(&at)))])?;
        self.find(&list, span)
    }

    /// The positions of hosts, ascending, and everything that is wrong with them.
    pub(super) fn find(
        &self,
        list: &[Host],
        span: impl Fn(&Range<usize>) -> Span,
    ) -> Result<Vec<u32>, Vec<Diagnostic>> {
        let mut errors: Vec<Diagnostic> = Vec::new();
        let mut seen = BTreeMap::new();
        for host in list {
            // One range may be a million unknown hosts; nobody reads so many errors.
            if errors.len() == 8 {
                break;
            }
            match self.position(&host.name) {
                None => errors.push(self.unknown(&host.name, span(&host.at))),
                Some(position) => {
                    if seen.insert(position, ()).is_some() {
                        let message = format!("host `{}` is listed twice", host.name);
                        errors.push(Diagnostic::at(span(&host.at), message));
                    }
                }
            }
        }
        match errors.is_empty() {
            true => Ok(seen.into_keys().collect()),
            false => Err(errors),
        }
    }
}

/// Expands a hostlist that is written in a site file.
pub(super) fn expand_at(
    value: &Value,
    text: &str,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<Host>> {
    match hostlist::expand(text) {
        Ok(list) => Some(list),
        Err(wrong) => {
            errors.push(wrong.moved(|at| Some(within(value, text, &at))));
            None
        }
    }
}

/// The place of a part of a string; all of it, if escapes have changed its length.
pub(super) fn within(value: &Value, text: &str, at: &Range<usize>) -> Span {
    let span = value.span;
    let verbatim = (span.end - span.start) as usize == text.len() + 2;
    if !verbatim || at.is_empty() {
        return span;
    }
    let inside = span.start + 1;
    Span::new(
        span.source,
        inside + at.start as u32,
        inside + at.end as u32,
    )
}

/// The position at some coordinates.
fn position(value: &Value, torus: &Network, errors: &mut Vec<Diagnostic>) -> Option<u32> {
    let Shape::Grid(grid) = torus.shape() else {
        return None;
    };
    let sizes = &grid.sizes;
    let coordinates = value.array().unwrap_or_default();
    if value.array().is_none() || coordinates.len() != sizes.len() {
        let message = format!(
            "expected {} coordinates, found {}",
            sizes.len(),
            value.describe()
        );
        let zeros = vec!["0"; sizes.len()].join(", ");
        let example = format!("for example [{zeros}]");
        errors.push(Diagnostic::at(value.span, message).with_help(example));
        return None;
    }
    let mut found = Vec::new();
    for (coordinate, &size) in coordinates.iter().zip(sizes) {
        let number = coordinate
            .as_i64()
            .filter(|&n| (0..i64::from(size)).contains(&n));
        match number {
            Some(number) => found.push(number as u32),
            None => {
                let letter = turnwise_network::shape::dimension_name(found.len()).to_uppercase();
                let message = format!(
                    "expected a coordinate of 0 to {} along {letter}, found {}",
                    size - 1,
                    coordinate.describe()
                );
                errors.push(Diagnostic::at(coordinate.span, message));
                return None;
            }
        }
    }
    Some(grid.router_at(&found))
}
