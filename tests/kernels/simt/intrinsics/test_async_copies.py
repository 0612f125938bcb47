"""Asynchronous copies: read when issued, written when waited for, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import SourceError
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


def test_before_the_wait_nothing_has_arrived() -> None:
    found = run(
        f"s[4 * t] = -1; {CALLS['copy']} {CALLS['commit']} out[t] = s[4 * t]; {CALLS['wait']} out[8 + t] = s[4 * t];"
    )
    assert found.outputs["out"][:8].tolist() == [-1] * 8
    assert found.outputs["out"][8:16].tolist() == A[:32:4].tolist()
    assert kinds(run(f"{CALLS['copy']} out[t] = s[4 * t];")) == {"uninitialised-read"}
    assert kinds(run(f"{CALLS['copy']} {CALLS['wait']} out[t] = s[4 * t];")) == {"uninitialised-read"}


def test_a_wait_leaves_the_latest_groups_in_flight() -> None:
    body = """for (int i = 0; i < 3; ++i) {
            s[8 * i + t] = -1;
            __pipeline_memcpy_async(s + 8 * i + t, A + 8 * i + t, 4);
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        for (int i = 0; i < 3; ++i) out[8 * i + t] = s[8 * i + t];"""
    assert run(body).outputs["out"][:24].tolist() == [*A[:16].tolist(), *[-1] * 8]


def test_threads_commit_and_wait_for_themselves() -> None:
    body = """s[t] = -1;
        if (t < 5) { __pipeline_memcpy_async(s + t, A + t, 4); if (t < 3) __pipeline_commit(); }
        if (t != 1) __pipeline_wait_prior(0);
        out[t] = s[t];"""
    assert run(body).outputs["out"][:8].tolist() == [1, -1, 3, -1, -1, -1, -1, -1]


def test_bytes_beyond_the_source_size_become_zero() -> None:
    copy = """asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;"
        :: "r"(to), "l"(A + 4 * t), "n"(16), "r"(t < 5 ? 16 : 0));"""
    found = run(f"{copy} {PTX['wait all']} out[t] = s[4 * t + 1];")
    assert kinds(found) == set()
    assert found.outputs["out"][:8].tolist() == [2, 6, 10, 14, 18, 0, 0, 0]
    assert sum(len(found.group(n).lanes) for n in range(len(found.group_step)) if found.group(n).array.name == "A") == 5


@pytest.mark.parametrize(("size", "step"), [(4, 1), (8, 2), (16, 4)])
def test_sizes(size: int, step: int) -> None:
    copy = f"__pipeline_memcpy_async(s + {step} * t, A + {step} * t, {size});"
    found = run(f"{copy} {CALLS['commit']} {CALLS['wait']} out[t] = s[{step} * t + {step - 1}];")
    assert found.outputs["out"][:8].tolist() == A[step - 1 :: step][:8].tolist()
    assert kinds(found) == set()


def test_copies_out_of_bounds_and_out_of_line() -> None:
    assert kinds(run(f"__pipeline_memcpy_async(s + t, A + t + 60, 4); {CALLS['wait']}")) == {"out-of-bounds"}
    assert kinds(run("__pipeline_memcpy_async(s + 4 * t, A + 4 * t + 1, 16);")) == {"misaligned-access"}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            'asm volatile("cp.async.bulk.commit_group;");',
            "not supported: ptx instruction 'cp.async.bulk.commit_group'",
        ),
        ("__pipeline_memcpy_async(s, A, 12);", "moves 4, 8 or 16 bytes, known when it is compiled, not 12"),
        ("__pipeline_memcpy_async(s, A, n + t);", "known when it is compiled"),
        ('asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to));', "has no operand %1"),
        ("n = (int)__cvta_generic_to_shared(out);", "needs a pointer into shared memory"),
        ("__pipeline_memcpy_async(t, A, 4);", "needs a pointer to global and an address in shared memory"),
    ],
)
def test_refusals(body: str, says: str) -> None:
    with pytest.raises(SourceError, match=says):
        run(body)


STAGES = """{source}
    for (int k = 0; k < 4; ++k) {{
        if (k < 3)
            __pipeline_memcpy_async(&s[(k + 1) % 2 * 32 + t], A + (k + 1) * 8 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior({latest});
        {before}
        out[k * 8 + t] = s[k % 2 * 32 + {read}];
        {behind}
    }}"""
FIRST = "s[t] = s[32 + t] = 0; __syncthreads(); __pipeline_memcpy_async(&s[t], A + t, 4); __pipeline_commit();"
HERE = "__syncthreads();"


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed", "shuffle:3"])
@pytest.mark.parametrize(
    ("latest", "before", "read", "behind", "words"),
    [
        (1, HERE, "7 - t", HERE, ()),
        (0, HERE, "7 - t", HERE, ()),
        (1, "", "t", "", ()),  # each thread reads what it copied itself
        (1, HERE, "7 - t", "", ("__syncthreads()",)),  # the next copy may come while others still read
        (1, "", "7 - t", HERE, ("__syncthreads()",)),
        (2, HERE, "7 - t", HERE, ("may still be under way", "wait for it")),  # in spite of the barrier
    ],
)
def test_a_copy_may_come_at_any_time_until_the_wait(
    latest: int, before: str, read: str, behind: str, words: tuple[str, ...], schedule: str
) -> None:
    source = STAGES.format(source=FIRST, latest=latest, before=before, read=read, behind=behind)
    found = run(source, schedule).hazards
    races = [h for h in found if h.kind == "data-race" and h.array == "s"]
    assert bool(races) == bool(words)
    assert all(word in races[0].message for word in words)
