"""Compile and write the shipped instructions: ``python -m kernels.sass.ship`` (needs NVRTC)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kernels.gpu.compiler import compile_kernel, nvrtc_version
from kernels.occupancy.ship import architectures, ship_tables
from kernels.occupancy.shipped import figures_key
from kernels.sass.cubin import memory_code
from kernels.sass.instructions import FOLDER, Table, code_lines, fingerprint, write_table

if TYPE_CHECKING:
    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.sass.cubin import MemoryCode


def compile_table(kernel: Kernel) -> Table:
    """Compile a kernel for every architecture, with the macros that its options and blocks give."""
    points = {
        figures_key(variant.defines(kernel.size, block)): (variant, block)
        for variant in kernel.variants()
        for block in (kernel.block, *kernel.blocks)
    }
    code = {arch: {key: compiled_code(*point, arch) for key, point in points.items()} for arch in architectures()}
    return Table(nvrtc_version(), fingerprint(kernel.text, kernel.entry), code)


def compiled_code(kernel: Kernel, block: Dim3, arch: str) -> MemoryCode:
    """Compile a kernel as it is launched with a block; only lines with code are counted."""
    compiled = compile_kernel(kernel, kernel.size, block, arch)
    places = {number: place for place, (number, _) in enumerate(code_lines(kernel.text), 1)}
    return memory_code(compiled.cubin, compiled.symbol, arch).at_lines(lambda line: places.get(line, 0))


def _ship(kernel: Kernel) -> None:
    print(f"{kernel.id}: compiling", flush=True)
    write_table(FOLDER / f"{kernel.id}.json", compile_table(kernel))


if __name__ == "__main__":
    sys.exit(ship_tables(FOLDER, _ship))
