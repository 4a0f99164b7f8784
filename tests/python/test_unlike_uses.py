"""What is legal and unusual means what it means in a file, and what is not is told."""

import os
import tomllib

import networkx
import numpy as np
import pytest

import turnwise
from turnwise._contents import content

TORUS = {
    "network": {"kind": "torus", "sizes": [4, 4]},
    "routing": {"kind": "dimension-order"},
    "traffic": {"pattern": "uniform", "load": 0.1},
    "simulation": {"warmup_cycles": 50, "measure_cycles": 200},
}
SWEPT = """
[network]
kind = "torus"
sizes = [4, 4]
[traffic]
pattern = "uniform"
[simulation]
warmup_cycles = 50
measure_cycles = 200
[sweep]
"network.channel_latency" = { from = 1, to = 3, step = 2 }
routing = [{ kind = "dimension-order" }, { kind = "valiant" }]
"traffic.load" = [0.1, 0.2]
"""


def test_what_is_swept_keeps_its_order_in_a_dict():
    of_text, of_dict = turnwise.Study(SWEPT), turnwise.Study(tomllib.loads(SWEPT))
    assert of_dict.swept == of_text.swept == ["network.channel_latency", "routing", "traffic.load"]
    hops = [study.run(prove=False).table["mean_hops"] for study in (of_text, of_dict)]
    assert (hops[0] == hops[1]).all()


def test_a_file_that_changes_is_not_taken_for_what_was_read(tmp_path):
    (tmp_path / "matrix.csv").write_text("0,1\n1,0\n")
    study = {**TORUS, "network": {"kind": "torus", "sizes": [2]}, "traffic": {"pattern": "matrix", "file": "matrix.csv", "load": 0.2}}
    planned = turnwise.Study(study, folder=tmp_path)
    (tmp_path / "matrix.csv").write_text("0,2\n1,0\n")
    results = planned.run(output=tmp_path / "out", prove=False)
    assert len(results) == 0
    assert "has changed since the study was read" in results.failures[0].message
    assert len(turnwise.Study(study, folder=tmp_path).run(output=tmp_path / "out", prove=False)) == 1


def test_what_has_failed_stays_away_from_graphs():
    network = turnwise.Network("torus", sizes=[4, 4], faults={"routers": [5], "terminals": [2]})
    graph = network.to_networkx()
    assert [node for node, alive in graph.nodes(data="alive") if not alive] == [5]
    assert (graph.nodes[5]["terminals"], graph.nodes[2]["terminals"], graph.degree(5)) == (0, 0, 0)
    again = turnwise.Network.from_networkx(graph)
    assert (network.terminals, again.terminals) == (16, 14)
    assert again.distances().disconnected_pairs == 0
    graph.remove_node(5)
    assert networkx.is_connected(graph)


def test_a_network_stays_what_was_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("elsewhere")
    (tmp_path / "ring.txt").write_text("0 1\n1 2\n2 0\n")
    (tmp_path / "elsewhere" / "ring.txt").write_text("0 1\n1 2\n2 3\n3 0\n")
    (tmp_path / "elsewhere" / "study.toml").write_text("[network]\nkind = 'torus'\nsizes = [9]\n[routing]\nkind = 'shortest-path'\n")
    ring = turnwise.Network("edge-list", file="ring.txt")
    sizes = [4, 4]
    torus = turnwise.Network("torus", sizes=sizes)
    sizes[0] = 3
    for network, routers in ((ring, 3), (torus, 16)):
        study = turnwise.Study.from_file("elsewhere/study.toml", set={"network": network})
        assert [built.routers for built in study.networks()] == [routers]


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ({"x": 1}, TypeError, "file.x: expected a column"),
        ({"x": [[1, 2]]}, TypeError, r"file.x: .* shape \(1, 2\)"),
        ({"name": ["a", "b,c"]}, ValueError, r"file.name: entry \[1\] cannot stand in a row: 'b,c'"),
        ({"name": ["a\n"], "x": [1]}, ValueError, r"file.name: entry \[0\]"),
        ({"x": np.array([1, None], dtype=object)}, ValueError, r"file.x: entry \[1\] .* None"),
    ],
)
def test_columns_hold_what_rows_can(columns, error, words):
    with pytest.raises(error, match=words):
        content(columns, "file")


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (np.array([1 + 2j]), r"traffic.load\[0\]: a study cannot hold a complex"),
        (np.array(["2026-01-01"], dtype="datetime64[D]"), "traffic.load: a study cannot hold times of NumPy"),
        (np.array([1], dtype="timedelta64[ns]"), "traffic.load: a study cannot hold times of NumPy"),
        (np.datetime64("2026-01-01"), "traffic.load: a study cannot hold times of NumPy"),
        (np.array([0.1, float("nan")], dtype=object), r"traffic.load\[1\]: expected a finite number, found nan"),
    ],
)
def test_what_no_study_holds_is_told_with_its_field(load, words):
    with pytest.raises((TypeError, ValueError), match=words):
        turnwise.Study({**TORUS, "traffic": {"pattern": "uniform", "load": load}})


def test_tables_of_arrow_are_columns():
    pyarrow = pytest.importorskip("pyarrow")
    weights = pyarrow.table({"source": [3], "destination": [5], "weight": [2.5]})
    study = {**TORUS, "traffic": {"pattern": "matrix", "file": weights, "load": 0.1}}
    assert turnwise.Study(study).run(prove=False).table["packets"][0] > 0


@pytest.mark.parametrize(
    ("use", "error", "words"),
    [
        (lambda: turnwise.Study("quickstart.toml"), TypeError, "Study.from_file reads a file"),
        (lambda: turnwise.Study(b"[network]"), TypeError, "Study.from_file reads a file"),
        (lambda: turnwise.Study(TORUS).run(threads=0), ValueError, "threads: expected 1 or more, found 0"),
        (lambda: turnwise.Study(TORUS).plan(threads=-1), ValueError, "threads: expected 1 or more, found -1"),
        (
            lambda: turnwise.Study({key: TORUS[key] for key in ("network", "routing")}).run(),
            turnwise.StudyError,
            r"\[traffic\] or \[workload\] is missing",
        ),
        (lambda: turnwise.Network.from_edges([[0, 1]], routers=5, terminals=[2, 2]), ValueError, "2 numbers for 5 routers"),
        (lambda: turnwise.Network.from_edges([[0, 1]], latency="3\nterminals 0 5"), TypeError, "latency: expected numbers of cycles"),
        (lambda: turnwise.Network("torus", sizes=np.ma.array([4, 4], mask=[0, 1])), ValueError, "network.sizes: .* masked entries"),
        (
            lambda: turnwise.Study({**TORUS, "network": {"kind": "torus", "sizes": np.array([4.0, np.nan])}}),
            ValueError,
            "network.sizes: expected finite numbers, found nan",
        ),
    ],
)
def test_misuse_is_told(use, error, words):
    with pytest.raises(error, match=words):
        use()
