//! What the report says of a study agrees with the study's rows.

#![allow(clippy::unwrap_used, reason = "tests and their helpers may")]

#[allow(dead_code)]
mod common;

use common::{rows, turnwise};
use serde_json::Value;
use std::fs;

const STUDY: &str = r#"
[network]
kind = "torus"
sizes = [4, 4]
[router]
virtual_channels = 8
[traffic]
pattern = "uniform"
load = 0.2
[simulation]
warmup_cycles = 100
measure_cycles = 400
"#;

/// Runs a study that has these lines beside the ones above; its rows, and its page.
fn reported(more: &str) -> (Vec<Value>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), format!("{STUDY}{more}")).unwrap();
    let arguments = ["run", "study.toml", "--format", "json", "--report"];
    let rows = rows(&turnwise(folder.path(), &arguments).fine());
    let page = folder.path().join("turnwise-out/study/report.html");
    (rows, fs::read_to_string(page).unwrap())
}

/// Along an axis of networks each has its own saturation load, and there is none of the curve.
#[test]
fn no_curve_has_the_mean_of_saturation_loads_along_its_axis() {
    let sweep = |axis: &str, loads: &str| {
        reported(&format!(
            "find_saturation = true\n[routing]\nkind = 'dimension-order'\n[sweep]\n\
             'network.sizes' = [[4, 4], [8, 8]]\n{loads}[report]\nx = '{axis}'\n"
        ))
    };
    let saturation = "title=\"highest load that is still accepted, searched for";
    let (rows, page) = sweep("network.sizes", "");
    let loads = rows
        .iter()
        .map(|row| row["saturation_load"].as_f64().unwrap());
    let loads: Vec<f64> = loads.collect();
    assert!(loads[0] > 1.2 * loads[1], "{loads:?}");
    let mean = (loads[0] + loads[1]) / 2.0;
    assert!(!page.contains(saturation) && !page.contains(&format!("{mean:.3}<")));
    assert!(page.contains("saturation load from sizes 4x4 to 8x8: dimension-order "));
    // Along the load it is the curve's own.
    let (_, page) = sweep("traffic.load", "'traffic.load' = [0.1, 0.2]\n");
    assert!(page.contains(saturation));
}

/// The channel back is not of the class of the one there: what `verify` calls -x is not +x in the picture.
#[test]
fn channels_of_a_picture_have_their_own_classes() {
    let (_, page) = reported("[routing]\nkind = 'dimension-order'\n");
    let (mut rising, mut falling) = (0, 0);
    for tip in page.split("<title>(").skip(1) {
        let Some((ends, class)) = tip
            .split_once("</title>")
            .and_then(|(tip, _)| tip.split_once('\n'))
        else {
            continue;
        };
        let numbers: Vec<i32> = ends
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse().ok())
            .collect();
        let [x, y, to_x, to_y, ..] = numbers[..] else {
            continue;
        };
        let step = [(to_x - x).rem_euclid(4), (to_y - y).rem_euclid(4)];
        let expected = match step {
            [1, 0] => "+x",
            [3, 0] => "-x",
            [0, 1] => "+y",
            _ => "-y",
        };
        assert_eq!(class, expected, "{tip:?}");
        rising += usize::from(class.starts_with('+'));
        falling += usize::from(class.starts_with('-'));
    }
    assert!(rising == falling && rising >= 32, "{rising} and {falling}");
}

/// What is swept in several units is ordered and drawn by how much it is; where some say none, no unit is said of all.
#[test]
fn amounts_are_figures_in_one_unit() {
    let units =
        "[study]\nclock = '1.25 GHz'\nflit_size = '1 B'\n[routing]\nkind = 'dimension-order'\n";
    let (_, page) = reported(&format!(
        "{units}[sweep]\n'traffic.load' = ['2 Gb/s', '500 Mb/s', '1000 Mb/s']\n'router.buffer_flits' = [16, '2 KiB']\n"
    ));
    for column in [
        r#"{"name":"traffic.load","swept":true,"unit":"Gb/s","figures":[2,2,0.5,0.5,1,1]}"#,
        r#"{"name":"router.buffer_flits","swept":true,"words":["16","2 KiB"],"#,
    ] {
        assert!(page.contains(column), "{column}");
    }
}

/// What a program is drawn against is the same, whether or not its values have units.
#[test]
fn amounts_are_an_axis_as_numbers_are() {
    let folder = tempfile::tempdir().unwrap();
    let run = |bytes: &str| {
        let study = format!(
            "[study]\nclock = '1 GHz'\nflit_size = '16 B'\n[network]\nkind = 'torus'\nsizes = [4, 4]\n[routing]\nkind = 'dimension-order'\n\
             [workload]\nkind = 'collective'\ncollective = 'all-reduce'\n[sweep]\n'workload.bytes' = {bytes}\n"
        );
        fs::write(folder.path().join("study.toml"), study).unwrap();
        turnwise(folder.path(), &["run", "study.toml", "--report"]).fine();
        fs::read_to_string(folder.path().join("turnwise-out/study/report.html")).unwrap()
    };
    assert!(run("[4096, 16384, 65536]").contains("from bytes 4096 to 65536"));
    assert!(run("['4 KiB', '16 KiB', '64 KiB']").contains("from bytes [KiB] 4 to 64"));
}

/// Of curves that do not reach as far as others it is said how far they do.
#[test]
fn nobody_is_told_a_load_that_he_was_not_offered() {
    let sweep = "[sweep]\n'routing.kind' = ['dimension-order', 'valiant']\n'traffic.load' = [0.1, 0.2]\n\
                 where = \"routing.kind != 'valiant' or traffic.load <= 0.1\"\n";
    let (_, page) = reported(&format!("[routing]\nkind = 'valiant'\n{sweep}"));
    let says = "dimension-order accepted all that was offered, up to 0.200; valiant accepted all that was offered, up to 0.100";
    assert!(page.contains(says));
    let along = "[sweep]\n'routing.kind' = ['dimension-order', 'valiant']\n'traffic.packet_flits' = [1, 2, 4]\n\
                 where = \"routing.kind != 'valiant' or traffic.packet_flits <= 2\"\n[report]\nx = 'traffic.packet_flits'\n";
    let (_, page) = reported(&format!("[routing]\nkind = 'valiant'\n{along}"));
    let sentence = page.split("from packet flits 1 to 4: ").nth(1).unwrap();
    let sentence = &sentence[..sentence.find("</li>").unwrap()];
    assert!(sentence.ends_with(" at 2."), "{sentence}");
}

/// Names that would be cut are written at an angle, each whole; and the curve is not called by the first of them.
#[test]
fn what_is_compared_along_an_axis_keeps_its_names() {
    let names = [
        "dimension-order",
        "shortest-path",
        "up-down",
        "dfsssp",
        "valiant",
        "romm",
        "lash",
        "nue",
    ];
    let (_, page) = reported(&format!(
        "[routing]\nkind = 'dimension-order'\n[sweep]\n'routing.kind' = {names:?}\n[report]\nx = 'routing.kind'\n"
    ));
    for name in names {
        assert!(page.contains(&format!(">{name}</text>")), "{name}");
    }
    assert!(page.contains(" transform=\"rotate(-"));
    assert!(!page.contains("dimension-order 0."), "{page}");
}
