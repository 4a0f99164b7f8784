"""How far work has come: a line in a terminal, a bar in a notebook, nothing elsewhere."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

Progress = Callable[[int, int], object]
"""Is called with what is done and how much there is, from time to time."""


def shown(progress: bool | Progress | None, what: str) -> Progress | None:
    """What shows progress: `None` is wherever somebody may look at it, `True` always, `False` never."""
    if callable(progress):
        return progress
    if progress is False:
        return None
    display = _notebook()
    if display is not None:
        return _in_notebook(display, what)
    return _in_terminal(what) if progress or sys.stderr.isatty() else None


def _notebook() -> Callable[..., Any] | None:
    """What shows things, if this is a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    show: Callable[..., Any] = import_module("IPython.display").display
    return show


def _in_notebook(display: Callable[..., Any], what: str) -> Progress:
    html: Callable[[str], Any] = import_module("IPython.display").HTML
    handle: Any = None

    def show(done: int, total: int) -> None:
        nonlocal handle
        bar = html(f"<div>{what} <progress max='{total}' value='{done}'></progress> {done}/{total}</div>")
        if handle is None:
            handle = display(bar, display_id=True)
        elif done == total:
            handle.update(html(""))
        else:
            handle.update(bar)

    return show


def _in_terminal(what: str) -> Progress:
    def show(done: int, total: int) -> None:
        width = 30
        filled = width * done // max(total, 1)
        line = f"\r{what} [{'=' * filled}{' ' * (width - filled)}] {done}/{total}"
        end = "\r" + " " * len(line) + "\r" if done == total else ""
        sys.stderr.write(line + end)
        sys.stderr.flush()

    return show
