"""Loads and stores: values between memory and registers, through offsets into one array or through addresses.

A struct is moved part by part (`compiler.structs`). An address is followed to its array when the kernel runs: lanes are
split by array, and each array is accessed by its lanes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend.types import LONG, CType, Pointer, Scalar
from kernels.simt.compiler.compiled_values import Code, Element
from kernels.simt.compiler.expressions import reassociation_rank
from kernels.simt.compiler.expressions.addresses import split_by_array, stride
from kernels.simt.compiler.index.affine_values import as_linear
from kernels.simt.compiler.index.index_patterns import indices
from kernels.simt.compiler.structs.layout import Part, join, leaves, parts, split
from kernels.simt.machine.affine_index import AffineIndex
from kernels.simt.machine.arithmetic import Value, ndarray, select, uniform
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.skipped_values import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.memory import Memory, PendingRead
    from kernels.simt.machine.steps import Run
    from kernels.trace.records import Access

    Load = Callable[[Group, Active, Value], Value]
    """Reads, at an offset or address, a value for each active lane."""

    Save = Callable[[Group, Active, Value, Value], None]
    """Writes, at an offset or address, a value for each active lane."""

    Exchange = Callable[[Group, Active, Value, tuple[Value, ...]], Value]
    """Changes elements atomically; returns the old values."""


def zero_value(kind: CType) -> Value:
    """Return zero of a type: the value of lanes that read nothing."""
    zeros = tuple(uniform(0, leaf.scalar) for leaf in leaves(kind))
    return zeros[0] if isinstance(kind, Scalar | Pointer) else zeros


def choose(kind: CType, bits: Any, then: Value, otherwise: Value) -> Value:
    """Return `then` in lanes whose bit is set, `otherwise` in the others: numbers, pointers or structs."""
    if isinstance(kind, Scalar):
        return select(bits, then, otherwise, kind.dtype)
    if isinstance(kind, Pointer):
        return select(bits, then, otherwise, LONG.dtype)
    return tuple(
        select(bits, a, b, leaf.scalar.dtype) for a, b, leaf in zip(then, otherwise, leaves(kind), strict=True)
    )


def load(c: Context, element: Element) -> Code:
    """Compile the read of an element."""
    fetch, offset = loader(c, element), element_index(c, element)
    return Code(lambda group, mask: fetch(group, mask, offset(group, mask)), element.kind, None, False)


def element_index(c: Context, element: Element) -> Run:
    """Compile the index of an element, or its address, for its `loader` and `saver`."""
    offset, memory = element.offset, element.memory
    # A trace stores the index of every lane, so that patterns save nothing while steps are recorded.
    if c.machine.recorder.records or memory is None:
        return offset.run
    if offset.index.affine is None and memory.info.space not in ("shared", "local"):
        return offset.run
    return indices(c, as_linear(offset))


def _register_type(kind: CType) -> CType:
    return LONG if isinstance(kind, Pointer) else kind


def loader(c: Context, element: Element) -> Load:
    """Compile the read of an element at any offset."""
    kind, span = element.kind, element.span
    if element.memory is not None:
        return _loader(c, element.memory, kind, span)
    return AddressAccess(c, kind, span, "read", _loader).values


def saver(c: Context, element: Element) -> Save:
    """Compile the write of an element at any offset."""
    # A store cannot be moved, so that it takes the next rank as a load does.
    reassociation_rank.next_rank(c)
    return _any_saver(c, element, _saver)


def copy_announcer(c: Context, element: Element) -> Save:
    """Compile the announcement that an asynchronous copy may write an element at any time from now on."""
    return _any_saver(c, element, partial(_saver, later=True))


def read_announcer(c: Context, element: Element) -> Callable[[Group, Active, Value], list[PendingRead]]:
    """Compile the announcement that an instruction in flight reads elements, by address, until it is waited for."""

    def compiled(c: Context, memory: Memory, kind: CType, span: Span) -> Callable[..., list[PendingRead]]:
        plan = _plan(c, memory, kind, "read", span)

        def begin(group: Group, mask: Active, index: Value) -> list[PendingRead]:
            return [
                memory.issue_read(group, mask, advance(index, distance), site, width)
                for _, distance, width, site in plan
            ]

        return begin

    follow = AddressAccess(c, element.kind, element.span, "read", compiled)

    def begin(group: Group, mask: Active, address: Value) -> list[PendingRead]:
        return [read for lanes, found, at in follow.targets(group, mask, address) for read in found(group, lanes, at)]

    return begin


def _any_saver(c: Context, element: Element, saver: Callable[[Context, Memory, CType, Span], Save]) -> Save:
    if element.memory is not None:
        return saver(c, element.memory, element.kind, element.span)
    follow = AddressAccess(c, element.kind, element.span, "write", saver)

    def put(group: Group, mask: Active, address: Value, value: Value) -> None:
        for lanes, found, offset in follow.targets(group, mask, address):
            found(group, lanes, offset, value)

    return put


def exchanger(c: Context, element: Element, combine: Callable[..., Value]) -> Exchange:
    """Compile the atomic change of an element to `combine(old, *operands)`."""
    kind, span = element.kind, element.span
    assert isinstance(kind, Scalar)

    def compiled(c: Context, memory: Memory, kind: CType, span: Span) -> Exchange:
        assert isinstance(kind, Scalar)
        width = stride(c, memory, kind)
        site, change = c.site(span, memory, "atomic", width, kind), memory.atomic

        def exchange(group: Group, mask: Active, offset: Value, operands: tuple[Value, ...]) -> Value:
            return change(group, mask, offset, operands, combine, site, span, kind.dtype, width)

        return exchange

    if element.memory is not None:
        return compiled(c, element.memory, kind, span)
    return AddressAccess(c, kind, span, "atomic", compiled).values


class AddressAccess:
    """An access by address, which is followed to its arrays when the kernel runs.

    Races are judged by the set of arrays that the compiled kernel writes, so each access must be compiled
    before the run. When an access touches an array for the first time, the array is added to
    `Assumptions.touched_arrays`, and the kernel is compiled again. Not at once: the access is compiled late, and the
    run continues for a while, because other accesses will touch new arrays soon.
    """

    def __init__(
        self,
        c: Context,
        kind: CType,
        span: Span,
        access: Access,
        compile_access: Callable[[Context, Memory, CType, Span], Any],
    ) -> None:
        self._c = c
        self._kind = kind
        self._span = span
        self._access: Access = access
        self._compiled = compile_access
        self._statement = c.statement
        self._touched = c.machine.assumptions.touched_arrays.setdefault((span, access), set())
        # By key, since a compiled kernel has new arrays: those that this access touched in earlier attempts.
        self._known = {m.number: compile_access(c, m, kind, span) for m in c.machine.memories if m.key in self._touched}
        self._missing = self._touched - {m.key for m in c.machine.memories}

    def values(self, group: Group, mask: Active, address: Value, *operands: Any) -> Value:
        """Return the value of each lane, read from or changed in the array of its address."""
        result = zero_value(self._kind)
        for lanes, found, offset in self.targets(group, mask, address):
            value = found(group, lanes, offset, *operands)
            result = value if lanes is None else choose(self._kind, lanes.bits, value, result)
        return result

    def targets(self, group: Group, mask: Active, address: Value) -> list[tuple[Active, Any, Value]]:
        """Return for each touched array: the lanes, the compiled access, and the offsets in elements."""
        found = []
        for number, lanes, offset in split_by_array(group, mask, address):
            if not 0 <= number < len(self._c.machine.memories):
                self._report(group, lanes)
                continue
            memory = self._c.machine.memories[number]
            if number not in self._known:
                self._touch(memory)
            size = memory.kind.size_bytes
            # A type-punned pointer may point into the middle of an element: then the array needs smaller elements.
            rest = np.asarray(offset % size)
            if (rest if lanes is None or not rest.ndim else rest[lanes.where]).any():
                self._c.recompile_elements(memory, 1)  # the next attempt reports a misaligned access
            found.append((lanes, self._known[number], offset // size))
        return found

    def _touch(self, memory: Memory) -> None:
        """Compile the access to an array that is touched for the first time."""
        c = self._c
        if memory.key in self._missing:
            raise c.unsupported(self._span, f"pointer to '{memory.info.name}', which is declared later in the file")
        self._touched.add(memory.key)
        # Not at once: the run continues with the access compiled below, to find the other ones that touch new arrays.
        c.machine.recorder.request_rerun()
        caller, c.statement = c.statement, self._statement
        self._known[memory.number] = self._compiled(c, memory, self._kind, self._span)
        c.statement = caller

    def _report(self, group: Group, mask: Active) -> None:
        lane = int(group.lanes[0 if mask is None else mask.where[0]])
        hazards, span = self._c.machine.hazards, self._span
        hazards.report(
            "out-of-bounds",
            Place(span),
            self._c.machine.recorder.current,
            group.active(mask),
            ((lane, span, self._access),),
            lambda: (
                f"{hazards.name(lane)} uses a pointer that points to no array (a null pointer, or one that "
                "was never set): let it point to one first"
            ),
        )


def _plan(c: Context, memory: Memory, kind: CType, access: Access, span: Span) -> list[tuple[Part, int, int, int]]:
    """Return the accesses that move a value: (part, distance in elements, width in elements, site)."""
    # An access must consist of whole elements: a struct of a char and an int needs elements of 1 byte.
    size = memory.kind.size_bytes
    for leaf in leaves(kind):
        for number in (leaf.scalar.size_bytes, leaf.offset):
            if number % size:
                c.recompile_elements(memory, number)
    plan = []
    for part in parts(kind):
        width = part.size // size
        site = c.site(span, memory, access, width, leaves(kind)[part.first].type)
        plan.append((part, part.offset // size, width, site))
    return plan


def advance(index: Value, distance: int) -> Value:
    """Return an index or offset plus a distance in elements."""
    return index.plus(distance) if type(index) is AffineIndex else index + distance


def _loader(c: Context, memory: Memory, kind: CType, span: Span) -> Load:
    # The usual case, an array of numbers accessed as such, goes to the memory without a closure in between.
    if _register_type(kind) == memory.kind:
        return partial(memory.read, site=c.site(span, memory, "read"), span=span)
    plan, element = _plan(c, memory, kind, "read", span), memory.kind
    single = isinstance(kind, Scalar | Pointer)

    def fetch(group: Group, mask: Active, index: Value) -> Value:
        values: list[Value] = []
        for part, distance, width, site in plan:
            found = memory.read(group, mask, advance(index, distance), site, span, width)
            # One element is reinterpreted (a float in memory of unsigned words), several are split into leaves.
            if width == 1:
                values.append(_reinterpret(found, element, leaves(kind)[part.first].scalar))
            else:
                values += split(found, part, kind, element)
        return values[0] if single else tuple(values)

    return fetch


def _saver(c: Context, memory: Memory, kind: CType, span: Span, *, later: bool = False) -> Save:
    write = memory.issue_copy if later else memory.write
    if _register_type(kind) == memory.kind:
        return partial(write, site=c.site(span, memory, "write"), span=span)
    plan, element = _plan(c, memory, kind, "write", span), memory.kind
    single = isinstance(kind, Scalar | Pointer)

    def put(group: Group, mask: Active, index: Value, value: Value) -> None:
        values = (value,) if single else value
        for part, distance, width, site in plan:
            if width == 1:
                new = _reinterpret(values[part.first], leaves(kind)[part.first].scalar, element)
            else:
                new = join(values[part.first : part.last], part, kind, element, group.size)
            write(group, mask, advance(index, distance), new, site, span, width)

    return put


def _reinterpret(value: Value, source: Scalar, target: Scalar) -> Value:
    """Reinterpret the bits of a type as another type of the same size."""
    if source == target:
        return value
    if type(value) is Skipped:
        return value.reinterpret(target)
    if type(value) is ndarray:
        return np.ascontiguousarray(value).view(target.dtype)
    return uniform(np.array([value], source.dtype).view(target.dtype)[0], target)
