"""k-means: references with ties and bounds, and every kernel at every kind of size."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.catalog import Kernel, catalog
from kernels.fill import Fill, Fills
from kernels.launch import Dim3
from kernels.verify.check import check, prepare_case
from kernels.verify.simulate import simulate
from kernels.workload import WORKLOADS, Arrays, Points, Size, verify
from kernels.workload.kmeans_loops import ITERATIONS
from kernels.workload.kmeans_reference import Nearest
from tests.sweeps import in_turn

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
