"""Pointers: into several arrays, seen as other types, to variables, and swapped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.simt import Unwritten, engine
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    import pytest


def test_lanes_point_into_different_arrays() -> None:
    source = """__global__ void k(int *out, const int *a, const int *b) {
      const int *p = threadIdx.x % 2 ? a : b;
      out[threadIdx.x] = p[threadIdx.x] + *(p + 1); }"""
    a, b = np.arange(8, dtype=np.int32), 100 + np.arange(8, dtype=np.int32)
    found = trace(source, {"out": Unwritten("int32", (8,)), "a": a, "b": b})
    assert found.outputs["out"].tolist() == [201, 2, 203, 4, 205, 6, 207, 8]
    touched = {found.arrays[site.array].name for site in found.sites if site.access == "read"}
    assert touched == {"a", "b"}


def test_dynamic_shared_memory_is_carved_up() -> None:
    source = """__global__ void k(float *out, int n) {
      extern __shared__ char memory[];
      float *values = (float *)memory;
      int *order = (int *)&values[n];
      int t = threadIdx.x;
      values[t] = 0.5f * t;
      order[t] = n - 1 - t;
      __syncthreads();
      out[t] = values[order[t]]; }"""
    found = trace(source, {"out": Unwritten("float32", (8,)), "n": 8}, shared=64)
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == [0.5 * (7 - t) for t in range(8)]
    reads = [site for site in found.sites if found.arrays[site.array].name == "memory" and site.access == "read"]
    assert {site.width for site in reads} == {4}


def test_many_places_find_their_arrays_in_few_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = 0
    attempt = engine._attempt

    def counted(*arguments: Any) -> Any:
        nonlocal attempts
        attempts += 1
        return attempt(*arguments)

    monkeypatch.setattr(engine, "_attempt", counted)
    places = "\n".join(f"s += p[(t + {i}) % 2][t + {i}];\np[t % 2][t] = s;" for i in range(20))
    source = (
        "__global__ void k(float *A, float *B) {\nint t = threadIdx.x;\nfloat *p[2] = {A, B};\nfloat s = 0;\n"
        f"{places}\n}}"
    )
    found = trace(source, {"A": np.ones(32, np.float32), "B": np.ones(32, np.float32)}, advise=False)
    assert attempts <= 4
    assert {(h.kind, h.array) for h in found.hazards} == {("data-race", "A"), ("data-race", "B")}
