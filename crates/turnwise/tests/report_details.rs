//! What the report shows of single points, and of studies that deserve a second thought.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{content, examples, good_study, turnwise};
use std::fs;

/// What is kept of points is drawn; where nothing is kept, nothing is missed.
#[test]
fn a_report_shows_the_details_that_are_kept() {
    const SECTIONS: [&str; 4] = ["latencies", "course", "terminals", "channels"];
    let folder = examples();
    let report = |more: &[&str]| {
        let run = [&["run", "dragonfly.toml", "--output", "out"], more].concat();
        turnwise(folder.path(), &run).fine();
        fs::read_to_string(folder.path().join("out/report.html")).unwrap()
    };
    let shown = |html: &str| {
        let has = |id: &&str| html.contains(&format!("<section id=\"{id}\""));
        SECTIONS.iter().filter(|id| has(id)).count()
    };
    let fresh = report(&["--fresh"]);
    assert_eq!(shown(&fresh), 0);
    let whole = report(&[]);
    assert_eq!(shown(&whole), 4);
    assert!(whole.contains("turnwise report STUDY --details FOLDER"));
    let plots = || fs::read_dir(folder.path().join("out/plots")).unwrap();
    let names = || plots().map(|plot| plot.unwrap().file_name().into_string().unwrap());
    for kind in SECTIONS {
        let of_kind = names().filter(|name| name.starts_with(&format!("{kind}-")));
        assert_eq!(of_kind.count(), 2, "{kind}: one for each routing");
    }
    turnwise(
        folder.path(),
        &[
            "report",
            "dragonfly.toml",
            "--output",
            "anew",
            "--results",
            "out",
        ],
    )
    .fine();
    let anew = fs::read_to_string(folder.path().join("anew/report.html")).unwrap();
    assert_eq!(anew, whole);
    let bare = ["run", "torus.toml", "--output", "bare"];
    let kept_none = ["--set", "simulation.details=false"];
    turnwise(folder.path(), &[&bare[..], &kept_none].concat()).fine();
    let bare = fs::read_to_string(folder.path().join("bare/report.html")).unwrap();
    assert_eq!(shown(&bare), 0);
}

/// Classes of traffic have a table, and short buffers are in the report as on standard error.
#[test]
fn a_report_shows_classes_and_advice() {
    let folder = good_study();
    let file = folder.path().join("study.toml");
    let classes = "load = 0.1\n[[traffic.classes]]\nname = 'short'\nshare = 0.5\npattern = 'uniform'\npacket_flits = 1\n\
        [[traffic.classes]]\nname = 'long'\nshare = 0.5\npattern = 'tornado'\npacket_flits = 4\n[router]\nbuffer_flits = 4\n";
    let study = fs::read_to_string(&file).unwrap();
    let study = study.replace("pattern = \"uniform\"\n", "");
    fs::write(&file, study.replace("load = 0.1\n", classes)).unwrap();
    let ran = turnwise(folder.path(), &["run", "study.toml", "--output", "out"]).fine();
    let html = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    let (_, table) = html.split_once("<section id=\"classes\"").unwrap();
    let (table, _) = table.split_once("</section>").unwrap();
    for class in ["short", "long"] {
        let row = format!("<tr><th scope=\"row\">{class}</th><td class=\"n\">0.");
        assert!(table.contains(&row), "{table}");
    }
    let warning = ran
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("warning: "));
    assert!(html.contains(&format!("<li>{}</li>", warning.unwrap())));
    assert!(!html.contains("What failed"));
}

/// A run that deadlocks says what waited for what, in the report and in files.
#[test]
fn a_deadlock_is_told_with_its_channels() {
    let folder = tempfile::tempdir().unwrap();
    let study = "[network]\nkind = \"torus\"\nsizes = [8]\n[routing]\nkind = \"min-hop\"\n\
                 [router]\nvirtual_channels = 1\nbuffer_flits = 4\n\
                 [traffic]\npattern = \"uniform\"\nload = 0.9\npacket_flits = 16\n\
                 [simulation]\nwarmup_cycles = 10000\nmeasure_cycles = 1000\n";
    fs::write(folder.path().join("ring.toml"), study).unwrap();
    let ran = turnwise(folder.path(), &["run", "ring.toml", "--output", "out"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let told = ran
        .stdout
        .lines()
        .find(|line| line.contains("held these virtual channels"));
    let told = told.unwrap_or_else(|| panic!("{ran:?}"));
    assert!(
        told.contains("Packets of min-hop at load 0.9 held"),
        "{told}"
    );
    let at = "deadlocked while it was simulated, at load 0.9.";
    assert!(ran.stdout.contains(at), "{}", ran.stdout);
    let html = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(html.contains("held these virtual channels"));

    let details = [
        "report",
        "ring.toml",
        "--results",
        "out",
        "--details",
        "files",
    ];
    turnwise(folder.path(), &details);
    let waiting = fs::read_to_string(folder.path().join("files/point-0/deadlock.csv")).unwrap();
    let mut lines = waiting.lines();
    assert_eq!(lines.next(), Some("channel,name,vc"));
    let rows: Vec<&str> = lines.collect();
    assert!(rows.len() >= 2, "{waiting}");
    // Each channel begins where the one before it ends, and the first where the last does.
    let ends = |row: &str| {
        let name = row.split(',').nth(1).unwrap_or_else(|| panic!("{row}"));
        let (from, to) = name.split_once(" -> ").unwrap();
        (from.to_owned(), to.split(' ').next().unwrap().to_owned())
    };
    let mut before = ends(rows[rows.len() - 1]).1;
    for row in rows {
        let (from, to) = ends(row);
        assert_eq!(from, before, "{waiting}");
        assert!(told.contains(&format!("{from} -> {to}")), "{told}");
        before = to;
    }
}

const SWITCHING: &str = "[network]\nkind = \"dragonfly\"\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n\
    [routing]\nkind = \"par\"\n[traffic]\npattern = \"uniform\"\nload = 0.1\n";

/// The report's section on transients and the whole page.
fn transients(study: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), study).unwrap();
    turnwise(folder.path(), &["run", "study.toml", "--output", "out"]).fine();
    let html = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    let (_, section) = html.split_once("<section id=\"transients\"").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    (section.to_owned(), html)
}

/// What stands behind each of some words, up to a character.
fn behind<'a>(text: &'a str, words: &str, end: char) -> Vec<&'a str> {
    let parts = text.split(words).skip(1);
    parts.map(|part| part.split(end).next().unwrap()).collect()
}

/// Windows of unlike lengths have intervals of unlike lengths: every curve jumps where its traffic switches.
#[test]
fn curves_with_windows_of_their_own_jump_at_the_switch() {
    let more = "[[traffic.then]]\nat = 3000\npattern = \"adversarial\"\n[simulation]\nwarmup_cycles = 1000\n\
        [sweep]\n\"routing.kind\" = [\"par\", \"ugal-g\"]\n\"simulation.measure_cycles\" = [5000, 9000]\n\
        zip = [[\"routing.kind\", \"simulation.measure_cycles\"]]\n";
    let (section, _) = transients(&format!("{SWITCHING}{more}"));
    assert!(section.contains("Mean latency over 10,000 cycles"));
    let figure = behind(&section, "aria-label=\"Mean latency", '\0')[0];
    let (figure, _) = figure.split_once("</svg>").unwrap();
    let lines: Vec<&str> = figure
        .split("<line x1=\"")
        .filter(|line| line.contains("class=\"rule\""))
        .collect();
    let [line] = lines[..] else {
        panic!("{lines:?}")
    };
    let switch: f64 = line.split('"').next().unwrap().parse().unwrap();
    for style in ["s0", "s1"] {
        let path = behind(figure, &format!("<path class=\"curve {style}\" d=\""), '"')[0];
        let point = |point: &str| -> (f64, f64) {
            let (x, y) = point.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        let points = path.split(['M', 'L']).filter(|point| !point.is_empty());
        let points: Vec<(f64, f64)> = points.map(point).collect();
        // Upwards is less.
        let jump = points
            .windows(2)
            .min_by(|a, b| (a[1].1 - a[0].1).total_cmp(&(b[1].1 - b[0].1)));
        let jump = jump.unwrap()[1].0;
        assert!(
            (jump - switch).abs() < 3.0,
            "{style} jumps at {jump}, not {switch}"
        );
    }
}

/// What is said of the traffic is true of all curves, in the panel and in the summary, and a switch has the colour of its curve.
#[test]
fn a_swept_switch_is_told_by_curve() {
    let more = "[[traffic.then]]\nat = 1500\npattern = \"adversarial\"\n[simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 4000\n\
        [sweep]\n\"traffic.then[0].at\" = [1500, 3500]\n";
    let (section, html) = transients(&format!("{SWITCHING}{more}"));
    assert!(
        !html.contains("from cycle 1500"),
        "only one of two curves switches there"
    );
    assert!(section.contains("The phases differ from curve to curve, as their names say."));
    assert_eq!(behind(&section, "<span>", '<'), ["at 1500", "at 3500"]);
    for style in ["s0", "s1"] {
        let rule = format!("class=\"rule {style}\"");
        assert_eq!(section.matches(&rule).count(), 2, "one in each figure");
    }
    let (_, html) = transients(&format!(
        "{SWITCHING}[[traffic.then]]\nat = 1500\npattern = \"adversarial\"\n[simulation]\nmeasure_cycles = 1000\nwarmup_cycles = 1000\n"
    ));
    assert!(html.contains("uniform, from cycle 1500 adversarial"));
}

/// It is not the first point alone that says whether anything switches.
#[test]
fn curves_switch_wherever_in_the_sweep_they_are() {
    let more = "[simulation]\nwarmup_cycles = 1000\nmeasure_cycles = 3000\n[sweep]\n\
        traffic = [{ pattern = \"uniform\", load = 0.1 }, { pattern = \"uniform\", load = 0.1, then = [{ at = 2000, load = 0.2 }] }]\n";
    let (section, _) =
        transients(&SWITCHING.replace("[traffic]\npattern = \"uniform\"\nload = 0.1\n", more));
    assert_eq!(behind(&section, "<span>", '<').len(), 2);
}

/// Repetitions are judged together: what none of them can tell of a latency that varies, all of them can, and if it drifts, too.
#[test]
fn repetitions_tell_together_whether_latency_has_settled() {
    let settled = |window: u32| {
        let more = format!(
            "[[traffic.then]]\nat = 1605\npattern = \"adversarial\"\n[[traffic.then]]\nat = 2000\nload = 0.05\n\
             [simulation]\nwarmup_cycles = 1000\nmeasure_cycles = {window}\n[study]\nrepeat = 12\n"
        );
        let study = SWITCHING
            .replace("par", "minimal")
            .replace("load = 0.1", "load = 0.2\npacket_flits = 2");
        let (section, _) = transients(&format!("{study}{more}"));
        behind(&section, "data-name=\"Settled at\">", '<')[0]
            .parse::<f64>()
            .ok()
    };
    assert_eq!(settled(2500), None);
    let level = settled(12_000).unwrap();
    assert!((27.0..31.0).contains(&level), "{level}");
}

/// Files of points that there are no more would be taken for those of others; what somebody else has put there stays.
#[test]
fn details_of_a_study_are_not_mixed_with_those_of_another() {
    let folder = examples();
    let details = |sets: &[&str]| {
        let run = ["run", "dragonfly.toml", "--no-report"];
        turnwise(folder.path(), &[&run[..], sets].concat()).fine();
        let report = ["report", "dragonfly.toml", "--details", "d"];
        turnwise(folder.path(), &[&report[..], sets].concat()).fine();
        content(&folder.path().join("d"))
    };
    let of_four = details(&[]);
    assert!(of_four.contains_key("point-3/time.csv"));
    let write = |name: &str| fs::write(folder.path().join("d").join(name), "old").unwrap();
    write("point-3/mine.txt");
    write("point-0/deadlock.csv");
    // What a link leads to, and a file, are not this command's.
    let theirs = folder.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("time.csv"), "theirs").unwrap();
    std::os::unix::fs::symlink(&theirs, folder.path().join("d/point-7")).unwrap();
    write("point-9");
    let of_one = details(&["--set", "sweep={}"]);
    assert!(theirs.join("time.csv").exists());
    for others in ["point-7", "point-9"] {
        fs::remove_file(folder.path().join("d").join(others)).unwrap();
    }
    assert!(of_one.contains_key("point-0/time.csv"));
    assert!(!of_one.contains_key("point-0/deadlock.csv"));
    let left: Vec<&String> = of_one.keys().collect();
    let has = |name: &str| left.iter().any(|left| *left == name);
    assert!(has("point-3/mine.txt") && has("point-9"));
    assert!(!has("point-1") && !has("point-3/time.csv"), "{left:?}");
}
