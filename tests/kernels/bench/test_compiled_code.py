"""The code that was measured, and the float32 peak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels import CUDA_FOLDER
from kernels.architecture import SM_80, Architecture
from kernels.bench.measure.compiled_code import other_code_of_plan, other_code_words
from kernels.bench.sample import Entry, Point
from kernels.launch import Dim3
from kernels.workload import Size

if TYPE_CHECKING:
    from pathlib import Path

SIZE = Size(4096, 4096, 4096)


def point(kernel: str, block: Dim3 | None = None, launch: str = "") -> Point:
    return Point(Entry(kernel, block, launch=launch), SIZE)


@pytest.mark.parametrize("kernel", ["matmul_3xtf32", "mmt_3xtf32", "matmul_fast", "mmt_fast"])
def test_a_block_of_the_kernels_own_table_is_that_of_the_gpu(kernel: str) -> None:
    assert "sm_90a compiles other lines than sm_80 (" in other_code_words(point(kernel), "sm_90")
    assert other_code_words(point(kernel), "sm_80") == ""


def test_a_kernel_with_one_code_a_library_and_an_unknown_file_have_no_words() -> None:
    points = [point("matmul_naive", Dim3(16, 16)), point("cublas_sgemm"), point("cpu_blas"), point("gone.cu")]
    assert [other_code_words(each, "sm_90") for each in points] == [""] * 4
    assert other_code_of_plan(points, "sm_90", SM_80) == ""


def test_a_file_of_the_user_is_compared_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.cu"
    text = (CUDA_FOLDER / "matmul_naive.cu").read_text(encoding="utf-8")
    file.write_text(f"#if __CUDA_ARCH__ == 900\n__device__ int newer;\n#endif\n{text}", encoding="utf-8")
    assert "sm_90a compiles other lines than sm_80 (2):" in other_code_words(point(str(file), Dim3(16, 16)), "sm_90")


def test_a_plan_names_its_curves() -> None:
    points = [point(kernel) for kernel in ("matmul_3xtf32", "mmt_3xtf32", "matmul_fast", "matmul_naive")]
    assert other_code_of_plan(points, "sm_90", Architecture.parse("sm_90a")) == ""
    words = other_code_of_plan(points, "sm_90", SM_80)
    assert words == (
        "Explore shows the code for sm_80; sm_90a compiles other lines of matmul_3xtf32, mmt_3xtf32 and 1 more."
    )
