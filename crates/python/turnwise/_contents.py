"""Studies as dicts: written as TOML, with arrays and tables as the contents of the files that they stand for."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from turnwise import _native
from turnwise._network import Network

Contents = dict[str, bytes]
"""Contents of files by the names that a study has for them."""


def document(study: Mapping[str, Any]) -> tuple[str, Contents]:
    """The TOML of a study, and the files that it names."""
    files: Contents = {}
    plain = _plain(study, "", files)
    return _native.toml_of(json.dumps(plain, allow_nan=False)), files


def overrides(changes: Mapping[str, Any]) -> tuple[list[str], Contents]:
    """Fields and values as `--set` takes them, and the files that they name."""
    files: Contents = {}
    texts = []
    for field, value in changes.items():
        plain = json.dumps(_plain(value, field, files), allow_nan=False)
        texts.append(f"{field}={_native.toml_of(plain, inline=True)}")
    return texts, files


def _plain(value: Any, field: str, files: Contents) -> Any:
    """A value as JSON has it. What stands for a file becomes its name, the field's."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{field}: expected a finite number, found {value}")
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if field.startswith("sweep.") and field.endswith(".file") and isinstance(value, (list, tuple)):
        # The files that are swept, by name or as what they hold.
        return [_plain(item, f"{field}[{index}].file", files) for index, item in enumerate(value)]
    if isinstance(value, bytes) or field.rsplit(".", 1)[-1] == "file":
        files[field] = content(value, field)
        return field
    if isinstance(value, Network):
        value = value._table()
    if isinstance(value, Mapping):
        inner = f"{field}." if field else ""
        return {str(key): _plain(item, f"{inner}{key}", files) for key, item in value.items()}
    if isinstance(value, (np.generic, np.ndarray)):
        _check_masks(value, field)
        array = np.asarray(value)
        if array.dtype.kind in "mM":
            raise TypeError(f"{field}: a study cannot hold times of NumPy, found dtype {array.dtype}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{field}: expected finite numbers, found {array[~np.isfinite(array)].flat[0]}")
        if array.dtype.kind == "f":
            return array.astype(np.float64).tolist()
        if array.dtype.kind in "biuU":
            return value.tolist()
        return _plain(_bare(array, field), field, files)
    if isinstance(value, (list, tuple, range)):
        return [_plain(item, f"{field}[{index}]", files) for index, item in enumerate(value)]
    raise TypeError(f"{field}: a study cannot hold a {type(value).__name__}")


def _bare(array: np.ndarray[Any, Any], field: str) -> Any:
    """What an array of other things than numbers and words holds, if that may stand in a study."""
    bare = array.tolist()
    if isinstance(bare, np.generic | np.ndarray):
        raise TypeError(f"{field}: a study cannot hold a {type(bare).__name__}")
    return bare


def _check_masks(value: Any, field: str) -> None:
    """Refuses entries that stand for nothing."""
    if np.ma.is_masked(value):
        raise ValueError(f"{field}: expected numbers everywhere, found masked entries")


def content(value: Any, field: str) -> bytes:
    """What a file would hold: bytes as they are, an array as rows of numbers, columns as CSV with a header.

    Raises TypeError for what is none of these.
    """
    if isinstance(value, bytes):
        return value
    if isinstance(value, Mapping):
        for name, column in value.items():
            _check_masks(column, f"{field}.{name}")
        return _columns({str(name): column for name, column in value.items()}, field)
    # Tables of Arrow have columns that are no names.
    names = getattr(value, "column_names", getattr(value, "columns", None))
    if names is not None and not callable(names):
        return _columns({str(name): np.asarray(value[name]) for name in names}, field)
    if hasattr(value, "toarray"):
        value = value.toarray()
    _check_masks(value, field)
    return _rows(np.asarray(value), field)


def _rows(array: np.ndarray[Any, Any], field: str) -> bytes:
    if array.ndim != 2:
        raise TypeError(f"{field}: expected an array of two dimensions, found one of shape {array.shape}")
    if array.dtype.kind in "iu":
        if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
            row, column = np.unravel_index(int(array.argmax()), array.shape)
            raise TypeError(f"{field}: entry [{row}, {column}] is beyond 64 bits: {array.max()}")
        return _native.whole_numbers_as_csv(np.ascontiguousarray(array, dtype=np.int64), array.shape[1])
    if array.dtype.kind == "f":
        return _native.numbers_as_csv(np.ascontiguousarray(array, dtype=np.float64), array.shape[1])
    first = f", such as entry [0, 0]: {array.flat[0]!r}" if array.size else ""
    raise TypeError(f"{field}: expected an array of numbers, found one of dtype {array.dtype}{first}")


def _columns(columns: Mapping[str, Any], field: str) -> bytes:
    arrays = [np.asarray(column) for column in columns.values()]
    for name, array in zip(columns, arrays, strict=True):
        if array.ndim != 1:
            raise TypeError(f"{field}.{name}: expected a column, one value a row, found an array of shape {array.shape}")
    if len({array.shape for array in arrays}) > 1:
        lengths = ", ".join(f"`{name}` {array.shape}" for name, array in zip(columns, arrays, strict=True))
        raise TypeError(f"{field}: columns must be as long as each other, found {lengths}")
    for name, array in zip(columns, arrays, strict=True):
        if array.dtype.kind not in "biuf":
            _check_cells(array, f"{field}.{name}")
    rows: Iterable[tuple[Any, ...]] = zip(*(array.tolist() for array in arrays), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def _check_cells(column: np.ndarray[Any, Any], field: str) -> None:
    """Refuses what cannot stand in a row, whose readers split lines at commas."""
    for number, value in enumerate(column.tolist()):
        if value is None or any(mark in str(value) for mark in ',"\r\n'):
            raise ValueError(f"{field}: entry [{number}] cannot stand in a row: {value!r}")
