"""Bring your own: tables, paths and matrices made in Python are proved and simulated like ours."""

import networkx
import numpy as np
import pytest
import turnwise

ROUTERS = 1024


@pytest.fixture(scope="module")
def network() -> turnwise.Network:
    return turnwise.Network.from_networkx(networkx.random_regular_graph(8, ROUTERS, seed=1))


@pytest.fixture(scope="module")
def table(network) -> np.ndarray:
    """Next hops of shortest paths, by breadth-first search of our own."""
    matrix = network.to_numpy() > 0
    neighbours = [np.flatnonzero(row) for row in matrix]
    table = np.full((ROUTERS, ROUTERS), -1)
    for destination in range(ROUTERS):
        level, seen = [destination], {destination}
        while level:
            following = []
            for router in level:
                for other in neighbours[router].tolist():
                    if other not in seen:
                        seen.add(other)
                        table[other, destination] = router
                        following.append(other)
            level = following
    return table


def study(network, table, **fields):
    return {
        "network": network,
        "routing": {"kind": "next-hops", "file": table, **fields},
        "traffic": {"pattern": "uniform", "load": 0.2},
        "simulation": {"warmup_cycles": 100, "measure_cycles": 200},
    }


def test_a_table_of_a_thousand_routers_is_proved_and_simulated(network, table):
    mine = turnwise.Study(study(network, table, classes="by-hop"))
    (proof,) = mine.verify()
    assert proof.verdict == "deadlock-free"
    assert (proof.pairs, proof.unroutable_pairs) == (ROUTERS * (ROUTERS - 1), 0)
    assert (proof.routing.next_hops() == table).all()
    results = mine.run(prove=False)
    assert results.table["ending"].tolist() == ["completed"]
    assert results.table["accepted_load"][0] == pytest.approx(0.2, rel=0.05)


def test_without_classes_the_cycle_is_found(network, table):
    (proof,) = turnwise.Study(study(network, table)).verify()
    assert proof.verdict == "cyclic" and proof.cycle


def test_the_same_routes_are_the_same_simulation(network):
    ours = study(network, None)
    ours["routing"] = {"kind": "shortest-path"}
    built_in = turnwise.Study(ours)
    (routing,) = built_in.route()
    mine = turnwise.Study(study(network, routing.next_hops(), classes="by-hop"))
    prints = [study.run(prove=False).table["fingerprint"][0] for study in (built_in, mine)]
    assert prints[0] == prints[1]


def ring(entries):
    return study(turnwise.Network.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]]), entries)


RIGHT = np.array([[-1, 1, 1, 3], [0, -1, 2, 2], [3, 1, -1, 3], [0, 0, 2, -1]])


@pytest.mark.parametrize(
    ("row", "column", "value", "words"),
    [
        (1, 2, 0, "entry [0, 2]: leads into a loop: routers 0, 1, 0 on the way to router 2"),
        (1, 2, -1, "entry [0, 2]: leads to a dead end: router 1 has no next hop towards router 2"),
        (0, 2, 4, "entry [0, 2]: there is no router 4"),
        (3, 1, -2, "entry [3, 1]: there is no router -2"),
        (0, 2, 2, "entry [0, 2]: no channel leads from router 0 to router 2"),
        (2, 2, 1, "entry [2, 2]: router 2 is the destination"),
    ],
)
def test_a_wrong_entry_is_named(row, column, value, words):
    wrong = RIGHT.copy()
    wrong[row, column] = value
    with pytest.raises(turnwise.StudyError) as raised:
        turnwise.Study(ring(wrong))
    assert words in raised.value.message
    assert "routing.file:" in raised.value.message


def test_a_wrong_shape_is_told():
    with pytest.raises(turnwise.StudyError, match="there are 3 rows"):
        turnwise.Study(ring(RIGHT[:3]))
    with pytest.raises(turnwise.StudyError, match="this row has 3"):
        turnwise.Study(ring(RIGHT[:, :3]))
    with pytest.raises(TypeError, match=r"routing\.file: expected an array of two dimensions, found one of shape \(4,\)"):
        turnwise.Study(ring(RIGHT[0]))


def test_a_wrong_dtype_is_told_with_an_entry():
    with pytest.raises(turnwise.StudyError, match=r"entry \[0, 1\]: expected the number of a router or -1, found `1\.5`"):
        turnwise.Study(ring(np.where(RIGHT == 1, 1.5, RIGHT)))
    for dtype in (complex, str, bool, object):
        with pytest.raises(TypeError, match=r"routing\.file: .*dtype.*entry \[0, 0\]"):
            turnwise.Study(ring(RIGHT.astype(dtype)))
    beyond = RIGHT.astype(np.uint64)
    with pytest.raises(TypeError, match=r"entry \[0, 0\] is beyond 64 bits"):
        turnwise.Study(ring(beyond))


def test_any_dtype_and_order_of_whole_numbers_will_do():
    prints = set()
    for array in (RIGHT, RIGHT.astype(np.int8), np.asfortranarray(RIGHT), RIGHT.tolist(), np.repeat(RIGHT, 2, axis=1)[:, ::2]):
        prints.add(turnwise.Study(ring(array), set={"traffic.load": 0.05}).run(prove=False).table["fingerprint"][0])
    assert len(prints) == 1


def test_a_table_is_written_to_a_file_as_well(tmp_path, command):
    np.savetxt(tmp_path / "mine.csv", RIGHT, fmt="%d", delimiter=",")
    (tmp_path / "links.txt").write_text("0 1\n1 2\n2 3\n3 0\n")
    (tmp_path / "study.toml").write_text(
        '[network]\nkind = "edge-list"\nfile = "links.txt"\n[routing]\nkind = "next-hops"\nfile = "mine.csv"\n'
    )
    assert "all 12 pairs are routable" in command("verify", "study.toml").stdout


def test_paths_come_back_as_columns():
    network = turnwise.Network("torus", sizes=[4, 4])
    (routing,) = turnwise.Study({"network": network, "routing": {"kind": "dimension-order"}}).route()
    paths = routing.paths()
    for columns in (paths, paths.to_pandas(), {name: paths[name] for name in paths.columns}):
        (proof,) = turnwise.Study({"network": network, "routing": {"kind": "paths", "file": columns}}).verify()
        assert (proof.verdict, proof.pairs) == ("deadlock-free", 240)
    frame = paths.to_pandas()
    cut = frame[(frame["source"] != 0) | (frame["destination"] != 5) | (frame["hop"] != 1)]
    with pytest.raises(turnwise.StudyError, match="the route from 0 to 5 ends at"):
        turnwise.Study({"network": network, "routing": {"kind": "paths", "file": cut}})
    with pytest.raises(TypeError, match="as long as each other"):
        turnwise.Study({"network": network, "routing": {"kind": "paths", "file": {"vc": np.arange(3), "port": np.arange(2)}}})


def test_an_adaptive_routing_is_no_table():
    mesh = {"network": {"kind": "mesh", "sizes": [4, 4]}, "routing": {"kind": "dimension-order"}}
    assert turnwise.Study(mesh).route()[0].next_hops().shape == (16, 16)
    valiant = {**mesh, "routing": {"kind": "romm"}}
    with pytest.raises(ValueError, match="no table of next hops"):
        turnwise.Study(valiant).route()[0].next_hops()


def test_a_matrix_says_who_sends_to_whom():
    weights = np.zeros((16, 16))
    weights[3, 5] = 2.5
    study = {
        "network": {"kind": "torus", "sizes": [4, 4]},
        "routing": {"kind": "dimension-order"},
        "traffic": {"pattern": "matrix", "file": weights, "load": 0.5},
        "simulation": {"warmup_cycles": 100, "measure_cycles": 2000},
    }
    results = turnwise.Study(study).run(prove=False)
    assert results.table["injected_load"][0] == pytest.approx(0.5 / 16, rel=0.2)
    pairs = {"source": np.array([3]), "destination": np.array([5]), "weight": np.array([2.5])}
    study["traffic"]["file"] = pairs
    assert turnwise.Study(study).run(prove=False).table["fingerprint"][0] == results.table["fingerprint"][0]
    from scipy import sparse

    study["traffic"]["file"] = sparse.csr_array(weights)
    assert turnwise.Study(study).run(prove=False).table["fingerprint"][0] == results.table["fingerprint"][0]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones((16, 15)), "this row has 15"),
        (np.full((16, 16), -1.0), "-1"),
        (np.full((16, 16), np.nan), "NaN"),
        (np.zeros((16, 16)), "no terminal sends anything"),
    ],
)
def test_a_wrong_matrix_is_told(weights, words):
    study = {
        "network": {"kind": "torus", "sizes": [4, 4]},
        "routing": {"kind": "dimension-order"},
        "traffic": {"pattern": "matrix", "file": weights, "load": 0.5},
    }
    with pytest.raises(turnwise.StudyError, match=words):
        turnwise.Study(study)
