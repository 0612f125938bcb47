"""Factors of 16 bits: rounded inputs, exact products, and the bound of sums on tensor cores."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kernels.fill import Fill, Fills
from kernels.number_types import bfloat_to_float, numbers_of, round_to, round_to_bfloat
from kernels.reference import gamma, tensor_core_gamma
from kernels.simt.libraries.tensor_cores.accumulation import accumulate
from kernels.workload import WORKLOADS, Size, verify

RANDOM = Fills(Fill("random", (1,)))
TYPES = {"matmul_bf16": "bfloat16", "matmul_f16": "float16"}


def test_floats_and_doubles_are_rounded_to_the_same_bits() -> None:
    floats = np.random.default_rng(1).standard_normal(4096).astype(np.float32)
    edges = [0.0, -0.0, 1 + 2**-8, 1 + 3 * 2**-8, 3.4e38, np.inf, -np.inf, np.nan]
    floats = np.concatenate([floats, np.array(edges, np.float32)])
    np.testing.assert_array_equal(round_to_bfloat(floats), round_to_bfloat(floats.astype(np.float64)))
    ties = bfloat_to_float(round_to_bfloat(np.array(edges[2:4], np.float32)))
    assert ties.tolist() == [1, 1 + 4 * 2**-8]


@pytest.mark.parametrize("name", TYPES)
def test_inputs_are_those_of_floats_rounded(name: str) -> None:
    size = Size(5, 7, 6)
    exact, rounded = WORKLOADS["matmul"].inputs(size, RANDOM), WORKLOADS[name].inputs(size, RANDOM)
    steps = {"bfloat16": 2**-8, "float16": 2**-11}[TYPES[name]]
    for array, values in WORKLOADS[name].numbers(rounded).items():
        assert rounded[array].itemsize == 2
        error = np.abs(values.astype(np.float64) - exact[array].astype(np.float64)) / np.abs(
            exact[array].astype(np.float64)
        )
        assert 0 < error.max() <= steps
        np.testing.assert_array_equal(round_to(TYPES[name], values), rounded[array])


def test_a_file_of_floats_fills_bfloat16(tmp_path: object) -> None:
    np.save(f"{tmp_path}/a.npy", np.array([[1.0, 1 / 3]], np.float32))
    inputs = WORKLOADS["matmul_bf16"].inputs(Size(1, 1, 2), Fills.parse(f"A={tmp_path}/a.npy;B=ones"))
    assert WORKLOADS["matmul_bf16"].numbers(inputs)["A"].tolist() == [[1.0, 0.333984375]]


@pytest.mark.parametrize("name", TYPES)
def test_products_of_tensor_cores_pass_and_other_ones_do_not(name: str) -> None:
    workload, size = WORKLOADS[name], Size(8, 8, 512)
    inputs = workload.inputs(size, RANDOM)
    a, b = (numbers_of(TYPES[name], inputs[matrix]).astype(np.float64) for matrix in "AB")
    word = {"bfloat16": "bf16", "float16": "f16"}[TYPES[name]]
    right = accumulate(a[None], b[None], np.zeros((1, 8, 8)), word, np.float32, 16)[0].astype(np.float32)
    assert verify(workload, size, inputs, {"C": right}).correct
    exact = WORKLOADS["matmul"].inputs(size, RANDOM)
    unrounded = {"C": np.matmul(exact["A"], exact["B"], dtype=np.float32)}
    assert not verify(workload, size, inputs, unrounded).correct
    without_last = {"C": (a[:, :-1] @ b[:-1]).astype(np.float32)}
    assert not verify(workload, size, inputs, without_last).correct


@pytest.mark.parametrize("block", [4, 8, 16])
def test_the_worst_cuts_are_within_the_bound(block: int) -> None:
    """Each product lies just below what the sum keeps, and each sum is cut off, on a core without spare bits."""
    length = 256
    total, cut = Fraction(2**24), Fraction(0)
    products = [Fraction(2) - Fraction(1, 2**7)] * length  # the sum's last bit is worth 2 from 2^24 on
    magnitude = total + sum(products)
    for first in range(0, length, block):
        kept = sum((product // 2 * 2 for product in products[first : first + block]), total)
        cut += sum(products[first : first + block]) - (kept - total)
        total = Fraction(kept // 2 * 2)
    assert cut > gamma(length) * magnitude / 2
    assert cut <= tensor_core_gamma(length + 1) * magnitude
