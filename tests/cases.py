"""Cases of a test module as data beside it: tables in a TOML file, CUDA sources and other texts in a folder.

`test_causes.py` has its tables in `causes.toml` and its sources in `causes/NAME.cu`.
"""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest


class Cases:
    """The tables and sources of one module, read when they are first used."""

    def __init__(self, module: str) -> None:
        self._place = Path(module).with_name(Path(module).stem.removeprefix("test_"))

    def __call__(self, name: str, *, tuples: bool = False) -> list[Any]:
        """Return the rows of a table for `parametrize`; of a table of named rows, with the names as ids.

        TOML has no null: the text "None" is None. With `tuples`, arrays inside a row are tuples, not lists.
        """
        table = self._tables[name]
        rows = table.items() if isinstance(table, dict) else ((None, row) for row in table)
        return [
            pytest.param(*(_plain(value, tuples) for value in (row if isinstance(row, list) else [row])), id=label)
            for label, row in rows
        ]

    def mapping(self, name: str) -> dict[str, Any]:
        """Return a table of named values."""
        found: dict[str, Any] = self._tables[name]
        return found

    def source(self, name: str) -> str:
        """Return the text of a source; one that is missing fails the test that asks for it."""
        return self.text(f"{name}.cu")

    def text(self, name: str) -> str:
        """Return the text of another file in the folder."""
        return (self._place / name).read_text(encoding="utf-8")

    @cached_property
    def _tables(self) -> dict[str, Any]:
        return tomllib.loads(self._place.with_suffix(".toml").read_text(encoding="utf-8"))


def _plain(value: Any, tuples: bool) -> Any:
    if isinstance(value, list):
        members = [_plain(member, tuples) for member in value]
        return tuple(members) if tuples else members
    if isinstance(value, dict):
        return {key: _plain(member, tuples) for key, member in value.items()}
    return None if value == "None" else value
