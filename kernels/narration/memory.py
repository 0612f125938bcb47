"""Words for steps that access arrays: load, compute, store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from kernels.analysis.elements import array_of, elements_meant, elements_touched, joined_elements
from kernels.analysis.evaluate import number_text, substituted, values
from kernels.analysis.syntax import text_at
from kernels.analysis.walk import calls_in, names_in, spelled
from kernels.frontend.ast import Assign, Cast, Conditional, Declare, Do, Expr, Name, Number, Update
from kernels.narration.words import (
    crowd,
    each,
    element_names,
    executes,
    extent,
    plural,
    region,
    thread_name,
    thread_names,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis.elements import Elements
    from kernels.analysis.roles import Wanted
    from kernels.analysis.step_view import Moment
    from kernels.frontend.ast import Span
    from kernels.trace import AccessGroup, ArrayInfo

MemoryStage = Literal["load", "compute", "store"]


def access(m: Moment) -> tuple[MemoryStage, str] | None:
    """Say what is read and written; None for a statement that accesses nothing."""
    number = m.trace.step_statement[m.step]
    sites = [site for site in m.trace.sites if site.statement == number]
    kinds = {(m.trace.arrays[site.array].space, site.access) for site in sites}
    if not kinds:
        return None
    if ("shared", "write") in kinds and (("global", "read") in kinds or m.roles.zero is not None):
        return "load", _load(m) + _beyond(m)
    if ("global", "write") in kinds or ("global", "atomic") in kinds:
        return "store", _store(m) + _beyond(m)
    copied = _copied(m)
    if copied:
        return "load", copied + _waiting(m) + _beyond(m)
    return "compute", _compute(m) + _waiting(m) + _beyond(m)


def _beyond(m: Moment) -> str:
    """Warn of threads that touch what does not exist: no guard keeps them from it."""
    said: dict[str, list[str]] = {}
    for group in m.groups:
        elements = _elements(m, group)
        out = ~elements.inside
        if out.any():
            one, many = ("reads", "read") if group.site.access == "read" else ("writes", "write")
            lanes = np.unique(group.element_lanes[out])
            verb = plural(len(lanes), one, many)
            what = f"{verb} {element_names(elements.only(out))}, outside {extent(group.array)}"
            said.setdefault(thread_names(m.trace, lanes), []).append(what)
    return "".join(f"; careful: {who} {' and '.join(acts)}" for who, acts in said.items())


# --- load -------------------------------------------------------------------------------------------------


def _load(m: Moment) -> str:
    """Global to shared memory: who copies what, and who fills in a zero."""
    target = next((g.array.name for g in m.groups if g.array.space == "shared" and g.values is not None), "")
    said = []
    for group, elements in _by_site(m, m.groups):
        if group.array.space == "global" and group.site.access == "read":
            who, count = crowd(m.trace, group.lanes), len(group.lanes)
            verb = plural(count, "copies", "copy")
            said.append(f"{who} {verb} {region(elements)} to {target}")
    if m.roles.zero is not None:
        said.append(_filled(m, m.roles.zero))
    done_already = m.roles.zero is not None and m.roles.zero.place is not m.place
    if m.roles.held is not None and not done_already:
        said.append(_held(m, m.roles.held, "copies nothing", "copy nothing"))
    return "; ".join(said) or _compute(m)


def _filled(m: Moment, zero: Wanted) -> str:
    who, count = thread_names(m.trace, zero.lanes), len(zero.lanes)
    if count == len(m.lanes) and count > 2:
        who = crowd(m.trace, zero.lanes)
    it, writes = plural(count, "it", "they"), plural(count, "writes", "write")
    what = f"{it} {writes} {_filling(m, zero)}"
    if zero.elements is None:
        return f"{who} {plural(count, 'reads', 'read')} nothing: {what}"
    array = zero.elements.array
    if zero.elements.inside.any():
        return f"{who} {plural(count, 'does', 'do')} not read {element_names(zero.elements)}: {what}"
    needs = plural(count, "needs", "need")
    return f"{who} {needs} {element_names(zero.elements)}, outside {extent(array)}: {what}"


def _filling(m: Moment, zero: Wanted) -> str:
    """Return the value that is written instead."""
    stored = [g for g in m.groups if g.array.space == "shared" and g.values is not None]
    found = [g.values[np.isin(g.lanes, zero.lanes)] for g in stored if g.values is not None]
    numbers = np.unique(np.concatenate([f.reshape(-1) for f in found])) if found else np.zeros(0)
    return number_text(numbers[0].item()) if len(numbers) == 1 else "something else instead"


def _copied(m: Moment) -> str:
    """Global memory to a register, nothing else: `float a = A[i];`."""
    name, value = _assignment(m)
    while isinstance(value, Cast):
        value = value.operand
    arms = [value.then, value.otherwise] if isinstance(value, Conditional) else [value]
    plain = [r for r in m.place.references if r.node in arms and not r.stored]
    spaces = {array.space for r in plain if (array := array_of(m.trace, r)) is not None}
    if not name or spaces != {"global"} or len(m.place.references) != len(plain):
        return ""
    groups = [g for g in m.groups if g.site.access == "read"]
    if not groups:
        return f"no thread reads: each sets {name} to something else"
    said = [
        f"{crowd(m.trace, g.lanes)} {plural(len(g.lanes), 'reads', 'read')} {region(elements)} into {name}"
        for g, elements in _by_site(m, groups)
    ]
    return "; ".join(said)


# --- store ------------------------------------------------------------------------------------------------


def _store(m: Moment) -> str:
    """Write to global memory: who stores what and where, and who is held back."""
    said = []
    for group, elements in _by_site(m, m.groups):
        if group.array.space != "global" or group.site.access == "read":
            continue
        who, count = crowd(m.trace, group.lanes), len(group.lanes)
        where = region(elements)
        if group.site.access == "atomic":
            said.append(f"{who} {_atomic(m, count, where)} atomically")
        else:
            said.append(f"{who} {_what_is_stored(m, count, where)}")
    if m.roles.held is not None:
        said.append(_held(m, m.roles.held, "stores nothing", "store nothing"))
    return "; ".join([*said, *_worked_store(m)])


def _atomic(m: Moment, count: int, where: str) -> str:
    call = next((c for c in calls_in(m.place.node) if c.function.startswith("atomic")), None)
    if call is not None and len(call.arguments) == 2:
        value = m.spoken(call.arguments[1])
        if call.function == "atomicAdd":
            return f"{plural(count, 'adds', 'add')} {value} to {where}"
        if call.function == "atomicSub":
            return f"{plural(count, 'subtracts', 'subtract')} {value} from {where}"
    return f"{plural(count, 'updates', 'update')} {where}"


def _what_is_stored(m: Moment, count: int, where: str) -> str:
    node = m.place.node
    expression = node.expression if isinstance(node, Do) else None
    if isinstance(expression, Assign):
        value = m.spoken(expression.value)
        if expression.op == "+=":
            return f"{plural(count, 'adds', 'add')} {value} to {where}"
        if expression.op == "=":
            return f"{plural(count, 'writes', 'write')} {value} to {where}"
    return f"{plural(count, 'changes', 'change')} {where}"


def _worked_store(m: Moment) -> list[str]:
    """Show the arithmetic for the first thread where what is stored is worked out on the spot."""
    node = m.place.node
    expression = node.expression if isinstance(node, Do) else None
    if not isinstance(expression, Assign) or isinstance(expression.value, Name | Number):
        return []
    found = values(expression.value, m.before)
    stored = [r for r in m.place.references if r.stored and len(r.indices) == 1]
    if found is None or len(stored) != 1 or not any(names_in(expression.value)):
        return []
    elements = elements_meant(m.trace, m.place, stored[0], m.before)
    if elements is None:
        return []
    index, array = substituted(stored[0].indices[0], m.before), elements.array
    flat = int(elements.flat[0])
    return [
        f"{thread_name(m.trace, int(m.lanes[0]))}: index {index} = {flat // array.words}, "
        f"byte {flat * array.dtype.itemsize} of {array.name}, value {number_text(found[0].item())}"
    ]


# --- compute ----------------------------------------------------------------------------------------------


def _compute(m: Moment) -> str:
    """Read arrays and compute: `each thread adds As[ty][1] · Bs[1][tx] to sum`."""
    who = each(m.trace, m.lanes)
    node = m.place.node
    expression = node.expression if isinstance(node, Do) else None
    if isinstance(expression, Assign):
        target, value = m.spoken(expression.target), m.spoken(expression.value)
        said = {
            "=": f"sets {target} to {value}",
            "+=": f"adds {value} to {target}",
            "-=": f"subtracts {value} from {target}",
            "*=": f"multiplies {target} by {value}",
            "/=": f"divides {target} by {value}",
        }.get(expression.op, f"computes {target} {expression.op} {value}")
        return f"{who} {said}"
    if isinstance(expression, Update):
        change = "adds 1 to" if expression.op == "++" else "subtracts 1 from"
        return f"{who} {change} {m.spoken(expression.target)}"
    name, value_node = _assignment(m)
    if name and value_node is not None:
        return f"{who} sets {name} to {m.spoken(value_node)}"
    return f"{who} {executes(m.trace, m.step)}"


def _assignment(m: Moment) -> tuple[str, Expr | None]:
    """Return the register that the statement sets, and to what."""
    node = m.place.node
    if isinstance(node, Declare) and len(node.variables) == 1:
        value = node.variables[0].value
        return node.variables[0].name, value if isinstance(value, Expr) else None
    if isinstance(node, Do) and isinstance(node.expression, Assign) and node.expression.op == "=":
        return spelled(node.expression.target), node.expression.value
    return "", None


# --- threads that are held back -----------------------------------------------------------------------------


def _held(m: Moment, held: Wanted, one: str, many: str) -> str:
    who, count = thread_names(m.trace, held.lanes), len(held.lanes)
    what = plural(count, one, many)
    if held.elements is not None and not held.elements.inside.any():
        return f"{who} {plural(count, 'is', 'are')} outside {extent(held.elements.array)} and {what}"
    return f"{who} {what}: {_conditions(m)}"


def _waiting(m: Moment) -> str:
    held = m.roles.held
    if held is None:
        return ""
    who, count = thread_names(m.trace, held.lanes), len(held.lanes)
    return f"; {who} {plural(count, 'waits', 'wait')}: {_conditions(m)}"


def _conditions(m: Moment) -> str:
    """Say what keeps threads away: one of the conditions around the statement is not as it must be."""
    return " or ".join(
        f"{text_at(m.trace, node.condition.span)} is {'false' if expected else 'true'}"
        for node, expected in m.place.branches
    )


def _by_site(m: Moment, groups: Sequence[AccessGroup]) -> list[tuple[AccessGroup, Elements]]:
    """First group of every place in the source, with all that it accesses: a struct may be copied member by member."""
    first: dict[tuple[Span, int, str], AccessGroup] = {}
    found: dict[tuple[Span, int, str], list[Elements]] = {}
    for group in groups:
        key = group.site.span, group.site.array, group.site.access
        first.setdefault(key, group)
        found.setdefault(key, []).append(_elements(m, group))
    return [(group, joined_elements(found[key])) for key, group in first.items()]


def _elements(m: Moment, group: AccessGroup) -> Elements:
    """Every element of a group, with coordinates told by the source where it does."""
    array: ArrayInfo = group.array
    for reference in m.place.references:
        if reference.node.span == group.site.span and reference.base == array.name:
            meant = elements_meant(m.trace, m.place, reference, m.before)
            if meant is None:
                continue
            rows = np.searchsorted(m.lanes, group.lanes)
            if (meant.flat[rows] == group.index).all():
                return meant.only(rows).widened(group.site.width)
    return elements_touched(array, group.elements)
