"""Points of the plane: the objects with their labels so far, the centres, and what the thread in focus compares.

Every number is an element or a register that the trace has recorded; of more than two coordinates the first two place
a point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.metrics.collisions import colliding_atomics
from kernels.trace import element_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gui.explore.points.plane import Plane
    from gui.explore.stage.focus import Focus
    from gui.explore.stage.stage import Stage
    from kernels.analysis import Frame
    from kernels.analysis.metrics.collisions import Collision
    from kernels.analysis.values.distances import Comparison

UNLABELLED = -1
"""Label of an object that has none yet."""


@dataclass(frozen=True, slots=True)
class Centre:
    """One centre."""

    place: tuple[float, float] | None
    """None as long as it is not written, or where the run has no centres."""
    earlier: tuple[float, float] | None
    """Its place before the kernel, if the run has that."""
    total: tuple[float, ...]
    """Its sums so far, of the first two coordinates; empty where the run has none, or none yet."""
    count: int | None
    """Its objects so far."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanePoints:
    """Contents of the picture of points."""

    places: NDArray[np.float64]
    """[object, 2]."""
    labels: NDArray[np.int64]
    """Centre of each object, `UNLABELLED` as long as it has none."""
    active: NDArray[np.bool_]
    """Mask of the objects that the block accesses in this step."""
    lit: NDArray[np.bool_]
    """Mask of the objects that the thread in focus works on."""
    colliding: NDArray[np.bool_]
    """Mask of the objects whose threads execute atomics that collide in this step."""
    first_elements: NDArray[np.int64]
    """Flat index of the first coordinate of each object."""
    array: int
    """Array of the objects, by its position in the trace; -1 without objects."""
    arrays: tuple[int, ...]
    """Arrays of the objects and of their labels."""
    centres: tuple[Centre, ...]
    comparisons: tuple[Comparison, ...]
    """Comparisons of the objects that the thread in focus works on."""
    nearest: tuple[tuple[int, int], ...]
    """For each of these objects the centre with the smallest distance that the thread holds."""
    thread: int
    """The thread in focus, by its linear number in the grid."""
    more_compared: bool
    """True if the thread may have compared with more centres: only its latest values are searched for distances."""
    collisions: tuple[Collision, ...]
    collision_names: tuple[str, ...]
    """Element of each collision."""
    range: NDArray[np.float64]
    """Least and largest coordinates in the whole run: [[x, y], [x, y]]."""
    coordinates: int


def plane_points(stage: Stage, frame: Frame, focus: Focus, lane: int) -> PlanePoints | None:
    """Return the points at a frame; `lane` is the thread of the details unless an object is in focus."""
    plane = stage.plane
    if plane is None or not plane.centre_count:
        return None
    count, objects = plane.object_count, plane.objects
    places, labels = np.zeros((count, 2)), np.full(count, UNLABELLED, np.int64)
    if objects is not None:
        places = plane.places(stage.order.contents(objects, frame.block, frame.step)[0], by_object=True)
    if plane.labels is not None and count:
        values, written = stage.order.contents(plane.labels, frame.block, frame.step)
        labels[: len(values)] = np.where(written, values, UNLABELLED)[:count]
    item = _object_in_focus(plane, focus)
    if item is not None and plane.threads[item] >= 0:
        lane = int(plane.threads[item])
    comparisons, more = _comparisons(stage, plane, frame, lane)
    collisions = colliding_atomics(stage.trace, frame.step, frame.block)
    return PlanePoints(
        places=places,
        labels=labels,
        active=_active(stage, plane, frame),
        lit=_lit(plane, frame, lane, item, comparisons),
        colliding=_mask(plane, plane.current(np.array([n for c in collisions for n in c.lanes], np.int64), frame.step)),
        first_elements=np.array([plane.elements_of(number) for number in range(count)], np.int64),
        array=-1 if objects is None else objects,
        arrays=tuple(array for array in (objects, plane.labels) if array is not None),
        centres=_centres(stage, plane, frame),
        comparisons=comparisons,
        nearest=_nearest(comparisons),
        thread=lane,
        more_compared=more,
        collisions=collisions,
        collision_names=tuple(element_name(stage.trace.arrays[c.array], c.index) for c in collisions),
        range=plane.range,
        coordinates=plane.coordinates,
    )


def _object_in_focus(plane: Plane, focus: Focus) -> int | None:
    """Return the object whose coordinate or label is in focus."""
    if focus.kind != "element" or focus.array not in (plane.objects, plane.labels) or plane.objects is None:
        return None
    item = int(plane.objects_at(focus.array, np.array([focus.index]))[0])
    return item if 0 <= item < plane.object_count else None


def _comparisons(stage: Stage, plane: Plane, frame: Frame, lane: int) -> tuple[tuple[Comparison, ...], bool]:
    """Return the comparisons of a thread of the shown block since it has stored the label of the object."""
    if plane.distances is None or lane // stage.trace.launch.block.count != frame.block:
        return (), False
    found, more = plane.distances.of_thread(lane, frame.step)
    step, threads, items = plane.label_stores
    before = (threads == lane) & (step < frame.step)
    stored = dict(zip(items[before].tolist(), step[before].tolist(), strict=True))  # of several stores the last
    shown = tuple(c for c in found if c.step > stored.get(c.object, -1))
    # With fewer left the search has reached objects with labels.
    return shown, more and len(shown) == len(found) and (bool(found) or not plane.distances.few_enough)


def _nearest(comparisons: tuple[Comparison, ...]) -> tuple[tuple[int, int], ...]:
    """Return for each object the centre with the smallest distance, of equal ones the first."""
    least: dict[int, tuple[float, int]] = {}
    for found in comparisons:
        if found.distance is not None:
            key = found.distance, found.centre
            least[found.object] = min(least.get(found.object, key), key)
    return tuple((item, centre) for item, (_, centre) in least.items())


def _active(stage: Stage, plane: Plane, frame: Frame) -> NDArray[np.bool_]:
    """Return the objects that the block accesses in the step."""
    mask = np.zeros(plane.object_count, bool)
    for group in stage.trace.accesses(frame.step, frame.block):
        if plane.objects is not None and group.site.array in (plane.objects, plane.labels):
            items = plane.objects_at(group.site.array, group.elements)
            mask[items[(items >= 0) & (items < len(mask))]] = True
    return mask


def _mask(plane: Plane, items: NDArray[np.int64]) -> NDArray[np.bool_]:
    mask = np.zeros(plane.object_count, bool)
    mask[items] = True
    return mask


def _lit(
    plane: Plane, frame: Frame, lane: int, item: int | None, comparisons: tuple[Comparison, ...]
) -> NDArray[np.bool_]:
    """Return the object in focus, else those that the thread compares, else the last one that it accessed."""
    if item is not None:
        return _mask(plane, np.array([item]))
    if comparisons:
        return _mask(plane, np.array([found.object for found in comparisons]))
    return _mask(plane, plane.current(np.array([lane]), frame.step))


def _centres(stage: Stage, plane: Plane, frame: Frame) -> tuple[Centre, ...]:
    picture, order = plane.picture, stage.order

    def contents(name: str) -> tuple[NDArray[np.generic], NDArray[np.bool_]] | None:
        array = plane.array(name)
        return None if array is None else order.contents(array, frame.block, frame.step)

    def places(name: str) -> list[tuple[float, float] | None]:
        found = contents(name)
        if found is None:
            return [None] * plane.centre_count
        written = np.all(found[1][:, :2], axis=1)
        at = plane.places(found[0], by_object=False).tolist()
        return [(x, y) if known else None for (x, y), known in zip(at, written.tolist(), strict=True)]

    now, earlier = places(picture.centres), places(picture.earlier_centres)
    sums, counts = contents(picture.sums), contents(picture.counts)
    made = []
    for number in range(plane.centre_count):
        total = () if sums is None or not sums[1][number, :2].all() else tuple(sums[0][number, :2].tolist())
        count = None if counts is None or not counts[1][number] else int(counts[0][number].item())
        made.append(Centre(now[number], earlier[number], total, count))
    return tuple(made)
