"""What workers of a Dask cluster do: simulate points of studies that have come to them.

A worker needs this package and nothing else: what a study reads comes along. The functions are named here for whoever hands them
out, and return nothing but builtins, so that a worker of another build can be told from one of the same.
"""

import threading
from collections.abc import Callable
from typing import Literal

from distributed import get_worker
from distributed.worker import Worker

from turnwise import _native
from turnwise._errors import TurnwiseError

Parcel = tuple[str, bytes, list[str], dict[str, bytes]]
"""A study: its name, text, overrides, and the files that it names."""

Done = tuple[Literal["done"], tuple[str, str, bytes | None]]
"""A point's result, as `Gathering.add` takes it."""
Failed = tuple[Literal["failed"], str]
"""Why a point cannot be simulated."""
Refused = tuple[Literal["refused"], str]
"""Why this worker simulates nothing."""


class _Cancelled(Exception):
    """Nobody wants the result any more."""


_studies: dict[str, _native.Worker] = {}
_one_at_a_time = threading.Lock()


def received(parcel: Parcel) -> Parcel:
    """Passes a study on to the workers: they have it from each other, and if it is lost with one, from whoever sent it."""
    return parcel


def simulate(name: str, parcel: Parcel, point: int, threads: int, build: str) -> Done | Failed | Refused:
    """Simulates a point of the study that is called `name` on this cluster, for somebody who has this build."""
    worker = get_worker()
    if (mine := _native.build()) != build:
        return "refused", f"the worker {worker.address} has turnwise {mine}, and this is turnwise {build}"
    try:
        return "done", _study(name, parcel).simulate(point, threads, _memory(worker), _wanted(worker))
    except TurnwiseError as why:
        return "failed", str(why)


def _study(name: str, parcel: Parcel) -> _native.Worker:
    """The study, which all threads of a worker share."""
    with _one_at_a_time:
        if name not in _studies:
            _studies.clear()
            _studies[name] = _native.Worker(*parcel)
        return _studies[name]


def _memory(worker: Worker) -> int | None:
    """Bytes that a worker may have before its nanny ends it."""
    manager = getattr(worker, "memory_manager", None)
    limit: int | None = getattr(manager, "memory_limit", None)
    return limit


def _wanted(worker: Worker) -> Callable[[int, int], None]:
    """What is called now and then, and raises when the task that is at work has been cancelled."""
    tasks, key = worker.state.tasks, worker.get_current_task()

    def go_on(_done: int, _all: int) -> None:
        task = tasks.get(key)
        if task is None or task.state == "cancelled":
            raise _Cancelled

    return go_on
