"""Sequencing of calls that wait at a barrier: after the operands on their left, before the rest (checked with g++)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import SourceError
from tests.kernels.simt.compiler.sequencing_forms import DEVICE, FORMS, KERNEL, THREADS
from tests.kernels.simt.programs import trace
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from kernels.trace import Trace

COMPILER = shutil.which("g++") or shutil.which("clang++")
X = ((np.arange(THREADS) * 37 + 5) % 23 - 6).astype(np.int32)
GROUPS = "#include <cooperative_groups.h>\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """What each form leaves in `r` when a C++ compiler has sequenced it, by thread."""
    if COMPILER is None:
        pytest.skip("needs g++ or clang++ to compare with")
    folder: Path = tmp_path_factory.mktemp("sequencing")
    spaces = [f"namespace n{n} {{ {KERNEL.format(device='', body=body)} }}" for n, body in enumerate(FORMS.values())]
    names = ", ".join(f"n{n}::k" for n in range(len(FORMS)))
    tables = (
        f"static void (*kernels[])(const int *, int *) = {{{names}}};",
        f"static const int x[64] = {{{', '.join(map(str, X))}}};",
    )
    source = folder / "forms.cpp"
    host = Path(__file__).with_name("sequencing_host.cpp").read_text(encoding="utf-8")
    source.write_text(
        host.replace("// KERNELS", "\n".join((DEVICE, *spaces, *tables))).replace("COUNT", str(len(FORMS)))
    )
    flags = ["-std=c++20", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-pthread"]
    subprocess.run([COMPILER, *flags, str(source), "-o", str(folder / "forms")], check=True)
    done = subprocess.run([str(folder / "forms")], capture_output=True, text=True, check=True, timeout=300)
    return {name: np.array(line.split(), np.int32) for name, line in zip(FORMS, done.stdout.splitlines(), strict=True)}


def run(body: str, device: str = DEVICE, schedule: str = "lockstep") -> Trace:
    source = GROUPS + KERNEL.format(device=device, body=body)
    arguments = {"x": X, "result": np.zeros(THREADS, np.int32)}
    return trace(source, arguments, block=(THREADS,), schedule=schedule, contract=False)


@pytest.mark.parametrize(("form", "schedule"), in_turn(FORMS, ["lockstep", "reversed"], str))
def test_the_same_as_compiled(form: str, schedule: str, compiled: dict[str, np.ndarray]) -> None:
    found = run(FORMS[form], schedule=schedule)
    assert found.hazards == ()
    assert not found.stopped
    np.testing.assert_array_equal(found.outputs["result"], compiled[form])


def test_the_table_is_as_long_as_it_is_said_to_be() -> None:
    assert len(FORMS) >= 64


@pytest.mark.parametrize(
    ("form", "apart"),
    [
        ("r = t < 40 && __syncthreads_count(1) > 3;", "if (t < 40) r = __syncthreads_count(1) > 3;"),
        (
            "r = t >= 40 || __syncthreads_count(1) > 3;",
            "if (t < 40) r = __syncthreads_count(1) > 3; else r = 1;",
        ),
        ("r = t < 40 ? next(v, s) : 7;", "if (t < 40) r = next(v, s); else r = 7;"),
        (
            "int a; r = t < 40 && (a = v, share(a, s), s[0] > -99);",
            "if (t < 40) { share(v, s); r = s[0] > -99; }",
        ),
    ],
)
def test_only_lanes_for_which_the_left_side_holds_come_to_the_barrier(form: str, apart: str) -> None:
    found, wanted = run(form), run(apart)
    kinds, same = ({hazard.kind for hazard in each.hazards} for each in (found, wanted))
    assert "barrier-divergence" in kinds
    assert kinds == same
    np.testing.assert_array_equal(found.outputs["result"], wanted.outputs["result"])


LIBRARIES = """
#include <cub/cub.cuh>
#include <cuda/barrier>
__device__ int add(int a, int b) { int c; asm("add.s32 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b)); return c; }
"""


@pytest.mark.parametrize(
    ("form", "apart"),
    [
        (
            "typedef cub::BlockReduce<int, 64> Reduce; __shared__ Reduce::TempStorage z;"
            "int a = v + 1, n = Reduce(z).Sum(a), m = t == 0 ? n + a : 0; r = m;",
            "typedef cub::BlockReduce<int, 64> Reduce; __shared__ Reduce::TempStorage z;"
            "int a = v + 1; int n = Reduce(z).Sum(a); int m = t == 0 ? n + a : 0; r = m;",
        ),
        (
            "__shared__ cuda::barrier<cuda::thread_scope_block> b; if (t == 0) init(&b, 64); __syncthreads();"
            "s[t] = v, b.arrive_and_wait(), r = s[63 - t];",
            "s[t] = v; __syncthreads(); r = s[63 - t];",
        ),
        (
            'int a = v, b; asm("add.s32 %0, %1, %2;" : "=r"(b) : "r"((a += 1, sum(a, s))), "r"(a)); r = b;',
            "int a = v + 1; r = sum(a, s) + a;",
        ),
        (
            "int a = v, b = add((a += 1, sum(a, s)), 3), c = add(b, a); r = c;",
            "int a = v + 1; int b = sum(a, s) + 3; r = b + a;",
        ),
    ],
)
def test_functions_of_libraries(form: str, apart: str) -> None:
    found, wanted = (run(body, LIBRARIES + DEVICE) for body in (form, apart))
    assert found.hazards == wanted.hazards == ()
    np.testing.assert_array_equal(found.outputs["result"], wanted.outputs["result"])


PLACES = """
__device__ int &at(int *s, int i) { __syncthreads(); return s[i]; }
__device__ int &near(int *s, int i) { return s[next(i, s)]; }
struct Row { int *s; __device__ int &operator[](int i) { return s[sum(i, s) * 0 + i]; } };
"""


@pytest.mark.parametrize(
    ("body", "call", "message"),
    [
        ("at(s, t) = v;", "at(s, t)", "assignment to at(…), which waits at a barrier; return a pointer"),
        ("int a = v; a = 2, near(s, a) += 3;", "near(s, a)", "assignment to near(…), which waits at a barrier"),
        ("Row z = {s}; int a = v, b = z[a]++;", "z[a]", "assignment to operator[](…), which waits at a barrier"),
        ("switch (v) { case sum(1, s): r = 1; }", "sum(1, s)", "sum, which contains a barrier"),
        ("switch (v) { case __syncthreads_count(1): r = 1; }", "__syncthreads_count(1)", "in a statement before"),
    ],
)
def test_unsupported_sequencing_is_refused_with_its_place(body: str, call: str, message: str) -> None:
    device = DEVICE + PLACES
    lines = (GROUPS + KERNEL.format(device=device, body=body)).splitlines()
    line = next(number for number, text in enumerate(lines, 1) if body in text)
    with pytest.raises(SourceError) as caught:
        run(body, device)
    error = caught.value
    assert (error.line, error.column) == (line, lines[line - 1].index(call) + 1)
    assert error.reason.startswith("not supported: ")
    assert message in error.reason


def steps(found: Trace, *names: str) -> list[str]:
    """The steps of statements that name one of these, as they are written."""
    texts = [found.statement(step).text for step in range(len(found.step_statement))]
    return [text for text in texts if any(name in text for name in names)]


def test_declarators_that_depend_on_each_other_are_steps_of_their_own() -> None:
    found = run("int a = v + 1,\n        b = sum(a, s),\n        c = b + a; r = c;")
    assert steps(found, "a = ", "b = ", "c = ") == [
        "a = v + 1",
        "b = sum(a, s)",
        "b = sum(a, s)",
        "c = b + a",
    ]
    first, *_, last = (
        found.statement(step).span
        for step in range(len(found.step_statement))
        if found.statement(step).text[:4] in ("a = ", "b = ", "c = ")
    )
    assert (last.line, last.column) == (first.line + 2, 9)


def test_declarators_that_do_not_depend_on_each_other_stay_one_statement() -> None:
    text = "int a = 3, b = next(v, s), c = largest(v, s);"
    assert steps(run(text + " r = a + b + c;"), "int a") == [text] * 3


def test_a_load_on_the_left_is_a_step_before_the_call() -> None:
    found = run("s[t] = v; __syncthreads(); Pair p = {s[t], next(v, s)}; r = p.a + p.b;")
    made = [n for n in range(len(found.step_statement)) if "Pair p" in found.statement(n).text]
    arrays = [[group.array.name for group in found.accesses(step)] for step in made]
    assert arrays == [["s"], [], []]


def test_a_barrier_in_an_expression_is_a_step_with_its_own_place() -> None:
    found = run("s[t] = v,\n        __syncthreads(), r = s[63 - t];")
    (barrier,) = (s for s in found.statements if s.kind == "barrier" and s.span.column == 9)
    assert barrier.text == "__syncthreads()"
    body = next(s for s in found.statements if s.text.startswith("s[t] = v"))
    assert (barrier.span.line, barrier.span.column) == (body.span.line + 1, 9)
