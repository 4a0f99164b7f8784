"""What can be wrong, as exceptions that know the place in the user's text."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a study, and where."""

    message: str
    """What is wrong."""
    help: str | None = None
    """What to do about it."""
    file: str | None = None
    """The text that it stands in: a file, `--set #n` for the n-th override, `study` for a dict."""
    line: int | None = None
    """Counted from 1."""
    column: int | None = None
    """Counted from 1, in characters."""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        words = f"{place}: {self.message}" if place else self.message
        return f"{words} (help: {self.help})" if self.help else words


class TurnwiseError(Exception):
    """Something that Turnwise could not do."""


class StudyError(TurnwiseError, ValueError):
    """A study, or a network, table or matrix in it, that makes no sense.

    `message`, `help`, `file`, `line` and `column` are those of the first of its `problems`.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems: list[Problem] = list(problems)
        first = self.problems[0] if self.problems else Problem("")
        self.message: str = first.message
        self.help: str | None = first.help
        self.file: str | None = first.file
        self.line: int | None = first.line
        self.column: int | None = first.column

    def __reduce__(self) -> tuple[type["StudyError"], tuple[list[Problem]]]:
        # Exceptions are made again of their texts, which are not what this one is made of.
        return type(self), (self.problems,)


def study_error(
    problems: Sequence[tuple[str, str | None, str | None, int | None, int | None]],
) -> StudyError:
    """Called by the native module."""
    return StudyError([Problem(*problem) for problem in problems])


def plain_error(message: str) -> TurnwiseError:
    """Called by the native module."""
    return TurnwiseError(message)
