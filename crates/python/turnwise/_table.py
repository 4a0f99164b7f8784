"""Tables: columns that NumPy, pandas, polars and pyarrow take over."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from turnwise import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """A table with named columns, which say in which unit they are and what they mean.

    `table["accepted_load"]` is a column as a NumPy array. Libraries that know Arrow's PyCapsule interface take the whole table as
    it lies in memory, without copying: `pyarrow.table(table)`, `polars.DataFrame(table)`.
    """

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._native.columns

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one; `1` for shares and mere numbers."""
        return self._known("unit")

    @property
    def meanings(self) -> dict[str, str]:
        """What the columns are, in a few words."""
        return self._known("meaning")

    def _known(self, what: str) -> dict[str, str]:
        return {name: words for name, known in self._native.metadata() for key, words in known if key == what}

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        """A column. Numbers that are missing are NaN, other values None (in an array of objects)."""
        numbers = self._native.numbers(column)
        if numbers is not None:
            return np.frombuffer(numbers[1], dtype=numbers[0])
        values = self._native.values(column)
        if all(isinstance(value, bool) for value in values):
            return np.array(values, dtype=np.bool_)
        array = np.empty(len(self), dtype=object)
        array[:] = values
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> "pandas.DataFrame":
        """As a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame({column: self[column] for column in self.columns})

    def to_polars(self) -> "polars.DataFrame":
        """As a DataFrame of polars, which shares the memory."""
        import polars

        return polars.DataFrame(self)

    def to_pyarrow(self) -> "pyarrow.Table":
        """As a table of pyarrow, which shares the memory."""
        import pyarrow

        return pyarrow.table(self)

    def __repr__(self) -> str:
        return f"<turnwise.Table of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        shown = 20
        names = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        columns = [self[name][:shown] for name in self.columns]
        rows = ("".join(f"<td>{escape(_short(cell))}</td>" for cell in row) for row in zip(*columns, strict=True))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        more = f"<p>{len(self) - shown} more rows</p>" if len(self) > shown else ""
        return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>{more}"


def _short(cell: object) -> str:
    return f"{cell:.5g}" if isinstance(cell, float) else "" if cell is None else str(cell)
