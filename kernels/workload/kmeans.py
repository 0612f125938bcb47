"""k-means by Lloyd's iterations: assign each object to the nearest centre, sum up the objects of each centre, divide.

Objects are stored by coordinate, `objects[coordinate][object]`, so that neighbouring threads read neighbouring floats;
`kmeans_assign_rows` has them by object. The initial centres are the first objects, and an empty centre stays where it
is. The three parts of an iteration are workloads of their own, whose inputs are what the parts before them give.
`kernels.workload.kmeans_reference` computes the correct results; it is loaded on first use.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.fill import Fill
from kernels.workload.kmeans_loops import ITERATIONS, assign, iterate
from kernels.workload.model import ArraySpec, Length, Rate, Size, Workload
from kernels.workload.picture import Panel, Points

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kernels.reference import Result
    from kernels.workload.model import Arrays

    Inputs = Mapping[str, NDArray[np.generic]]


def _first_objects(size: Size, objects: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the initial centres, [centre, coordinate]: the first objects, again from the first where they are few."""
    return np.ascontiguousarray(objects[:, np.arange(size.k) % size.m].T)


def _labels(size: Size, objects: NDArray[np.generic]) -> NDArray[np.int32]:
    from kernels.workload.kmeans_reference import Nearest

    return Nearest(objects.T, _first_objects(size, objects)).reference().rows.astype(np.int32)


def _for_update(size: Size, filled: Arrays) -> Arrays:
    return {"objects": filled["objects"], "labels": _labels(size, filled["objects"])}


def _for_division(size: Size, filled: Arrays) -> Arrays:
    from kernels.workload.kmeans_reference import sum_up

    objects = filled["objects"]
    labels = _labels(size, objects)
    return {
        "sums": sum_up(objects.T, labels, size.k).astype(np.float32),
        "counts": np.bincount(labels, minlength=size.k).astype(np.int32),
        "centres": _first_objects(size, objects),
    }


def _nearest_results(objects: NDArray[np.generic], centres: NDArray[np.generic]) -> dict[str, Result]:
    """Return the labels of objects, [object, coordinate]."""
    from kernels.workload.kmeans_reference import Nearest

    return {"labels": Nearest(objects, centres)}


def _update_results(inputs: Inputs, size: Size) -> dict[str, Result]:
    from kernels.workload.kmeans_reference import update_results

    return update_results(inputs, size)


def _division_results(inputs: Inputs, size: Size) -> dict[str, Result]:
    from kernels.workload.kmeans_reference import division_results

    return division_results(inputs)


def _run_results(inputs: Inputs, size: Size) -> dict[str, Result]:
    from kernels.workload.kmeans_reference import run_results

    return run_results(inputs)


def _assign_flops(size: Size) -> int:
    """Subtract, multiply and add for each coordinate of each pair of object and centre."""
    return 3 * size.m * size.n * size.k


def _update_flops(size: Size) -> int:
    return size.m * size.n


def _divide_flops(size: Size) -> int:
    return size.n * size.k


_LENGTHS: Final = (Length("m", "n", "objects"), Length("n", "d", "coords"), Length("k", "k", "centres"))
_RATE: Final = Rate("million objects/s", "m", lambda size: size.m / 1e6)
_FILL: Final = Fill("clusters", (3, 5))
_SIZE: Final = Size(16, 2, 3)
_LARGE: Final = (Size(1_000_000, 32, 64), Size(100_003, 16, 16))


def _objects(size: Size) -> ArraySpec:
    return ArraySpec("objects", "float32", (size.n, size.m))


def _centres(size: Size, name: str, *, output: bool = False) -> ArraySpec:
    return ArraySpec(name, "float32", (size.k, size.n), output)


def _part(
    name: str,
    title: str,
    picture: Points,
    arrays: Callable[[Size], tuple[ArraySpec, ...]],
    flops: Callable[[Size], int],
    results: Callable[[Inputs, Size], dict[str, Result]],
    derive: Callable[[Size, Arrays], Arrays],
    loops: Mapping[str, Callable[..., None]] = MappingProxyType({}),
) -> Workload:
    """Return a workload with the properties that all of them have."""
    return Workload(
        id=name,
        title=title,
        lengths=_LENGTHS,
        picture=picture,
        arrays=arrays,
        flops=flops,
        results=lambda inputs, size, rows: results(inputs, size),
        by_rows=False,
        filled=lambda size: (_objects(size),),
        derive=derive,
        loops=loops,
        rate=_RATE,
        fill=_FILL,
        size=_SIZE,
        large=_LARGE,
    )


WORKLOADS: Final = (
    _part(
        "kmeans",
        f"k-means, {ITERATIONS} iterations",
        Points(
            (
                Panel("centres", "left"),
                Panel("sums", "left"),
                Panel("counts", "left"),
                Panel("initial", "top"),
                Panel("objects", "top"),
                Panel("labels", "result"),
            ),
            objects="objects",
            labels="labels",
            centres="centres",
            earlier_centres="initial",
            sums="sums",
            counts="counts",
        ),
        lambda s: (
            _objects(s),
            _centres(s, "initial"),
            ArraySpec("labels", "int32", (s.m,), output=True),
            _centres(s, "centres", output=True),
            _centres(s, "sums", output=True),
            ArraySpec("counts", "int32", (s.k,), output=True),
        ),
        lambda s: ITERATIONS * (_assign_flops(s) + _update_flops(s) + _divide_flops(s)),
        _run_results,
        lambda s, filled: {**filled, "initial": _first_objects(s, filled["objects"])},
        {"kmeans_sequential": iterate},
    ),
    _part(
        "kmeans_assign",
        "k-means: the nearest centre of each object",
        Points(
            (Panel("objects", "left"), Panel("centres", "top", transposed=True), Panel("labels", "result")),
            objects="objects",
            labels="labels",
            centres="centres",
        ),
        lambda s: (_objects(s), _centres(s, "centres"), ArraySpec("labels", "int32", (s.m,), output=True)),
        _assign_flops,
        lambda inputs, s: _nearest_results(inputs["objects"].T, inputs["centres"]),
        lambda s, filled: {**filled, "centres": _first_objects(s, filled["objects"])},
        {"kmeans_parallel": assign},
    ),
    _part(
        "kmeans_assign_rows",
        "k-means: the nearest centre of each object, stored by object",
        Points(
            (
                Panel("objects", "left", transposed=True),
                Panel("centres", "top", transposed=True),
                Panel("labels", "result"),
            ),
            objects="objects",
            object_axis=0,
            labels="labels",
            centres="centres",
        ),
        lambda s: (
            ArraySpec("objects", "float32", (s.m, s.n)),
            _centres(s, "centres"),
            ArraySpec("labels", "int32", (s.m,), output=True),
        ),
        _assign_flops,
        lambda inputs, s: _nearest_results(inputs["objects"], inputs["centres"]),
        lambda s, filled: {
            "objects": np.ascontiguousarray(filled["objects"].T),
            "centres": _first_objects(s, filled["objects"]),
        },
    ),
    _part(
        "kmeans_update",
        "k-means: sums and counts of the objects of each centre",
        Points(
            (Panel("labels", "left"), Panel("objects", "top"), Panel("sums", "result"), Panel("counts", "result")),
            objects="objects",
            labels="labels",
            sums="sums",
            counts="counts",
        ),
        lambda s: (
            _objects(s),
            ArraySpec("labels", "int32", (s.m,)),
            _centres(s, "sums", output=True),
            ArraySpec("counts", "int32", (s.k,), output=True),
        ),
        _update_flops,
        _update_results,
        _for_update,
    ),
    _part(
        "kmeans_divide",
        "k-means: the new centres",
        Points(
            (Panel("sums", "left"), Panel("counts", "top"), Panel("new_centres", "result")),
            centres="new_centres",
            earlier_centres="centres",
            sums="sums",
            counts="counts",
        ),
        lambda s: (
            _centres(s, "sums"),
            ArraySpec("counts", "int32", (s.k,)),
            _centres(s, "centres"),
            _centres(s, "new_centres", output=True),
        ),
        _divide_flops,
        _division_results,
        _for_division,
    ),
)
