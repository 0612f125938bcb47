"""Kernels with one error each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.bench.sample import Entry
from kernels.launch import Dim3

if TYPE_CHECKING:
    from pathlib import Path

FOOTER = """
/* tilescope
title = "bad"
teaches = "what becomes of it"
workload = "matmul"
size = [64, 64, 64]
block = [8, 8]
blocks = [[8, 8]]
grid = ["(N + block_x - 1) / block_x", "(M + block_y - 1) / block_y"]
*/
"""
PARAMETERS = "(const float *A, const float *B, float *C, int M, int N, int K)"

BAD = {
    "out_of_bounds": "{ C[threadIdx.x + (1LL << 40)] = 1.0f; }",
    "misaligned": "{ *(double *)((char *)C + 4) = 1.0; }",
    "traps": "{ __trap(); }",
    "twenty_seconds": """{
        unsigned long long start, now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        while (now - start < 20000000000ULL);
    }""",
    "never_ends": "{ volatile int turns = 0; while (true) ++turns; }",
    "wrong": "{ C[0] = 1.0f; }",
}


def broken_entry(folder: Path, name: str) -> Entry:
    """Write one of the `BAD` kernels into a folder and return what measures it."""
    file = folder / f"{name}.cu"
    file.write_text(f'extern "C" __global__ void {name}{PARAMETERS} {BAD[name]}\n{FOOTER}', encoding="utf-8")
    return Entry(str(file), Dim3(8, 8))
