//! `docs/rhinet2.md`, the paper against Turnwise: its text, its tables and its figure.

mod claims;
mod gains;
mod results;

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
        .replace("{{placed}}", &gains::placed(&results))
        .replace("{{ensemble}}", &gains::ensemble(&results));
    (page, gains::over_clusters(&results))
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
