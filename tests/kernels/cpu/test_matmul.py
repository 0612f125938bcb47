from __future__ import annotations

import numpy as np
import pytest

from kernels.catalog import catalog
from kernels.cpu.matmul import CpuRun
from kernels.fill import Fill
from kernels.workload import WORKLOADS, Size, verify

MATMUL = WORKLOADS["matmul"]
RANDOM = Fill("random", (1,))


@pytest.mark.parametrize("baseline", [k.id for k in catalog() if k.runs_on == "cpu" and not k.flaw])
@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("size", [Size(1, 1, 1), Size(3, 3, 3), Size(5, 64, 33), Size(64, 5, 1)], ids=str)
def test_every_baseline_is_right_for_every_shape_and_number_of_threads(
    baseline: str, threads: int, size: Size
) -> None:
    inputs = MATMUL.inputs(size, RANDOM)
    with CpuRun(baseline, inputs, threads) as run:
        verdict = verify(MATMUL, size, inputs, run.outputs())
    assert verdict.correct, verdict.message


def test_the_published_inputs_that_hide_a_wrong_index_give_the_published_rows() -> None:
    inputs = MATMUL.inputs(Size(4, 4, 4), Fill("rows"))
    with CpuRun("cpu_sequential", inputs, 1) as run:
        assert run.outputs()["C"].tolist() == [[row] * 4 for row in (0, 6, 12, 18)]


def test_parallel_and_sequential_agree_bit_for_bit() -> None:
    inputs = MATMUL.inputs(Size(17, 19, 150), RANDOM)
    with CpuRun("cpu_sequential", inputs, 1) as one, CpuRun("cpu_parallel", inputs, 4) as four:
        np.testing.assert_array_equal(one.outputs()["C"], four.outputs()["C"])


def test_a_short_product_is_repeated_within_a_sample() -> None:
    inputs = MATMUL.inputs(Size(2, 2, 2), RANDOM)
    with CpuRun("cpu_sequential", inputs, 1) as run:
        assert run.sample_ms()["kernel"] > 0
        assert run.launches_per_sample > 1
