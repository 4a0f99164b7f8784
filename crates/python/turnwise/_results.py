"""What came of running a study."""

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnwise import _native
from turnwise._table import Table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


@dataclass(frozen=True)
class Failure:
    """A point that could not be simulated."""

    index: int
    point: str
    message: str


class Results:
    """A row for each point of a study that has been simulated, in the order of the points.

    Libraries that know Arrow's PyCapsule interface take them as they lie in memory: `polars.DataFrame(results)`.
    """

    def __init__(self, native: _native.Results) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    @cached_property
    def table(self) -> Table:
        """The columns of `results.csv`, with units and meanings."""
        return Table(self._native.table())

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What `turnwise run --format json` prints: also what was measured of each class of traffic and each job."""
        return [json.loads(row) for row in self._native.json()]

    @property
    def failures(self) -> list[Failure]:
        """Points that could not be simulated."""
        return [Failure(*failure) for failure in self._native.failures]

    @property
    def simulated(self) -> int:
        """How many points were simulated now."""
        return self._native.simulated

    @property
    def reused(self) -> int:
        """How many had results in the folder already."""
        return self._native.reused

    @property
    def negative(self) -> str | None:
        """Why the answer is negative: a deadlock that is possible or happened, a pair without a route. None if it is not."""
        return self._native.negative

    def report(self, folder: str | os.PathLike[str]) -> Path:
        """Writes `report.html`, `plots/*.svg`, `results.csv` and what that is of into a folder; returns the page."""
        self._native.report(Path(folder))
        return Path(folder) / "report.html"

    def export(self, file: str | os.PathLike[str]) -> None:
        """Writes a file, whose format is told by its extension: `csv`, `parquet` or `arrow`."""
        self._native.export(Path(file))

    def __arrow_c_schema__(self) -> object:
        return self.table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> "pandas.DataFrame":
        """As a DataFrame of pandas."""
        return self.table.to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """As a DataFrame of polars, which shares the memory."""
        return self.table.to_polars()

    def to_pyarrow(self) -> "pyarrow.Table":
        """As a table of pyarrow, which shares the memory."""
        return self.table.to_pyarrow()

    def __repr__(self) -> str:
        return f"<turnwise.Results of {len(self)} points>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()
