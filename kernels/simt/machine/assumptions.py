"""Assumptions of the compiler about a kernel, each with the consequence of its failure.

A kernel is compiled under the cheapest assumptions: a pointer points into one array, a register never has its address
taken, no thread waits for another outside of a barrier. Some of them turn out false only while later code is compiled,
or while the kernel runs. Then the fact is added here and `Recompile` is raised, by the method named after the fact: the
engine compiles and runs the kernel again from its beginning. Facts are only added, or tried once and then ruled out, so
the attempts end.

Example: `float *p = first; if (c) p = second; x = *p;`. In the first attempt p is an offset into the array `first`. The
second assignment calls `recompile_roaming` with the key of p, which raises `Recompile`. In the second attempt p
contains addresses, and `*p` splits its lanes by array.

No fact is collected by a pass over the tree before compiling, because each depends on what only the compiler or the run
knows: the declaration that a name means in an inlined function, a lambda or an instance of a template, the array that a
value points into, the lanes that are active. A pass would repeat that work for every kernel, and most kernels are
compiled once. The one fact that names alone decide, the assignments in a function, is a pass (`compiler.intervals`);
`reassigned` contains the variables that it cannot find.
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
    """Assumed: an integer that no statement of its function assigns is invariant, and a counter changes only in the
    step of its loop. These are assigned otherwise: no range is derived."""
    separately_rounded: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: a product in a variable is only used in sums. These have other uses: they are not fused into an FMA."""
    address_taken: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: a variable's address is not taken, so it is a register. The addresses of these are: they are arrays."""
    possibly_unset: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed: an initialised variable always has a value. These are assigned a copy of one without a value."""
    element_sizes: dict[tuple[Any, ...], int] = field(default_factory=dict)
    """Assumed: an array is accessed in its declared elements. These are accessed in smaller ones: the bytes of one."""
    touched_arrays: dict[tuple[Any, ...], set[tuple[Any, ...]]] = field(default_factory=dict)
    """The arrays that each access through a pointer of `roaming` has touched so far."""
    functions: list[Function] = field(default_factory=list)
    """Functions whose address is taken; a function pointer's value is the position in this list."""
    selected_at_run_time: set[FunctionPointer] = field(default_factory=set)
    """Assumed: a function pointer has one known value when it is called. Calls of these types select at run time."""
    by_warp: bool = False
    """Assumed: all warps of a block reach the same barrier. They do not: run warp by warp."""
    blocks_apart: bool = False
    """Assumed: blocks that run as one group wait equally often. They do not, and one stops others: run one by one."""
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
    values_needed: set[tuple[Any, ...]] = field(default_factory=set)
    """Assumed, where only accesses are counted: no address or branch depends on an array's contents. Those of these
    arrays are computed (`machine.skipped_values`)."""
    atomics_order: bool | None = None
    """Assumed (None): no race depends on the order of atomics without a fence. One may: record that order; False if
    there is not enough memory for it."""

    # One method for each fact: it adds the fact and starts the next attempt.

    def recompile_roaming(self, key: tuple[Any, ...]) -> NoReturn:
        """Compile the values of a pointer as addresses: it points into more than one array."""
        self.roaming.add(key)
        raise Recompile

    def recompile_touched_arrays(self) -> NoReturn:
        """Compile accesses by address for the arrays that they have touched (`touched_arrays`).

        Raised at the end of a run: races are judged by the arrays that the compiled kernel writes at all.
        """
        raise Recompile

    def recompile_reassigned(self, key: tuple[Any, ...]) -> NoReturn:
        """Derive no range for an integer: a loop counter is assigned in the body, or a variable by a reference."""
        self.reassigned.add(key)
        raise Recompile

    def recompile_separately_rounded(self, keys: set[tuple[Any, ...]]) -> NoReturn:
        """Round products where they are computed: their variables are used outside of sums, too."""
        self.separately_rounded |= keys
        raise Recompile

    def recompile_address_taken(self, key: tuple[Any, ...]) -> NoReturn:
        """Store a variable in memory: its address is taken."""
        self.address_taken.add(key)
        raise Recompile

    def recompile_possibly_unset(self, key: tuple[Any, ...]) -> NoReturn:
        """Track the lanes that have a value of a variable: it is assigned a copy of one without a value."""
        self.possibly_unset.add(key)
        raise Recompile

    def recompile_element_size(self, key: tuple[Any, ...], size_bytes: int) -> NoReturn:
        """Give an array elements of `size_bytes`: it is accessed in smaller ones than the declared."""
        self.element_sizes[key] = size_bytes
        raise Recompile

    def recompile_selected_at_run_time(self) -> NoReturn:
        """Compile calls through pointers for one more of `functions`: its address is taken after such a call."""
        raise Recompile

    def recompile_by_warp(self) -> NoReturn:
        """Run warp by warp: the warps of a block wait at different barriers."""
        self.by_warp = True
        raise Recompile

    def recompile_blocks_apart(self) -> NoReturn:
        """Run block by block: one block of a group waits for a phase that another one has ended."""
        self.blocks_apart = True
        raise Recompile

    def recompile_counts_arrivals(self) -> NoReturn:
        """Count the phases of numbered barriers: some threads arrive at one without waiting."""
        self.counts_arrivals = True
        raise Recompile

    def recompile_interleaving(self, granularity: int) -> NoReturn:
        """Interleave warps (1) or threads (2): one waits in a loop for another."""
        self.interleaving = granularity
        raise Recompile

    def recompile_whole_warps_only(self, granularity: int) -> NoReturn:
        """Interleave warps instead of threads: a warp function needs its lanes in one group."""
        self.whole_warps_only, self.interleaving = True, granularity
        raise Recompile

    def recompile_single_threads(self, granularity: int) -> NoReturn:
        """Try a group for each thread: lanes may reach a warp function in divergent code."""
        self.single_threads, self.interleaving = True, granularity
        raise Recompile

    def recompile_rejoined_warps(self) -> NoReturn:
        """Run whole warps again: a group for each thread did not help."""
        self.single_threads, self.interleaving = False, 0
        raise Recompile

    def recompile_values_needed(self, keys: frozenset[tuple[Any, ...]]) -> NoReturn:
        """Compute the contents of arrays: an address, a branch or a printed text depends on them."""
        self.values_needed |= keys
        raise Recompile

    def recompile_atomics_order(self, *, known: bool) -> NoReturn:
        """Record the order of atomics, on which a race depends; not `known`: stop, since memory is used up."""
        self.atomics_order = known
        raise Recompile
