"""Compiler hints (`__builtin_assume`, `__builtin_expect` and the like) and grid dependency calls."""

from __future__ import annotations

from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace


def test_assumptions_that_hold() -> None:
    body = """
    __builtin_assume(t >= 0); __assume(t < 8);
    if (__builtin_expect(t > 7, 0)) __builtin_unreachable();
    int *same = (int *)__builtin_assume_aligned(&r, 4);
    *same = __builtin_popcount(t) + __builtin_clz(1);"""
    assert lanes(body) == [31 + t.bit_count() for t in range(8)]


def test_an_assumption_that_does_not_hold_is_reported() -> None:
    source = "__global__ void k(int *out) { __builtin_assume(threadIdx.x != 3); out[threadIdx.x] = 1; }"
    (hazard,) = trace(source, {"out": Unwritten("int32", (8,))}).hazards
    assert (hazard.kind, hazard.count) == ("assertion", 1)
    assert hazard.message.startswith("__builtin_assume(threadIdx.x != 3) does not hold")


def test_grid_dependency_calls_have_no_effect_in_a_single_grid() -> None:
    body = "cudaGridDependencySynchronize(); r = t; cudaTriggerProgrammaticLaunchCompletion();"
    assert lanes(body) == list(range(8))
