"""View of the Explore page that a lesson or an exercise finds, and that is put back when it is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.explore.page import ExplorePage
    from gui.explore.playback.stage_state import Pane
    from gui.explore.stage.scene import Options
    from gui.explore.timeline.marks import Stride
    from kernels.catalog import Kernel


@dataclass(frozen=True, slots=True)
class ViewState:
    """Everything about the page's picture but its launch, its step and what is in focus.

    A lesson belongs to its launches, so these stay when it is left; how they are shown belongs to the viewer.
    """

    options: Options
    """Zoom, colours, heat map, and the warp that is played alone."""
    every_statement: bool | None
    """Detail that the user has chosen; None if each launch has its own."""
    ordered: tuple[Kernel, str]
    """Kernel, and the order of its warps and blocks; another kernel has its own."""
    panes: frozenset[Pane]
    speed: float
    stride: Stride

    @classmethod
    def of(cls, page: ExplorePage, kernel: Kernel) -> ViewState:
        """Return the view of a page on which a kernel is selected."""
        bar, timeline = page.stage_bar, page.timeline
        return cls(
            bar.chosen_options,
            bar.chosen_detail,
            (kernel, bar.schedule),
            page.panes.shown,
            timeline.speed,
            timeline.stride,
        )

    def schedule_of(self, kernel: Kernel) -> str:
        """Return the order of warps and blocks in which a kernel is shown."""
        found, schedule = self.ordered
        return schedule if (found.base, found.file) == (kernel.base, kernel.file) else kernel.schedule

    def apply(self, page: ExplorePage) -> None:
        """Show this view, except for the order, which takes another run; what the launch lacks is left out."""
        bar, story = page.stage_bar, page.story
        bar.choose_detail(self.every_statement, proposed=story is not None and story.is_short)
        warps = 0 if story is None or story.stage.on_cpu else story.stage.trace.launch.warps_per_block
        warp = self.options.warp
        bar.follow(warp if warp is not None and warp < warps else None)
        bar.blockSignals(True)  # the picture is painted once, with all options
        bar.set_zoom(self.options.zoom)
        bar.set_colouring(self.options.colouring)
        bar.set_reads(self.options.reads)
        bar.blockSignals(False)
        bar.options_changed.emit()
        page.panes.show_only(self.panes)
        page.timeline.set_speed(self.speed)
        page.timeline.set_stride(self.stride)
