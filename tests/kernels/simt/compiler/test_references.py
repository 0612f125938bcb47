"""References whose target depends on a condition that differs between threads."""

from __future__ import annotations

from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_references_to_one_place_or_another() -> None:
    source = """
    struct Corner {
        float x[3];
        __device__ float &axis(int i) { switch (i) { case 0: return x[0]; case 1: return x[1]; default: return x[2]; } }
    };
    __device__ float &first(float *a, float *b, int i) { if (i % 2) return a[i]; return b[i]; }
    __device__ float &second(float *a, float *b, int i) { return i % 2 ? b[i] : a[i]; }
    __device__ float &larger(float &a, float &b) { if (a < b) return b; else return a; }
    __global__ void k(float *out) {
        __shared__ float s[8];
        int t = threadIdx.x;
        s[t] = 0;
        first(out, s, t) = 3;
        second(out, s, t) = 5;
        first(out, s, t) += 10;
        float a = 1, b = t;
        float &one = t & 4 ? a : b;
        one += 100;
        (t & 1 ? a : b) = 7;
        ++(t & 2 ? a : b);
        larger(a, b) *= 2;
        Corner c;
        c.axis(1) = 3;
        c.axis(t + 2) = a;
        out[t] += 100 * s[t] + 1000 * (c.axis(1) + c.x[2]) + 10000 * b;
    }"""
    found = trace(source, {"out": Unwritten("float32", (8,))})
    assert found.hazards == ()
    for t, result in enumerate(found.outputs["out"].tolist()):
        of_out, of_s = (13, 5) if t % 2 else (5, 13)
        a, b = (101, t) if t & 4 else (1, t + 100)
        a, b = (7, b) if t & 1 else (a, 7)
        a, b = (a + 1, b) if t & 2 else (a, b + 1)
        a, b = (a, 2 * b) if a < b else (2 * a, b)
        assert result == of_out + 100 * of_s + 1000 * (3 + a) + 10000 * b
