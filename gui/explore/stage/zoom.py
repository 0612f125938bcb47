"""Parts of a scene: the whole grid without what belongs to a block, and the steps of one warp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernels.analysis.values.roles import IDLE
from kernels.launch import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gui.explore.stage.scene import Access, Cells, Flow, Scene

_OF_GRID = ("left", "top", "result")


def whole_grid(scene: Scene) -> Scene:
    """Return the scene without what belongs to one block: shared memory, local arrays, and copies into them."""
    kept = [number for number, cells in enumerate(scene.cells) if cells.view.place in _OF_GRID]
    return replace(of_arrays(scene, kept), barrier_line=None)


def of_arrays(scene: Scene, kept: Sequence[int]) -> Scene:
    """Return the scene with some of its arrays, by their positions in `Scene.cells`; the result is one of them."""
    at = {number: place for place, number in enumerate(kept)}
    race = scene.race
    return replace(
        scene,
        cells=tuple(scene.cells[number] for number in kept),
        result=None if scene.result is None else at[scene.result],
        accesses=tuple(replace(a, view=at[a.view]) for a in scene.accesses if a.view in at),
        flows=tuple(
            replace(flow, source_view=at[flow.source_view], target_view=at[flow.target_view])
            for flow in scene.flows
            if flow.source_view in at and flow.target_view in at
        ),
        strays=tuple(replace(stray, view=at[stray.view]) for stray in scene.strays if stray.view in at),
        queues=tuple(replace(queue, view=at[queue.view]) for queue in scene.queues if queue.view in at),
        race=None if race is None or race.view not in at else replace(race, view=at[race.view]),
    )


def one_warp(scene: Scene, warp: int) -> Scene:
    """Return the scene with what one warp (number in its block) does; other threads are idle.

    Contents are those of the moment, also where other warps have written them in this step.
    """
    first = scene.threads.first_lane + warp * WARP_SIZE
    role = np.full_like(scene.threads.role, IDLE)
    own = slice(warp * WARP_SIZE, (warp + 1) * WARP_SIZE)
    role[own] = scene.threads.role[own]
    accesses = tuple(access.only(_in_warp(access.lanes, first)) for access in scene.accesses)
    flows = (_flow_of(flow, first) for flow in scene.flows)
    return replace(
        scene,
        threads=replace(scene.threads, role=role),
        accesses=accesses,
        cells=tuple(_marked(cells, number, accesses) for number, cells in enumerate(scene.cells)),
        flows=tuple(flow for flow in flows if len(flow.lanes)),
        shuffles=scene.shuffles.of_warp(warp),
        queues=tuple(queue for every in scene.queues if (queue := every.of_warp(warp)) is not None),
    )


def _in_warp(lanes: NDArray[np.int32], first: int) -> NDArray[np.bool_]:
    return (lanes >= first) & (lanes < first + WARP_SIZE)


def _flow_of(flow: Flow, first: int) -> Flow:
    kept = _in_warp(flow.lanes, first)
    return replace(
        flow,
        lanes=flow.lanes[kept],
        source=flow.source[kept],
        target=flow.target[kept],
        zero=flow.zero[kept],
        focus=flow.focus[kept],
    )


def _marked(cells: Cells, view: int, accesses: tuple[Access, ...]) -> Cells:
    read, wrote = np.zeros_like(cells.read), np.zeros_like(cells.wrote)
    for access in accesses:
        if access.view == view:
            (wrote if access.writes else read)[tuple(access.cells.T)] = True
    return replace(cells, read=read, wrote=wrote)
