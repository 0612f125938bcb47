"""Pages of the window, and their interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from PySide6.QtGui import QPixmap
    from PySide6.QtWidgets import QMenu, QWidget

    from gui.selection.selection_bar import Field
    from gui.selection.shapes import Scale
    from gui.shell.settings import Settings
    from gui.theming.theme import Theme
    from kernels.bench.sample import Entry
    from kernels.launch import Dim3
    from kernels.workload import Size


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


@runtime_checkable
class HasTools(Protocol):
    """Interface of a page with buttons for the window's bar and menus for its menu."""

    @property
    def tools(self) -> Sequence[QWidget]:
        """Buttons, shown while the page is."""

    @property
    def menus(self) -> Sequence[QMenu]:
        """Menus, shown while the page is."""


class Saved(Protocol):
    """Interface of a session that was read, to the window."""

    @property
    def page(self) -> str:
        """Title of the page that was shown."""

    @property
    def device(self) -> str:
        """Id of the selected device."""

    @property
    def shape(self) -> tuple[Size, Dim3] | None:
        """Size and block on a page with larger sizes, if one was shown."""


@runtime_checkable
class SavesSession(Protocol):
    """Interface of the page that writes what the window shows into a file, and shows it again."""

    def save_session(self, path: Path, title: str) -> None:
        """Write what is shown, and the title of the page that is shown; raises InputError."""

    def open_session(self, path: Path) -> Saved:
        """Read a session, and show it; raises InputError, and what is shown stays."""


class Shell(Protocol):
    """Interface of the window to a page that opens others."""

    def show_page(self, number: int) -> None:
        """Show a page, built on its first use."""

    def page(self, number: int) -> QWidget:
        """Return a page that has been built."""

    def show_drawer(self, drawer: QWidget | None) -> None:
        """Show a narrow panel beside every page, in place of the one before; None for none."""

    def choose_file(self) -> None:
        """Ask for a file, and open it."""


@runtime_checkable
class OpensPages(Protocol):
    """Interface of a page that opens other pages."""

    def set_shell(self, shell: Shell) -> None:
        """Keep the window that shows them."""


@runtime_checkable
class AnswersQuestions(Protocol):
    """Interface of a page with lessons, whose steps answer questions."""

    def answer(self, lesson: str, step: int, lead: int) -> None:
        """Present a step of a lesson, from 0; first `lead` steps of its run are played."""


@runtime_checkable
class PlaysKernels(Protocol):
    """Interface of a page that plays kernels."""

    def play_kernel(self, kernel: str) -> None:
        """Present a kernel of the catalogue, by its id, and play it from its beginning."""


@runtime_checkable
class Measures(Protocol):
    """Interface of the page that measures."""

    def propose(self, curves: tuple[Entry, ...]) -> None:
        """Check exactly some curves, which the user then starts to measure."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that the user can do or open, found by its words in the command palette."""

    title: str
    kind: str
    """One word, such as Action or Lesson."""
    run: Callable[[], object]
    keys: str = ""
    """Keys that do the same, as people read them."""
    words: str = ""
    """Other words by which it is found."""


class CommandModule(Protocol):
    """Interface of a module with the commands of a page, which need not be built."""

    def commands(self, open_page: Callable[[], QWidget]) -> Iterable[Command]:
        """Return the commands; `open_page` shows the page and returns it."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of a page's picture, for the help."""

    picture: QPixmap
    title: str
    meaning: str


class SignModule(Protocol):
    """Interface of a module with the signs of a page, which need not be built."""

    def signs(self, theme: Theme, side: int, ratio: float) -> Iterable[Sign]:
        """Return the signs, `side` pixels high, in a theme's colours, for a screen with a ratio of pixels."""


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
    """Fields of the selection, in addition to the kernel, that act on the page."""
    fills: bool = False
    """True if the page fills the window, without room around it."""
    commands: str = ""
    """Module with the page's commands, a `CommandModule`; besides, its keys and menus are commands."""
    signs: str = ""
    """Module with the signs of the page's picture, a `SignModule`."""
    sign: str = ""
    """What its button, before those of the others, shows in place of the title."""


PAGES: Final = (
    PageSpec(
        "Explore",
        "gui.explore.page",
        "ExplorePage",
        "See what every thread does, step by step",
        fields=("shape",),
        fills=True,
        signs="gui.explore.stage.signs",
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
        "Learn",
        "gui.learn.page",
        "LearnPage",
        "Lessons, exercises, and published tables to measure again",
        selects=False,
        commands="gui.learn.commands",
    ),
    PageSpec(
        "Home",
        "gui.start.page",
        "StartPage",
        "Questions that are answered by one click",
        selects=False,
        fills=True,
        sign="⌂",
    ),
)

EXPLORE, BENCHMARK, OCCUPANCY, LEARN, START = range(len(PAGES))
"""Positions of the pages."""

RECORDINGS: Final = EXPLORE
"""Position of the page that shows a recording."""


def page_of_title(title: str, otherwise: int) -> int:
    """Return the position of the page with a title, or another position where there is none."""
    return next((number for number, spec in enumerate(PAGES) if spec.title == title), otherwise)
