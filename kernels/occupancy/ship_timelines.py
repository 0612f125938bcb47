"""Record and write the shipped block timelines: ``python -m kernels.occupancy.ship_timelines`` (needs a GPU).

The launches have tails: their last wave is partial, or their blocks take different times.
"""

from __future__ import annotations

import sys
from typing import Final

from kernels.catalog import find_kernel
from kernels.errors import TilescopeError
from kernels.fill import Fill
from kernels.launch import Dim3
from kernels.occupancy.block_timeline import SHIPPED, file_name, write_timeline_file
from kernels.occupancy.record_blocks import record_blocks
from kernels.occupancy.timeline_words import launch_words, sentences
from kernels.workload import Size

LAUNCHES: Final = (
    ("matmul_tiled", 1024, Dim3(32, 32)),
    ("matmul_tiled", 1024, Dim3(16, 16)),
    ("matmul_naive", 1024, Dim3(32, 32)),
    ("matmul_registers_2d", 2048, Dim3(16, 16)),
    ("mmt_symmetric", 1024, Dim3(16, 16)),
    ("matmul_fast", 2048, Dim3(128, 3)),
)
"""Kernel, n and block."""


def main() -> int:
    """Record every launch; return 2 when one cannot be recorded."""
    status = 0
    SHIPPED.mkdir(parents=True, exist_ok=True)
    for name, n, block in LAUNCHES:
        try:
            kernel = find_kernel(name)
            timeline = record_blocks(kernel, Size(n, n, n), block, Fill("random", (1,)))
        except TilescopeError as error:
            print(f"tilescope: {name}, n = {n}, block {block}: {error}", file=sys.stderr)
            status = 2
            continue
        write_timeline_file(timeline, SHIPPED / file_name(timeline))
        print("\n".join([launch_words(timeline), *sentences(timeline)]), end="\n\n", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
