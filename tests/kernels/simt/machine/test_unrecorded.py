"""A run that is not recorded finds the same hazards and results; equal runs give equal bytes.

In the plain command each body runs under one schedule, in turn; the exhaustive command runs all of them. The kernels
of the hazard corpus are compared in `tests/kernels/hazards/test_corpus.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import InputError
from kernels.simt import Unwritten
from kernels.simt.checkers.racecheck import array_state
from kernels.trace.file import load, save
from tests.kernels.simt.checkers.race_sources import LAST_BLOCK, LOCK, RACES, kernel
from tests.kernels.simt.programs import assert_same, trace
from tests.sweeps import exhaustive, in_turn

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.trace import Trace

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:5"]

BODIES = [
    *(body for body, *_ in RACES),
    "s[t] = t;\n__syncthreads();\nC[t + blockIdx.x * 64] = s[63 - t];",
    "for (int i = 0; i < 20; ++i) s[(t + i) % 64] += C[(t * i) % 128];",
    "for (int i = 0; i < 9; ++i) { s[t] = i;\nif (i % 3) __syncthreads();\nC[s[63 - t]] = i; }",
    "for (int i = 0; i < 9; ++i) { s[t] = i;\n__syncwarp();\nC[s[t ^ 1]] = s[t ^ 32]; }",
    "if (blockIdx.x) { s[t] = 1; __syncthreads(); }\nfor (int i = 0; i < 9; ++i) atomicAdd(&s[i], C[t]);",
    'C[200 - t] = 10 / (t - 5);\nif (t < 3) __syncthreads();\nif (t == 0) printf("%d\\n", C[t]);',
    "if (t < 60) s[t] = 1;\n__syncthreads();\nC[t] = s[63 - t];",
]

INDICES = [
    "C[t + 64 * blockIdx.x] = t;",
    "C[2 * t - 1] = t;",
    "C[(t << 1) + blockIdx.x] = s[63 - t];",
    "C[127 - t] = C[t + 1];",
    "C[threadIdx.x - 1u] = t;",
    "for (int i = -1; i < 3; ++i) C[t + 64 * i] = C[t * i + 5];",
    "for (int i = 0; i < 64; ++i) { s[t] = i;\n__syncthreads();\nC[t + i] += s[(t + i) % 64] + s[i]; }",
    "for (int i = t; i < 128; i += 64) C[i + blockIdx.x] = t;",
    "for (int i = t + 2; i < 90; i += 3 + t % 2) C[i] = t;",
    "for (int i = t; i < 100; i += 40) { if (i > 70) break;\nC[i] += i; }",
    "for (int j = 0; j < 3; ++j) { int i = t + 32 * j;\nif (i % 3 == j) continue;\nC[i] = s[i % 64]; }",
    "for (int j = 0; j < 2; ++j) for (int i = t + j; i < 80; i += 30) { C[i] = j;\nif (t & 1) C[i + 1] += i; }",
    "int i = t;\nfor (int k = 0; k < 3; ++k) { C[i] = k;\ni += 40; }",
    "for (int i = t - 8; i < 130; i += 50) { s[i & 63] = i;\n__syncthreads();\nC[i] = s[i % 64]; }",
    "C[t / 16 * 40 + t % 16] = s[(t >> 2) + (t & 3)];\nC[(t - 20) / 16 + 2] = t;\nC[(t - 40) % 16 + 60] = t;",
    "if (t > 5) C[t - 6] = s[t];\nelse s[t] = 1;\n__syncthreads();\nC[t + 64] = s[t];",
    "int *p = C + t;\nfor (int i = 0; i < 4; ++i) p[i * 32] = i;",
    "int at = t + 3;\ns[at - 3] = at;\nat += t;\nC[at] = s[t];",
    "int n = s[t & 1] & 15;\nC[t + n] = n;",
    "s[t] = t;\n__syncthreads();\natomicAdd(&C[t + blockIdx.x], s[t]);\nC[t + 64] = C[t];",
    "float4 v = reinterpret_cast<float4 *>(C)[t];\nreinterpret_cast<float4 *>(C)[t + 1] = v;",
    "reinterpret_cast<int2 *>(C)[t] = make_int2(t, 1);\n__syncthreads();\nC[t] = ((int2 *)C)[63 - t].y;",
    "if (t < 20) reinterpret_cast<int2 *>(C + 3)[t] = make_int2(t, 1);\nC[t] += t;",
    "for (int i = 0; i < 3; ++i) reinterpret_cast<int4 *>(C)[t / 4 + i * 6] = reinterpret_cast<int4 *>(s)[t % 16];",
    "for (int i = 0; i < 4; ++i) { ((int2 *)s)[t / 2].x = i;\nC[t] = reinterpret_cast<int4 *>(s)[i].w; }",
    "if (t < 40) { dim3 v = reinterpret_cast<dim3 *>(C)[t];\nv.y = t;\nreinterpret_cast<dim3 *>(C)[t + 1] = v; }",
    "long long far = (long long)t * 1000000;\nC[far * 1000000] = t;",
    "C[t * 100000000] = 1;",
]
"""Indices that are sums of the thread's coordinates, inside and outside the array."""


def run(source: str, schedule: str, record: bool = True) -> Trace:
    return trace(source, {"C": Unwritten("int32", (128,))}, grid=(2,), block=(64,), schedule=schedule, record=record)


def both(source: str, schedule: str) -> tuple[Trace, Trace]:
    return run(source, schedule), run(source, schedule, record=False)


@pytest.mark.parametrize("crowded", [*exhaustive(1 << 22), 50])
@pytest.mark.parametrize(("body", "schedule"), in_turn(BODIES, SCHEDULES))
def test_the_same_without_a_record(body: str, crowded: int, schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(kernel(body), schedule)
    monkeypatch.setattr(array_state, "MOST_PENDING", crowded)
    with_record, without = both(kernel(body), schedule)
    assert_same(with_record, without)
    assert {(h.kind, h.line, h.count) for h in whole.hazards} == {(h.kind, h.line, h.count) for h in without.hazards}


@pytest.mark.parametrize(("body", "schedule"), in_turn(INDICES, SCHEDULES))
def test_every_index_means_the_same_element(body: str, schedule: str) -> None:
    assert_same(*both(kernel(body), schedule))


@pytest.mark.parametrize(("fence", "schedule"), in_turn(["", "__threadfence();", "__threadfence_block();"], SCHEDULES))
def test_fences_and_locks_without_a_record(fence: str, schedule: str) -> None:
    lock = LOCK.format(enter="", leave=fence, unlock="atomicExch(&lock, 0)")
    last = LAST_BLOCK.format(first="", second=fence, ticket="atomicAdd(&count, 1)")
    for source, names in ((lock, ("sum",)), (last, ("part", "out"))):
        arguments = {name: np.zeros(128, np.int32) for name in names}
        assert_same(
            *(
                trace(source, arguments, grid=(2,), block=(33,), schedule=schedule, record=record)
                for record in (True, False)
            )
        )


def test_nothing_else_is_kept(tmp_path: Path) -> None:
    _, found = both(kernel("s[t] = t;\n__syncthreads();\nif (t < 50) C[t] = s[63 - t];"), "lockstep")
    assert found.stored_bytes <= 8
    assert found.access_count == 0
    assert found.masks == found.registers == ()
    assert found.unrecorded is not None
    assert found.unrecorded.written["C"].tolist() == [n < 50 for n in range(128)]
    with pytest.raises(InputError, match="was not recorded"):
        save(found, tmp_path / "x.trace")


@pytest.mark.parametrize(("body", "schedule"), in_turn(BODIES, SCHEDULES))
def test_equal_runs_give_equal_bytes(body: str, schedule: str, tmp_path: Path) -> None:
    files = [tmp_path / "one.trace", tmp_path / "two.trace", tmp_path / "again.trace"]
    for file in files[:2]:
        save(run(kernel(body), schedule), file)
    save(load(files[0]), files[2])
    assert files[0].read_bytes() == files[1].read_bytes() == files[2].read_bytes()


def test_a_clean_kernel_is_the_same_run_under_every_schedule() -> None:
    """Steps differ in order, but not what is reported, nor how often an element is read and written."""
    body = "s[t] = t;\n__syncthreads();\nC[t + blockIdx.x * 64] = s[63 - t];"
    found = [run(kernel(body), schedule) for schedule in SCHEDULES]
    for other in found[1:]:
        assert_same(replace(found[0], step_statement=other.step_statement), other)
        assert sorted(found[0].index.tolist()) == sorted(other.index.tolist())
