"""Declarations of functions and kernels: attributes, other files' kernels, function types, overloads, BSD's types."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, choose_kernel, run
from tests.cases import Cases
from tests.kernels.simt.programs import trace

CASES = Cases(__file__)


def test_attributes_after_the_parameters() -> None:
    source = """
    __device__ int five() __attribute__((always_inline));
    __device__ int five() { return 5; }
    __global__ void k(int *out) { out[threadIdx.x] = five(); }"""
    assert trace(source, {"out": Unwritten("int32", (8,))}).outputs["out"].tolist() == [5] * 8


def test_kernels_that_are_only_declared_are_not_listed() -> None:
    source = CASES.source("kernels_that_are_only_declared")
    program = parse(source, "test.cu")
    assert [template.name for template in program.templates] == ["here", "special"]


def test_types_of_bsd() -> None:
    source = "__global__ void k(u_int *out, u_int8_t x) { out[0] = (u_char)(x + 1) + sizeof(u_int64_t); }"
    assert trace(source, {"out": Unwritten("uint32", (1,)), "x": 255}, block=(1,)).outputs["out"].tolist() == [8]


def test_kernels_declared_by_a_function_type() -> None:
    output = trace(
        CASES.source("kernels_declared_by_a_function"),
        {"a": np.zeros(8, np.int32), "n": 8},
    )
    assert output.outputs["a"].tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_template_arguments_select_among_kernels_of_the_same_name() -> None:
    program = parse(
        """__global__ void fill(int *a) { a[threadIdx.x] = 1; }
        template <int N> __global__ void fill(int *a) { a[threadIdx.x] = N; }""",
        "test.cu",
    )
    for template, expected in (({}, 1), ({"N": "5"}, 5)):
        start, arguments = Launch(Dim3(1), Dim3(2)), {"a": np.zeros(2, np.int32)}
        output = run(program, start, arguments, kernel="fill", template=template)
        assert output.outputs["a"].tolist() == [expected] * 2


@pytest.mark.parametrize("launch", ["inner<<<1, 32>>>(a);", "inner <4> <<<1, 32>>> (a);"])
def test_launches_in_device_code_are_refused(launch: str) -> None:
    program = parse(
        f"""{"template <int N>" if "<4>" in launch else ""} __global__ void inner(float *a) {{ a[0] = 1; }}
        __global__ void outer(float *a) {{
        {launch} }}""",
        "test.cu",
    )
    with pytest.raises(SourceError, match=r"3:\d+: not supported: launch with <<< >>> in device code; trace that"):
        choose_kernel(program, "outer")
