"""Studies: from a file, a text or a dict."""

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnwise import _contents, _native
from turnwise._network import Network
from turnwise._progress import Progress, shown
from turnwise._proof import Proof, Routing
from turnwise._results import Results
from turnwise._table import Table

if TYPE_CHECKING:
    import distributed


def _check(threads: int | None) -> None:
    if threads is not None and threads < 1:
        raise ValueError(f"threads: expected 1 or more, found {threads}")


def _told(results: _native.Results) -> Results:
    """Results, after a warning to whoever called the caller if some are of another revision."""
    if results.found_again is not None:
        warnings.warn(results.found_again, stacklevel=3)
    return Results(results)


class Study:
    """A study: a network, a routing, what terminals send, what to vary.

    It is understood when it is made: whatever is wrong raises `StudyError` with the place. A study without traffic can be routed and
    proved, one without routing has networks.
    """

    def __init__(
        self,
        study: str | Mapping[str, Any],
        *,
        set: Mapping[str, Any] | None = None,
        files: Mapping[str, Any] | None = None,
        folder: str | os.PathLike[str] = ".",
        name: str = "study",
    ) -> None:
        """Reads a study: its text, or the same as a dict of dicts.

        In a dict a field that names a file may be what the file would hold: `bytes`, an array of two dimensions, or columns (a `Table`, a
        DataFrame, or a dict of arrays). `set` overrides fields: `{"traffic.load": 0.2}`. `files` are contents of files that the text
        names; others are read from `folder`.
        """
        contents: dict[str, bytes] = {}
        if isinstance(study, (bytes, os.PathLike)) or (isinstance(study, str) and study.endswith(".toml") and "\n" not in study):
            found = study if isinstance(study, str) else f"a {type(study).__name__}"
            raise TypeError(f"expected the text of a study or a dict, found {found}; Study.from_file reads a file")
        if isinstance(study, str):
            self.text: str = study
            """The study as TOML."""
        else:
            self.text, contents = _contents.document(study)
        changes, of_changes = _contents.overrides(set or {})
        contents.update(of_changes)
        contents.update((file, _contents.content(value, file)) for file, value in (files or {}).items())
        self._native = _native.Study(name, self.text.encode(errors="surrogateescape"), changes, Path(folder), contents)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, set: Mapping[str, Any] | None = None) -> "Study":
        """Reads a study's file; files that it names are beside it."""
        file = Path(path)
        # What is no UTF-8 is told with its place, like everything else.
        text = file.read_bytes().decode(errors="surrogateescape")
        return cls(text, set=set, folder=file.parent, name=str(path))

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def swept(self) -> list[str]:
        """The fields that are swept."""
        return self._native.swept

    def __len__(self) -> int:
        return len(self._native)

    def plan(self, *, threads: int | None = None) -> Table:
        """A row for each point: what is swept as JSON, routers, terminals, and the bytes and seconds that it will take."""
        _check(threads)
        return Table(self._native.plan(threads))

    def run(
        self,
        *,
        output: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        prove: bool = True,
        progress: bool | Progress | None = None,
        client: "distributed.Client | None" = None,
    ) -> Results:
        """Simulates every point, on all cores if `threads` does not say otherwise, and proves the routings.

        With `output`, the folder that `turnwise run --output` takes, results are stored there, and points that have results are not
        simulated again: after Ctrl-C, which raises KeyboardInterrupt, the same call goes on. `progress` says whether to show how far it
        has come, and may be a function of points done and all. A UserWarning tells of results that another revision of the same version
        has stored there.

        With a `client` of `dask.distributed`, the workers of its cluster simulate the points, the costliest first, on one thread each or
        on as many as `threads` says. They need the same turnwise, and nothing of this machine's files. Raises TurnwiseError if they
        have another one.
        """
        return _told(self._run(output, threads, prove, progress, client))

    def verify(self, *, progress: bool | Progress | None = None) -> list[Proof]:
        """Proves every distinct routing free of deadlock, or finds a cycle."""
        return [Proof(proof) for proof in self._native.verify(shown(progress, "proving"))]

    def route(self) -> list[Routing]:
        """Builds every distinct routing."""
        return [Routing(routing) for routing in self._native.route()]

    def networks(self) -> list[Network]:
        """Builds every distinct network."""
        return [Network._of(network) for network in self._native.networks()]

    def report(self, folder: str | os.PathLike[str]) -> Path:
        """Runs what has no result in the folder yet, and writes report, plots and `results.csv` there; returns the page."""
        return _told(self._run(folder, None, True, None, None)).report(folder)

    def _run(
        self,
        output: str | os.PathLike[str] | None,
        threads: int | None,
        prove: bool,
        progress: bool | Progress | None,
        client: "distributed.Client | None",
    ) -> _native.Results:
        _check(threads)
        folder = None if output is None else Path(output)
        show = shown(progress, "simulating")
        if client is None:
            return self._native.run(threads, folder, prove, show)
        try:
            from turnwise import _dask
        except ModuleNotFoundError as missing:
            raise ImportError(f"a client needs Dask ({missing}): pip install dask distributed") from missing
        return _dask.run(self._native, client, folder, 1 if threads is None else threads, prove, show)

    def __repr__(self) -> str:
        return f"<turnwise.Study {self.name!r} of {len(self)} points>"
