"""cuRAND on the device: the numbers of its header (CUDA 13, compiled by g++ for a CPU), and their accesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import SourceError
from kernels.frontend import parse
from kernels.launch import Dim3, Launch
from kernels.recorder.instrument import instrument
from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace


def test_every_thread_has_a_stream_that_goes_on_in_the_next_kernel() -> None:
    source = """
    __global__ void k(curandState *states, unsigned *out, bool first) {
        int t = threadIdx.x;
        if (first) curand_init(7, t, 0, &states[t]);
        curandState mine = states[t];
        for (int i = 0; i < t % 3; i++) out[t] = curand(&mine);
        out[t] = curand(&mine);
        states[t] = mine;
    }"""
    given: dict[str, Any] = {"out": Unwritten("uint32", (THREADS,))}
    first = trace(source, {"states": Unwritten("uint32", (THREADS, 12)), "first": True, **given})
    second = trace(source, {"states": first.outputs["states"], "first": False, **given})
    alone = """
    __global__ void k(unsigned *out) {
        curandState s;
        curand_init(7, threadIdx.x, threadIdx.x % 3, &s);
        out[threadIdx.x] = curand(&s);
        for (int i = 0; i <= threadIdx.x % 3; i++) out[8 + threadIdx.x] = curand(&s);
    }"""
    expected = trace(alone, {"out": Unwritten("uint32", (2 * THREADS,))}).outputs["out"].tolist()
    assert [*first.outputs["out"].tolist(), *second.outputs["out"].tolist()] == expected
    assert first.hazards == second.hazards == ()


def test_a_number_touches_the_words_of_the_stream_and_nothing_else() -> None:
    source = "__global__ void k(curandState *s, unsigned *out) { out[threadIdx.x] = curand(&s[threadIdx.x]); }"
    given: dict[str, Any] = {"s": np.ones((THREADS, 12), np.uint32), "out": Unwritten("uint32", (THREADS,))}
    found = trace(source, given)
    touched = {
        access: sorted(
            int(index)
            for step in range(found.steps)
            for group in found.accesses(step)
            if group.array.name == "s" and group.site.access == access
            for index in group.index[:1]
        )
        for access in ("read", "write")
    }
    assert touched == {"read": [0, 1, 2, 3, 4, 5], "write": [0, 1, 2, 3, 4, 5]}


FUNCTIONS = ("curand", "curand_uniform", "curand_uniform_double", "curand_normal", "curand_normal_double")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_state_may_hold_any_bits(function: str) -> None:
    given = np.random.default_rng(1).integers(0, 256, (THREADS, 48), np.uint8)
    source = f"__global__ void k(curandState *s) {{ {function}(&s[threadIdx.x]); }}"
    assert trace(source, {"s": given}).hazards == ()


def test_kernels_that_are_not_recorded_on_a_gpu() -> None:
    program = parse("__global__ void k(curandState *s) { curand(s); }", "test.cu")
    with pytest.raises(SourceError, match=r"1:19: curandStateXORWOW \* 's' cannot be recorded on a GPU"):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(1)), {"s": np.ones((1, 12), np.uint32)})
