//! `docs/informed.md`, the page on our own adaptive routing: its text and its tables.

use crate::pages::{Csv, Record, table};
use serde_json::Value;

const PAGE: &str = include_str!("template.md");
const SATURATION: &str = include_str!("../../../../docs/results/informed-dragonfly-saturation.csv");
const DRAGONFLY: &str = include_str!("../../../../docs/results/informed-dragonfly-latency.csv");
const MEGAFLIES: &str = include_str!("../../../../docs/results/informed-megafly-latency.csv");
const OVERLOAD: &str = include_str!("../../../../docs/results/informed-overload.csv");

/// The page.
pub(crate) fn page() -> String {
    let (dragonfly, megaflies) = (Csv::read(DRAGONFLY), Csv::read(MEGAFLIES));
    let mut systems: Vec<&str> = megaflies.records().map(|row| row.text("network")).collect();
    systems.sort_unstable();
    systems.dedup();
    let of_system = |system: &&str| {
        let rows = megaflies.records();
        let rows = rows.filter(|row| row.text("network") == *system);
        let name = |field: &str| json(system)[field].to_string();
        let (half_radix, groups) = (name("half_radix"), name("groups"));
        format!("**mfly({half_radix},{groups})**\n\n{}", latencies(rows))
    };
    let megaflies: Vec<String> = systems.iter().map(of_system).collect();
    PAGE.replace("{{saturation}}", &saturation())
        .replace("{{dragonfly}}", &latencies(dragonfly.records()))
        .replace("{{megaflies}}", &megaflies.join("\n\n"))
        .replace("{{overload}}", &overload())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn routing(row: Record<'_>) -> String {
    format!("`{}`", json(row.text("routing"))["kind"].as_str().unwrap())
}

/// Where each routing saturates, highest first.
fn saturation() -> String {
    let csv = Csv::read(SATURATION);
    let mut rows: Vec<Record<'_>> = csv.records().collect();
    let load = |row: Record<'_>| row.number("saturation_load");
    rows.sort_by(|&one, &other| load(other).total_cmp(&load(one)));
    let rows = rows.into_iter().map(|row| {
        let interval = row.number("saturation_load_ci");
        vec![
            routing(row),
            format!("{:.3} ± {interval:.3}", load(row)),
            format!("{:.3}", row.number("accepted_load")),
        ]
    });
    table(&["routing", "saturation", "carried at 0.5"], rows)
}

/// Mean and p99 of each routing in each traffic, in the order of the study.
fn latencies<'a>(rows: impl Iterator<Item = Record<'a>> + Clone) -> String {
    let mut traffics: Vec<&str> = Vec::new();
    let mut routings: Vec<String> = Vec::new();
    for row in rows.clone() {
        let (traffic, routing) = (row.text("traffic"), routing(row));
        if !traffics.contains(&traffic) {
            traffics.push(traffic);
        }
        if !routings.contains(&routing) {
            routings.push(routing);
        }
    }
    let cell = |name: &str, traffic: &str| {
        let mut rows = rows.clone();
        let of = rows.find(|&row| routing(row) == name && row.text("traffic") == traffic);
        let row = of.unwrap();
        match row.is("saturated") {
            true => format!("carries {:.3}", row.number("accepted_load")),
            false => {
                let (mean, late) = (row.number("mean_packet_latency"), row.text("latency_p99"));
                format!("{mean:.1} / {late}")
            }
        }
    };
    let lines = routings.iter().map(|name| {
        let cells = traffics.iter().map(|traffic| cell(name, traffic));
        std::iter::once(name.clone()).chain(cells).collect()
    });
    let names = traffics.iter().map(|traffic| {
        let fields = json(traffic);
        format!("{} {}", fields["pattern"].as_str().unwrap(), fields["load"])
    });
    let header: Vec<String> = std::iter::once("routing".to_owned()).chain(names).collect();
    table(&header, lines)
}

/// What each routing carries of each overload, by network and virtual channels.
fn overload() -> String {
    let csv = Csv::read(OVERLOAD);
    let case = |row: Record<'_>| {
        let [network, router, traffic] =
            ["network", "router", "traffic"].map(|column| json(row.text(column)));
        let packets = traffic["packet_flits"].to_string();
        vec![
            format!("mfly({},{})", network["half_radix"], network["groups"]),
            router["virtual_channels"].to_string(),
            traffic["pattern"].as_str().unwrap().to_owned(),
            if packets == "1" {
                "1 flit".to_owned()
            } else {
                format!("{packets} flits")
            },
        ]
    };
    let mut header = ["network", "virtual channels", "traffic", "packets"]
        .map(str::to_owned)
        .to_vec();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut cases = Vec::new();
    for row in csv.records() {
        let (case, routing) = (case(row), routing(row));
        if !header.contains(&routing) {
            header.push(routing);
        }
        let carried = format!("{:.3}", row.number("accepted_load"));
        match cases.iter().position(|known| *known == case) {
            Some(at) => lines[at].push(carried),
            None => {
                lines.push(case.iter().cloned().chain([carried]).collect());
                cases.push(case);
            }
        }
    }
    table(&header, lines)
}
