//! How gains are distributed: over clusters, and over places of the hosts.

use super::results::{Gain, Results};
use super::{BASE, NETWORKS};
use crate::pages::places::{Line, Panel, figure};
use crate::pages::table;

/// What the clusters of the ensemble are compared in.
const OF_CLUSTERS: [(&str, &str, &str); 3] = [
    (
        "barrier",
        "gather-broadcast",
        "barriers, gather and broadcast",
    ),
    ("barrier", "dissemination", "barriers, dissemination"),
    (
        "messages",
        "bit-reverse",
        "bit reversal, one message at a time",
    ),
];
const SHARES: [usize; 5] = [5, 25, 50, 75, 95];

/// Gains over another routing on all of these networks, in ascending order.
pub(super) fn sorted<'a>(
    results: &Results,
    networks: impl Iterator<Item = &'a str>,
    (figure, traffic): (&str, &str),
    (routing, base): (&str, &str),
) -> Vec<f64> {
    let mut gains: Vec<f64> = networks
        .map(|network| {
            let of = |routing| results.of(figure, network, traffic, "", routing, "random");
            Gain::of(figure, of(routing), of(base)).mean
        })
        .collect();
    gains.sort_by(f64::total_cmp);
    gains
}

/// What so many percent of them do not exceed.
pub(super) fn quantile(sorted: &[f64], percent: usize) -> f64 {
    sorted[percent * (sorted.len() - 1) / 100]
}

/// A share in percent, with its sign; not "-0".
pub(super) fn signed(share: f64) -> String {
    format!("{:+.0} %", (100.0 * share).round() + 0.0)
}

/// A row: what is compared, the routing, and the gain that so many percent stay below.
fn row(title: &str, routing: &str, gains: &[f64]) -> Vec<String> {
    let at = |percent| signed(quantile(gains, percent));
    let shares = SHARES.iter().map(|&share| at(share));
    [title.to_owned(), format!("`{routing}`")]
        .into_iter()
        .chain(shares)
        .chain([at(100)])
        .collect()
}

fn table_of(rows: impl Iterator<Item = Vec<String>>) -> String {
    let shares = SHARES.iter().map(|share| format!("{share} %"));
    let header: Vec<String> = ["".to_owned(), "over up*/down*".to_owned()]
        .into_iter()
        .chain(shares)
        .chain(["most".to_owned()])
        .collect();
    table(&header, rows)
}

/// The gains on the three networks over all places of the hosts.
pub(super) fn placed(results: &Results) -> String {
    let rows =
        [&OF_CLUSTERS[0], &OF_CLUSTERS[2]]
            .into_iter()
            .flat_map(|&(figure, traffic, title)| {
                NETWORKS.iter().flat_map(move |(network, name)| {
                    ["dl 2", "dl 4", "sbp"].map(|routing| {
                        let networks = results.placed(network);
                        let gains = sorted(results, networks, (figure, traffic), (routing, BASE));
                        row(&format!("{name}, {title}"), routing, &gains)
                    })
                })
            });
    table_of(rows)
}

const OF_ENSEMBLE: [&str; 4] = ["up-down 2 min-ecc", "dl 2", "dl 4", "sbp"];

pub(super) fn ensemble(results: &Results) -> String {
    let rows = OF_CLUSTERS.iter().flat_map(|&(figure, traffic, title)| {
        OF_ENSEMBLE.map(|routing| {
            let clusters = results.clusters();
            let gains = sorted(results, clusters, (figure, traffic), (routing, BASE));
            row(title, routing, &gains)
        })
    });
    table_of(rows)
}

/// Gains by the share of clusters that have less.
pub(super) fn over_clusters(results: &Results) -> String {
    let panels = OF_CLUSTERS.map(|(kind, traffic, title)| {
        let lines = ["dl 2", "dl 4", "sbp"]
            .iter()
            .zip(["#2a6fbb", "#c46a1b", "#2e8b57"]);
        let lines = lines.map(|(routing, colour)| {
            let clusters = results.clusters();
            let gains = sorted(results, clusters, (kind, traffic), (routing, BASE));
            let values = (0..=10).map(|tenth| quantile(&gains, 10 * tenth).max(0.0) * 100.0);
            Line {
                label: (*routing).to_owned(),
                colour,
                values: values.collect(),
            }
        });
        Panel {
            title: title.to_owned(),
            to: 40.0,
            lines: lines.collect(),
        }
    });
    let places: Vec<String> = (0..=10).map(|tenth| format!("{}", 10 * tenth)).collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    figure(
        &panels,
        3,
        &places,
        "percent of the clusters that gain less",
    )
}
