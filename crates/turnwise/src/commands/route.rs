//! `turnwise route`: tables and their quality, and every path as CSV.

use super::advice;
use super::change::{self, Judged};
use super::fabric::{OfFabric, plan};
use super::places::Places;
use crate::arguments::{ForeignTables, Format, RouteArguments, SubnetFiles};
use crate::failure::{Failure, Status};
use crate::{output, progress};
use serde_json::{Map, Value as Json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use turnwise_study::finding::{Finding, finding_key};
use turnwise_study::plan::PlannedPoint;
use turnwise_study::proving::{Attempt, Prover};
use turnwise_study::row::{number, point_fields};
use turnwise_study::source_routes::SourceRoutes;
use turnwise_study::walk::write_paths;
use turnwise_study::{Plan, proofs};
use turnwise_verify::Verdict;

pub(crate) fn route(arguments: &RouteArguments) -> Result<Status, Failure> {
    let routes = [
        ("--paths", arguments.paths.as_ref()),
        ("--source-routes", arguments.source_routes.as_ref()),
    ];
    let places = Places::of(&arguments.subject)
        .reads(arguments.kept.files())
        .writes(routes)
        .writes(arguments.files.files())
        .fills(
            "--ibdmchk",
            arguments.files.ibdmchk.as_ref(),
            SubnetFiles::are_of_checker,
        )
        .fills(
            "--steps",
            arguments.change.steps.as_ref(),
            change::is_of_steps,
        );
    // Tables that are kept to may be brought up to date in their own file.
    places.check(|new, old| {
        let kept = [
            ("--lft", "--keep"),
            ("--service-levels", "--keep-service-levels"),
        ];
        kept.contains(&(new, old))
    })?;
    arguments
        .change
        .belongs_to("--keep", arguments.kept.keep.is_some())?;
    let (planned, found) = findings(&mut Prover::new(arguments.subject.threads()), || {
        plan(&arguments.subject, OfFabric::Kept(&arguments.kept))
    })?;
    places.spare(&planned)?;
    let change = judged_change(arguments, &found)?;
    if change.is_none() {
        arguments.change.refuse_without_change(found.len())?;
    }
    let mut rows: Vec<Map<String, Json>> = found
        .iter()
        .map(|(finding, point, seconds, _)| row(finding, point, *seconds))
        .collect();
    if let (Some(change), [row]) = (&change, rows.as_mut_slice()) {
        row.insert("change".into(), change.word().into());
        row.insert("change_steps".into(), change.steps().into());
    }
    if let Some(file) = &arguments.paths {
        paths(only(&found, "--paths")?, file)?;
    }
    if let Some(file) = &arguments.source_routes {
        source_routes(only(&found, "--source-routes")?, file)?;
    }
    if let Some(option) = arguments.files.wanted() {
        arguments.files.write(only(&found, option)?)?;
    }
    output::print(&printed(&rows, arguments.subject.format))?;
    found.iter().for_each(|(finding, ..)| warn(finding));
    let several_ways = |(finding, ..): &Found| !finding.analysis.quality.single_path;
    if arguments.subject.format == Format::Table && found.iter().any(several_ways) {
        output::talk(
            "note: where packets have several ways, loads and hops are those with every way as likely; congestion, where it decides, \
             has most of them take short ones",
        );
    }
    let mut negative = found.iter().any(|(finding, ..)| finding.is_unreliable());
    if let (Some(change), [(finding, ..)]) = (&change, found.as_slice()) {
        let network = &finding.routed.network;
        change.write(network, &arguments.change)?;
        if arguments.subject.format == Format::Table {
            output::print(&change.words(network, &arguments.change, advice::STOP))?;
        }
        negative |= arguments.change.steps.is_some() && change.steps().is_none();
    }
    Ok(if negative {
        Status::Negative
    } else {
        Status::Fine
    })
}

/// The change from tables that are kept to, if they are, to what became of them.
fn judged_change(arguments: &RouteArguments, found: &[Found]) -> Result<Option<Judged>, Failure> {
    let (Some(keep), [(finding, ..)]) = (&arguments.kept.keep, found) else {
        return Ok(None);
    };
    let (after, assumptions) = (&finding.routed, finding.assumptions());
    // Whatever other routing was asked for has not read them.
    let read;
    let before = match after.routing.replaces() {
        Some(before) => Some(before),
        None => {
            read = change::tables(
                &arguments.subject,
                &ForeignTables {
                    service_levels: arguments.kept.keep_service_levels.clone(),
                    ..ForeignTables::of(keep.clone())
                },
            )?;
            read.routing.forwards()
        }
    };
    let (Some(before), Some(new)) = (before, after.routing.forwards()) else {
        return Ok(None);
    };
    change::tell_missing(&after.network, before, "the tables to keep");
    change::judged(&after.network, before, new, assumptions)
}

/// One distinct routing of a study: what was found, its swept fields, seconds, the first point that has it.
pub(crate) type Found = (Finding, Map<String, Json>, f64, PlannedPoint);

/// Analyses every distinct network and routing of a study.
pub(crate) fn findings(
    prover: &mut Prover,
    plan: impl FnOnce() -> Result<Plan, Failure>,
) -> Result<(Plan, Vec<Found>), Failure> {
    let start = Instant::now();
    let plan = plan()?;
    let mut planning = start.elapsed().as_secs_f64();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    let names = proofs::names(&plan);
    for planned in plan.routings() {
        let start = Instant::now();
        let fail = |error| Failure::Study(Box::new(plan.source.clone()), vec![error]);
        let (routed, specification) = plan.routed(&planned).map_err(fail)?;
        let assumptions = specification.router.assumptions();
        if !seen.insert(finding_key(&routed, assumptions)) {
            continue;
        }
        let bar = progress::bar(1, "proving");
        let mut go_on = |done: usize, total: usize| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            true
        };
        let mut fields = point_fields(&planned.point, false);
        let name = proofs::routing_name(&names, &fields, &planned.point.document);
        let network = routed.network.clone();
        let attempt = prover.prove(u64::MAX, name, routed, assumptions, &mut go_on);
        bar.finish_and_clear();
        let Attempt::Found(finding) = attempt else {
            continue;
        };
        fields.retain(|name, _| proofs::matters(name));
        let seconds = start.elapsed().as_secs_f64() + std::mem::take(&mut planning);
        let rule_bound = specification.rule_bound(&network);
        let finding = finding.with_rule_bound(rule_bound);
        found.push((finding, fields, seconds, planned));
    }
    Ok((plan, found))
}

/// What makes a verdict negative, which the columns do not say.
fn warn(finding: &Finding) {
    let of = || {
        let network = finding.routed.network.description();
        format!("{} on {network}", finding.routing_name)
    };
    let more = "`turnwise verify` shows";
    if matches!(finding.analysis.verdict, Verdict::Cyclic(_)) {
        output::talk(&format!(
            "note: {}: packets can wait for one another in a circle; {more} it",
            of()
        ));
    }
    if let Verdict::Unexplored(given_up) = &finding.analysis.verdict {
        output::talk(&format!("note: {}: nothing is proved: {given_up}", of()));
    }
    let pairs = finding.unroutable_pairs();
    if let Some(example) = finding.unroutable_examples().first() {
        output::talk(&format!(
            "note: {}: {pairs} of {} pairs have no route, for example {example}; {more} others",
            of(),
            finding.analysis.reachability.pairs
        ));
    }
}

/// Columns that are known when all destinations are explored.
const OF_ALL_PAIRS: [&str; 9] = [
    "pairs",
    "routable_pairs",
    "edge_forwarding_index",
    "min_load",
    "mean_load",
    "deviation",
    "diameter",
    "mean_hops",
    "virtual_channels_used",
];

fn row(finding: &Finding, point: &Map<String, Json>, seconds: f64) -> Map<String, Json> {
    let quality = &finding.analysis.quality;
    let mut row = Map::new();
    if !point.is_empty() {
        row.insert("point".into(), point.clone().into());
    }
    let network = finding.routed.network.description();
    let bound = finding.lower_bound();
    let bound_reason = match bound {
        Some(_) => finding.bound.words(),
        None => "there is none where not all pairs have routes".to_owned(),
    };
    let columns: [(&str, Json); 19] = [
        ("network", network.into()),
        ("routing", finding.routing_name.as_str().into()),
        ("routers", finding.routed.network.router_count().into()),
        ("terminals", finding.routed.network.terminal_count().into()),
        ("pairs", quality.pairs.into()),
        ("routable_pairs", quality.routable_pairs.into()),
        (
            "edge_forwarding_index",
            whole_or_not(quality.edge_forwarding_index),
        ),
        ("min_load", whole_or_not(quality.min_load)),
        ("mean_load", number(quality.mean_load)),
        ("deviation", number(quality.deviation)),
        ("diameter", quality.diameter.into()),
        ("mean_hops", number(quality.mean_hops)),
        ("lower_bound", bound.map(whole_or_not).into()),
        ("lower_bound_reason", bound_reason.into()),
        (
            "virtual_channels",
            finding.routed.routing.virtual_channels().into(),
        ),
        (
            "virtual_channels_used",
            quality.virtual_channels_used.into(),
        ),
        ("verdict", finding.verdict_word().into()),
        ("routing_seconds", number(finding.routed.seconds)),
        ("seconds", number(seconds)),
    ];
    for (name, value) in columns {
        row.insert(name.into(), value);
    }
    if finding.is_unexplored() {
        row.insert("complete".into(), false.into());
    }
    empty_what_is_half_known(&mut row, finding);
    row
}

/// Figures of a proof that was given up are of a part of the destinations, or of none.
pub(crate) fn empty_what_is_half_known(row: &mut Map<String, Json>, finding: &Finding) {
    let is_half_known = |name: &str| finding.is_unexplored() && OF_ALL_PAIRS.contains(&name);
    for (_, value) in row.iter_mut().filter(|(name, _)| is_half_known(name)) {
        *value = Json::Null;
    }
}

/// Loads of single-path routings are whole numbers and should look it.
pub(crate) fn whole_or_not(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        (value as i64).into()
    } else {
        number(value)
    }
}

/// Rows as people, programs or spreadsheets want them.
pub(crate) fn printed(rows: &[Map<String, Json>], format: Format) -> String {
    match format {
        Format::Json => rows
            .iter()
            .map(|row| Json::Object(row.clone()).to_string() + "\n")
            .collect(),
        Format::Csv => output::csv_of(rows),
        Format::Table => {
            let blocks = rows.iter().map(|row| {
                let facts: Vec<(&str, String)> = row
                    .iter()
                    .map(|(name, value)| (name.as_str(), output::text(value)))
                    .collect();
                output::facts(&facts)
            });
            blocks.collect::<Vec<_>>().join("\n")
        }
    }
}

/// The one routing whose routes an option writes.
fn only<'a>(found: &'a [Found], option: &str) -> Result<&'a Finding, Failure> {
    match found {
        [(finding, ..)] => Ok(finding),
        many => {
            let help = "choose one with --set routing.kind=... or --set network....";
            let count = many.len();
            let message =
                format!("{option} writes the routes of one routing; this study has {count}");
            Err(Failure::Plain(message, Some(help.into())))
        }
    }
}

/// Writes the table that the routers of a torus are programmed with.
fn source_routes(finding: &Finding, file: &Path) -> Result<(), Failure> {
    let routes = SourceRoutes::of(&finding.routed).map_err(|why| Failure::Plain(why, None))?;
    output::fill(file, &mut |out| out.write_all(routes.write().as_bytes()))
}

/// Writes one row per hop of every pair's route.
fn paths(finding: &Finding, file: &Path) -> Result<(), Failure> {
    let routed = &finding.routed;
    output::fill(file, &mut |out| {
        write_paths(&routed.network, &*routed.routing, out)
    })
}
