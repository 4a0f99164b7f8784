//! The cards that say what was proved.

use super::model::{Combination, Report, Verdict};
use super::sections::items;
use super::text::{UNKNOWN, count, escape};

const TICK: &str = "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M12 2l8 3v6c0 5-3.4 8.8-8 11-4.6-2.2-8-6-8-11V5z\"/><path d=\"M8 12l3 3 5-6\"/></svg>";
const LOOP: &str = "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M4 11a8 8 0 0 1 14-4.6M20 13a8 8 0 0 1-14 4.6\"/><path d=\"M18 2v5h-5M6 22v-5h5\"/></svg>";
/// A broken line.
pub(super) const GAP: &str = "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M2 12h6M16 12h6\"/><path d=\"M9.5 9.5l5 5M14.5 9.5l-5 5\"/></svg>";
const ASK: &str = "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><circle cx=\"12\" cy=\"12\" r=\"9.5\"/><path d=\"M9 9.5a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2M12 17.5v.2\"/></svg>";

/// More lines of a cycle than this are folded away.
const SHORT_CYCLE: usize = 8;

/// One card per (network, routing), bad news first.
pub(super) fn cards(report: &Report) -> String {
    if report.combinations.is_empty() {
        return String::new();
    }
    format!(
        "<div class=\"cards\">\n{}</div>\n",
        worst_first(&report.combinations)
            .into_iter()
            .map(card)
            .collect::<String>()
    )
}

fn worst_first(combinations: &[Combination]) -> Vec<&Combination> {
    let mut all: Vec<&Combination> = combinations.iter().collect();
    all.sort_by_key(|c| match c.verdict {
        Verdict::Cyclic { .. } | Verdict::Unreachable { .. } => 0,
        Verdict::NotVerified => 1,
        Verdict::DeadlockFree { .. } => 2,
    });
    all
}

fn card(c: &Combination) -> String {
    let (class, icon, word, detail) = match &c.verdict {
        Verdict::DeadlockFree {
            vertices,
            dependencies,
        } => (
            "good",
            TICK,
            "Deadlock-free",
            format!(
                "<p>Certificate: a numbering of {} virtual channels along which all {} dependencies increase.</p>",
                count(*vertices),
                count(*dependencies)
            ),
        ),
        Verdict::Cyclic { cycle } => (
            "bad",
            LOOP,
            "Can deadlock",
            lines("Dependencies can form a cycle", "a shortest one", cycle),
        ),
        Verdict::Unreachable { pairs, examples } => (
            "bad",
            GAP,
            "Not connected",
            lines(
                &format!("{} pairs have no route", count(*pairs)),
                "for example",
                examples,
            ),
        ),
        Verdict::NotVerified => ("unknown", ASK, "Not proved", String::new()),
    };
    let mut out = format!(
        "<article class=\"card verdict {class}\"><p class=\"word\">{icon}<strong>{word}</strong></p>\n<h3>{}<span>{}</span></h3>\n{detail}",
        escape(&c.routing),
        escape(&c.network),
    );
    if !c.notes.is_empty() {
        out.push_str(&format!("<ul class=\"notes\">{}</ul>", items(&c.notes)));
    }
    let fact = |name: &str, value: String| format!("<div><dt>{name}</dt><dd>{value}</dd></div>");
    out.push_str("<dl class=\"facts\">");
    out.push_str(&fact("routers", count(c.facts.routers)));
    out.push_str(&fact("terminals", count(c.facts.terminals)));
    out.push_str(&fact("channels", count(c.facts.channels)));
    let longest = c
        .facts
        .longest_route
        .map_or_else(|| UNKNOWN.to_owned(), |d| d.to_string());
    out.push_str(&fact("hops at most", longest));
    out.push_str("</dl></article>\n");
    out
}

/// A list of lines, folded when it is long.
fn lines(title: &str, how: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return format!("<p>{}.</p>", escape(title));
    }
    let open = if lines.len() <= SHORT_CYCLE {
        " open"
    } else {
        ""
    };
    format!(
        "<details{open}><summary>{}, {}:</summary><ol class=\"cycle\">{}</ol></details>",
        escape(title),
        how,
        items(lines)
    )
}
