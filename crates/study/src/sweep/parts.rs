//! What points share: a point differs from its neighbours in few tables, and only those need
//! to be looked at, written and hashed again.

use super::Sweep;
use super::identity::Fnv1a;
use turnwise_config::document::{Kind, Step, Table, Value, steps};

/// Some of the swept fields, see [`Sweep::select`].
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Of each group of fields that move together: how many values, and how many combinations
    /// of the groups after it.
    groups: Vec<(u32, u32)>,
}

impl Selection {
    /// How many numbers [`Sweep::number`] can give, at most [`MOST_POINTS`](super::MOST_POINTS).
    pub fn len(&self) -> usize {
        self.groups
            .iter()
            .map(|&(length, _)| length as usize)
            .product()
    }

    /// Whether no point has a number; never so.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn number(&self, combination: u32) -> u32 {
        self.groups.iter().fold(0, |number, &(length, faster)| {
            number * length + combination / faster % length
        })
    }
}

impl Sweep {
    /// The swept fields whose paths satisfy `choose`.
    pub fn select(&self, choose: impl Fn(&[Step<'_>]) -> bool) -> Selection {
        let axes = self.axes.iter();
        let chosen = axes.filter(|axis| choose(&steps(&axis.key.name)));
        let mut groups: Vec<usize> = chosen.map(|axis| axis.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let groups = groups.into_iter().map(|group| self.axes.group(group));
        Selection {
            groups: groups.collect(),
        }
    }

    /// A number for the values that the selected fields have in a point: equal numbers, equal
    /// values.
    pub fn number(&self, selection: &Selection, index: usize) -> usize {
        let combination = self.combination(index).unwrap_or(0);
        selection.number(combination) as usize
    }

    /// Points that have some value that none before has, in order: each value once at least.
    pub fn covering(&self) -> impl Iterator<Item = usize> {
        let lengths = self.axes.iter().map(|axis| axis.values.len());
        let mut seen: Vec<Vec<bool>> = lengths.map(|length| vec![false; length]).collect();
        let all = (0..self.len()).step_by(self.repeat());
        all.filter(move |&index| {
            let combination = self.combination(index).unwrap_or(0);
            let places = (0..).map(|axis| self.axes.place(axis, combination));
            let mut is_new = seen.is_empty() && index == 0;
            for (seen, place) in seen.iter_mut().zip(places) {
                is_new |= !std::mem::replace(&mut seen[place], true);
            }
            is_new
        })
    }

    /// What the study says where the sweep says something else, and what it is there for; with the path of that, and what it runs through.
    pub fn replaced<'a>(
        &'a self,
        document: &'a Value,
    ) -> impl Iterator<Item = (&'a str, &'a Value, &'a [Value])> {
        let axes = self.axes.iter().filter(|axis| !axis.fixed);
        axes.filter_map(|axis| {
            let path = &*axis.key.name;
            Some((path, document.at_path(path)?, &*axis.values))
        })
    }

    /// Is the field of this path swept on its own?
    pub fn sweeps(&self, path: &[Step<'_>]) -> bool {
        self.axes.iter().any(|axis| steps(&axis.key.name) == path)
    }

    /// Is the field of this path swept on its own, or something in it?
    pub fn sweeps_within(&self, path: &[Step<'_>]) -> bool {
        let mut axes = self.axes.iter();
        axes.any(|axis| steps(&axis.key.name).starts_with(path))
    }

    /// The value at a path in a point, unless fields inside it are swept on their own.
    pub fn value(&self, path: &str, index: usize) -> Option<&Value> {
        let combination = self.combination(index)?;
        match self.axes.around(path) {
            Some((axis, rest)) => self.axes.value(axis, combination).at_path(&rest),
            None => self.base.at_path(path),
        }
    }

    /// What [`Point::identity`](super::Point::identity) says of every point, in order, without making the points.
    pub fn identities(&self) -> impl Iterator<Item = u128> {
        let mut parts = self.parts();
        (0..self.len()).filter_map(move |index| {
            let combination = self.combination(index)?;
            let hash = self.hash(&mut parts, combination);
            Some(hash.repeated((index % self.repeat as usize) as u32))
        })
    }

    /// The tables of the points' documents, sorted as [`Value::canonical`] sorts them.
    fn parts(&self) -> Vec<Part> {
        let root = |axis: usize| match steps(&self.axes.key(axis).name).first() {
            Some(Step::Key(name)) => (*name).to_owned(),
            _ => String::new(),
        };
        let tables = self.base.table().into_iter().flat_map(Table::keys);
        let mut names: Vec<String> = tables.map(|key| key.name.clone()).collect();
        let all = self.axes.outermost_first();
        names.extend(all.iter().map(|&axis| root(axis)));
        names.sort();
        names.dedup();
        let part = |name: String| Part {
            selection: self.select(|path| path.first() == Some(&Step::Key(&name))),
            axes: all
                .iter()
                .copied()
                .filter(|&axis| root(axis) == name)
                .collect(),
            number: None,
            text: String::new(),
            after: Fnv1a::default(),
            name,
        };
        names.into_iter().map(part).collect()
    }

    /// The hash of a point's document. Tables before the first that changed are not read again.
    fn hash(&self, parts: &mut [Part], combination: u32) -> Fnv1a {
        let mut hash = Fnv1a::default();
        hash.write("{");
        let mut is_new = false;
        for (place, part) in parts.iter_mut().enumerate() {
            let number = part.selection.number(combination);
            is_new |= part.number != Some(number);
            if is_new {
                if place > 0 {
                    hash.write(",");
                }
                if part.number != Some(number) {
                    part.text = self.text(part, combination);
                }
                hash.write(&part.text);
                (part.number, part.after) = (Some(number), hash);
            }
            hash = part.after;
        }
        hash.write("}");
        hash
    }

    /// The canonical text of one of a point's tables, with its name.
    fn text(&self, part: &Part, combination: u32) -> String {
        let mut table = Table::default();
        if let Some(value) = self.base.table().and_then(|base| base.get(&part.name)) {
            table.insert(part.name.as_str(), value.clone());
        }
        let mut document = Value::new(self.base.span, Kind::Table(table));
        self.fill(&mut document, &part.axes, combination);
        let text = document.canonical();
        text[1..text.len() - 1].to_owned()
    }

    /// Sets some of the swept fields, which are given such that a table comes before what lies in it.
    pub(super) fn fill(&self, document: &mut Value, axes: &[usize], combination: u32) {
        for &axis in axes {
            let (key, value) = (self.axes.key(axis), self.axes.value(axis, combination));
            // Reading made sure that every swept path can be set.
            let set = document.set_path(&key.name, key.span, value.clone());
            debug_assert_eq!(set, Ok(()));
        }
    }
}

/// A table of the points' documents.
struct Part {
    name: String,
    selection: Selection,
    axes: Vec<usize>,
    /// Which of the table's values was written last, and what it looks like.
    number: Option<u32>,
    text: String,
    /// The hash of everything up to this table.
    after: Fnv1a,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::sweep::Point;
    use crate::units::Units;

    fn sweep(text: &str) -> Sweep {
        let (_, document) = Source::parse("study.toml", text.as_bytes(), &[]);
        Sweep::read(&document.unwrap(), &Units::default()).unwrap()
    }

    const STUDY: &str = "[study]\nseed = 3\nrepeat = 2\nname = 'x'\n[network]\nkind = 'torus'\nsizes = [4, 4]\n\
        [traffic]\npattern = 'uniform'\nload = 0.1\n[simulation]\nthreads = 2\n[sweep]\n\
        'network.sizes[1]' = [4, 5]\nrouting = [{kind = 'a'}, {kind = 'b', vcs = 2}]\n\
        'routing.vcs' = [3, 4]\n'router.buffer_flits' = [1, 2, 3]\n'traffic.load' = [0.1, 0.2, 0.3]\n\
        'simulation.warmup_cycles' = [1, 2]\nzip = [['router.buffer_flits', 'traffic.load']]\n\
        where = \"traffic.load != 0.2 or routing.vcs == 3\"\n";

    #[test]
    fn identities_are_those_of_the_points() {
        for text in [STUDY, "[traffic]\nload = 0.3", "[sweep]\nrouting = [{}]"] {
            let sweep = sweep(text);
            let expected: Vec<u128> = sweep.iter().map(|point: Point| point.identity()).collect();
            assert_eq!(sweep.identities().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn numbers_tell_points_apart_by_what_is_selected() {
        let sweep = sweep(STUDY);
        for table in ["network", "routing", "router", "traffic", "simulation"] {
            let selection = sweep.select(|path| path.first() == Some(&Step::Key(table)));
            let mut texts = std::collections::BTreeMap::new();
            for point in sweep.iter() {
                let text = point.document.at_path(table).unwrap().canonical();
                let number = sweep.number(&selection, point.index);
                assert!(number < selection.len());
                assert_eq!(*texts.entry(number).or_insert(text.clone()), text);
            }
            assert!(texts.len() > 1, "{table}");
        }
    }

    #[test]
    fn values_are_found_without_making_the_point() {
        let sweep = sweep(STUDY);
        for point in sweep.iter() {
            for path in ["traffic.load", "traffic.pattern", "routing.kind", "x.y"] {
                let expected = point.document.at_path(path);
                assert_eq!(sweep.value(path, point.index), expected, "{path}");
            }
        }
    }
}
