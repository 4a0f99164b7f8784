//! Every claim of the paper, and what was measured: whether it holds is decided here, by the figures.

use super::gains::{quantile, signed, sorted};
use super::results::{Gain, Results};
use super::{LARGE, PATTERNS};
use crate::pages::table;

/// What the paper gains at most, and how near counts as that.
const BARRIER: (f64, f64) = (0.29, 0.08);
const BANDWIDTH: (f64, f64) = (0.51, 0.12);
/// What counts as the same.
const SAME: f64 = 0.03;
/// DL, and up*/down* with as many virtual channels.
const AGAINST: [(&str, &str); 4] = [
    ("dl 2", "up-down 2"),
    ("dl 4", "up-down 4"),
    ("dl 2 balanced", "up-down 2"),
    ("dl 4 balanced", "up-down 4"),
];

/// Something that is measured on the three networks, under some traffics.
struct Subject {
    figure: &'static str,
    name: &'static str,
    traffics: &'static [&'static str],
    paper: (f64, f64),
    claim: &'static str,
}

const SUBJECTS: [Subject; 4] = [
    Subject {
        figure: "barrier",
        name: "gather and broadcast",
        traffics: &["gather-broadcast"],
        paper: BARRIER,
        claim: "barriers up to 29 % quicker on A",
    },
    Subject {
        figure: "barrier",
        name: "dissemination",
        traffics: &["dissemination"],
        paper: BARRIER,
        claim: "barriers up to 29 % quicker on A",
    },
    Subject {
        figure: "messages",
        name: "one message at a time",
        traffics: &PATTERNS,
        paper: BANDWIDTH,
        claim: "bandwidth up to 51 % more on A",
    },
    Subject {
        figure: "bandwidth",
        name: "all the time",
        traffics: &PATTERNS,
        paper: BANDWIDTH,
        claim: "bandwidth up to 51 % more on A",
    },
];

/// A row of cells for each claim, one for each kind of DL.
pub(super) fn table_of(results: &Results) -> String {
    let mut rows = Vec::new();
    for subject in &SUBJECTS {
        let mut row = |claim: &str, cell: &dyn Fn((&'static str, &'static str)) -> String| {
            rows.push(subject.row(claim, cell));
        };
        let best =
            |network: &str, (dl, base): (&str, &str)| subject.best(results, network, dl, base);
        row(subject.claim, &|against| {
            let (gain, traffic) = best("A", against);
            let (paper, within) = subject.paper;
            let by = match subject.traffics {
                [_] => String::new(),
                _ => format!(", {}", traffic.replace('-', " ")),
            };
            verdict(gain.is_about(paper, within), &format!("{gain}{by}"))
        });
        row("less on B", &|against| {
            let [a, b] = ["A", "B"].map(|network| best(network, against).0);
            verdict(b.mean < a.mean, &b.to_string())
        });
        row("nothing on the mesh", &|against| {
            let furthest = subject.furthest(results, &["mesh"], against);
            verdict(furthest.is_nothing(SAME), &furthest.to_string())
        });
        row("DL as good as SBP, on all networks", &|(dl, _)| {
            let furthest = subject.furthest(results, &["A", "B", "mesh"], (dl, "sbp"));
            verdict(furthest.is_nothing(SAME), &furthest.to_string())
        });
    }
    rows.extend(PLACED.iter().flat_map(|placed| placed.placed_rows(results)));
    let header = [
        "the paper",
        "`dl 2`",
        "`dl 4`",
        "`dl 2 balanced`",
        "`dl 4 balanced`",
    ];
    table(&header, rows)
}

/// What is measured with the hosts at random places, under one traffic each.
const PLACED: [Subject; 2] = [
    Subject {
        figure: "barrier",
        name: "gather and broadcast, random places",
        traffics: &["gather-broadcast"],
        paper: BARRIER,
        claim: "barriers up to 29 % quicker on A",
    },
    Subject {
        figure: "messages",
        name: "one message at a time, random places",
        traffics: &["bit-reverse"],
        paper: BANDWIDTH,
        claim: "bandwidth up to 51 % more on A",
    },
];

/// As "up to" counts what one of so many percent of the places exceeds.
const UP_TO: usize = 95;

impl Subject {
    /// A row for each claim, as over all places.
    fn placed_rows(&self, results: &Results) -> Vec<Vec<String>> {
        let gains = |network: &str, against| {
            let networks = results.placed(network);
            sorted(results, networks, (self.figure, self.traffics[0]), against)
        };
        let most = |network: &str, against| quantile(&gains(network, against), UP_TO);
        let mean = |network: &str, against| crate::pages::mean(gains(network, against));
        let furthest = |networks: &[&str], against| {
            let means = networks.iter().map(|network| mean(network, against));
            means
                .max_by(|one, other| one.abs().total_cmp(&other.abs()))
                .unwrap()
        };
        let row = |claim: &str, cell: &dyn Fn((&'static str, &'static str)) -> (bool, f64)| {
            self.row(claim, &|against| {
                let (holds, share) = cell(against);
                verdict(holds, &signed(share))
            })
        };
        vec![
            row(self.claim, &|against| {
                let (most, (paper, within)) = (most("A", against), self.paper);
                ((most - paper).abs() <= within, most)
            }),
            row("less on B", &|against| {
                let [a, b] = ["A", "B"].map(|network| most(network, against));
                (b < a - SAME, b)
            }),
            row("nothing on the mesh, in the mean", &|against| {
                let mean = mean("mesh", against);
                (mean.abs() <= SAME, mean)
            }),
            row(
                "DL as good as SBP, in the mean, on all networks",
                &|(dl, _)| {
                    let mean = furthest(&["A", "B", "mesh"], (dl, "sbp"));
                    (mean.abs() <= SAME, mean)
                },
            ),
        ]
    }
}

fn verdict(holds: bool, measured: &str) -> String {
    format!("**{}**: {measured}", if holds { "yes" } else { "no" })
}

impl Subject {
    fn gain(
        &self,
        results: &Results,
        network: &str,
        traffic: &str,
        (routing, base): (&str, &str),
    ) -> Gain {
        let buffers = if self.figure == "barrier" { "" } else { LARGE };
        let of = |routing| results.of(self.figure, network, traffic, buffers, routing, "random");
        Gain::of(self.figure, of(routing), of(base))
    }

    /// A claim, and a cell for each kind of DL.
    fn row(
        &self,
        claim: &str,
        cell: &dyn Fn((&'static str, &'static str)) -> String,
    ) -> Vec<String> {
        let cells = AGAINST.iter().map(|&against| cell(against));
        let claim = format!("{}: {claim}", self.name);
        std::iter::once(claim).chain(cells).collect()
    }

    /// The largest gain of all traffics, and under which.
    fn best(&self, results: &Results, network: &str, dl: &str, base: &str) -> (Gain, &'static str) {
        let gains = self
            .traffics
            .iter()
            .map(|&traffic| (self.gain(results, network, traffic, (dl, base)), traffic));
        let best = gains.max_by(|one, other| one.0.mean.total_cmp(&other.0.mean));
        best.unwrap()
    }

    /// The gain or loss that is furthest from nothing.
    fn furthest(&self, results: &Results, networks: &[&str], against: (&str, &str)) -> Gain {
        let gains = networks.iter().flat_map(|network| {
            self.traffics
                .iter()
                .map(move |traffic| self.gain(results, network, traffic, against))
        });
        let furthest = gains.max_by(|one, other| one.beyond(SAME).total_cmp(&other.beyond(SAME)));
        furthest.unwrap()
    }
}
