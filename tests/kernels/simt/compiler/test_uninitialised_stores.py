"""A register without a value may be stored in shared or local memory; the report comes where the element is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.simt import Argument
    from kernels.trace import Hazard

HALF: Final = "__shared__ float s[8], u[8]; float a; if (t < 4) a = t + 1;\n"
"""Gives half of the threads a value; stands in line 2."""

PUT: Final = "__device__ void put(float *p, int i) { float x; if (i < 4) x = i + 1; p[i] = x; }\n"


def run(body: str, *, record: bool = True, schedule: str = "lockstep") -> Any:
    source = f"{PUT}__global__ void k(const int *A, float *C) {{ int t = threadIdx.x;\n{HALF}{body}\n}}"
    arguments: dict[str, Argument] = {"A": np.arange(8, dtype=np.int32), "C": np.zeros(8, np.float32)}
    return trace(source, arguments, record=record, schedule=schedule)


def hazards(body: str, **options: Any) -> list[Hazard]:
    return list(run(body, **options).hazards)


@pytest.mark.parametrize(("condition", "missing"), [("t < 4", True), ("t >= 4", False)])
def test_of_several_lanes_that_store_to_one_element_the_last_one_counts(condition: str, *, missing: bool) -> None:
    found = hazards(f"float b; if ({condition}) b = t;\ns[t % 4] = b;\n__syncthreads();\nC[t] = s[t % 4];")
    assert {h.kind for h in found} == {"data-race"} | ({"uninitialised-read"} if missing else set())
