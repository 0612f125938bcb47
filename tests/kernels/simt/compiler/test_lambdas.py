"""Lambdas: captures, init captures, barriers and races inside, as arguments."""

from __future__ import annotations

from kernels.analysis import variables
from kernels.frontend import parse
from kernels.frontend.unparse.program import write
from kernels.simt import Unwritten
from tests.kernels.simt.programs import trace


def test_a_lambda_may_wait_at_a_barrier_and_its_steps_are_told() -> None:
    source = """
    __global__ void k(int *out) {
        __shared__ int s[8];
        int t = threadIdx.x, mine = t;
        auto turn = [&](int by) {
            s[t] = mine * by;
            __syncthreads();
            mine = s[7 - t];
            __syncthreads();
        };
        turn(2);
        turn(10);
        out[t] = mine;
    }"""
    found = trace(source, {"out": Unwritten("int32", (8,))})
    assert found.outputs["out"].tolist() == [20 * t for t in range(8)]
    assert found.hazards == ()
    values = [{v.name: v.value for v in variables(found, step, 1)} for step in range(found.steps)]
    assert values[-1]["mine"] == 20


def test_a_race_inside_of_a_lambda_is_found() -> None:
    source = """
    __global__ void k(int *out) {
        __shared__ int s[8];
        auto put = [&](int x) { s[threadIdx.x] = x; };
        put(threadIdx.x);
        out[threadIdx.x] = s[7 - threadIdx.x];
    }"""
    (hazard,) = trace(source, {"out": Unwritten("int32", (8,))}).hazards
    assert (hazard.kind, {access.line for access in hazard.accesses}) == ("data-race", {4, 6})


def test_they_are_written_as_they_were_read() -> None:
    text = "__device__ int f(int n) { auto g = [=](int x) mutable -> int { n += x; return n; }; return g(1); }"
    assert "auto g = [=](int x) mutable -> int { n += x; return n; };" in write(parse(text, "k.cu"))
