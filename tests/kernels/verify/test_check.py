from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from kernels.catalog import find_kernel
from kernels.cpu.matmul import CpuRun
from kernels.fill import Fill, Fills
from kernels.verify import Checks, check
from kernels.verify.check import prepare_case
from kernels.verify.published import PRINTED, Printed
from kernels.workload import Arrays, Size

MATMUL, MMT, INDEX = "matmul_tiled", "mmt_symmetric", "index_map"
RANDOM, IOTA, ROWS = (Fills(Fill.parse(text)) for text in ("random(1)", "iota", "rows"))


def sequential(name: str, size: Size, fills: Fills) -> Arrays:
    """Compute the product with three plain loops in float32."""
    found = prepare_case(find_kernel(name).workload.id, size, fills).expected.sequential
    return {name: values.copy() for name, values in found.items()}


def judged(name: str, size: Size, fills: Fills, outputs: Arrays) -> Checks:
    kernel = find_kernel(name)
    return check(kernel, size, prepare_case(kernel.workload.id, size, fills).inputs, outputs, fills)


@pytest.mark.parametrize("name", [MATMUL, MMT, INDEX])
@pytest.mark.parametrize("fills", [RANDOM, IOTA, ROWS], ids=str)
def test_the_sequential_result_passes_every_check(name: str, fills: Fills) -> None:
    if fills is IOTA and name == INDEX:
        fills = RANDOM  # it has no inputs
    workload = find_kernel(name).workload
    size = workload.fit(Size(5, 7, 33))
    found = judged(name, size, fills, sequential(name, size, fills))
    assert found.correct, found.message
    assert (found.l2, found.unlike_bits, found.checked) == (0, 0, "every element")
    assert found.elements == size.m * size.n
    assert found.bound_share <= 1
    assert found.last_row is (True if fills is ROWS and name != INDEX else None)
    assert {array: len(rows) for array, rows in found.outputs.items()} == {
        spec.name: size.m for spec in workload.arrays(size) if spec.output
    }


def test_the_float32_reference_is_what_the_loops_on_the_cpu_give() -> None:
    size = Size(17, 19, 150)
    known = prepare_case("matmul", size, RANDOM)
    with CpuRun("cpu_sequential", known.inputs, 1) as run:
        np.testing.assert_array_equal(run.outputs()["C"], known.expected.sequential["C"])


@pytest.mark.parametrize("name", [MATMUL, MMT])
def test_another_order_of_the_sum_shows_in_l2_and_bits_and_passes(name: str) -> None:
    workload = find_kernel(name).workload
    size = workload.fit(Size(40, 40, 40))
    inputs = prepare_case(workload.id, size, RANDOM).inputs
    left, right = (inputs["A"], inputs["B"]) if name == MATMUL else (inputs["M"], inputs["M"].T)
    backwards = np.zeros((40, 40), np.float32)
    for k in reversed(range(40)):
        backwards += left[:, k, None] * right[k]
    array = "C" if name == MATMUL else "P"
    found = judged(name, size, RANDOM, {array: backwards})
    plain = sequential(name, size, RANDOM)[array]
    assert found.correct
    assert found.unlike_bits == np.count_nonzero(backwards != plain) > 0
    assert found.l2 == pytest.approx(float(np.sum((backwards.astype(float) - plain) ** 2)))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_fails_and_is_reported(value: float) -> None:
    outputs = sequential(MATMUL, Size(3, 3, 3), RANDOM)
    outputs["C"][1, 2] = value
    found = judged(MATMUL, Size(3, 3, 3), RANDOM, outputs)
    assert not found.correct
    assert "C[1][2]" in found.message
    assert not found.bound_share <= 1
    assert not found.within(1e30)
    again = Checks.from_json(json.loads(json.dumps(found.to_json(), allow_nan=False)))
    assert str(again) == str(found)  # NaN does not equal itself


def test_a_minus_before_a_zero_is_another_bit() -> None:
    zeros = Fills(Fill("zeros"))
    outputs = sequential(MATMUL, Size(2, 2, 2), zeros)
    outputs["C"][0, 1] = -0.0
    found = judged(MATMUL, Size(2, 2, 2), zeros, outputs)
    assert (found.correct, found.unlike_bits, found.l2, found.bound_share) == (True, 1, 0, 0)


@pytest.mark.parametrize("case", PRINTED, ids=lambda p: p.workload)
def test_matrices_printed_in_the_documents(case: Printed) -> None:
    kernel = {"mmt": MMT, "matmul": MATMUL}[case.workload]
    outputs = sequential(kernel, case.size, case.fills)
    found = judged(kernel, case.size, case.fills, outputs)
    assert (found.correct, found.known) == (True, True)
    for row, column, numbers in case.parts:
        assert found.outputs[case.output][row][column : column + len(numbers)] == list(numbers)
    # float32 holds all of these exactly: one unit off is within no reading of the documents, but within γ_K
    last = case.size.n - 1
    outputs[case.output][last, last] = np.nextafter(outputs[case.output][last, last], np.float32(1e9))
    off = judged(kernel, case.size, case.fills, outputs)
    assert (off.correct, off.known) == (False, False)
    assert off.message == "the numbers differ from those in the documents"


def test_the_last_row_of_rows() -> None:
    # Σ i·(n-1) over i = 0 … n-1
    outputs = sequential(MATMUL, Size(100, 100, 100), ROWS)
    assert set(outputs["C"][-1].tolist()) == {sum(i * 99 for i in range(100))}
    assert judged(MATMUL, Size(100, 100, 100), ROWS, outputs).last_row is True


def test_epsilon_is_an_absolute_error() -> None:
    outputs = sequential(MATMUL, Size(2, 2, 2), IOTA)
    outputs["C"][0, 0] += 0.5
    found = judged(MATMUL, Size(2, 2, 2), IOTA, outputs)
    assert found.within(0.5)
    assert not found.within(0.49)


def test_a_large_product_is_compared_in_rows() -> None:
    size = Size(1024, 512, 2049)
    outputs = sequential(MATMUL, size, RANDOM)
    assert outputs["C"].shape == (48, 512)
    whole = np.zeros((1024, 512), np.float32)
    whole[prepare_case("matmul", size, RANDOM).expected.rows] = outputs["C"]
    found = judged(MATMUL, size, RANDOM, {"C": whole})
    assert (found.correct, found.checked, found.elements) == (True, "48 of 1024 rows", 48 * 512)
    assert found.outputs == {}


def test_without_outputs_there_is_nothing_to_check() -> None:
    size = find_kernel("hello_grid").size
    assert judged("hello_grid", size, RANDOM, {}) == Checks(True, "the kernel has no array output", "nothing to check")


def test_the_checks_come_back_from_json() -> None:
    found = judged(MMT, Size(7, 7, 7), IOTA, sequential(MMT, Size(7, 7, 7), IOTA))
    assert Checks.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert replace(found, known=None) != found
