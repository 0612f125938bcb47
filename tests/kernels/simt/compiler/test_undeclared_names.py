"""Names without a declaration or a definition: the error names them and says what to do."""

from __future__ import annotations

import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, choose_kernel, run


def test_a_function_without_a_body_is_refused_where_it_is_called() -> None:
    source = """
    __device__ float other(float x);
    __device__ float own(float x);
    __device__ float own(float x) { return x; }
    __global__ void k(float *out) { out[0] = own(1); }
    __global__ void l(float *out) { out[0] = other(1); }"""
    program = parse(source, "k.cu")
    assert run(program, Launch(Dim3(1), Dim3(1)), {"out": Unwritten("float32", (1,))}, kernel="k").hazards == ()
    with pytest.raises(SourceError, match=r"k.cu:6:46: 'other' is a function without a body in this file: include"):
        run(program, Launch(Dim3(1), Dim3(1)), {"out": Unwritten("float32", (1,))}, kernel="l")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(
            "__device__ int a[4];\n#define ALL (COUNT * 4)\n__global__ void k(int *o) { __shared__ int s[ALL]; }",
            r"3:46: the length of an array .*: 'ALL' is not, because COUNT is declared nowhere; use #define",
            id="what a macro stands for",
        ),
        pytest.param(
            "__global__ void k(int *o) { __shared__ int s[blockDim.x]; }",
            r"1:46: the length of an array must be known before the kernel runs: 'blockDim.x' is not; use",
            id="a length that threads know",
        ),
        pytest.param(
            "\n%%cuda\n__global__ void k(int *o) { o[0] = 1; }",
            r"2:1: not supported: a notebook magic \(%%\); remove the line",
            id="a cell of a notebook",
        ),
        pytest.param(
            "__global__ void k(Absent *o);",
            r"1:19: not supported: type 'Absent'",
            id="a kernel's type that is declared nowhere",
        ),
    ],
)
def test_errors_name_the_missing_declaration(source: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        choose_kernel(parse(source, "test.cu"), "k")
