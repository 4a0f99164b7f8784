//! The report of a study: one self-contained HTML page, and its plots as SVG files.
//!
//! Values in, text out: no file system, no clock, nothing random, so the same report
//! always gives the same bytes. The page opens without a network, follows the reader's
//! light or dark theme, prints, and works without JavaScript, which adds what can only be
//! done by asking: tooltips, other axes, filters, comparisons, a closer look at networks.
//!
//! | file | what it makes |
//! |---|---|
//! | `model.rs` | the values a report is made of |
//! | `page.rs`, `sections.rs`, `verdicts.rs`, `performance.rs`, `quality.rs`, `results.rs`, `toml_view.rs` | the page and its parts |
//! | `load_charts.rs`, `chart.rs`, `curve.rs`, `axis.rs`, `scale.rs` | curves against the load or another field |
//! | `beside.rs` | ns and Gb/s beside cycles and flits |
//! | `single.rs` | what there is to say of a single load |
//! | `bars.rs` | path lengths and channel loads |
//! | `layout.rs`, `stress.rs` | where routers stand |
//! | `network_picture.rs`, `strokes.rs`, `links.rs`, `condense.rs` | the network coloured by load |
//! | `detailed.rs`, `latencies.rs`, `course.rs`, `terminals.rs`, `channels.rs`, `sorted.rs`, `classes.rs` | single points beyond their rows |
//! | `transients.rs` | latency and detours where the traffic switches |
//! | `comparison.rs` | two sets of results against each other, a page of its own |
//! | `plots.rs` | the figures as files |
//! | `viewer.rs`, `viewer/` | the script of the page |
//! | `points.rs`, `network_data.rs`, `data.rs` | what it explores, as JSON |
//! | `svg.rs`, `palette.rs`, `text.rs` | what all figures share |

mod axis;
mod bars;
mod beside;
mod channels;
mod chart;
#[cfg(test)]
mod chart_tests;
mod classes;
mod comparison;
mod condense;
mod course;
mod curve;
mod data;
mod detailed;
#[cfg(test)]
mod detailed_tests;
mod jobs;
mod latencies;
pub mod layout;
mod links;
mod load_charts;
mod model;
mod network_data;
mod network_picture;
mod page;
mod palette;
mod performance;
mod plots;
mod points;
mod quality;
mod results;
mod scale;
mod sections;
mod single;
mod sorted;
mod stress;
mod strokes;
mod svg;
mod terminals;
#[cfg(test)]
mod tests;
mod text;
mod timeline;
mod timeline_figure;
mod toml_view;
mod transients;
#[cfg(test)]
mod transients_tests;
mod verdicts;
mod viewer;

use std::io::{self, Write};

pub use beside::Units;
pub use comparison::{ComparisonPage, ComparisonPart, write_comparison};
pub use detailed::{ClassFigures, Course, LatencyHistogram, Moment, PointDetails};
pub use jobs::{JobFigures, Jobs};
pub use model::{
    Across, Combination, Facts, Live, LoadPoint, Moments, Panel, Picture, PictureLink,
    PictureRouter, Quality, Report, Series, Table, TableColumn, Verdict,
};
pub use text::separate;
pub use timeline::{PathStretch, Timeline, TimelineRow};
pub use timeline_figure::timeline_svg;
pub use transients::{Response, Transient};

/// Writes the whole report as one HTML document.
///
/// # Errors
/// Whatever writing says.
pub fn write_html(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    page::write(report, out)
}

/// Hands out every figure of the report, one at a time, as file name and SVG document; names are
/// unique and safe.
///
/// # Errors
/// The first that `take` gives.
pub fn plots<E>(
    report: &Report,
    take: &mut dyn FnMut(&str, &str) -> Result<(), E>,
) -> Result<(), E> {
    plots::plots(report, take)
}
