"""Networks: from a kind and its fields, from arrays and graphs, and back."""

import operator
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from turnwise import _native
from turnwise._table import Table

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


_MOST_PORTS = 65535


def _whole(value: Any, what: str) -> int:
    """A whole number, also one that is written as 2.0."""
    if isinstance(value, (float, np.floating)):
        if not float(value).is_integer():
            raise ValueError(f"{what}: expected a whole number, found {value!r}")
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: expected a whole number, found {value!r}") from None


def _are_counts(values: npt.NDArray[Any]) -> bool:
    """Are these whole numbers? Also those written as 2.0, as NetworkX writes the matrix of a graph."""
    return values.dtype.kind in "iub" or values.dtype.kind == "f" and bool((values == np.rint(values)).all())


def _kept(value: Any) -> Any:
    """A value that does not change with what it was made of."""
    if isinstance(value, Mapping):
        return {name: _kept(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_kept(item) for item in value]
    return value.copy() if isinstance(value, np.ndarray) else value


@dataclass(frozen=True)
class Distances:
    """How far apart terminals are, in channels between their routers."""

    diameter: int
    mean: float
    disconnected_pairs: int
    """Ordered pairs of living terminals without a way."""
    exact: bool
    """Were all pairs measured, and not only those from some routers?"""


class Network:
    """A network: routers, terminals, and the channels between them.

    `Network("torus", sizes=[8, 8])` takes what stands in `[network]` of a study; `turnwise describe network` says what that may be. In
    a study, `"network": network` is the same as its table.
    """

    def __init__(self, kind: str, **fields: Any) -> None:
        # What has been built stays what it is, whatever becomes of arrays that it was made of.
        self._fields: dict[str, Any] = {"kind": kind, **{name: _kept(value) for name, value in fields.items()}}
        self._built: _native.Network | None = None
        # A study that it is put into may be somewhere else.
        file = fields.get("file")
        self._file = os.path.abspath(file) if isinstance(file, (str, os.PathLike)) else None
        self._native_network()

    @classmethod
    def _of(cls, native: _native.Network) -> "Network":
        """Of a network that is there; it is written down only if it is put into another study."""
        network = cls.__new__(cls)
        network._fields = {}
        network._built = native
        network._file = None
        return network

    def _table(self) -> Mapping[str, Any]:
        """`[network]` of a study."""
        if not self._fields:
            self._fields = {"kind": "edge-list", "file": self._native_network().text("json").encode()}
        return self._fields if self._file is None else {**self._fields, "file": self._file}

    def _native_network(self) -> _native.Network:
        if self._built is None:
            from turnwise._study import Study

            self._built = Study({"network": self._fields})._native.networks()[0]
        return self._built

    @classmethod
    def from_edges(
        cls,
        edges: npt.ArrayLike,
        *,
        routers: int | None = None,
        terminals: int | Sequence[int] | npt.NDArray[np.integer[Any]] = 1,
        latency: npt.ArrayLike | None = None,
        **fields: Any,
    ) -> "Network":
        """Of links between routers: an array of whole numbers with two columns, a row for each link, which carries both ways.

        `terminals` is how many each router has, or one number for all. `latency` is that of the links in cycles, one number for all or an
        array; other fields are those of `kind = "edge-list"`.
        """
        ends = np.asarray(edges)
        if ends.size == 0:
            ends = ends.reshape(0, 2).astype(np.int64)
        if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
            raise TypeError(f"edges: expected whole numbers in two columns, found {ends.dtype} of shape {ends.shape}")
        negative = np.flatnonzero((ends < 0).any(axis=1))
        if negative.size:
            raise ValueError(f"edges: row {negative[0]} has a negative number: {ends[negative[0]].tolist()}")
        lines = [] if routers is None else [f"routers {routers}"]
        if isinstance(terminals, (int, np.integer)):
            lines.append(f"terminals_per_router {terminals}")
        else:
            counts = np.asarray(terminals)
            if counts.ndim != 1 or counts.dtype.kind not in "iu":
                raise TypeError(f"terminals: expected whole numbers, found {counts.dtype} of shape {counts.shape}")
            lines.extend(f"terminals {router} {count}" for router, count in enumerate(counts.tolist()))
            if routers is None and ends.size and ends.max() >= len(counts):
                raise ValueError(f"terminals: {len(counts)} numbers, one for each router, and a link to router {ends.max()}")
            if routers is None:
                lines.insert(0, f"routers {len(counts)}")
            elif routers != len(counts):
                raise ValueError(f"terminals: {len(counts)} numbers for {routers} routers, expected one for each")
        if latency is None:
            lines.extend(f"{one} {other}" for one, other in ends.tolist())
        else:
            given = np.asarray(latency)
            if given.dtype.kind not in "iuf":
                raise TypeError(f"latency: expected numbers of cycles, found {given.dtype}")
            cycles = np.broadcast_to(given, len(ends)).tolist()
            lines.extend(f"{one} {other} {cycle}" for (one, other), cycle in zip(ends.tolist(), cycles, strict=True))
        text = "\n".join(lines) + "\n"
        return cls("edge-list", file=text.encode(), **fields)

    @classmethod
    def from_numpy(cls, adjacency: npt.ArrayLike, **fields: Any) -> "Network":
        """Of a symmetric matrix that says how many links there are between any two routers; `fields` as in `from_edges`."""
        matrix = np.asarray(adjacency)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not _are_counts(matrix):
            raise TypeError(f"expected a square matrix of whole numbers, found {matrix.dtype} of shape {matrix.shape}")
        matrix = matrix.astype(np.int64)
        rows, columns = np.nonzero(matrix)
        return cls._from_counts(rows, columns, matrix[rows, columns], matrix.shape[0], fields)

    @classmethod
    def from_scipy(cls, adjacency: "scipy.sparse.sparray[Any] | scipy.sparse.spmatrix[Any]", **fields: Any) -> "Network":
        """The same of a sparse matrix."""
        from scipy import sparse

        matrix: Any = sparse.coo_array(cast(Any, adjacency))
        if matrix.shape[0] != matrix.shape[1] or not _are_counts(matrix.data):
            raise TypeError(f"expected a square matrix of whole numbers, found {matrix.dtype} of shape {matrix.shape}")
        matrix.sum_duplicates()
        rows, columns = matrix.coords
        return cls._from_counts(rows, columns, matrix.data.astype(np.int64), matrix.shape[0], fields)

    @classmethod
    def _from_counts(
        cls,
        rows: npt.NDArray[Any],
        columns: npt.NDArray[Any],
        counts: npt.NDArray[np.int64],
        routers: int,
        fields: Mapping[str, Any],
    ) -> "Network":
        ends = zip(rows.tolist(), columns.tolist(), strict=True)
        links = dict(zip(ends, counts.tolist(), strict=True))
        for (one, other), count in links.items():
            if count > _MOST_PORTS:
                raise ValueError(f"entry [{one}, {other}] is {count}: a router has {_MOST_PORTS} ports at most")
            if count < 0 or links.get((other, one), 0) != count:
                back = links.get((other, one), 0)
                raise ValueError(f"entry [{one}, {other}] is {count} and [{other}, {one}] is {back}: links carry both ways")
        edges = [ends for ends, count in links.items() if ends[0] <= ends[1] for _ in range(count)]
        return cls.from_edges(np.array(sorted(edges), dtype=np.int64), routers=routers, **fields)

    @classmethod
    def from_networkx(
        cls,
        graph: "networkx.Graph[Any]",
        *,
        terminals: int = 1,
        latency: str = "latency",
        **fields: Any,
    ) -> "Network":
        """Of an undirected graph, whose nodes become routers in their order, and edges links.

        Nodes may have an attribute `terminals`, how many they have, and edges one that `latency` names, in cycles.
        """
        if graph.is_directed():
            raise ValueError("links carry both ways: expected an undirected graph, such as graph.to_undirected()")
        numbers: dict[Hashable, int] = {node: number for number, node in enumerate(graph.nodes)}
        counts = [_whole(data.get("terminals", terminals), f"terminals of {node!r}") for node, data in graph.nodes(data=True)]
        edges = [(numbers[one], numbers[other]) for one, other in graph.edges()]
        cycles: list[Any] = [
            None if (cycle := data.get(latency)) is None else _whole(cycle, f"{latency} of {one!r} to {other!r}")
            for one, other, data in graph.edges(data=True)
        ]
        if any(cycle is not None for cycle in cycles):
            fields["latency"] = [1 if cycle is None else cycle for cycle in cycles]
        own = np.array(counts, dtype=np.int64)
        return cls.from_edges(np.array(edges, dtype=np.int64), routers=len(numbers), terminals=own, **fields)

    @property
    def description(self) -> str:
        """What it is, in words."""
        return self._native_network().description

    @property
    def recognised(self) -> str | None:
        """The topology that it is recognised as by its wiring; None if it is irregular."""
        return self._native_network().recognised

    @property
    def routers(self) -> int:
        """How many routers there are, those that have failed among them."""
        return self._native_network().routers

    @property
    def terminals(self) -> int:
        """How many terminals there are, those that have failed among them."""
        return self._native_network().terminals

    @property
    def router_of(self) -> npt.NDArray[np.int32]:
        """The router of each terminal, those that have failed among them."""
        return np.frombuffer(self._native_network().routers_of_terminals(), dtype=np.int32)

    @property
    def channels(self) -> Table:
        """The channels between routers, a row each way: source, target, their ports, latency and interval in cycles, class."""
        return Table(self._native_network().channels())

    @property
    def edges(self) -> npt.NDArray[np.int32]:
        """The links between routers, two columns, a row each."""
        channels = self.channels
        ends = np.stack([channels["source"], channels["target"]], axis=1)
        ports = np.stack([channels["source_port"], channels["target_port"]], axis=1)
        forward = (ends[:, 0] < ends[:, 1]) | ((ends[:, 0] == ends[:, 1]) & (ports[:, 0] < ports[:, 1]))
        links: npt.NDArray[np.int32] = ends[forward]
        return links

    def distances(self) -> Distances:
        """Diameter and mean distance."""
        return Distances(*self._native_network().distances())

    def to_numpy(self) -> npt.NDArray[np.int64]:
        """A matrix that says how many channels lead from each router to each other one."""
        matrix = np.zeros((self.routers, self.routers), dtype=np.int64)
        channels = self.channels
        np.add.at(matrix, (channels["source"], channels["target"]), 1)
        return matrix

    def to_scipy(self) -> "scipy.sparse.csr_array":
        """The same as a sparse matrix."""
        from scipy import sparse

        channels = self.channels
        ends = (channels["source"], channels["target"])
        counts = sparse.coo_array((np.ones(len(channels), dtype=np.int64), ends), shape=(self.routers, self.routers))
        return counts.tocsr()

    def to_networkx(self) -> "networkx.MultiGraph[int]":
        """A graph of routers, with `terminals`, `label` and `alive` of nodes and `latency`, `ports` and `class` of edges.

        What has failed is left out, but for the nodes of routers, so that their numbers stay: they have neither edges nor terminals.
        """
        import networkx

        native = self._native_network()
        graph: networkx.MultiGraph[int] = networkx.MultiGraph()
        living = np.frombuffer(native.living_terminals(), dtype=np.bool_)
        counts = np.bincount(self.router_of[living], minlength=self.routers)
        alive = np.frombuffer(native.living_routers(), dtype=np.bool_)
        for router in range(self.routers):
            graph.add_node(router, terminals=int(counts[router]), label=native.label(router), alive=bool(alive[router]))
        table = self.channels
        columns = [table[name].tolist() for name in ("source", "source_port", "target", "target_port", "latency", "class")]
        for source, out, target, into, cycles, kind in zip(*columns, strict=True):
            if (source, out) < (target, into):
                graph.add_edge(source, target, latency=cycles, ports=(out, into), **{"class": kind})
        return graph

    def text(self, format: str) -> str:
        """As a file's text: `json`, `graphml`, `dot`, `net` or `conf`; `turnwise list formats` says what they are."""
        return self._native_network().text(format)

    def __repr__(self) -> str:
        return f"<turnwise.Network: {self.description}, {self.routers} routers, {self.terminals} terminals>"
