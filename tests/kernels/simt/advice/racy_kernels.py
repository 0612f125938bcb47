"""Small kernels that race, by the shape of the mistake: what a beginner leaves out, or puts in the wrong place."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.simt import Unwritten

if TYPE_CHECKING:
    from kernels.simt import Argument


@dataclass(frozen=True)
class Racy:
    """A kernel `k`, its launch, and its arguments by name, words and size; without words they hold numbers below 7."""

    name: str
    source: str
    cures: tuple[tuple[str, ...], ...]
    """The cure of each report: its kind, calls with the lines they go between, the new code; () without one."""
    block: tuple[int, ...] = (64,)
    grid: tuple[int, ...] = (1,)
    arguments: tuple[tuple[str, str, int], ...] = (("in", "int32", 64), ("out", "unwritten int32", 64))
    shared: int = 0
    template: tuple[tuple[str, str], ...] = ()

    def given(self) -> dict[str, Argument]:
        """Build the arguments."""
        found: dict[str, Argument] = {}
        for name, words, size in self.arguments:
            *how, dtype = words.split()
            if dtype == "number":
                found[name] = size
            elif how == ["unwritten"]:
                found[name] = Unwritten(dtype, (size,))
            elif how == ["zeros"]:
                found[name] = np.zeros(size, dtype)
            else:
                found[name] = (np.arange(size) % 7).astype(dtype)
        return found


def _racy(fields: dict[str, Any]) -> Racy:
    """Make a kernel of its table, whose lists become tuples."""
    lists = {name: value for name, value in fields.items() if isinstance(value, list)}
    tuples = {name: tuple(tuple(v) if isinstance(v, list) else v for v in value) for name, value in lists.items()}
    return Racy(**(fields | tuples))


_FILE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
RACY: Final = tuple(_racy(fields) for fields in _FILE["racy"])
MENDED_BY_HAND: Final[dict[str, list[list[str]]]] = {one["name"]: one["edits"] for one in _FILE["mended_by_hand"]}
"""Kernels for which no cure is advised, since none can be applied by a program: text, and what a person would write."""
