"""The shipped numbers belong to the sources as they are, or are not used.

The plain command looks up the numbers of each kernel for an eighth of the devices; the exhaustive command for all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels import RESOURCES
from kernels.catalog import Kernel, catalog
from kernels.device import devices, find_device
from kernels.errors import InputError, UnavailableError
from kernels.launch import Dim3
from kernels.occupancy import resources
from kernels.occupancy.curve import points_to_ship
from kernels.occupancy.resources import nearest, resources_for, shipped_resources
from kernels.occupancy.shipped import Table, figures_key, fingerprint, read_table, write_table
from tests.generated import needs_table
from tests.sweeps import in_handful, in_turn

if TYPE_CHECKING:
    from pathlib import Path

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
