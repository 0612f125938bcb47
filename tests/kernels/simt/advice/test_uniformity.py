"""Uniformity of conditions: groups of threads that decide a branch alike, derived from the source."""

from __future__ import annotations

import pytest

from kernels.frontend import ast, parse
from kernels.frontend.ast.traversal import below
from kernels.simt.advice.positions import Gap, Source
from kernels.simt.advice.uniformity import Scope, Uniformity

CONDITIONS = [
    ("n > 3", Scope.GRID),
    ("gridDim.x > 3", Scope.GRID),
    ("all[0] > 3", Scope.GRID),
    ("blockIdx.x > 3", Scope.BLOCK),
    ("first", Scope.BLOCK),
    ("b % 2 == 0", Scope.BLOCK),
    ("__syncthreads_or(t > 3)", Scope.BLOCK),
    ("twice(b) > 3", Scope.BLOCK),
    ("t / 32 == 0", Scope.WARP),
    ("w == 0", Scope.WARP),
    ("threadIdx.x >> 5 == 0", Scope.WARP),
    ("t < 32", Scope.WARP),
    ("t < 64 && b == 0", Scope.WARP),
    ("__any_sync(~0u, t > 3)", Scope.WARP),
    ("t < 20", Scope.THREAD),
    ("t == 0", Scope.THREAD),
    ("t / 16 == 0", Scope.THREAD),
    ("i < n", Scope.THREAD),
    ("all[t] > 3", Scope.THREAD),
    ("chosen > 3", Scope.THREAD),
    ("atomicAdd(all, 1) == 3", Scope.THREAD),
    ("__shfl_sync(~0u, n, 0) == 3", Scope.THREAD),
    ("twice(t) > 3", Scope.THREAD),
    ("moved < 32", Scope.THREAD),
]

SOURCE = """__device__ int twice(int x) {{ return 2 * x; }}
__global__ void k(int *all, int n)
{{
    __shared__ bool first;
    int t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t, w = t / 32, chosen = 0, moved = threadIdx.x;
    moved += 1;
    if (t > 3)
        chosen = 5;
    if ({})
        all[0] = 1;
}}
"""


def analysed(text: str, *, threads_x: bool = True) -> tuple[Source, Uniformity]:
    program = parse(text, "k.cu")
    source = Source(program, program.kernels[0], program.functions)
    return source, Uniformity(source, threads_x=threads_x)


@pytest.mark.parametrize(("condition", "scope"), CONDITIONS)
def test_the_threads_that_decide_alike(condition: str, scope: Scope) -> None:
    source, uniformity = analysed(SOURCE.format(condition))
    branch = source.kernel.body.body[-1]
    assert isinstance(branch, ast.If)
    assert uniformity.of(source.kernel, branch.condition) == scope


def test_rows_of_a_block_with_two_dimensions_are_no_warps() -> None:
    source, uniformity = analysed(SOURCE.format("threadIdx.x < 32"), threads_x=False)
    branch = source.kernel.body.body[-1]
    assert isinstance(branch, ast.If)
    assert uniformity.of(source.kernel, branch.condition) == Scope.THREAD


BODIES = [
    ("here();", True),
    ("if (n > 3) here();", True),
    ("if (t > 3) here();", False),
    ("for (int i = 0; i < n; ++i) here();", True),
    ("for (int i = t; i < n; i += 64) here();", False),
    ("for (int i = blockIdx.x; i < n; i += gridDim.x) here();", True),
    ("if (t > n) return; here();", False),
    ("if (blockIdx.x > n) return; here();", True),
    ("for (int i = 0; i < n; ++i) { if (t == i) break; here(); }", False),
    ("for (int i = 0; i < n; ++i) { if (i == 3) continue; here(); }", True),
    ("for (int i = 0; i < n; ++i) { int m = 0; for (int j = 0; j < t; ++j) m += j; here(); }", True),
    ("while (atomicAdd(all, 0) == 0) ; here();", True),
    ("for (int i = 0; i < n; ++i) { if (t == i) return; } here();", False),
    ("switch (n) { case 0: here(); }", True),
    ("switch (t) { case 0: here(); }", False),
    ("{ int v = t; if (v) n = 2; } here();", True),
]


@pytest.mark.parametrize(("body", "reached"), BODIES)
def test_statements_that_all_threads_of_a_block_reach(body: str, reached: bool) -> None:
    text = f"__device__ void here() {{}} __global__ void k(int *all, int n) {{ int t = threadIdx.x; {body} }}"
    source, uniformity = analysed(text)
    call = next(node for node in below(source.kernel.body) if isinstance(node, ast.Call) and node.function == "here")
    (path,) = source.paths(call.span)
    assert uniformity.is_reached(Gap(path, path[-1].index), Scope.BLOCK) == reached
