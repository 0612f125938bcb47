"""Events that the machine announces, and the checkers that may observe them.

The machine reports an event where it happens and goes on in the same way whether or not a checker observes it: no
method returns anything that the run depends on. A checker is a class with the methods of one of the protocols below
(`kernels.simt.checkers`); if a field of `Checkers` is None, its events are not announced.

Vectors in an event may be shared with the machine's own state: an observer reads them or stores them, and never writes
to them. Lanes are linear numbers of threads in the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    import numpy as np
    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.simt.machine.affine_index import Pattern
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.machine import Machine
    from kernels.trace.records import Access, ArrayInfo

PartialBarrierKind = Literal["party", "arrive", "wait"]
"""Barriers of parts of a block: lanes that wait for each other (`party`), arrive in a phase, or waited for its end."""


class HeapBlock(NamedTuple):
    """A block of the device's heap."""

    size: int
    """Number of elements."""
    freed_line: int
    """The line that freed it; -1 if it was not freed."""


class BadAccess(NamedTuple):
    """One instruction whose access of `width` elements is outside of an array, or misaligned, for one or more lanes."""

    step: int
    span: Span
    access: Access
    info: ArrayInfo
    width: int
    lanes: int
    first_lane: int
    element: int
    """The element that the first lane accesses, counted from the beginning of its heap block if it is in one."""
    block: HeapBlock | None = None


class UninitialisedRead(NamedTuple):
    """Lanes of one instruction that read elements without a value."""

    step: int
    span: Span
    access: Access
    array: int
    info: ArrayInfo
    lanes: NDArray[np.int32]
    elements: NDArray[Any]
    cause: Callable[[], str] | None
    """Describes the store that left the elements without a value; None where there was no store."""
    on_heap: bool = False
    """True if the elements are in a block of the device's heap."""


class AccessObserver(Protocol):
    """Observes accesses that are errors on a GPU.

    Outside of an array the machine reads poison and writes nothing; it performs misaligned accesses.
    """

    def outside(self, bad: BadAccess) -> None:
        """Lanes access elements outside of an array."""

    def misaligned(self, bad: BadAccess) -> None:
        """Lanes access several elements at an address that is not a multiple of their size."""


class ReadObserver(Protocol):
    """Observes reads of elements without a value."""

    def uninitialised(self, read: UninitialisedRead) -> None:
        """Lanes read elements to which nothing has been stored; the machine reads poison."""


class BarrierObserver(Protocol):
    """Observes barriers at which some threads wait and others never arrive; the machine then releases those that wait.

    `lanes` are those that wait, ascending.
    """

    def incomplete_grid(self, step: int, span: Span, lanes: NDArray[np.int32]) -> None:
        """Lanes wait at a barrier of the grid."""

    def incomplete_blocks(self, step: int, span: Span, lanes: NDArray[np.int32]) -> None:
        """Lanes wait at a barrier of their block; some of the blocks may be complete."""

    def incomplete_groups(
        self, step: int, span: Span, lanes: NDArray[np.int32], keys: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> None:
        """Lanes wait at a barrier of a part of their block; `keys` number the parts, `sizes` are their threads."""

    def incomplete_phase(
        self, step: int, span: Span, lanes: NDArray[np.int32], missing: tuple[int, int] | None
    ) -> None:
        """Lanes wait for the end of a phase of a barrier in which too few threads have arrived.

        `missing` are the bytes that it waits for, and those that copies bring, where they differ.
        """


class OrderObserver(Protocol):
    """Observes accesses, and the events that order them: barriers, fences, atomics."""

    @property
    def stored_bytes(self) -> int:
        """Memory that the observer uses; it counts towards the limit of the run."""

    @property
    def observed_statements(self) -> Container[int]:
        """Statements whose steps are announced by `step`."""

    @property
    def observed_sites(self) -> Container[int]:
        """Sites whose accesses are announced by `access`."""

    def step(self, statement: int, lanes: NDArray[np.int32]) -> None:
        """Lanes execute a statement that orders accesses."""

    def access(
        self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any], values: NDArray[Any] | None
    ) -> None:
        """Lanes access one element each; `values` are those of a write."""

    def affine_access(self, step: int, site: int, pattern: Pattern, shift: int, values: NDArray[Any] | None) -> None:
        """Lanes of a pattern read or write at `pattern.index + shift`."""

    def issue_copy(
        self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any], values: NDArray[Any]
    ) -> None:
        """Lanes issue a copy: the write may happen at any time from now on, until `access` announces it."""

    def issue_read(self, step: int, site: int, lanes: NDArray[np.int32], index: NDArray[Any]) -> None:
        """Lanes start an instruction of the async proxy that reads until `access` announces the read again."""

    def proxy_fence(self, lanes: NDArray[np.int32]) -> None:
        """Lanes order what they have stored before what the async proxy reads later."""

    def sync_warp(self, lanes: NDArray[np.int32], lane_masks: NDArray[Any] | None) -> None:
        """Lanes pass a `__syncwarp`; `lane_masks` is the mask argument of each, None where all masks are equal."""

    def partial_barrier(self, kind: PartialBarrierKind, lanes: NDArray[np.int32], at: NDArray[np.int64]) -> None:
        """Lanes pass barriers of parts of a block; `at` is the number of each lane's barrier or phase."""

    def barrier(self, lanes: NDArray[np.int32] | None = None, whole: bool = False) -> None:
        """Lanes pass the barrier of their blocks; `whole`: no other lanes run. None: all lanes have returned."""

    def grid_barrier(self) -> None:
        """All lanes pass a barrier of the grid."""


class AccessCounter(Protocol):
    """Observes the steps and accesses of a run that is not recorded.

    A lane set is given by its number in the recorder's `masks`, a statement, site or array by its number in the trace.
    """

    def begin(self, machine: Machine) -> None:
        """Start, or start again: forget what has been observed."""

    def step(self, statement: int, row: int) -> None:
        """Lanes execute a statement."""

    def end_batch(self) -> None:
        """All blocks of a batch have ended: the numbers of its lane sets will be used again for others."""

    def access(self, site: int, row: int, index: Value, outside: bool) -> None:
        """Lanes access the elements that begin at an index: one for each lane, or one for all.

        Without `outside` all of them are in the array.
        """

    def affine_access(self, site: int, pattern: Pattern, shift: int) -> None:
        """Lanes of a pattern access the elements that begin at `pattern.index + shift`; all are in the array."""


@dataclass(frozen=True, slots=True)
class Checkers:
    """The checkers of a run, by the names of Compute Sanitizer's tools; None where one is absent."""

    memcheck: AccessObserver | None = None
    initcheck: ReadObserver | None = None
    racecheck: OrderObserver | None = None
    synccheck: BarrierObserver | None = None
