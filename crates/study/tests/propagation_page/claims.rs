//! Every claim of the paper, and what was measured: whether it holds is decided here, by the figures.

use super::curves::{Curves, Point};
use crate::pages::table;

/// How much one figure is above another.
pub(super) fn percent(figure: f64, reference: f64) -> String {
    format!("{:+.1} %", 100.0 * (figure / reference - 1.0))
}

/// The claims, each with the figures of all configurations and with a verdict on each.
pub(super) fn claims(attacks: &[Curves; 3], uniforms: &[Curves; 3]) -> String {
    let rows = [
        row(
            "under a group attack fewer non-minimal packets by 10 to 45 % beyond 10 % load",
            attacks,
            detours,
        ),
        row(
            "under a group attack the benefit begins beyond 10 % load",
            attacks,
            begins,
        ),
        row(
            "6.4 mean routers (within 0.4) where the group attack ends, with w = 0 and w = 0.25",
            attacks,
            routers,
        ),
        row(
            "w = 0 and w = 0.25 end at a load of 0.5 (within 0.02)",
            attacks,
            ends,
        ),
        row(
            "w = 0.5 ends earlier, at 0.48 (within 0.02)",
            attacks,
            earlier,
        ),
        row(
            "uniform traffic: more than 0.7 is carried, and slightly less with the ratio",
            uniforms,
            loss,
        ),
        row(
            "uniform traffic: p99.9 is better somewhere between loads of 0.5 and 0.7",
            uniforms,
            tail,
        ),
    ];
    let names = attacks.iter().map(|curves| curves.name);
    let header: Vec<&str> = std::iter::once("the paper").chain(names).collect();
    table(&header, rows)
}

/// Figures and whether the claim holds.
type Finding = (String, bool);

fn row(claim: &str, configurations: &[Curves; 3], find: fn(&Curves) -> Finding) -> Vec<String> {
    let cells = configurations.iter().map(|curves| {
        let (figures, holds) = find(curves);
        format!("**{}**: {figures}", if holds { "yes" } else { "no" })
    });
    std::iter::once(claim.to_owned()).chain(cells).collect()
}

fn fewer(pair: &(Point, Point)) -> f64 {
    1.0 - pair.1.nonminimal / pair.0.nonminimal
}

/// By how many percent fewer packets go non-minimally at loads that `choose` says yes to: the least and the most, if there are such loads.
fn range(curves: &Curves, weight: f64, choose: fn(f64) -> bool) -> Option<(f64, f64)> {
    let pairs = curves.pairs(weight).filter(|(plain, _)| choose(plain.load));
    let all = pairs.map(|pair| 100.0 * fewer(&pair));
    all.fold(None, |range, next| {
        let (least, most) = range.unwrap_or((next, next));
        Some((next.min(least), next.max(most)))
    })
}

fn words(range: Option<(f64, f64)>) -> String {
    range.map_or("saturated".to_owned(), |(least, most)| {
        format!("{least:.0} to {most:.0} %")
    })
}

fn detours(curves: &Curves) -> Finding {
    let [quarter, half] = [0.25, 0.5].map(|weight| range(curves, weight, |load| load > 0.1));
    let holds = half.is_some_and(|(least, most)| least >= 10.0 && most <= 45.0);
    let words = format!("{} (w = 0.25), {} (0.5)", words(quarter), words(half));
    (words, holds)
}

fn begins(curves: &Curves) -> Finding {
    let [below, beyond] = [(|load| load <= 0.1) as fn(f64) -> bool, |load| load > 0.1]
        .map(|choose| range(curves, 0.5, choose));
    let more = below
        .zip(beyond)
        .is_some_and(|(below, beyond)| beyond.1 > below.1);
    let words = format!(
        "w = 0.5: {} up to 10 % load, {} beyond",
        words(below),
        words(beyond)
    );
    (words, more)
}

fn routers(curves: &Curves) -> Finding {
    let ends = [0.0, 0.25].map(|weight| curves.end(weight).routers);
    let holds = ends.iter().all(|routers| (routers - 6.4).abs() <= 0.4);
    (format!("{:.2} and {:.2}", ends[0], ends[1]), holds)
}

fn ends(curves: &Curves) -> Finding {
    let most = [0.0, 0.25].map(|weight| curves.most(weight));
    let holds = most.iter().all(|most| (most - 0.5).abs() <= 0.02);
    (format!("{:.3} and {:.3}", most[0], most[1]), holds)
}

fn earlier(curves: &Curves) -> Finding {
    let [plain, half] = [0.0, 0.5].map(|weight| curves.most(weight));
    let holds = half < plain && (half - 0.48).abs() <= 0.02;
    (format!("{half:.3}, {}", percent(half, plain)), holds)
}

/// The highest load that does not saturate counts: what a network accepts that is given more than it carries says little of that.
fn loss(curves: &Curves) -> Finding {
    let [plain, quarter, half] = [0.0, 0.25, 0.5].map(|weight| curves.carried(weight));
    let words = format!("up to {plain}, with the ratio {quarter} (w = 0.25) and {half} (0.5)");
    (words, plain >= 0.7 && half < plain && half > 0.9 * plain)
}

fn tail(curves: &Curves) -> Finding {
    let between = |point: &Point| (0.5..=0.7).contains(&point.load);
    let best = [0.25, 0.5].map(|weight| {
        let pairs = curves.pairs(weight).filter(|(plain, _)| between(plain));
        let gain = pairs.map(|(plain, other)| (other.tail / plain.tail, plain.load));
        gain.reduce(|a, b| if b.0 < a.0 { b } else { a })
    });
    let best = best
        .into_iter()
        .flatten()
        .reduce(|a, b| if b.0 < a.0 { b } else { a });
    match best {
        Some((ratio, load)) => {
            let words = format!("{} at {load}", percent(ratio, 1.0));
            (words, ratio < 1.0)
        }
        None => ("saturated before 0.5".to_owned(), false),
    }
}
