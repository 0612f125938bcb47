"""Pointers: into several arrays, seen as other types, to variables, and swapped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.simt import Argument, Unwritten, engine
from tests.kernels.simt.programs import lanes, trace

SCHEDULES = ("lockstep", "warps", "reversed", "shuffle:3")

DOUBLE_BUFFER = """
__global__ void scan(float *out, const float *in) {
  __shared__ float first[64], second[64];
  float *from = first, *to = second;
  int t = threadIdx.x;
  from[t] = in[t];
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    to[t] = t >= step ? from[t] + from[t - step] : from[t];
    __syncthreads();
    float *swap = from; from = to; to = swap;
  }
  out[t] = from[t];
}
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_two_buffers_change_places(schedule: str) -> None:
    values = np.arange(64, dtype=np.float32)
    found = trace(DOUBLE_BUFFER, {"out": Unwritten("float32", (64,)), "in": values}, block=(64,), schedule=schedule)
    assert found.hazards == ()
    assert np.array_equal(found.outputs["out"], np.cumsum(values))


def test_lanes_point_into_different_arrays() -> None:
    source = """__global__ void k(int *out, const int *a, const int *b) {
      const int *p = threadIdx.x % 2 ? a : b;
      out[threadIdx.x] = p[threadIdx.x] + *(p + 1); }"""
    a, b = np.arange(8, dtype=np.int32), 100 + np.arange(8, dtype=np.int32)
    found = trace(source, {"out": Unwritten("int32", (8,)), "a": a, "b": b})
    assert found.outputs["out"].tolist() == [201, 2, 203, 4, 205, 6, 207, 8]
    touched = {found.arrays[site.array].name for site in found.sites if site.access == "read"}
    assert touched == {"a", "b"}


def test_a_roaming_pointer_is_checked_against_the_array_it_is_in() -> None:
    source = """__global__ void k(int *out, int *a, int *b) {
      int *p = threadIdx.x ? a : b;
      out[threadIdx.x] = p[2]; }"""
    given: dict[str, Argument] = {
        "out": Unwritten("int32", (8,)),
        "a": np.zeros(3, np.int32),
        "b": np.zeros(2, np.int32),
    }
    (hazard,) = trace(source, given).hazards
    assert (hazard.kind, hazard.array, hazard.index) == ("out-of-bounds", "b", 2)


def test_a_null_pointer_points_to_no_array() -> None:
    source = """__global__ void k(int *a) {
      int *p = 0;
      if (p == nullptr) p = NULL;
      if (p) a[0] = 1;
      *p = 2; }"""
    (hazard,) = trace(source, {"a": np.zeros(3, np.int32)}).hazards
    assert hazard.kind == "out-of-bounds"
    assert "points to no array" in hazard.message


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("int x = 5; int *p = &x; *p += t; r = x;", [5 + t for t in range(8)]),
        ("int x = 5; int *p = &x; int **q = &p; **q = t; r = x;", list(range(8))),
        ("int a[4] = {1, 2, 3, 4}; int *p = a + 3; r = *p-- * 10 + *p;", [43] * 8),
        ("int a[4] = {0}; int *p = a, *q = &a[3]; r = q - p + (q > p);", [4] * 8),
        ("int *rows[2]; int a[2] = {1, 2}, b[2] = {3, 4}; rows[0] = a; rows[1] = b; r = rows[t % 2][1];", [2, 4] * 4),
    ],
)
def test_addresses_of_variables(body: str, wanted: list[int]) -> None:
    assert lanes(body) == wanted


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


def test_bits_of_a_float_are_seen_as_an_int() -> None:
    source = """__global__ void k(float *out, float *in) {
      int bits = *(int *)&in[threadIdx.x];
      ((unsigned *)out)[threadIdx.x] = bits + 1; }"""
    values = np.linspace(0, 1, 8, dtype=np.float32)
    found = trace(source, {"out": Unwritten("float32", (8,)), "in": values})
    assert np.array_equal(found.outputs["out"], np.nextafter(values, np.float32(2)))


def test_bytes_of_a_word() -> None:
    source = """__global__ void k(unsigned *out, const unsigned *in) {
      const unsigned char *bytes = (const unsigned char *)in;
      out[threadIdx.x] = bytes[4 * threadIdx.x + 1]; }"""
    words = np.arange(8, dtype=np.uint32) * 0x01020304
    found = trace(source, {"out": Unwritten("uint32", (8,)), "in": words})
    assert found.outputs["out"].tolist() == words.view(np.uint8)[1::4].tolist()


def test_a_misaligned_pointer_is_told() -> None:
    source = """__global__ void k(double *out, float *in) {
      out[threadIdx.x] = *(double *)(in + 2 * threadIdx.x + 1); }"""
    given: dict[str, Argument] = {"out": Unwritten("float64", (4,)), "in": np.zeros(16, np.float32)}
    (hazard,) = trace(source, given, block=(4,)).hazards
    assert (hazard.kind, hazard.array, hazard.index) == ("misaligned-access", "in", 1)
    assert "must be a multiple of 8" in hazard.message


def test_a_double_is_added_with_compare_and_swap() -> None:
    source = """__device__ double add(double *address, double value) {
      unsigned long long *bits = (unsigned long long *)address;
      unsigned long long old = *bits, assumed;
      do {
        assumed = old;
        double sum = value + *(double *)&assumed;
        old = atomicCAS(bits, assumed, *(unsigned long long *)&sum);
      } while (assumed != old);
      return *(double *)&old; }
    __global__ void k(double *total) { add(total, threadIdx.x); }"""
    found = trace(source, {"total": np.zeros(1, np.float64)}, block=(32,))
    assert found.outputs["total"].tolist() == [496.0]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_function_that_waits_gives_a_value(schedule: str) -> None:
    source = """__device__ float total(float value) {
      __shared__ float s[64];
      s[threadIdx.x] = value;
      __syncthreads();
      for (int o = 32; o > 0; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
      }
      return s[0]; }
    __global__ void k(float *out) {
      float mean = total(threadIdx.x) / 64;
      out[threadIdx.x] = threadIdx.x - mean; }"""
    found = trace(source, {"out": Unwritten("float32", (64,))}, block=(64,), schedule=schedule)
    assert found.hazards == ()
    assert np.array_equal(found.outputs["out"], np.arange(64, dtype=np.float32) - 31.5)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_barriers_that_vote(schedule: str) -> None:
    source = """__global__ void k(int *out) {
      int t = threadIdx.x, rounds = 0, left = t;
      int small = __syncthreads_count(t < 10 + (int)blockIdx.x);
      while (__syncthreads_or(left > 0)) { left -= 16; rounds++; }
      if (__syncthreads_and(rounds == 4)) rounds *= 10;
      out[blockIdx.x * 64 + t] = small * 100 + rounds; }"""
    found = trace(source, {"out": Unwritten("int32", (128,))}, grid=(2,), block=(64,), schedule=schedule)
    assert found.hazards == ()
    assert found.outputs["out"].tolist() == [1040] * 64 + [1140] * 64


CHOICES = [
    ("b > 0 && turn(s, t, 1) == 7", lambda b, t: b == 1 and t == 24),
    ("b == 0 || turn(s, t, 1) == 7", lambda b, t: b == 0 or t == 24),
    ("b > 0 ? turn(s, t, 2) : -1", lambda b, t: 62 - t if b else -1),
    ("b > 0 ? -turn(s, t, 2) : turn(s, t, 3) + 0.5f", lambda b, t: t - 62 if b else 93.5 - t),
    ("b > 0 && (t < 64 && turn(s, t, 1) > 20)", lambda b, t: b == 1 and t < 11),
    ("gridDim.x == 2 ? turn(s, t, 1) : 0", lambda b, t: 31 - t),
    ("gridDim.x == 3 ? turn(s, t, 1) : 5", lambda b, t: 5),
    ("(b ? turn(s, t, 1) : 2) + (b ? turn(s, t, 1) : 3)", lambda b, t: 2 * (31 - t) if b else 5),
    ("b > 0 ? __syncthreads_count(t < 9) : -1", lambda b, t: 9 if b else -1),
]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("expression", "expected"), CHOICES, ids=[text for text, _ in CHOICES])
def test_whole_blocks_may_skip_a_call_that_waits(expression: str, expected: Any, schedule: str) -> None:
    source = f"""__device__ float turn(int *s, int t, int times) {{
      s[t] = t * times; __syncthreads();
      int found = s[31 - t]; __syncthreads();
      return found + (times - 1) * t; }}
    __global__ void k(float *out) {{
      __shared__ int s[32];
      int b = blockIdx.x, t = threadIdx.x;
      out[b * 32 + t] = {expression}; }}"""
    found = trace(source, {"out": Unwritten("float32", (64,))}, grid=(2,), block=(32,), schedule=schedule)
    assert found.hazards == ()
    wanted = [float(expected(b, t)) for b in range(2) for t in range(32)]
    assert found.outputs["out"].tolist() == wanted


def test_some_threads_that_leave_out_what_waits_are_told() -> None:
    source = """__device__ int f(int x) { __syncthreads(); return x; }
    __global__ void k(int *out) { out[threadIdx.x] = threadIdx.x > 3 && f(1); }"""
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert [(h.kind, h.line) for h in found.hazards] == [("barrier-divergence", 1)]


def test_a_loop_goes_on_while_what_waits_says_so() -> None:
    source = """__device__ bool any(int *s, int left) {
      if (threadIdx.x == 0) *s = 0;
      __syncthreads();
      if (left > 0) atomicAdd(s, 1);
      __syncthreads(); int n = *s; __syncthreads(); return n > 0; }
    __global__ void k(int *out) {
      __shared__ int s;
      int rounds = 0;
      while (blockIdx.x > 0 && any(&s, threadIdx.x - 2 * rounds)) rounds++;
      for (int i = 0; blockIdx.x == 0 || any(&s, 3 - i); i++) { if (i == 2) break; rounds += 100; }
      out[blockIdx.x * 8 + threadIdx.x] = rounds; }"""
    found = trace(source, {"out": Unwritten("int32", (16,))}, grid=(2,))
    assert [h.kind for h in found.hazards] == []
    assert found.outputs["out"].tolist() == [200] * 8 + [204] * 8


def test_a_pointer_moves_by_integers_of_any_type() -> None:
    source = """__device__ int warp(int size) { return size; }
    __global__ void k(int *out) {
      int a[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
      unsigned long long far = threadIdx.x;
      int *p = a + far;
      out[threadIdx.x] = *p + *(a + (threadIdx.x > 3)) * 100 + warp(warpSize) * 1000; }"""
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == [32000 + t + 100 * (t > 3) for t in range(8)]


@pytest.mark.parametrize("address", ["0x87654320", "16", "threadIdx.x + 8"])
def test_a_number_that_is_made_a_pointer_points_to_no_array(address: str) -> None:
    (hazard,) = trace(f"__global__ void k() {{ *(int *)({address}) = 42; }}").hazards
    assert (hazard.kind, hazard.count) == ("out-of-bounds", 8)
    assert "points to no array" in hazard.message


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


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Four d; (uint4 &)d = *(const uint4 *)in; out[0] = d.v[3];", 3),
        ("Four d = {{5, 6}}; *(uint4 *)out = (const uint4 &)d;", 5),
        ("float f = 1; (int &)f += 1 << 23; out[0] = f;", 2),
        ("float v[4] = {1, 2, 3, 4}; float4 w = (float4 &)v[0]; out[0] = w.z;", 3),
        ("const float &r = (const float &)in[2]; out[0] = r;", 2),
        ("out[0] = (const float &)(in[1] + in[2]);", 3),
    ],
)
def test_a_cast_to_a_reference_names_the_place_as_another_type(body: str, expected: float) -> None:
    source = f"struct Four {{ float v[4]; }}; __global__ void k(const float *in, float *out) {{ {body} }}"
    given = {"in": np.arange(4, dtype=np.float32), "out": np.zeros(4, np.float32)}
    assert trace(source, given, block=(1,)).outputs["out"][0] == expected
