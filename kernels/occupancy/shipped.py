"""Shipped register and shared-memory figures, so that occupancy needs no compiler.

There is one JSON file for each kernel in `resources/compiled`, written by ``python -m kernels.occupancy.ship``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from kernels import RESOURCES
from kernels.errors import InputError
from kernels.files import write_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kernels.catalog import Kernel

FOLDER: Final = RESOURCES / "compiled"

_STRING_OR_COMMENT: Final = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)

Row = tuple[int, int, int, int]
"""Registers per thread, static shared bytes per block, spilled bytes per thread, barriers per block.

The last is left out of the file where it is 0, as for most kernels."""


@dataclass(frozen=True, slots=True)
class Table:
    """The figures of one kernel."""

    nvrtc_version: str
    fingerprint: str
    figures: Mapping[str, Mapping[str, Row]]
    """By architecture, then by macros as `figures_key` writes them."""


def fingerprint(kernel: Kernel) -> str:
    """Hash the source without comments and extra white space, and the entry's name."""
    return _hash(kernel.entry, kernel.text)


@lru_cache(maxsize=64)  # a chart looks up every block of one source
def _hash(entry: str, source: str) -> str:
    import hashlib  # with OpenSSL, which the window is shown without

    text = f"{entry}\n{' '.join(without_comments(source).split())}"
    return hashlib.sha256(text.encode()).hexdigest()


def without_comments(text: str) -> str:
    """Replace comments by white space with as many line ends."""
    return _STRING_OR_COMMENT.sub(lambda found: found[1] or " " + "\n" * found[0].count("\n"), text)


def figures_key(defines: Sequence[tuple[str, str]]) -> str:
    """Write macros as a key of the table: ``TILE_WIDTH=16``; "" for none."""
    return " ".join(f"{name}={value}" for name, value in defines)


@lru_cache(maxsize=64)
def read_table(kernel_id: str, folder: Path = FOLDER) -> Table | None:
    """Read a kernel's table; None when there is none.

    Raises
    ------
    InputError
        When the file is not such a table.
    """
    file = folder / f"{kernel_id}.json"
    if not file.is_file():
        return None
    try:
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        figures = {
            arch: {key: (int(row[0]), int(row[1]), int(row[2]), int([*row, 0][3])) for key, row in rows.items()}
            for arch, rows in data["figures"].items()
        }
        return Table(str(data["nvrtc_version"]), str(data["fingerprint"]), figures)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"{file}: not a table of compiled figures: {error}") from error


def write_table(kernel_id: str, table: Table, folder: Path = FOLDER) -> None:
    """Write a kernel's table with one row per line, which keeps differences short."""
    lines = ["{", f' "nvrtc_version": "{table.nvrtc_version}",', f' "fingerprint": "{table.fingerprint}",']
    lines.append(' "figures": {')
    for number, (arch, rows) in enumerate(table.figures.items()):
        lines.append(f'  "{arch}": {{')
        lines.append(
            ",\n".join(
                f"   {json.dumps(key)}: {json.dumps(list(row if row[3] else row[:3]))}" for key, row in rows.items()
            )
        )
        lines.append("  }" if number == len(table.figures) - 1 else "  },")
    lines += [" }", "}", ""]
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / f"{kernel_id}.json", "\n".join(lines))
