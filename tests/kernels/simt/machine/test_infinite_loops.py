"""Infinite loops are recognised after a thousand iterations; loops that end never are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.simt.machine import lanes
from tests.kernels.hazards.corpus import cases
from tests.kernels.hazards.reports import new_report
from tests.kernels.simt.programs import trace
from tests.sweeps import one_in

SCHEDULES = ["lockstep", "warps", "reversed", "shuffle:3"]


def run(body: str, before: str = "", **options: Any) -> Any:
    source = f"{before}\n__global__ void k(int *C, const int *A, int n) {{\nint t = threadIdx.x;\n{body}\n}}"
    arguments: dict[str, Any] = {"C": np.zeros(64, np.int32), "A": np.ones(64, np.int32), "n": 16}
    return trace(source, arguments, **{"max_steps": 20_000, **options})


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "body",
    [
        "int s = 1, j = 0; while (s) { j++; if (j % 50 == 0) s = 0; } C[t] = j;",
        "int s = 1, j = 0; while (s) { s = ++j % 50 ? s : 0; } C[t] = j;",
        "int s = 1, j = 0; while (s) { ++j % 50 == 0 && (s = 0); } C[t] = j;",
        "int s = 1, j = 0; while (s) { j++; if (j < 50) continue; s = 0; } C[t] = j;",
        "int s = 1, j = 0; while (s) switch (++j) { case 50: s = 0; } C[t] = j;",
        "int s = 1, j = 0; while (true) { if (++j == 50) break; s++; } C[t] = j;",
        "int s = 1, j = 0; int &r = s; while (s) { j++; if (j == 50) r = 0; } C[t] = j;",
        "int s = 1, j = 0; while (s) { int &r = s; j++; if (j == 50) r = 0; } C[t] = j;",
        "int s = 1, j = 0; int *p = &s; while (s) { j++; if (j == 50) *p = 0; } C[t] = j;",
        "int a[2] = {1, 0}; while (a[0]) { a[1]++; if (a[1] == 50) a[0] = 0; } C[t] = a[1];",
        "struct { int on, j; } d = {1, 0}; while (d.on) { d.j++; if (d.j == 50) d.on = 0; } C[t] = d.j;",
        "C[t] = 0; while (C[t] < 50) C[t]++;",
        "volatile int *p = C + t; *p = 0; while (*p < 50) *p = *p + 1;",
        "int s = 1, j = 0; while (s) lower(s, j); C[t] = j;",
        "int s = 1, j = 0; while (s) lower(&s, &j); C[t] = j;",
        "int s = 1, j = 0; while (s) { j++; s = rest(j); } C[t] = j;",
        "int s = 1, j = 0; auto f = [&]() { if (++j == 50) s = 0; }; while (s) f(); C[t] = j;",
        "int j = 0; again: j++; while (t >= 0) { if (j == 50) goto out; goto again; } out: C[t] = j;",
        "long long since = clock64(); while (clock64() - since < 500) ; C[t] = 50;",
        "int j = 0; while (__syncthreads_count(j < 50)) j++; C[t] = j;",
        "int j = 0; while (__any_sync(~0, j < 50)) { j++; } C[t] = j;",
        "counter c = {0}; while (c.on()) c.count(); C[t] = c.j;",
        "const int *p = A + t % 2, *end = A + 50 + t % 2; while (p != end) p++; C[t] = p - A - t % 2;",
        "for (int i = 0, j = 50; i != j; i++) C[t] = i + 1;",
    ],
)
def test_a_loop_that_ends_is_let_go_on(body: str, schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = """
    __device__ void lower(int &s, int &j) { if (++j == 50) s = 0; }
    __device__ void lower(int *s, int *j) { if (++*j == 50) *s = 0; }
    __device__ int rest(int j) { return j < 50; }
    struct counter { int j; __device__ bool on() { return j < 50; } __device__ void count() { j++; } };"""
    monkeypatch.setattr(lanes, "FIRST_CHECK", 1)
    found = run(body, before, schedule=schedule, block=(32,))
    assert found.hazards == ()
    assert found.outputs["C"].tolist() == [50] * 32 + [0] * 32


@pytest.mark.parametrize("case", one_in(3, [case for case in cases() if not case.hazards], lambda case: case.name))
def test_no_correct_kernel_is_stopped_however_early_it_is_looked_at(case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "FIRST_CHECK", 1)
    assert new_report(case, "warps")["hazards"] == []


def test_threads_that_go_round_a_full_table_for_ever() -> None:
    found = run("int s = t % n; while (atomicCAS(&C[s], -1, t) != -1) s = (s + 1) % n;", max_steps=200_000)
    assert found.stopped == "stopped where no thread goes on any more"
    assert "which no thread changes any more" in found.hazards[0].message


def test_a_table_that_another_thread_empties_is_left() -> None:
    body = """int s = 0, tries = 0;
    if (t == 3) { for (int i = 0; i < 9000; ++i) tries += A[i % 64]; atomicExch(&C[5], -1); }
    else if (t == 0) { while (atomicCAS(&C[s], -1, 77) != -1) s = (s + 1) % n; }"""
    found = run(body, max_steps=200_000)
    assert found.stopped == ""
    assert found.outputs["C"].tolist() == [0, 0, 0, 0, 0, 77] + [0] * 58
