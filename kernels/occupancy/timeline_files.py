"""Files of block timelines: those that are shipped, and those of a user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels import RESOURCES
from kernels.errors import InputError
from kernels.occupancy.block_timeline import read_timeline_file

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.occupancy.block_timeline import BlockTimeline

SHIPPED: Final = RESOURCES / "block_timelines"


def file_name(timeline: BlockTimeline) -> str:
    """Return a name that tells kernel, size, block and GPU, such as ``matmul_tiled-1024-32x32-nvidia_h200.json``."""
    m = timeline.measured
    size = f"{m.size.n}" if m.size.m == m.size.n == m.size.k else "x".join(map(str, m.size))
    block = "x".join(map(str, m.block)).removesuffix("x1").removesuffix("x1")
    return "-".join(_plain(part) for part in (m.kernel, size, block, m.gpu)) + ".json"


def timelines_in(folder: Path) -> tuple[BlockTimeline, ...]:
    """Read every timeline of a folder, in the order of the names; files that are not timelines are left out."""
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            found.append(read_timeline_file(file))
        except InputError:
            continue
    return tuple(found)


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in text.lower())
