//! The parts of the page that are words and tables.

use super::model::{Combination, Report};
use super::text::escape;
use super::toml_view::highlight;
use super::verdicts;

/// `network, routing`, or whichever of them has a name.
pub(super) fn name(c: &Combination) -> String {
    let parts: Vec<&str> = [c.network.as_str(), c.routing.as_str()]
        .into_iter()
        .filter(|p| !p.is_empty())
        .collect();
    parts.join(", ")
}

/// List items of the lines.
pub(super) fn items(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("<li>{}</li>", escape(line)))
        .collect()
}

/// Points that failed and are listed at once; the others are unfolded.
const FAILURES: usize = 6;

/// What went wrong.
pub(super) fn failures(report: &Report) -> String {
    if report.failures.is_empty() {
        return String::new();
    }
    let (first, others) = report
        .failures
        .split_at(report.failures.len().min(FAILURES));
    let more = match others {
        [] => String::new(),
        [_] => format!("<ul>{}</ul>", items(others)),
        _ => format!(
            "<details><summary>and {} more</summary>\n<ul>{}</ul></details>",
            others.len(),
            items(others)
        ),
    };
    format!(
        "<section class=\"failures\" aria-labelledby=\"h-failures\"><h2 id=\"h-failures\">{} What failed</h2>\n<ul>{}</ul>{more}</section>\n",
        verdicts::GAP,
        items(first)
    )
}

/// How far a study is that still runs.
pub(super) fn live(report: &Report) -> String {
    let Some(live) = &report.live else {
        return String::new();
    };
    format!(
        "<p id=\"live\" class=\"live\" role=\"status\" data-state=\"{}\">{}</p>\n",
        escape(&live.state),
        escape(&live.words)
    )
}

/// The most important sentences.
pub(super) fn summary(report: &Report) -> String {
    if report.summary.is_empty() {
        return String::new();
    }
    format!(
        "<section class=\"summary\" aria-labelledby=\"h-summary\"><h2 id=\"h-summary\" class=\"hidden\">Summary</h2>\n<ol>{}</ol></section>\n",
        items(&report.summary)
    )
}

/// What should be thought about before results are believed.
pub(super) fn advice(report: &Report) -> String {
    if report.advice.is_empty() {
        return String::new();
    }
    format!(
        "<section class=\"advice\" aria-labelledby=\"h-advice\"><h2 id=\"h-advice\">To think about</h2>\n<ul>{}</ul></section>\n",
        items(&report.advice)
    )
}

/// The study file with a button to copy it.
pub(super) fn study(report: &Report) -> String {
    if report.study_text.is_empty() {
        return String::new();
    }
    format!(
        "<div class=\"card study\"><p class=\"bar\"><span>{}</span><button type=\"button\" class=\"copy js\" data-copy=\"study-text\">Copy</button></p>\
         <pre id=\"study-text\" tabindex=\"0\" role=\"region\" aria-label=\"Study file\">{}</pre></div>\n",
        escape(&report.study_name),
        highlight(&report.study_text)
    )
}

/// Where the numbers come from.
pub(super) fn provenance(report: &Report) -> String {
    if report.provenance.is_empty() {
        return String::new();
    }
    let row = |(name, value): &(String, String)| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            escape(name),
            escape(value)
        )
    };
    format!(
        "<div class=\"scroll\"><table class=\"grid provenance\"><caption class=\"hidden\">Provenance of the results</caption><tbody>\n{}</tbody></table></div>\n",
        report.provenance.iter().map(row).collect::<String>()
    )
}
