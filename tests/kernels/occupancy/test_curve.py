"""Curves of occupancy, and the shipped numbers, which belong to the sources as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels import RESOURCES
from kernels.catalog import Kernel, catalog, find_kernel, read_kernel
from kernels.device import Device, devices, find_device
from kernels.errors import InputError, LaunchError, UnavailableError
from kernels.launch import Dim3
from kernels.occupancy import Resources, resources
from kernels.occupancy.curve import blocks_to_ship, candidate_blocks, curve, occupancy_of, points_to_ship
from kernels.occupancy.resources import nearest, resources_for, shipped_resources
from kernels.occupancy.shipped import Table, figures_key, fingerprint, read_table, write_table
from tests.generated import needs_table
from tests.sweeps import in_handful, in_turn

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.workload import Size

SOURCE = """
extern "C" __global__ void mine() {{ }}
/* tilescope
title = "Mine"
teaches = "Nothing."
workload = "none"
size = [4, 4, 4]
block = [16, 16]
blocks = [[16, 16]]
grid = {grid}
require = {require}
*/
"""


def kernel(folder: Path, grid: str = '["1", "1"]', require: str = "[]") -> Kernel:
    file = folder / "mine.cu"
    file.write_text(SOURCE.format(grid=grid, require=require), encoding="utf-8")
    return read_kernel(file)


def resources_curve(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
    return Resources(40, 0, 0, "a test")


def test_a_square_tile_gets_every_width(tmp_path: Path) -> None:
    mine = kernel(tmp_path, require='[["block_x == block_y", "square"]]')
    assert candidate_blocks(mine, mine.size, Dim3(16, 16)) == tuple(Dim3(w, w) for w in range(1, 33))


@pytest.mark.parametrize(
    ("chosen", "width"), [(Dim3(16, 16), 16), (Dim3(8, 3), 8), (Dim3(3, 5), 32), (Dim3(512, 2), 32)]
)
def test_any_other_gets_whole_warps_as_wide_as_the_chosen_block(tmp_path: Path, chosen: Dim3, width: int) -> None:
    mine = kernel(tmp_path)
    found = candidate_blocks(mine, mine.size, chosen)
    assert chosen in found
    assert {b.count for b in found} == {*range(32, 1025, 32), chosen.count}
    assert {b.x for b in found if b != chosen} == {width}


def test_one_dimension_of_grid_gets_one_dimension_of_block(tmp_path: Path) -> None:
    mine = kernel(tmp_path, grid='["1"]')
    assert {b.y for b in candidate_blocks(mine, mine.size, Dim3(256))} == {1}


def test_blocks_that_the_kernel_refuses_are_no_candidates(tmp_path: Path) -> None:
    mine = kernel(tmp_path, require='[["block_x * block_y <= 256", "too large"]]')
    found = candidate_blocks(mine, mine.size, Dim3(32, 32))
    assert max(b.count for b in found) == 256
    assert Dim3(32, 32) not in found


def test_the_curve_leaves_out_what_the_device_refuses(tmp_path: Path) -> None:
    mine = kernel(tmp_path)

    def hungry(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
        return Resources(120, 0, 0, "a test")

    points = curve(mine, mine.size, mine.block, find_device("H200"), hungry)
    assert max(p.occupancy.block_threads for p in points) == 512


def test_the_shape_of_the_curve(tmp_path: Path) -> None:
    mine = kernel(tmp_path)
    points = curve(mine, mine.size, mine.block, find_device("H200"), resources_curve)
    by_threads = {p.occupancy.block_threads: p.occupancy.resident_blocks for p in points}
    assert list(by_threads) == sorted(by_threads)
    assert (by_threads[32], by_threads[256], by_threads[1024]) == (32, 6, 1)


def test_an_illegal_block_is_refused_before_anything_is_compiled(tmp_path: Path) -> None:
    def never(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
        raise AssertionError("asked for resources")

    mine = kernel(tmp_path)
    with pytest.raises(LaunchError, match="33×32 has 1,056 threads"):
        occupancy_of(mine, mine.size, Dim3(33, 32), find_device("T4"), never)


@pytest.mark.parametrize(("name", "said"), [("cpu_blas", "runs on the CPU"), ("cublas_sgemm", "library routine")])
def test_a_kernel_without_source_is_refused(name: str, said: str) -> None:
    plain = find_kernel(name)
    with pytest.raises(InputError, match=said):
        occupancy_of(plain, plain.size, plain.block, find_device("T4"))


def test_every_curve_that_can_be_shown_is_shipped(tmp_path: Path) -> None:
    mine = kernel(tmp_path)
    shipped = set(blocks_to_ship(mine))
    for chosen in (Dim3(8, 8), Dim3(16, 4), Dim3(32, 32), Dim3(5, 5)):
        assert set(candidate_blocks(mine, mine.size, chosen)) <= shipped


CUDA = [kernel for kernel in catalog() if kernel.runs_on == "cuda"]
ids = [kernel.id for kernel in CUDA]


def edited(kernel: Kernel, old: str, new: str) -> Kernel:
    assert old in kernel.text
    return replace(kernel, source=kernel.text.replace(old, new))


@pytest.mark.parametrize("kernel", CUDA, ids=ids)
def test_the_table_is_of_this_source(kernel: Kernel) -> None:
    needs_table(kernel)
    table = read_table(kernel.id)
    assert table is not None
    archs = {f.stem for f in (RESOURCES / "architectures").glob("*.toml")} - {"sm_70"}  # CUDA 13 left it
    assert set(table.figures) == archs


def test_there_is_no_table_without_a_kernel() -> None:
    assert {file.stem for file in (RESOURCES / "compiled").glob("*.json")} <= set(ids)


@pytest.mark.parametrize(("kernel", "part"), in_turn(CUDA, range(8), lambda kernel: kernel.id, plain=in_handful))
def test_every_device_has_numbers_for_every_kernel(kernel: Kernel, part: int) -> None:
    needs_table(kernel)
    points = points_to_ship(kernel).values()
    for device in devices()[part::8]:
        for variant, size, block in points:
            found = shipped_resources(variant, size, block, device)
            assert 0 < found.registers <= device.registers_per_thread


def test_the_origin_is_told() -> None:
    kernel = CUDA[0]
    found = shipped_resources(kernel, kernel.size, kernel.block, find_device("H200"))
    assert found.origin == "shipped with tilescope, compiled by NVRTC 13.5 for sm_90"
    old = shipped_resources(kernel, kernel.size, kernel.block, find_device("V100"))
    assert "for sm_75 (the nearest to sm_70 that it compiles for" in old.origin


def test_comments_and_spacing_leave_the_numbers_valid() -> None:
    kernel = CUDA[0]
    other = edited(kernel, "\n", "  // a remark\n\n\t")
    assert fingerprint(other) == fingerprint(kernel)


@pytest.mark.parametrize(("old", "new"), [("void", "void /**/ __launch_bounds__(64)"), ('printf("', 'printf("// ')])
def test_any_other_change_makes_them_stale(old: str, new: str) -> None:
    kernel = next(k for k in CUDA if old in k.text)
    other = edited(kernel, old, new)
    with pytest.raises(UnavailableError, match=f"another version of {kernel.id}.*install NVRTC"):
        shipped_resources(other, other.size, other.block, find_device("T4"))


def test_a_kernel_without_a_table_says_what_to_install(tmp_path: Path) -> None:
    stranger = replace(CUDA[0], id="stranger")
    with pytest.raises(UnavailableError, match=r"ships no register counts for stranger: install NVRTC"):
        shipped_resources(stranger, stranger.size, stranger.block, find_device("T4"))


def test_without_a_compiler_the_shipped_numbers_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "can_compile", lambda: False)
    kernel, device = CUDA[0], find_device("T4")
    assert resources_for(kernel, kernel.size, kernel.block, device) == shipped_resources(
        kernel, kernel.size, kernel.block, device
    )


def test_compiling_gives_the_shipped_numbers() -> None:
    if not resources.can_compile():
        pytest.skip('NVRTC is not installed: pip install -e ".[cuda13]"')
    from kernels.gpu.compiler import nvrtc_version

    device = find_device("H200")
    for kernel in CUDA:
        table = read_table(kernel.id)
        if table is None or table.nvrtc_version != nvrtc_version():
            pytest.skip(f"NVRTC {nvrtc_version()} is not the one that made the shipped numbers")
        compiled = resources.compiled_resources(kernel, kernel.size, kernel.block, device)
        shipped = shipped_resources(kernel, kernel.size, kernel.block, device)
        assert replace(compiled, origin="") == replace(shipped, origin="")


@pytest.mark.parametrize(
    ("arch", "found"), [("sm_90", "sm_90"), ("sm_70", "sm_75"), ("sm_121", "sm_120"), ("sm_87", "sm_86")]
)
def test_nearest_architecture(arch: str, found: str) -> None:
    assert nearest(arch, ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"]) == found


def test_a_table_survives_writing_and_reading(tmp_path: Path) -> None:
    table = Table("13.0", "abc", {"sm_75": {"": (1, 2, 3, 0)}, "sm_90": {"W=1": (4, 5, 6, 16), "W=2": (7, 8, 9, 0)}})
    write_table("mine", table, tmp_path)
    assert read_table("mine", tmp_path) == table


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"nvrtc_version": 1, "fingerprint": "", "figures": [1]}'])
def test_a_broken_table_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "broken.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.json: not a table"):
        read_table("broken", tmp_path)


def test_the_key_names_every_macro() -> None:
    kernel = next(k for k in CUDA if k.define)
    assert "=8" in figures_key(kernel.defines(kernel.size, Dim3(8, 8)))
    assert figures_key(()) == ""
