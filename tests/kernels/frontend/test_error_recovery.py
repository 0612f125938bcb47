"""Declarations that cannot be parsed: they are left out, and refused only where they are used."""

from __future__ import annotations

import pytest

from kernels.errors import TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Argument, Unwritten, run
from tests.cases import Cases

CASES = Cases(__file__)

SEVERAL = """
__device__ int odd(int x) { throw x; }
__global__ void fine(int *a) { a[threadIdx.x] = 1; }
__global__ void jumps(int *a) { throw 1; }
__global__ void calls(int *a) { a[threadIdx.x] = odd(1); }
template <typename T> __global__ void waits(T *a) { throw 1; }
__constant__ Unheard table[4];
"""


def test_an_unsupported_kernel_does_not_affect_the_others() -> None:
    program = parse(SEVERAL, "test.cu")
    found = run(program, Launch(Dim3(1), Dim3(4)), {"a": Unwritten("int32", (4,))}, kernel="fine")
    assert found.outputs["a"].tolist() == [1] * 4


@pytest.mark.parametrize(("kernel", "message"), CASES("an_unsupported_construct"))
def test_an_unsupported_construct_is_refused_where_it_is_used(kernel: str | None, message: str) -> None:
    program = parse(SEVERAL, "test.cu")
    given: dict[str, Argument] = {"a": Unwritten("int32", (4,))}
    template = {"T": "int"} if kernel == "waits" else {}
    with pytest.raises(TilescopeError, match=message):
        run(program, Launch(Dim3(1), Dim3(4)), given, kernel=kernel, template=template)


def test_lines_with_only_an_unknown_macro_are_skipped() -> None:
    source = """#include "no_such_header.h"
    WARNINGS_OFF()
    WARNINGS_OFF_TOO(4127, "x")
    LIBRARY_BEGIN
    namespace a {
    struct S { int x; };
    DECLARE(S)
    }
    WARNINGS_ON()
    template <typename T> __device__ T twice(T x) { return 2 * x; }
    API
    __global__ void k(int *out, a::S s) { out[threadIdx.x] = twice(s.x); }
    LIBRARY_END"""
    program = parse(source, "k.cu")
    arguments: dict[str, Argument] = {"out": Unwritten("int32", (4,)), "s.x": 4}
    assert run(program, Launch(Dim3(1), Dim3(4)), arguments).outputs["out"].tolist() == [8] * 4
