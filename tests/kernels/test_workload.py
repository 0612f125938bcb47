"""Workloads: their inputs, references, checks, and k-means with ties and bounds."""

from __future__ import annotations

import math
from dataclasses import astuple
from importlib import import_module

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog
from kernels.errors import InputError
from kernels.fill import Fill, Fills
from kernels.launch import Dim3
from kernels.reference import Product, Tolerance, gamma
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import SAMPLED_ROWS, WORKLOADS, Arrays, Matrices, Points, Size, verify
from kernels.workload.kmeans_loops import ITERATIONS
from kernels.workload.kmeans_reference import Nearest
from tests.cases import Cases
from tests.sweeps import in_turn

CASES = Cases(__file__)

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


@pytest.mark.parametrize(("name", "shapes", "scalars", "flops", "least"), CASES("shapes_and_amounts", tuples=True))
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


@pytest.mark.parametrize(("name", "fills", "words"), CASES("fills_for_other_inputs"))
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


KERNELS = [k for k in catalog() if isinstance(k.workload.picture, Points) and not k.flaw]
SIZES = (
    Size(1, 2, 1),
    Size(16, 2, 3),
    Size(127, 34, 5),
    Size(5, 33, 9),  # more centres than objects
    Size(1000, 3, 256),
)
FILLS = ("random(1)", "mod(3)", "clusters(3,5)", "iota")
MOST_ON_CPU = 5_000
"""Terms of a CPU kernel that the simulator runs step by step."""


@pytest.mark.parametrize(
    ("kernel", "size"),
    in_turn(KERNELS, SIZES, lambda kernel: kernel.id),
)
def test_every_kernel_is_right_with_ties_and_empty_clusters(kernel: Kernel, size: Size) -> None:
    if kernel.runs_on == "cpu" and size.m * size.n * size.k > MOST_ON_CPU:
        pytest.skip("the simulator runs each step of a worker")
    for text in FILLS:
        fills = Fills.parse(text)
        case = prepare_case(kernel.workload.id, size, fills)
        block = kernel.block if kernel.runs_on == "cpu" else Dim3(128)
        outputs, hazard = simulate(kernel, size, block, fills)
        checks = check(kernel, size, case.inputs, outputs, fills, case.expected)
        assert (hazard, checks.correct) == ("", True), f"{text}: {hazard} {checks.message}"


def assigned(objects: list[list[float]], centres: list[list[float]]) -> tuple[Size, Arrays]:
    arrays: Arrays = {"objects": np.array(objects, np.float32).T.copy(), "centres": np.array(centres, np.float32)}
    return Size(len(objects), len(objects[0]), len(centres)), arrays


def test_a_tie_may_have_either_label_and_is_named() -> None:
    assign = WORKLOADS["kmeans_assign"]
    size, inputs = assigned([[0, 0], [1, 0], [9, 9]], [[0, 0], [2, 0], [9, 9]])
    for labels, correct in (([0, 0, 2], True), ([0, 1, 2], True), ([0, 2, 2], False), ([1, 0, 2], False)):
        verdict = verify(assign, size, inputs, {"labels": np.array(labels, np.int32)})
        assert verdict.correct == correct
        assert ("1 object is equally near" in verdict.message) == correct
    assert ", 1 of them with another label" in verify(assign, size, inputs, {"labels": np.array([0, 1, 2])}).message


@pytest.mark.parametrize("label", [-1, 3, 2**31 - 1])
def test_no_label_is_taken_that_is_none(label: int) -> None:
    size, inputs = assigned([[0, 0], [1, 0]], [[0, 0], [2, 0], [2, 0]])
    assert not verify(WORKLOADS["kmeans_assign"], size, inputs, {"labels": np.array([0, label], np.int32)}).correct


def test_distances_within_the_bound_are_ties_and_beyond_it_are_none() -> None:
    """The bound of two coordinates is γ₄ ≈ 2.4e-7 of the distances."""
    for away, ties in ((1e-7, 1), (1e-5, 0)):
        found = Nearest(np.array([[0.0, 0.0]]), np.array([[1.0, 0.0], [-1.0 - away, 0.0]])).reference()
        assert (len(found.ties), found.rows.tolist()) == (ties, [0.0])


def test_sums_are_right_in_any_order_and_wrong_without_an_object() -> None:
    update, size = WORKLOADS["kmeans_update"], Size(1000, 5, 7)
    inputs = update.inputs(size, Fill("random", (1,)))
    order = np.random.default_rng(1).permutation(size.m)
    for chosen, correct in ((order, True), (order[:-1], False)):
        sums = np.zeros((size.k, size.n), np.float32)
        np.add.at(sums, inputs["labels"][chosen].astype(int), inputs["objects"][:, chosen].T)
        counts = np.bincount(inputs["labels"][chosen].astype(int), minlength=size.k).astype(np.int32)
        assert verify(update, size, inputs, {"sums": sums, "counts": counts}).correct == correct


def test_an_empty_cluster_keeps_its_centre() -> None:
    divide, size = WORKLOADS["kmeans_divide"], Size(4, 2, 2)
    inputs: Arrays = {
        "sums": np.array([[8, 4], [0, 0]], np.float32),
        "counts": np.array([4, 0], np.int32),
        "centres": np.array([[0, 0], [5, 6]], np.float32),
    }
    results = divide.results(inputs, size, np.arange(0))["new_centres"]
    assert results.sequential().tolist() == results.reference().rows.tolist() == [[2, 1], [5, 6]]


def test_iterations_bound_what_ties_may_move() -> None:
    """Object 1 is as near to both centres: the mean of either may have it or not."""
    run, size = WORKLOADS["kmeans"], Size(3, 1, 2)
    inputs: Arrays = {
        "objects": np.array([[0, 1, 2]], np.float32),
        "initial": np.array([[0], [2]], np.float32),
    }
    results = run.results(inputs, size, np.arange(0))
    found = {name: result.sequential() for name, result in results.items()}
    assert verify(run, size, inputs, found).correct
    other = {
        "labels": np.array([0, 1, 1]),
        "centres": np.array([[0], [1.5]]),
        "sums": np.array([[0], [3]]),
        "counts": np.array([1, 2]),
    }
    assert verify(run, size, inputs, other).correct
    assert not verify(run, size, inputs, {**found, "centres": np.array([[0], [9]])}).correct


def test_labels_and_centres_are_those_of_scikit_learn() -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    run, size = WORKLOADS["kmeans"], Size(2000, 8, 6)
    inputs = run.inputs(size, Fill("random", (3,)))
    ours = {name: result.sequential() for name, result in run.results(inputs, size, np.arange(0)).items()}
    model = cluster.KMeans(size.k, init=inputs["initial"], n_init=1, max_iter=ITERATIONS, tol=0, algorithm="lloyd")
    model.fit(np.ascontiguousarray(inputs["objects"].T))
    np.testing.assert_allclose(model.cluster_centers_, ours["centres"].astype(np.float64), atol=1e-5)
    labels = Nearest(inputs["objects"].T, ours["centres"]).reference()
    assert not labels.error(model.labels_.astype(np.float64)).any()


def test_clusters_are_apart_and_of_whole_numbers() -> None:
    values = Fill.parse("clusters(4,1)").make((2, 200), "float32")
    assert values is not None
    assert np.array_equal(values, np.round(values))
    assert (values.min(), values.max()) >= (0, 0)
    assert values.max() <= 99
    points = values.T.astype(np.float64)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    assert len(np.unique((distances < 32).argmax(1))) == 4
