//! `docs/rhinet2.md`, the paper against Turnwise: its text, its tables and its figure.

mod claims;
mod results;

use crate::pages::places::{Line, Panel, figure};
use crate::pages::table;
use results::{Gain, Results};

const PAGE: &str = include_str!("template.md");
const NETWORKS: [(&str, &str); 3] = [("A", "A"), ("B", "B"), ("mesh", "4x4 mesh")];
const PATTERNS: [&str; 4] = ["bit-reverse", "transpose", "butterfly", "bit-complement"];
const ALGORITHMS: [&str; 2] = ["gather-broadcast", "dissemination"];
/// All of the studies, in their order.
const ROUTINGS: [&str; 8] = [
    "up-down 1",
    "up-down 2",
    "up-down 4",
    "dl 2",
    "dl 4",
    "dl 2 balanced",
    "dl 4 balanced",
    "sbp",
];
/// What gains are told of, over as many virtual channels.
const BASE: &str = "up-down 2";
const LARGE: &str = "16 KiB";
const SMALL: &str = "2 KiB";

/// The page, and its figure.
pub(crate) fn page() -> (String, String) {
    let results = Results::read();
    let page = PAGE
        .replace("{{claims}}", &claims::table_of(&results))
        .replace("{{barrier}}", &barriers(&results))
        .replace("{{messages}}", &carried(&results, "messages"))
        .replace("{{bandwidth}}", &carried(&results, "bandwidth"))
        .replace("{{channels}}", &channels(&results))
        .replace("{{ensemble}}", &ensemble(&results));
    (page, over_clusters(&results))
}

/// Times of barriers, and gains.
fn barriers(results: &Results) -> String {
    let rows = ROUTINGS.iter().map(|routing| {
        let cells = NETWORKS.iter().flat_map(|(network, _)| {
            ALGORITHMS.map(|algorithm| {
                let of = |routing| results.of("barrier", network, algorithm, "", routing, "random");
                let micros = of(routing).value * CYCLE_NS / 1e3 / f64::from(BARRIERS);
                let gain = Gain::less(of(routing), of(BASE));
                format!("{micros:.2} ({gain})")
            })
        });
        std::iter::once(format!("`{routing}`"))
            .chain(cells)
            .collect()
    });
    let header = NETWORKS.iter().flat_map(|(_, name)| {
        ALGORITHMS.map(|algorithm| format!("{name}, {}", algorithm.replace('-', " ")))
    });
    let header: Vec<String> = std::iter::once("us".to_owned()).chain(header).collect();
    table(&header, rows)
}

/// Nanoseconds of a cycle of 62.5 MHz, and barriers in a run.
const CYCLE_NS: f64 = 16.0;
const BARRIERS: u32 = 100;

/// What each routing carries of each pattern, and its gain.
fn carried(results: &Results, figure: &'static str) -> String {
    let places = NETWORKS
        .iter()
        .flat_map(|network| PATTERNS.map(|pattern| (*network, pattern)));
    let rows = places.map(|((network, name), pattern)| {
        let of = |routing| results.of(figure, network, pattern, LARGE, routing, "random");
        let base = format!("{:.3}", of(BASE).value);
        let gains = ROUTINGS[3..]
            .iter()
            .map(|routing| Gain::more(of(routing), of(BASE)).to_string());
        [format!("{name}, {}", pattern.replace('-', " ")), base]
            .into_iter()
            .chain(gains)
            .collect()
    });
    let names = ROUTINGS[3..].iter().map(|routing| format!("`{routing}`"));
    let header = ["".to_owned(), format!("`{BASE}`")]
        .into_iter()
        .chain(names);
    table(&header.collect::<Vec<String>>(), rows)
}

/// What more virtual channels and larger buffers are worth.
fn channels(results: &Results) -> String {
    let rows = NETWORKS.iter().flat_map(|(network, name)| {
        ["messages", "bandwidth"].map(|figure| {
            let gains = [LARGE, SMALL].into_iter().flat_map(|buffers| {
                [
                    ("up-down 2", "up-down 1"),
                    ("up-down 4", "up-down 1"),
                    ("dl 4 balanced", "dl 2 balanced"),
                ]
                .map(|(more, less)| mean_gain(results, (figure, network, buffers), more, less))
            });
            let reading = match figure {
                "messages" => "one message at a time",
                _ => "all the time",
            };
            std::iter::once(format!("{name}, {reading}"))
                .chain(gains)
                .collect()
        })
    });
    let header = [LARGE, SMALL].into_iter().flat_map(|buffers| {
        ["up*/down* 2 over 1", "4 over 1", "DL 4 over 2"].map(|what| format!("{what}, {buffers}"))
    });
    let header: Vec<String> = std::iter::once(String::new()).chain(header).collect();
    table(&header, rows)
}

/// The gain of one routing over another, a mean of all patterns.
fn mean_gain(
    results: &Results,
    (figure, network, buffers): (&'static str, &str, &str),
    more: &str,
    less: &str,
) -> String {
    let gains = PATTERNS.map(|pattern| {
        let of = |routing| results.of(figure, network, pattern, buffers, routing, "random");
        Gain::more(of(more), of(less)).mean
    });
    format!("{:+.1} %", 100.0 * crate::pages::mean(gains))
}

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

/// Gains over the first routing on all clusters, in ascending order.
fn sorted_gains(results: &Results, (figure, traffic): (&str, &str), routing: &str) -> Vec<f64> {
    let mut gains: Vec<f64> = results
        .clusters()
        .map(|cluster| {
            let of = |routing| results.of(figure, cluster, traffic, "", routing, "random");
            match figure {
                "barrier" => Gain::less(of(routing), of(BASE)).mean,
                _ => Gain::more(of(routing), of(BASE)).mean,
            }
        })
        .collect();
    gains.sort_by(f64::total_cmp);
    gains
}

const OF_ENSEMBLE: [&str; 4] = ["up-down 2 min-ecc", "dl 2", "dl 4", "sbp"];

fn ensemble(results: &Results) -> String {
    let rows = OF_CLUSTERS.iter().flat_map(|&(figure, traffic, title)| {
        OF_ENSEMBLE.map(|routing| {
            let gains = sorted_gains(results, (figure, traffic), routing);
            let at =
                |share: usize| format!("{:+.0} %", 100.0 * gains[share * (gains.len() - 1) / 100]);
            let shares = SHARES.iter().map(|&share| at(share));
            [title.to_owned(), format!("`{routing}`")]
                .into_iter()
                .chain(shares)
                .chain([at(100)])
                .collect()
        })
    });
    let shares = SHARES.iter().map(|share| format!("{share} %"));
    let header: Vec<String> = ["".to_owned(), "over up*/down*".to_owned()]
        .into_iter()
        .chain(shares)
        .chain(["most".to_owned()])
        .collect();
    table(&header, rows)
}

/// Gains by the share of clusters that have less.
fn over_clusters(results: &Results) -> String {
    let panels = OF_CLUSTERS.map(|(kind, traffic, title)| {
        let lines = ["dl 2", "dl 4", "sbp"]
            .iter()
            .zip(["#2a6fbb", "#c46a1b", "#2e8b57"]);
        let lines = lines.map(|(routing, colour)| {
            let gains = sorted_gains(results, (kind, traffic), routing);
            let values =
                (0..=10).map(|tenth| gains[tenth * (gains.len() - 1) / 10].max(0.0) * 100.0);
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
