"""A register without a value may be copied; the report comes where a copy is used, and names that place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from tests.kernels.hazards.corpus import FOLDER
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.simt import Argument
    from kernels.trace import Hazard

HALF: Final = "float a; if (t < 4) a = 1;\n"
"""Gives half of the threads a value; stands in line 2."""

ADD: Final = "__device__ float add(float x) { return x + 1; }\n"


def hazards(body: str, *, record: bool = True, schedule: str = "lockstep") -> list[Hazard]:
    source = f"{ADD}__global__ void k(const int *A, float *C, float n) {{ int t = threadIdx.x;\n{HALF}{body}\n}}"
    arguments: dict[str, Argument] = {
        "A": np.arange(8, dtype=np.int32),
        "C": np.zeros(8, np.float32),
        "n": 2.5,
    }
    return list(trace(source, arguments, record=record, schedule=schedule).hazards)


UNUSED: Final = [
    "float b = a;",
    "float b; b = a; if (t < 4) C[t] = b;",
    "float b; b = a; if (t < 3) C[t] = b + 1;",
    "float b = 0;\nfor (int i = 0; i < 3; ++i) { if (t < 4) C[t] += b;\nb = a; }",
    "float b = 0, c = 0;\nfor (int i = 0; i < 4; ++i) { if (t < 4) C[t] += c;\nc = b; b = a; }",
    "float b, c; c = b = a; if (t < 2) C[t] = c;",
    "float b, c; c = a, b = c; if (t < 2) C[t] = b;",
    "float b; for (b = a; t > 8; ) { } if (t < 4) C[t] = b;",
    "float b; for (int i = 0; i < 2; ++i, b = a) ; if (t < 4) C[t] = b;",
    "auto b = a; b = 3; C[t] = b;",
    "float b = a; if (t >= 4) b = 3; C[t] = b;",
    "n = a; if (t < 4) C[t] = n;",
    "float2 p, q; p.y = 2; if (t < 4) p.x = 1; q = p; C[t] = q.y; if (t < 4) C[t] = q.x;",
    "float2 p; p.y = a; float2 q = p; float r = q.y; if (t < 4) C[t] = r;",
    "struct S { int i; float f; } p; p.i = A[t]; if (t < 4) p.f = 1; S q = p; C[q.i] = 1;",
    "float b = 1; int i = 0;\nagain: if (t > 2 && i == 0) { i = 1; b = a; goto again; }\nif (t < 4) C[t] = b;",
]


@pytest.mark.parametrize("record", [True, False], ids=["recorded", "unrecorded"])
@pytest.mark.parametrize("schedule", ["lockstep", "shuffle:1"])
@pytest.mark.parametrize("body", UNUSED)
def test_a_copy_that_is_not_used_is_no_hazard(body: str, schedule: str, *, record: bool) -> None:
    assert hazards(body, record=record, schedule=schedule) == []


USED: Final = [
    ("float b = a;\nC[t] = b;", "b", 4),
    ("float b = a;\nC[t] = 2 * b;", "b", 4),
    ("float b = 3;\nb = a;\nC[t] = b;", "b", 4),
    ("float b; b = a;\nif (b > 0) C[t] = 1;", "b", 4),
    ("float b; if (t != 5) b = a;\nC[t] = b;", "b", 4),
    ("float b = 1; if (t == 5) b = a;\nC[t] = b;", "b", 1),
    ("float b, c; b = a; c = b;\nC[t] = c;", "c", 4),
    ("float b, c; c = b = a;\nC[t] = c;", "c", 4),
    ("float b = a; int i; if (t < 4) i = 1; int j = i;\nC[t] = A[j & 7];", "j", 4),
    ("float b = a;\nC[t] = add(b);", "b", 4),
    ('float b = a;\nprintf("%f", b);', "b", 4),
    ("float b = a;\nb += 1;", "b", 4),
    ("float b = a;\n++b;", "b", 4),
    ("float b = a;\nint i = b;", "b", 4),
    ("float b;\nif (b = a) C[t] = 1;", "b", 4),
    ("float b = a;\nfloat c = t < 6 ? b : 0;", "b", 2),
    ("float2 p; p.y = 1; if (t < 4) p.x = 1; float2 q = p;\nC[t] = q.x;", "q.x", 4),
    ("n = a;\nC[t] = n;", "n", 4),
    ("float b = 1;\nfor (int i = 0; i < 2; ++i) {\nC[t] = b; b = a; }", "b", 4),
]


@pytest.mark.parametrize(("body", "name", "count"), USED)
def test_the_use_of_a_copy_is_reported_at_its_place(body: str, name: str, count: int) -> None:
    (hazard,) = hazards(body)
    assert (hazard.kind, hazard.array, hazard.count) == ("uninitialised-read", name, count)
    assert hazard.line == 4 + body.count("\n"), "the last line"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("C[t] = a;", "uses a, which has no value yet: give it one where it is declared"),
        ("float b = a; C[t] = b;", "uses b, a copy of a, which had no value yet: initialise a"),
        ("float b; b = a; C[t] = b;", "uses b, which has no value yet, or a copy of a without one: initialise b and a"),
    ],
)
def test_the_report_names_what_has_no_value(body: str, words: str) -> None:
    (hazard,) = hazards(body)
    assert words in hazard.message


def test_a_stencil_whose_planes_go_through_registers() -> None:
    """Threads of the halo outside of the grid load nothing, copy their registers all the same, and compute nothing."""
    n = 8
    grid = np.random.default_rng(1).integers(0, 9, (n, n, n)).astype(np.float32)
    output = trace(
        (FOLDER / "stencil_in_registers.cu").read_text(encoding="utf-8"),
        {"in": grid, "out": np.zeros((n, n, n), np.float32), "n": n},
        grid=(2, 2),
        block=(6, 6),
    )
    assert output.hazards == ()
    inside = slice(1, -1)
    expected = -6 * grid[inside, inside, inside]
    for axis in range(3):
        for shift in (-1, 1):
            expected += np.roll(grid, shift, axis)[inside, inside, inside]
    assert np.array_equal(output.outputs["out"][inside, inside, inside], expected)
    assert not output.outputs["out"][[0, -1]].any()
