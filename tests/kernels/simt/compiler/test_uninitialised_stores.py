"""A register without a value may be stored in shared or local memory; the report comes where the element is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from kernels.errors import SourceError
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


UNREAD: Final = [
    "s[t] = a; if (t < 4) C[t] = s[t];",
    "s[t] = a;\n__syncthreads();\nif (t >= 4) C[t] = s[7 - t];",
    "s[A[t]] = a; if (t < 4) C[t] = s[A[t]];",
    "float v[2]; v[1] = a; if (t < 4) C[t] = v[1];",
    "float v[3] = {1, 2, 3}; v[1] = a; C[t] = v[0] + v[2];",
    "float b = a; float *p = &b; if (t < 4) C[t] = *p;",
    "float b; float *p = &b; b = a; if (t < 4) C[t] = *p;",
    "float *p = t % 2 ? s : u; p[t] = a; if (t < 4) C[t] = p[t];",
    "float *p = t < 4 ? C : s; p[t] = a;",
    "put(s, t); if (t < 4) C[t] = s[t];",
    "s[t] = u[t] = a; if (t < 4) C[t] = s[t] + u[t];",
    "float b = s[t] = a; if (t < 4) C[t] = b;",
    "float b; s[t] = b = a; if (t < 4) C[t] = s[t] + b;",
    "s[t] = a, u[t] = a; if (t < 4) C[t] = s[t];",
    "for (int i = 0; i < 8; ++i, s[t] = a) ; if (t < 4) C[t] = s[t];",
    "__shared__ float2 p[8]; float2 q; q.x = t; q.y = a; p[t] = q; if (t < 4) C[t] = p[t].y;\nC[t] = p[t].x;",
    "struct S { char c; double d; }; __shared__ S p[8]; S q; q.c = 1; if (t < 4) q.d = a; p[t] = q; C[t] = p[t].c;",
    "__shared__ struct { int n; float f; } p[8]; p[t].n = 1; p[t].f = a; C[t] = p[t].n;",
    # a proper store makes it right again
    "s[t] = a;\ns[t] = 2;\nC[t] = s[t];",
    "s[t] = a;\nif (t >= 4) s[t] = 2;\nC[t] = s[t];",
    "s[t] = a;\n__syncthreads();\ns[7 - t] = t;\n__syncthreads();\nC[t] = s[t];",
    "s[t] = 1;\n__syncthreads();\nC[t] = s[7 - t];\n__syncthreads();\ns[t] = a;\n__syncthreads();\n"
    "if (t < 4) s[t + 4] = 1;\n__syncthreads();\nC[t] = s[7 - t];",
    "for (int i = 0; i < 3; ++i) { s[t] = t;\n__syncthreads();\nC[t] += s[7 - t];\n__syncthreads();\ns[t] = a; }",
    "if (t < 6) s[t] = 1;\nif (t == 7) s[t] = a;\nif (t < 6) C[t] = s[t];",
    "float v[2]; for (int i = 0; i < 3; ++i) { v[i % 2] = t; C[t] += v[i % 2]; v[i % 2] = a; }",
]


@pytest.mark.parametrize("record", [True, False], ids=["recorded", "unrecorded"])
@pytest.mark.parametrize("schedule", ["lockstep", "shuffle:1"])
@pytest.mark.parametrize("body", UNREAD)
def test_a_store_that_is_not_read_is_no_hazard(body: str, schedule: str, *, record: bool) -> None:
    assert hazards(body, record=record, schedule=schedule) == []


READ: Final = [
    ("s[t] = a;\nC[t] = s[t];", "s", 4, 4),
    ("s[A[t]] = a;\nC[t] = s[A[t]];", "s", 4, 4),
    ("s[t] = a;\n__syncthreads();\nif (t < 3) C[t] = s[7 - t];", "s", 7, 3),
    ("s[t] = 1;\nC[t] = s[t];\ns[t] = a;\nC[t] = s[t];", "s", 4, 4),
    ("s[t] = 1;\nif (t < 6) s[t] = a;\nC[t] = s[t];", "s", 4, 2),
    ("s[t] = a;\nif (t != 5) s[t] = 1;\nC[t] = s[t];", "s", 5, 1),
    ("float v[2]; v[0] = 1; v[1] = a;\nC[t] = v[0] + v[1];", "v", 1, 4),
    ("float v[2] = {1, 2}; v[1] = a;\nC[t] = v[A[t] % 2];", "v", 1, 2),
    ("float b = a; float *p = &b;\nC[t] = *p;", "b", 0, 4),
    ("float *p = t % 2 ? s : u; p[t] = a;\nif (t == 5) C[t] = p[t];", "s", 5, 1),
    ("put(s, t);\nC[t] = s[t];", "s", 4, 4),
    ("s[t] = a;\nfloat b = s[t];", "s", 4, 4),
    ("s[t] = a;\ns[t] += 1;", "s", 4, 4),
    ("s[t] = a;\natomicAdd(&s[t], 1);", "s", 4, 4),
    ("s[t] = u[t] = a;\nC[t] = u[t];", "u", 4, 4),
    ("__shared__ float2 p[8]; float2 q; q.x = 1; q.y = a; p[t] = q;\nC[t] = p[t].y;", "p", 9, 4),
    ("__shared__ float4 p[8]; float4 q; q.x = q.y = q.z = 1; q.w = a; p[t] = q;\nfloat4 r = p[t];", "p", 16, 4),
    ("for (int i = 0; i < 3; ++i) {\nif (i == 2) C[t] = s[t];\ns[t] = i; if (i == 1) s[t] = a; }", "s", 4, 4),
    ("__shared__ float w; if (t == 0) w = 0;\n__syncwarp();\nif (t == 6) w = a;\n__syncwarp();\nC[t] = w;", "w", 0, 8),
]


@pytest.mark.parametrize("record", [True, False], ids=["recorded", "unrecorded"])
@pytest.mark.parametrize(("body", "name", "index", "count"), READ)
def test_the_read_of_such_an_element_is_reported(body: str, name: str, index: int, count: int, *, record: bool) -> None:
    found = hazards(body, record=record)
    assert [(h.kind, h.array, h.index, h.count) for h in found] == [("uninitialised-read", name, index, count)]
    assert found[0].line == 4 + (1 if body.startswith("for") else body.count("\n")), "the line of the read"


STORED: Final = [
    ("C[t] = a;", "a"),
    ("float *p = t < 2 ? s : C; p[t] = a;", "a"),
    ("s[t] = 2 * a;", "a"),
    ("int b; if (t < 4) b = 1; s[t] = b;", "b"),
    ("if (s[t] = a) C[t] = 1;", "a"),
    ("float v[2] = {1, a};", "a"),
    ("__shared__ int *p[8]; int *q; if (t < 4) q = const_cast<int *>(A); p[t] = q;", "q"),
]


@pytest.mark.parametrize(("body", "name"), STORED)
def test_other_stores_are_uses(body: str, name: str) -> None:
    (hazard,) = hazards(body)
    assert (hazard.kind, hazard.space, hazard.array, hazard.count) == (
        "uninitialised-read",
        "register",
        name,
        4,
    )
    assert hazard.line == 4


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


def test_an_index_outside_is_reported_once_and_marks_nothing() -> None:
    found = hazards("s[t] = 1;\n__syncthreads();\ns[t + 2] = a;\n__syncthreads();\nif (t < 6) C[t] = s[t];")
    assert [(h.kind, h.line, h.count) for h in found] == [("out-of-bounds", 6, 2)]


def test_the_new_values_are_stored() -> None:
    assert run("s[t] = a; if (t < 4) C[t] = s[t];").outputs["C"].tolist() == [1, 2, 3, 4, 0, 0, 0, 0]


def test_an_element_of_a_constant_array_cannot_be_assigned() -> None:
    with pytest.raises(SourceError, match="const"):
        run("const float *p = s; p[t] = a;")
