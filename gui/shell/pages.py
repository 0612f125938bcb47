"""What pages the window has, and what it asks of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from gui.theming.theme import Theme


class Page(Protocol):
    """What the window asks of a page, a QWidget built from the session. Closing it ends its processes."""

    def set_theme(self, theme: Theme) -> None:
        """Take other colours."""


class PageSpec(NamedTuple):
    """A page that is imported and built when it is first shown; `selects` says that it follows the selection."""

    title: str
    module: str
    name: str
    tip: str
    selects: bool = True


PAGES: Final = (
    PageSpec("Explore", "gui.explore.page", "ExplorePage", "See what every thread does, step by step"),
    PageSpec("Benchmark", "gui.measure.page", "BenchmarkPage", "Measure kernels and plot GFLOPS against n"),
    PageSpec("Occupancy", "gui.occupancy.page", "OccupancyPage", "How many blocks fit on an SM, and why"),
    PageSpec(
        "Experiments",
        "gui.experiments.page",
        "ExperimentsPage",
        "Run published tables again, ours over theirs",
        selects=False,
    ),
)

RECORDINGS: Final = 0
"""Position of the page that shows a recording."""
