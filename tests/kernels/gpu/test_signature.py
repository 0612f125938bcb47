from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.gpu.run import parameters
from tests.cases import Cases

CASES = Cases(__file__)

HEADER = 'template <int N> __device__ float helper(float x);\nextern "C" __global__ '


@pytest.mark.parametrize(("declaration", "expected"), CASES("names_and_types_in_order"))
def test_names_and_types_in_order(declaration: str, expected: list[str]) -> None:
    found = parameters(f'{HEADER}{declaration} {{ asm volatile("bar.sync 0;"); }}', "k.cu", "k")
    assert [f"{p.name} {p.dtype}{'*' * p.pointer}" for p in found] == expected


def test_the_entry_is_told_from_its_neighbours() -> None:
    text = "__device__ void k2(int a) {}\n__global__ void k(float b) {}\n__global__ void k3(double c) {}"
    assert [p.name for p in parameters(text, "k.cu", "k")] == ["b"]


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
