"""Panels of a recording: arrays that are drawn, and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.explore.eligibility import LARGEST_RECORDED
from gui.explore.scene.views import panel_views
from kernels.workload import Panel

if TYPE_CHECKING:
    from gui.selection.recording import Recording
    from kernels.trace import Trace
    from kernels.workload import Place


def panels_of(recording: Recording) -> tuple[Panel, ...]:
    """Return the panels of the recorded kernel's workload, else the array that is written and two that are read.

    Arrays with too many elements are omitted.
    """
    trace = recording.trace
    panels = recording.kernel.workload.panels if recording.kernel is not None else ()
    panels = panels if panel_views(trace, panels) else _guessed(trace)
    views = ((panel, view) for panel in panels for view in panel_views(trace, [panel]))
    return tuple(panel for panel, view in views if max(view.rows, view.columns) <= LARGEST_RECORDED)


def _guessed(trace: Trace) -> tuple[Panel, ...]:
    """Choose panels in the order of the kernel's parameters; the result is the first array that is written."""
    made = [trace.sites[number] for number in np.unique(trace.group_site)]
    written = {site.array for site in made if site.access != "read"}
    used = {site.array for site in trace.sites}
    touched = [n for n, array in enumerate(trace.arrays) if n in used and array.space == "global"]
    result = next((n for n in touched if n in written), None)
    inputs = iter(n for n in touched if n != result)
    chosen: dict[Place, int | None] = {
        "left": next(inputs, None),
        "top": next(inputs, None),
        "result": result,
    }
    return tuple(Panel(trace.arrays[n].name, place) for place, n in chosen.items() if n is not None)
