"""Random programs give bit for bit what a C++ compiler's give, thread by thread."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.kernels.simt.programs import trace
from tests.kernels.simt.random_programs import Writer

if TYPE_CHECKING:
    from pathlib import Path

COMPILER = shutil.which("g++") or shutil.which("clang++")
PROGRAMS = 60
THREADS = 64

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++ to compare with")

BODIES = [Writer(seed).block(3, 9) for seed in range(PROGRAMS)]

T = np.arange(THREADS)
X = (T * 37 - 900).astype(np.int32)
Y = (T * 2654435761).astype(np.uint32)
F = T.astype(np.float32) / np.float32(8) - np.float32(5)

MAIN = """
int main() {
    for (int t = 0; t < 64; ++t) {
        for (auto function : functions)
            printf("%u ", function(t, t * 37 - 900, t * 2654435761u, t / 8.0f - 5));
        printf("\\n");
    }
}"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Results of a compiled loop over the threads: [thread, program]."""
    folder: Path = tmp_path_factory.mktemp("compiled")
    functions = [
        f"static unsigned k{n}(int t, int x, unsigned y, float f) {{ unsigned total = 0; {body}\n"
        "return total * 7 + (unsigned)x + y; }"
        for n, body in enumerate(BODIES)
    ]
    names = ", ".join(f"k{n}" for n in range(PROGRAMS))
    table = f"static unsigned (*functions[])(int, int, unsigned, float) = {{{names}}};"
    source = folder / "programs.cpp"
    source.write_text("\n".join(("#include <cstdio>", *functions, table, MAIN)))
    # Signed overflow wraps on a GPU; products and sums are rounded one by one.
    flags = ["-O0", "-w", "-fwrapv", "-ffp-contract=off"]
    subprocess.run([str(COMPILER), *flags, str(source), "-o", str(folder / "programs")], check=True)
    done = subprocess.run([str(folder / "programs")], capture_output=True, text=True, check=True)
    return np.array([line.split() for line in done.stdout.splitlines()], np.uint32)


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_same_results(number: int, compiled: np.ndarray) -> None:
    source = f"""__global__ void k(const int *X, const unsigned *Y, const float *F, unsigned *R) {{
        int t = threadIdx.x; int x = X[t]; unsigned y = Y[t]; float f = F[t]; unsigned total = 0;
        {BODIES[number]}
        R[t] = total * 7 + (unsigned)x + y; }}"""
    arguments = {"X": X, "Y": Y, "F": F, "R": np.zeros(THREADS, np.uint32)}
    schedule = ("lockstep", "warps")[number % 2]
    found = trace(source, arguments, block=(THREADS,), schedule=schedule, contract=False)
    assert found.hazards == ()
    np.testing.assert_array_equal(found.outputs["R"], compiled[:, number])
