//! What `turnwise describe` is asked: a table, and perhaps what of it is meant, in one word or in two.

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, Error, ValueEnum};
use std::ffi::OsStr;

#[derive(Args, Debug)]
pub(crate) struct DescribeArguments {
    /// A table of a study; something in it, as in `ethernet.congestion`; or the name of a topology,
    /// routing algorithm, pattern, workload or placement.
    #[arg(value_parser = PlaceParser::new())]
    table: Place,
    /// A topology, routing algorithm or pattern, or else a field of the table, also one inside it:
    /// `congestion.gain`.
    name: Option<String>,
}

impl DescribeArguments {
    /// The table, unless the first word is of something else, whose table is to be found.
    pub(crate) fn table(&self) -> Option<Table> {
        self.table.table
    }

    /// The way from the table to what is meant; indices of lists make no difference.
    pub(crate) fn steps(&self) -> Vec<&str> {
        let words = self.table.inside.iter().chain(&self.name);
        let steps = words.flat_map(|word| word.split('.'));
        let name = |step: &'_ str| {
            step.split_once('[')
                .map_or(step.len(), |(name, _)| name.len())
        };
        steps.map(|step| &step[..name(step)]).collect()
    }
}

/// A table, something in it, or something without its table.
#[derive(Clone, Debug)]
struct Place {
    table: Option<Table>,
    inside: Option<String>,
}

/// Reads a [`Place`]; help and completions know the tables.
#[derive(Clone)]
struct PlaceParser(EnumValueParser<Table>);

impl PlaceParser {
    fn new() -> Self {
        Self(EnumValueParser::new())
    }
}

impl TypedValueParser for PlaceParser {
    type Value = Place;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Place, Error> {
        let table = |value: &OsStr| self.0.parse_ref(command, argument, value);
        // A table may have a dot in its name.
        let whole = table(value);
        let Some(text) = value.to_str().filter(|_| whole.is_err()) else {
            let table = Some(whole?);
            return Ok(Place {
                table,
                inside: None,
            });
        };
        let inside = text.split_once('.');
        let inside = inside.and_then(|(name, rest)| Some((table(name.as_ref()).ok()?, rest)));
        let (table, inside) = inside.map_or((None, text), |(table, rest)| (Some(table), rest));
        Ok(Place {
            table,
            inside: Some(inside.to_owned()),
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// What can be described.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// Name, seed, repetitions.
    Study,
    /// The network, or one topology.
    #[value(alias = "networks", alias = "topologies", alias = "topology")]
    Network,
    /// What has failed.
    #[value(name = "network.faults", alias = "faults")]
    Faults,
    /// The routing, or one algorithm.
    #[value(alias = "routings", alias = "algorithms")]
    Routing,
    /// The routers.
    Router,
    /// Switches of Ethernet.
    Ethernet,
    /// The traffic, or one pattern.
    #[value(alias = "patterns", alias = "pattern")]
    Traffic,
    /// The terminals that answer, or one workload.
    #[value(alias = "workloads")]
    Workload,
    /// Where ranks are, or one placement.
    #[value(alias = "placements")]
    Placement,
    /// The simulation.
    Simulation,
    /// What is varied.
    Sweep,
    /// What is different at another size of the study.
    #[value(alias = "scales")]
    Scale,
    /// What plots are drawn against.
    Report,
    /// Formats have nothing to describe.
    #[value(hide = true, alias = "format")]
    Formats,
}
