//! `turnwise verify --failures`: what becomes of tables when each link and each router fails alone.

use super::advice;
use super::change::counted;
use super::route::{Found, whole_or_not};
use crate::failure::Failure;
use crate::{output, progress};
use serde_json::{Map, Value as Json};
use std::path::Path;
use turnwise_network::{Network, Vc};
use turnwise_routing::subnet::failures::{self, MendedTables, Part, parts};
use turnwise_study::failures::each_failing;
use turnwise_study::plan::PlannedPoint;

/// What the links and the routers of a network come to.
#[derive(Default)]
pub(crate) struct Survey {
    links: Kind,
    routers: Kind,
    /// Are all channels between routers as fast?
    has_one_speed: bool,
}

/// What all of one kind come to, taken together.
#[derive(Default)]
struct Kind {
    count: usize,
    mended: usize,
    /// How many cut pairs off, the most of them, and what does.
    cutting: usize,
    most_cut_off: u64,
    worst_cut: String,
    /// The most entries that change, and how many do, and had to, over all.
    most_entries: usize,
    entries: usize,
    leading_over: usize,
    index: f64,
    /// The first behind which tables cannot be mended, and why not.
    refused: Option<(String, String)>,
}

const COLUMNS: [&str; 9] = [
    "kind",
    "part",
    "entries_over_it",
    "outcome",
    "entries_changed",
    "service_levels_changed",
    "pairs_cut_off",
    "edge_forwarding_index",
    "why",
];

/// Lets every part of the one network of a study fail, on so many threads, and writes a file of what becomes of its tables; `None` if they can deadlock as they are.
pub(crate) fn survey(
    found: &[Found],
    file: &Path,
    threads: usize,
) -> Result<Option<Survey>, Failure> {
    let [(finding, .., planned)] = found else {
        let message = format!(
            "--failures is about one routing; this study has {}",
            found.len()
        );
        return Err(Failure::Plain(
            message,
            Some("choose one with --set".into()),
        ));
    };
    let (network, routing) = (&finding.routed.network, &finding.routed.routing);
    let Some(tables) = routing.forwards() else {
        let message = format!(
            "--failures is about tables by destination, with a lane for each service level; {} has others",
            finding.routing_name
        );
        let help = "`turnwise` with deployment = \"layered\", `up-down` by destination, `dfsssp` and others have such, and dumps of subnet managers";
        return Err(Failure::Plain(message, Some(help.to_owned())));
    };
    if !finding.analysis.verdict.is_deadlock_free() {
        let why = "no file of failures written: there is no proof of the tables as they are";
        output::take_away(file, why);
        return Ok(None);
    }
    let parts = parts(network);
    let bar = progress::bar(parts.len() as u64, "failing");
    let mut survey = Survey {
        has_one_speed: network.has_one_speed(),
        ..Survey::default()
    };
    let mut rows = Vec::new();
    let lanes = lanes(planned).max(routing.virtual_channels());
    let told = each_failing((network, tables), lanes, &parts, threads, &mut |failure| {
        bar.inc(1);
        let name = name(network, failure.part);
        rows.push(row(&name, &failure));
        survey.of(failure.part).count(name, failure);
        true
    });
    bar.finish_and_clear();
    told.map_err(|why| Failure::Plain(why.message, why.help))?;
    let csv = output::csv(&COLUMNS.map(str::to_owned), &rows);
    output::fill(file, &mut |out| out.write_all(csv.as_bytes()))?;
    Ok(Some(survey))
}

/// Lanes that switches have, as far as it is said.
fn lanes(planned: &PlannedPoint) -> Vc {
    let said = ["routing.virtual_lanes", "router.virtual_channels"].map(|field| {
        let value = planned.point.document.at_path(field)?.as_i64()?;
        Vc::try_from(value).ok()
    });
    said.into_iter().flatten().next().unwrap_or(1)
}

fn name(network: &Network, part: Part) -> String {
    match part {
        Part::Link(link) => network.channel_label(link),
        Part::Router(at) => network.router_label(at),
    }
}

fn row(name: &str, failure: &failures::Failure) -> Vec<String> {
    let kind = match failure.part {
        Part::Link(_) => "link",
        Part::Router(_) => "router",
    };
    let outcome = match &failure.mended {
        Ok(MendedTables { cut_off: 0, .. }) => "mended",
        Ok(_) => "pairs cut off",
        Err(_) => "not mended",
    };
    let figures = match &failure.mended {
        Ok(mended) => [
            mended.entries.len().to_string(),
            mended.levels.len().to_string(),
            mended.cut_off.to_string(),
            whole_or_not(mended.edge_forwarding_index).to_string(),
            String::new(),
        ],
        Err(why) => {
            let [entries, levels, cut_off, index] = <[String; 4]>::default();
            [entries, levels, cut_off, index, why.message.clone()]
        }
    };
    let mut row = [kind, name].map(str::to_owned).to_vec();
    row.extend([failure.leading_over.to_string(), outcome.to_owned()]);
    row.extend(figures);
    row
}

impl Survey {
    fn of(&mut self, part: Part) -> &mut Kind {
        match part {
            Part::Link(_) => &mut self.links,
            Part::Router(_) => &mut self.routers,
        }
    }

    /// Is there anything behind which tables cannot be mended? That nothing else connects some pairs is not up to them.
    pub(crate) fn is_negative(&self) -> bool {
        let kinds = [&self.links, &self.routers];
        kinds.iter().any(|kind| kind.mended < kind.count)
    }

    /// In a row for programs.
    pub(crate) fn fill(&self, row: &mut Map<String, Json>) {
        for (name, kind) in [("link", &self.links), ("router", &self.routers)] {
            let columns: [(&str, Json); 6] = [
                ("failures", kind.count.into()),
                ("failures_mended", kind.mended.into()),
                ("failures_cutting_off", kind.cutting.into()),
                ("failure_entries_changed", kind.most_entries.into()),
                ("failure_pairs_cut_off", kind.most_cut_off.into()),
                ("failure_edge_forwarding_index", whole_or_not(kind.index)),
            ];
            row.extend(columns.map(|(column, value)| (format!("{name}_{column}"), value)));
        }
    }

    /// In words for people.
    pub(crate) fn words(&self) -> String {
        let kinds = [
            (&self.links, "link", "links"),
            (&self.routers, "router", "routers"),
        ];
        let kinds = kinds.into_iter().filter(|(kind, ..)| kind.count > 0);
        kinds
            .map(|(kind, one, many)| kind.words(one, many, self.has_one_speed))
            .collect()
    }
}

impl Kind {
    fn count(&mut self, name: String, failure: failures::Failure) {
        self.count += 1;
        match failure.mended {
            Ok(mended) => {
                self.mended += 1;
                self.cutting += usize::from(mended.cut_off > 0);
                if mended.cut_off > self.most_cut_off {
                    (self.most_cut_off, self.worst_cut) = (mended.cut_off, name);
                }
                self.most_entries = self.most_entries.max(mended.entries.len());
                self.entries += mended.entries.len();
                self.leading_over += failure.leading_over;
                self.index = self.index.max(mended.edge_forwarding_index);
            }
            Err(why) => {
                self.refused.get_or_insert((name, why.message));
            }
        }
    }

    fn words(&self, one: &str, many: &str, has_one_speed: bool) -> String {
        let mended = match self.count - self.mended {
            0 => "tables can be mended behind all of them".to_owned(),
            refused => format!("tables cannot be mended behind {refused} of them"),
        };
        let mut text = format!(
            "  if one of {} fails, {mended}\n",
            counted(self.count, one, many)
        );
        if self.mended > 0 {
            let share = match self.leading_over {
                0 => String::new(),
                leading => {
                    let share = output::rough(self.entries as f64 / leading as f64);
                    format!(", on average {share} for each that led there")
                }
            };
            text.push_str(&format!(
                "    at most {}{share}; the busiest channel carries {}{} at most\n",
                counted(self.most_entries, "entry changes", "entries change"),
                advice::routes(self.index),
                advice::weighed(has_one_speed)
            ));
        }
        if self.cutting > 0 {
            text.push_str(&format!(
                "    {} cut pairs off that nothing else connects, the most {}: {}\n",
                self.cutting, self.most_cut_off, self.worst_cut
            ));
        }
        if let Some((name, why)) = &self.refused {
            text.push_str(&format!(
                "    {name}: {why}; make new tables for all pairs then\n"
            ));
        }
        text
    }
}
