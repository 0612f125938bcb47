"""`tilescope verify` on the GPU: what passes, what is equal bit for bit, and a kernel that breaks the context."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from kernels.catalog import catalog, find_kernel
from kernels.cli import main
from tests.gpu.faulty_kernels import broken_entry

if TYPE_CHECKING:
    from pathlib import Path

IN_SLICES = ("matmul_split_k", "matmul_fast", "mmt_fast", "matmul_3xtf32", "mmt_3xtf32", "matmul_strassen")
IN_ORDER = [
    k.id
    for k in catalog()
    if k.runs_on == "cuda" and k.measurable and not k.clear and k.id not in IN_SLICES and k.workload.id != "softmax"
]
"""Kernels whose threads each sum an element from k = 0 up; the others add to what other threads have summed."""


def verify(*words: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(main, ["verify", "--in", "gpu", "--json", *words])
    return done.exit_code, json.loads(done.stdout)


def test_every_kernel_at_sizes_around_a_tile() -> None:
    sizes = ("--size", "7", "--size", "16", "--size", "33")
    ran = set()
    for block in (("--block", "8,8"), ()):  # not every kernel runs with 8×8 threads: all run with their own blocks
        status, found = verify(*sizes, *block)
        assert status == 0, [point["error"] for point in found["points"] if not point["right"]]
        ran |= {point["kernel"] for point in found["points"] if point["right"]}
    assert ran == {variant.id for k in catalog() if not k.flaw for variant in k.variants()}


def test_without_fused_operations_sums_in_order_are_equal_bit_for_bit() -> None:
    status, found = verify(
        *IN_ORDER, "--no-fmad", "--size", "32", "--size", "127", "--block", "16,16", "--block", "32,32"
    )
    assert status == 0
    unlike = {
        point["kernel"]: point["checks"]["unlike_bits"]
        for point in found["points"]
        if point["right"] and point["checks"]["unlike_bits"]
    }
    assert unlike == {}


def test_matrices_printed_in_the_documents() -> None:
    for kernel, size, fill in (("mmt_stripe", "7", "iota"), ("matmul_unified", "4", "rows")):
        status, found = verify(kernel, "--size", size, "--fill", fill)
        assert status == 0
        assert all(point["checks"]["known"] for point in found["points"])


@pytest.mark.parametrize("name", ["out_of_bounds", "wrong"])
def test_a_broken_kernel_fails_and_the_next_is_checked(tmp_path: Path, name: str) -> None:
    bad = broken_entry(tmp_path, name).kernel
    status, found = verify(bad, "matmul_naive", "--size", "64", "--block", "16,16")
    broken, good = found["points"]
    assert status == 1
    assert not broken["right"]
    assert good["right"]


def test_a_suggested_block_is_launched_and_right() -> None:
    from kernels.gpu.device import present_device
    from kernels.occupancy.suggest import suggest

    kernel = find_kernel("matmul_tiled_dynamic")
    block = suggest(kernel, kernel.size, present_device()).block
    status, found = verify(kernel.id, "--size", "1000", "--block", f"{block.x},{block.y}")
    assert (status, found["points"][0]["right"]) == (0, True)
