"""Templates of structs: specialisations, template template parameters, members defined outside of the struct."""

from __future__ import annotations

import pytest

from kernels.errors import TilescopeError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.simt import Unwritten, run


def test_a_kernel_takes_a_template_by_its_name() -> None:
    program = parse(
        """template <typename T> struct Add { __device__ T operator()(T a, T b) const { return a + b; } };
        template <template <typename> class Op, typename T = int>
        __global__ void k(T *a) { a[threadIdx.x] = Op<T>()(threadIdx.x, 5); }""",
        "k.cu",
    )
    given = {"a": Unwritten("int32", (8,))}
    found = run(program, Launch(Dim3(1), Dim3(8), 0), given, template={"Op": "Add"})
    assert found.outputs["a"].tolist() == [t + 5 for t in range(8)]
    with pytest.raises(TilescopeError, match="'Less' is no struct template"):
        run(program, Launch(Dim3(1), Dim3(8), 0), given, template={"Op": "Less"})
