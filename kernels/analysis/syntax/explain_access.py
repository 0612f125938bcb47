"""Index arithmetic of one access: the index as written, with the thread's numbers, and the element."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.analysis.syntax.evaluate import number_text, substitute, values, without_updates
from kernels.analysis.syntax.layouts import Layout, layout
from kernels.analysis.syntax.source import place_of, source_of, text_at
from kernels.analysis.syntax.walk import rewrite
from kernels.analysis.values.elements import array_of, elements_at, elements_of_reference, flat_expression
from kernels.analysis.values.registers import Names
from kernels.frontend.ast import Index, Member, Number, Unary
from kernels.frontend.types import INT, LONG
from kernels.trace import element_name
from kernels.trace.members import value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis.syntax.source import Place, Reference
    from kernels.analysis.values.elements import Elements
    from kernels.frontend.ast import Expr
    from kernels.trace import Site, Trace
    from kernels.trace.records import Value

_ATOM: Final = re.compile(r"[\w.]+")


@dataclass(frozen=True, slots=True)
class IndexArithmetic:
    """The index of one access of one thread: `text` = `substituted` = `result`."""

    array: str
    text: str
    """The index as written, `row * K + t * TILE_WIDTH + tx`.

    Several dimensions are in brackets, `[ty][k]`. The index of an object of several elements is scaled, `4 * t`, except
    in arrays of structs. An index relative to another pointer begins with it, `p + k`.
    """
    substituted: str
    """The same with numbers, `0*3 + 1*2 + 1`; "" if the thread's registers do not determine them."""
    result: str
    """Value, `3`."""
    flat: int
    """The flat index in elements."""
    row: int | None
    column: int | None
    """Column; None if the array has one dimension, or the index cannot be split into row and column."""
    byte_address: int
    """Address in the array's memory space."""
    inside: bool
    """True if the element exists."""
    performed: bool
    """False if a guard excluded the thread from the access."""
    element: str

    @property
    def chain(self) -> str:
        """Return `row*K + tx = 2*3 + 0 = 6`, each distinct part once; "" for a plain number."""
        parts = list(dict.fromkeys(part for part in (self.text, self.substituted, self.result) if part))
        return " = ".join(parts) if self.text and len(parts) > 1 else ""


def explain_index(trace: Trace, step: int, lane: int, site: Site, touched: int | None = None) -> IndexArithmetic | None:
    """Compute the index of a site for a lane in a step, also when a guard excluded the lane.

    Parameters
    ----------
    trace : Trace
        Any trace.
    step : int
        A step that executes the site's statement.
    lane : int
        Any lane that has reached the step, whether it executes it or not.
    site : Site
        A site of the trace.
    touched : int, optional
        The element to explain, of a lane with several accesses at the site; by default that of the first.

    Returns
    -------
    IndexArithmetic or None
        None if the lane did not make the access and its registers do not determine the element.
    """
    place, reference = find_reference(trace, step, site)
    lanes = np.array([lane], np.int32)
    touched = _recorded_index(trace, step, lane, site) if touched is None else touched
    found, names = None, None
    if place is not None and reference is not None:
        reference = replace(
            reference, indices=tuple(_with_reads(trace, step, lane, index) for index in reference.indices)
        )
        # Registers from before the step, else from after it: the statement may set a variable and then index with it.
        for when in (step - 1, step):
            names = Names.at(trace, when, lanes, place)
            found = elements_of_reference(trace, place, reference, names)
            if found is not None and touched in (None, int(found.flat[0])):
                break
    if touched is not None and (found is None or int(found.flat[0]) != touched):
        found = elements_at(trace.arrays[site.array], np.array([touched], np.int64))
    if found is None:
        return None
    formula = ("", "", "")
    if place is not None and reference is not None and names is not None:
        formula = _formula(trace, place, reference, names, found)
    return _arithmetic(found, formula, touched is not None, site.width)


def _formula(
    trace: Trace, place: Place, reference: Reference, names: Names, elements: Elements
) -> tuple[str, str, str]:
    """Return the index as written, with numbers, and its value."""
    flat = int(elements.flat[0])
    if len(reference.indices) > 1:
        return tuple(_subscripts(part) for part in _dimensions(trace, reference, names))  # type: ignore[return-value]
    steps = layout(trace, place, reference, elements.array) or Layout(1, 0)
    counted = values(without_updates(flat_expression(trace, place, reference, elements.array)[0]), names)
    offset = None if counted is None or counted.dtype.kind not in "iub" else flat - int(counted[0])
    words = elements.array.words
    if steps.scale == words > 1:  # index of the struct, not of a word in it
        flat, offset = flat // words, None if offset is None else offset // words
        steps = Layout(1, 0)
    moves = (place.function.name, reference.base) in source_of(trace).reassigned
    own = reference.base == elements.array.name and (not moves or offset == 0)
    root = text_at(trace, reference.root.span)
    if own and offset is not None and 0 < offset < steps.scale:  # one word of an object that is copied whole
        steps, offset = replace(steps, member=steps.member + offset), 0
    elif elements.array.struct is not None and words > 1 and not own:
        return "", "", ""  # the pointer points into a struct
    written = [_scale(text_at(trace, index.span), steps, " * ") for index in reference.indices]
    numbers = [_scale(substitute(without_updates(index), names), steps, "*") for index in reference.indices]
    if own:
        return written[0] if written else root, numbers[0] if numbers and not offset else "", str(flat)
    # Without an index the offset is the flat index, including the member's offset in its object.
    known = [] if offset is None else [" + ".join([str(offset), *numbers]) if numbers else str(flat)]
    return " + ".join([root, *written]), known[0] if known else "", str(flat)


def _with_reads(trace: Trace, step: int, lane: int, index: Expr) -> Expr:
    """Replace reads inside of an index, as in A[B[i]], by the values that the lane read."""
    groups = [group for group in trace.accesses(step) if group.site.access == "read" and group.site.width == 1]

    def change(part: Expr) -> Expr | None:
        for group in groups if isinstance(part, Index | Unary | Member) else ():
            at = int(np.searchsorted(group.lanes, lane))
            if group.site.span != part.span or at == len(group.lanes) or group.lanes[at] != lane:
                continue
            value = _value_before(trace, step, lane, group.site.array, int(group.index[at]))
            if isinstance(value, int):
                return Number(part.span, value, LONG if abs(value) >> 31 else INT)
        return None

    return rewrite(index, change)


def _value_before(trace: Trace, step: int, lane: int, array: int, element: int) -> Value | None:
    """Return the value of an element before a step; None if it was not written."""
    owner = {"shared": lane // trace.launch.block.count, "local": lane}.get(trace.arrays[array].space, 0)
    return value_of(trace.arrays[array], element, *trace.contents(array, step - 1, owner))


def _dimensions(trace: Trace, reference: Reference, names: Names) -> tuple[list[str], list[str], list[str]]:
    found = [values(without_updates(index), names) for index in reference.indices]
    return (
        [text_at(trace, index.span) for index in reference.indices],
        [substitute(without_updates(index), names) for index in reference.indices],
        [] if any(v is None for v in found) else [number_text(v[0].item()) for v in found if v is not None],
    )


def _scale(index: str, steps: Layout, times: str) -> str:
    """Multiply an index by its scale and add the member's offset."""
    if steps.scale > 1:
        index = f"{steps.scale}{times}{index if _ATOM.fullmatch(index) else f'({index})'}"
    return f"{index} + {steps.member}" if steps.member else index


def _subscripts(parts: Sequence[str]) -> str:
    return "".join(f"[{part}]" for part in parts)


def find_reference(trace: Trace, step: int, site: Site) -> tuple[Place | None, Reference | None]:
    """Return the statement of a step, and the reference in it that a site belongs to."""
    place = place_of(trace, step)
    if place is None:
        return None, None
    here = [r for r in place.references if r.node.span == site.span]
    array = trace.arrays[site.array]
    here = [r for r in here if array_of(trace, r) == array] or here
    return place, here[0] if here else None


def _recorded_index(trace: Trace, step: int, lane: int, site: Site) -> int | None:
    """Return the flat index of the lane's first access at a site; None without one."""
    for group in trace.accesses(step):
        if group.site == site:
            at = int(np.searchsorted(group.lanes, lane))
            if at < len(group.lanes) and group.lanes[at] == lane:
                return int(group.index[at])
    return None


def _arithmetic(elements: Elements, formula: tuple[str, str, str], performed: bool, width: int) -> IndexArithmetic:
    array, flat = elements.array, int(elements.flat[0])
    row, column = (int(c[0]) for c in elements.coordinates) if len(elements.coordinates) == 2 else (None, None)
    inside = bool(elements.inside[0])
    element = element_name(array, flat, width) if inside and array.struct is not None else elements.name(0)
    return IndexArithmetic(
        array.name, *formula, flat, row, column, array.address + flat * array.dtype.itemsize, inside, performed, element
    )
