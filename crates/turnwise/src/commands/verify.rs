//! `turnwise verify`: a certificate, or a cycle.

use super::advice;
use super::change::{self, Judged};
use super::fabric::{OfFabric, plan};
use super::failures::{Survey, survey};
use super::places::Places;
use super::route::{Found, empty_what_is_half_known, findings, whole_or_not};
use crate::arguments::{Format, VerifyArguments};
use crate::failure::{Failure, Status};
use crate::output;
use serde_json::json;
use turnwise_network::tables::ForwardingTable;
use turnwise_network::{FlowControl, Vc};
use turnwise_study::answers::{self, Answers};
use turnwise_study::fewest::fewest_virtual_channels;
use turnwise_study::finding::Finding;
use turnwise_study::proving::Prover;
use turnwise_verify::Verdict;

pub(crate) fn verify(arguments: &VerifyArguments) -> Result<Status, Failure> {
    let places = Places::of(&arguments.subject)
        .reads(arguments.tables.files())
        .writes([
            ("--certificate", arguments.certificate.as_ref()),
            ("--failures", arguments.failures.as_ref()),
        ])
        .fills(
            "--steps",
            arguments.change.steps.as_ref(),
            change::is_of_steps,
        );
    places.check(|_, _| false)?;
    arguments
        .change
        .belongs_to("--from", arguments.tables.from.is_some())?;
    let mut prover = Prover::new(arguments.subject.threads());
    let (plan, found) = findings(&mut prover, || {
        plan(&arguments.subject, OfFabric::Foreign(&arguments.tables))
    })?;
    places.spare(&plan)?;
    let fewest = found.iter().map(|(finding, .., planned)| {
        fewest_virtual_channels(&mut prover, &plan, planned, finding)
    });
    let fewest: Vec<Option<Vc>> = fewest.collect();
    if let Some(file) = &arguments.certificate {
        let [(finding, ..)] = found.as_slice() else {
            let message = format!(
                "--certificate proves one routing; this study has {}",
                found.len()
            );
            return Err(Failure::Plain(
                message,
                Some("choose one with --set".into()),
            ));
        };
        // A file of an earlier proof must not outlive the routing it proved.
        let network = &finding.routed.network;
        match finding.analysis.verdict.certificate() {
            Some(certificate) => {
                let text = certificate.to_json(network, &finding.routing_name);
                output::fill(file, &mut |out| out.write_all(text.as_bytes()))?;
            }
            None => output::take_away(file, "no certificate written: there is no proof"),
        }
    }
    let change = judged_change(arguments, &found)?;
    if change.is_none() {
        arguments.change.refuse_without_change(found.len())?;
    }
    let unjudged = match (&change, arguments.tables.now(), found.as_slice()) {
        (None, Some(old), [(finding, ..)]) => {
            Some(change::is_safe_unjudged(&arguments.subject, &old, finding)?)
        }
        _ => None,
    };
    let answers = judged_answers(arguments, &found);
    let file = arguments.failures.as_ref();
    let threads = arguments.subject.threads();
    let failing = file
        .map(|file| survey(&found, file, threads))
        .transpose()?
        .flatten();
    let rows = || {
        found
            .iter()
            .zip(&fewest)
            .map(|((finding, point, seconds, _), fewest)| {
                let mut row = json(finding, point, *seconds);
                row["fewest_virtual_channels"] = (*fewest).into();
                if arguments.tables.from.is_some() {
                    row["verdict_of"] = "any mixture of the old and the new tables".into();
                }
                if let Some(change) = &change {
                    row["change"] = change.word().into();
                    row["change_steps"] = change.steps().into();
                }
                if let Some(is_safe) = unjudged {
                    row["change"] = match is_safe {
                        true => change::IN_ANY_ORDER.into(),
                        false => change::WITHOUT_ORDER.into(),
                    };
                    // Whether anything changes at all has not been looked at.
                    row["change_steps"] = None::<usize>.into();
                }
                if let Some(answers) = &answers {
                    row["unlike_answers"] = answers.pairs.into();
                    row["unlike_answers_verdict"] = word(answers).into();
                    row["unlike_answers_lost"] = advice::lost(finding, answers).into();
                }
                if let (Some(failing), Some(row)) = (&failing, row.as_object_mut()) {
                    failing.fill(row);
                }
                row
            })
    };
    output::print(&match arguments.subject.format {
        Format::Json => rows().map(|row| row.to_string() + "\n").collect(),
        Format::Csv => {
            let facts = rows().filter_map(|row| row.as_object().cloned());
            output::csv_of(&facts.collect::<Vec<_>>())
        }
        Format::Table => {
            let unroutable = match arguments.tables.from {
                Some(_) => "not routed before, or by a mixture of both",
                None => "UNROUTABLE",
            };
            let texts = found.iter().zip(&fewest);
            let texts = texts.map(|((finding, ..), fewest)| words(finding, *fewest, unroutable));
            let mut text: String = texts.collect();
            if arguments.subject.fabric.is_some() {
                let findings = found.iter().map(|(finding, ..)| finding);
                text.extend(findings.map(loads));
            }
            for (answers, (finding, ..)) in answers.iter().zip(&found) {
                text.push_str(&advice::of_answers(arguments, finding, answers));
            }
            text.extend(failing.as_ref().map(Survey::words));
            text
        }
    })?;
    let mut negative = found.iter().any(|(finding, ..)| finding.is_unreliable())
        || failing.as_ref().is_some_and(Survey::is_negative);
    if let (Some(change), [(finding, ..)]) = (&change, found.as_slice()) {
        let network = &finding.routed.network;
        change.write(network, &arguments.change)?;
        if arguments.subject.format == Format::Table {
            let otherwise = match change.can_be_kept_to() {
                true => advice::without_an_order(arguments, finding),
                false => advice::STOP.to_owned(),
            };
            output::print(&change.words(network, &arguments.change, &otherwise))?;
        }
        // What is not safe in any order is when it is done in that which was asked for.
        let has_order = arguments.change.steps.is_some() && change.steps().is_some();
        negative = finding.is_unexplored() || !change.is_safe_in_any_order() && !has_order;
    } else {
        if let Some(is_safe) = unjudged {
            negative = !is_safe;
        }
        if arguments.subject.format == Format::Table {
            output::print(&advice::of(arguments, &found, unjudged))?;
        }
    }
    Ok(if negative {
        Status::Negative
    } else {
        Status::Fine
    })
}

/// The change from the tables that switches have, if that is asked about.
fn judged_change(arguments: &VerifyArguments, found: &[Found]) -> Result<Option<Judged>, Failure> {
    let ([(finding, ..)], Some(_)) = (found, &arguments.tables.from) else {
        return Ok(None);
    };
    let routed = &finding.routed;
    let Some([before, after]) = routed.routing.exchanges() else {
        return Ok(None);
    };
    change::tell_missing(&routed.network, before, "the tables of --from");
    change::tell_missing(&routed.network, after, "those of --lft");
    change::judged(&routed.network, before, after, finding.assumptions())
}

/// Whether answers may take the service level of what they answer; `None` if it is their own, or where that is not asked about.
fn judged_answers(arguments: &VerifyArguments, found: &[Found]) -> Option<Answers> {
    let [(finding, ..)] = found else {
        return None;
    };
    let is_asked = arguments.tables.lft.is_some() && arguments.tables.from.is_none();
    // What can deadlock anyway need not be looked at again; that some pairs have no route says nothing of the others.
    let is_safe = matches!(finding.analysis.verdict, Verdict::DeadlockFree(_));
    let tables = ForwardingTable::in_routing(&*finding.routed.routing);
    let tables = tables.filter(|_| is_asked && is_safe)?;
    answers::judge(&finding.routed.network, tables, finding.assumptions())
}

fn word(answers: &Answers) -> &'static str {
    match answers.circle {
        None => "deadlock-free",
        Some(_) => "cyclic",
    }
}

/// How evenly routes use the channels.
fn loads(finding: &Finding) -> String {
    let quality = &finding.analysis.quality;
    let bound = finding.lower_bound().map(|bound| {
        // Loads of single paths are whole, and what they are held against is rounded up.
        let whose = match bound > finding.bound.value() {
            true => "no routing with one path for each pair",
            false => "no routing",
        };
        format!("; {whose} can do with less than {}", output::figure(bound))
    });
    let weighed = match finding.routed.network.has_one_speed() {
        true => "",
        false => ", where a route counts as many times as its channel is slower than the fastest",
    };
    format!(
        "  the busiest channel carries {}, the mean is {}{}{weighed}\n",
        advice::routes(quality.edge_forwarding_index),
        output::figure(quality.mean_load),
        bound.unwrap_or_default()
    )
}

fn json(
    finding: &Finding,
    point: &serde_json::Map<String, serde_json::Value>,
    seconds: f64,
) -> serde_json::Value {
    let network = &finding.routed.network;
    let certificate = finding.analysis.verdict.certificate();
    let cycle = match &finding.analysis.verdict {
        Verdict::Cyclic(cycle) => cycle.render(network),
        _ => Vec::new(),
    };
    let mut row = json!({
        "point": point,
        "network": network.description(),
        "routing": finding.routing_name,
        "flow_control": finding.flow_control.name(),
        "verdict": finding.verdict_word(),
        "virtual_channels": finding.routed.routing.virtual_channels(),
        "vertices": certificate.map(|proof| proof.used_vertices),
        "dependencies": certificate.map(|proof| proof.dependencies.len()),
        "longest_chain": certificate.map(|proof| proof.longest_chain()),
        "cycle": cycle,
        "pairs": finding.analysis.reachability.pairs,
        "routable_pairs": finding.analysis.reachability.routable,
        "unroutable_examples": finding.unroutable_examples(),
        "edge_forwarding_index": whole_or_not(finding.analysis.quality.edge_forwarding_index),
        "mean_load": turnwise_study::row::number(finding.analysis.quality.mean_load),
        "lower_bound": finding.lower_bound().map(whole_or_not),
        "seconds": turnwise_study::row::number(seconds),
    });
    row.as_object_mut()
        .into_iter()
        .for_each(|row| empty_what_is_half_known(row, finding));
    row
}

/// A finding, the fewest virtual channels that suffice, and what pairs are called that have no route.
fn words(finding: &Finding, fewest: Option<Vc>, unroutable: &str) -> String {
    let network = &finding.routed.network;
    let mut text = format!(
        "{} on {} ({})\n",
        finding.routing_name,
        network.description(),
        finding.flow_control.name()
    );
    match &finding.analysis.verdict {
        Verdict::DeadlockFree(proof) if proof.is_by_escape() => text.push_str(&format!(
            "  deadlock-free by escape: {} extended dependencies among the {} (channel, VC) pairs of the escape, of {}; longest chain {}\n",
            proof.dependencies.len(),
            proof.escape.len(),
            proof.used_vertices,
            proof.longest_chain()
        )),
        Verdict::DeadlockFree(proof) => text.push_str(&format!(
            "  deadlock-free: {} dependencies among {} (channel, VC) pairs, longest chain {}\n",
            proof.dependencies.len(),
            proof.used_vertices,
            proof.longest_chain()
        )),
        Verdict::Cyclic(cycle) => {
            let which = if cycle.is_shortest {
                "a shortest cycle"
            } else {
                "the shortest cycle found"
            };
            text.push_str(&format!(
                "  CYCLIC: {which} has {} channels\n",
                cycle.waiting.len()
            ));
            for line in cycle.render(network) {
                text.push_str(&format!("    {line}\n"));
            }
            if let Some(note) = finding.about_escape() {
                text.push_str(&format!("  {note}\n"));
            }
        }
        Verdict::Unexplored(given_up) => {
            text.push_str(&format!("  not proved: {given_up}\n"));
            if given_up.is_for_want_of_memory() {
                text.push_str("  with more memory more of them would be explored\n");
            }
        }
    }
    // Neither traffic nor the depths of buffers are looked at, and `run` refuses others.
    if finding.flow_control == FlowControl::Bubble && finding.analysis.verdict.is_deadlock_free() {
        text.push_str("  for packets of one length, and buffers that hold two of them\n");
    }
    let all = finding.routed.routing.virtual_channels();
    if let Some(fewest) = fewest.filter(|_| all > 1) {
        let words = match fewest == all {
            true => "the fewest that suffice".to_owned(),
            false => format!("of which {fewest} would suffice"),
        };
        text.push_str(&format!("  {all} virtual channels, {words}\n"));
    }
    for sentence in finding.about_messages() {
        text.push_str(&format!("  {sentence}\n"));
    }
    let reachability = &finding.analysis.reachability;
    match finding.unroutable_pairs() {
        // Of most destinations nothing is known then.
        0 if finding.is_unexplored() => {}
        0 => text.push_str(&format!(
            "  all {} pairs are routable\n",
            reachability.pairs
        )),
        pairs => {
            text.push_str(&format!(
                "  {unroutable}: {pairs} of {} pairs\n",
                reachability.pairs
            ));
            for line in finding.unroutable_examples() {
                text.push_str(&format!("    {line}\n"));
            }
        }
    }
    text
}
