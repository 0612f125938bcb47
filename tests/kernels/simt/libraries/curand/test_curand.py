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


@pytest.mark.parametrize(
    ("state", "start", "whole", "uniform", "doubles", "normal", "normal_doubles"),
    [
        (
            "curandState",
            (0, 0, 0),
            [3179217846, 1883133293, 2220552389, 674260989],
            ["0x1.245242p-4", "0x1.d99bccp-2"],
            ["0x1.51435efcda8a7p-2", "0x1.809cdb605db16p-3"],
            [-0.104894765, -0.4072119, -0.066577211],
            [-1.7094655400556313, 0.12253617105682521, -0.080401525704014556],
        ),
        (
            "curandState",
            (1234, 77777, 3),
            [836519588, 2101027563, 343391548, 3993449199],
            ["0x1.440f7p-2", "0x1.e83ac4p-4"],
            ["0x1.38cbaedb269fep-1", "0x1.af416bb88e9f5p-2"],
            [1.94031036, -1.26189137, -1.88809514],
            [-0.4128736857820916, -2.4812657632227562, -1.1185482589404074],
        ),
        (
            "curandState_t",
            (81985529216486895, 18364758544493064720, 9223372036854775815),
            [441252478, 3254169414, 3853115319, 1799621412],
            ["0x1.deb074p-4", "0x1.ac96f6p-1"],
            ["0x1.6d57e6881e488p-1", "0x1.e8a95a6975a3ep-3"],
            [-0.227066129, 0.0617234856, -0.0487275012],
            [-0.10304691219495411, -0.49670577566084112, -2.1642032136972551],
        ),
    ],
)
def test_the_numbers_of_the_header(
    state: str,
    start: tuple[int, int, int],
    whole: list[int],
    uniform: list[str],
    doubles: list[str],
    normal: list[float],
    normal_doubles: list[float],
) -> None:
    seed, subsequence, offset = start
    source = f"""
    #include <curand_kernel.h>
    __global__ void k(unsigned *u, float *f, double *d, float *n, double *nd) {{
        {state} s;
        curand_init({seed}ull, {subsequence}ull, {offset}ull, &s);
        for (int i = 0; i < 4; i++) u[i] = curand(&s);
        for (int i = 0; i < 2; i++) f[i] = curand_uniform(&s);
        for (int i = 0; i < 2; i++) d[i] = curand_uniform_double(&s);
        for (int i = 0; i < 3; i++) n[i] = curand_normal(&s);
        for (int i = 0; i < 3; i++) nd[i] = curand_normal_double(&s);
    }}"""
    outputs: dict[str, Any] = {
        "u": Unwritten("uint32", (4,)),
        "f": Unwritten("float32", (2,)),
        "d": Unwritten("float64", (2,)),
        "n": Unwritten("float32", (3,)),
        "nd": Unwritten("float64", (3,)),
    }
    found = trace(source, outputs, block=(1,))
    assert found.outputs["u"].tolist() == whole
    assert found.outputs["f"].tolist() == [float.fromhex(number) for number in uniform]
    assert found.outputs["d"].tolist() == [float.fromhex(number) for number in doubles]
    assert found.outputs["n"] == pytest.approx(normal, rel=1e-6)
    assert found.outputs["nd"] == pytest.approx(normal_doubles, rel=1e-14)
    assert found.hazards == ()


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
def test_a_forgotten_curand_init_is_an_uninitialised_read(function: str) -> None:
    """Of a local state, of one in an array, and of a copy of that."""
    bodies = (
        f"curandState mine; {function}(&mine);",
        f"{function}(&s[threadIdx.x]);",
        f"curandState mine = s[threadIdx.x]; {function}(&mine);",
    )
    for body in bodies:
        found = trace(f"__global__ void k(curandState *s) {{ {body} }}", {"s": Unwritten("uint8", (THREADS, 48))})
        assert {hazard.kind for hazard in found.hazards} - {"result-never-written"} == {"uninitialised-read"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_state_may_hold_any_bits(function: str) -> None:
    given = np.random.default_rng(1).integers(0, 256, (THREADS, 48), np.uint8)
    source = f"__global__ void k(curandState *s) {{ {function}(&s[threadIdx.x]); }}"
    assert trace(source, {"s": given}).hazards == ()


def test_kernels_that_are_not_recorded_on_a_gpu() -> None:
    program = parse("__global__ void k(curandState *s) { curand(s); }", "test.cu")
    with pytest.raises(SourceError, match=r"1:19: curandStateXORWOW \* 's' cannot be recorded on a GPU"):
        instrument(program, program.kernels[0], Launch(Dim3(1), Dim3(1)), {"s": np.ones((1, 12), np.uint32)})
