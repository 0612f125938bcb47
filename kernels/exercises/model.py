"""Exercises as frozen data: a source to complete, the launches that judge it, and the gates of its counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

from kernels.architecture import SM_80
from kernels.simt.checkers import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.architecture import Architecture, Names
    from kernels.catalog import Kernel
    from kernels.catalog.model import Order
    from kernels.fill import Fills
    from kernels.launch import Dim3
    from kernels.lessons.model import Moment
    from kernels.trace.records import Access
    from kernels.workload import Size

GateKind = Literal[
    "right",
    "hazards",
    "sectors",
    "wavefronts",
    "loads",
    "shared_loads",
    "atomics",
    "divergence",
    "barriers",
    "registers",
]
"""right: every result on every hidden size. hazards: none on any. sectors: of global memory for each request of a warp.
wavefronts: those of shared memory that bank conflicts add. loads: elements that all threads read from a global array.
shared_loads: the same of shared memory, all arrays together, with the reads of atomics. atomics: atomic operations of
all threads on global memory. divergence: executions of statements by a part of a warp. barriers: barriers of threads
of a block that a warp executes, on average. registers: of a thread, compiled for `REGISTERS_ARCH`."""

LaunchField = Literal["grid", "dynamic_shared", "clear"]
"""Fields of a launch rule that an answer may change."""

COUNTS: Final[tuple[GateKind, ...]] = tuple(kind for kind in get_args(GateKind) if kind not in ("right", "hazards"))
"""Gates that a file can list; the others hold for every exercise."""

LAUNCH_FIELDS: Final[tuple[LaunchField, ...]] = get_args(LaunchField)

ADVICE: Final = ("wrong", "not-a-number", "unwritten", *(kind for kinds in KINDS.values() for kind in kinds))
"""Kinds of mistakes: wrong results, results that are NaN, results that are never written, and the kinds of hazards."""

REGISTERS_ARCH: Final = "sm_80"


@dataclass(frozen=True, slots=True)
class Case:
    """A launch whose result is checked: problem size, block and inputs."""

    size: Size
    block: Dim3
    fills: Fills
    schedule: Order = "lockstep"
    """Order of warps and blocks: that of the given source."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit that an answer must keep."""

    kind: GateKind
    most: str = "0"
    """A number or a C expression of the workload's scalars and the block's sides."""
    array: str = ""
    """The array that is counted; "" for all."""
    access: Access = "read"
    """The accesses that `sectors` counts."""
    case: Case | None = None
    """The launch that is counted; None for `right` and `hazards`, which are of every case."""
    advice: str = ""
    """A sentence for an answer that exceeds the limit; "" for the general one."""


@dataclass(frozen=True, slots=True)
class TimeGate:
    """A speed-up over the given source on a GPU. It does not decide whether an answer passes: not everyone has one."""

    case: Case
    """The launch that is timed; its inputs are those of measurements."""
    at_least: float
    """How many times as fast as the given source."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A moment of a kernel of the catalogue."""

    kernel: str
    """Its id, with options."""
    size: Size
    block: Dim3
    at: Moment


@dataclass(frozen=True, slots=True)
class Hint:
    """One hint; the last of an exercise may show a worked picture."""

    text: str
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise."""

    id: str
    order: int
    """Position in teaching order."""
    title: str
    goal: str
    """One sentence."""
    text: str
    """The given source, with its tilescope comment."""
    begin: str
    """Text of the line on which the answer begins."""
    kernel: Kernel
    """The launch rule of the given source. It is no kernel of the catalogue, and has no file."""
    cases: tuple[Case, ...]
    """The hidden sizes and inputs."""
    gates: tuple[Gate, ...]
    """`right`, `hazards`, then the counts."""
    hints: tuple[Hint, ...] = ()
    """At most three, each of which says more than the one before."""
    advice: Mapping[str, str] = field(default_factory=dict)
    """By kind of mistake: a sentence for an answer in which nothing more specific is recognised. The kinds are
    `ADVICE`."""
    answer_sets: tuple[LaunchField, ...] = ()
    """Fields of the launch rule that are read from the answer's comment; all others are those of the given source."""
    time: TimeGate | None = None
    """Only where the given source is right and slow."""
    architecture: Architecture = SM_80
    """The GPU whose code is judged, the same on every machine."""

    def macros(self, kernel: Kernel, case: Case) -> Names:
        """Return the macros of a case, with the launch rule of an answer."""
        return self.architecture.among(kernel.defines(case.size, case.block))
