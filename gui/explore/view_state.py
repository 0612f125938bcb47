"""View of the Explore page that a lesson or an exercise finds, and that is put back when it is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.explore.playback.stage_state import Pane
    from gui.explore.player import Player
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
    def of(cls, player: Player, kernel: Kernel) -> ViewState:
        """Return the view of a player in which a kernel is selected."""
        playback, timeline = player.playback, player.timeline
        return cls(
            playback.chosen,
            playback.chosen_detail,
            (kernel, player.stage_bar.schedule),
            player.panes.shown,
            timeline.speed,
            timeline.stride,
        )

    def schedule_of(self, kernel: Kernel) -> str:
        """Return the order of warps and blocks in which a kernel is shown."""
        found, schedule = self.ordered
        return schedule if (found.base, found.file) == (kernel.base, kernel.file) else kernel.schedule

    def apply(self, player: Player) -> None:
        """Show this view, except for the order, which takes another run; what the launch lacks is left out."""
        bar, story, warps, warp = player.stage_bar, player.story, player.playback.warps, self.options.warp
        bar.choose_detail(self.every_statement, proposed=story is not None and story.is_short)
        bar.follow(warp if warp is not None and warp < warps else None)
        bar.blockSignals(True)  # the picture is painted once, in any case
        bar.set_options(self.options)
        bar.blockSignals(False)
        bar.options_changed.emit()
        player.panes.show_only(self.panes)
        player.timeline.set_speed(self.speed)
        player.timeline.set_stride(self.stride)
