//! What to do about what `verify` has found of a fabric's tables.

use super::change::counted;
use super::fabric::{OfFabric, plan};
use super::route::{Found, findings};
use crate::arguments::{SubjectArguments, VerifyArguments};
use crate::output;
use std::fmt::Write;
use turnwise_network::contract::forwards::SERVICE_LEVELS;
use turnwise_network::identities::Device;
use turnwise_routing::subnet::levels_beyond;
use turnwise_study::answers::Answers;
use turnwise_study::finding::Finding;
use turnwise_study::proving::Prover;
use turnwise_verify::Verdict;

/// All of it, in the order in which it is to be thought of.
pub(crate) fn of(arguments: &VerifyArguments, found: &[Found], unjudged: Option<bool>) -> String {
    let mut text = String::new();
    for (finding, ..) in found {
        text.extend(unjudged.map(unjudged_change));
        text.extend(folded(finding));
    }
    match left_out(arguments, found) {
        Some(note) => text + &note,
        None => {
            text.extend(ours(arguments, found));
            text
        }
    }
}

/// So many routes on a channel.
pub(crate) fn routes(load: f64) -> String {
    let unit = if load == 1.0 { "route" } else { "routes" };
    format!("{} {unit}", output::figure(load))
}

/// What is to be said behind routes that [count more](turnwise_verify::Quality) on slower channels.
pub(crate) fn weighed(has_one_speed: bool) -> &'static str {
    if has_one_speed {
        ""
    } else {
        ", weighed by speed,"
    }
}

/// The command that makes tables of the fabric, and whatever has to be done before.
struct Remedy {
    first: &'static str,
    command: String,
}

impl Remedy {
    fn of(arguments: &VerifyArguments, finding: &Finding) -> Self {
        let known = finding.routed.network.identities();
        let first = match known.is_some_and(|known| known.lmc() > 0) {
            true => {
                "give each port of an adapter one LID, `lmc 0` in opensm.conf, and ask ibnetdiscover again; then "
            }
            false => "",
        };
        let fabric = arguments.subject.fabric.as_deref();
        let fabric = fabric.map_or("FILE".to_owned(), |file| file.display().to_string());
        let command = format!("turnwise route --fabric {fabric}");
        Self { first, command }
    }
}

/// Of a change that nothing else helps.
pub(crate) const STOP: &str = "  what to do: stop the traffic while the switches change\n";

/// Of a change that no order is known for.
pub(crate) fn without_an_order(arguments: &VerifyArguments, finding: &Finding) -> String {
    let Remedy { first, command } = Remedy::of(arguments, finding);
    let tables = &arguments.tables;
    let kept = [
        ("--keep", &tables.from),
        ("--keep-service-levels", &tables.from_service_levels),
    ];
    let kept = kept
        .into_iter()
        .filter_map(|(option, file)| Some(format!(" {option} {}", file.as_ref()?.display())));
    let kept: String = kept.collect();
    format!(
        "  what to do: stop the traffic while the switches change, or {first}take tables that keep to the present ones where they can:\n    \
         {command}{kept} --lft tables.lft --service-levels qos-policy.conf --steps FOLDER\n"
    )
}

/// Of a change whose entries have not been looked at one by one: is it safe in any order?
fn unjudged_change(is_safe: bool) -> String {
    match is_safe {
        true => {
            "  the change: safe whichever switch changes first, if its lanes change with its entries; no pair loses a route it has\n"
                .to_owned()
        }
        false => {
            "  the change: not known to be safe in any order, and steps are not looked for where lanes are said by ports or adapters have \
             several LIDs\n"
                .to_owned()
                + STOP
        }
    }
}

/// Pairs that are lost only where answers take the level of what they answer.
pub(crate) fn lost(finding: &Finding, answers: &Answers) -> u64 {
    let alone = finding.analysis.reachability.routable;
    alone.saturating_sub(answers.routable)
}

/// What is said of unlike levels, and what to do.
pub(crate) fn of_answers(
    arguments: &VerifyArguments,
    finding: &Finding,
    answers: &Answers,
) -> String {
    let pairs = match answers.pairs {
        1 => "1 pair has".to_owned(),
        many => format!("{many} pairs have"),
    };
    let pairs = format!("  {pairs} one service level there and another one back");
    let lost = match lost(finding, answers) {
        0 => String::new(),
        lost => format!(
            "switches throw away packets of {}",
            counted(lost as usize, "pair", "pairs")
        ),
    };
    let answering = "where who accepts a connection answers on the level of who opened it";
    let mut text = match &answers.circle {
        None if lost.is_empty() => {
            return format!("{pairs}; proved free of deadlock on either of them, too\n");
        }
        None => {
            format!("{pairs}: {answering}, {lost}, although none of them could close a circle\n")
        }
        Some(_) if lost.is_empty() => {
            format!("{pairs}: {answering}, these could close a circle\n")
        }
        Some(_) => format!("{pairs}: {answering}, {lost}, and these could close a circle\n"),
    };
    for line in answers.circle.iter().flatten() {
        let _ = writeln!(text, "    {line}");
    }
    let Remedy { first, command } = Remedy::of(arguments, finding);
    let _ = write!(
        text,
        "  what to do: let both ends ask for their paths, or {first}take tables in which both directions have one level:\n    \
         {command} --set routing.mutual_lanes=true --lft tables.lft --service-levels qos-policy.conf\n",
    );
    text
}

/// Of tables that can deadlock because service levels share lanes that nobody has said they share.
fn folded(finding: &Finding) -> Option<String> {
    let routing = &finding.routed.routing;
    let tables = routing.forwards()?;
    let is_cyclic = matches!(finding.analysis.verdict, Verdict::Cyclic(_));
    let lanes = (0..SERVICE_LEVELS).map(|level| tables.lane(level) + 1);
    let lanes = lanes.max().filter(|_| is_cyclic)?;
    let help = levels_beyond(&finding.routed.network, tables, lanes)?;
    Some(format!(
        "  what to do: {help}, as --set routing.virtual_lanes=N does\n"
    ))
}

/// LIDs that a tool asks for at once.
const BLOCK: u32 = 64;

/// Of dumps that lack what their tool leaves out, whether or not the switches have it, and nothing else.
fn left_out(arguments: &VerifyArguments, found: &[Found]) -> Option<String> {
    let [(finding, ..)] = found else {
        return None;
    };
    arguments.tables.lft.as_ref()?;
    let network = &finding.routed.network;
    let tables = finding.routed.routing.forwards()?;
    let known = network.identities()?;
    let (lid, device) = known.by_lid().pop_last()?;
    let Device::Adapter(last) = device else {
        return None;
    };
    let is_last_of_all = lid % BLOCK == 0 && known.made_up_lids.last() < Some(&lid);
    let mut routers = network.routers();
    let is_lacking = routers.all(|at| tables.entry(at, last).is_none());
    let senders = network.living_terminals().count().saturating_sub(1) as u64;
    let are_others_whole = finding.unroutable_pairs() == senders
        && matches!(finding.analysis.verdict, Verdict::DeadlockFree(_));
    (is_last_of_all && is_lacking && are_others_whole).then(|| {
        format!(
            "  what to do: take opensm-lfts.dump, which OpenSM writes with `-D 0x43`, and judge that: no table has LID {lid}, the last of the \
             fabric and a multiple of {BLOCK}, which dump_lfts, dump_fts and ibroute of infiniband-diags leave out, whether or not the \
             switches have it\n"
        )
    })
}

/// Tables of ours in the place of others that are not safe, which are made and proved before they are recommended. Nothing is said if that
/// takes more than the machine has.
fn ours(arguments: &VerifyArguments, found: &[Found]) -> Option<String> {
    let is_asked = arguments.tables.lft.is_some() && arguments.tables.from.is_none();
    let negative = found.iter().any(|(finding, ..)| finding.is_negative());
    if !(is_asked && negative && arguments.subject.fabric.is_some()) {
        return None;
    }
    let ours = SubjectArguments {
        overrides: Vec::new(),
        ..arguments.subject.clone()
    };
    let (_, ours) = findings(&mut Prover::new(ours.threads()), || {
        plan(&ours, OfFabric::Ours)
    })
    .ok()?;
    let [(finding, ..)] = ours.as_slice() else {
        return None;
    };
    let quality = &finding.analysis.quality;
    let Remedy { first, command } = Remedy::of(arguments, finding);
    let weighed = weighed(finding.routed.network.has_one_speed());
    (!finding.is_negative()).then(|| {
        format!(
            "  what to do: {first}tables that are proved free of deadlock for all {}, with {}{weighed} on the busiest channel and {}, are made by\n    \
             {command} --lft tables.lft --service-levels qos-policy.conf\n",
            counted(quality.pairs as usize, "pair", "pairs"),
            routes(quality.edge_forwarding_index),
            counted(quality.virtual_channels_used as usize, "virtual lane", "virtual lanes"),
        )
    })
}
