//! `turnwise verify --failing-links`: what becomes of tables when each link fails alone.

use super::change::counted;
use super::route::Found;
use crate::failure::Failure;
use crate::{output, progress};
use serde_json::{Map, Value as Json};
use std::path::Path;
use turnwise_network::{Network, Vc};
use turnwise_routing::subnet::failures::{LinkFailure, each_failing_link, links};
use turnwise_study::plan::PlannedPoint;

/// What the links of a network come to, taken together.
#[derive(Default)]
pub(crate) struct Survey {
    links: usize,
    mended: usize,
    /// How many cut pairs off, the most of them, and the link that does.
    cutting: usize,
    most_cut_off: u64,
    worst_cut: String,
    /// The most entries that change, and how many do for each that leads over its link, over all links.
    most_entries: usize,
    entries: usize,
    leading_over: usize,
    index: u64,
    /// One of those behind which tables cannot be mended, and why not.
    refused: Option<(String, String)>,
}

const COLUMNS: [&str; 8] = [
    "link",
    "leading_over",
    "outcome",
    "entries",
    "service_levels",
    "pairs_cut_off",
    "edge_forwarding_index",
    "why",
];

/// Lets every link of the one network of a study fail, and writes a file of what becomes of its tables; `None` if they can deadlock as they are.
pub(crate) fn survey(found: &[Found], file: &Path) -> Result<Option<Survey>, Failure> {
    let [(finding, .., planned)] = found else {
        let message = format!(
            "--failing-links is about one routing; this study has {}",
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
            "--failing-links is about tables by destination, with a lane for each service level; {} has others",
            finding.routing_name
        );
        let help = "`turnwise`, `up-down`, `dfsssp` and others have such, and the dumps of subnet managers do";
        return Err(Failure::Plain(message, Some(help.to_owned())));
    };
    if !finding.analysis.verdict.is_deadlock_free() {
        output::talk("no file of failing links written: these tables can deadlock as they are");
        return Ok(None);
    }
    let links = links(network);
    let bar = progress::bar(links.len() as u64, "failing");
    let (mut survey, mut rows) = (Survey::default(), Vec::new());
    let lanes = lanes(planned).max(routing.virtual_channels());
    let told = each_failing_link(network, tables, lanes, &links, &mut |failure| {
        bar.inc(1);
        rows.push(row(network, &failure));
        survey.count(network, failure);
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

fn row(network: &Network, failure: &LinkFailure) -> Vec<String> {
    let (link, over) = (network.channel_label(failure.link), failure.leading_over);
    let mut row = vec![link, over.to_string()];
    match &failure.mended {
        Ok(mended) => {
            let outcome = match mended.cut_off {
                0 => "mended",
                _ => "cut off",
            };
            row.push(outcome.to_owned());
            row.extend([
                mended.entries.len().to_string(),
                mended.levels.len().to_string(),
                mended.cut_off.to_string(),
                mended.edge_forwarding_index.to_string(),
                String::new(),
            ]);
        }
        Err(why) => {
            row.push("refused".to_owned());
            row.extend([(); 4].map(|()| String::new()));
            row.push(why.message.clone());
        }
    }
    row
}

impl Survey {
    fn count(&mut self, network: &Network, failure: LinkFailure) {
        self.links += 1;
        let label = || network.channel_label(failure.link);
        match failure.mended {
            Ok(mended) => {
                self.mended += 1;
                self.cutting += usize::from(mended.cut_off > 0);
                if mended.cut_off > self.most_cut_off {
                    self.most_cut_off = mended.cut_off;
                    self.worst_cut = label();
                }
                self.most_entries = self.most_entries.max(mended.entries.len());
                self.entries += mended.entries.len();
                self.leading_over += failure.leading_over;
                self.index = self.index.max(mended.edge_forwarding_index);
            }
            Err(why) => {
                self.refused.get_or_insert_with(|| (label(), why.message));
            }
        }
    }

    /// Is there a link behind which tables cannot be mended?
    pub(crate) fn is_negative(&self) -> bool {
        self.mended < self.links
    }

    /// Entries that change for each that leads over a link.
    fn share(&self) -> f64 {
        match self.leading_over {
            0 => 0.0,
            leading => self.entries as f64 / leading as f64,
        }
    }

    /// In a row for programs.
    pub(crate) fn fill(&self, row: &mut Map<String, Json>) {
        let columns: [(&str, Json); 6] = [
            ("failing_links", self.links.into()),
            ("failing_links_mended", self.mended.into()),
            ("failing_links_cutting", self.cutting.into()),
            ("mended_entries_most", self.most_entries.into()),
            (
                "mended_entries_share",
                turnwise_study::row::number(self.share()),
            ),
            ("mended_edge_forwarding_index", self.index.into()),
        ];
        row.extend(columns.map(|(name, value)| (name.to_owned(), value)));
    }

    /// In words for people.
    pub(crate) fn words(&self) -> String {
        let links = counted(self.links, "link", "links");
        let mended = match self.links - self.mended {
            0 => "all tables can be mended".to_owned(),
            refused => format!("tables cannot be mended behind {refused}"),
        };
        let mut text = format!("  each of {links} failing alone: {mended}\n");
        if self.mended > 0 {
            text.push_str(&format!(
                "    {} at most, {} for each that led over the link; the busiest channel carries {} routes at most\n",
                counted(self.most_entries, "entry changes", "entries change"),
                output::rough(self.share()),
                self.index
            ));
        }
        if self.cutting > 0 {
            text.push_str(&format!(
                "    {} cut pairs off, {} of them at most: {}\n",
                self.cutting, self.most_cut_off, self.worst_cut
            ));
        }
        if let Some((link, why)) = &self.refused {
            text.push_str(&format!("    {link}: {why}\n"));
        }
        text
    }
}
