//! What the curves of a panel did where the traffic switched, at one load each.

use super::details::ReadDetails;
use super::panels::{Grouped, Member};
use super::summary::is_untold;
use crate::details::Details;
use crate::plan::Plan;
use crate::row::{Row, figure};
use crate::settling::after;
use crate::store::StoreError;
use std::collections::BTreeSet;
use turnwise_config::document::Value;
use turnwise_report::{Response, Transient};
use turnwise_sim::Interval;

/// Loads that are shown of all panels together, at most.
const MOST: usize = 6;

/// What is said of phases that are not those of all curves.
const DIFFER: &str = "The phases differ from curve to curve, as their names say.";

/// One place of a panel: its words, and the rows of each curve there.
struct Place<'a, 'b> {
    panel: usize,
    words: String,
    curves: Vec<(usize, Vec<&'b Member<'a>>)>,
}

/// The loads that are shown, and a note on which ones these are.
pub(super) fn transients(
    plan: &Plan,
    grouped: &Grouped<'_>,
    read: ReadDetails<'_>,
) -> Result<(Vec<Transient>, String), StoreError> {
    // It may be the sweep that says what switches; what never does has no places to look for.
    let mut members = grouped.members.iter().flatten().flatten();
    if !members.any(|member| member.row.switches()) {
        return Ok(Default::default());
    }
    let mut places = places(grouped);
    places.retain(switches);
    let count = places.len();
    let mut shown = Vec::new();
    for place in spread(places) {
        shown.extend(transient(plan, grouped, &place, read)?);
    }
    let note = match shown.len() {
        some if some > 0 && some < count => {
            format!(
                "Of {count} points of the axis, {some} are shown; turnwise report STUDY --details FOLDER writes all as CSV files."
            )
        }
        _ => String::new(),
    };
    Ok((shown, note))
}

/// Does the traffic of any curve there switch?
fn switches(place: &Place<'_, '_>) -> bool {
    let members = place.curves.iter().flat_map(|(_, members)| members);
    members.into_iter().any(|member| member.row.switches())
}

/// The places of all panels, in the order of the study.
fn places<'a, 'b>(grouped: &'b Grouped<'a>) -> Vec<Place<'a, 'b>> {
    let mut places: Vec<Place<'a, 'b>> = Vec::new();
    for (panel, curves) in grouped.members.iter().enumerate() {
        for (series, members) in curves.iter().enumerate() {
            for member in members {
                let words = words(member);
                let is_there = |place: &Place<'_, '_>| place.panel == panel && place.words == words;
                let at = places.iter().position(is_there).unwrap_or_else(|| {
                    let curves = Vec::new();
                    places.push(Place {
                        panel,
                        words,
                        curves,
                    });
                    places.len() - 1
                });
                let curves = &mut places[at].curves;
                match curves.iter_mut().find(|(known, _)| *known == series) {
                    Some((_, members)) => members.push(member),
                    None => curves.push((series, vec![member])),
                }
            }
        }
    }
    places
}

/// Where a row is on the axis.
fn words(member: &Member<'_>) -> String {
    let load = member.row.figure("offered_load").map(figure);
    let load = load.map(|load| format!("load {load}"));
    let words = [member.place.as_str(), load.as_deref().unwrap_or("")];
    let words = words.into_iter().filter(|words| !words.is_empty());
    words.collect::<Vec<_>>().join(", ")
}

/// As many as are shown, the first and the last among them.
fn spread<T>(all: Vec<T>) -> impl Iterator<Item = T> {
    let last = all.len().saturating_sub(1);
    let most = MOST.min(all.len());
    let chosen = move |number: usize| number * last / (most - 1).max(1);
    let chosen: BTreeSet<usize> = (0..most).map(chosen).collect();
    let all = all.into_iter().enumerate();
    all.filter(move |(number, _)| chosen.contains(number))
        .map(|(_, item)| item)
}

/// `None` if nothing was kept of these points.
fn transient(
    plan: &Plan,
    grouped: &Grouped<'_>,
    place: &Place<'_, '_>,
    read: ReadDetails<'_>,
) -> Result<Option<Transient>, StoreError> {
    let (mut responses, mut end) = (Vec::new(), 0);
    let mut sent: Vec<Option<String>> = Vec::new();
    for (series, members) in &place.curves {
        let Some(kept) = together(plan, members, read)? else {
            continue;
        };
        end = end.max(kept.window_start + kept.window);
        let first = members.first();
        sent.push(first.and_then(|member| phases(plan, member.point)));
        responses.push(response(*series, members, &kept));
    }
    if responses.is_empty() {
        return Ok(None);
    }
    let panel = grouped.panels.get(place.panel);
    let title = panel.map_or("", |panel| panel.title.as_str());
    let phases = match sent.windows(2).all(|pair| pair[0] == pair[1]) {
        true => sent.swap_remove(0).filter(|words| words != title),
        false => Some(DIFFER.to_owned()),
    };
    Ok(Some(Transient {
        panel: place.panel,
        title: match place.words.is_empty() {
            true => title.to_owned(),
            false => format!("{title}: {}", place.words),
        },
        phases: phases.unwrap_or_default(),
        end: end as f64,
        responses,
    }))
}

/// What was kept of repetitions of a point, added up; `None` if there is nothing.
fn together(
    plan: &Plan,
    members: &[&Member<'_>],
    read: ReadDetails<'_>,
) -> Result<Option<Details>, StoreError> {
    let mut sum: Option<Details> = None;
    for member in members {
        let kept = match plan.id(member.point) {
            Some(id) => read(&id)?,
            None => None,
        };
        match (&mut sum, kept) {
            (_, None) => {}
            (None, kept) => sum = kept,
            (Some(sum), Some(kept)) => {
                for (ours, theirs) in sum.intervals.iter_mut().zip(&kept.intervals) {
                    ours.add(theirs);
                }
            }
        }
    }
    Ok(sum)
}

fn response(series: usize, members: &[&Member<'_>], kept: &Details) -> Response {
    let rows = || members.iter().map(|member| member.row);
    let knows_minimal = rows().all(|row| row.figure("nonminimal_share").is_some());
    // An interval that goes on behind the window is filled as long as the run goes on.
    let end = kept.window_start + kept.window;
    let whole = (end / kept.interval_cycles.max(1)) as usize;
    let share = |of: fn(&Interval) -> u64| {
        let share = move |at: &Interval| match at.packets {
            0 => f64::NAN,
            packets => of(at) as f64 / packets as f64,
        };
        kept.intervals.iter().take(whole).map(share).collect()
    };
    // Of all repetitions together, which know a drift where each of them leaves it open.
    let is_whole = |row: &Row| {
        row.text("ending") == Some("completed") && row.figure("undelivered_packets") == Some(0.0)
    };
    let saturated = rows().any(|row| row.flag("saturated") || row.flag("deadlocked"));
    let settles = !saturated && rows().all(|row| is_whole(row) && !is_untold(row));
    let switch = kept.switches.last().filter(|_| settles);
    let settled = switch.and_then(|&at| after(&kept.intervals, kept.interval_cycles, at));
    let cycles = settled.and_then(|settled| settled.cycles);
    Response {
        series,
        switches: kept.switches.iter().map(|&at| at as f64).collect(),
        window_start: kept.window_start as f64,
        interval: kept.interval_cycles as f64,
        latency: share(|at| at.latency),
        nonminimal: match knows_minimal {
            true => share(|at| at.nonminimal),
            false => Vec::new(),
        },
        settling: cycles.map_or(f64::NAN, |cycles| cycles as f64),
        settled_latency: settled.map_or(f64::NAN, |settled| settled.latency),
        saturated,
    }
}

/// What a point's terminals send, phase by phase; `None` if that does not switch.
pub(super) fn phases(plan: &Plan, point: usize) -> Option<String> {
    let document = plan.point(point)?.point.document;
    let traffic = document.at_path("traffic")?;
    let text = |table: &Value, name: &str| table.at_path(name)?.as_str().map(str::to_owned);
    let mut words = text(traffic, "pattern")?;
    for phase in traffic.at_path("then")?.array()? {
        let load = phase.at_path("load").and_then(Value::as_f64);
        let load = load.map(|load| format!("load {}", figure(load)));
        let changes: Vec<String> = text(phase, "pattern").into_iter().chain(load).collect();
        let at = phase.at_path("at").and_then(Value::as_f64)?;
        words.push_str(&format!(
            ", from cycle {} {}",
            figure(at),
            changes.join(", ")
        ));
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_are_shown_whatever_their_number() {
        for count in 0..40 {
            let shown: Vec<usize> = spread((0..count).collect()).collect();
            assert_eq!(shown.len(), count.min(MOST), "{count}");
            assert_eq!(shown.first().copied(), (count > 0).then_some(0));
            assert_eq!(shown.last().copied(), count.checked_sub(1));
        }
    }
}
