"""Statements in which a call that waits at a barrier is sequenced with other parts, for the simulator and for g++."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

THREADS: Final = 64
"""Threads of the one block: two warps."""

DEVICE: Final = Path(__file__).with_suffix(".cu").read_text(encoding="utf-8")
"""Functions that wait, and structs, which every form may use."""

FORMS: Final[dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""By name: a body that sets `r`; t is the thread, x an array of 64, v = x[t], s shared memory for 64."""

KERNEL: Final = """
{device}
__global__ void k(const int *x, int *result) {{
    __shared__ int s[64];
    int t = threadIdx.x, v = x[t], r = 0;
    {{ {body} }}
    result[t] = r;
}}
"""
