"""Complex numbers of cuComplex.h and cuFFT, pitched memory, and pointers that the file gives their first values."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.cases import Cases
from tests.kernels.simt.programs import trace

CASES = Cases(__file__)


def test_types_of_complex_numbers() -> None:
    source = CASES.source("types_of_complex_numbers")
    found = trace(source, {"in": np.array([[1.5, -2.25]]), "out": Unwritten("float64", (1, 2))}, block=(1,))
    assert found.outputs["out"].tolist() == [[-0.5, 1.75]]
    assert found.hazards == ()


def test_functions_of_complex_numbers_are_refused() -> None:
    with pytest.raises(SourceError, match="not supported: function 'cuCmulf'"):
        trace(
            "#include <cuComplex.h>\n__global__ void k(cuComplex *a) { a[0] = cuCmulf(a[0], a[1]); }",
            {"a": np.ones((2, 2), np.float32)},
        )


def test_types_of_fourier_transforms() -> None:
    source = """#include <cufft.h>
    #include "cublas_v2.h"
    #include <cusolverDn.h>
    __global__ void scale(cufftComplex *a, cufftReal by) { a[threadIdx.x].x *= by; a[threadIdx.x].y *= by; }"""
    found = trace(source, {"a": np.ones((8, 2), np.float32), "by": 0.5})
    assert found.outputs["a"].tolist() == [[0.5, 0.5]] * 8


def test_pitched_memory() -> None:
    source = CASES.source("pitched_memory")
    given = np.arange(64, dtype=np.float32).reshape(8, 8)
    sizes = {"p.pitch": 32, "p.xsize": 6, "p.ysize": 8, "size.width": 6, "size.height": 8, "size.depth": 1}
    found = trace(source, {**sizes, "p.ptr": given, "out": Unwritten("float32", (8,))})
    assert found.outputs["out"].tolist() == given[:, :6].sum(1).tolist()


@pytest.mark.parametrize(("before", "expression", "expected"), CASES("first_values_of_pointers"))
def test_first_values_of_pointers(before: str, expression: str, expected: list[int]) -> None:
    source = f"{before}\n__global__ void k(int *out) {{ int t = threadIdx.x; out[t] = {expression}; }}"
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == expected[:8]
    assert found.hazards == ()
