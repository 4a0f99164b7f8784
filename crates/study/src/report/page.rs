//! The page around the figures.

use super::load_charts;
use super::model::{Combination, Report};
use super::network_picture::largest_load;
use super::palette;
use super::text::escape;
use super::{channels, classes, course, latencies, terminals};
use super::{performance, quality, results, sections, verdicts};

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

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

/// A part of the page: (anchor, heading, content); no content, no part.
struct Part(&'static str, &'static str, String);

/// The whole document.
pub(super) fn page(report: &Report) -> String {
    let styles = load_charts::styles(report);
    let parts: Vec<Part> = [
        Part("verification", "Verification", verdicts::cards(report)),
        Part(
            "performance",
            "Load and latency",
            performance::panels(report, &styles),
        ),
        Part("latencies", "Latencies", latencies::section(report)),
        Part("course", "Course in time", course::section(report)),
        Part("classes", "Classes of traffic", classes::section(report)),
        Part("terminals", "Terminals", terminals::section(report)),
        Part("channels", "Channels", channels::section(report)),
        Part("quality", "Quality against bounds", quality::table(report)),
        Part("networks", "Networks and routes", quality::networks(report)),
        Part("results", "All results", results::table(&report.table)),
        Part("study", "Study file", sections::study(report)),
        Part("provenance", "Provenance", sections::provenance(report)),
    ]
    .into_iter()
    .filter(|part| !part.2.is_empty())
    .collect();

    let title = if report.title.is_empty() {
        "Turnwise report"
    } else {
        report.title.as_str()
    };
    let mut out = head(title);
    out.push_str("<body>\n<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n");
    out.push_str(&header(report, title, &parts));
    out.push_str("<main id=\"main\">\n");
    out.push_str(&sections::failures(report));
    out.push_str(&sections::summary(report));
    out.push_str(&sections::advice(report));
    for Part(id, heading, content) in &parts {
        out.push_str(&format!(
            "<section id=\"{id}\" aria-labelledby=\"h-{id}\">\n<h2 id=\"h-{id}\">{heading}</h2>\n{content}</section>\n"
        ));
    }
    out.push_str("</main>\n<footer>Made by Turnwise. This page is complete in itself and loads nothing.</footer>\n");
    out.push_str("<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n");
    out.push_str(SCRIPT);
    out.push_str("</script>\n</body>\n</html>\n");
    out
}

fn head(title: &str) -> String {
    // Print uses the light theme, so the dark one is for screens only.
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <title>{}</title>\n<style>\n:root{{{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n{}\n{CSS}</style>\n</head>\n",
        escape(title),
        palette::declarations(false),
        palette::declarations(true),
        palette::figure_css(),
    )
}

fn header(report: &Report, title: &str, parts: &[Part]) -> String {
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
        let link = |part: &Part| format!("<a href=\"#{}\">{}</a>", part.0, part.1);
        let links: String = parts.iter().map(link).collect();
        out.push_str(&format!(
            "<nav aria-label=\"Parts of the report\">{links}</nav>\n"
        ));
    }
    out.push_str("</header>\n");
    out
}
