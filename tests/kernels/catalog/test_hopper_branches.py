"""The code that an H200 runs, in the simulator: right, without a hazard, and really another code."""

from __future__ import annotations

import pytest

from kernels.architecture import SM_80, Architecture
from kernels.bench.plan import DEFAULT_FILL
from kernels.catalog import find_kernel
from kernels.frontend.architecture import Source, on_tensor_cores, other_lines
from kernels.launch import Dim3
from kernels.simt import Options
from kernels.tracing import trace_kernel
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import Size

SM_90A = Architecture.parse("sm_90a")
BLOCK = Dim3(384)
KERNELS = ("matmul_3xtf32", "mmt_3xtf32", "matmul_fast", "mmt_fast")


@pytest.mark.parametrize("name", KERNELS)
def test_the_branch_of_an_h200_is_right_and_has_no_hazard(name: str) -> None:
    kernel = find_kernel(name)
    size = kernel.workload.fit(Size(34, 34, 36))
    outputs, hazard = simulate(kernel, size, BLOCK, DEFAULT_FILL, architecture=SM_90A)
    case = prepare_case(kernel.workload.id, size, DEFAULT_FILL)
    assert hazard == ""
    assert check(kernel, size, case.inputs, outputs, DEFAULT_FILL, case.expected).correct


@pytest.mark.parametrize("schedule", ["warps", "reversed", "shuffle:3"])
def test_stages_of_tensor_core_tiles_pass_from_warps_to_warps_in_every_order(schedule: str) -> None:
    kernel = find_kernel("matmul_3xtf32")
    options = Options(schedule=schedule, record=False)
    traces = [
        trace_kernel(kernel, Size(34, 34, 140), BLOCK, options=each, architecture=SM_90A)
        for each in (options, Options(record=False))
    ]
    assert not any(trace.hazards or trace.stopped for trace in traces)
    assert (traces[0].outputs["C"] == traces[1].outputs["C"]).all()


@pytest.mark.parametrize("name", KERNELS)
def test_a_picture_of_the_branch_has_the_lines_that_an_h200_compiles(name: str) -> None:
    kernel = find_kernel(name)
    defines = kernel.defines(kernel.size, BLOCK)
    for architecture, differs in ((SM_80, True), (SM_90A, False)):
        source = Source(kernel.text, f"{name}.cu", architecture.among(defines))
        assert bool(other_lines(source, "sm_90")) is differs
        assert on_tensor_cores(source, "sm_90") is ("tf32" in name)
