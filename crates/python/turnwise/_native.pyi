"""
What is written in Rust of the package; use `turnwise` instead.
"""

from _typeshed import SupportsGetItem
from os import PathLike
from typing import Any, SupportsIndex, final

__all__ = ["Gathering", "Network", "Proof", "Results", "Routing", "Study", "Table", "Worker", "build", "command", "numbers_as_csv", "toml_of", "version", "whole_numbers_as_csv"]

@final
class Gathering:
    """
    Results that come in one by one.
    """
    def __len__(self, /) -> int:
        """
        How many points there are.
        """
    def __new__(cls, /, study: Study, folder: str | PathLike[str] | None) -> Gathering:
        """
        Begins with the results in `folder`, to which more is added, or with none if there is none.
        """
    def add(self, /, index: SupportsIndex, delivered: tuple[str, str, SupportsGetItem[int, SupportsIndex] | None]) -> None:
        """
        Adds what a worker has sent of a point, and stores it.
        """
    def close(self, /) -> None:
        """
        Lets go of the store; nothing more can be added.
        """
    def conclude(self, /, prove: bool) -> Results:
        """
        Everything there is now. With `prove`, routings are proved too, as far as that takes about half a minute.
        """
    def fail(self, /, index: SupportsIndex, why: str) -> None:
        """
        Notes why a point cannot be simulated.
        """
    def give_up(self, /, index: SupportsIndex, how: str) -> None:
        """
        Notes that workers died of a point, and how.
        """
    def missing(self, /, threads: SupportsIndex) -> list[int]:
        """
        The points without a result, the costliest first, on so many threads each.
        """
    def parcel(self, /) -> tuple[str, bytes, list[str], dict[str, bytes]]:
        """
        What a `Worker` is made of.
        """

@final
class Network:
    """
    Routers, terminals and what is between them.
    """
    def channels(self, /) -> Table:
        """
        The channels between routers, one each way.
        """
    @property
    def description(self, /) -> str:
        """
        What it is, in words.
        """
    def distances(self, /) -> tuple[int, float, int, bool]:
        """
        Diameter, mean distance between different terminals' routers, pairs without a way, and whether all pairs were measured.
        """
    def label(self, /, router: SupportsIndex) -> str:
        """
        What a router is called.
        """
    def living_routers(self, /) -> bytes:
        """
        Is each router alive? A byte each.
        """
    def living_terminals(self, /) -> bytes:
        """
        Is each terminal alive? A byte each.
        """
    @property
    def recognised(self, /) -> str | None:
        """
        The topology that it is recognised as by its wiring; nothing if it is irregular.
        """
    @property
    def routers(self, /) -> int:
        """
        How many routers there are.
        """
    def routers_of_terminals(self, /) -> bytes:
        """
        The router of each terminal, as 32-bit numbers.
        """
    @property
    def terminals(self, /) -> int:
        """
        How many terminals there are.
        """
    def text(self, /, format: str) -> str:
        """
        The network as a file's text: `json`, `graphml`, `dot`, `net` or `conf`.
        """

@final
class Proof:
    """
    Verdict, certificate or cycle, and quality of a routing on a network.
    """
    @property
    def certificate(self, /) -> str | None:
        """
        The proof as JSON, which tools/check_certificate.py can check; nothing if there is none.
        """
    @property
    def cycle(self, /) -> list[str]:
        """
        A shortest cycle of channels that wait for each other, a line each; empty if there is none.
        """
    @property
    def edge_forwarding_index(self, /) -> float:
        """
        Routes on the busiest channel between routers, times what it is slower than the fastest.
        """
    @property
    def flow_control(self, /) -> str:
        """
        The flow control that the proof assumes.
        """
    @property
    def is_negative(self, /) -> bool:
        """
        Is a deadlock possible, or does a pair have no route?
        """
    @property
    def lower_bound(self, /) -> float | None:
        """
        What no routing can have less of on its busiest channel; None if not all pairs have a route here.
        """
    @property
    def mean_hops(self, /) -> float:
        """
        Channels between routers of a route, in the mean.
        """
    @property
    def mean_load(self, /) -> float:
        """
        Routes on a channel between routers, in the mean, weighed likewise.
        """
    @property
    def pairs(self, /) -> int:
        """
        Ordered pairs of different living terminals.
        """
    @property
    def routing(self, /) -> Routing:
        """
        The routing that was judged.
        """
    @property
    def unroutable_examples(self, /) -> list[str]:
        """
        Some of them, a line each.
        """
    @property
    def unroutable_pairs(self, /) -> int:
        """
        Those without a route.
        """
    @property
    def verdict(self, /) -> str:
        """
        `deadlock-free`, `cyclic`, `unroutable` or `not-proved`.
        """

@final
class Results:
    """
    What came of the points of a study.
    """
    def __len__(self, /) -> int:
        """
        How many points have results.
        """
    def export(self, /, file: str | PathLike[str]) -> None:
        """
        Writes a file, whose format is told by its extension: `csv`, `parquet` or `arrow`.
        """
    @property
    def failures(self, /) -> list[tuple[int, str, str]]:
        """
        Points that failed: number, words for it, what happened.
        """
    @property
    def found_again(self, /) -> str | None:
        """
        What is to be said of results that another revision of the program has stored.
        """
    def json(self, /) -> list[str]:
        """
        What `turnwise run --format json` prints, a JSON object for each point: classes and jobs too.
        """
    @property
    def negative(self, /) -> str | None:
        """
        Why the answer is negative: a deadlock that is possible or happened, a pair without a route; nothing if it is not.
        """
    def report(self, /, folder: str | PathLike[str]) -> None:
        """
        Writes `report.html`, `plots/*.svg`, `results.csv` and what that is of into a folder.
        """
    @property
    def reused(self, /) -> int:
        """
        How many were there already.
        """
    @property
    def simulated(self, /) -> int:
        """
        How many points were simulated now.
        """
    def table(self, /) -> Table:
        """
        A row for each point, with the columns of `results.csv`.
        """

@final
class Routing:
    """
    A routing on a network.
    """
    @property
    def name(self, /) -> str:
        """
        What it is, in words.
        """
    @property
    def network(self, /) -> Network:
        """
        The network.
        """
    def next_hops(self, /) -> bytes:
        """
        A row for each router, a column for each terminal: the next router, and -1 where there is none. 32-bit numbers.

        Raises ValueError if packets go more ways than one.
        """
    def paths(self, /) -> Table:
        """
        A row for every hop of every pair's route: the columns of `turnwise route --paths`.
        """
    @property
    def virtual_channels(self, /) -> int:
        """
        Virtual channels that every channel has.
        """

@final
class Study:
    """
    A study that has been understood.
    """
    def __len__(self, /) -> int:
        """
        How many points there are.
        """
    def __new__(cls, /, name: str, text: bytes, overrides: SupportsGetItem[int, str], folder: str | PathLike[str], files: "dict[str, bytes]") -> Study:
        """
        Understands a study: a text that is called `name`, `overrides` as `--set` takes them, and contents of the files that it names.
        """
    @property
    def name(self, /) -> str:
        """
        Its name.
        """
    def networks(self, /) -> list[Network]:
        """
        Builds every distinct network.
        """
    def plan(self, /, threads: SupportsIndex | None) -> Table:
        """
        A row for each point: what is swept, as JSON, the size of its network, and the memory and time that it will take.
        """
    def route(self, /) -> list[Routing]:
        """
        Builds every distinct routing.
        """
    def run(self, /, threads: SupportsIndex | None, folder: str | PathLike[str] | None, prove: bool, progress: Any | None) -> Results:
        """
        Simulates what has no result yet in `folder`, or all if there is none; `progress` is called with points done and all.
        With `prove`, routings are proved too, as far as that takes about half a minute.
        """
    @property
    def swept(self, /) -> list[str]:
        """
        The fields that are swept.
        """
    def verify(self, /, progress: Any | None) -> list[Proof]:
        """
        Proves every distinct routing, or finds a cycle, however long it takes; `progress` is called with destinations done and all.
        """

@final
class Table:
    """
    A table of columns with names, types and units.
    """
    def __arrow_c_schema__(self, /) -> Any:
        """
        The schema as a capsule of the Arrow C data interface.
        """
    def __arrow_c_stream__(self, /, requested_schema: Any | None = None) -> Any:
        """
        The columns as a capsule of the Arrow C stream interface.
        """
    def __len__(self, /) -> int:
        """
        How many rows there are.
        """
    @property
    def columns(self, /) -> list[str]:
        """
        Names of the columns.
        """
    def metadata(self, /) -> list[tuple[str, list[tuple[str, str]]]]:
        """
        For each column what is known of it, by name: `unit` and `meaning`.
        """
    def numbers(self, /, column: str) -> tuple[str, bytes] | None:
        """
        A column of numbers: the type that NumPy has for them, and their bytes, missing ones as NaN; nothing if it holds others.
        """
    def values(self, /, column: str) -> "list[bool | None] | list[str | None]":
        """
        A column of truth values or texts; None for those that are missing.
        """

@final
class Worker:
    """
    A study of which single points are simulated.
    """
    def __new__(cls, /, name: str, text: bytes, overrides: SupportsGetItem[int, str], files: "dict[str, bytes]") -> Worker:
        """
        Reads a study that has been understood elsewhere: what `Gathering.parcel` says of it.
        """
    def simulate(self, /, index: SupportsIndex, threads: SupportsIndex, memory: SupportsIndex | None, go_on: Any) -> tuple[str, str, bytes | None]:
        """
        Simulates a point, in so many bytes of memory if they are told; `go_on` is called now and then, and ends it by raising.
        What comes of it is for `Gathering.add`.
        """

def build() -> str:
    """
    Version and revision of Turnwise: programs of the same build have the same results.
    """

def command(arguments: SupportsGetItem[int, str]) -> int:
    """
    Does what the command `turnwise` does; returns its exit code.
    """

def numbers_as_csv(array: "Any", columns: SupportsIndex) -> bytes:
    """
    A two-dimensional array of numbers (float64) as CSV.
    """

def toml_of(json: str, inline: bool = False) -> str:
    """
    A value that is JSON as TOML: a document of tables, or inline as `--set` takes it.
    """

def version() -> str:
    """
    The version of Turnwise.
    """

def whole_numbers_as_csv(array: "Any", columns: SupportsIndex) -> bytes:
    """
    A two-dimensional array of whole numbers (int64) as CSV.
    """
