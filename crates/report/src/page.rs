//! The page around the figures.

use super::load_charts;
use super::model::{Combination, Report};
use super::network_picture::largest_load;
use super::palette;
use super::text::escape;
use super::{channels, classes, course, jobs, latencies, terminals, timeline};
use super::{performance, quality, results, sections, transients, verdicts, viewer};
use std::io::{self, Write};

const CSS: &str = include_str!("page.css");

/// Load of the hottest colour: the same in all pictures of a network, so that two
/// routings can be compared by looking.
pub(super) fn full_scale(report: &Report, of: &Combination) -> f64 {
    let meaning = |c: &Combination| {
        c.picture
            .as_ref()
            .map(|p| (p.load_name.clone(), p.load_unit.clone()))
    };
    let alike = |c: &&Combination| c.network == of.network && meaning(c) == meaning(of);
    report
        .combinations
        .iter()
        .filter(alike)
        .filter_map(|c| c.picture.as_ref())
        .map(largest_load)
        .fold(0.0, f64::max)
}

/// A part of the page; without content there is none.
struct Part<'a> {
    anchor: &'static str,
    heading: &'static str,
    content: Content<'a>,
}

/// What is in a part. Some have megabytes, so they are not put together in memory.
enum Content<'a> {
    Nothing,
    Text(String),
    Long(&'a dyn Fn(&mut dyn Write) -> io::Result<()>),
}

impl From<String> for Content<'_> {
    fn from(text: String) -> Self {
        match text.is_empty() {
            true => Self::Nothing,
            false => Self::Text(text),
        }
    }
}

impl<'a> Part<'a> {
    fn new(anchor: &'static str, heading: &'static str, content: impl Into<Content<'a>>) -> Self {
        Self {
            anchor,
            heading,
            content: content.into(),
        }
    }
}

/// Writes the whole document.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let styles = load_charts::styles(report);
    let panels = |out: &mut dyn Write| performance::write(report, &styles, out);
    let panels = match report.panels.is_empty() {
        true => Content::Nothing,
        false => Content::Long(&panels),
    };
    let results = |out: &mut dyn Write| results::write(&report.table, out);
    let results = match report.table.columns.is_empty() {
        true => Content::Nothing,
        false => Content::Long(&results),
    };
    let mut parts = vec![
        Part::new("verification", "Verification", verdicts::cards(report)),
        Part::new("performance", "Load and latency", panels),
        Part::new("results", "All results", results),
        Part::new(
            "transients",
            "Transients",
            transients::section(report, &styles),
        ),
        Part::new("latencies", "Latencies", latencies::section(report)),
        Part::new("course", "Course in time", course::section(report)),
        Part::new("timeline", "Time lines", timeline::section(report)),
        Part::new("jobs", "Jobs", jobs::section(report)),
        Part::new("classes", "Classes of traffic", classes::section(report)),
        Part::new("terminals", "Terminals", terminals::section(report)),
        Part::new("channels", "Channels", channels::section(report)),
        Part::new("quality", "Quality against bounds", quality::table(report)),
        Part::new("networks", "Networks and routes", quality::networks(report)),
        Part::new("study", "Study file", sections::study(report)),
        Part::new("provenance", "Provenance", sections::provenance(report)),
    ];
    parts.retain(|part| !matches!(part.content, Content::Nothing));

    let title = if report.title.is_empty() {
        "Turnwise report"
    } else {
        report.title.as_str()
    };
    write!(
        out,
        "{}<body>\n<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n{}<main id=\"main\">\n{}",
        head(title, report.live.is_some()),
        header(report, title, &parts),
        sections::live(report)
    )?;
    write!(
        out,
        "{}{}{}",
        sections::failures(report),
        sections::summary(report),
        sections::advice(report)
    )?;
    for part in parts {
        let (anchor, heading) = (part.anchor, part.heading);
        writeln!(
            out,
            "<section id=\"{anchor}\" aria-labelledby=\"h-{anchor}\">\n<h2 id=\"h-{anchor}\">{heading}</h2>"
        )?;
        match part.content {
            Content::Nothing => {}
            Content::Text(text) => write!(out, "{text}")?,
            Content::Long(write) => write(out)?,
        }
        writeln!(out, "</section>")?;
    }
    write!(out, "{}", end())
}

/// What every page ends with.
pub(super) fn end() -> String {
    format!(
        "</main>\n<footer>Made by Turnwise. This page is complete in itself and loads nothing.</footer>\n\
         <div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{}</script>\n</body>\n</html>\n",
        viewer::script()
    )
}

/// What every page begins with. A page that is served asks its own server for news, and nobody else.
pub(super) fn head(title: &str, is_live: bool) -> String {
    let news = match is_live {
        true => "; connect-src 'self'",
        false => "",
    };
    // Print uses the light theme, so the dark one is for screens only.
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'{news}\">\n\
         <title>{}</title>\n<style>\n:root{{{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n{}\n{CSS}{}</style>\n</head>\n",
        escape(title),
        palette::declarations(false),
        palette::declarations(true),
        palette::figure_css(),
        viewer::STYLE,
    )
}

fn header(report: &Report, title: &str, parts: &[Part<'_>]) -> String {
    let mut out = format!(
        "<header>\n<p class=\"brand\">Turnwise report</p>\n<h1>{}</h1>\n",
        escape(title)
    );
    if !report.description.is_empty() {
        out.push_str(&format!(
            "<p class=\"lead\">{}</p>\n",
            escape(&report.description)
        ));
    }
    let mut chips = Vec::new();
    if !report.study_name.is_empty() {
        chips.push(("study", report.study_name.clone()));
    }
    if !report.fingerprint.is_empty() {
        chips.push(("fingerprint", report.fingerprint.clone()));
    }
    if !chips.is_empty() {
        let chip = |(name, value): &(&str, String)| {
            format!("<div><dt>{name}</dt><dd>{}</dd></div>", escape(value))
        };
        out.push_str(&format!(
            "<dl class=\"chips\">{}</dl>\n",
            chips.iter().map(chip).collect::<String>()
        ));
    }
    if parts.len() > 1 {
        let link = |part: &Part<'_>| format!("<a href=\"#{}\">{}</a>", part.anchor, part.heading);
        let links: String = parts.iter().map(link).collect();
        out.push_str(&format!(
            "<nav aria-label=\"Parts of the report\">{links}</nav>\n"
        ));
    }
    out.push_str("</header>\n");
    out
}
