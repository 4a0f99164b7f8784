//! The section on classes of traffic: a small table for each point that has several.

use super::detailed::{ClassFigures, PointDetails, selection};
use super::model::Report;
use super::text::{escape, number};

/// The section; empty if no point has classes.
pub(super) fn section(report: &Report) -> String {
    let points = report.details.iter().filter(|p| !p.classes.is_empty());
    let tables: String = points.map(table).collect();
    match tables.is_empty() {
        true => tables,
        false => format!(
            "{}<div class=\"views few\">\n{tables}</div>\n",
            match report.details.iter().all(|p| p.latencies.bins.is_empty()) {
                true => selection(report),
                false => String::new(),
            }
        ),
    }
}

fn table(point: &PointDetails) -> String {
    let row = |class: &ClassFigures| {
        let figures = [
            class.injected_load,
            class.accepted_load,
            class.mean_latency,
            class.latency_p99,
        ];
        let cells: String = figures
            .iter()
            .map(|value| format!("<td class=\"n\">{}</td>", number(*value)))
            .collect();
        let name = escape(&class.name);
        format!("<tr><th scope=\"row\">{name}</th>{cells}</tr>\n")
    };
    let title = match point.title.is_empty() {
        true => String::new(),
        false => format!("<p class=\"of\">{}</p>", escape(&point.title)),
    };
    format!(
        "<div class=\"card classes\">{title}<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Classes of {0}\">\
         <table class=\"grid\"><caption class=\"hidden\">Classes of {0}; loads in flits per terminal and cycle, latencies in cycles</caption>\n\
         <thead><tr><th scope=\"col\">Class</th><th scope=\"col\" class=\"n\">Injected</th><th scope=\"col\" class=\"n\">Accepted</th>\
         <th scope=\"col\" class=\"n\">Mean latency</th><th scope=\"col\" class=\"n\">99 %</th></tr></thead>\n<tbody>\n{1}</tbody></table></div></div>\n",
        escape(&point.title),
        point.classes.iter().map(row).collect::<String>()
    )
}
