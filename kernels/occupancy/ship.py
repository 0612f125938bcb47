"""Compile and write the shipped figures: ``python -m kernels.occupancy.ship`` (needs NVRTC).

Kernels whose table is up to date with source, compiler and blocks are skipped.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kernels import RESOURCES
from kernels.catalog import Kernel, catalog
from kernels.errors import TilescopeError
from kernels.gpu.compiler import compile_kernel, nvrtc_version, supported_archs
from kernels.occupancy.curve import points_to_ship
from kernels.occupancy.shipped import FOLDER, Table, fingerprint, read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def architectures() -> tuple[str, ...]:
    """List the architectures of `resources/architectures` that this NVRTC compiles for, oldest first."""
    archs = {file.stem for file in (RESOURCES / "architectures").glob("sm_*.toml")} & set(supported_archs())
    return tuple(sorted(archs, key=lambda arch: int(arch[3:])))


def compile_table(kernel: Kernel) -> Table:
    """Compile a kernel for every architecture and every set of macros that its options, sizes and blocks give."""
    points = points_to_ship(kernel)
    figures = {}
    for arch in architectures():
        rows = {}
        for key, (variant, size, block) in points.items():
            f = compile_kernel(variant, size, block, arch).figures
            rows[key] = (f.registers, f.static_shared_bytes, f.spill_bytes, f.barriers)
        figures[arch] = rows
    return Table(nvrtc_version(), fingerprint(kernel), figures)


def up_to_date(kernel: Kernel) -> bool:
    """Return whether the shipped table is of the present source, compiler, architectures and blocks."""
    table = read_table(kernel.id)
    return (
        table is not None
        and table.nvrtc_version == nvrtc_version()
        and set(table.figures) == set(architectures())
        and is_of_source(table, kernel)
    )


def is_of_source(table: Table, kernel: Kernel) -> bool:
    """Return whether a table is of the present source and blocks, by whichever compiler."""
    keys = set(points_to_ship(kernel))
    return table.fingerprint == fingerprint(kernel) and all(set(rows) == keys for rows in table.figures.values())


def ship_tables(folder: Path, ship: Callable[[Kernel], None]) -> int:
    """Ship a table of every CUDA kernel and remove tables of unknown kernels; return 2 when NVRTC is missing."""
    try:
        kernels = [kernel for kernel in catalog() if kernel.runs_on == "cuda"]
        for kernel in kernels:
            ship(kernel)
        for file in folder.glob("*.json"):
            if file.stem not in {kernel.id for kernel in kernels}:
                print(f"{file.stem}: there is no such kernel any more; removed")
                file.unlink()
    except TilescopeError as error:
        print(f"tilescope: {error}", file=sys.stderr)
        return 2
    return 0


def _ship(kernel: Kernel) -> None:
    """Compile a kernel whose table is out of date."""
    if up_to_date(kernel):
        print(f"{kernel.id}: up to date")
        return
    print(f"{kernel.id}: compiling", flush=True)
    write_table(kernel.id, compile_table(kernel))


if __name__ == "__main__":
    sys.exit(ship_tables(FOLDER, _ship))
