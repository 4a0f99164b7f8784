"""A study on a cluster of Dask: every point a task, the costliest first; results go to the store of whoever asked.

Workers may come, go and die. Dask gives a task to another worker then, a few times. A point whose workers died each time is tried
again when nothing else of the study is under way, so that none is blamed for what its neighbour did; if they die again, it has failed.
"""

import time
import uuid
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from distributed import Client, Future, KilledWorker, as_completed, wait

from turnwise import _native, _worker
from turnwise._errors import TurnwiseError
from turnwise._progress import Progress

MOST_TASKS = 5_000
"""Tasks that the scheduler has at a time, at most: it thinks about a millisecond about each."""
PATIENCE = 30.0
"""Seconds without news after which somebody should know if there are no workers."""
NAP = 0.02

Died = tuple[Literal["died"], str]
"""How the workers of a point died."""
Outcome = _worker.Done | _worker.Failed | Died


def run(
    study: _native.Study,
    client: Client,
    folder: Path | None,
    threads: int,
    prove: bool,
    progress: Progress | None,
) -> _native.Results:
    """Has the points simulated that have no result in `folder`, each on so many threads.

    Raises TurnwiseError if workers or the scheduler have no turnwise or another one, or are lost for good. What came before is stored.
    """
    if not isinstance(client, Client) or client.asynchronous:
        raise TypeError(f"client: expected a synchronous dask.distributed.Client, found {client!r}")
    gathering = _native.Gathering(study, folder)
    try:
        _gather(gathering, client, threads, progress)
        return gathering.conclude(prove)
    finally:
        gathering.close()


def _gather(gathering: _native.Gathering, client: Client, threads: int, progress: Progress | None) -> None:
    points = gathering.missing(threads)
    done = len(gathering) - len(points)

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(done, len(gathering))

    if not points:
        tell(0)
        return
    with _Tasks(client, gathering.parcel(), threads) as tasks:
        tell(0)
        suspects = []
        for point, outcome in tasks.outcomes(points, MOST_TASKS):
            if outcome[0] == "died":
                suspects.append(point)
            else:
                _note(gathering, point, outcome)
                tell(1)
        for point, outcome in tasks.outcomes(suspects, 1):
            _note(gathering, point, outcome)
            tell(1)


def _note(gathering: _native.Gathering, point: int, outcome: Outcome) -> None:
    match outcome:
        case ("done", delivered):
            gathering.add(point, delivered)
        case ("failed", why):
            gathering.fail(point, why)
        case ("died", how):
            gathering.give_up(point, how)


class _Tasks:
    """The tasks of a study on a cluster; what is left of them at the end is cancelled."""

    def __init__(self, client: Client, parcel: _worker.Parcel, threads: int) -> None:
        self._client = client
        self._threads = threads
        self._build = _native.build()
        self._name = f"turnwise-{uuid.uuid4().hex}"
        self._under_way: dict["Future[Any]", int] = {}
        self._submitted = 0
        self._is_warned = False
        with warnings.catch_warnings():
            # Dask would have large files on its own file system.
            warnings.filterwarnings("ignore", message="Sending large graph")
            # Not scattered: what is scattered is lost with its worker.
            self._parcel = client.submit(_worker.received, parcel, key=f"{self._name}-study", priority=1)
        if client.nthreads() and wait(self._parcel) and self._parcel.status == "finished":
            # Dask sends tasks where their data are: the costliest would all queue at one worker.
            client.replicate([self._parcel])

    def __enter__(self) -> "_Tasks":
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, trace: TracebackType | None) -> None:
        if self._under_way and self._client.status == "running":
            self._client.cancel(list(self._under_way), force=True)

    def outcomes(self, points: Iterable[int], at_once: int) -> Iterator[tuple[int, Outcome]]:
        """What becomes of points, of which so many are handed out at a time."""
        waiting = iter(points)
        completed = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)
        for point in islice(waiting, at_once):
            completed.add(self._submit(point))
        while not completed.is_empty():
            for future, result in self._next(completed):
                point = self._under_way.pop(future)
                for other in islice(waiting, 1):
                    completed.add(self._submit(other))
                yield point, self._outcome(result)

    def _submit(self, point: int) -> "Future[Any]":
        self._submitted += 1
        future = self._client.submit(
            _worker.simulate,
            self._name,
            self._parcel,
            point,
            self._threads,
            self._build,
            key=(self._name, self._submitted, point),
            priority=-self._submitted,
        )
        self._under_way[future] = point
        return future

    def _next(self, completed: Any) -> list[tuple["Future[Any]", Any]]:
        """Tasks that have ended."""
        began = time.monotonic()
        while True:
            batch: list[tuple["Future[Any]", Any]] = completed.next_batch(block=False)
            if batch:
                return batch
            time.sleep(NAP)
            if not self._is_warned and time.monotonic() - began > PATIENCE:
                self._is_warned = True
                if not self._client.nthreads():
                    warnings.warn("the cluster of Dask has no workers; points wait for some", stacklevel=2)

    def _outcome(self, result: Any) -> Outcome:
        """What the result of a task says; its future's state may say that the worker is gone since."""
        match result:
            case ("done" | "failed", _):
                outcome: Outcome = result
                return outcome
            case ("refused", words):
                raise TurnwiseError(f"{words}: results of different builds are not mixed")
            case (_, KilledWorker() as killed, _) if killed.task == self._parcel.key:
                raise TurnwiseError(f"workers die before they have begun, the last at {killed.last_worker.address}")
            case (_, KilledWorker() as killed, _):
                times = killed.allowed_failures + 1
                return "died", f"every worker that tried it died, {times} in a row, the last at {killed.last_worker.address}"
            case (_, BaseException() as why, _):
                words = f"the cluster of Dask cannot simulate ({type(why).__name__}: {why})"
                raise TurnwiseError(f"{words}; its scheduler and its workers need turnwise {self._build}") from why
            case why:
                raise TurnwiseError(f"the cluster of Dask has dropped a point ({why}); what came before is kept")
