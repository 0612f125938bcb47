"""Story: the stage and the frames of a selection, recording or custom launch; and the progress of making it. No Qt."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.explore.memory.row import build_memory_row
from gui.explore.packing.layout import arrange
from gui.explore.playback.eligibility import LARGEST_RECORDED, check_frames, check_recording, check_threads
from gui.explore.stage.build import build_scene
from gui.explore.stage.stage import Stage
from gui.explore.stage.views import panel_views
from gui.selection.recording import Recording, recorded_on
from kernels.analysis import frame_count, playlist
from kernels.analysis.syntax.source import listing
from kernels.architecture import SM_80
from kernels.frontend.architecture import Source, other_lines
from kernels.workload import Panel

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.explore.stage.views import View
    from gui.selection.session import Selection
    from kernels.analysis import Playlist
    from kernels.architecture import Architecture
    from kernels.custom_launch.model import CustomLaunch
    from kernels.simt import Options
    from kernels.trace import Trace
    from kernels.workload import Place


_RATE_AFTER_S: Final = 1.0
"""Seconds of measuring before a rate is extrapolated."""


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """One run, ready to be played."""

    selection: Selection | None
    """Selection that was traced; None for a recording or custom launch."""
    stage: Stage
    memory: Playlist
    """Frames of the steps that access an array or wait at a barrier."""
    statements: Playlist
    """Frames of all steps."""
    proposed: bool = False
    """Whether tilescope has chosen the launch."""

    @property
    def is_short(self) -> bool:
        """Return whether each block has a single memory step: then every statement should be shown."""
        return len(self.memory) == len(self.memory.blocks)

    def edits(self, old: Selection) -> bool:
        """Return whether this is the earlier selection, except for changes to its source."""
        return self.selection is not None and self.selection.launch == old.launch


def story_of_selection(
    selection: Selection,
    cancelled: Callable[[], bool],
    progress: Progress | None = None,
    schedule: str = "lockstep",
) -> Story:
    """Trace a selection, as its device runs it, and lay out its frames; in a worker thread, with reports of progress.

    `schedule` is the order in which blocks and warps run, as `kernels.simt.Options` has it.

    Raises
    ------
    TilescopeError
        When the launch or the source is refused.
    """
    from kernels.tracing import trace_kernel  # with the simulator, which the page is shown without

    kernel, progress = selection.kernel, progress or Progress()
    options = _start_run(kernel.title, cancelled, progress, schedule)
    trace = trace_kernel(kernel, selection.size, selection.block, selection.fills, options, selection.architecture)
    stage = Stage(trace, kernel.workload.panels, kernel.runs_on == "cpu", recorded_on(trace), kernel.workload)
    return _lay_out(selection, stage, cancelled, progress)


def story_of_recording(recording: Recording, cancelled: Callable[[], bool], progress: Progress | None = None) -> Story:
    """Lay out the frames of a recording; runs in a worker thread and executes no kernel.

    Raises
    ------
    TilescopeError
        When the recording is too large to be shown.
    """
    check_recording(recording.trace)
    trace, kernel = recording.trace, recording.kernel
    on_cpu, workload = (kernel.runs_on == "cpu", kernel.workload) if kernel is not None else (False, None)
    stage = Stage(trace, panels_of(recording), on_cpu, recorded_on(trace), workload)
    return _lay_out(None, stage, cancelled, progress or Progress())


def story_of_launch(
    custom: CustomLaunch,
    cancelled: Callable[[], bool],
    progress: Progress | None = None,
    schedule: str = "lockstep",
    architecture: Architecture = SM_80,
) -> Story:
    """Trace a custom launch and lay out its frames; parameters and errors as `story_of_selection`.

    `architecture` is that of a launch that names none.
    """
    from kernels.custom_launch.run import perform

    progress = progress or Progress()
    options = _start_run(custom.entry, cancelled, progress, schedule)
    trace = perform(custom, options, check_threads, architecture)
    story = story_of_recording(Recording(custom.file, trace, None), cancelled, progress)
    return replace(story, proposed=custom.proposed)


def prepared_story(
    make: Callable[[Callable[[], bool]], Story],
    source: Callable[[], object],
    picture: tuple[float, float, float],
    arch: str,
    cancelled: Callable[[], bool],
) -> Story:
    """Make a story, and what takes the page long to find for it: the caches of these functions keep their results.

    `source` finds the listing to show while the story is made. `picture` has the width and height of the canvas, and
    the height of a line of text on it; `arch` is the architecture of the selected device, such as sm_90.
    """
    source()
    story = make(cancelled)
    if len(story.memory) and not cancelled():
        arrange(build_scene(story.stage, story.memory.frames[0]), *picture)
        other_lines(source_of(story), arch)
    return story


def source_of(story: Story) -> Source:
    """Return the source that was run, with its macros, to be compared with the code of a GPU."""
    trace = story.stage.trace
    return Source(trace.text, trace.file, trace.defines, None, trace.included)


def panels_of(recording: Recording) -> tuple[Panel, ...]:
    """Return the panels of the recorded kernel's workload, else the array that is written and two that are read.

    Arrays with too many elements are omitted.
    """
    trace = recording.trace
    panels = recording.kernel.workload.panels if recording.kernel is not None else ()
    panels = panels if panel_views(trace, panels) else _guess_panels(trace)
    views = ((panel, view) for panel in panels for view in panel_views(trace, [panel]))
    return tuple(panel for panel, view in views if _can_be_seen(view))


def _can_be_seen(view: View) -> bool:
    if view.arrangement.kind == "strip":
        return view.arrangement.count <= LARGEST_RECORDED**2
    return max(view.rows, view.columns) <= LARGEST_RECORDED


def _guess_panels(trace: Trace) -> tuple[Panel, ...]:
    """Choose panels in the order of the kernel's parameters; the result is the first array that is written."""
    accessed = [trace.sites[number] for number in np.unique(trace.group_site)]
    written = {site.array for site in accessed if site.access != "read"}
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


def _start_run(name: str, cancelled: Callable[[], bool], progress: Progress, schedule: str) -> Options:
    """Report the start of a run and return its progress callback."""
    from kernels.simt import Options

    progress.begin(f"Running every thread of “{name}”")
    return Options(schedule=schedule, cancelled=cancelled, progress=progress.run)


def _lay_out(selection: Selection | None, stage: Stage, cancelled: Callable[[], bool], progress: Progress) -> Story:
    count = frame_count(stage.trace)
    check_frames(count)
    progress.begin(f"Laying out {count:,} pictures")
    memory, statements = (playlist(stage.trace, detail, stage.order) for detail in ("memory", "statement"))
    story = Story(selection, stage, memory, statements)
    if len(story.memory) and not cancelled():
        # Computes in this thread what is computed once for a trace, with the first picture or with a later one.
        for number in (0, len(story.memory) // 2):
            build_scene(stage, story.memory.frames[number])
            build_memory_row(stage, story.memory.frames[number])
        listing(stage.trace)
    return story


class Progress:
    """Progress, written by the worker thread and read by the window's thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.doing = ""
        """Current work, in words."""
        self.steps = 0
        """Steps of the run so far."""
        self.part = 0.0
        """Share of the simulator's limits used so far. A run's length is not known before its end."""
        self._clock = clock
        self._since = clock()

    def begin(self, doing: str) -> None:
        """Start another part of the work."""
        self.doing, self.steps, self.part = doing, 0, 0.0

    def run(self, steps: int, part: float) -> None:
        """Store the simulator's progress; a run that restarts, restarts here too."""
        if steps < self.steps or not self.steps:
            self._since = self._clock()
        self.steps, self.part = steps, part

    def words(self, seconds: float) -> str:
        """Return the current work, the time so far, and the longest time left."""
        lines = [f"{self.doing} … {seconds:.0f} s"]
        ran = self._clock() - self._since
        if self.steps:
            lines += [f"{self.steps:,} steps so far: {self.part:.0%} of the limit of a run"]
            if ran > _RATE_AFTER_S:
                lines += [f"At most {span(ran * (1 / self.part - 1))} left"]
        return "\n".join(lines)


def span(seconds: float) -> str:
    """Return a duration in words, rounded up."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds > 2 * length:
            return f"{math.ceil(seconds / length)} {unit}"
    return f"{math.ceil(seconds)} s"
