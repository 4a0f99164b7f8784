//! The files of a job's folder: one table for each source node, and a manifest about all of them.

use super::site::Site;
use super::tables::{HEADER, JobTables};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use turnwise_network::{RouterId, Shape};
use turnwise_study::provenance::Provenance;
use turnwise_study::row::number;

/// Name of the manifest in a job's folder.
pub const NAME: &str = "manifest.json";

/// A file by its name in the job's folder.
pub type File = (String, Vec<u8>);

/// The tables, then the manifest.
///
/// `job` is what Slurm calls the job or step; `created` when, in words.
pub fn files(
    site: &Site,
    site_name: &str,
    job: &str,
    created: &str,
    tables: &JobTables,
) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut nodes: Vec<Json> = Vec::new();
    let mut all = Vec::new();
    for (&member, rows) in tables.members.iter().zip(&tables.rows) {
        let host = site.hosts.label(member);
        let mut text = format!("{HEADER}\n");
        for row in rows {
            text.push_str(row);
            text.push('\n');
        }
        all.extend_from_slice(text.as_bytes());
        let name = format!("{host}.csv");
        nodes.push(json!({
            "host": host,
            "node": member,
            "coordinates": coordinates(site, member),
            "file": name,
            "routes": rows.len(),
            "sha256": sha256(text.as_bytes()),
        }));
        files.push((name, text.into_bytes()));
    }
    let mut manifest = quality(tables);
    let provenance = Provenance::of_text("", tables.seed);
    let about = [
        ("job", json!(job)),
        ("hostlist", json!(site.hosts.list(&tables.members))),
        ("site", json!(site_name)),
        ("sizes", json!(site.sizes)),
        ("order", json!(tables.order)),
        ("transit", json!(site.transit)),
        ("fingerprint", json!(sha256(&all))),
        ("turnwise", json!(provenance.version)),
        ("revision", json!(provenance.revision)),
        ("seed", json!(tables.seed)),
        ("created", json!(created)),
        ("nodes", json!(nodes)),
    ];
    manifest.extend(about.map(|(name, value)| (name.to_owned(), value)));
    let mut text = serde_json::to_string_pretty(&manifest).unwrap_or_default();
    text.push('\n');
    files.push((NAME.to_owned(), text.into_bytes()));
    files
}

/// Coordinates of a node, X first.
pub fn coordinates(site: &Site, node: u32) -> Vec<u32> {
    match site.torus.shape() {
        Shape::Grid(grid) => grid.coordinates(RouterId(node).0),
        _ => Vec::new(),
    }
}

/// What was found out about the tables.
pub fn quality(tables: &JobTables) -> Map<String, Json> {
    let finding = &tables.finding;
    let quality = &finding.analysis.quality;
    let fields = [
        ("routing", json!(tables.kind)),
        ("fallback", json!(tables.fell_back)),
        ("verdict", json!(finding.verdict_word())),
        ("flow_control", json!(finding.flow_control.name())),
        ("pairs", json!(quality.pairs)),
        ("routable_pairs", json!(quality.routable_pairs)),
        (
            "edge_forwarding_index",
            whole(quality.edge_forwarding_index),
        ),
        ("min_load", whole(quality.min_load)),
        ("mean_load", number(quality.mean_load)),
        ("deviation", number(quality.deviation)),
        ("diameter", json!(quality.diameter)),
        ("mean_hops", number(quality.mean_hops)),
        ("lower_bound", whole(lower_bound(tables))),
        ("lower_bound_reason", json!(finding.bound.words())),
        ("gap", number(gap(tables))),
        ("routing_seconds", number(tables.routing_seconds)),
        ("proof_seconds", number(tables.proof_seconds)),
        ("bound_seconds", number(tables.bound_seconds)),
    ];
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// What no tables have less of on their busiest channel. All pairs of a job have routes, or it has no tables.
fn lower_bound(tables: &JobTables) -> f64 {
    tables.finding.lower_bound().unwrap_or(0.0)
}

/// How far the largest load is above the bound, as a share of the bound.
fn gap(tables: &JobTables) -> f64 {
    let bound = lower_bound(tables);
    match bound > 0.0 {
        true => tables.finding.analysis.quality.edge_forwarding_index / bound - 1.0,
        false => 0.0,
    }
}

/// Loads of tables are whole numbers and should look it.
fn whole(value: f64) -> Json {
    match value.fract() == 0.0 {
        true => json!(value as i64),
        false => number(value),
    }
}

/// The line that goes to the log for every job.
pub fn line(site: &Site, job: &str, tables: &JobTables) -> String {
    let quality = &tables.finding.analysis.quality;
    let count = tables.members.len();
    let nodes = if count == 1 { "node" } else { "nodes" };
    format!(
        "job {job}: {count} {nodes} {}, {}{}: {}, index {} (bound {}, gap {:.1} %), min load {}, \
         deviation {:.3}, diameter {}, {:.3} s",
        site.hosts.list(&tables.members),
        tables.kind,
        if tables.fell_back { " (fallback)" } else { "" },
        tables.finding.verdict_word(),
        quality.edge_forwarding_index,
        lower_bound(tables),
        100.0 * gap(tables),
        quality.min_load,
        quality.deviation,
        quality.diameter,
        tables.routing_seconds + tables.proof_seconds + tables.bound_seconds,
    )
}

/// The digest in hexadecimal, as `sha256sum` prints it.
fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
