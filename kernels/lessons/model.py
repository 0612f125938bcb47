"""A lesson: launches, and steps that each show a moment of one of them with a caption."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.launch import Dim3
    from kernels.workload import Size

PageName = Literal["explore", "benchmark", "occupancy", "tables"]
PAGE_NAMES: Final = get_args(PageName)

Does = Literal["", "load", "store", "barrier", "hazard", "wrong"]
"""Kind of a step of the trace: it reads or writes global memory, waits at a barrier, shows a hazard, or stores a
result that stays wrong. "" for any."""
DOES: Final = get_args(Does)

ZOOMS: Final = ("grid", "block", "warp")
COLOURS: Final = ("block", "warp", "thread")

PaneName = Literal["code", "thread", "memory", "totals"]
PANES: Final[tuple[PaneName, ...]] = get_args(PaneName)
"""Parts of the Explore page that are shown on demand, beside or below the picture."""


@dataclass(frozen=True, slots=True)
class Run:
    """A launch of a lesson."""

    name: str
    """Name by which steps and fields of the lesson refer to it."""
    kernel: Kernel
    size: Size
    block: Dim3
    schedule: str
    """Order of warps and blocks, as `kernels.simt.Options` has it."""
    device: Device
    """GPU of its occupancy."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Description of a frame that stays valid when the kernel's text is edited: the n-th frame that fits."""

    block: tuple[int, ...] = ()
    """blockIdx; () for the first block that has a frame."""
    phase: int | None = None
    does: Does = ""
    line: str = ""
    """Part of the statement's text; spaces do not count."""
    number: int = 1
    """Position among the frames that fit, from 1; from -1 backwards."""


@dataclass(frozen=True, slots=True)
class Lit:
    """Thing that is in focus: at most one of the three."""

    thread: tuple[int, ...] = ()
    """threadIdx in the block of the moment."""
    element: str = ""
    """Element as the source names it, such as `C[1][2]`."""
    line: str = ""
    """Part of a statement's text."""


@dataclass(frozen=True, slots=True)
class Click:
    """What is to be clicked in the picture, by what the step does: one of the five."""

    reads: str = ""
    """A thread that reads this element."""
    writes: str = ""
    """A thread that writes this element."""
    read_by: tuple[int, ...] = ()
    """An element that this thread of the block reads."""
    written_by: tuple[int, ...] = ()
    """An element that this thread of the block writes."""
    role: Literal["", "idle", "active", "zero-fill", "guarded-off"] = ""
    """A thread with this role."""

    @property
    def wants_element(self) -> bool:
        """True if an element is asked for, false for a thread."""
        return bool(self.read_by or self.written_by)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that is answered by a choice, a number or a click. Texts have fields, as captions do."""

    text: str
    answer: str
    """What is said when it was answered."""
    right: str = ""
    """The right choice."""
    number: str = ""
    """Field of the right number."""
    click: Click | None = None
    wrong: tuple[tuple[str, str], ...] = ()
    """Wrong choices, or fields of wrong numbers, each with its reason."""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One picture of a lesson, and what is said about it."""

    run: str
    caption: str
    """Text with fields, as `kernels.lessons.fields` describes them."""
    at: Moment = field(default_factory=Moment)
    lit: Lit = field(default_factory=Lit)
    zoom: str = "block"
    colour: str = "block"
    panes: tuple[PaneName, ...] = ()
    """Panes that are shown, as long as no other step of the lesson names some; () for those that are shown already."""
    reads: bool = False
    """Show how often each element was read in place of its value."""
    compare: str = ""
    """Run that is shown beside it; "" for none."""
    refused: bool = False
    """True for a launch that the device refuses: the picture gives the reason."""
    page: PageName = "explore"
    table: str = ""
    """Experiment to show, on the page of the published tables."""
    ask: Ask | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A worked example of the course in at most ten minutes."""

    id: str
    order: int
    subject: str
    """Part of the course; lessons of one follow each other."""
    title: str
    goal: str
    """One sentence: what the audience can do afterwards."""
    minutes: int
    runs: Mapping[str, Run]
    steps: tuple[LessonStep, ...]
    practice: tuple[str, ...] = ()
    """Ids of exercises that follow it."""
