//! `docs/propagation-ratio.md`, the paper against Turnwise: its text and its figures.

mod claims;
mod curves;

use crate::pages::plot::{Curve, Panel, figure};
use crate::pages::{Csv, Record, mean, table};
use curves::{Curves, Point, WEIGHTS};

const PAGE: &str = include_str!("template.md");
const ATTACK: &str = include_str!("../../../../docs/results/propagation-group-attack.csv");
const UNIFORM: &str = include_str!("../../../../docs/results/propagation-uniform.csv");
const WITHOUT: &str = include_str!("../../../../docs/results/propagation-without-par.csv");
const LINKS: &str = include_str!("../../../../docs/results/propagation-three-links.csv");
const ALIGNED: &str = include_str!("../../../../docs/results/propagation-alignment.csv");
const CHANNELS: &str = include_str!("../../../../docs/results/propagation-channels.csv");
const VARIANTS: &str = include_str!("../../../../docs/results/propagation-variants.csv");
const SEARCH: &str = include_str!("../../../../docs/results/propagation-search.csv");

/// The page, and its figures: under a group attack, and under uniform traffic.
pub(crate) fn page() -> (String, [String; 2]) {
    let [attack, uniform, without, links] = [ATTACK, UNIFORM, WITHOUT, LINKS].map(Csv::read);
    let is_attack = |row: Record<'_>| row.text("traffic").contains("group-attack");
    let alone = |row: Record<'_>| !row.is("routing.progressive");
    let attacks = [
        Curves::of("sample", &attack, |_| true),
        Curves::of("without PAR", &without, is_attack),
        Curves::of("three links, without PAR", &links, |row| {
            alone(row) && is_attack(row)
        }),
    ];
    let uniforms = [
        Curves::of("sample", &uniform, |_| true),
        Curves::of("without PAR", &without, |row| !is_attack(row)),
        Curves::of("three links, without PAR", &links, |row| {
            alone(row) && !is_attack(row)
        }),
    ];
    let with_par = Curves::of("three links", &links, |row| !alone(row) && is_attack(row));
    let page = PAGE
        .replace("{{claims}}", &claims::claims(&attacks, &uniforms))
        .replace("{{ends}}", &ends(attacks.iter().chain([&with_par])))
        .replace("{{detours}}", &detours(&attacks))
        .replace("{{uniform}}", &tails(&uniforms))
        .replace("{{channels}}", &channels())
        .replace("{{alignment}}", &alignment())
        .replace("{{variants}}", &variants())
        .replace("{{search}}", &search());
    let figures = [
        panels(&attacks, &[ROUTERS, NONMINIMAL, LATENCY], 0.6),
        panels(&uniforms, &[ROUTERS, LATENCY, TAIL], 1.0),
    ];
    (page, figures)
}

/// What is drawn of a point, from where to where, and whether it means anything in saturation.
struct Drawn {
    what: &'static str,
    of: fn(&Point) -> f64,
    from: f64,
    to: f64,
    always: bool,
}

const ROUTERS: Drawn = Drawn {
    what: "mean routers",
    of: |point| point.routers,
    from: 3.0,
    to: 8.0,
    always: true,
};
const NONMINIMAL: Drawn = Drawn {
    what: "non-minimal share",
    of: |point| point.nonminimal,
    from: 0.0,
    to: 1.0,
    always: true,
};
const LATENCY: Drawn = Drawn {
    what: "mean latency",
    of: |point| point.latency,
    from: 0.0,
    to: 800.0,
    always: false,
};
const TAIL: Drawn = Drawn {
    what: "p99.9 latency",
    of: |point| point.tail,
    from: 0.0,
    to: 1600.0,
    always: false,
};

const COLOURS: [&str; 3] = ["#444444", "#2a6fbb", "#c46a1b"];

/// A line of panels for each configuration; loads up to `width`.
fn panels(configurations: &[Curves], drawn: &[Drawn], width: f64) -> String {
    let curve = |curves: &Curves, drawn: &Drawn, place: usize| {
        let points = curves.of_weight(WEIGHTS[place]).iter();
        // The first saturated point shows where the line goes.
        let ends = points.clone().position(|point| point.is_saturated);
        let shown = match drawn.always {
            true => usize::MAX,
            false => ends.map_or(usize::MAX, |end| end + 1),
        };
        Curve {
            label: format!("w = {}", WEIGHTS[place]),
            colour: COLOURS[place],
            points: points
                .take(shown)
                .map(|point| (point.load, (drawn.of)(point)))
                .collect(),
        }
    };
    let panel = |curves: &Curves, drawn: &Drawn| Panel {
        title: format!("{}: {}", curves.name, drawn.what),
        from: drawn.from,
        to: drawn.to,
        width,
        curves: (0..3).map(|place| curve(curves, drawn, place)).collect(),
    };
    let all = configurations.iter();
    let all: Vec<Panel> = all
        .flat_map(|curves| drawn.iter().map(move |drawn| panel(curves, drawn)))
        .collect();
    figure(
        &all,
        drawn.len(),
        "offered load, flits per terminal and cycle",
    )
}

/// Where the curves of the group attack end.
fn ends<'a>(configurations: impl Iterator<Item = &'a Curves>) -> String {
    let rows = configurations.map(|curves| {
        let ends = WEIGHTS.map(|weight| {
            let end = curves.end(weight);
            format!("{:.3} at {:.2}", end.accepted, end.routers)
        });
        std::iter::once(curves.name.to_owned())
            .chain(ends)
            .collect()
    });
    table(&["configuration", "w = 0", "w = 0.25", "w = 0.5"], rows)
}

/// By how much fewer packets go non-minimally, load by load.
fn detours(configurations: &[Curves]) -> String {
    let mut rows = Vec::new();
    for curves in configurations {
        for weight in &WEIGHTS[1..] {
            let cells = [0.1, 0.2, 0.3, 0.4].map(|load: f64| {
                // The grids differ: the nearest load, not more than two steps of the study away.
                let near = |point: &Point| (point.load - load).abs();
                let pairs = curves
                    .pairs(*weight)
                    .filter(|(plain, _)| near(plain) < 0.021);
                let pair = pairs.min_by(|a, b| near(&a.0).total_cmp(&near(&b.0)));
                pair.map_or(String::new(), |(plain, weighted)| {
                    let fewer = claims::percent(weighted.nonminimal, plain.nonminimal);
                    format!("{fewer} (at {:.2})", plain.load)
                })
            });
            let mut row = vec![curves.name.to_owned(), weight.to_string()];
            row.extend(cells);
            rows.push(row);
        }
    }
    table(
        &["configuration", "w", "load 0.1", "0.2", "0.3", "0.4"],
        rows,
    )
}

/// p99.9 latency under uniform traffic, up to the first load at which whatever the weight all saturate.
fn tails(configurations: &[Curves]) -> String {
    let mut rows = Vec::new();
    for curves in configurations {
        let loads = curves.of_weight(0.0).iter().map(|point| point.load);
        for load in loads.filter(|load| *load >= 0.3) {
            let points = WEIGHTS.map(|weight| {
                let mut points = curves.of_weight(weight).iter();
                points.find(|point| point.load == load)
            });
            let cells = points.map(|point| {
                point.map_or(String::new(), |point| match point.is_saturated {
                    true => format!("saturated ({:.3})", point.accepted),
                    false => format!("{:.0}", point.tail),
                })
            });
            let mut row = vec![curves.name.to_owned(), load.to_string()];
            row.extend(cells);
            rows.push(row);
            if points.iter().flatten().all(|point| point.is_saturated) {
                break;
            }
        }
    }
    table(
        &["configuration", "load", "w = 0", "w = 0.25", "w = 0.5"],
        rows,
    )
}

/// How busy channels are, in the mean and at most.
fn channels() -> String {
    let csv = Csv::read(CHANNELS);
    let mut kinds: Vec<&str> = csv.records().map(|row| row.text("channels")).collect();
    kinds.dedup();
    let kinds = kinds.iter().take(kinds.len() / 2);
    let rows = kinds.map(|kind| {
        let of = csv.records().filter(|row| row.text("channels") == *kind);
        let cells =
            of.map(|row| format!("{:.2}, most {:.2}", row.number("mean"), row.number("most")));
        std::iter::once((*kind).to_owned()).chain(cells).collect()
    });
    table(&["channels", "w = 0", "w = 0.5"], rows)
}

fn alignment() -> String {
    let csv = Csv::read(ALIGNED);
    let mut modes: Vec<&str> = csv
        .records()
        .map(|row| row.text("traffic.group_mode"))
        .collect();
    modes.dedup();
    let rows = modes.into_iter().map(|mode| {
        let of = csv
            .records()
            .filter(|row| row.text("traffic.group_mode") == mode);
        let accepted = [0.0, 0.5].map(|weight| {
            let of = of
                .clone()
                .filter(|row| row.number("routing.propagation_weight") == weight);
            format!("{:.3}", mean(of.map(|row| row.number("accepted_load"))))
        });
        let mode = if mode == "half" { "16" } else { mode };
        std::iter::once(mode.to_owned()).chain(accepted).collect()
    });
    table(&["groups further on", "w = 0", "w = 0.5"], rows)
}

/// Versions of the ratio on the small network: what is carried, and the share of packets that go non-minimally.
fn variants() -> String {
    let csv = Csv::read(VARIANTS);
    let mut versions: Vec<&str> = csv
        .records()
        .map(|row| row.text("routing.propagation"))
        .collect();
    versions.dedup();
    let mut rows = Vec::new();
    for version in versions {
        for weight in WEIGHTS {
            let cells = [0.05, 0.1, 0.2, 0.3, 0.4].map(|load: f64| {
                let of = csv.records().filter(|row| {
                    row.text("routing.propagation") == version
                        && row.number("routing.propagation_weight") == weight
                        && row.number("offered_load") == load
                });
                let [accepted, detours] = ["accepted_load", "nonminimal_share"]
                    .map(|column| mean(of.clone().map(|row| row.number(column))));
                format!("{accepted:.3}, {:.0} %", 100.0 * detours)
            });
            let first = [version.to_owned(), weight.to_string()];
            rows.push(first.into_iter().chain(cells).collect());
        }
    }
    table(
        &["version", "w", "load 0.05", "0.1", "0.2", "0.3", "0.4"],
        rows,
    )
}

/// Each configuration of the small network: what it accepts at most, with and without the ratio.
fn search() -> String {
    let csv = Csv::read(SEARCH);
    let key = |row: Record<'_>| {
        ["routing", "router", "traffic.packet_flits"].map(|column| row.text(column).to_owned())
    };
    let mut keys: Vec<[String; 3]> = csv.records().map(key).collect();
    keys.dedup();
    let rows = keys.into_iter().map(|configuration| {
        let of = csv.records().filter(|row| key(*row) == configuration);
        let most = |pattern: &str, weight: f64| {
            let of = of.clone().filter(|row| {
                row.text("traffic").contains(pattern)
                    && row.number("routing.propagation_weight") == weight
            });
            of.map(|row| (row.number("accepted_load"), row.number("mean_routers")))
                .fold(
                    (0.0, 0.0),
                    |most: (f64, f64), next| if next.0 > most.0 { next } else { most },
                )
        };
        let [routing, router, flits] = &configuration;
        let [attack, weighted] = [0.0, 0.5].map(|weight| most("group-attack", weight));
        let uniform = [0.0, 0.5].map(|weight| most("uniform", weight).0);
        vec![
            words(routing, &["kind", "queue_flits", "width_cycles"]),
            words(router, &["preset"]),
            flits.clone(),
            format!("{:.2} at {:.1}", attack.0, attack.1),
            format!("{:.2} at {:.1}", weighted.0, weighted.1),
            format!("{:.2}", uniform[0]),
            format!("{:.2}", uniform[1]),
        ]
    });
    let header = [
        "routing",
        "router",
        "flits",
        "attack, w = 0",
        "w = 0.5",
        "uniform, w = 0",
        "w = 0.5",
    ];
    table(&header, rows)
}

/// The fields of a swept table that are not everywhere the same.
fn words(json: &str, left_out: &[&str]) -> String {
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json).unwrap();
    let fields = fields
        .iter()
        .filter(|(name, _)| !left_out.contains(&name.as_str()));
    let words: Vec<String> = fields
        .map(|(name, value)| match (name.as_str(), value) {
            ("virtual_channels", value) => format!("{value} VCs"),
            ("buffer_flits", value) => format!("global buffers {}", value["global"]),
            ("progressive", _) => "no PAR".to_owned(),
            ("valiant_node", _) => "no detour inside groups".to_owned(),
            ("sensor_source", _) => "sensor: output queue".to_owned(),
            ("sensor_scope", _) => "sensor: per port".to_owned(),
            ("offset", _) => "no offset".to_owned(),
            (name, value) => format!("{name} {value}"),
        })
        .collect();
    match words.is_empty() {
        true => "sample".to_owned(),
        false => words.join(", "),
    }
}
