"""Assumptions of the compiler about a kernel, each with the consequence of its failure.

A kernel is compiled under the cheapest assumptions: a pointer points into one array, a register never has its address
taken, no thread waits for another outside of a barrier. Some of them turn out false only while later code is compiled,
or while the kernel runs. Then the fact is noted here and `Recompile` is raised: the engine compiles and runs the
kernel again from its beginning. Facts are only ever added, or tried once and given up, so this ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from kernels.frontend.ast import Function
    from kernels.frontend.types import FunctionPointer


class Recompile(Exception):
    """An assumption failed, and `Assumptions` now say so: compile the kernel again."""


@dataclass(slots=True)
class Assumptions:
    """Facts about one kernel that contradict the cheapest assumptions; variables are given by their keys."""

    roaming: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: a pointer points into one array. These can point into more than one: their values are addresses."""
    changing: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: an integer that looks loop-invariant is. These are assigned after all: no range is derived."""
    rounded: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: a product in a variable is used in sums only. These are needed by themselves: they are not fused."""
    addressed: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: the address of a variable is not taken. That of these is: they live in memory."""
    unset: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: a variable declared with a value always has one. These are given a copy of what has none."""
    units: dict[tuple[Any, ...], int] = field(default_factory=dict)
    """Assumed: an array is accessed in its declared elements. These are accessed in smaller ones, of so many bytes."""
    met: dict[tuple[Any, ...], set[tuple[Any, ...]]] = field(default_factory=dict)
    """Arrays that accesses through each roaming pointer have met."""
    functions: list[Function] = field(default_factory=list)
    """Functions that a pointer points to; a pointer's value is the position in this list."""
    chosen: set[FunctionPointer] = field(default_factory=set)
    """Assumed: a function pointer has one value when it is called. Calls through these types select at run time."""
    parted: bool = False
    """Assumed: all warps of a block wait at the same barrier. They do not: run warp by warp."""
    arrivals: bool = False
    """Assumed: all threads that reach a numbered barrier wait at it. Some only arrive (`bar.arrive`): count phases."""
    turns: int = 0
    """Assumed: no thread waits in a loop for another. Some do: interleave warps (1) or threads (2)."""
    together: bool = False
    """Warps cannot be taken apart into threads: no thread-by-thread interleaving."""
    in_step: bool = False
    """Interleaving was tried and cannot be compiled: run group by group."""
    apart: bool | None = None
    """Assumed: the lanes of a warp call a warp function at the same place. They may not: one group a thread; False
    where that was tried in vain."""
    observes: bool | None = None
    """Assumed: atomics without a fence order nothing that matters. A race depends on it: keep their order; False where
    there is no memory for that."""

    # One function for each assumption that fails at a place in the code: it adds the fact and starts the next attempt.
    # (`kernels.simt.machine.interleaving` does the same for turns, `apart` and `in_step`, the engine for `observes`.)

    def recompile_roaming(self, key: tuple[Any, ...]) -> NoReturn:
        """Compile the values of a pointer as addresses: it points into more than one array."""
        self.roaming.add(key)
        raise Recompile

    def recompile_changing(self, key: tuple[Any, ...]) -> NoReturn:
        """Derive no range for an integer: it is assigned in a loop."""
        self.changing.add(key)
        raise Recompile

    def recompile_rounded(self, keys: set[tuple[Any, ...]]) -> NoReturn:
        """Round products where they are computed: their variables are used outside of sums, too."""
        self.rounded |= keys
        raise Recompile

    def recompile_addressed(self, key: tuple[Any, ...]) -> NoReturn:
        """Store a variable in memory: its address is taken."""
        self.addressed.add(key)
        raise Recompile

    def recompile_unset(self, key: tuple[Any, ...]) -> NoReturn:
        """Track which lanes have a value of a variable: it is given a copy of one without a value."""
        self.unset.add(key)
        raise Recompile

    def recompile_by_warp(self) -> NoReturn:
        """Run warp by warp: the warps of a block wait at different barriers."""
        self.parted = True
        raise Recompile

    def recompile_arrivals(self) -> NoReturn:
        """Count the phases of numbered barriers: some threads arrive at one without waiting."""
        self.arrivals = True
        raise Recompile

    def recompile_whole_warps(self, turns: int) -> NoReturn:
        """Interleave warps instead of threads (`turns`): a warp function needs its lanes in one group."""
        self.together, self.turns = True, turns
        raise Recompile
