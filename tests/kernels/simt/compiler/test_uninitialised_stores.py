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


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "s[t] = a;\nC[t] = s[t];",
            "thread (4, 0) of block (0, 0) reads s[4] (shared memory), where line 4 stored a, which had no value yet: "
            "give it one where it is declared",
        ),
        (
            "float b = a;\ns[t] = b;\nC[t] = s[t];",
            "reads s[4] (shared memory), where line 5 stored b, a copy of a, which had no value yet: initialise a",
        ),
        (
            "if (t < 6) s[t] = 1;\ns[t] = t < 6 ? 1 : 2;\nif (t > 5) s[t] = a;\nC[t] = s[t];",
            "reads s[6] (shared memory), where line 6 stored a",
        ),
        ("if (t < 5) s[t] = a;\nC[t] = s[t];", "reads s[5] (shared memory), which nothing has written yet"),
    ],
)
def test_the_report_names_the_store(body: str, words: str) -> None:
    (hazard,) = hazards(body)
    assert words in hazard.message
