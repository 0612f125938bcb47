"""From a selection to what the page plays: the traced stage and its frames. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.explore.build import build_scene
from gui.explore.stage import Stage
from kernels.insight import playlist
from kernels.simt import Options
from kernels.tracing import trace_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.session import Selection
    from kernels.insight import Playlist
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """What tracing one selection gave: the stage and, for each detail, its frames."""

    selection: Selection
    stage: Stage
    memory: Playlist
    statements: Playlist

    @property
    def is_short(self) -> bool:
        """Whether each block has a single memory step: then the way there is what there is to see."""
        return len(self.memory) == len(self.memory.block_starts)


def tell(selection: Selection, cancelled: Callable[[], bool], schedule: str = "lockstep") -> Story:
    """Trace a selection and lay its frames out; runs away from the window's thread.

    `schedule` is the order in which blocks and warps run, as `kernels.simt.Options` has it.

    Raises
    ------
    TilescopeError
        When the launch or the source is refused.
    """
    kernel = selection.kernel
    trace = trace_kernel(
        kernel, selection.size, selection.block, options=Options(schedule=schedule, cancelled=cancelled)
    )
    story = story_of(selection, trace)
    if len(story.memory) and not cancelled():
        build_scene(story.stage, story.memory.frames[0])  # fills what the stage computes once
    return story


def story_of(selection: Selection, trace: Trace) -> Story:
    """Lay out the frames of a trace of the selection, wherever it was made."""
    kernel = selection.kernel
    stage = Stage(trace, kernel.workload.panels, on_cpu=kernel.runs_on == "cpu")
    return Story(selection, stage, playlist(trace, "memory"), playlist(trace, "statement"))
