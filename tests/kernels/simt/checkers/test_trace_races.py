"""Races by their lines: reports on random kernels agree with what follows from their traces."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.tracing import trace_source
from tests.kernels.simt.checkers.trace_races import racing

if TYPE_CHECKING:
    from kernels.trace import Trace

LAUNCHES = ((4, 2), (2, 3), (34, 1), (33, 2))
CONDITIONS = ("t == 0", "t == 1", "t < 2", "blockIdx.x == 1", "t == 0 && blockIdx.x == 1")
ORDERS = ("__threadfence();", "__threadfence();", "__threadfence_block();")
BARRIERS = ("__syncthreads();", "__syncwarp();")


def kernel(choose: random.Random) -> str:
    """Make up a kernel in which threads meet by barriers, and hand on by fences and atomics."""

    def index() -> str:
        return choose.choice(("t", "t", "t + 1", "0", "3", "blockIdx.x", "i", "i + 2"))

    def line(*, uniform: bool) -> str:
        name, size = choose.choice((("s", 8), ("g", 16), ("g", 16), ("f", 2)))
        counter = f"{choose.choice(('f', 'f', 'c'))}[{choose.choice(('0', '1', 't % 2'))}]"
        lines = [
            choose.choice(ORDERS),
            f"x += atomicAdd(&{counter}, 1);",
            f"{name}[({index()}) % {size}] = x;",
            f"x += {name}[({index()}) % {size}];",
        ]
        if uniform:
            inside = "\n".join(line(uniform=False) for _ in range(choose.randint(1, 4)))
            lines += [choose.choice(BARRIERS), f"if ({choose.choice(CONDITIONS)}) {{\n{inside}\n}}"]
        return choose.choice(lines)

    body = "\n".join(line(uniform=True) for _ in range(choose.randint(4, 14)))
    return f"""
        __global__ void k(int *g, int *f) {{
            __shared__ int s[8], c[2];
            int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, x = t;
            if (t == 0) {{
                for (int z = 0; z < 8; z++) s[z] = 0;
                c[0] = c[1] = 0;
            }}
            __syncthreads();
            {body}
        }}
    """


def run(text: str, launch: Launch, options: Options) -> Trace:
    given = {"g": np.zeros(16, np.int32), "f": np.zeros(2, np.int32)}
    return trace_source(text, "k.cu", None, launch, given, options=options)


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 60), marks=pytest.mark.exhaustive)], ids=str)
@pytest.mark.parametrize("schedule", ["lockstep", "reversed"])
@pytest.mark.parametrize("record", [True, False], ids=["recorded", "unrecorded"])
def test_lines_that_race(schedule: str, seeds: range, *, record: bool) -> None:
    racy = 0
    for seed in seeds:
        choose = random.Random(seed)
        text = kernel(choose)
        block, grid = choose.choice(LAUNCHES)
        launch = Launch(Dim3(grid), Dim3(block))
        expected = racing(run(text, launch, Options(schedule, advise=False)))
        reported = {
            (h.array, tuple(sorted((a.line, a.access) for a in h.accesses)))
            for h in run(text, launch, Options(schedule, record=record, advise=False)).hazards
            if h.kind == "data-race"
        }
        assert reported == expected, text
        racy += bool(expected)
    assert len(seeds) / 3 < racy < len(seeds)
