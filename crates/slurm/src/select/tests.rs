use super::*;
use turnwise_study::Source;

fn site(lines: &str) -> Site {
    let text = format!("{lines}\n[routing]\nkind = \"angara-dor\"\n");
    let (_, document) = Source::parse("site.toml", text.as_bytes(), &[]);
    Site::read(&document.unwrap()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn ask(site: &Site, at_least: usize, spare: usize, busy: &str) -> Result<Choice, String> {
    let busy = site.hosts.positions(busy, 0).unwrap();
    let question = Question {
        at_least,
        spare,
        busy,
    };
    select(site, &question).map_err(|trouble| match trouble {
        Trouble::Refused(why) => why,
        Trouble::Wrong(errors) => panic!("{errors:?}"),
    })
}

const TORUS: &str = "sizes = [4, 2, 2, 2]\nhosts = \"n[1-32]\"";

#[test]
fn an_empty_torus_gives_a_box_of_just_the_right_size() {
    let choice = ask(&site(TORUS), 16, 0, "").unwrap();
    assert_eq!((choice.tables.members.len(), choice.gaps), (16, 0));
    // A ring of four and two pairs has half the load of a mesh of two and two pairs and more.
    assert_eq!(choice.place.extent, [4, 1, 2, 2]);
    assert_eq!(choice.tables.finding.verdict_word(), "deadlock-free");
    assert!(choice.throughput() > 0.5 && choice.throughput() <= 1.0);
}

#[test]
fn busy_and_failed_nodes_are_never_chosen() {
    let site = site(&format!(
        "{TORUS}\n[failed]\nnodes = \"n1\"\nlinks = [[\"n9\", \"n10\"]]"
    ));
    for at_least in 1..=18 {
        let choice = ask(&site, at_least, 0, "n[2-5,20]").unwrap();
        let list = site.hosts.list(&choice.tables.members);
        assert!(choice.tables.members.len() >= at_least, "{list}");
        let taken = |position: &u32| *position < 5 || *position == 19;
        assert!(!choice.tables.members.iter().any(taken), "{list}");
    }
}

#[test]
fn a_few_spare_nodes_may_make_a_faster_box() {
    let site = site("sizes = [8, 8]\nhosts = \"n[1-64]\"");
    let (tight, loose) = (ask(&site, 7, 0, "").unwrap(), ask(&site, 7, 1, "").unwrap());
    assert_eq!(tight.tables.members.len(), 7);
    assert_eq!(loose.tables.members.len(), 8);
    assert!(loose.throughput() > tight.throughput());
}

#[test]
fn what_cannot_be_had_is_refused_with_the_reason() {
    let site = site(&format!("{TORUS}\n[failed]\nnodes = \"n1\""));
    let why = ask(&site, 30, 0, "n[2-3]").err().unwrap();
    assert_eq!(
        why,
        "only 29 nodes are free, 30 are wanted (2 busy, 1 failed)"
    );
    // Two opposite corners of a square, and nothing between them.
    let site = self::site("sizes = [2, 2]\nhosts = \"n[1-4]\"\n[failed]\nnodes = \"n[2-3]\"");
    let why = ask(&site, 2, 0, "").err().unwrap();
    assert!(
        why.starts_with("none of 1 boxes with 2 free nodes"),
        "{why}"
    );
    assert!(why.contains("n[1,4]: no route from n1 to n4"), "{why}");
}
