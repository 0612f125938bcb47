"""Functions as values: pointers to them, as arguments of templates, and structs that can be called."""

from __future__ import annotations

import pytest

from kernels.errors import InputError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_a_kernel_takes_functions_by_name() -> None:
    source = """
    __device__ int add(int a, int b) { return a + b; }
    struct Rule { int (*f)(int, int); int by; };
    __global__ void k(int *out, int (*f)(int, int), Rule r) { out[threadIdx.x] = f(1, 2) + r.f(threadIdx.x, r.by); }"""
    out = Unwritten("int32", (8,))
    found = trace(source, {"out": out, "f": "add", "r.f": "add", "r.by": 5})
    assert found.outputs["out"].tolist() == [8 + t for t in range(8)]
    assert dict(found.scalars) == {"r.by": 5}
    for wrong, reason in (("sub", "there is no function 'sub'"), (7, "give its name")):
        with pytest.raises(InputError, match=reason):
            trace(source, {"out": out, "f": wrong, "r.f": "add", "r.by": 5})
