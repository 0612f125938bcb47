"""Every kernel compiles cleanly for every architecture, to what is shipped. Needs NVRTC, but no GPU and no driver.

Where NVRTC is not installed these tests say so; `.ci/run` installs it in an environment of its own.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

from kernels.catalog import Kernel, catalog
from kernels.gpu.compiler import compile_kernel, compile_text, missing, nvrtc_version, supported_archs
from kernels.occupancy import shipped
from kernels.occupancy.ship import up_to_date
from kernels.occupancy.shipped import figures_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.launch import Dim3

    Point: TypeAlias = tuple[tuple[Kernel, Dim3], str]

KERNELS = [kernel for kernel in catalog() if kernel.runs_on == "cuda"]

TRIES: Final = 8
"""NVRTC 13.0 does not always give the same code for the same source: of 60 compilations in one process it gave
matmul_specialized 62 registers seven times on sm_90a and 64 otherwise. What is shipped must be among its answers."""

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_a_kernel_compiles_without_warnings_and_spills_to_what_is_shipped(kernel: Kernel) -> None:
    """If the shipped table differs, run python -m kernels.occupancy.ship."""
    figures = shipped.read_table(kernel.id)
    assert figures is not None

    def compare(point: Point) -> None:
        (variant, block), arch = point
        key = figures_key(variant.defines(variant.size, block))
        where = f"{variant.id}, block {block}, {arch}"
        found = compile_kernel(variant, variant.size, block, arch)
        assert found.warnings == (), where
        assert found.figures.spill_bytes == 0, where
        if arch in figures.figures and figures.nvrtc_version == nvrtc_version():
            needs = found.figures
            row = (needs.registers, needs.static_shared_bytes, needs.spill_bytes, needs.barriers)
            assert figures.figures[arch][key] == row, where

    blocks = dict.fromkeys((kernel.block, *kernel.blocks))
    points = {figures_key(v.defines(v.size, b)): (v, b) for v, b in product(kernel.variants(), blocks)}
    different = []

    def try_first(point: Point) -> None:
        try:
            compare(point)
        except AssertionError:
            different.append(point)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(try_first, product(points.values(), supported_archs())))
    for point in different:
        compile_again(point, compare)


def compile_again(point: Point, compare: Callable[[Point], None]) -> None:
    """Compile a point until it is as shipped, at most `TRIES` times."""
    for left in reversed(range(TRIES)):
        compile_text.cache_clear()  # a cached compilation would only repeat the difference
        try:
            return compare(point)
        except AssertionError:
            if not left:
                raise


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.id)
def test_no_shipped_table_is_out_of_date(kernel: Kernel) -> None:
    table = shipped.read_table(kernel.id)
    if table is not None and table.nvrtc_version != nvrtc_version():
        pytest.skip(f"what is shipped was made by NVRTC {table.nvrtc_version}, not {nvrtc_version()}")
    assert up_to_date(kernel)
