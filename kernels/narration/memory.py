"""Captions of steps that access arrays: load, compute, store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from kernels.analysis.metrics.atomic_queues import atomic_queues
from kernels.analysis.syntax.bounds import accessed_elements
from kernels.analysis.syntax.evaluate import number_text, substitute, values
from kernels.analysis.syntax.source import place_of, text_at
from kernels.analysis.syntax.walk import calls_in, names_in, qualified_name
from kernels.analysis.values.elements import array_of, concatenate_elements, elements_of_reference
from kernels.analysis.values.roles import excluding_branches
from kernels.frontend.ast import Assign, Call, Cast, Conditional, Declare, Do, Expr, Name, Number, Update
from kernels.narration.words import element_names, extent, region
from kernels.words import agree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.analysis.syntax.source import Reference
    from kernels.analysis.values.elements import Elements
    from kernels.analysis.values.roles import ExcludedThreads
    from kernels.frontend.ast import Span
    from kernels.narration.step_view import StepView
    from kernels.trace import AccessGroup, Trace

MemoryStage = Literal["load", "compute", "store"]


def access(view: StepView) -> tuple[MemoryStage, str] | None:
    """Name the elements that are read and written; None for a statement that accesses none."""
    number = view.trace.step_statement[view.step]
    sites = [site for site in view.trace.sites if site.statement == number]
    kinds = {(view.trace.arrays[site.array].space, site.access) for site in sites}
    if not kinds:
        return None
    if ("shared", "write") in kinds and (("global", "read") in kinds or view.roles.zero_fill is not None):
        return "load", _load(view)
    if ("global", "write") in kinds or ("global", "atomic") in kinds:
        return "store", _store(view)
    loads = _register_load(view)
    if loads:
        return "load", loads + _skipping(view)
    return "compute", _compute(view) + _skipping(view)


# --- load -------------------------------------------------------------------------------------------------


def _load(view: StepView) -> str:
    """Describe copies from global to shared memory, and the zeros that guarded threads write instead."""
    target, arrives_later = _target(view)
    parts = []
    for group, elements in _by_site(view, view.groups):
        if group.array.space == "global" and group.site.access == "read":
            threads, count = view.group(group.lanes), len(group.lanes)
            copy = agree(count, "starts to copy", "start to copy") if arrives_later else agree(count, "copies", "copy")
            parts.append(f"{threads} {copy} {region(elements)} to {target}")
    zero = view.roles.zero_fill
    if zero is not None:
        parts.append(_zero_fill(view, zero))
    in_other_branch = zero is not None and zero.place is not view.place
    if view.roles.guarded_off is not None and not in_other_branch:
        parts.append(_guarded_off(view, view.roles.guarded_off, "copies nothing", "copy nothing"))
    return "; ".join(parts) or _compute(view)


def _target(view: StepView) -> tuple[str, bool]:
    """Return the array that a copy writes, and whether that happens in a later step, as with cp.async.

    A function that copies may be called with shared arrays and with those of a thread.
    """
    written = [g.array for g in view.groups if g.site.access == "write" and g.array.space != "global"]
    if written:
        return next((array.name for array in written if array.space == "shared"), written[0].name), False
    number = view.trace.step_statement[view.step]
    sites = [site for site in view.trace.sites if site.statement == number and site.access == "write"]
    arrays = [view.trace.arrays[site.array] for site in sites]
    return next(array.name for array in arrays if array.space == "shared"), True


def _zero_fill(view: StepView, zero: ExcludedThreads) -> str:
    threads, count = view.threads(zero.lanes), len(zero.lanes)
    if count == len(view.lanes) and count > 2:
        threads = view.group(zero.lanes)
    it, writes = agree(count, "it", "they"), agree(count, "writes", "write")
    what = f"{it} {writes} {_fill_value(view, zero)}"
    if zero.elements is None:
        return f"{threads} {agree(count, 'reads', 'read')} nothing: {what}"
    array = zero.elements.array
    if zero.elements.inside.any():
        return f"{threads} {agree(count, 'does', 'do')} not read {element_names(zero.elements)}: {what}"
    needs = agree(count, "needs", "need")
    return f"{threads} {needs} {element_names(zero.elements)}, outside {extent(array)}: {what}"


def _fill_value(view: StepView, zero: ExcludedThreads) -> str:
    """Return the value that is written instead."""
    stored = [g for g in view.groups if g.array.space == "shared" and g.values is not None]
    found = [g.values[np.isin(g.lanes, zero.lanes)] for g in stored if g.values is not None]
    numbers = np.unique(np.concatenate([f.reshape(-1) for f in found])) if found else np.zeros(0)
    return number_text(numbers[0].item()) if len(numbers) == 1 else "something else instead"


def _register_load(view: StepView) -> str:
    """Describe a load from global memory to a register or an array of the thread and nothing else, `float a = A[i];`.

    The text is empty for other steps.
    """
    name, value = _assignment(view)
    while isinstance(value, Cast):
        value = value.operand
    arms = [value.then, value.otherwise] if isinstance(value, Conditional) else [value]
    plain = [r for r in view.place.references if r.node in arms and not r.is_store]
    spaces = {array.space for r in plain if (array := array_of(view.trace, r)) is not None}
    own = [r for r in view.place.references if r.is_store and _is_own(view, r)]
    if not name or spaces != {"global"} or len(view.place.references) != len(plain) + len(own):
        return ""
    groups = [g for g in view.groups if g.site.access == "read"]
    if not groups:
        return f"no {view.vocabulary.thread} reads: each sets {name} to something else"
    parts = [
        f"{view.group(g.lanes)} {agree(len(g.lanes), 'reads', 'read')} {region(elements)} into {name}"
        for g, elements in _by_site(view, groups)
    ]
    return "; ".join(parts)


# --- store ------------------------------------------------------------------------------------------------


def _store(view: StepView) -> str:
    """Describe writes to global memory, and name the threads whose guard is false."""
    parts = []
    for group, elements in _by_site(view, view.groups):
        if group.array.space != "global" or group.site.access == "read":
            continue
        threads, count = view.group(group.lanes), len(group.lanes)
        where = region(elements)
        if group.site.access == "atomic":
            parts.append(f"{threads} {_atomic(view, count, where)} atomically{_queue(view, group)}")
        else:
            parts.append(f"{threads} {_stored_value(view, count, where)}")
    if view.roles.guarded_off is not None:
        parts.append(_guarded_off(view, view.roles.guarded_off, "stores nothing", "store nothing"))
    return "; ".join([*parts, *_store_arithmetic(view)])


def _queue(view: StepView, group: AccessGroup) -> str:
    """Say how many of the threads update one element, if more than one do."""
    queue = next((q for q in atomic_queues(view.trace, view.step, view.block) if q.site == group.site), None)
    if queue is None:
        return ""
    one = len(queue.lanes) == len(group.lanes)
    return ", one after another" if one else f", up to {len(queue.lanes)} of them one after another to one element"


def adds_atomically(trace: Trace, step: int) -> bool:
    """Return whether the atomic operation of a step adds."""
    place = place_of(trace, step)
    return place is not None and any(call.function.startswith("atomicAdd") for call in calls_in(place.node))


def _atomic(view: StepView, count: int, where: str) -> str:
    call = next((c for c in calls_in(view.place.node) if c.function.startswith("atomic")), None)
    if call is not None and len(call.arguments) == 2:
        value = view.expression(call.arguments[1])
        if call.function == "atomicAdd":
            return f"{agree(count, 'adds', 'add')} {value} to {where}"
        if call.function == "atomicSub":
            return f"{agree(count, 'subtracts', 'subtract')} {value} from {where}"
    return f"{agree(count, 'updates', 'update')} {where}"


def _stored_value(view: StepView, count: int, where: str) -> str:
    node = view.place.node
    expression = node.expression if isinstance(node, Do) else None
    if isinstance(expression, Assign):
        value = view.expression(expression.value)
        if expression.op == "+=":
            return f"{agree(count, 'adds', 'add')} {value} to {where}"
        if expression.op == "=":
            return f"{agree(count, 'writes', 'write')} {value} to {where}"
    return f"{agree(count, 'changes', 'change')} {where}"


def _store_arithmetic(view: StepView) -> list[str]:
    """Show index and value of the first thread where the stored value is an expression of registers."""
    node = view.place.node
    expression = node.expression if isinstance(node, Do) else None
    if not isinstance(expression, Assign) or isinstance(expression.value, Name | Number):
        return []
    found = values(expression.value, view.before)
    stored = [r for r in view.place.references if r.is_store and len(r.indices) == 1]
    if found is None or len(stored) != 1 or not any(names_in(expression.value)):
        return []
    elements = elements_of_reference(view.trace, view.place, stored[0], view.before)
    if elements is None:
        return []
    index, array = substitute(stored[0].indices[0], view.before), elements.array
    flat = int(elements.flat[0])
    return [
        f"{view.first_thread()}: index {index} = {flat // array.words}, "
        f"byte {flat * array.dtype.itemsize} of {array.name}, value {number_text(found[0].item())}"
    ]


# --- compute ----------------------------------------------------------------------------------------------


def _compute(view: StepView) -> str:
    """Describe arithmetic with elements of arrays: `each thread adds As[ty][1] · Bs[1][tx] to sum`."""
    threads = view.each_thread()
    node = view.place.node
    expression = node.expression if isinstance(node, Do) else None
    if isinstance(expression, Call) and (updates := _shared_atomics(view)):
        return updates
    if isinstance(expression, Assign):
        target, value = view.expression(expression.target), view.expression(expression.value)
        action = {
            "=": f"sets {target} to {value}",
            "+=": f"adds {value} to {target}",
            "-=": f"subtracts {value} from {target}",
            "*=": f"multiplies {target} by {value}",
            "/=": f"divides {target} by {value}",
        }.get(expression.op, f"computes {target} {expression.op} {value}")
        return f"{threads} {action}"
    if isinstance(expression, Update):
        change = "adds 1 to" if expression.op == "++" else "subtracts 1 from"
        return f"{threads} {change} {view.expression(expression.target)}"
    name, value_node = _assignment(view)
    if name and value_node is not None:
        return f"{threads} sets {name} to {view.expression(value_node)}"
    return f"{threads} {view.executes()}"


def _shared_atomics(view: StepView) -> str:
    """Describe atomic operations on shared memory; "" for other steps."""
    parts = []
    for group, elements in _by_site(view, view.groups):
        if group.array.space == "shared" and group.site.access == "atomic":
            threads, count = view.group(group.lanes), len(group.lanes)
            parts.append(f"{threads} {_atomic(view, count, region(elements))} atomically{_queue(view, group)}")
    return "; ".join(parts)


def _assignment(view: StepView) -> tuple[str, Expr | None]:
    """Return the register that the statement sets and the assigned expression; ("", None) for other statements."""
    node = view.place.node
    if isinstance(node, Declare) and len(node.variables) == 1:
        value = node.variables[0].value
        return node.variables[0].name, value if isinstance(value, Expr) else None
    if isinstance(node, Do) and isinstance(node.expression, Assign) and node.expression.op == "=":
        target = node.expression.target
        own = any(reference.node is target and _is_own(view, reference) for reference in view.place.references)
        return view.expression(target) if own else qualified_name(target), node.expression.value
    return "", None


def _is_own(view: StepView, reference: Reference) -> bool:
    """Return whether a reference is to an array of the thread."""
    array = array_of(view.trace, reference)
    return array is not None and array.space == "local"


# --- threads whose guard is false --------------------------------------------------------------------------


def _guarded_off(view: StepView, guarded: ExcludedThreads, one: str, many: str) -> str:
    threads, count = view.threads(guarded.lanes), len(guarded.lanes)
    what = agree(count, one, many)
    if guarded.elements is not None and not guarded.elements.inside.any() and not _passes_outside(view):
        return f"{threads} {agree(count, 'is', 'are')} outside {extent(guarded.elements.array)} and {what}"
    return f"{threads} {what}: {_false_conditions(view, guarded)}"


def _passes_outside(view: StepView) -> bool:
    """Return whether the guard lets threads pass that need elements outside: then it is no test of the bounds."""
    zero = view.roles.zero_fill
    return zero is not None and zero.elements is not None and not zero.elements.inside.all()


def _skipping(view: StepView) -> str:
    guarded = view.roles.guarded_off
    if guarded is None:
        return ""
    threads, count = view.threads(guarded.lanes), len(guarded.lanes)
    return f"; {threads} {agree(count, 'skips', 'skip')} this: {_false_conditions(view, guarded)}"


def _false_conditions(view: StepView, guarded: ExcludedThreads) -> str:
    """List the conditions that exclude threads."""
    branches = excluding_branches(view.trace, view.step, view.block, view.place, guarded.lanes)
    return " or ".join(
        f"{text_at(view.trace, node.condition.span)} is {'false' if expected else 'true'}"
        for node, expected in branches
    )


def _by_site(view: StepView, groups: Sequence[AccessGroup]) -> list[tuple[AccessGroup, Elements]]:
    """Return the first group of each expression with all its elements: a struct is copied by a group per member."""
    first: dict[tuple[Span, int, str], AccessGroup] = {}
    found: dict[tuple[Span, int, str], list[Elements]] = {}
    for group in groups:
        key = group.site.span, group.site.array, group.site.access
        first.setdefault(key, group)
        found.setdefault(key, []).append(_elements(view, group))
    return [(group, concatenate_elements(found[key])) for key, group in first.items()]


def _elements(view: StepView, group: AccessGroup) -> Elements:
    return accessed_elements(view.trace, view.place, group, view.before)
