"""Arrays during a run: reads, writes and atomics by all active lanes at once, with bounds checks and poison.

Each access takes the first of three paths that fits, the cheapest first:

1. An affine index whose extremes are inside the array: `data` is sliced or taken once, without a check of any lane.
2. A uniform index: one element for all lanes.
3. Any other index: lanes outside the array are announced and masked out; they read poison and write nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.simt.machine.affine_index import AffineIndex
from kernels.simt.machine.arithmetic import Value, poison, uniform
from kernels.simt.machine.exchange import exchange, replace_value
from kernels.simt.machine.observer import BadAccess, UninitialisedRead

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kernels.frontend.ast import Span
    from kernels.frontend.types import CType, Scalar
    from kernels.simt.machine.lanes import Active, Group, Mask
    from kernels.simt.machine.observer import HeapBlock
    from kernels.simt.machine.recorder import Tally
    from kernels.trace.records import Access, ArrayInfo

_UNSIGNED: Final = {size: np.dtype(f"u{size}") for size in (4, 8)}


class PendingRead(NamedTuple):
    """A read that an instruction in flight has begun."""

    site: int
    lanes: NDArray[np.int32]
    elements: NDArray[Any]


class Memory:
    """One array of the grid, or every copy of one shared or local array in a batch of blocks.

    Copies are contiguous in `data`; a group's `bases[number]` holds the begin of each lane's copy. Example: `__shared__
    float s[64]` in a batch of 4 blocks is one vector of 256 elements, and the bases of block 2's lanes are 128.
    """

    on_heap = False
    """True for the device's heap, whose blocks the host cannot read after the launch."""

    def __init__(self, number: int, info: ArrayInfo, kind: Scalar, recorder: Tally) -> None:
        self.number = number
        self.info = info
        self.kind = kind
        self.declared: CType = kind
        """The declared type; `kind` is the type of an element."""
        self.size = info.size
        """Number of elements of one copy."""
        self.constant = info.space == "constant"
        self.const = self.constant
        """True if the kernel must not write it."""
        self.key: tuple[Any, ...] = ()
        """Key of the variable in `Assumptions`."""
        self.initial: NDArray[Any] | None = None
        """Contents of each copy at the start of its block or thread, if it has any."""
        self.argument_type: tuple[np.dtype[Any], tuple[int, ...]] = (info.dtype, info.shape)
        """Type and shape of the caller's argument."""
        self.data: NDArray[Any] = np.zeros(0, info.dtype)
        self._written: NDArray[np.bool_] | None = None
        """Elements that have a value; None once all have one, so that no test is needed."""
        self._causes: NDArray[np.intp] | None = None
        """For elements without a value: the position in `_cause_texts` of the store that caused it, or -1."""
        self._cause_texts: list[Callable[[], str]] = []
        self._recorder = recorder

    def load(self, values: NDArray[np.generic]) -> None:
        """Copy the contents before the launch into the array."""
        self.data = values.reshape(-1).astype(self.info.dtype)
        self._written = None

    @property
    def used_contents(self) -> NDArray[Any]:
        """The elements that can have been written."""
        return self.data

    def final_info(self) -> ArrayInfo:
        """Return the array's entry in the trace, after the kernel has run."""
        return self.info

    def contents(self) -> NDArray[Any] | None:
        """Return a copy of the contents, in the array's shape; None if some element has no value."""
        return None if self._written is not None else self.data.reshape(self.info.shape).copy()

    def result(self) -> NDArray[Any]:
        """Return the present contents in the type and shape of the caller's argument."""
        dtype, shape = self.argument_type
        return self.data.view(dtype).reshape(shape)

    def written_elements(self) -> NDArray[np.bool_]:
        """Return which elements hold a value, in the array's shape."""
        known = np.ones(len(self.data), bool) if self._written is None else self._written
        return known.reshape(self.info.shape)

    def locate(self, index: int) -> int:
        """Return the position in `data` of an index; -1 if it is outside of the array."""
        return index if 0 <= index < self.size else -1

    def clear(self, copies: int = 1) -> None:
        """Allocate a number of copies, with the initial contents if there are any, otherwise without a value."""
        self._causes = None
        if self.initial is not None:
            self.data, self._written = np.tile(self.initial, copies), None
            return
        self.data = np.full(copies * self.size, poison(self.kind), self.info.dtype)
        self._written = np.zeros(copies * self.size, bool)

    def read(self, group: Group, mask: Active, index: Value, site: int, span: Span, width: int = 1) -> Value:
        """Return one element for each active lane, or a row of `width` of them; poison for elements without a value."""
        base = group.bases[self.number]
        if type(index) is AffineIndex:
            # Path 1. Everything that the checkers would announce is excluded here once for all lanes.
            if self._fits(index, width) and (self._complete() or self._holds(group, mask, index, width)):
                return self._take(group, mask, index, site, width)
            index = index.vector
        if type(index) is not np.ndarray:
            # Path 2. In shared memory a uniform index is a different element in each block, so it needs the vector.
            if width == 1 and base is None and 0 <= index < self.size and self._complete():
                self._recorder.access(site, group, mask, index)
                return uniform(self.data[index], self.kind)
            index = np.full(group.size, index, np.int64)
        chosen = index if mask is None else index[mask.where]
        outside = self._outside(chosen, width)
        self._recorder.access(site, group, mask, chosen, None, outside)
        at = chosen
        if base is not None:
            at = chosen + (base if mask is None else mask.base(self.number, base))
        if width > 1:
            self._announce_misaligned(group, mask, chosen, "read", span, width)
            at = at[:, None] + np.arange(width)
        if outside:
            inside = self._announce_outside(group, mask, chosen, "read", span, width)
            # Lanes outside read poison, as recognisable values, instead of an arbitrary neighbour.
            found = np.full(at.shape, poison(self.kind), self.info.dtype)
            found[inside] = self.data[at[inside]]
            self._announce_uninitialised(group, mask, chosen, at, inside, span, "read")
        else:
            found = self.data.take(at)
            if self._written is not None and not self._complete() and not self._written.take(at).all():
                self._announce_uninitialised(group, mask, chosen, at, np.ones(len(at), bool), span, "read")
        return found if mask is None else self._spread(group, mask, found)

    def write(
        self, group: Group, mask: Active, index: Value, value: Value, site: int, span: Span, width: int = 1
    ) -> None:
        """Store a value of the array's type for each active lane.

        If several lanes write one element, the last one wins; a GPU does not define which (CUDA C++ Programming Guide,
        "SIMT Architecture"). With a `width`, `value` has a row of `width` elements for every lane of the group.
        """
        if type(index) is AffineIndex:
            if self._fits(index, width):
                self._put(group, mask, index, value, site, width)
                return
            index = index.vector
        chosen, values, at = self._targets(group, mask, index, value)
        outside = self._outside(chosen, width)
        self._recorder.access(site, group, mask, chosen, values, outside)
        if width > 1:
            self._announce_misaligned(group, mask, chosen, "write", span, width)
            at = at[:, None] + np.arange(width)
        if outside:
            inside = self._announce_outside(group, mask, chosen, "write", span, width)
            at, values = at[inside], values[inside]
        self.data[at] = values
        if self._written is not None:
            self._written[at] = True

    def mark_unwritten(
        self, group: Group, mask: Active, index: Value, has_value: Value, cause: Callable[[], str], width: int = 1
    ) -> None:
        """Mark elements to which the last store wrote no value: those of the lanes not in `has_value`.

        Example: `int x; if (t == 0) x = 1; A[t] = x;` stores an uninitialised register in all elements but A[0]. A read
        of one is reported with `cause`, until another store gives it a value.
        """
        index = index.vector if type(index) is AffineIndex else index
        chosen, valued, at = self._targets(group, mask, index, has_value, np.dtype(bool))
        inside = (chosen >= 0) & (chosen <= self.size - width)
        at, valued = at[inside, None] + np.arange(width), valued[inside, None]
        if self._written is None:
            self._written = np.ones(len(self.data), bool)
        if self._causes is None:
            self._causes = np.full(len(self.data), -1, np.intp)
        self._written[at] = valued
        # NumPy assigns in lane order, so the last lane decides about the value, its validity and the cause alike.
        self._causes[at] = self._cause_number(cause)

    def issue_copy(
        self, group: Group, mask: Active, index: Value, value: Value, site: int, span: Span, width: int = 1
    ) -> None:
        """Announce an asynchronous copy to racecheck: its write follows later, by `write` with the same arguments."""
        recorder = self._recorder
        lanes, observer = recorder.masks[recorder.row(group, mask)], recorder.checkers.racecheck
        if observer is None:
            return
        index = index.vector if type(index) is AffineIndex else index
        chosen, values, _ = self._targets(group, mask, index, value)
        observer.issue_copy(recorder.current, site, lanes, chosen, values)

    def issue_read(self, group: Group, mask: Active, index: Value, site: int, width: int = 1) -> PendingRead:
        """Announce to racecheck that a read lasts until `Tally.finish_read`, and that it is one of the async proxy."""
        recorder = self._recorder
        lanes, observer = recorder.masks[recorder.row(group, mask)], recorder.checkers.racecheck
        index = index.vector if type(index) is AffineIndex else index
        chosen, _, _ = self._targets(group, mask, index, 0)
        if observer is not None and site in observer.observed_sites:
            observer.issue_read(recorder.current, site, lanes, chosen)
        return PendingRead(site, lanes, chosen)

    def set_pending(self, at: NDArray[np.intp], cause: Callable[[], str] | None) -> None:
        """Mark the elements at positions in `data` as without a value, by a `cause`; without one, as with a value.

        The registers of an instruction that is in flight have the sum in `data` already.
        """
        if self._written is None:
            if cause is None:
                return
            self._written = np.ones(len(self.data), bool)
        if cause is not None:
            if self._causes is None:
                self._causes = np.full(len(self.data), -1, np.intp)
            self._causes[at] = self._cause_number(cause)
        self._written[at] = cause is None

    def atomic(
        self,
        group: Group,
        mask: Active,
        index: Value,
        operands: tuple[Value, ...],
        combine: Any,
        site: int,
        span: Span,
        dtype: np.dtype[Any],
        width: int = 1,
    ) -> Value:
        """Replace the element of each lane by `combine(old, *operands)`, in lane order; returns the old values.

        The memory is viewed as `dtype`, a value of which occupies `width` elements.
        """
        # atomicCAS on a float array seen as int, or on two ints as one unsigned long long: a view of the same bytes.
        data = self.data[: len(self.data) // width * width].view(dtype)
        chosen, first, at = self._targets(group, mask, index, operands[0], dtype)
        others = [self._targets(group, mask, index, operand, dtype)[1] for operand in operands[1:]]
        inside, outside = np.ones(len(chosen), bool), self._outside(chosen, width)
        if outside:
            inside = self._announce_outside(group, mask, chosen, "atomic", span, width)
        if width > 1:
            self._announce_misaligned(group, mask, chosen, "atomic", span, width)
        touched = at[:, None] + np.arange(width)
        # An exchange does not depend on the old value, so the first user of a lock or a list head may be the
        # initialiser.
        if combine is not replace_value:
            self._announce_uninitialised(group, mask, chosen, touched, inside, span, "atomic")
        old = np.zeros(len(chosen), dtype)
        new = first.astype(dtype)
        inside_operands = [operand[inside] for operand in (first, *others)]
        old[inside], new[inside] = exchange(data, at[inside] // width, inside_operands, combine)
        if self._written is not None:
            self._written[touched[inside]] = True
        self._recorder.access(site, group, mask, chosen, new, outside)
        return old if mask is None else self._spread(group, mask, old)

    def _targets(
        self, group: Group, mask: Active, index: Value, value: Value, dtype: np.dtype[Any] | None = None
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return index, value and position in `data` of each active lane."""
        count, base = group.active(mask), group.bases[self.number]
        if type(index) is not np.ndarray:
            index = np.full(count, index, np.int64)
        elif mask is not None:
            index = index[mask.where]
        if type(value) is not np.ndarray:
            value = np.full(count, value, dtype or self.info.dtype)
        elif mask is not None:
            value = value[mask.where]
        if base is None:
            return index, value, index
        return index, value, index + (base if mask is None else mask.base(self.number, base))

    def _fits(self, index: AffineIndex, width: int) -> bool:
        """Return whether all accesses are inside the array and aligned to their width.

        The extremes of the pattern decide for all lanes; alignment is that of CUDA's vector types (CUDA C++ Programming
        Guide, "Size and Alignment Requirement").
        """
        pattern, first = index.pattern, index.pattern.low + index.shift
        if first < 0 or pattern.high + index.shift > self.size - width:
            return False
        item = self.info.dtype.itemsize
        return width == 1 or (not (first * item + self.info.address) % (width * item) and pattern.is_spaced_by(width))

    def _elements(
        self, data: NDArray[Any], group: Group, mask: Active, index: AffineIndex, width: int
    ) -> tuple[NDArray[Any], NDArray[np.int64] | slice]:
        """Return the part of `data` that begins at the lowest index, and the offsets of the active lanes in it."""
        at = index.pattern.offsets(self.number, group.bases[self.number], mask, width)
        return data[index.pattern.low + index.shift :], at

    def _holds(self, group: Group, mask: Active, index: AffineIndex, width: int) -> bool:
        """Return whether all elements that the active lanes touch hold a value."""
        if self._written is None:
            return True
        here, at = self._elements(self._written, group, mask, index, width)
        return bool(here[at].all())

    def _take(self, group: Group, mask: Active, index: AffineIndex, site: int, width: int) -> Value:
        """Read for the active lanes elements that are inside the array and hold values."""
        self._recorder.affine_access(site, index)
        here, at = self._elements(self.data, group, mask, index, width)
        # The value must not change when the array does, so a slice is copied. `wrap` is faster
        # than NumPy's bounds check, which `_fits` has made.
        found = here[at].copy() if type(at) is slice else here.take(at, mode="wrap")
        if width > 1:
            found = found.reshape(-1, width)
        return found if mask is None else self._spread(group, mask, found)

    def _put(self, group: Group, mask: Active, index: AffineIndex, value: Value, site: int, width: int) -> None:
        """Store a value for the active lanes in elements that are inside the array."""
        if type(value) is not np.ndarray:
            values = np.full(len(index.pattern.index), value, self.info.dtype)
        else:
            values = value if mask is None else value[mask.where]
        self._recorder.affine_access(site, index, values)
        here, at = self._elements(self.data, group, mask, index, width)
        here[at] = values.reshape(-1) if type(at) is slice else values
        if self._written is not None:
            here, at = self._elements(self._written, group, mask, index, width)
            here[at] = True

    def _spread(self, group: Group, mask: Mask, found: NDArray[Any]) -> NDArray[Any]:
        """Return a vector of all lanes from the values of the active ones."""
        result = np.zeros((group.size, *found.shape[1:]), found.dtype)
        result[mask.where] = found
        return result

    def _outside(self, index: NDArray[Any], width: int = 1) -> bool:
        # Viewed as unsigned, a negative index of 4 or 8 bytes is larger than any array. A narrower one might not be:
        # `signed_offset` has promoted it.
        return bool(index.view(_UNSIGNED[index.itemsize]).max() >= max(self.size - width + 1, 0))

    def _complete(self) -> bool:
        """Return whether every element holds a value; not tested again after it once was true."""
        if self._written is None:
            return True
        if self._written.all():
            self._written = None
            return True
        return False

    def _announce_uninitialised(
        self,
        group: Group,
        mask: Active,
        chosen: NDArray[Any],
        at: NDArray[Any],
        inside: NDArray[np.bool_],
        span: Span,
        access: Access,
    ) -> None:
        """Announce lanes that read elements without a value, one event for each store that caused it.

        `at` are the positions in `data` of the active lanes' elements; `inside` marks those that are in the array.
        """
        observer = self._recorder.checkers.initcheck
        if observer is None or self._complete() or self._written is None:
            return
        where = np.flatnonzero(inside)
        known = self._written[at[where]]
        lacking = ~(known if known.ndim == 1 else known.all(axis=1))
        bad = where[lacking]
        if not len(bad):
            return
        causes = np.full(len(bad), -1, np.intp)
        if self._causes is not None:
            found = self._causes[at[where]]
            # A wide access names the latest cause among its elements without a value.
            causes = (found if found.ndim == 1 else np.where(known, -1, found).max(axis=1))[lacking]
        for cause in np.unique(causes):
            some = bad[causes == cause]
            lanes = group.lanes[some if mask is None else mask.where[some]]
            text = None if cause < 0 else self._cause_texts[cause]
            step = self._recorder.current
            elements = chosen[some]
            read = UninitialisedRead(step, span, access, self.number, self.info, lanes, elements, text, self.on_heap)
            observer.uninitialised(read)

    def _cause_number(self, text: Callable[[], str]) -> int:
        """Return the number of a store that left elements without a value; `text` describes it."""
        if text not in self._cause_texts:
            self._cause_texts.append(text)
        return self._cause_texts.index(text)

    def _announce_outside(
        self, group: Group, mask: Active, chosen: NDArray[Any], access: Access, span: Span, width: int = 1
    ) -> NDArray[np.bool_]:
        """Announce the lanes whose index is outside of the array; returns the active lanes whose index is inside.

        Raises
        ------
        EarlyStop
            After too many such accesses.
        """
        # An access of several elements counts as outside if any of them is: a GPU performs it as one transaction.
        inside: NDArray[np.bool_] = (chosen >= 0) & (chosen <= self.size - width)
        self._recorder.count_out_of_bounds()
        observer = self._recorder.checkers.memcheck
        if observer is not None:
            bad = np.flatnonzero(~inside)
            observer.outside(self._bad_access(group, mask, bad, int(chosen[bad[0]]), access, span, width))
        return inside

    def _announce_misaligned(
        self, group: Group, mask: Active, chosen: NDArray[Any], access: Access, span: Span, width: int
    ) -> None:
        """Announce the lanes whose access of several elements is not at a multiple of its size."""
        observer = self._recorder.checkers.memcheck
        if observer is None:
            return
        item = self.info.dtype.itemsize
        bad = np.flatnonzero((chosen.astype(np.int64) * item + self.info.address) % (width * item))
        if len(bad):
            observer.misaligned(self._bad_access(group, mask, bad, int(chosen[bad[0]]), access, span, width))

    def _bad_access(
        self,
        group: Group,
        mask: Active,
        bad: NDArray[np.intp],
        index: int,
        access: Access,
        span: Span,
        width: int,
        block: HeapBlock | None = None,
    ) -> BadAccess:
        """Describe the access of the active lanes at the positions `bad`; `index` is that of the first."""
        lane = int(group.lanes[bad[0] if mask is None else mask.where[bad[0]]])
        return BadAccess(self._recorder.current, span, access, self.info, width, len(bad), lane, index, block)
