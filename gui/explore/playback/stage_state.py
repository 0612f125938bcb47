"""State of the Explore page: a launch, the order in which it runs, a moment of it, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from kernels.custom_launch.model import CustomLaunch

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.explore.stage.focus import Focus
    from gui.explore.stage.scene import Colouring, Zoom
    from gui.selection.session import Selection
    from kernels.analysis import Frame
    from kernels.catalog import Kernel
    from kernels.fill import Fills
    from kernels.launch import Dim3
    from kernels.trace import Trace
    from kernels.workload import Size

Pane = Literal["code", "thread", "memory", "totals"]
"""Part of the page that is shown on demand, beside or below the picture."""

PANES: Final[tuple[Pane, ...]] = get_args(Pane)


class Order(NamedTuple):
    """An order in which a GPU may run warps and blocks; a picture must be right in all of them."""

    words: str
    schedule: str
    """The order as the simulator calls it."""


ORDERS: Final = (
    Order("lockstep", "lockstep"),
    Order("warp by warp", "warps"),
    Order("reversed", "reversed"),
    Order("random 1", "shuffle:1"),
    Order("random 2", "shuffle:2"),
    Order("random 3", "shuffle:3"),
)
"""The first is the default."""


@dataclass(frozen=True, slots=True)
class StageState:
    """State to show, such as a step of a lesson."""

    kernel: Kernel | CustomLaunch
    size: Size
    block: Dim3
    schedule: str
    """Order of warps and blocks, as the simulator calls it."""
    find: Callable[[Trace], tuple[Frame, Focus]]
    """Returns the moment and what is in focus; may raise TilescopeError, where the run has no such moment."""
    zoom: Zoom = "block"
    colouring: Colouring = "block"
    reads: bool = False
    fills: Fills | None = None
    """Inputs; None for the usual ones."""
    compared: tuple[Kernel, Size, Dim3] | None = None
    """Launch that is shown beside it."""
    every_statement: bool | None = None
    """Steps that are played; None as on the page."""
    warp: int | None = None
    """Number, in its block, of the warp whose steps alone are played."""
    panes: frozenset[Pane] | None = None
    """Panes that are shown; None as on the page."""
    lead: int = 0
    """Steps that are played up to the moment, unless another launch is shown beside it."""

    def shows(self, selection: Selection | None) -> bool:
        """Return whether a selection, None for a custom launch, is this launch; its source may have been edited."""
        if selection is None or isinstance(self.kernel, CustomLaunch):
            return selection is None and isinstance(self.kernel, CustomLaunch)
        return selection.launch == (self.kernel.id, self.size, self.block, self.fills)
