"""Tables that choose the block of a kernel by GPU and size: a TOML file beside the `.cu` file.

Each `[[row]]` holds

    arch     the oldest architecture that it is for, such as "sm_80"
    before   the first one that it is not for; optional
    when     a condition on the workload's scalars, a C expression
    block    [x, y, z]
    why      one sentence

The first row that applies is used. The last one is for every size.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.errors import InputError
from kernels.frontend import evaluate, parse_expression
from kernels.launch import Dim3

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class BlockRule:
    """One row of a table."""

    arch: str
    """The oldest architecture that it is for."""
    when: str
    """A condition on the workload's scalars, as a C expression."""
    block: Dim3
    why: str
    """One sentence."""
    before: str = ""
    """The first architecture after `arch` that it is not for; "" if there is none."""

    def applies(self, arch: str, scalars: Mapping[str, int]) -> bool:
        """Return whether the row is for this architecture, and its condition holds."""
        known = _number(self.arch) <= _number(arch) and (not self.before or _number(arch) < _number(self.before))
        return known and bool(evaluate(parse_expression(self.when), scalars))

    def __str__(self) -> str:
        end = f" to before {self.before}" if self.before else ""
        return f"from {self.arch}{end}, {self.when}: block {self.block}. {self.why}"


def read_block_rules(file: Path) -> tuple[BlockRule, ...]:
    """Read a table.

    Raises
    ------
    InputError
        When the file cannot be read, or a row lacks a field.
    """
    try:
        rows = tomllib.loads(file.read_text(encoding="utf-8"))["row"]
        return tuple(
            BlockRule(row["arch"], row["when"], Dim3(*row["block"]), row["why"], row.get("before", "")) for row in rows
        )
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{file}: is not a table of blocks: {error!r}") from error


def _number(arch: str) -> int:
    return int("".join(letter for letter in arch if letter.isdigit()))
