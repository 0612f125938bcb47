"""Assumptions of the compiler about a kernel, each with the consequence of its failure.

A kernel is compiled under the cheapest assumptions: a pointer points into one array, a register never has its address
taken, no thread waits for another outside of a barrier. Some of them turn out false only while later code is compiled,
or while the kernel runs. Then the fact is added here and `Recompile` is raised: the engine compiles and runs the kernel
again from its beginning. Facts are only added, or tried once and then
ruled out, so the attempts end.
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
    reassigned: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: an integer that is not assigned before a loop ends is invariant. These are: no range is derived."""
    separately_rounded: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: a product in a variable is only used in sums. These have other uses: they are not fused into an FMA."""
    address_taken: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: a variable's address is not taken, so it is a register. The addresses of these are: they are arrays."""
    possibly_unset: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: an initialised variable always has a value. These are assigned a copy of one without a value."""
    units: dict[tuple[Any, ...], int] = field(default_factory=dict)
    """Assumed: an array is accessed in its declared elements. These are accessed in smaller ones: the bytes of one."""
    met: dict[tuple[Any, ...], set[tuple[Any, ...]]] = field(default_factory=dict)
    """The arrays that each access through a pointer of `roaming` has touched so far."""
    functions: list[Function] = field(default_factory=list)
    """Functions whose address is taken; a function pointer's value is the position in this list."""
    selected_at_run_time: set[FunctionPointer] = field(default_factory=set)
    """Assumed: a function pointer has one known value when it is called. Calls of these types select at run time."""
    by_warp: bool = False
    """Assumed: all warps of a block reach the same barrier. They do not: run warp by warp."""
    counts_arrivals: bool = False
    """Assumed: all threads at a numbered barrier wait there. Some only arrive (`barrier.arrive`): count phases."""
    interleaving: int = 0
    """Assumed (0): no thread waits in a loop for another. Some do: interleave warps (1) or threads (2)."""
    whole_warps_only: bool = False
    """A warp function needs its lanes in one group: no interleaving of threads."""
    no_interleaving: bool = False
    """Interleaving was tried and cannot be compiled: run group by group."""
    single_threads: bool | None = None
    """Assumed (None): the lanes of a warp reach a warp function together. They may not: a group for each thread; False
    after that was tried and did not help."""
    atomics_order: bool | None = None
    """Assumed (None): no race depends on the order of atomics without a fence. One may: record that order; False if
    there is not enough memory for it."""

    # One method for each assumption that fails at a place in the source: it adds the fact and starts the next attempt.
    # `kernels.simt.machine.interleaving` sets `interleaving`, `single_threads` and `no_interleaving`, the engine sets
    # `atomics_order`: they depend on how a whole run went.

    def recompile_roaming(self, key: tuple[Any, ...]) -> NoReturn:
        """Compile the values of a pointer as addresses: it points into more than one array."""
        self.roaming.add(key)
        raise Recompile

    def recompile_changing(self, key: tuple[Any, ...]) -> NoReturn:
        """Derive no range for an integer: it is assigned in a loop."""
        self.reassigned.add(key)
        raise Recompile

    def recompile_rounded(self, keys: set[tuple[Any, ...]]) -> NoReturn:
        """Round products where they are computed: their variables are used outside of sums, too."""
        self.separately_rounded |= keys
        raise Recompile

    def recompile_addressed(self, key: tuple[Any, ...]) -> NoReturn:
        """Store a variable in memory: its address is taken."""
        self.address_taken.add(key)
        raise Recompile

    def recompile_unset(self, key: tuple[Any, ...]) -> NoReturn:
        """Track which lanes have a value of a variable: it is given a copy of one without a value."""
        self.possibly_unset.add(key)
        raise Recompile

    def recompile_by_warp(self) -> NoReturn:
        """Run warp by warp: the warps of a block wait at different barriers."""
        self.by_warp = True
        raise Recompile

    def recompile_arrivals(self) -> NoReturn:
        """Count the phases of numbered barriers: some threads arrive at one without waiting."""
        self.counts_arrivals = True
        raise Recompile

    def recompile_whole_warps(self, granularity: int) -> NoReturn:
        """Interleave warps instead of threads: a warp function needs its lanes in one group."""
        self.whole_warps_only, self.interleaving = True, granularity
        raise Recompile
