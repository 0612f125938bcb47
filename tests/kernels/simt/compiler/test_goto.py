"""goto: out of loops, forward, backward and in circles; threads reconverge at the labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.errors import SourceError
from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

if TYPE_CHECKING:
    from collections.abc import Callable


def gcd(a: int, b: int) -> int:
    """Return the greatest common divisor."""
    while b:
        a, b = b, a % b
    return a


BODIES: list[tuple[str, Callable[[int], int]]] = [
    ("if (t > 3) goto skip; r = 10; skip: r += t;", lambda t: t + (10 if t <= 3 else 0)),
    ("if (t > 3) goto a; r = 1; goto end; a: r = 2; end: r = r * 10 + t;", lambda t: (2 if t > 3 else 1) * 10 + t),
    ("again: r += t; if (r < 20 && t) goto again;", lambda t: t * -(-20 // t) if t else 0),
    (
        "for (int i = 0; i < 5; ++i) for (int j = 0; j < 5; ++j) { ++r; if (i * j == t) goto out; } r = -1; out: ;",
        lambda t: next((i * 5 + j + 1 for i in range(5) for j in range(5) if i * j == t), -1),
    ),
    (
        "for (int n = 0; n < 3; ++n) { int k = 0; while (true) { if (k == t) goto on; ++k; ++r; } on: r += 100; }",
        lambda t: 3 * (t + 100),
    ),
    (
        "int a = 24, b = t + 3, c; goto test; step: c = a % b; a = b; b = c; test: if (b) goto step; r = a;",
        lambda t: gcd(24, t + 3),
    ),
    (
        "int x = t; first: { int y = x * 2; if (y > 20) goto last; x = y + 1; goto first; } last: r = x;",
        lambda t: next(x for x in iterated(t) if x * 2 > 20),
    ),
    ("int x = 5; if (t % 2) goto use; x = t; use: r = x * 10; x = 7; r += x;", lambda t: (5 if t % 2 else t) * 10 + 7),
    (
        "int i = 0; redo: int old = i; i = old + t + 1; if (i < 6) goto redo; r = old * 100 + i;",
        lambda t: ((-(-6 // (t + 1)) - 1) * 100 + -(-6 // (t + 1))) * (t + 1),
    ),
    ("if (t == 2) { goto inner; inner: r = 5; } r += 1;", lambda t: 6 if t == 2 else 1),
    (
        "switch (t) { case 1: goto one; case 2: r = 20; break; default: r = 3; } r += 1; one: r += 100;",
        lambda t: {1: 100, 2: 121}.get(t, 104),
    ),
    ("r = found(t);", lambda t: t if t % 3 == 0 else -1),
]

FOUND = "__device__ int found(int t) { for (int i = 0; i < 8; i += 3) if (i == t) goto yes; return -1; yes: return t; }"


def iterated(t: int) -> list[int]:
    """Return x, 2x + 1, and so on."""
    values = [t]
    while values[-1] < 100:
        values.append(values[-1] * 2 + 1)
    return values


@pytest.mark.parametrize(("body", "expected"), BODIES)
def test_every_thread_goes_its_own_way(body: str, expected: Callable[[int], int]) -> None:
    assert lanes(body, before=FOUND) == [expected(t) for t in range(8)]


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed"])
@pytest.mark.parametrize(
    ("jump", "kinds"),
    [("if (n > 2) goto out;", set()), ("if (t == 5) goto out;", {"barrier-divergence"})],
)
def test_barriers_between_labels(jump: str, kinds: set[str], schedule: str) -> None:
    source = f"""__global__ void k(int *out, int n) {{
        __shared__ int s[64];
        int t = threadIdx.x;
        {jump}
        s[t] = t;
        __syncthreads();
        out[t] = s[63 - t];
        return;
    out:
        out[t] = -1;
    }}"""
    found = trace(source, {"out": Unwritten("int32", (64,)), "n": 2}, block=(64,), schedule=schedule)
    assert {h.kind for h in found.hazards} - {"uninitialised-read"} == kinds
    if not kinds:
        assert found.outputs["out"].tolist() == list(range(63, -1, -1))


def test_a_variable_that_was_jumped_over_has_no_value() -> None:
    source = "__global__ void k(int *out) { int x; if (threadIdx.x == 1) goto end; x = 3; end: out[threadIdx.x] = x; }"
    (hazard,) = trace(source, {"out": Unwritten("int32", (4,))}, block=(4,)).hazards
    assert (hazard.kind, hazard.count) == ("uninitialised-read", 1)


def test_an_endless_circle_ends_with_the_budget() -> None:
    source = "__global__ void k(int *out) { again: out[0] = 1; if (out[0]) goto again; }"
    found = trace(source, {"out": Unwritten("int32", (1,))}, block=(1,), max_steps=1000)
    assert {hazard.kind for hazard in found.hazards} == {"budget-exceeded"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("goto nowhere;", "goto 'nowhere', a label that no enclosing block has"),
        ("goto inside; { inside: r = 1; }", "goto 'inside', a label that no enclosing block has"),
        ("a: r = 1; goto a; a: r = 2;", "the label 'a' is declared twice"),
        ("if (t) a: r = 1;", "label without a block around it; put braces around it"),
        ("switch (t) { case 1: a: r = 1; }", "label in a switch; put the statements of its case in braces"),
    ],
)
def test_refusals(body: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        lanes(body)
    assert message in str(caught.value)
