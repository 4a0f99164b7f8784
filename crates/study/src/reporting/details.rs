//! Single points beyond their rows: which ones are shown, and what of them.

use super::panels::{Grouped, Member};
use super::picture::{Drawn, links, picture};
use super::summary::is_untold;
use super::timelines::timeline;
use crate::details::Details;
use crate::plan::Plan;
use crate::proofs::Proofs;
use crate::row::{Row, figure};
use crate::store::StoreError;
use crate::sweep::PointId;
use serde_json::Value as Json;
use turnwise_network::{ChannelId, Network};
use turnwise_report::{
    ClassFigures, Course, LatencyHistogram, Moment, Moments, Picture, PointDetails,
};
use turnwise_sim::{ChannelCourse, Interval};

/// Points that are shown, at most.
const MOST: usize = 6;
/// Curves that are asked for details, at most: each costs a look into the store.
const MOST_ASKED: usize = 50;

/// Reads what is kept of a point beside its row.
pub type ReadDetails<'a> = &'a dyn Fn(&PointId) -> Result<Option<Details>, StoreError>;

/// The points that are shown, and a note on which ones these are.
pub(super) fn details(
    plan: &Plan,
    proofs: &Proofs,
    grouped: &Grouped<'_>,
    read: ReadDetails<'_>,
) -> Result<(Vec<PointDetails>, String), StoreError> {
    let is_one_panel = grouped.panels.len() < 2;
    let series = grouped.panels.iter().zip(&grouped.members);
    let curves = series.flat_map(|(panel, members)| {
        let title = if is_one_panel { "" } else { &panel.title };
        let curves = panel.series.iter().zip(members);
        curves.map(move |(series, members)| (title, &series.label, members))
    });
    let (mut shown, mut is_any_kept) = (Vec::new(), false);
    let count = curves.clone().count();
    for (panel, label, members) in curves.take(MOST_ASKED) {
        let Some(chosen) = chosen(members) else {
            continue;
        };
        if shown.len() == MOST {
            break;
        }
        let classes = classes(chosen.row);
        let kept = match plan.id(chosen.point) {
            Some(id) => read(&id)?,
            None => None,
        };
        is_any_kept |= kept.is_some();
        if kept.is_none() && classes.is_empty() {
            continue;
        }
        let kept = kept.unwrap_or_default();
        shown.push(PointDetails {
            title: title(panel, label, chosen),
            latencies: latencies(&kept, chosen.row),
            course: course(&kept, proofs.network(chosen.point)),
            terminals: terminals(&kept),
            fairness: chosen.row.figure("fairness").unwrap_or(f64::NAN),
            channels: kept.channels.iter().map(|f| load(*f, &kept)).collect(),
            picture: proofs
                .network(chosen.point)
                .and_then(|network| used(&kept, network)),
            timeline: kept
                .timeline
                .as_ref()
                .map(|of_point| timeline(of_point, chosen.row, plan.units.of_report())),
            classes,
        });
    }
    let points: usize = grouped.members.iter().flatten().map(Vec::len).sum();
    let all = || grouped.members.iter().flatten().flatten();
    let is_known =
        |(column, _): &&(&str, &str)| all().any(|member| member.row.figure(column).is_some());
    let telling = TELLING.iter().find(is_known).unwrap_or(&TELLING[0]).1;
    let note = note((shown.len(), count, points), telling, is_any_kept);
    Ok((shown, note))
}

/// What tells most of a curve, if it is known: a column, and which of its points is shown.
const TELLING: [(&str, &str); 3] = [
    (
        "offered_load",
        "the highest load that did not saturate, or with the lowest where all did",
    ),
    ("makespan", "the longest makespan"),
    ("accepted_load", "the highest accepted load"),
];

fn most(row: &Row) -> f64 {
    let mut known = TELLING.iter().filter_map(|(column, _)| row.figure(column));
    known.next().unwrap_or(0.0)
}

/// The highest load of a curve that did not saturate; the lowest one where all did. Without a load, the point with the most.
fn chosen<'a, 'b>(members: &'b [Member<'a>]) -> Option<&'b Member<'a>> {
    let load = |member: &Member<'_>| most(member.row);
    let is_stable = |member: &&Member<'_>| state(member.row).is_none() && !is_untold(member.row);
    let mut stable = members.iter().filter(is_stable);
    let first = stable.next();
    let highest = first.map(|first| {
        stable.fold(first, |best, next| match load(next) > load(best) {
            true => next,
            false => best,
        })
    });
    highest.or_else(|| members.iter().min_by(|a, b| load(a).total_cmp(&load(b))))
}

fn state(row: &Row) -> Option<&'static str> {
    match (row.flag("deadlocked"), row.flag("saturated")) {
        (true, _) => Some("deadlocked"),
        (false, true) => Some("saturated"),
        (false, false) => None,
    }
}

fn title(panel: &str, label: &str, chosen: &Member<'_>) -> String {
    let load = chosen.row.figure("offered_load").map(figure);
    let load = load.map(|load| format!("load {load}"));
    let own = [label, chosen.place.as_str(), load.as_deref().unwrap_or("")];
    let state = state(chosen.row).unwrap_or("");
    let words = own.into_iter().chain([state]).filter(|w| !w.is_empty());
    let words = words.collect::<Vec<_>>().join(", ");
    match panel.is_empty() {
        true => words,
        false => format!("{panel}: {words}"),
    }
}

/// Which points are shown, where that is not all of them.
fn note(
    (shown, curves, points): (usize, usize, usize),
    telling: &str,
    is_any_kept: bool,
) -> String {
    let which = match (shown == points, shown == curves) {
        (true, _) => String::new(),
        (false, true) => format!("Of each curve, the point with {telling}. "),
        (false, false) => format!("Of {shown} of {curves} curves, the point with {telling}. "),
    };
    match is_any_kept {
        true => format!(
            "{which}The command turnwise report STUDY --details FOLDER writes the figures of all points as CSV files."
        ),
        false => which.trim_end().to_owned(),
    }
}

fn load(flits: u64, of: &Details) -> f64 {
    flits as f64 / of.window.max(1) as f64
}

fn latencies(kept: &Details, row: &Row) -> LatencyHistogram {
    let bins = kept.histogram.iter();
    let mark = |name, column| Some((name, row.figure(column)?));
    let marks = [
        mark("median", "latency_p50"),
        mark("99 %", "latency_p99"),
        mark("99.9 %", "latency_p999"),
    ];
    LatencyHistogram {
        bins: bins.map(|bin| (bin.from, bin.to, bin.packets)).collect(),
        marks: marks.into_iter().flatten().collect(),
    }
}

/// Loads are those of living terminals, as in the row.
fn course(kept: &Details, network: Option<&Network>) -> Course {
    let living = network.map_or(kept.terminals.len(), |network| {
        network.living_terminals().count()
    });
    let end = kept.window_start + kept.window;
    let cycles = kept.interval_cycles.max(1);
    // An interval that goes on behind the window is filled as long as the run goes on.
    let whole = (end / cycles) as usize;
    let moment = |at: &Interval| {
        let load = |flits: u64| flits as f64 / (cycles * living.max(1) as u64) as f64;
        Moment {
            injected_load: load(at.injected_flits),
            accepted_load: load(at.accepted_flits),
            mean_latency: match at.packets {
                0 => f64::NAN,
                packets => at.latency as f64 / packets as f64,
            },
        }
    };
    Course {
        window_start: kept.window_start as f64,
        end: end as f64,
        switches: kept.switches.iter().map(|&at| at as f64).collect(),
        interval: cycles as f64,
        moments: kept.intervals.iter().take(whole).map(moment).collect(),
    }
}

/// Accepted loads of the terminals that sent anything, as the row's least and largest.
fn terminals(kept: &Details) -> Vec<f64> {
    let sending = kept.terminals.iter().filter(|flits| flits.injected > 0);
    sending.map(|flits| load(flits.accepted, kept)).collect()
}

fn used(kept: &Details, network: &Network) -> Option<Picture> {
    let channels = network.channels().map(|(id, _)| id);
    let flits: std::collections::BTreeMap<_, _> = channels.zip(&kept.channels).collect();
    let drawn = Drawn {
        load_name: "utilisation",
        load_unit: "flits/cycle",
        caption: String::new(),
        load: &|channel| flits.get(&channel).map_or(0.0, |f| load(**f, kept)),
    };
    (!flits.is_empty()).then(|| Picture {
        moments: kept
            .channel_course
            .as_ref()
            .map(|course| moments(course, network)),
        ..picture(network, drawn)
    })
}

/// The same over time, link by link as in the picture.
fn moments(course: &ChannelCourse, network: &Network) -> Moments {
    let channels = network.channels().zip(0..);
    let places: std::collections::BTreeMap<ChannelId, (usize, u32)> = channels
        .map(|((id, channel), at)| (id, (at, channel.interval)))
        .collect();
    let cycles = course.interval.max(1) as f64;
    let links: Vec<(ChannelId, Option<ChannelId>)> = links(network).collect();
    let moment = |flits: &Vec<u32>| {
        let load = |channel: &ChannelId| {
            let &(at, interval) = places.get(channel)?;
            Some(f64::from(*flits.get(at)?) * f64::from(interval) / cycles)
        };
        let both = |(there, back): &(ChannelId, Option<ChannelId>)| {
            let back = back
                .as_ref()
                .map_or(f64::NAN, |back| load(back).unwrap_or(0.0));
            (load(there).unwrap_or(0.0), back)
        };
        links.iter().map(both).collect()
    };
    Moments {
        from: course.from,
        cycles: course.interval,
        loads: course.flits.iter().map(moment).collect(),
    }
}

/// The classes of a row, if it has any.
fn classes(row: &Row) -> Vec<ClassFigures> {
    let classes = row.classes.as_deref().and_then(Json::as_array);
    let class = |class: &Json| {
        let figure = |name: &str| class.get(name).and_then(Json::as_f64).unwrap_or(f64::NAN);
        ClassFigures {
            name: class["name"].as_str().unwrap_or_default().to_owned(),
            injected_load: figure("injected_load"),
            accepted_load: figure("accepted_load"),
            mean_latency: figure("mean_packet_latency"),
            latency_p99: figure("latency_p99"),
        }
    };
    classes.into_iter().flatten().map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(load: f64, saturated: bool) -> Row {
        let mut row = Row::nothing();
        row.set("offered_load", load);
        row.set("saturated", saturated);
        row
    }

    fn chosen_of(rows: &[(f64, bool)]) -> Option<usize> {
        let rows: Vec<Row> = rows.iter().map(|(load, is)| row(*load, *is)).collect();
        let member = |(point, row)| Member {
            point,
            row,
            place: String::new(),
        };
        let members: Vec<Member<'_>> = rows.iter().enumerate().map(member).collect();
        chosen(&members).map(|member| member.point)
    }

    #[test]
    fn the_highest_load_that_did_not_saturate_is_shown() {
        let curve = [(0.1, false), (0.3, false), (0.2, false), (0.4, true)];
        assert_eq!(chosen_of(&curve), Some(1));
        assert_eq!(
            chosen_of(&[(0.3, false), (0.3, false)]),
            Some(0),
            "the first repetition"
        );
        assert_eq!(chosen_of(&[(0.4, true), (0.2, true)]), Some(1));
        assert_eq!(chosen_of(&[(0.4, true)]), Some(0));
        assert_eq!(chosen_of(&[]), None);
    }

    #[test]
    fn a_course_ends_with_the_window() {
        let interval = Interval {
            injected_flits: 40,
            accepted_flits: 20,
            packets: 0,
            ..Default::default()
        };
        let kept = Details {
            window_start: 4,
            window: 6,
            interval_cycles: 4,
            intervals: vec![interval; 5],
            terminals: vec![Default::default(); 5],
            ..Details::default()
        };
        let course = course(&kept, None);
        let injected: Vec<f64> = course.moments.iter().map(|m| m.injected_load).collect();
        assert_eq!(injected, [2.0, 2.0], "the third goes on behind the window");
        assert!(course.moments.iter().all(|m| m.mean_latency.is_nan()));
        assert_eq!((course.window_start, course.end), (4.0, 10.0));
    }

    #[test]
    fn notes_say_what_is_left_out() {
        assert!(note((1, 1, 1), "it", true).starts_with("The command"));
        assert!(note((1, 1, 15), "it", true).starts_with("Of each curve,"));
        assert!(note((6, 14, 100), "it", true).starts_with("Of 6 of 14 curves,"));
        assert!(!note((6, 14, 100), "it", false).contains("--details"));
    }
}
