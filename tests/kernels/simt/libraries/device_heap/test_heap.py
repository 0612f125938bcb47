"""The device heap: each block from malloc or new is an array of the trace until it is freed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.simt import Unwritten
from tests.kernels.simt.programs import THREADS, trace

if TYPE_CHECKING:
    from kernels.trace import Trace


def run(body: str, before: str = "", **options: object) -> Trace:
    source = f"{before}\n__global__ void k(int *out) {{ int t = threadIdx.x;\n{body}\n}}"
    return trace(source, {"out": Unwritten("int32", (THREADS,))}, **options)  # type: ignore[arg-type]


def test_the_trace_holds_what_was_given_out() -> None:
    found = run("int *p = new int[4]; p[0] = t; out[t] = p[0]; delete[] p;")
    (heap,) = (a for a in found.arrays if a.name == "heap of line 3")
    assert (heap.shape, heap.space) == ((THREADS, 4), "global")


def test_functions_of_the_file_go_before_those_of_the_heap() -> None:
    found = run("out[t] = malloc(3);", "__device__ int malloc(int x) { return x + 1; }")
    assert found.outputs["out"].tolist() == [4] * THREADS
