"""Shipped traffic: bytes of the launches of the recorded runs, so that a roofline needs no simulator at first.

They are in `resources/traffic.json`, written by ``python -m kernels.bench.ship_traffic``. The traffic of a kernel
that was edited since is not used.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from kernels import RESOURCES
from kernels.architecture import DEFAULT, SM_80, Architecture
from kernels.bench.traffic import Traffic
from kernels.catalog import find_kernel
from kernels.errors import InputError, TilescopeError
from kernels.files import write_text
from kernels.launch import Dim3
from kernels.occupancy.shipped import fingerprint as code_fingerprint
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kernels.bench.traffic import TrafficKey
    from kernels.catalog import Kernel

FILE: Final = RESOURCES / "traffic.json"

_DIGITS: Final = 16
"""Hexadecimal digits of a fingerprint."""


@dataclass(frozen=True, slots=True)
class CountedLaunches:
    """The launches of one kernel with one set of options."""

    fingerprint: str
    bytes: Mapping[tuple[Dim3, Size], int]
    architecture: Architecture = SM_80
    """The architecture whose code was counted."""


def fingerprint(kernel: Kernel) -> str:
    """Hash what determines the traffic of a launch: the source without comments, and the footer's launch rule."""
    rule = (kernel.workload.id, kernel.grid, kernel.dynamic_shared, kernel.clear)
    values = [sorted(pairs.items()) for pairs in (kernel.define, kernel.constant, kernel.chosen)]
    options = [(o.name, [(c.word, sorted(c.define.items())) for c in o.choices]) for o in kernel.options]
    text = json.dumps([code_fingerprint(kernel), rule, values, options])
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def shipped_traffic(key: TrafficKey) -> Traffic | None:
    """Return the shipped traffic of a launch; None where there is none of the present source."""
    known = _of_present_source(key.kernel)
    if (
        known is None
        or known.architecture != key.architecture
        or (moved := known.bytes.get((key.block, key.size))) is None
    ):
        return None
    return Traffic(key.size, find_kernel(key.kernel).workload.flops(key.size), moved)


@lru_cache(maxsize=1024)  # a chart looks up every launch of a kernel
def _of_present_source(name: str) -> CountedLaunches | None:
    try:
        known = read_counted().get(name)
        return known if known is not None and known.fingerprint == fingerprint(find_kernel(name)) else None
    except TilescopeError:  # a damaged file, or a kernel that is not known any more: the simulator counts
        return None


@lru_cache(maxsize=4)
def read_counted(file: Path = FILE) -> Mapping[str, CountedLaunches]:
    """Read the launches of every kernel, by its name with options; none where there is no file.

    Raises
    ------
    InputError
        When the file is not such a table.
    """
    if not file.is_file():
        return {}
    try:
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {name: _read(fields) for name, fields in data.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: not a table of traffic: {error}") from error


def _read(fields: Mapping[str, Any]) -> CountedLaunches:
    found = {
        (Dim3(*map(int, block.split(","))), Size(*map(int, size.split(",")))): int(moved)
        for block, sizes in fields["bytes"].items()
        for size, moved in sizes.items()
    }
    return CountedLaunches(str(fields["fingerprint"]), found, Architecture.parse(fields.get("architecture", DEFAULT)))


def write_counted(counted: Mapping[str, CountedLaunches], file: Path = FILE) -> None:
    """Write the launches of every kernel, those of one block in a line, which keeps differences short."""
    parts = []
    for name, launches in sorted(counted.items()):
        blocks: dict[str, dict[str, int]] = {}
        for (block, size), moved in sorted(launches.bytes.items()):
            blocks.setdefault(_numbers(block), {})[_numbers(size)] = moved
        lines = ",\n".join(f"   {json.dumps(block)}: {json.dumps(sizes)}" for block, sizes in blocks.items())
        head = f'"fingerprint": "{launches.fingerprint}",\n  '
        if launches.architecture != SM_80:
            head += f'"architecture": "{launches.architecture}",\n  '
        parts.append(f' {json.dumps(name)}: {{\n  {head}"bytes": {{\n{lines}\n  }}\n }}')
    write_text(file, "{\n" + ",\n".join(parts) + "\n}\n")
    read_counted.cache_clear()
    _of_present_source.cache_clear()


def _numbers(values: tuple[int, ...]) -> str:
    return ",".join(str(value) for value in values)
