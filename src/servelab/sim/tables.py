"""Tables of results: columns of numbers, computed when they are first looked at."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from servelab.errors import ServelabError

Column = NDArray[Any]


class Table(Mapping[str, Column]):
    """Columns of equal length by name: `table["ttft_s"]` is an array."""

    def __init__(self, columns: Mapping[str, Column | Callable[[], Column]]) -> None:
        self._columns = dict(columns)

    def add(self, columns: Mapping[str, Column | Callable[[], Column]]) -> None:
        """Put more columns to the right."""
        self._columns |= columns

    def __getitem__(self, name: str) -> Column:
        column = self._columns[name]
        if callable(column):
            column = self._columns[name] = column()
            column.flags.writeable = False
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"Table of {self.rows:,} rows: {', '.join(self)}"

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self[next(iter(self))])

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists; what is not a number (NaN) is None."""
        return {name: _plain(self[name]) for name in self}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame. Raises ServelabError without pandas."""
        try:
            import pandas
        except ImportError:
            raise ServelabError("to_pandas needs pandas; install it with `pip install pandas`") from None
        return pandas.DataFrame({name: self[name] for name in self})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table as CSV; numbers to their last digit, nothing where there is none."""
        columns = [["" if value is None else value for value in _plain(self[name])] for name in self]
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self)
            writer.writerows(zip(*columns, strict=True))

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table as Parquet. Raises ServelabError without pyarrow."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise ServelabError("to_parquet needs pyarrow; install it with `pip install servelab[parquet]`") from None
        pyarrow.parquet.write_table(pyarrow.table({name: self[name] for name in self}), Path(path))


def _plain(column: Column) -> list[Any]:
    if column.dtype.kind != "f" or np.isfinite(column).all():
        whole: list[Any] = column.tolist()
        return whole
    return [value if np.isfinite(value) else None for value in column.tolist()]
