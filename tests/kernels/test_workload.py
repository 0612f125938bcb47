from __future__ import annotations

import math
from dataclasses import astuple
from importlib import import_module

import numpy as np
import pytest

from kernels.errors import InputError
from kernels.fill import Fill, Fills
from kernels.reference import Product, Tolerance, gamma
from kernels.workload import SAMPLED_ROWS, WORKLOADS, Arrays, Matrices, Size, verify

SIZE = Size(5, 7, 6)


@pytest.mark.parametrize(
    ("text", "size", "shown"),
    [
        ("64", Size(64, 64, 64), "64"),
        ("3,4,5", Size(3, 4, 5), "3×4×5"),
        ("3x4x5", Size(3, 4, 5), "3×4×5"),
        (" 3 × 4 × 5", Size(3, 4, 5), "3×4×5"),
    ],
)
def test_size(text: str, size: Size, shown: str) -> None:
    assert Size.parse(text) == size
    assert str(size) == shown
    assert Size.parse(shown) == size


@pytest.mark.parametrize("text", ["", "a", "0", "3,4", "3,4,0", "-1", "1,2,3,4", "1.5"])
def test_invalid_sizes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="give n, or M,N,K"):
        Size.parse(text)


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_is_whole(name: str) -> None:
    workload = WORKLOADS[name]
    size = workload.fit(SIZE)
    specs = {spec.name: spec for spec in workload.arrays(size)}
    assert len(specs) == len(workload.arrays(size))
    assert not specs.keys() & workload.scalars(size).keys()
    drawn = {panel.array for panel in workload.panels}
    assert drawn == specs.keys() if isinstance(workload.picture, Matrices) else drawn < specs.keys() | {""}
    results = {panel.array for panel in workload.panels if panel.place == "result"}
    assert all(specs[name].output for name in results)
    assert results == {name for name in drawn if specs[name].output} or not isinstance(workload.picture, Matrices)
    assert all(isinstance(name, int | tuple) or name in {"", *specs} for name in astuple(workload.picture)[1:])
    assert workload.inputs(size, Fill("iota")).keys() == {s.name for s in specs.values() if not s.output}
    assert workload.flops(size) >= 0
    for spec in specs.values():
        assert np.dtype(spec.dtype).kind in "if" or spec.type == "bfloat16"
        assert len(spec.shape) == 2 or not workload.by_rows


@pytest.mark.parametrize(
    ("name", "shapes", "scalars", "flops", "least"),
    [
        (
            "matmul",
            {"A": (5, 6), "B": (6, 7), "C": (5, 7)},
            {"M": 5, "N": 7, "K": 6},
            420,
            4 * (30 + 42 + 35),
        ),
        (
            "matmul_bf16",
            {"A": (5, 6), "B": (6, 7), "C": (5, 7)},
            {"M": 5, "N": 7, "K": 6},
            420,
            2 * (30 + 42) + 4 * 35,
        ),
        ("mmt", {"M": (7, 7), "P": (7, 7)}, {"n": 7}, 686, 4 * 98),
        ("index", {"out": (5, 7)}, {"height": 5, "width": 7}, 0, 140),
        ("copy", {"A": (5, 7), "B": (5, 7)}, {"M": 5, "N": 7}, 35, 280),
        ("transpose", {"A": (5, 7), "B": (7, 5)}, {"M": 5, "N": 7}, 35, 280),
        ("softmax", {"x": (5, 7), "y": (5, 7)}, {"rows": 5, "cols": 7}, 175, 280),
        ("none", {}, {}, 0, 0),
    ],
)
def test_shapes_and_amounts(
    name: str, shapes: dict[str, tuple[int, int]], scalars: dict[str, int], flops: int, least: int
) -> None:
    workload = WORKLOADS[name]
    size = workload.fit(SIZE)
    assert {spec.name: spec.shape for spec in workload.arrays(size)} == shapes
    assert workload.scalars(size) == scalars
    assert workload.flops(size) == flops
    assert workload.least_bytes(size) == least


def test_random_inputs_differ_unless_they_shall_not() -> None:
    workload, size = WORKLOADS["matmul"], Size(4, 4, 4)
    inputs = workload.inputs(size, Fill("random", (1,)))
    same = workload.inputs(size, Fills.parse("A=random(1);B=random(1)"))
    assert not np.array_equal(inputs["A"], inputs["B"])
    np.testing.assert_array_equal(same["A"], same["B"])
    np.testing.assert_array_equal(same["A"], inputs["A"])


def test_each_input_is_filled_in_its_own_way() -> None:
    inputs = WORKLOADS["matmul"].inputs(Size(2, 2, 3), Fills.parse("A=mod(3);B=mod(4)"))
    assert inputs["A"].tolist() == [[0, 1, 2], [0, 1, 2]]
    assert inputs["B"].tolist() == [[0, 1], [2, 3], [0, 1]]


@pytest.mark.parametrize(
    ("name", "fills", "words"),
    [
        ("mmt", "A=iota", "there is no input A: the inputs are M"),
        ("matmul", "A=iota", "B has no fill: add ;B=FILL"),
        ("index", "A=iota", "this problem has no inputs"),
    ],
)
def test_fills_for_other_inputs_are_refused(name: str, fills: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        WORKLOADS[name].inputs(SIZE, Fills.parse(fills))


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("matmul", Size(10**8, 10**8, 10**8), "the arrays of size 100000000 take 106.6 PiB, and the "),
        ("matmul", Size(5, 10**13, 7), "choose a smaller size, up to 5×"),
        ("mmt", Size(10**9, 10**9, 10**9), "the arrays of size 1000000000 take 6.9 EiB, and the "),
        ("index", Size(2**62, 2**62, 1), "take more than 1,024 EiB, and the "),
    ],
)
def test_arrays_too_large_for_memory_are_refused_before_they_are_filled(name: str, size: Size, words: str) -> None:
    """The fill would be refused, too, if it were made: there is no such file."""
    with pytest.raises(InputError) as raised:
        WORKLOADS[name].inputs(size, Fill.parse("none.npy"))
    assert words in str(raised.value)


def test_the_size_that_is_advised_fits() -> None:
    workload, huge = WORKLOADS["matmul"], Size(5, 10**13, 7)
    with pytest.raises(InputError) as raised:
        workload.check_memory(huge, copies=4)
    advised = Size.parse(str(raised.value).rpartition(" ")[2])
    workload.check_memory(advised, copies=4)
    with pytest.raises(InputError):
        workload.check_memory(advised._replace(n=advised.n + 1), copies=4)


def test_inputs_are_written_before_the_launch() -> None:
    with pytest.raises(InputError, match="'uninit' cannot fill A: it is an input, choose another fill"):
        WORKLOADS["matmul"].inputs(SIZE, Fill("uninit"))


def right(name: str, inputs: Arrays, size: Size) -> Arrays:
    """Results as a float32 kernel would give them."""
    if name == "matmul":
        return {"C": np.matmul(inputs["A"], inputs["B"], dtype=np.float32)}
    if name == "mmt":
        return {"P": np.matmul(inputs["M"], inputs["M"].T, dtype=np.float32)}
    return {"out": np.arange(size.m * size.n, dtype=np.int32).reshape(size.m, size.n)} if name == "index" else {}


@pytest.mark.parametrize("name", ["matmul", "mmt", "index"])
@pytest.mark.parametrize("fill", ["zeros", "iota", "random(3)"])
def test_right_results_pass(name: str, fill: str) -> None:
    workload = WORKLOADS[name]
    size = workload.fit(SIZE)
    inputs = workload.inputs(size, Fill.parse(fill))
    verdict = verify(workload, size, inputs, right(name, inputs, size))
    assert verdict.correct
    assert verdict.checked == "every element"
    assert verdict.message == "every element within rounding of the float64 reference"
    assert verdict.relative_error < 1e-5


@pytest.mark.parametrize("name", ["matmul", "mmt", "index"])
@pytest.mark.parametrize("place", [(0, 0), (2, 3), (-1, -1)])
def test_one_wrong_element_is_found_and_named(name: str, place: tuple[int, int]) -> None:
    workload = WORKLOADS[name]
    size = workload.fit(SIZE)
    inputs = workload.inputs(size, Fill("random", (3,)))
    outputs = right(name, inputs, size)
    array = next(iter(outputs))
    height, width = outputs[array].shape
    outputs[array][place] += 1
    verdict = verify(workload, size, inputs, outputs)
    assert not verdict.correct
    assert verdict.max_error == pytest.approx(1, rel=1e-4)
    start = f"1 of {height * width} checked elements are wrong; "
    assert verdict.message.startswith(f"{start}the first is {array}[{place[0] % height}][{place[1] % width}] = ")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_never_passes(value: float) -> None:
    workload = WORKLOADS["matmul"]
    inputs = workload.inputs(SIZE, Fill("zeros"))
    outputs = {"C": np.zeros((5, 7), np.float32)}
    outputs["C"][1, 2] = value
    verdict = verify(workload, SIZE, inputs, outputs)
    assert not verdict.correct
    assert not math.isfinite(verdict.max_error)
    assert "the first is C[1][2] = " in verdict.message


def test_a_wide_factor_is_multiplied_in_pieces() -> None:
    draw = np.random.default_rng(1)
    left, right = draw.random((3, 4099), np.float32), draw.random((4099, 4111), np.float32)
    reference = Product(left, right, np.arange(len(left))).reference()
    np.testing.assert_allclose(reference.rows, left.astype(float) @ right.astype(float), rtol=1e-13)
    np.testing.assert_allclose(reference.bound, gamma(4099) * reference.rows, rtol=1e-13)  # nothing is negative


def test_many_small_errors_do_not_pass() -> None:
    # k products of 1 and -1 cancel: the bound of one element is wide, the norm of them all is not
    size = Size(64, 64, 4096)
    workload = WORKLOADS["matmul"]
    inputs = workload.inputs(size, Fill("random", (1,)))
    outputs = {"C": np.add(right("matmul", inputs, size)["C"], 0.05, dtype=np.float32)}
    verdict = verify(workload, size, inputs, outputs)
    assert not verdict.correct
    assert verdict.relative_error > 1e-5
    assert verdict.message.endswith("exceeds 1e-5")


def test_a_large_product_is_checked_in_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    # As many as are multiplied in a moment. The room has a function of the module's name.
    monkeypatch.setattr(import_module("kernels.workload.verify"), "FULL_CHECK_PRODUCTS", 1 << 20)
    size = Size(1024, 16, 65)
    workload = WORKLOADS["matmul"]
    inputs: Arrays = {
        "A": np.zeros((size.m, size.k), np.float32),
        "B": np.zeros((size.k, size.n), np.float32),
    }
    outputs: Arrays = {"C": np.zeros((size.m, size.n), np.float32)}
    verdict = verify(workload, size, inputs, outputs)
    assert verdict.correct
    assert verdict.checked == f"{SAMPLED_ROWS} of 1024 rows"
    assert verify(workload, size, inputs, outputs, every_element=True).checked == "every element"
    outputs["C"][-1, -1] = 1
    verdict = verify(workload, size, inputs, outputs)
    assert not verdict.correct
    assert "C[1023][15] = 1, expected 0" in verdict.message


def test_without_an_output_there_is_nothing_to_check() -> None:
    verdict = verify(WORKLOADS["none"], SIZE, {}, {})
    assert (verdict.correct, verdict.checked) == (True, "nothing to check")


def test_a_flat_output_is_taken_as_its_array() -> None:
    outputs: Arrays = {"out": np.arange(35, dtype=np.int32)}
    assert verify(WORKLOADS["index"], SIZE, {}, outputs).correct


def test_further_roundings_of_a_product_widen_the_bound() -> None:
    inputs = {"A": np.ones((1, 1), np.float32), "B": np.ones((1, 1), np.float32)}
    size, outputs = Size(1, 1, 1), {"C": np.full((1, 1), 1 + 2.0**-22, np.float32)}
    workload = WORKLOADS["matmul"]
    assert not verify(workload, size, inputs, outputs).correct
    assert verify(workload, size, inputs, outputs, tolerance=Tolerance(roundings=4)).correct


def test_the_largest_inputs_bound_the_error_of_sums_of_elements() -> None:
    """Row 1 of A is 0, and of C as well; an algorithm that adds it to row 0 and takes that away again leaves errors."""
    inputs = {"A": np.array([[1.0, 1.0], [0.0, 0.0]], np.float32), "B": np.ones((2, 2), np.float32)}
    size, outputs = Size(2, 2, 2), {"C": np.array([[2.0, 2.0], [2.0**-22, 0.0]], np.float32)}
    workload = WORKLOADS["matmul"]
    assert not verify(workload, size, inputs, outputs).correct
    assert verify(workload, size, inputs, outputs, tolerance=Tolerance(by_norm=True)).correct
    outputs["C"][1, 0] = 2.0**-16
    assert not verify(workload, size, inputs, outputs, tolerance=Tolerance(by_norm=True)).correct
