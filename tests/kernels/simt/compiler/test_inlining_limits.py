"""Limits of inlining: nested calls that would be compiled a million times are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.cancellation import CHECK_EVERY, Cancelled
from kernels.errors import SourceError
from kernels.simt.compiler.calls import functions
from kernels.simt.compiler.calls.functions import MAX_INLINED
from kernels.simt.compiler.trace_tables import Tables
from tests.kernels.simt.programs import trace
from tests.sweeps import one_in

if TYPE_CHECKING:
    from kernels.frontend.ast import Span
    from kernels.simt.compiler.compiled_values import Frame
    from kernels.trace.records import StatementKind

LEVELS = 20
KERNEL = "__global__ void k(float *a) { a[threadIdx.x] = CALL; }"


def levels(first: str, level: str) -> str:
    """Write a function, then one for each level that calls the one before: `$` is its number, `@` that one's."""
    lines = (level.replace("$", str(n)).replace("@", str(n - 1)) for n in range(1, LEVELS + 1))
    return "\n".join([first.replace("$", "0"), *lines, ""])


TWICE = levels("__device__ float f$(float x) { return x; }", "__device__ float f$(float x) { return f@(x) + f@(x); }")
SOURCES = {
    "functions": TWICE + KERNEL.replace("CALL", "f20(1)"),
    "statements": levels("__device__ void f$(float *x) { }", "__device__ void f$(float *x) { f@(x); f@(x); }")
    + "__global__ void k(float *a) { f20(a); }",
    "templates": "template <int N> __device__ float f(float x) {\n"
    "if constexpr (N == 0) return x; else return f<N - 1>(x) + f<N - 1>(x); }\n" + KERNEL.replace("CALL", "f<20>(1)"),
    "members": levels(
        "struct S$ { __device__ float f(float x) { return x; } };",
        "struct S$ { S@ m; __device__ float f(float x) { return m.f(x) + m.f(x); } };",
    )
    + "__global__ void k(float *a) { S20 s; a[0] = s.f(1); }",
    "constructors": levels(
        "struct S$ { float x; __device__ S$(float y) : x(y) { } };",
        "struct S$ { float x; __device__ S$(float y) { S@ p(y), q(y); x = p.x + q.x; } };",
    )
    + "__global__ void k(float *a) { S20 s(1); a[0] = s.x; }",
    "lambdas": "__global__ void k(float *a) {"
    + levels("auto f$ = [=](float x) { return x; };", "auto f$ = [=](float x) { return f@(x) + f@(x); };")
    + "a[0] = f20(1); }",
    "default arguments": levels(
        "__device__ float f$(float x = 1) { return x; }",
        "__device__ float f$(float x = f@(), float y = f@()) { return x + y; }",
    )
    + KERNEL.replace("CALL", "f20()"),
    "pointers": levels(
        "__device__ float f$(float x) { return x; }",
        "__device__ float f$(float x) { float (*p)(float) = f@; return p(x) + p(x); }",
    )
    + KERNEL.replace("CALL", "f20(1)"),
}


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the names of the functions whose bodies are compiled."""
    found: list[str] = []
    enter = Tables.enter

    def noted(tables: Tables, frame: Frame) -> None:
        found.append(frame.function.name)
        enter(tables, frame)

    monkeypatch.setattr(Tables, "enter", noted)
    return found


@pytest.mark.parametrize("kind", one_in(4, SOURCES, str))
def test_functions_that_call_each_other_twice_are_refused(kind: str, entered: list[str]) -> None:
    with pytest.raises(SourceError) as caught:
        trace(SOURCES[kind], {"a": np.zeros(8, np.float32)})
    error = caught.value
    assert error.reason.startswith(
        f"not supported: more than {MAX_INLINED:,} statements in inlined functions, here in "
    )
    assert error.reason.endswith("call it in a loop, or only once at each level")
    assert (error.file, error.line > 0, error.column > 0) == ("test.cu", True, True)
    assert len(entered) <= 2 * (MAX_INLINED + LEVELS)  # also where it is tried in another order of threads


def test_calls_below_the_limit_run() -> None:
    source = SOURCES["functions"].replace("f20(1)", "f10(1)")
    assert trace(source, {"a": np.zeros(8, np.float32)}).outputs["a"].tolist() == [1024.0] * 8


def test_a_kernel_of_many_statements_without_calls_is_no_function() -> None:
    body = "a[threadIdx.x] += 1;\n" * (MAX_INLINED + 1)
    assert trace(f"__global__ void k(float *a) {{ {body} }}", {"a": np.zeros(8, np.float32)}, max_steps=1).stopped


def test_compiling_ends_when_it_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the limit it would take hours."""
    monkeypatch.setattr(functions, "MAX_INLINED", 1 << 62)
    compiled = 0
    new_statement = Tables.new_statement

    def counted(tables: Tables, span: Span, kind: StatementKind) -> int:
        nonlocal compiled
        compiled += 1
        return new_statement(tables, span, kind)

    monkeypatch.setattr(Tables, "new_statement", counted)
    with pytest.raises(Cancelled):
        trace(SOURCES["functions"], {"a": np.zeros(8, np.float32)}, cancelled=lambda: compiled >= 100)
    assert 100 <= compiled < 100 + CHECK_EVERY
