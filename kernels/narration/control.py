"""Captions of barriers, branches, loops, returns and printf."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.analysis.order.barrier_arrivals import arrivals, barrier_line
from kernels.analysis.syntax.bounds import padding
from kernels.analysis.syntax.evaluate import substitute, values
from kernels.analysis.syntax.source import text_at
from kernels.analysis.syntax.walk import calls_in, has_barrier, loop_variable, names_in
from kernels.analysis.values.registers import AXES
from kernels.frontend.ast import Assign, Break, Continue, Declare, Do, Expr, For, Return, String
from kernels.narration.barriers import late_words
from kernels.trace.sorted_columns import count_below, rows_between
from kernels.words import agree, join

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.syntax.walk import Loop
    from kernels.frontend.ast import Call, If
    from kernels.narration.step_view import StepView

_SAME_IN_BLOCK: Final = frozenset(f"{name}.{axis}" for name in ("blockIdx", "blockDim", "gridDim") for axis in AXES)
"""Built-in variables that have one value in all threads of a block."""

_FENCE_SCOPES: Final = {"__threadfence_block": "the block", "__threadfence_system": "the host too"}
"""By fence: who sees the writes before it, where that is not the whole grid."""


def barrier(view: StepView) -> str:
    """Count the threads that have arrived, and say what that means for shared memory."""
    total, words = view.trace.launch.block.count, view.vocabulary
    first = view.block * total
    block = np.arange(first, first + total, dtype=np.int32)
    now, ever = arrivals(view.trace, view.step, view.block, view.step)
    if len(ever) < total:
        missing = np.setdiff1d(block, ever)
        return (
            f"only {len(ever)} of {total} {words.threads} come here, {view.threads(missing)} "
            f"{agree(len(missing), 'does', 'do')} not: every {words.thread} of a block must reach the same barrier"
        )
    if len(now) < total:
        line = barrier_line(view.trace, view.step, view.block)
        late = late_words(line) if line is not None else ""
        return f"{len(now)} of {total} {words.threads} wait here for the others{f'; {late}' if late else ''}"
    return f"{view.group(block)} {agree(total, 'has', 'have')} arrived, {_meaning(view)}"


def warp_barrier(view: StepView) -> str:
    """Say what __syncwarp orders."""
    return f"{view.each_thread()} waits for its warp; what the warp has written it can read now"


def group_barrier(view: StepView) -> str:
    """Say what a barrier of a cooperative group orders."""
    return f"{view.each_thread()} waits for its group; what the group has written it can read now"


def fence(view: StepView) -> str:
    """Say for whom a fence orders the writes of a thread; it waits for no other thread."""
    names = {name for call in calls_in(view.place.node) for name in (call.function, *names_in(call))}
    scopes = [scope for name, scope in _FENCE_SCOPES.items() if name in names]
    observers = scopes[0] if scopes else "the whole grid"
    return f"{view.each_thread()} lets {observers} see what it has written before what it writes next"


def _meaning(view: StepView) -> str:
    """Say what is safe after the barrier, from the accesses to shared arrays since the last one."""
    wrote, read = _shared_use(view)
    if wrote and not read and all(_complete(view, array) for array in wrote):
        return f"{join(_names(view, wrote))} {agree(len(wrote), 'is', 'are')} complete"
    if read and not wrote:
        return f"{join(_names(view, read))} may be overwritten now"
    if wrote:
        return f"what they wrote to {join(_names(view, wrote))} can be read by the whole block"
    return "they go on together"


def _names(view: StepView, arrays: list[int]) -> list[str]:
    return [view.trace.arrays[array].name for array in arrays]


def _complete(view: StepView, array: int) -> bool:
    """Return whether every element of a shared array has a value, but for padding."""
    written = view.trace.contents(array, view.step, view.block)[1]
    if written.all():
        return True
    columns = padding(view.trace, array)
    return columns > 0 and bool(written[..., :-columns].all())


def _shared_use(view: StepView) -> tuple[list[int], list[int]]:
    """Return the shared arrays written, and those read, since the block's last barrier."""
    trace, steps = view.trace, view.trace.block_steps(view.block)
    barriers = [n for n, s in enumerate(trace.statements) if s.kind == "barrier"]
    waits = steps[np.isin(trace.step_statement[steps], barriers)]
    waits = waits[trace.step_epoch[waits] < trace.step_epoch[view.step]]
    begin = int(waits[-1]) + 1 if len(waits) else 0
    rows = rows_between(trace.group_step, begin, view.step + 1)
    sites = [trace.sites[number] for number in np.unique(trace.group_site[rows])]
    shared = [site for site in sites if trace.arrays[site.array].space == "shared"]
    wrote = sorted({site.array for site in shared if site.access != "read"})
    read = sorted({site.array for site in shared if site.access != "write"})
    return wrote, read


def branch(view: StepView, node: If) -> str:
    """Say for whom a condition holds."""
    text = text_at(view.trace, node.condition.span)
    found = values(node.condition, view.before)
    if found is None:
        return f"{view.each_thread()} tests {text}"
    return f"{text} {_holds(view, node.condition, found != 0)}"


def _holds(view: StepView, condition: Expr, yes: NDArray[np.bool_]) -> str:
    trace, lanes = view.trace, view.lanes
    names = set(names_in(condition))
    if names and all(name in _SAME_IN_BLOCK or name in trace.scalars for name in names):
        return f"is {'true' if yes[0] else 'false'} for the whole block ({substitute(condition, view.before)})"
    if yes.all():
        return f"holds for {view.group(lanes)}"
    if not yes.any():
        return f"holds for none of the {len(lanes)} {view.vocabulary.threads}" if len(lanes) > 1 else "does not hold"
    return f"holds for {view.count(lanes[yes])}, not for {view.threads(lanes[~yes])}"


def loop(view: StepView, node: Loop) -> str:
    """Say whether a loop continues, and with which value of its variable."""
    variable = loop_variable(node)
    over = f"the loop over {variable}" if variable else "the loop"
    count = _same(view.after.get(variable)) if variable else None
    now = "" if count is None else f" with {variable} = {count}"
    test = None if node.condition is None else values(node.condition, view.after)
    if test is not None and not (test != 0).all():
        continues = test != 0
        if not continues.any():
            return f"{over} ends{now}"
        inside, outside = view.lanes[continues], view.lanes[~continues]
        return f"{over} goes on{now} for {view.count(inside)} and ends for {view.threads(outside)}"
    if view.phase >= 0 and has_barrier(node):
        return f"a new phase begins{now}"
    if test is None and node.condition is not None:  # it depends on memory
        return f"{over}{now}: {view.each_thread()} tests {text_at(view.trace, node.condition.span)}"
    return f"{over} {'begins' if _is_first(view, node, variable) else 'goes on'}{now}"


def _same(counts: NDArray[Any] | None) -> int | None:
    """Return the value that is the same in all lanes; None where they differ."""
    return counts[0].item() if counts is not None and (counts == counts[0]).all() else None


def _is_first(view: StepView, node: Loop, variable: str) -> bool:
    """Return whether the variable of a loop has its first value, in each lane its own."""
    start = node.start if isinstance(node, For) else None
    value: object = None
    if isinstance(start, Declare):
        value = start.variables[0].value
    elif isinstance(start, Do) and isinstance(start.expression, Assign):
        value = start.expression.value
    first = values(value, view.before) if isinstance(value, Expr) else None
    now = view.after.get(variable)
    return first is not None and now is not None and bool((now == first).all())


def returns_at_once(view: StepView) -> bool:
    """Return whether the whole block returns from the kernel before it has accessed memory."""
    return (
        isinstance(view.place.node, Return)
        and view.place.function.name == view.trace.kernel
        and len(view.lanes) == view.trace.launch.block.count
        and not _accessed_memory(view)
    )


def leave(view: StepView, node: Return | Break | Continue) -> str:
    """Say which threads return, or leave a loop, and why."""
    reason, number = reason_of_branch(view), len(view.lanes)
    threads = view.group(view.lanes)
    if isinstance(node, Return) and view.place.function.name != view.trace.kernel:
        value = f" {view.expression(node.value)}" if node.value is not None else ""
        return f"{threads} {agree(number, 'returns', 'return')}{value} from {view.place.function.name}"
    if isinstance(node, Return):
        return f"{threads} {agree(number, 'returns', 'return')}{reason}"
    if isinstance(node, Break):
        return f"{threads} {agree(number, 'leaves', 'leave')} the loop{reason}"
    return f"{threads} {agree(number, 'goes', 'go')} to the loop's next round{reason}"


def reason_of_branch(view: StepView) -> str:
    """Return the innermost condition around the statement, after a colon; "" where there is none."""
    if not view.place.branches:
        return ""
    node, expected = view.place.branches[-1]
    text, numbers = text_at(view.trace, node.condition.span), substitute(node.condition, view.before)
    uniform = set(names_in(node.condition)) <= _SAME_IN_BLOCK
    shown = f"{text} ({numbers})" if uniform and numbers != text else text
    return f": {shown}" if expected else f": {shown} is false"


def _accessed_memory(view: StepView) -> bool:
    """Return whether the block has accessed memory before this step."""
    trace = view.trace
    rows = slice(count_below(trace.group_step, view.step))
    first = view.block * trace.launch.block.count
    masks = (trace.masks[number] for number in np.unique(trace.group_mask[rows]))
    return any(np.searchsorted(k, first + trace.launch.block.count) > np.searchsorted(k, first) for k in masks)


def printing(view: StepView) -> str:
    """Quote the line that the first thread prints."""
    line = next((text for call in calls_in(view.place.node) if (text := _printed(view, call))), "")
    first = f"; {view.first_thread()} prints “{line}”" if line else ""
    order = "; their order is not guaranteed" if len(view.lanes) > 1 else ""
    return f"{view.each_thread()} prints a line{order}{first}"


def _printed(view: StepView, call: Call) -> str:
    """Return the line of the first thread; "" where the registers do not give its values."""
    if call.function != "printf" or not isinstance(call.arguments[0], String):
        return ""
    arguments: list[Any] = []
    for argument in call.arguments[1:]:
        found = values(argument, view.before)
        if found is None:
            return ""
        arguments.append(found[0].item())
    # Python's % knows C's formats, but for the length modifiers.
    template = re.sub(r"%([-+ #0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|z)?([a-zA-Z%])", r"%\1\2", call.arguments[0].value)
    try:
        return str(template % tuple(arguments)).strip()
    except (TypeError, ValueError):
        return ""
