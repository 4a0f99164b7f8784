//! Turns results and findings into the values of a report.

use crate::finding::Finding;
use crate::plan::Plan;
use crate::report::layout::{LayoutHint, arrange};
use crate::report::{
    Combination, Facts, LoadPoint, Panel, Picture, PictureLink, PictureRouter, Quality, Report,
    Series, Table, Verdict,
};
use crate::row::{COLUMNS, Row, figure};
use crate::runner::PointFailure;
use crate::store::Results;
use serde_json::Value as Json;
use turnwise_network::{Network, Shape};
use turnwise_verify::Verdict as Proof;

/// The report of a study.
pub fn report(
    plan: &Plan,
    results: &Results,
    findings: &[Finding],
    failures: &[PointFailure],
) -> Report {
    let rows: Vec<&Row> = plan
        .points
        .iter()
        .filter_map(|point| results.get(&point.id))
        .collect();
    let combinations: Vec<Combination> = findings.iter().map(combination).collect();
    let panels = panels(plan, &rows);
    let study = &plan.study;
    Report {
        title: study.title.clone().unwrap_or_else(|| plan.name.clone()),
        description: study.description.clone().unwrap_or_default(),
        fingerprint: fingerprint(&rows),
        summary: summary(plan, &rows, findings, &panels),
        combinations,
        panels,
        table: table(plan, &rows),
        study_name: file_name(plan.source.name(0).unwrap_or_default()),
        study_text: plan.source.text(0).unwrap_or_default().to_owned(),
        provenance: provenance(plan),
        failures: failures
            .iter()
            .map(|failure| format!("point {}: {}", failure.index, failure.message))
            .collect(),
    }
}

/// The last part of a path: where the study lay on the machine that ran it is nobody's business.
fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

/// One fingerprint for all rows: equal if and only if every point's is.
pub fn fingerprint(rows: &[&Row]) -> String {
    let all: String = rows
        .iter()
        .filter_map(|row| row.0.get("fingerprint")?.as_str())
        .collect();
    format!("{:016x}", crate::provenance::digest(all.as_bytes()))
}

fn provenance(plan: &Plan) -> Vec<(String, String)> {
    let mut rows = plan.provenance.rows();
    for index in 1..plan.source.count() as u16 {
        let text = plan.source.text(index).unwrap_or_default();
        rows.push((format!("override {index}"), format!("--set {text}")));
    }
    rows
}

/// At most five sentences, most important first.
fn summary(plan: &Plan, rows: &[&Row], findings: &[Finding], panels: &[Panel]) -> Vec<String> {
    let mut sentences: Vec<String> = findings.iter().map(verdict_sentence).collect();
    sentences.truncate(3);
    for panel in panels.iter().take(5 - sentences.len().min(4)) {
        sentences.extend(best_sentence(panel));
    }
    let saturated = rows.iter().filter(|row| row.flag("saturated")).count();
    sentences.truncate(4);
    let deadlocked = rows.iter().filter(|row| row.flag("deadlocked")).count();
    let mut counts = format!(
        "{} of {} points simulated, {saturated} of them saturated",
        rows.len(),
        plan.points.len()
    );
    if deadlocked > 0 {
        counts.push_str(&format!(", {deadlocked} deadlocked"));
    }
    sentences.push(counts + ".");
    sentences
}

/// The verdict and the quality of a finding, as a sentence.
pub fn verdict_sentence(finding: &Finding) -> String {
    let quality = &finding.analysis.quality;
    let subject = format!(
        "{} on {}",
        finding.routing_name,
        finding.routed.network.description()
    );
    let verdict = match &finding.analysis.verdict {
        Proof::DeadlockFree(proof) => {
            format!(
                "proved deadlock-free ({} dependencies numbered)",
                proof.dependencies.len()
            )
        }
        Proof::Cyclic(cycle) => format!(
            "can deadlock (cycle of {} channels found)",
            cycle.waiting.len()
        ),
        Proof::Unexplored(_) => "too large to be proved deadlock-free".to_owned(),
    };
    let lost = match finding.unroutable_pairs() {
        0 => String::new(),
        pairs => format!(", {pairs} of {} pairs have no route", quality.pairs),
    };
    format!(
        "{subject}: {verdict}{lost}; largest channel load {} against a lower bound of {}.",
        figure(quality.edge_forwarding_index),
        figure(finding.lower_bound())
    )
}

fn best_sentence(panel: &Panel) -> Option<String> {
    let peak = |series: &Series| {
        series
            .points
            .iter()
            .map(|point| point.accepted_load)
            .fold(0.0, f64::max)
    };
    let mut peaks: Vec<(String, f64)> = panel
        .series
        .iter()
        .map(|series| (series.label.clone(), peak(series)))
        .collect();
    peaks.sort_by(|a, b| b.1.total_cmp(&a.1));
    let texts: Vec<String> = peaks
        .iter()
        .take(3)
        .map(|(label, load)| format!("{label} accepts up to {load:.3}"))
        .collect();
    (!texts.is_empty()).then(|| {
        format!(
            "{}: {} flits per terminal and cycle.",
            panel.title,
            texts.join(", ")
        )
    })
}

fn combination(finding: &Finding) -> Combination {
    let network = &finding.routed.network;
    let quality = &finding.analysis.quality;
    let verdict = match (&finding.analysis.verdict, finding.unroutable_pairs()) {
        (Proof::Cyclic(cycle), _) => Verdict::Cyclic {
            cycle: cycle.render(network),
        },
        (_, pairs) if pairs > 0 => Verdict::Unreachable {
            pairs,
            examples: finding.unroutable_examples(),
        },
        (Proof::DeadlockFree(proof), _) => Verdict::DeadlockFree {
            vertices: proof.used_vertices as u64,
            dependencies: proof.dependencies.len() as u64,
        },
        (Proof::Unexplored(_), _) => Verdict::NotVerified,
    };
    let mut notes = vec![format!("Flow control: {}.", finding.flow_control.name())];
    let unconnected = network.unconnected_ports().count();
    if unconnected > 0 {
        notes.push(format!("{unconnected} router ports lead nowhere."));
    }
    let pairs = |share: f64| (share * quality.routable_pairs as f64).round() as u64;
    let lengths = quality.length_shares.iter().enumerate();
    Combination {
        network: network.description().to_owned(),
        network_description: String::new(),
        routing: finding.routing_name.clone(),
        facts: Facts {
            routers: network.router_count() as u64,
            terminals: network.terminal_count() as u64,
            channels: network.channel_count() as u64,
            diameter: Some(quality.diameter),
        },
        verdict,
        notes,
        quality: Some(Quality {
            edge_forwarding_index: quality.edge_forwarding_index,
            lower_bound: finding.lower_bound(),
            lower_bound_source: finding.bound.words(),
            mean_load: quality.mean_load,
            min_load: quality.min_load,
            deviation: quality.deviation,
            path_lengths: lengths
                .map(|(hops, &share)| (hops as u32, pairs(share)))
                .collect(),
            channel_loads: quality.loads.clone(),
        }),
        picture: Some(picture(finding)),
    }
}

fn layout_hint(network: &Network) -> LayoutHint {
    match network.shape() {
        Shape::Grid(grid) => LayoutHint::Grid {
            sizes: grid.sizes.clone(),
            wrap: grid.wrap,
        },
        Shape::HyperX(hyperx) if hyperx.sizes.len() > 1 => LayoutHint::Grid {
            sizes: hyperx.sizes.clone(),
            wrap: false,
        },
        Shape::HyperX(_) => LayoutHint::Circle,
        Shape::Dragonfly(dragonfly) => LayoutHint::Groups {
            groups: dragonfly.groups,
            per_group: dragonfly.routers_per_group,
        },
        Shape::Megafly(megafly) => LayoutHint::Groups {
            groups: megafly.groups,
            per_group: 2 * megafly.half_radix,
        },
        Shape::FatTree(tree) => LayoutHint::Levels(
            network
                .routers()
                .map(|router| tree.level_and_index(router.0).0 as u32 - 1)
                .collect(),
        ),
        Shape::Graph => LayoutHint::Force {
            edges: network
                .channels()
                .filter_map(|(id, _)| network.ends(id))
                .map(|(a, b)| (a.0, b.0))
                .collect(),
        },
    }
}

/// The position of every router. Megafly numbers all leaves before all spines, while the
/// picture wants a group's routers side by side.
fn positions(network: &Network) -> (Vec<(f64, f64)>, f64, bool) {
    let layout = arrange(&layout_hint(network), network.router_count());
    let positions = match network.shape() {
        Shape::Megafly(megafly) => {
            let r = megafly.half_radix;
            let place = |router: u32| {
                let (group, index) = megafly.group_and_index(router);
                group * 2 * r
                    + if megafly.is_leaf(router) {
                        index
                    } else {
                        r + index
                    }
            };
            network
                .routers()
                .map(|router| layout.positions[place(router.0) as usize])
                .collect()
        }
        _ => layout.positions,
    };
    (positions, layout.aspect, layout.bundled)
}

fn picture(finding: &Finding) -> Picture {
    let network = &finding.routed.network;
    let quality = &finding.analysis.quality;
    let (positions, aspect, bundled) = positions(network);
    let routers = network
        .routers()
        .zip(positions)
        .map(|(router, (x, y))| PictureRouter {
            x,
            y,
            label: network.router_label(router),
            group: network.shape().group(router),
        });
    let links = network.channels().filter_map(|(id, channel)| {
        let (a, b) = network.ends(id)?;
        let reverse = network.reverse(id);
        // A cable is drawn once, from the lower of its two channels.
        reverse
            .is_none_or(|reverse| id < reverse)
            .then(|| PictureLink {
                a: a.0,
                b: b.0,
                forward: quality.load(id),
                backward: reverse.map_or(f64::NAN, |reverse| quality.load(reverse)),
                class: channel.class.name(),
            })
    });
    Picture {
        load_name: "routes per channel".into(),
        load_unit: "terminal pairs".into(),
        caption: format!(
            "Expected number of terminal pairs whose packets cross each channel under {}, every option equally likely.",
            finding.routing_name
        ),
        aspect,
        bundled,
        routers: routers.collect(),
        links: links.collect(),
    }
}

/// The rows of each series of a panel, by label.
type SeriesRows<'a> = Vec<(String, Vec<&'a Row>)>;

/// Rows by panel and series, in order of first appearance.
fn panels(plan: &Plan, rows: &[&Row]) -> Vec<Panel> {
    let mut panels: Vec<(String, SeriesRows<'_>)> = Vec::new();
    for row in rows {
        let (mut panel, mut series) = (Vec::new(), Vec::new());
        for (name, value) in row
            .point()
            .filter(|&(name, _)| name != "traffic.load" && name != "repeat")
        {
            let is_series = name.starts_with("routing") || name.starts_with("router");
            if is_series { &mut series } else { &mut panel }.push(words(name, value));
        }
        let panel = if panel.is_empty() {
            default_panel(plan)
        } else {
            panel.join(", ")
        };
        let series = if series.is_empty() {
            default_series(plan)
        } else {
            series.join(", ")
        };
        let all = entry(&mut panels, panel);
        entry(all, series).push(row);
    }
    panels
        .into_iter()
        .map(|(title, series)| Panel {
            title,
            note: String::new(),
            series: series
                .into_iter()
                .map(|(label, rows)| Series {
                    label,
                    points: points(&rows),
                })
                .collect(),
        })
        .collect()
}

fn entry<K: PartialEq, V: Default>(entries: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = entries
        .iter()
        .position(|(known, _)| *known == key)
        .unwrap_or_else(|| {
            entries.push((key, V::default()));
            entries.len() - 1
        });
    &mut entries[at].1
}

/// A swept value for people: names speak for themselves, numbers need their field's.
fn words(name: &str, value: &Json) -> String {
    let field = name.rsplit('.').next().unwrap_or(name);
    match value {
        Json::String(text) => text.clone(),
        Json::Object(table) => {
            let kind = table
                .get("kind")
                .or(table.get("pattern"))
                .and_then(Json::as_str);
            kind.map_or_else(|| value.to_string(), str::to_owned)
        }
        other => format!("{} {other}", field.replace('_', " ")),
    }
}

fn default_panel(plan: &Plan) -> String {
    text_at(plan, "traffic.pattern").unwrap_or_else(|| "results".into())
}

fn default_series(plan: &Plan) -> String {
    text_at(plan, "routing.kind").unwrap_or_else(|| "results".into())
}

fn text_at(plan: &Plan, path: &str) -> Option<String> {
    plan.points
        .first()?
        .point
        .document
        .at_path(path)?
        .as_str()
        .map(str::to_owned)
}

/// Repetitions of one load become one point: means of means, intervals of independent runs.
fn points(rows: &[&Row]) -> Vec<LoadPoint> {
    let mut by_load: Vec<(f64, Vec<&Row>)> = Vec::new();
    for row in rows {
        let load = row.figure("offered_load").unwrap_or(f64::NAN);
        let at = by_load
            .iter()
            .position(|(known, _)| *known == load)
            .unwrap_or_else(|| {
                by_load.push((load, Vec::new()));
                by_load.len() - 1
            });
        by_load[at].1.push(row);
    }
    by_load
        .into_iter()
        .map(|(load, rows)| merged(load, &rows))
        .collect()
}

fn merged(load: f64, rows: &[&Row]) -> LoadPoint {
    let figures = |column: &str| {
        rows.iter()
            .filter_map(|row| row.figure(column))
            .collect::<Vec<f64>>()
    };
    let mean = |column: &str| {
        let values = figures(column);
        if values.is_empty() {
            f64::NAN
        } else {
            values.iter().sum::<f64>() / values.len() as f64
        }
    };
    let half_width = |column: &str| {
        let values = figures(column);
        let squares: f64 = values.iter().map(|value| value * value).sum();
        if values.is_empty() {
            f64::NAN
        } else {
            squares.sqrt() / values.len() as f64
        }
    };
    LoadPoint {
        offered_load: load,
        accepted_load: mean("accepted_load"),
        accepted_half_width: half_width("accepted_load_ci"),
        mean_latency: mean("mean_packet_latency"),
        latency_half_width: half_width("mean_packet_latency_ci"),
        latency_p50: mean("latency_p50"),
        latency_p99: mean("latency_p99"),
        latency_p999: mean("latency_p999"),
        mean_hops: mean("mean_hops"),
        saturated: rows.iter().any(|row| row.flag("saturated")),
        deadlocked: rows.iter().any(|row| row.flag("deadlocked")),
    }
}

fn table(plan: &Plan, rows: &[&Row]) -> Table {
    let repeated = plan.is_repeated();
    let mut columns = plan.keys.clone();
    columns.extend(repeated.then(|| "repeat".to_owned()));
    let swept = columns.len();
    columns.extend(COLUMNS.iter().map(|column| (*column).to_owned()));
    let text = |value: Option<&Json>| match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), figure),
        Some(other) => other.to_string(),
    };
    let cells = |row: &&Row| {
        let point = row.0.get("point");
        let fields = columns[..swept]
            .iter()
            .map(|key| text(point.and_then(|point| point.get(key))));
        fields
            .chain(COLUMNS.iter().map(|column| text(row.0.get(*column))))
            .collect()
    };
    Table {
        rows: rows.iter().map(cells).collect(),
        columns,
    }
}
