"""Pages of the window, and their interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from gui.selection.selection_bar import Field
    from gui.selection.shapes import Scale
    from gui.shell.settings import Settings
    from gui.theming.theme import Theme


class Page(Protocol):
    """Interface of a page: a QWidget built from the session. Closing it stops its processes."""

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours."""


@runtime_checkable
class RemembersChoices(Protocol):
    """Interface of a page with choices that are kept for the next start."""

    def remember_choices(self, settings: Settings) -> None:
        """Restore the choices, and save them as they change."""


@runtime_checkable
class Presents(Protocol):
    """Interface of a page that can fill the screen with its picture."""

    def present(self) -> None:
        """Fill the screen until the user leaves."""


@runtime_checkable
class HasParts(Protocol):
    """Interface of a page with widgets out of sight, whose style sheets it sets itself when they are shown."""

    @property
    def parts(self) -> Sequence[QWidget]:
        """The other widgets."""


class PageSpec(NamedTuple):
    """Specification of a page, which is imported and built on first use."""

    title: str
    module: str
    name: str
    """Name of the page's class in `module`."""
    tip: str
    selects: bool = True
    """True if the page follows the selection."""
    scale: Scale = "picture"
    """Scale of the sizes and blocks that it shows."""
    fields: tuple[Field, ...] = ()
    """Fields of the selection, beside the kernel, that act on the page."""


PAGES: Final = (
    PageSpec(
        "Explore", "gui.explore.page", "ExplorePage", "See what every thread does, step by step", fields=("shape",)
    ),
    PageSpec("Benchmark", "gui.measure.page", "BenchmarkPage", "Measure kernels and plot GFLOPS against n"),
    PageSpec(
        "Occupancy",
        "gui.occupancy.page",
        "OccupancyPage",
        "How many blocks fit on an SM, and why",
        scale="device",
        fields=("shape", "device"),
    ),
    PageSpec(
        "Experiments",
        "gui.experiments.page",
        "ExperimentsPage",
        "Run published tables again and compare the results",
        selects=False,
    ),
)

RECORDINGS: Final = 0
"""Position of the page that shows a recording."""
