//! `docs/machines.md`, today's largest dragonflies: its text and its tables.

use crate::pages::{Csv, Record, mean, table};

const PAGE: &str = include_str!("template.md");
const DRAGONFLIES: &str = include_str!("../../../../docs/results/machines-dragonflies.csv");
const PLUS: &str = include_str!("../../../../docs/results/machines-dragonfly-plus.csv");

/// The page.
pub(crate) fn page() -> String {
    let (dragonflies, plus) = (Csv::read(DRAGONFLIES), Csv::read(PLUS));
    let groups = |number: &'static str| {
        dragonflies
            .records()
            .filter(move |row| row.text("network.groups") == number)
    };
    PAGE.replace("{{frontier}}", &carried(groups("74")))
        .replace("{{aurora}}", &carried(groups("166")))
        .replace("{{leonardo}}", &carried(plus.records()))
}

/// What each routing carries of each load, in the order of the study.
fn carried<'a>(rows: impl Iterator<Item = Record<'a>> + Clone) -> String {
    let distinct = |column: &str| {
        let mut found: Vec<&str> = Vec::new();
        for row in rows.clone() {
            let text = row.text(column);
            if !found.contains(&text) {
                found.push(text);
            }
        }
        found
    };
    let traffics = distinct("traffic");
    let lines = distinct("routing.kind").into_iter().map(|routing| {
        let cells = traffics.iter().map(|traffic| {
            let of = rows.clone().filter(|row| {
                row.text("routing.kind") == routing && row.text("traffic") == *traffic
            });
            if of.clone().next().is_none() {
                return String::new();
            }
            let figure = |column: &'static str| mean(of.clone().map(|row| row.number(column)));
            let latency = match of.clone().any(|row| row.is("saturated")) {
                true => "saturated".to_owned(),
                false => format!("{:.0} cycles", figure("mean_packet_latency")),
            };
            let (carried, routers) = (figure("accepted_load"), figure("mean_routers"));
            match routers.is_finite() {
                true => format!("{carried:.3}, {latency}, {routers:.1}"),
                false => format!("{carried:.3}, {latency}, none arrived"),
            }
        });
        std::iter::once(format!("`{routing}`"))
            .chain(cells)
            .collect()
    });
    let names = traffics.iter().map(|traffic| {
        let fields: serde_json::Value = serde_json::from_str(traffic).unwrap();
        let pattern = fields["pattern"].as_str().unwrap().replace('-', " ");
        format!("{pattern}, load {}", fields["load"])
    });
    let header: Vec<String> = std::iter::once("routing".to_owned()).chain(names).collect();
    table(&header, lines)
}
