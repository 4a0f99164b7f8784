//! The section on jobs: how long each of several programs takes beside the others, and alone where the study has that too.

use super::beside::Units;
use super::model::Report;
use super::text::{UNKNOWN, escape, number};

/// Jobs that ran side by side in one setting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Jobs {
    /// What the setting is.
    pub title: String,
    /// What a cycle is in other units.
    pub units: Units,
    /// The jobs, in the order of the study.
    pub jobs: Vec<JobFigures>,
}

/// A job; what was not measured is NaN.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobFigures {
    /// What it is called.
    pub name: String,
    /// How many ranks it has.
    pub ranks: f64,
    /// The cycle in which it begins.
    pub start: f64,
    /// Cycles that it takes alone, at the same terminals.
    pub alone: f64,
    /// Cycles that it takes beside the others.
    pub together: f64,
}

const HEADS: [(&str, &str); 6] = [
    ("Ranks", "how many it has"),
    ("Begins", "in this cycle"),
    ("Alone", "cycles, at the same terminals without the others"),
    ("Together", "cycles beside the others"),
    ("Cost", "cycles that the others cost it"),
    ("Slower by", "what that is of its time alone"),
];

/// The section; empty if no jobs ran side by side.
pub(super) fn section(report: &Report) -> String {
    let tables: String = report.jobs.iter().map(table).collect();
    if tables.is_empty() {
        return tables;
    }
    let note = match report.jobs_note.is_empty() {
        true => String::new(),
        false => format!(" {}", escape(&report.jobs_note)),
    };
    format!(
        "<p class=\"note\">Cycles from the beginning of a job to the last thing that happens at its terminals.{note}</p>\n\
         {tables}"
    )
}

fn table(setting: &Jobs) -> String {
    let cycles = |value: f64| {
        let beside = setting.units.latency(value).filter(|_| value.is_finite());
        let beside = beside.map(|words| format!(" <small>{words}</small>"));
        format!("{}{}", number(value), beside.unwrap_or_default())
    };
    let row = |job: &JobFigures| {
        let cost = job.together - job.alone;
        let slower = match cost.is_finite() && job.alone > 0.0 {
            true => format!("{}&nbsp;%", number(100.0 * cost / job.alone)),
            false => UNKNOWN.to_owned(),
        };
        let cells = [
            number(job.ranks),
            number(job.start),
            cycles(job.alone),
            cycles(job.together),
            cycles(cost),
            slower,
        ];
        let cells = cells.map(|cell| format!("<td class=\"n\">{cell}</td>"));
        format!(
            "<tr><th scope=\"row\">{}</th>{}</tr>\n",
            escape(&job.name),
            cells.concat()
        )
    };
    let heads = HEADS.map(|(name, words)| {
        format!("<th scope=\"col\" class=\"n\" title=\"{words}\">{name}</th>")
    });
    let rows: String = setting.jobs.iter().map(row).collect();
    let title = escape(&setting.title);
    let of = match title.is_empty() {
        true => String::new(),
        false => format!(" of {title}"),
    };
    let heading = match title.is_empty() {
        true => String::new(),
        false => format!("<p class=\"of\">{title}</p>"),
    };
    format!(
        "<div class=\"views\"><div class=\"card classes\">{heading}<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Jobs{of}\">\
         <table class=\"grid\"><caption class=\"hidden\">Jobs{of}, in cycles</caption>\n\
         <thead><tr><th scope=\"col\">Job</th>{}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></div></div>\n",
        heads.concat()
    )
}
