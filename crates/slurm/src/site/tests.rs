use super::*;
use turnwise_study::Source;

fn read(text: &str) -> Result<Site, Vec<String>> {
    let (source, parsed) = Source::parse("site.toml", text.as_bytes(), &[]);
    let render = |errors: Vec<Diagnostic>| errors.iter().map(|e| source.render_plain(e)).collect();
    parsed
        .and_then(|document| Site::read(&document))
        .map_err(render)
}

const ROUTING: &str = "[routing]\nkind = \"angara-dor\"\n";

fn good(lines: &str) -> Site {
    read(&format!("{lines}\n{ROUTING}")).unwrap_or_else(|errors| panic!("{errors:?}"))
}

#[test]
fn hosts_fill_the_torus_row_by_row() {
    let site = good("sizes = [4, 2]\nhosts = \"n[1-8]\"");
    assert_eq!(site.hosts.position("n4"), Some(3));
    assert_eq!(site.hosts.name(7), Some("n8"));
    assert_eq!(site.hosts.list(&[0, 1, 2, 6]), "n[1-3,7]");
}

#[test]
fn hosts_sit_at_coordinates_and_leave_gaps() {
    let table = "[hosts]\na = [0, 0]\nb = [3, 1]\n\"c-1.x\" = [1, 0]";
    let site = good(&format!("sizes = [4, 2]\n{table}"));
    assert_eq!(site.hosts.position("b"), Some(7));
    assert_eq!(site.hosts.occupied().collect::<Vec<_>>(), [0, 2, 7]);
    // Without transit only the job's own nodes live; with it, gaps still do not.
    let alive = |site: &Site| {
        let network = site.network_of(&[0]).unwrap();
        let routers = network.routers().filter(|&router| network.is_alive(router));
        (routers.count(), network.living_terminals().count())
    };
    assert_eq!(alive(&site), (1, 1));
    let site = good(&format!("transit = true\nsizes = [4, 2]\n{table}"));
    assert_eq!(alive(&site), (3, 1));
}

#[test]
fn every_slip_has_its_place() {
    let errors = |lines: &str| read(&format!("{lines}\n{ROUTING}")).err().unwrap();
    let head = "sizes = [4, 2]\nhosts = \"n[1-8]\"\n";
    for (lines, expected) in [
        (
            "sizes = [4, 2]\nhosts = \"n[1-7]\"",
            "2:9: 7 hosts do not fill a torus of 8 nodes",
        ),
        (
            "sizes = [4, 2]\nhosts = \"n[1-7],n3\"",
            "2:17: host `n3` is listed twice",
        ),
        (
            "sizes = [4, 2]\nhosts = \"n[1-8\"",
            "2:11: `[` is never closed",
        ),
        (
            "sizes = [4, 2]\nhosts = 8",
            "2:9: expected a hostlist or a table",
        ),
        (
            "sizes = [4, 2]\n[hosts]\na = [4, 0]",
            "3:6: expected a coordinate of 0 to 3 along X, found the number 4",
        ),
        (
            "sizes = [4, 2]\n[hosts]\na = [1]",
            "3:5: expected 2 coordinates",
        ),
        (
            "sizes = [4, 2]\n[hosts]\na = [1, 1]\nb = [1, 1]",
            "4:5: `b` sits at (1,1), where `a` is",
        ),
        (
            "sizes = [4, 2]\n[hosts]\n\"n[1-2]\" = [1, 1]",
            "3:1: `n[1-2]` is not a host's name",
        ),
        ("sizes = [4, 2]\n[hosts]", "2:1: there are no hosts"),
        ("sizes = [4, 2]", "1:1: missing key `hosts`"),
        ("sizes = [4, 0]\nhosts = \"a\"", "1:13: sizes[1]: "),
        (
            "sizes = [4, 2, 2, 2, 2]\nhosts = \"a\"",
            "1:9: sizes: a route has room for 4 dimensions, found 5",
        ),
        (
            "sizes = [300]\nhosts = \"a\"",
            "1:10: sizes[0]: a route has room for rings of 255 nodes",
        ),
        (
            "sizes = [200, 200, 200]\nhosts = \"a\"",
            "1:9: sizes: 8000000 nodes are more than 65536",
        ),
        ("hosts = \"a\"", "1:1: missing key `sizes`"),
        (
            "time_limit = \"fast\"\nsizes = [1]\nhosts = \"a\"",
            "1:14: ",
        ),
        (
            "outptu = \"x\"\nsizes = [1]\nhosts = \"a\"",
            "1:1: unknown key `outptu`",
        ),
        (
            &format!("{head}[failed]\nnodes = \"n[2,9]\""),
            "4:10: the site has no host `n9`",
        ),
        (
            &format!("{head}[failed]\nnode = \"n2\""),
            "4:1: unknown key `node` (help: did you mean `nodes`?",
        ),
        (
            &format!("{head}[failed]\nlinks = [[\"n1\", \"n4\"]]"),
            "4:10: no link joins `n1` and `n4` (help: `n1` is linked to",
        ),
        (
            &format!("{head}[failed]\nlinks = [[\"n1\", \"n2\"], [\"n2\", \"n1\"]]"),
            "4:24: this link is listed twice",
        ),
        (
            &format!("{head}[failed]\nlinks = [\"n1\", \"n2\"]"),
            "4:10: expected pairs of hosts",
        ),
        (
            &format!("{head}[fallback]\nkind = \"dimension-order\""),
            "3:1: the fallback is never used",
        ),
    ] {
        let found = errors(lines);
        let place = format!("site.toml:{expected}");
        assert!(
            found.iter().any(|error| error.starts_with(&place)),
            "{lines}\n{found:#?}"
        );
    }
    let no_routing = read("sizes = [1]\nhosts = \"a\"").err().unwrap();
    assert!(
        no_routing[0].contains("missing key `routing`"),
        "{no_routing:?}"
    );
    let misfit = read("sizes = [1]\nhosts = \"a\"\n[routing]\nkind = \"minimal\"")
        .err()
        .unwrap();
    assert!(
        misfit[0].starts_with("site.toml:4:8: `minimal` does not route a torus"),
        "{misfit:?}"
    );
}
