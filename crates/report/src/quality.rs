//! How good the routes are: the table against bounds, and the views of each network.

use super::model::{Combination, Quality, Report};
use super::sections::name;
use super::svg::Figure;
use super::text::{UNKNOWN, escape, number};
use super::{bars, network_data, network_picture, page};

/// Excess over the bound in per cent; NaN when there is no bound.
fn gap(quality: &Quality) -> f64 {
    let (index, bound) = (quality.edge_forwarding_index, quality.lower_bound);
    if index.is_finite() && bound.is_finite() && bound > 0.0 {
        100.0 * (index / bound - 1.0)
    } else {
        f64::NAN
    }
}

/// The table of static quality.
pub(super) fn table(report: &Report) -> String {
    let rows: Vec<(&Combination, &Quality)> = report
        .combinations
        .iter()
        .filter_map(|c| c.quality.as_ref().map(|q| (c, q)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let speeds = match rows.iter().any(|(_, q)| q.weighs_speeds) {
        true => {
            " Where channels are not all as fast, a route counts as many times as its channel is slower than the fastest between routers."
        }
        false => "",
    };
    let mut out = format!(
        "<p class=\"note\">The edge-forwarding index is the largest number of routes over one channel: the fewer, \
         the better.{speeds} No routing of the network, or none that keeps the rules named with it, can be below the lower bound. Bars share one scale per network: solid up to the bound, hatched above it.</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Quality against bounds\">\
         <table class=\"grid sortable\"><caption class=\"hidden\">Static quality of the routes against lower bounds</caption>\n<thead><tr>",
    );
    let columns = [
        ("Network", "name"),
        ("Routing", "name"),
        ("Index", "n"),
        ("Index and bound", "wide"),
        ("Lower bound", "n"),
        ("Gap", "n"),
        ("Mean load", "n"),
        ("Least load", "n"),
        ("Deviation", "n"),
        ("Mean hops", "n"),
    ];
    for (name, class) in columns {
        // The bars say what the column before them says; sorting by them would do nothing.
        let inside = if class == "wide" {
            name.to_owned()
        } else {
            format!("<button type=\"button\" class=\"sort\">{name}</button>")
        };
        out.push_str(&format!(
            "<th scope=\"col\" class=\"{class}\">{inside}</th>"
        ));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (c, q) in &rows {
        let same = rows.iter().filter(|(other, _)| other.network == c.network);
        let most = same
            .map(|(_, q)| q.edge_forwarding_index.max(q.lower_bound))
            .filter(|v| v.is_finite());
        let bound = if q.lower_bound_source.is_empty() {
            number(q.lower_bound)
        } else {
            format!(
                "{} <small>{}</small>",
                number(q.lower_bound),
                escape(&q.lower_bound_source)
            )
        };
        let gap = gap(q);
        let gap = if gap.is_finite() {
            format!("{gap:.1} %")
        } else {
            UNKNOWN.to_owned()
        };
        out.push_str(&format!(
            "<tr><th scope=\"row\" class=\"name\">{}</th><td class=\"name\">{}</td><td class=\"n\">{}</td><td class=\"wide\">{}</td><td class=\"n bound\">{bound}</td>\
             <td class=\"n\">{gap}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            escape(&c.network),
            escape(&c.routing),
            number(q.edge_forwarding_index),
            bar(q, most.fold(0.0, f64::max)),
            number(q.mean_load),
            number(q.min_load),
            number(q.deviation),
            number(mean_hops(q)),
        ));
    }
    out.push_str("</tbody></table></div>\n");
    out
}

fn mean_hops(q: &Quality) -> f64 {
    let pairs: f64 = q.path_lengths.iter().map(|(_, pairs)| *pairs as f64).sum();
    let hops: f64 = q
        .path_lengths
        .iter()
        .map(|(hops, pairs)| f64::from(*hops) * *pairs as f64)
        .sum();
    if pairs > 0.0 { hops / pairs } else { f64::NAN }
}

fn bar(q: &Quality, most: f64) -> String {
    if !q.edge_forwarding_index.is_finite() || most <= 0.0 {
        return String::new();
    }
    let share = |v: f64| (100.0 * v / most).clamp(0.0, 100.0);
    let whole = share(q.edge_forwarding_index);
    let below = if q.lower_bound.is_finite() {
        share(q.lower_bound).min(whole)
    } else {
        whole
    };
    format!(
        "<span class=\"bullet\" aria-hidden=\"true\"><i style=\"width:{below:.1}%\"></i><b style=\"width:{:.1}%\"></b></span>",
        whole - below
    )
}

/// Picture, path lengths and channel loads of every combination that has any.
pub(super) fn networks(report: &Report) -> String {
    report
        .combinations
        .iter()
        .map(|c| network(report, c))
        .collect()
}

fn network(report: &Report, c: &Combination) -> String {
    if c.picture.is_none() && c.quality.is_none() {
        return String::new();
    }
    let figure = |class: &str, figure: Figure, data: &str| {
        let caption: String = figure
            .caption
            .iter()
            .map(|s| format!("{} ", escape(s)))
            .collect();
        let caption = if caption.is_empty() {
            caption
        } else {
            format!("<figcaption>{}</figcaption>", caption.trim_end())
        };
        format!(
            "<figure class=\"card {class}\">{}{caption}{data}</figure>\n",
            figure.inline()
        )
    };
    let mut out = format!(
        "<div class=\"combination\">\n<h3>{}</h3>\n",
        escape(&name(c))
    );
    if !c.network_description.is_empty() {
        out.push_str(&format!(
            "<p class=\"note\">{}</p>\n",
            escape(&c.network_description)
        ));
    }
    // A flat drawing needs more width to be as tall as the two charts beside it.
    let class = match (&c.picture, &c.quality) {
        (Some(picture), Some(_)) if picture.aspect >= 1.5 => " both flat",
        (Some(_), Some(_)) => " both",
        _ => "",
    };
    out.push_str(&format!("<div class=\"views{class}\">\n"));
    if let Some(picture) = &c.picture {
        let full_scale = page::full_scale(report, c);
        let drawing = network_picture::draw(picture, "", full_scale);
        let data = network_data::element(report, picture, full_scale);
        out.push_str(&figure("wide", drawing, &data));
    }
    if let Some(quality) = &c.quality {
        out.push_str(&figure("", bars::path_lengths(quality, ""), ""));
        out.push_str(&figure("", bars::channel_loads(quality, ""), ""));
    }
    out.push_str("</div>\n</div>\n");
    out
}
