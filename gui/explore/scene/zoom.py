"""Zoom: the part of a scene that each level shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.explore.scene.scene import Scene

_OF_GRID = ("left", "top", "result")


def whole_grid(scene: Scene) -> Scene:
    """Return the scene without what belongs to one block: shared memory, local arrays, and copies into them."""
    kept = [number for number, cells in enumerate(scene.cells) if cells.view.place in _OF_GRID]
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
        race=None if race is None or race.view not in at else replace(race, view=at[race.view]),
    )
