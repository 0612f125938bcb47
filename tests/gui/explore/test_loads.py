"""Copies to shared memory by way of a register: the elements that they come from, whatever their type."""

from __future__ import annotations

import pytest

from gui.explore.stage.loads import collect_loads
from tests.kernels.analysis.traces import source

KERNEL = """
__global__ void k(const TYPE *A, int n)
{
    __shared__ TYPE s[32];
    int i = threadIdx.x;
    TYPE v = A[2 * i];
    s[31 - i] = v;
}
"""


@pytest.mark.parametrize(("name", "letters"), [("float", "f32"), ("half", "f16"), ("__nv_bfloat16", "bf16")])
def test_a_variable_takes_an_element_to_shared_memory(name: str, letters: str) -> None:
    trace = source(KERNEL.replace("TYPE", name), "1", "32", f"A={letters}[64]:random(1)", "n=1")
    loads = collect_loads(trace)
    assert (loads.target % 32).tolist() == list(range(31, -1, -1))
    assert loads.source.tolist() == list(range(0, 64, 2))
