//! `docs/megafly.md`, the paper against Turnwise: its text, its tables and its figures.

mod carried;
mod claims;

use crate::pages::places::{Line, Panel, figure};
use crate::pages::{Csv, mean, table};
use carried::{PERMUTATION, Results, SHIFT, SYSTEMS, System};
use claims::READINGS;

const PAGE: &str = include_str!("template.md");
const FULL_LOAD: &str = include_str!("../../../../docs/results/megafly-full-load.csv");
const TEN: &str = include_str!("../../../../docs/results/megafly-ten-permutations.csv");
const DELAYS: &str = include_str!("../../../../docs/results/megafly-feedback-delay.csv");
const CANDIDATES: &str = include_str!("../../../../docs/results/megafly-candidates.csv");
const WHOLE_QUEUES: &str = include_str!("../../../../docs/results/megafly-whole-queues.csv");
const OFFSETS: &str = include_str!("../../../../docs/results/megafly-offsets.csv");
const TIMES: &str = include_str!("../../../../docs/results/megafly-times.csv");

const WIRINGS: [&str; 3] = ["absolute", "relative", "circulant"];
/// The systems whose delays and candidates are drawn.
const ENDS: [System; 2] = [(12, 9), (8, 17)];
const TRAFFICS: [&str; 2] = [PERMUTATION, SHIFT];
const COLOURS: [&str; 4] = ["#444444", "#2a6fbb", "#c46a1b", "#2e8b57"];

/// The page, and its figures: over delays, and over candidates.
pub(crate) fn page() -> (String, [String; 2]) {
    let texts = [FULL_LOAD, DELAYS, CANDIDATES, WHOLE_QUEUES];
    let [full, delays, candidates, whole] = texts.map(Results::read);
    let ten = Results::read(FULL_LOAD).with_permutations(TEN);
    let page = PAGE
        .replace("{{claims}}", &claims::of_full_load(&ten, "par", ""))
        .replace("{{claims-sst}}", &claims::of_full_load(&ten, "par-sst", ""))
        .replace(
            "{{claims-whole}}",
            &claims::of_full_load(&whole, "par", WHOLE),
        )
        .replace("{{whole-queues}}", &of_whole_queues(&full, &whole))
        .replace("{{permutation}}", &carried_by_all(&ten, PERMUTATION))
        .replace("{{shift}}", &carried_by_all(&full, SHIFT))
        .replace("{{wirings}}", &wirings(&ten))
        .replace("{{delays}}", &of_delays(&delays))
        .replace("{{candidates}}", &of_candidates(&full, &candidates))
        .replace("{{bits}}", &of_bits(&full, &candidates))
        .replace("{{offsets}}", &of_offsets())
        .replace("{{times}}", &times());
    let figures = [over_delays(&delays), over_candidates(&full, &candidates)];
    (page, figures)
}

fn title((radix, groups): System) -> String {
    format!("mfly({radix},{groups})")
}

/// What the studies have at this scale.
fn cell(text: Option<String>) -> String {
    text.unwrap()
}

/// What every routing carries of one traffic in the first wiring.
fn carried_by_all(full: &Results, traffic: &str) -> String {
    let routings = [
        ("minimal", "minimal"),
        ("valiant", "Valiant"),
        ("ugal", "UGAL"),
        ("par", "PAR (`par`)"),
        ("par-sst", "PAR of SST-macro (`par-sst`)"),
        ("kapr", "KAPR"),
        ("ku-gcn", "KU-GCN, product"),
        ("ku-gcn sum", "KU-GCN, sum"),
        ("informed", "`informed`, Turnwise's own"),
    ];
    let rows = routings.map(|(routing, title)| {
        let cells = SYSTEMS.map(|system| {
            let found = full.carried((system, "absolute"), traffic, routing);
            cell(found.map(|found| found.text()))
        });
        std::iter::once(title.to_owned()).chain(cells).collect()
    });
    table(
        &["routing", "mfly(12,9)", "mfly(10,11)", "mfly(8,17)"],
        rows,
    )
}

/// What whole queues are called in the names of routings.
const WHOLE: &str = " whole_queues=true";

/// What is carried by credits, and by whole queues.
fn of_whole_queues(full: &Results, whole: &Results) -> String {
    let mut rows = Vec::new();
    for traffic in TRAFFICS {
        for (routing, title) in [("par", "PAR"), ("par-sst", "PAR of SST-macro")]
            .into_iter()
            .chain(READINGS)
        {
            let cells = SYSTEMS.map(|system| {
                let place = (system, "absolute");
                let credits = full.carried(place, traffic, routing);
                let queues = whole.carried(place, traffic, &format!("{routing}{WHOLE}"));
                let both = credits.zip(queues);
                cell(
                    both.map(|(credits, queues)| format!("{:.3}, {}", credits.mean, queues.text())),
                )
            });
            let first = [traffic.replace('-', " "), title.to_owned()];
            rows.push(first.into_iter().chain(cells).collect());
        }
    }
    let header = [
        "traffic",
        "routing",
        "mfly(12,9)",
        "mfly(10,11)",
        "mfly(8,17)",
    ];
    table(&header, rows)
}

/// Gains over PAR, wirings apart.
fn wirings(full: &Results) -> String {
    let mut rows = Vec::new();
    for traffic in TRAFFICS {
        for (routing, title) in READINGS {
            for wiring in WIRINGS {
                let cells = SYSTEMS.map(|system| {
                    let gain = full.gain((system, wiring), traffic, [routing, "par"]);
                    cell(gain.map(|gain| gain.percent()))
                });
                let first = [
                    traffic.replace('-', " "),
                    title.to_owned(),
                    wiring.to_owned(),
                ];
                rows.push(first.into_iter().chain(cells).collect());
            }
        }
    }
    let header = [
        "traffic",
        "reading",
        "wiring",
        "mfly(12,9)",
        "mfly(10,11)",
        "mfly(8,17)",
    ];
    table(&header, rows)
}

/// Delays: what the study has, and what they are called in the figure, in us.
const TAUS: [(&str, &str); 4] = [
    ("1", "0.08"),
    ("1 us", "1"),
    ("10 us", "10"),
    ("100 us", "100"),
];

/// What a routing with news is called that are so old.
fn told(routing: &str, delay: &str) -> String {
    format!("{routing} feedback_delay={delay}")
}

/// What is carried, and how much channels swing, by delay.
fn of_delays(delays: &Results) -> String {
    let mut rows = Vec::new();
    for traffic in TRAFFICS {
        for system in ENDS {
            let text = |name: &str| {
                let found = delays.swinging(system, traffic, name);
                cell(found.map(|(carried, herding)| format!("{}, {herding:.4}", carried.text())))
            };
            let first = |title: &str| {
                vec![
                    traffic.replace('-', " "),
                    self::title(system),
                    title.to_owned(),
                ]
            };
            let mut par = first("PAR");
            par.push(text("par"));
            par.extend(std::iter::repeat_n(String::new(), TAUS.len() - 1));
            rows.push(par);
            for (routing, title) in READINGS {
                let cells = TAUS.map(|(delay, _)| text(&told(routing, delay)));
                rows.push(first(title).into_iter().chain(cells).collect());
            }
        }
    }
    let header = [
        "traffic",
        "system",
        "routing",
        "tau 0.08 us",
        "1 us",
        "10 us",
        "100 us",
    ];
    table(&header, rows)
}

/// Carried on the left, swinging on the right.
fn over_delays(delays: &Results) -> String {
    let places = TAUS.map(|(_, name)| name);
    let mut panels = Vec::new();
    for traffic in TRAFFICS {
        for system in ENDS {
            let line = |place: usize, swinging: bool| {
                let values = TAUS.map(|(delay, _)| {
                    let name = match place {
                        0 => "par".to_owned(),
                        _ => told(READINGS[place - 1].0, delay),
                    };
                    let found = delays.swinging(system, traffic, &name);
                    found.map_or(
                        f64::NAN,
                        |(carried, herding)| {
                            if swinging { herding } else { carried.mean }
                        },
                    )
                });
                line(place, values.into())
            };
            let name = format!("{}, {}", traffic.replace('-', " "), title(system));
            for (what, to, swinging) in [("carried", 0.9, false), ("herding", 0.2, true)] {
                panels.push(Panel {
                    title: format!("{name}: {what}"),
                    to,
                    lines: (0..4).map(|place| line(place, swinging)).collect(),
                });
            }
        }
    }
    figure(&panels, 2, &places, "age of the news in us")
}

fn line(place: usize, values: Vec<f64>) -> Line {
    let label = match place {
        0 => "PAR".to_owned(),
        _ => READINGS[place - 1].1.to_owned(),
    };
    let colour = COLOURS[place];
    Line {
        label,
        colour,
        values,
    }
}

const COUNTS: [(u32, &str); 5] = [(1, "1"), (2, "2"), (4, "4"), (8, "8"), (64, "all")];

fn of_candidates(full: &Results, candidates: &Results) -> String {
    let mut rows = Vec::new();
    for traffic in TRAFFICS {
        for system in ENDS {
            for (routing, title) in READINGS {
                let par = full.carried((system, "absolute"), traffic, "par");
                let cells = COUNTS.map(|(count, _)| {
                    let name = format!("{routing} paths={count}");
                    let found = candidates.swinging(system, traffic, &name);
                    cell(found.map(|(carried, _)| carried.text()))
                });
                let first = [
                    traffic.replace('-', " "),
                    self::title(system),
                    title.to_owned(),
                ];
                let last = cell(par.map(|par| par.text()));
                rows.push(first.into_iter().chain(cells).chain([last]).collect());
            }
        }
    }
    let header = [
        "traffic", "system", "routing", "K = 1", "2", "4", "8", "all", "PAR",
    ];
    table(&header, rows)
}

fn over_candidates(full: &Results, candidates: &Results) -> String {
    let places = COUNTS.map(|(_, name)| name);
    let mut panels = Vec::new();
    for traffic in TRAFFICS {
        for system in ENDS {
            let values = |place: usize| {
                COUNTS.map(|(count, _)| {
                    let carried = match place {
                        0 => full.carried((system, "absolute"), traffic, "par"),
                        _ => {
                            let name = format!("{} paths={count}", READINGS[place - 1].0);
                            candidates
                                .swinging(system, traffic, &name)
                                .map(|(carried, _)| carried)
                        }
                    };
                    carried.map_or(f64::NAN, |carried| carried.mean)
                })
            };
            panels.push(Panel {
                title: format!("{}, {}: carried", traffic.replace('-', " "), title(system)),
                to: 0.9,
                lines: (0..4)
                    .map(|place| line(place, values(place).into()))
                    .collect(),
            });
        }
    }
    figure(&panels, 2, &places, "candidates of each kind, K")
}

/// KAPR with other bits, decisions and ways; how often packets go non-minimally.
fn of_bits(full: &Results, candidates: &Results) -> String {
    let variants = [
        ("kapr paths=4", "as read: 2 x mean + 16 flits"),
        ("kapr congested_flits=0", "2 x mean"),
        ("kapr congested_flits=0 congested_factor=1.0", "the mean"),
        ("kapr congested_flits=8 congested_factor=0.0", "8 flits"),
        ("kapr congested_flits=64", "never set"),
        (
            "kapr progressive=true",
            "as read, and decided again at the spine",
        ),
        (
            "kapr gg_shortcut=true",
            "as read, with shortcuts from group to group",
        ),
    ];
    let mut rows = Vec::new();
    let cells = |texts: &dyn Fn(System, &str) -> String| {
        let shift = ENDS.map(|system| texts(system, SHIFT));
        let permutation = ENDS.map(|system| texts(system, PERMUTATION));
        shift.into_iter().chain(permutation).collect::<Vec<_>>()
    };
    for (name, title) in variants {
        let text = |system, traffic: &str| {
            let found = candidates.swinging(system, traffic, name);
            cell(found.map(|(carried, herding)| format!("{:.3}, {herding:.4}", carried.mean)))
        };
        rows.push([vec![title.to_owned()], cells(&text)].concat());
    }
    let par = |system, traffic: &str| {
        let found = full.carried((system, "absolute"), traffic, "par");
        cell(found.map(|found| format!("{:.3}", found.mean)))
    };
    rows.push([vec!["PAR".to_owned()], cells(&par)].concat());
    table(
        &[
            "a channel is congested above",
            "shift, mfly(12,9)",
            "shift, mfly(8,17)",
            "permutation, mfly(12,9)",
            "permutation, mfly(8,17)",
        ],
        rows,
    )
}

/// The worst and the mean of all shifts by groups in the first wiring, of systems one after the other.
fn of_offsets() -> String {
    let csv = Csv::read(OFFSETS);
    let routings = ["par", "par-sst", "kapr", "ku-gcn", "ku-gcn sum", "informed"];
    let of_one = |(system, routing): (System, &str)| {
        let rows = csv.records().filter(|row| {
            row.number("network.groups") == f64::from(system.1)
                && row.text("network.wiring") == WIRINGS[0]
                && carried::name(row.text("routing")) == routing
        });
        let found: Vec<(f64, f64)> = rows
            .map(|row| {
                (
                    row.number("accepted_load"),
                    row.number("traffic.group_offset"),
                )
            })
            .collect();
        let mean = mean(found.iter().map(|&(carried, _)| carried));
        let carried = |a: &&(f64, f64), b: &&(f64, f64)| a.0.total_cmp(&b.0);
        // Of equal ones the first.
        let worst = *found.iter().min_by(carried).unwrap();
        let best = *found.iter().rev().max_by(carried).unwrap();
        let at = |(carried, offset): (f64, f64)| format!("{carried:.3} (by {offset:.0})");
        vec![
            title(system),
            format!("`{routing}`"),
            format!("{mean:.3}"),
            at(worst),
            at(best),
        ]
    };
    let all = SYSTEMS.iter();
    let all = all.flat_map(|&system| routings.map(|routing| (system, routing)));
    table(
        &["system", "routing", "mean", "worst", "best"],
        all.map(of_one),
    )
}

/// Time of the studies.
fn times() -> String {
    let csv = Csv::read(TIMES);
    let columns = ["study", "points", "minutes", "processor_minutes"];
    let rows = csv
        .records()
        .map(|row| columns.map(|column| row.text(column).to_owned()).into());
    table(&["study", "points", "minutes", "processor minutes"], rows)
}
