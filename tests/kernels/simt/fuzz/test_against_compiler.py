"""Random functions give bit for bit what a C++ compiler's give, thread by thread."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.kernels.simt.fuzz.programs import Seeded
from tests.kernels.simt.programs import trace

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.simt import Argument

COMPILER = shutil.which("g++") or shutil.which("clang++")
FUNCTIONS = 100
THREADS = 64

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++ to compare with")

X = (np.arange(THREADS) * 37 - 900).astype(np.int32)
Y = (np.arange(THREADS) * 2654435761).astype(np.uint32)

BEFORE = """
#include <algorithm>
#include <cmath>
#include <cstdio>
#define __device__ static
struct Index { unsigned x, y, z; };
static Index threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0}, blockDim = {64, 1, 1}, gridDim = {1, 1, 1};
static const int warpSize = 32;
using std::abs; using std::floor; using std::fmax;
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __clz(int x) { return x ? __builtin_clz(x) : 32; }
#define OF_TWO template <typename A, typename B, typename C = decltype(A() + B())> static C
OF_TWO max(A a, B b) { return std::isnan(double(a)) || C(a) < C(b) ? C(b) : C(a); }
OF_TWO min(A a, B b) { return std::isnan(double(a)) || C(b) < C(a) ? C(b) : C(a); }
"""

MAIN = """
int main() {
    for (int t = 0; t < 64; ++t) {
        threadIdx.x = t;
        for (auto function : functions)
            printf("%lld ", function(t * 37 - 900, t * 2654435761u));
        printf("\\n");
    }
}"""


BODIES = [Seeded(seed).function() for seed in range(FUNCTIONS)]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Results of a compiled loop over the threads: [thread, function]."""
    folder: Path = tmp_path_factory.mktemp("compiled")
    spaces = [
        f"namespace n{n} {{ {body} long long f(int x, unsigned y) {{ return h0(x, y); }} }}"
        for n, body in enumerate(BODIES)
    ]
    names = ", ".join(f"n{n}::f" for n in range(FUNCTIONS))
    table = f"static long long (*functions[])(int, unsigned) = {{{names}}};"
    source = folder / "programs.cpp"
    source.write_text("\n".join((BEFORE, *spaces, table, MAIN)))
    # Signed overflow wraps on a GPU; products and sums are rounded one by one.
    flags = ["-std=c++17", "-O0", "-w", "-fwrapv", "-ffp-contract=off"]
    subprocess.run([str(COMPILER), *flags, str(source), "-o", str(folder / "programs")], check=True)
    done = subprocess.run([str(folder / "programs")], capture_output=True, text=True, check=True)
    return np.array([line.split() for line in done.stdout.splitlines()], np.int64)


@pytest.mark.parametrize("number", range(FUNCTIONS))
def test_same_results(number: int, compiled: np.ndarray) -> None:
    source = f"""{BODIES[number]}
    __global__ void k(const int *X, const unsigned *Y, long long *R) {{
        R[threadIdx.x] = h0(X[threadIdx.x], Y[threadIdx.x]); }}"""
    arguments: dict[str, Argument] = {"X": X, "Y": Y, "R": np.zeros(THREADS, np.int64)}
    schedule = ("lockstep", "warps")[number % 2]
    found = trace(source, arguments, block=(THREADS,), schedule=schedule, contract=False)
    assert {hazard.kind for hazard in found.hazards} <= {"index-overflow"}
    np.testing.assert_array_equal(found.outputs["R"], compiled[:, number])
