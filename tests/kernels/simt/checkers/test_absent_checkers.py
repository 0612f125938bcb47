"""Each checker can be absent: its kinds of hazards are not reported, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.simt import Unwritten
from kernels.simt.checkers import ALL, KINDS
from kernels.trace.file import save
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.simt import Argument
    from kernels.trace import Trace

LAUNCH: dict[str, Any] = {"grid": (2,), "block": (64,)}

KERNELS = {
    "out-of-bounds": "C[t] = A[t + 1];",
    "null pointer": "float *p = nullptr; if (t == 3) *p = 1; C[t] = 0;",
    "misaligned": "float2 v = *(const float2 *)(A + t / 2 + 1); C[t] = v.x;",
    "freed": "float *p = new float[2]; p[0] = 1; delete[] p; C[t] = p[0];",
    "unwritten": "__shared__ float s[64]; if (t < 9) s[t] = A[t]; C[t] = s[t] + U[t];",
    "register": "float x; if (t != 4) x = 2; C[t] = x;",
    "race": "__shared__ float s[64]; s[t] = 0; __syncthreads(); s[t] = A[t]; C[t] = s[63 - t];",
    "race of blocks": "int i = atomicAdd(count, 1); C[t] = i; *last = i;",
    "barrier": "if (t < 40) __syncthreads(); C[t] = 1;",
    "shuffle": "if (t % 2) C[t] = __shfl_sync(0xffffffffu, t, 0);",
    "several": "__shared__ float s[64]; s[t] = 0; __syncthreads(); s[t] = A[t + 8]; C[t] = s[63 - t] + U[t];",
    "division": "C[t] = 10 / (t - t);",
}


def run(body: str, checkers: frozenset[str], schedule: str) -> Trace:
    source = f"""
    __global__ void k(const float *A, float *C, const float *U, int *count, int *last) {{
        int t = threadIdx.x;
        {body}
    }}"""
    arguments: dict[str, Argument] = {
        "A": np.arange(64, dtype=np.float32),
        "C": np.zeros(64, np.float32),
        "U": Unwritten("float32", (64,)),
        "count": np.zeros(1, np.int32),
        "last": np.zeros(1, np.int32),
    }
    return trace(source, arguments, schedule=schedule, checkers=checkers, **LAUNCH)


@pytest.mark.parametrize("schedule", ["lockstep", "reversed"])
@pytest.mark.parametrize("absent", sorted(ALL))
@pytest.mark.parametrize("name", KERNELS)
def test_without_one_checker_only_its_hazards_are_missing(
    name: str, absent: str, schedule: str, tmp_path: Path
) -> None:
    full, part = (run(KERNELS[name], checkers, schedule) for checkers in (ALL, ALL - {absent}))
    # As sets: racecheck reports at the end of a run, initcheck without it at once.
    assert set(part.hazards) == {hazard for hazard in full.hazards if hazard.kind not in KINDS[absent]}
    assert saved(part, tmp_path / "part") == saved(full, tmp_path / "full")


@pytest.mark.parametrize("name", KERNELS)
def test_without_any_checker_the_run_is_the_same(name: str, tmp_path: Path) -> None:
    full, bare = (run(KERNELS[name], checkers, "lockstep") for checkers in (ALL, frozenset[str]()))
    assert {hazard.kind for hazard in bare.hazards} <= {"division-by-zero"}
    assert saved(bare, tmp_path / "bare") == saved(full, tmp_path / "full")


def test_every_checker_finds_something_here() -> None:
    found = {hazard.kind for body in KERNELS.values() for hazard in run(body, ALL, "lockstep").hazards}
    for kinds in KINDS.values():
        assert found & set(kinds)


def test_a_read_that_a_race_explains_is_reported_without_racecheck() -> None:
    body = "__shared__ float s[64]; if (t < 32) s[t + 32] = A[t]; C[t] = s[63 - t % 32];"
    assert {hazard.kind for hazard in run(body, ALL, "reversed").hazards} == {"data-race"}
    assert {hazard.kind for hazard in run(body, ALL - {"racecheck"}, "reversed").hazards} == {"uninitialised-read"}


def saved(trace: Trace, file: Path) -> bytes:
    """Return everything that a trace holds but its hazards."""
    save(replace(trace, hazards=()), file)
    return file.read_bytes()
