"""Constructors that are templates."""

from __future__ import annotations

import numpy as np

from kernels.simt import Unwritten
from tests.kernels.simt.programs import lanes, trace

TILES = """
template <int R, int C, int L = R> union Tile {
    __device__ Tile(float *x) : x(x) {}
    template <int R1, int C1, int L1>
    __device__ Tile(const Tile<R1, C1, L1> &whole, int i, int j) : x(&whole.x[i + j * L1]) {}
    float *x;
    float4 *x4;
};
"""


def test_a_constructor_template_takes_a_tile_of_another_size() -> None:
    made = trace(
        TILES
        + """
        __global__ void part(float *whole, float *out) {
            Tile<8, 8> all(whole);
            Tile<4, 2, 8> few(all, 4, 3);  // rows 4 to 7 of columns 3 and 4
            Tile<4, 2, 8> same(few);       // is no template's business
            int t = threadIdx.x;
            out[t] = few.x[t % 4 + t / 4 * 8] + same.x4[0].y;
        }""",
        {"whole": np.arange(64, dtype=np.float32), "out": Unwritten("float32", (8,))},
    )
    few = np.array([28, 29, 30, 31, 36, 37, 38, 39])
    assert made.hazards == ()
    assert made.outputs["out"].tolist() == (few + 29).tolist()


def test_constructor_templates_take_part_in_overload_resolution() -> None:
    before = """
    template <typename T> struct Pair {
        T a, b;
        __device__ Pair(T a, T b) : a(a), b(b) {}
        template <typename U> __device__ Pair(const Pair<U> &other) : a(other.a + 1), b(other.b + 1) {}
        template <typename U> __device__ explicit Pair(U *both) : Pair(both[0], both[1]) {}
    };"""
    body = """
    float both[2] = {2.0f * t, 7.9f};
    Pair<float> f(both); Pair<int> i(f), copied(i);
    r = 100 * i.a + 10 * i.b + copied.b;"""
    assert lanes(body, before=before) == [100 * (2 * t + 1) + 88 for t in range(8)]
