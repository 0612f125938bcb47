from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernels.catalog import find_kernel
from kernels.errors import InputError, SourceError
from kernels.fill import Fill
from kernels.gpu.run import bind, parameters
from kernels.workload import Size

HEADER = 'template <int N> __device__ float helper(float x);\nextern "C" __global__ '


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("void k()", []),
        ("void k(void)", []),
        (
            "void k(const float *A, float const* B, float *__restrict__ C)",
            ["A float32*", "B float32*", "C float32*"],
        ),
        ("void k(float C[], unsigned n, size_t m)", ["C float32*", "n uint32", "m uint64"]),
        ("void k(const int width, double x, long long y)", ["width int32", "x float64", "y int64"]),
        ("void __launch_bounds__(256) k(int *out)", ["out int32*"]),
        ("void k(const __nv_bfloat16 *A, half *B)", ["A uint16*", "B float16*"]),
    ],
)
def test_names_and_types_in_order(declaration: str, expected: list[str]) -> None:
    found = parameters(f'{HEADER}{declaration} {{ asm volatile("bar.sync 0;"); }}', "k.cu", "k")
    assert [f"{p.name} {p.dtype}{'*' * p.pointer}" for p in found] == expected


def test_the_entry_is_told_from_its_neighbours() -> None:
    text = "__device__ void k2(int a) {}\n__global__ void k(float b) {}\n__global__ void k3(double c) {}"
    assert [p.name for p in parameters(text, "k.cu", "k")] == ["b"]


def test_arrays_of_16_bits_are_bound_by_their_bits() -> None:
    kernel, size = find_kernel("matmul_wmma"), Size(2, 3, 4)
    arrays = {**kernel.workload.inputs(size, Fill("ones")), "C": np.zeros((2, 3), np.float32)}
    a, b, c, *lengths = bind(kernel, size, arrays)
    assert (a is arrays["A"], b is arrays["B"], c is arrays["C"], lengths) == (True, True, True, [2, 3, 4])
    assert {arrays[name].dtype.str[1:] for name in "AB"} == {"u2"}
    floats = find_kernel("matmul_naive")
    wrong = replace(floats, workload=kernel.workload)
    with pytest.raises(InputError, match="A is an array of bfloat16 in workload matmul_bf16, the kernel takes float32"):
        bind(wrong, size, arrays)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__device__ void k(int a) {}", "1:1: has no __global__ function named k"),
        ("\n__global__ void k(int a, float4 v) {}", "2:26: cannot pass"),
    ],
)
def test_parameters_that_cannot_be_bound_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        parameters(text, "k.cu", "k")
