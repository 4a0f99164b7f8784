use proptest::prelude::*;
use std::collections::BTreeSet;

use super::*;
use crate::source::Source;

fn read(text: &str, overrides: &[&str]) -> (Source, Result<Sweep, Vec<Diagnostic>>) {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let (source, parsed) = Source::parse("study.toml", text.as_bytes(), &overrides);
    (source, Sweep::read(&parsed.unwrap(), &Units::default()))
}

fn points_with(text: &str, overrides: &[&str]) -> Vec<Point> {
    read(text, overrides).1.unwrap().iter().collect()
}

fn points(text: &str) -> Vec<Point> {
    points_with(text, &[])
}

/// The swept values of each point, and its repetition: "4 0.1 #0".
fn rows(points: &[Point]) -> Vec<String> {
    let row = |point: &Point| {
        let values: Vec<String> = point
            .fields
            .iter()
            .map(|(_, value)| value.canonical())
            .collect();
        format!("{} #{}", values.join(" "), point.repeat)
    };
    points.iter().map(row).collect()
}

fn errors(text: &str) -> Vec<String> {
    errors_with(text, &[])
}

fn errors_with(text: &str, overrides: &[&str]) -> Vec<String> {
    let (source, sweep) = read(text, overrides);
    let errors = sweep.unwrap_err();
    errors
        .iter()
        .map(|error| source.render_plain(error))
        .collect()
}

#[test]
fn without_a_sweep_there_is_one_point() {
    let points = points("[study]\nname = 'x'\nseed = 3\n[network]\nsizes = [4]");
    assert_eq!(points.len(), 1);
    assert_eq!(points[0].fields, []);
    let document = points[0].document.canonical();
    assert_eq!(document, r#"{"network"={"sizes"=[4]},"study"={"seed"=3}}"#);
}

#[test]
fn the_first_key_is_slowest_and_the_repetition_fastest() {
    let study = "[study]\nrepeat = 2\n[traffic]\nload = 9\n[sweep]\n\
                 'network.groups' = [4, 2]\n'traffic.load' = { from = 0.1, to = 0.3, step = 0.1 }";
    let points = points(study);
    let expected = [
        "4 0.1 #0", "4 0.1 #1", "4 0.2 #0", "4 0.2 #1", "4 0.3 #0", "4 0.3 #1", //
        "2 0.1 #0", "2 0.1 #1", "2 0.2 #0", "2 0.2 #1", "2 0.3 #0", "2 0.3 #1",
    ];
    assert_eq!(rows(&points), expected);
    assert!(
        points
            .iter()
            .enumerate()
            .all(|(index, point)| point.index == index)
    );
    assert_eq!(points[2].fields[1].0, "traffic.load");
    let document = points[2].document.canonical();
    assert_eq!(
        document,
        r#"{"network"={"groups"=4},"traffic"={"load"=0.2}}"#
    );
    let (_, sweep) = read(study, &[]);
    let sweep = sweep.unwrap();
    assert_eq!((sweep.len(), sweep.is_empty()), (12, false));
    assert_eq!(
        sweep.keys().collect::<Vec<_>>(),
        ["network.groups", "traffic.load"]
    );
    assert_eq!(sweep.point(12), None);
}

#[test]
fn paths_need_no_quotes() {
    let quoted = points("[sweep]\n'traffic.load' = [1, 2]\n'routing.kind' = ['a']");
    let bare = points("[sweep]\ntraffic.load = [1, 2]\nrouting = { kind = ['a'] }");
    let table = points(
        "[sweep.traffic]\nload = { from = 1, to = 2, step = 1 }\n[sweep]\nrouting.kind = ['a']",
    );
    assert_eq!(rows(&quoted), ["1 \"a\" #0", "2 \"a\" #0"]);
    assert_eq!(rows(&quoted), rows(&bare));
    assert_eq!(rows(&quoted), rows(&table));
    assert_eq!(
        table[0].document.canonical(),
        quoted[0].document.canonical()
    );
}

#[test]
fn zipped_keys_advance_together() {
    let study = "[sweep]\n'network.groups' = [9, 33]\n'traffic.load' = [0.1, 0.2]\n\
                 'traffic.packet_flits' = [1, 8]\n";
    let zip = "zip = [['network.groups', 'traffic.packet_flits']]";
    let expected = ["9 0.1 1 #0", "9 0.2 1 #0", "33 0.1 8 #0", "33 0.2 8 #0"];
    assert_eq!(rows(&points(&format!("{study}{zip}"))), expected);
    let short = "zip = ['network.groups', 'traffic.packet_flits']";
    assert_eq!(rows(&points(&format!("{study}{short}"))), expected);
}

#[test]
fn whole_tables_and_fields_in_them_can_be_swept() {
    let points = points(
        "[routing]\nkind = 'x'\nold = true\n[sweep]\n'routing.vcs' = [2, 4]\n\
         routing = [{ kind = 'a' }, { kind = 'b', vcs = 1 }]\n'network.sizes[0]' = [8]\n\
         [network]\nsizes = [4, 4]",
    );
    let documents: Vec<String> = points
        .iter()
        .map(|point| point.document.canonical())
        .collect();
    assert_eq!(
        documents[1],
        r#"{"network"={"sizes"=[8,4]},"routing"={"kind"="b","vcs"=2}}"#
    );
    assert_eq!(
        documents[2],
        r#"{"network"={"sizes"=[8,4]},"routing"={"kind"="a","vcs"=4}}"#
    );
}

#[test]
fn swept_values_remember_where_they_were_written() {
    let (source, sweep) = read("[sweep]\n'traffic.load' = [0.1, 'x']", &[]);
    let point = sweep.unwrap().point(1).unwrap();
    let value = point.document.at_path("traffic.load").unwrap();
    assert_eq!(source.position(value.span), ("study.toml", 2, 24));
    assert_eq!(
        source
            .position(point.document.at_path("traffic").unwrap().span)
            .1,
        2
    );
}

#[test]
fn an_override_of_a_swept_field_wins() {
    let study = "[traffic]\nload = 9\n[sweep]\n'traffic.load' = [0.1, 0.2]\n\
                 'network.groups' = [9, 33]\nzip = ['traffic.load', 'network.groups']";
    let points = points_with(study, &["traffic.load=0.7"]);
    assert_eq!(rows(&points), ["0.7 9 #0", "0.7 33 #0"]);
    let points = points_with(study, &["traffic={ load = 0.7 }"]);
    assert_eq!(rows(&points), ["0.7 9 #0", "0.7 33 #0"]);
    let points = points_with(
        study,
        &["traffic.load=0.7", "sweep.traffic.load=[0.3, 0.4]"],
    );
    assert_eq!(rows(&points), ["0.3 9 #0", "0.4 33 #0"]);
    let points = points_with(study, &["traffic.pattern=tornado"]);
    assert_eq!(points.len(), 2);
}

#[test]
fn an_override_that_a_sweep_would_lose_is_refused() {
    let study = "[routing]\nkind = 'x'\n[sweep]\nrouting = [{ kind = 'a' }, { kind = 'b' }]";
    assert_eq!(
        errors_with(study, &["routing.bias=1"]),
        ["--set #1:1:14: the sweep over `routing` replaces this \
          (help: override the sweep: sweep.routing=[...])"]
    );
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let found = errors(
        "[study]\nrepeat = 0\n[traffic]\nload = 0.3\n[sweep]\n'trafic.load' = [1]\n\
         'traffic.load' = []\n'traffic..x' = [1]\nwher = 'x'\n'study.seed' = [1, 2]\n\
         'traffic.load.peak' = [1]\n'routing.bias' = [1, 2, 1]\nrouting.bias = [3]\n\
         network.groups = 9\n",
    );
    let roots = "`network`, `routing`, `router`, `ethernet`, `traffic`, `workload`, `placement` and `simulation`";
    let expected = [
        "study.toml:2:10: expected a whole number other than 0, found the number 0".to_owned(),
        format!(
            "study.toml:6:1: `trafic.load` cannot be swept \
             (help: did you mean `traffic`? what can be swept lies in: {roots})"
        ),
        "study.toml:7:18: a sweep over no values has no points \
         (help: remove the key to leave the field as it is)"
            .to_owned(),
        "study.toml:8:1: `traffic..x` is not the path of a field \
         (help: write names with dots between them, such as \"traffic.load\")"
            .to_owned(),
        format!(
            "study.toml:9:1: `wher` cannot be swept \
             (help: did you mean `where`? what can be swept lies in: {roots})"
        ),
        format!(
            "study.toml:10:1: `study.seed` cannot be swept (help: what can be swept lies in: {roots})"
        ),
        "study.toml:13:9: `routing.bias` is swept twice".to_owned(),
        "study.toml:14:18: expected an array of values or a range, found the number 9 \
         (help: write [0.1, 0.2] or { from = 0.1, to = 0.5, step = 0.1 })"
            .to_owned(),
        "study.toml:12:25: 1 appears more than once".to_owned(),
        "study.toml:11:1: `traffic.load.peak` cannot be set: \
         traffic.load: is an empty array, not a table"
            .to_owned(),
    ];
    assert_eq!(found, expected);
}

#[test]
fn one_mistake_does_not_echo() {
    let study = "[sweep]\n'traffic.load' = []\n'routing.bias' = [1, 2]\n\
                 zip = ['traffic.load', 'routing.bias']\nwhere = 'traffic.load < 0.3'";
    assert_eq!(errors(study).len(), 1);
}

#[test]
fn mistakes_in_zip_are_placed() {
    let study =
        "[sweep]\n'traffic.load' = [1, 2]\n'router.speed' = [1, 2, 3]\n'routing.bias' = [5, 6]\n";
    let errors = |zip: &str| errors(&format!("{study}zip = {zip}"));
    let keys = "the swept keys are: `traffic.load`, `router.speed` and `routing.bias`";
    assert_eq!(
        errors("['traffic.load', 'router.speed']"),
        ["study.toml:5:24: `router.speed` has 3 values, but `traffic.load` has 2"]
    );
    assert_eq!(
        errors("[['traffic.load', 'routing.bia'], ['routing.bias', 'traffic.load']]"),
        [
            format!(
                "study.toml:5:25: `routing.bia` is not swept \
                 (help: did you mean `routing.bias`? {keys})"
            ),
            "study.toml:5:58: `traffic.load` is zipped twice".to_owned(),
        ]
    );
    let shape = "expected groups of two or more swept keys \
                 (help: write zip = [[\"network.groups\", \"traffic.load\"]])";
    for zip in ["3", "[1, 2]", "['traffic.load']"] {
        assert_eq!(errors(zip), [format!("study.toml:5:7: {shape}")], "{zip}");
    }
    assert_eq!(
        errors("[['traffic.load', 3]]"),
        [format!("study.toml:5:8: {shape}")]
    );
    assert_eq!(
        self::errors(
            "[sweep]\n'traffic.load' = [1, 2, 1]\n'routing.bias' = [3, 4, 3]\nzip = ['traffic.load', 'routing.bias']"
        ),
        ["study.toml:2:25: 1, 3 appears more than once"]
    );
}

#[test]
fn too_many_points_are_refused_before_they_are_made() {
    let axis = |name: &str| format!("'traffic.{name}' = {{ from = 1, to = 2000, step = 1 }}\n");
    let study = format!("[sweep]\n{}{}", axis("a"), axis("b"));
    assert_eq!(
        errors(&study),
        ["study.toml:1:1: these are 4000000 points, more than 1000000"]
    );
    let many: String = (0..40).map(|number| axis(&format!("x{number}"))).collect();
    assert_eq!(errors(&format!("[sweep]\n{many}")).len(), 1);
    let study = "[study]\nrepeat = 4000000000";
    assert_eq!(
        errors(study),
        ["study.toml:2:10: these are 4000000000 points, more than 1000000"]
    );
    let study =
        "[sweep]\n'traffic.a' = { from = 1, to = 1000000, step = 1 }\nwhere = 'traffic.a > 999999'";
    assert_eq!(rows(&points(study)), ["1000000 #0"]);
    assert_eq!(
        errors("sweep = 3"),
        ["study.toml:1:9: expected a table, found the number 3"]
    );
}

proptest! {
    #[test]
    fn points_are_the_product_without_repetition(
        lengths in prop::collection::vec(1usize..5, 1..4),
        repeat in 1u32..4,
    ) {
        let mut study = format!("[study]\nrepeat = {repeat}\n[sweep]\n");
        for (number, length) in lengths.iter().enumerate() {
            study.push_str(&format!("'traffic.x{number}' = {{ from = 0, to = {}, step = 1 }}\n", length - 1));
        }
        let points = points(&study);
        let product: usize = lengths.iter().product();
        prop_assert_eq!(points.len(), product * repeat as usize);
        // Row-major order with the repetition as the last digit is lexicographic order.
        let digits = |point: &Point| -> Vec<i64> {
            let fields = point.fields.iter().filter_map(|(_, value)| value.as_i64());
            fields.chain([i64::from(point.repeat)]).collect()
        };
        prop_assert!(points.is_sorted_by(|a, b| digits(a) < digits(b)));
        let mut identities: Vec<u128> = points.iter().map(Point::identity).collect();
        identities.sort_unstable();
        identities.dedup();
        prop_assert_eq!(identities.len(), points.len());
    }
}

#[test]
fn the_documented_example_works() {
    let documentation = include_str!("../sweep.rs").lines().map_while(|line| {
        let text = line.strip_prefix("//!")?;
        Some(text.strip_prefix(' ').unwrap_or(text))
    });
    let example: Vec<&str> = documentation
        .skip_while(|line| *line != "```toml")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    let points = points(&example.join("\n"));
    // 30 loads for valiant, 15 for minimal, with 5 biases, 2 zipped rows and 3 repetitions.
    assert_eq!(points.len(), (30 + 15) * 5 * 2 * 3);
}

proptest! {
    /// Few points have all values between them, with whatever `where` leaves.
    #[test]
    fn points_that_cover_have_every_value(loads in 1..6_u32, sizes in 1..5_u32, repeat in 1..3_u32, most in 0..6_u32) {
        let list = |count: u32, of: u32| (0..count).map(|number| (of + number).to_string()).collect::<Vec<_>>().join(", ");
        let text = format!(
            "[study]\nrepeat = {repeat}\n[sweep]\n'network.size' = [{}]\n'traffic.load' = [{}]\nwhere = 'network.size <= 10 or traffic.load <= {most}'\n",
            list(sizes, 10), list(loads, 0)
        );
        let sweep = read(&text, &[]).1.unwrap();
        let values = |points: &mut dyn Iterator<Item = Point>| -> BTreeSet<String> {
            let fields = points.flat_map(|point| point.fields);
            fields.map(|(key, value)| format!("{key} = {}", value.canonical())).collect()
        };
        let covering: Vec<usize> = sweep.covering().collect();
        prop_assert_eq!(values(&mut sweep.iter()), values(&mut covering.iter().filter_map(|&index| sweep.point(index))));
        prop_assert!(covering.len() as u32 <= loads + sizes);
    }
}
