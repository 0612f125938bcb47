"""Member bounds: indices beyond an array member of a struct that still reach into the same object.

A GPU makes such an access, and so does the simulator: it reads or writes another member. If the interval of the index
is inside the member, nothing is checked when the kernel runs. Not checked are unions, and arrays of at most one element
as the last member of a struct, which often are declared for arrays of any length.

Example: in `struct S { float a[3]; float b; } s;`, `s.a[3]` is `s.b`. It is reported, with both names, and it reads
s.b.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from kernels.frontend.types import LONG, Array
from kernels.simt.compiler.compiled_values import Code, Element, Member, constant
from kernels.simt.compiler.expressions.addresses import base_address, memory_number, stride
from kernels.simt.compiler.expressions.pointers import add_offset
from kernels.simt.compiler.index.intervals import interval
from kernels.simt.machine.arithmetic import ndarray
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.lanes import EMPTY
from kernels.trace.structs import element_name

if TYPE_CHECKING:
    from kernels.frontend.types import CType, Field, Struct
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group
    from kernels.trace.records import Access


def array_member(base: Element, owner: Struct, field: Field) -> tuple[Member, ...]:
    """Return the chain of array members from the outermost to this one; empty if it is not checked."""
    kind = field.type
    assert isinstance(kind, Array)
    if owner.union or not kind.size_bytes or (field == owner.fields[-1] and kind.length == 1):
        return ()
    return *base.members, Member(field.name, kind, constant(0, LONG), (0, 0))


def index_member(c: Context, base: Code, index: Code, step: int, target: CType) -> tuple[Code, tuple[Member, ...]]:
    """Return the index, which is computed once, and the members whose bounds have to be checked."""
    values = interval(index)
    if not isinstance(base.type, Array) or not base.index.members or values is None:
        return index, ()
    *around, member = base.index.members
    least, most = (bound + value * step for bound, value in zip(member.bounds, values, strict=True))
    # The check of the innermost array is dropped if its interval is inside; those around it may still be needed.
    if not isinstance(target, Array) and least >= 0 and most <= stride(c, base.memory, member.type) - step:
        return index, tuple(around)
    again = index
    if not index.pure:  # computed once: the check reads the value from a slot
        slot, run = c.slot(), index.run

        def save(group: Group, mask: Active) -> Value:
            value = group.values[slot] = run(group, mask)
            return value

        index = replace(index, run=save)
        again = Code(lambda group, mask: group.values[slot], index.type)
    distance = add_offset(member.distance, again, step)
    return index, (*around, replace(member, distance=distance, bounds=(least, most)))


def check_members(c: Context, element: Element, access: Access) -> Element:
    """Return an element whose offset checks the bounds of its members."""
    for member in element.members:
        last = stride(c, element.memory, member.type) - stride(c, element.memory, element.kind)
        if not (member.bounds[0] >= 0 and member.bounds[1] <= last):
            element = _check(c, element, member, last, access)
    return replace(element, members=()) if element.members else element


def _check(c: Context, element: Element, member: Member, last: int, access: Access) -> Element:
    start, distance = element.offset.run, member.distance.run

    def run(group: Group, mask: Active) -> Value:
        at, far = start(group, mask), distance(group, mask)
        if type(far) is not ndarray:
            if not 0 <= far <= last:
                _report(c, element, member, access, group, mask, at, far)
        elif far.min() < 0 or far.max() > last:
            outside = group.narrow(mask, (far < 0) | (far > last))
            if outside is not EMPTY:
                _report(c, element, member, access, group, outside, at, far)
        return at

    return replace(element, offset=Code(run, LONG, None, False))


def _report(
    c: Context, element: Element, member: Member, access: Access, group: Group, outside: Active, at: Value, far: Value
) -> None:
    """Report lanes whose index is outside a member; one outside the whole array is reported by memcheck."""
    one = 0 if outside is None else int(outside.where[0])
    index, distance = (int(v[one]) if type(v) is ndarray else int(v) for v in (at, far))
    memory, lane, shape = element.memory, int(group.lanes[one]), member.type.shape
    if memory is None:
        number = memory_number(index)
        if not 0 <= number < len(c.machine.memories):
            return
        memory = c.machine.memories[number]
        size = memory.kind.size_bytes
        index, distance = (index - base_address(memory)) // size, distance // size
    index = memory.locate(index)
    if index < 0:
        return
    info, hazards, count = memory.info, c.machine.hazards, prod(shape)
    width = stride(c, memory, member.type)

    def message() -> str:
        whole = element_name(info, index - distance, width, flat=True)
        match = re.fullmatch(rf"(.*\.{re.escape(member.name)})(\[0\])*", whole)
        name = f"{match[1] if match else member.name}[{distance * count // width}]"
        accessed = element_name(info, index, stride(c, memory, element.kind), flat=True)
        dims = f" ({'×'.join(map(str, shape))})" if len(shape) > 1 else ""
        return (
            f"{hazards.name(lane)} {'reads' if access == 'read' else 'writes'} {name}, which is {accessed}, but "
            f"{member.name} has {count} element{'s' * (count > 1)}{dims}: 0 to {count - 1}; only let threads "
            f"access it whose index is {'not negative' if distance < 0 else f'below {count}'}"
        )

    hazards.report(
        "out-of-bounds",
        Place(element.span, info.space, info.name),
        c.machine.recorder.current,
        group.active(outside),
        ((lane, element.span, access),),
        message,
        index,
    )
