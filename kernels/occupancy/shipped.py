"""Register and shared-memory figures that come with tilescope, so that occupancy needs no compiler.

One JSON file a kernel in `resources/compiled`, written by ``python -m kernels.occupancy.ship`` where NVRTC is
installed.
"""

from __future__ import annotations

import hashlib
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

Row = tuple[int, int, int]
"""Registers per thread, static shared bytes per block, spilled bytes per thread."""


@dataclass(frozen=True, slots=True)
class Table:
    """One kernel's figures: architecture -> macros, as `figures_key` writes them -> row."""

    nvrtc_version: str
    fingerprint: str
    figures: Mapping[str, Mapping[str, Row]]


def fingerprint(kernel: Kernel) -> str:
    """Hash what the compiler sees: the source without comments and spacing, and the entry's name."""
    code = _STRING_OR_COMMENT.sub(lambda found: found[1] or " ", kernel.text)
    text = f"{kernel.entry}\n{' '.join(code.split())}"
    return hashlib.sha256(text.encode()).hexdigest()


def figures_key(defines: Sequence[tuple[str, str]]) -> str:
    """Write macros as the table's key: ``TILE_WIDTH=16``, empty when there are none."""
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
            arch: {key: (int(row[0]), int(row[1]), int(row[2])) for key, row in rows.items()}
            for arch, rows in data["figures"].items()
        }
        return Table(str(data["nvrtc_version"]), str(data["fingerprint"]), figures)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"{file}: not a table of compiled figures: {error}") from error


def write_table(kernel_id: str, table: Table, folder: Path = FOLDER) -> None:
    """Write a kernel's table, one row a line, so that a change shows as few lines."""
    lines = ["{", f' "nvrtc_version": "{table.nvrtc_version}",', f' "fingerprint": "{table.fingerprint}",']
    lines.append(' "figures": {')
    for number, (arch, rows) in enumerate(table.figures.items()):
        lines.append(f'  "{arch}": {{')
        lines.append(",\n".join(f"   {json.dumps(key)}: {json.dumps(list(row))}" for key, row in rows.items()))
        lines.append("  }" if number == len(table.figures) - 1 else "  },")
    lines += [" }", "}", ""]
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / f"{kernel_id}.json", "\n".join(lines))
