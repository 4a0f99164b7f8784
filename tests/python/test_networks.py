"""Networks from kinds, arrays and graphs, and back."""

import networkx
import numpy as np
import pytest
import turnwise
from scipy import sparse


def test_a_kind_and_its_fields():
    torus = turnwise.Network("torus", sizes=[5, 4], terminals_per_router=2)
    assert (torus.routers, torus.terminals, torus.description) == (20, 40, "5x4 torus")
    assert (torus.recognised or "").startswith("torus: sizes = [5, 4]")
    assert torus.router_of.tolist() == [terminal // 2 for terminal in range(40)]
    assert torus.edges.shape == (40, 2)
    distances = torus.distances()
    assert (distances.diameter, distances.disconnected_pairs, distances.exact) == (4, 0, True)


def test_a_wrong_field_is_told():
    with pytest.raises(turnwise.StudyError, match="sizes"):
        turnwise.Network("torus", sizes=[0])
    with pytest.raises(turnwise.StudyError, match="dragonfly"):
        turnwise.Network("dragonfyl")


@pytest.mark.parametrize("seed", range(20))
def test_graphs_and_matrices_come_back(seed):
    graph = networkx.random_regular_graph(3, 12, seed=seed)
    network = turnwise.Network.from_networkx(graph)
    assert networkx.utils.edges_equal(networkx.Graph(network.to_networkx()).edges, networkx.relabel_nodes(graph, {n: i for i, n in enumerate(graph.nodes)}).edges)
    matrix = network.to_numpy()
    assert (matrix == matrix.T).all() and matrix.sum() == 36
    for other in (turnwise.Network.from_numpy(matrix), turnwise.Network.from_scipy(network.to_scipy())):
        assert (other.to_numpy() == matrix).all()
    assert (turnwise.Network.from_edges(network.edges).to_numpy() == matrix).all()


def test_parallel_links_are_counted():
    two = np.array([[0, 2], [2, 0]])
    assert turnwise.Network.from_numpy(two).channels["source"].tolist().count(0) == 2
    assert (turnwise.Network.from_scipy(sparse.csr_array(two)).to_numpy() == two).all()


def test_attributes_of_a_graph_are_kept():
    graph = networkx.Graph()
    graph.add_node("spine", terminals=0)
    graph.add_node("leaf", terminals=3)
    graph.add_edge("leaf", "spine", latency=7)
    network = turnwise.Network.from_networkx(graph)
    assert network.router_of.tolist() == [1, 1, 1]
    assert network.channels["latency"].tolist() == [7, 7]
    back = network.to_networkx()
    assert back.nodes[1]["terminals"] == 3
    assert back.edges[0, 1, 0]["latency"] == 7


def test_a_network_is_a_table_of_a_study():
    network = turnwise.Network.from_networkx(networkx.petersen_graph(), terminals=2)
    study = turnwise.Study({"network": network, "routing": {"kind": "shortest-path"}})
    (proof,) = study.verify()
    assert (proof.verdict, proof.pairs) == ("deadlock-free", 20 * 19)
    again = turnwise.Study({"network": proof.routing.network, "routing": {"kind": "shortest-path"}})
    assert again.networks()[0].terminals == 20


@pytest.mark.parametrize(
    ("edges", "error", "words"),
    [
        ([[0.5, 1]], TypeError, "whole numbers in two columns, found float64"),
        ([[0, 1, 2]], TypeError, r"shape \(1, 3\)"),
        ([[0, 1], [1, -1]], ValueError, "row 1 has a negative number"),
        ([[0, 0]], turnwise.StudyError, "router 0"),
    ],
)
def test_wrong_edges_are_named(edges, error, words):
    with pytest.raises(error, match=words):
        turnwise.Network.from_edges(edges)


def test_wrong_matrices_are_named():
    with pytest.raises(ValueError, match=r"entry \[0, 1\] is 1 and \[1, 0\] is 0"):
        turnwise.Network.from_numpy(np.array([[0, 1], [0, 0]]))
    with pytest.raises(TypeError, match="square"):
        turnwise.Network.from_numpy(np.ones((2, 3), dtype=int))
    with pytest.raises(ValueError, match="undirected"):
        turnwise.Network.from_networkx(networkx.DiGraph([(0, 1)]))


def test_files_of_any_format():
    text = turnwise.Network("mesh", sizes=[2, 2]).text("graphml")
    assert text.startswith("<?xml")
    with pytest.raises(ValueError, match="formats are"):
        turnwise.Network("mesh", sizes=[2, 2]).text("png")


@pytest.mark.parametrize(
    ("attribute", "value", "error", "words"),
    [
        ("latency", 2.7, ValueError, "latency of 0 to 1: expected a whole number, found 2.7"),
        ("terminals", 1.9, ValueError, "terminals of 0: expected a whole number, found 1.9"),
        ("terminals", "x", TypeError, "terminals of 0: expected a whole number, found 'x'"),
    ],
)
def test_attributes_that_are_no_whole_numbers_are_told(attribute, value, error, words):
    graph = networkx.path_graph(2)
    if attribute == "latency":
        graph.edges[0, 1][attribute] = value
    else:
        graph.nodes[0][attribute] = value
    with pytest.raises(error, match=words):
        turnwise.Network.from_networkx(graph)


def test_whole_numbers_may_be_written_as_floats():
    graph = networkx.path_graph(2)
    graph.edges[0, 1]["latency"] = 2.0
    assert turnwise.Network.from_networkx(graph).channels["latency"].tolist() == [2, 2]


@pytest.mark.parametrize("of", [networkx.to_numpy_array, networkx.to_scipy_sparse_array])
def test_matrices_may_be_as_networkx_writes_them(of):
    graph = networkx.cycle_graph(5)
    make = turnwise.Network.from_numpy if of is networkx.to_numpy_array else turnwise.Network.from_scipy
    links = [make(of(graph, dtype=dtype)).channels["source"].tolist() for dtype in (float, int)]
    assert links[0] == links[1]
    with pytest.raises(TypeError, match="whole numbers, found float64"):
        make(0.5 * of(graph, dtype=float))


def test_terminals_of_too_few_routers_are_told():
    with pytest.raises(ValueError, match="terminals: 2 numbers, one for each router, and a link to router 2"):
        turnwise.Network.from_edges([[0, 1], [1, 2]], terminals=[1, 2])


def test_counts_beyond_all_ports_are_refused_at_once():
    with pytest.raises(ValueError, match=r"entry \[0, 1\] is 1000000000: a router has 65535 ports at most"):
        turnwise.Network.from_numpy([[0, 10**9], [10**9, 0]])
