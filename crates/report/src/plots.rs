//! Every figure as a file of its own, for papers and slides.

use std::collections::BTreeSet;

use super::load_charts;
use super::model::Report;
use super::network_picture;
use super::sections;
use super::svg::Figure;
use super::text::slug;
use super::timeline_figure;
use super::{bars, channels, course, latencies, page, single, terminals, transients};

/// Names the files, so that no two are the same on any file system.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    fn unique(&mut self, kind: &str, about: &str) -> String {
        let about = slug(about);
        let stem = if about.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}-{about}")
        };
        let mut name = format!("{stem}.svg");
        let mut number = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{stem}-{number}.svg");
            number += 1;
        }
        name
    }
}

/// What a file says of where it comes from, for whoever finds it without the page.
fn origin(report: &Report) -> String {
    let rows = report.provenance.iter();
    let rows: Vec<String> = rows
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    format!("{}: {}", report.title, rows.join(", "))
}

/// Hands out all figures as file name and SVG document.
pub(super) fn plots<E>(
    report: &Report,
    take: &mut dyn FnMut(&str, &str) -> Result<(), E>,
) -> Result<(), E> {
    let (mut names, origin) = (Names::default(), origin(report));
    let mut add = |kind: &str, about: &str, figure: &Figure| {
        take(&names.unique(kind, about), &figure.standalone(&origin))
    };
    let styles = load_charts::styles(report);
    for (panel, styles) in report.panels.iter().zip(&styles) {
        if panel.is_single() {
            for (file, figure) in single::figures(panel, styles, true) {
                add(file, &panel.title, &figure)?;
            }
            continue;
        }
        for (file, chart) in load_charts::charts(panel, styles) {
            add(file, &panel.title, &chart.draw(true))?;
        }
    }
    for transient in &report.transients {
        let number = transient.panel;
        let Some((panel, styles)) = report.panels.get(number).zip(styles.get(number)) else {
            continue;
        };
        for (file, figure) in transients::figures(transient, panel, styles, true) {
            add(file, &transient.title, &figure)?;
        }
    }
    for point in &report.details {
        let about = &point.title;
        let figures = [
            ("latencies", latencies::figure(point, about)),
            ("course", course::figure(point, about)),
            ("terminals", terminals::figure(point, about)),
            ("channels", channels::figure(point, about)),
            (
                "timeline",
                point
                    .timeline
                    .as_ref()
                    .and_then(|timeline| timeline_figure::figure(timeline, about)),
            ),
        ];
        for (kind, figure) in figures {
            figure
                .iter()
                .try_for_each(|figure| add(kind, about, figure))?;
        }
        if let Some(picture) = &point.picture {
            let scale = channels::full_scale(report);
            add(
                "utilisation",
                about,
                &network_picture::draw(picture, about, scale),
            )?;
        }
    }
    for combination in &report.combinations {
        let about = sections::name(combination);
        if let Some(picture) = &combination.picture {
            let scale = page::full_scale(report, combination);
            add(
                "network",
                &about,
                &network_picture::draw(picture, &about, scale),
            )?;
        }
        if let Some(quality) = &combination.quality {
            add("path-lengths", &about, &bars::path_lengths(quality, &about))?;
            add(
                "channel-loads",
                &about,
                &bars::channel_loads(quality, &about),
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_unique() {
        let mut names = Names::default();
        assert_eq!(names.unique("network", "a b"), "network-a-b.svg");
        assert_eq!(names.unique("network", "A/B"), "network-a-b-2.svg");
        assert_eq!(names.unique("network", "\u{4e16}"), "network.svg");
        assert_eq!(names.unique("network", "a b 2"), "network-a-b-2-2.svg");
    }
}
