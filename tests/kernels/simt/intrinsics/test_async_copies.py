"""Asynchronous copies: read when issued, written when waited for, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from kernels.trace import Trace

A = np.arange(64, dtype=np.float32) + 1

ADDRESS = "unsigned to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);"
PTX = {
    "copy": 'asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to), "l"(A + 4 * t));',
    "commit": 'asm volatile("cp.async.commit_group;\\n" ::);',
    "wait": 'asm volatile("cp.async.wait_group %0;\\n" :: "n"(0));',
    "wait all": 'asm volatile("cp.async.wait_all;" ::: "memory");',
}
CALLS = {
    "copy": "__pipeline_memcpy_async(&s[4 * t], A + 4 * t, 16);",
    "commit": "__pipeline_commit();",
    "wait": "__pipeline_wait_prior(0);",
}


def run(body: str, schedule: str = "lockstep", threads: int = 8) -> Trace:
    """Shared memory s has 64 floats; out has 64 elements."""
    source = f"""__global__ void k(const float *A, float *out, int n) {{
        __shared__ __align__(16) float pad[4], s[64]; int t = threadIdx.x;
        pad[t % 4] = 0; {ADDRESS}
        {body} }}"""
    arguments: dict[str, Any] = {"A": A, "out": Unwritten("float32", (64,)), "n": 0}
    return trace(source, arguments, block=(threads,), schedule=schedule, advise=True)


def kinds(found: Trace) -> set[str]:
    return {h.kind for h in found.hazards} - {"result-never-written", "data-race"}


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:3"])
@pytest.mark.parametrize("words", [PTX, CALLS, {**PTX, "commit": "", "wait": PTX["wait all"]}])
def test_a_copy_arrives_at_the_wait(words: dict[str, str], schedule: str) -> None:
    body = (
        f"{words['copy']} {words['commit']} {words['wait']} __syncthreads();"
        "for (int i = t; i < 32; i += 8) out[i] = s[31 - i];"
    )
    found = run(body, schedule)
    assert kinds(found) == set()
    assert found.outputs["out"][:32].tolist() == A[31::-1].tolist()
    sites = [(found.arrays[s.array].name, s.access, s.width) for s in found.sites]
    assert ("A", "read", 4) in sites
    assert ("s", "write", 4) in sites


def test_the_read_belongs_to_the_copy_and_the_write_to_the_wait() -> None:
    found = run(f"{CALLS['copy']} {CALLS['commit']} {CALLS['wait']}")
    steps = {
        (found.arrays[found.group(n).site.array].name, found.group(n).site.access): found.group(n).step
        for n in range(len(found.group_step))
    }
    texts = {place: found.statements[int(found.step_statement[step])].text for place, step in steps.items()}
    assert "memcpy_async" in texts["A", "read"]
    assert "wait_prior" in texts["s", "write"]
