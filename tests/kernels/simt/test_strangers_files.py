"""Files of other people as a whole: each case was met in public code, and is told in our words."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import TilescopeError
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from kernels.source import parse
from tests.kernels.simt.programs import trace

SEVERAL = """
__device__ int odd(int x) { goto end; end: return x; }
__global__ void fine(int *a) { a[threadIdx.x] = 1; }
__global__ void jumps(int *a) { goto end; end: a[0] = 1; }
__global__ void calls(int *a) { a[threadIdx.x] = odd(1); }
template <typename T> __global__ void waits(T *a) { goto end; end: ; }
__constant__ Unheard table[4];
"""


def test_a_kernel_that_cannot_be_read_leaves_the_others_alone() -> None:
    program = parse(SEVERAL, "test.cu")
    found = run(program, Launch(Dim3(1), Dim3(4)), {"a": Unwritten("int32", (4,))}, kernel="fine")
    assert found.outputs["a"].tolist() == [1] * 4


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("jumps", r"^test.cu:4:33: not supported: goto"),
        ("calls", r"^test.cu:5:50: 'odd' was left out: test.cu:2:29: not supported: goto"),
        ("waits", r"^test.cu:6:53: not supported: goto"),
        (None, r"choose one of its kernels: fine, calls, waits, jumps$"),
    ],
)
def test_what_cannot_be_read_is_refused_where_it_is_used(kernel: str | None, message: str) -> None:
    program = parse(SEVERAL, "test.cu")
    given: dict[str, Argument] = {"a": Unwritten("int32", (4,))}
    template = {"T": "int"} if kernel == "waits" else {}
    with pytest.raises(TilescopeError, match=message):
        run(program, Launch(Dim3(1), Dim3(4)), given, kernel=kernel, template=template)


def test_attributes_may_stand_behind_the_parameters() -> None:
    source = """
    __device__ int five() __attribute__((always_inline));
    __device__ int five() { return 5; }
    __global__ void k(int *out) { out[threadIdx.x] = five(); }"""
    assert trace(source, {"out": Unwritten("int32", (8,))}).outputs["out"].tolist() == [5] * 8


def test_libraries_leave_their_names_to_others() -> None:
    source = """
    struct Order { int row_major, accumulator; __device__ int area() { return row_major * accumulator; } };
    __device__ int barrier(int x) { return x; }
    __device__ int atomic(int x) { return x < 3; }
    template <bool col_major> __device__ int fragment() { return col_major ? 1 : 2; }
    __global__ void k(int *out, int texture, int matrix_a, int precision) {
        int surface = texture < 2, thread_scope = 1, wmma = matrix_a < 5 && surface > 0;
        auto accumulator = 0;
        accumulator += surface * precision;
        Order order{2, 3};
        out[threadIdx.x] = accumulator + barrier(matrix_a) + atomic(2) + fragment<true>() + order.area()
            + thread_scope + wmma;
    }"""
    found = trace(source, {"out": np.zeros(8, np.int32), "texture": 1, "matrix_a": 4, "precision": 7})
    assert set(found.outputs["out"].tolist()) == {7 + 4 + 1 + 1 + 6 + 1 + 1}
