"""Routings, and what is proved of them."""

import numpy as np
import numpy.typing as npt

from turnwise import _native
from turnwise._network import Network
from turnwise._table import Table


class Routing:
    """A routing on a network: where packets go."""

    def __init__(self, native: _native.Routing) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """What it is, in words."""
        return self._native.name

    @property
    def network(self) -> Network:
        """The network."""
        return Network._of(self._native.network)

    @property
    def virtual_channels(self) -> int:
        """Virtual channels that every channel has."""
        return self._native.virtual_channels

    def paths(self) -> Table:
        """A row for every hop of every pair's route through an idle network.

        The columns are those of `turnwise route --paths`. As `file` of a routing of kind `paths` they are that routing where it has one
        way for each pair and one virtual channel for each hop of it; of a routing with a choice they are what it takes when nobody waits,
        and of several virtual channels at a hop they are the first.
        """
        return Table(self._native.paths())

    def next_hops(self) -> npt.NDArray[np.int32]:
        """A row for each router, a column for each terminal: the next router; -1 where there is none.

        As `file` of a routing of kind `next-hops` it is that routing, but for its virtual channels. Raises ValueError if packets go
        more ways than one from a router to a terminal.
        """
        entries = np.frombuffer(self._native.next_hops(), dtype=np.int32)
        return entries.reshape(self.network.routers, -1)

    def __repr__(self) -> str:
        return f"<turnwise.Routing: {self.name} on {self._native.network.description}>"


class Proof:
    """What was found out about a routing on a network: verdict, certificate or cycle, quality."""

    def __init__(self, native: _native.Proof) -> None:
        self._native = native

    @property
    def routing(self) -> Routing:
        """The routing that was judged."""
        return Routing(self._native.routing)

    @property
    def verdict(self) -> str:
        """`deadlock-free`, `cyclic`, `unroutable` or `not-proved`."""
        return self._native.verdict

    @property
    def is_negative(self) -> bool:
        """Is a deadlock possible, or does a pair have no route?"""
        return self._native.is_negative

    @property
    def cycle(self) -> list[str]:
        """A shortest cycle of channels that wait for each other, a line each; empty if there is none."""
        return self._native.cycle

    @property
    def certificate(self) -> str | None:
        """The proof as JSON, which `tools/check_certificate.py` can check; None if there is none."""
        return self._native.certificate

    @property
    def pairs(self) -> int:
        """Ordered pairs of different living terminals."""
        return self._native.pairs

    @property
    def unroutable_pairs(self) -> int:
        """Those without a route."""
        return self._native.unroutable_pairs

    @property
    def unroutable_examples(self) -> list[str]:
        """Some of them, a line each."""
        return self._native.unroutable_examples

    @property
    def edge_forwarding_index(self) -> float:
        """Routes on the busiest channel between routers, times what it is slower than the fastest."""
        return self._native.edge_forwarding_index

    @property
    def mean_load(self) -> float:
        """Routes on a channel between routers, in the mean, weighed likewise."""
        return self._native.mean_load

    @property
    def lower_bound(self) -> float | None:
        """What no routing can have less of on its busiest channel; None if not all pairs have a route."""
        return self._native.lower_bound

    @property
    def mean_hops(self) -> float:
        """Channels between routers of a route, in the mean."""
        return self._native.mean_hops

    @property
    def flow_control(self) -> str:
        """The flow control that the proof assumes."""
        return self._native.flow_control

    def __repr__(self) -> str:
        return f"<turnwise.Proof: {self.routing.name} on {self.routing.network.description} is {self.verdict}>"
