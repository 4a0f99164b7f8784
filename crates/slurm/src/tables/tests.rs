use super::*;
use turnwise_study::Source;

fn site(lines: &str, kind: &str) -> Site {
    let text = format!("{lines}\n[routing]\nkind = \"{kind}\"\n");
    let (_, document) = Source::parse("site.toml", text.as_bytes(), &[]);
    Site::read(&document.unwrap()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn job(site: &Site, hosts: &str) -> Result<JobTables, String> {
    let members = site.hosts.positions(hosts, 0).unwrap();
    JobTables::new(site, &members).map_err(|trouble| match trouble {
        Trouble::Refused(why) => why,
        Trouble::Wrong(errors) => panic!("{errors:?}"),
    })
}

const RING: &str = "sizes = [4]\nhosts = \"n[1-4]\"";
const TORUS: &str = "sizes = [4, 2]\nhosts = \"n[1-8]\"";

#[test]
fn a_table_has_a_row_for_every_other_node() {
    let tables = job(&site(TORUS, "angara-dor"), "n[1-4,7-8]").unwrap();
    assert_eq!(tables.members, [0, 1, 2, 3, 6, 7]);
    assert_eq!(tables.rows[0].len(), 5);
    assert_eq!(tables.rows[0][0], "1,none,0+,0:1,none");
    assert_eq!(tables.finding.verdict_word(), "deadlock-free");
    assert_eq!(tables.order, ["+X", "+Y", "-X", "-Y"]);
}

#[test]
fn one_node_needs_no_routes() {
    let tables = job(&site(TORUS, "angara-dor"), "n3").unwrap();
    assert_eq!(tables.rows, [Vec::<String>::new()]);
}

#[test]
fn what_is_in_the_way_is_named() {
    let why = |lines: &str, hosts| job(&site(lines, "angara-dor"), hosts).err().unwrap();
    let failed = format!("{RING}\n[failed]\nnodes = \"n2\"");
    assert_eq!(why(&failed, "n[1-4]"), "n2 is out of order");
    // Two of four in a ring, the others not the job's.
    let others = "no route from n1 to n3: the rule against passing through other nodes \
                  (transit = false) is in the way (2 of 2 pairs have none)";
    assert_eq!(why(RING, "n[1,3]"), others);
    let link = format!("{RING}\n[failed]\nlinks = [[\"n1\", \"n2\"]]");
    let alone = "no route from n1 to n2: the failed link n1 - n2, \
                 the rule against passing through other nodes (transit = false) \
                 are in the way, each alone (2 of 2 pairs have none)";
    assert_eq!(why(&link, "n[1-2]"), alone);
    // Nobody's nodes but the failed one are missing.
    let failed = format!("{TORUS}\n[failed]\nnodes = \"n8\"");
    let corner = why(&failed, "n[1-7]");
    assert!(corner.contains("the failed node n8"), "{corner}");
    let transit = format!("transit = true\n{RING}");
    let both = format!("{transit}\n[failed]\nnodes = \"n2\"\nlinks = [[\"n3\", \"n4\"]]");
    let each = "no route from n1 to n3: the failed node n2, the failed link n3 - n4 \
                are in the way, each alone (2 of 2 pairs have none)";
    assert_eq!(why(&both, "n[1,3]"), each);
    // Without failures a job may pass through what lives.
    assert!(job(&site(&transit, "angara-dor"), "n[1,3]").is_ok());
}

#[test]
fn routes_go_round_a_failed_link() {
    let failed = format!("{RING}\n[failed]\nlinks = [[\"n1\", \"n2\"]]");
    let tables = job(&site(&failed, "angara-dor"), "n[1-4]").unwrap();
    assert_eq!(tables.rows[0][0], "1,none,-,3,none");
    assert_eq!(tables.finding.analysis.quality.diameter, 3);
}

#[test]
fn routes_that_a_header_has_no_room_for_are_refused() {
    let why = |kind| job(&site(TORUS, kind), "n[1-8]").err().unwrap();
    let order = why("shortest-path\"\nvirtual_channels = 1\nties = \"first");
    assert!(
        order.contains("directions that a packet's header has no room for"),
        "{order}"
    );
    let branches = why("dimension-order");
    assert!(branches.contains("more than one route"), "{branches}");
}

#[test]
fn a_late_routing_gives_way_to_the_fallback() {
    let late = "time_limit = \"0.000001 ms\"\nsizes = [12, 12]\nhosts = \"n[1-144]\"";
    let why = job(&site(late, "angara-balanced"), "n[1-144]").err();
    let expected =
        "`angara-balanced` made no tables within 0.000000001 s, and there is no [fallback]";
    assert_eq!(why.unwrap(), expected);
    let fallback = format!("{late}\n[fallback]\nkind = \"angara-dor\"");
    let tables = job(&site(&fallback, "angara-balanced"), "n[1-144]").unwrap();
    assert_eq!((tables.fell_back, tables.kind), (true, "angara-dor"));
}

#[test]
fn bounds_hold_under_the_rules_of_the_algorithm() {
    // A ring of four and three pairs: 16 bounds any routing, 26 those that keep the rules.
    let sizes = "sizes = [4, 2, 2, 2]\nhosts = \"n[1-32]\"";
    let timed = |time: &str| {
        let site = site(
            &format!("bound_time = \"{time}\"\n{sizes}"),
            "angara-balanced",
        );
        job(&site, "n[1-32]").unwrap().finding.lower_bound()
    };
    assert_eq!(timed("0.000001 ms"), Some(16.0));
    assert_eq!(timed("60 s"), Some(26.0));
}
