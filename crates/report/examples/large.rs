//! Prints the page of a study that is as large as they come: ten thousand points, and a dragonfly of 2,064 routers
//! with its channels over time. Nothing is simulated: it is for measuring how quick the page is
//! (`tests/browser/budget.py`).

use std::io::{self, BufWriter};
use turnwise_report::layout::{LayoutHint, arrange};
use turnwise_report::{
    Combination, Moments, Picture, PictureLink, PictureRouter, PointDetails, Report, Table,
    TableColumn, write_html,
};

const GROUPS: u32 = 129;
const PER_GROUP: u32 = 16;
/// Links of a router to other groups.
const GLOBAL: u32 = 8;
const MOMENTS: usize = 32;

/// A number from 0 to 1 that is different for every index, and always the same.
fn share(index: usize) -> f64 {
    (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as f64 / u64::MAX as f64
}

fn link(a: u32, b: u32, class: &str, index: usize) -> PictureLink {
    PictureLink {
        a,
        b,
        forward: share(index),
        backward: share(index + 1),
        classes: [class, class].map(str::to_owned),
    }
}

fn links() -> Vec<PictureLink> {
    let mut links = Vec::new();
    for group in 0..GROUPS {
        let first = group * PER_GROUP;
        for a in 0..PER_GROUP {
            for b in 0..a {
                links.push(link(first + a, first + b, "local", links.len()));
            }
        }
        // One link between any two groups.
        for other in 0..group {
            let (a, b) = (other / GLOBAL, (group - 1) / GLOBAL);
            let ends = (first + a, other * PER_GROUP + b);
            links.push(link(ends.0, ends.1, "global", links.len()));
        }
    }
    links
}

fn picture() -> Picture {
    let hint = LayoutHint::Groups {
        groups: GROUPS,
        per_group: PER_GROUP,
    };
    let layout = arrange(&hint, (GROUPS * PER_GROUP) as usize);
    let routers = layout.positions.iter().zip(0..);
    Picture {
        load_name: "utilisation".to_owned(),
        load_unit: "flits/cycle".to_owned(),
        aspect: layout.aspect,
        bundled: layout.bundled,
        routers: routers
            .map(|(&(x, y), router)| PictureRouter {
                x,
                y,
                label: format!("g{} r{}", router / PER_GROUP, router % PER_GROUP),
                group: Some(router / PER_GROUP),
            })
            .collect(),
        links: links(),
        ..Picture::default()
    }
}

fn moments(links: usize) -> Moments {
    let load = |at: usize, link: usize| (share(at * links + link), share(at + link * MOMENTS));
    let loads = (0..MOMENTS).map(|at| (0..links).map(|link| load(at, link)).collect());
    Moments {
        from: 3_000,
        cycles: 256,
        loads: loads.collect(),
    }
}

fn latency(name: &str) -> TableColumn {
    TableColumn {
        unit: "cycles".to_owned(),
        ..TableColumn::from(name)
    }
}

fn table() -> Table {
    let fields = ["routing.kind", "traffic.pattern", "traffic.load", "repeat"];
    let figures = (0..36).map(|index| match index {
        0 => latency("mean_packet_latency"),
        1 => latency("mean_packet_latency_ci"),
        2 => "accepted_load".into(),
        index => format!("figure_{index}").as_str().into(),
    });
    let row = |point: usize| {
        let load = (point % 50 + 1) as f64 / 50.0;
        let kind = point / 50 % 10;
        let mut cells = vec![
            format!("routing-{kind}"),
            ["uniform", "tornado", "group-attack", "shuffle"][point / 500 % 4].to_owned(),
            format!("{load}"),
            (point / 2_000).to_string(),
        ];
        let base = 40.0 + 10.0 * kind as f64 + 8.0 * share(point);
        let latency = base / (1.02 - load);
        cells.push(format!("{latency:.2}"));
        cells.push(format!("{:.2}", latency / 50.0));
        cells.extend((2..36).map(|index| format!("{:.4}", share(point * 36 + index))));
        cells
    };
    Table {
        columns: fields
            .into_iter()
            .map(TableColumn::from)
            .chain(figures)
            .collect(),
        swept: fields.len(),
        rows: (0..10_000).map(row).collect(),
        left_out: 0,
    }
}

fn main() -> io::Result<()> {
    let picture = picture();
    let used = Picture {
        moments: Some(moments(picture.links.len())),
        ..picture.clone()
    };
    let report = Report {
        title: "Ten thousand points and two thousand routers".to_owned(),
        combinations: vec![Combination {
            network: "dragonfly 129x16x8".to_owned(),
            routing: "minimal".to_owned(),
            picture: Some(picture),
            ..Combination::default()
        }],
        details: vec![PointDetails {
            title: "minimal, load 0.3".to_owned(),
            channels: used.links.iter().map(|link| link.forward).collect(),
            picture: Some(used),
            ..PointDetails::default()
        }],
        table: table(),
        ..Report::default()
    };
    write_html(&report, &mut BufWriter::new(io::stdout().lock()))
}
