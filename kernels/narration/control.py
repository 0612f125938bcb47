"""Words for barriers, branches, loops, returns and printf."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.analysis.evaluate import substituted, values
from kernels.analysis.syntax import text_at
from kernels.analysis.walk import calls_in, has_barrier, loop_variable, names_in
from kernels.frontend.ast import Assign, Break, Continue, Declare, Do, Expr, For, Return, String
from kernels.narration.words import crowd, each, listed, plural, thread_name, thread_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis.step_view import Moment
    from kernels.analysis.walk import Loop
    from kernels.frontend.ast import Call, If

_WHOLE_BLOCK = ("blockIdx.", "blockDim.", "gridDim.")


def barrier(m: Moment) -> str:
    """Say who has arrived, and what that means for shared memory."""
    trace, total = m.trace, m.trace.launch.block.count
    first = m.block * total
    everyone = np.arange(first, first + total, dtype=np.int32)
    now, ever = _arrivals(m)
    if len(ever) < total:
        missing = np.setdiff1d(everyone, ever)
        return (
            f"only {len(ever)} of {total} threads come here, {thread_names(trace, missing)} "
            f"{plural(len(missing), 'does', 'do')} not: every thread of a block must reach the same barrier"
        )
    if len(now) < total:
        return f"{len(now)} of {total} threads wait here for the others"
    return f"{crowd(trace, everyone)} {plural(total, 'has', 'have')} arrived, {_meaning(m)}"


def warp_barrier(m: Moment) -> str:
    """Say what a barrier of the warp is good for."""
    return f"{each(m.trace, m.lanes)} waits for its warp; what the warp has written it can read now"


def group_barrier(m: Moment) -> str:
    """Say what a barrier of a part of a block is good for."""
    return f"{each(m.trace, m.lanes)} waits for its group; what the group has written it can read now"


def fence(m: Moment, text: str) -> str:
    """Say whom a fence is for: it orders a thread's own writes, and waits for nobody."""
    whom = "the block" if "_block" in text else "the host too" if "_system" in text else "the whole grid"
    return f"{each(m.trace, m.lanes)} lets {whom} see what it has written before what it writes next"


def _arrivals(m: Moment) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lanes of the block that are at this barrier by now, and that ever come to it."""
    if len(m.lanes) == m.trace.launch.block.count:
        return m.lanes, m.lanes
    trace, steps = m.trace, m.trace.block_steps(m.block)
    same = (trace.step_statement[steps] == trace.step_statement[m.step]) & (
        trace.step_epoch[steps] == trace.step_epoch[m.step]
    )
    come = [(int(step), trace.lanes(int(step), m.block)) for step in steps[same]]
    now = np.unique(np.concatenate([lanes for step, lanes in come if step <= m.step]))
    return now, np.unique(np.concatenate([lanes for _, lanes in come]))


def _meaning(m: Moment) -> str:
    """Say what the shared arrays are good for now, from what was done to them since the last barrier."""
    wrote, read = _shared_use(m)
    if wrote and not read:
        return f"{listed(wrote)} {plural(len(wrote), 'is', 'are')} complete"
    if read and not wrote:
        return f"{listed(read)} may be overwritten now"
    if wrote:
        return f"what they wrote to {listed(wrote)} can be read by the whole block"
    return "they go on together"


def _shared_use(m: Moment) -> tuple[list[str], list[str]]:
    """Names of shared arrays written, and read, since the block's last barrier."""
    trace, steps = m.trace, m.trace.block_steps(m.block)
    barriers = [n for n, s in enumerate(trace.statements) if s.kind == "barrier"]
    waits = steps[np.isin(trace.step_statement[steps], barriers)]
    waits = waits[trace.step_epoch[waits] < trace.step_epoch[m.step]]
    begin = int(waits[-1]) + 1 if len(waits) else 0
    rows = slice(*np.searchsorted(trace.group_step, [begin, m.step + 1]))
    sites = [trace.sites[number] for number in np.unique(trace.group_site[rows])]
    shared = [site for site in sites if trace.arrays[site.array].space == "shared"]
    wrote = sorted({site.array for site in shared if site.access != "read"})
    read = sorted({site.array for site in shared if site.access != "write"})
    return [trace.arrays[a].name for a in wrote], [trace.arrays[a].name for a in read]


def branch(m: Moment, node: If) -> str:
    """Say for whom a condition holds."""
    text = text_at(m.trace, node.condition.span)
    found = values(node.condition, m.before)
    if found is None:
        return f"{each(m.trace, m.lanes)} tests {text}"
    return f"{text} {_holds(m, node.condition, found != 0)}"


def _holds(m: Moment, condition: Expr, yes: NDArray[np.bool_]) -> str:
    trace, lanes = m.trace, m.lanes
    names = set(names_in(condition))
    if names and all(name.startswith(_WHOLE_BLOCK) or name in trace.scalars for name in names):
        return f"is {'true' if yes[0] else 'false'} for the whole block ({substituted(condition, m.before)})"
    if yes.all():
        return f"holds for {crowd(trace, lanes)}"
    if not yes.any():
        return f"holds for none of the {len(lanes)} threads" if len(lanes) > 1 else "does not hold"
    return f"holds for {_some(m, lanes[yes])}, not for {thread_names(trace, lanes[~yes])}"


def _some(m: Moment, lanes: NDArray[np.int32]) -> str:
    return thread_name(m.trace, int(lanes[0])) if len(lanes) == 1 else f"{len(lanes)} threads"


def loop(m: Moment, node: Loop) -> str:
    """Say whether a loop goes round again, and with which value of its variable."""
    variable = loop_variable(node)
    over = f"the loop over {variable}" if variable else "the loop"
    count = _same(m.after.get(variable)) if variable else None
    now = "" if count is None else f" with {variable} = {count}"
    test = None if node.condition is None else values(node.condition, m.after)
    if test is not None and not (test != 0).all():
        goes = test != 0
        if not goes.any():
            return f"{over} ends{now}"
        stay, out = m.lanes[goes], m.lanes[~goes]
        return f"{over} goes on{now} for {_some(m, stay)} and ends for {thread_names(m.trace, out)}"
    if m.phase >= 0 and has_barrier(node):
        return f"a new phase begins{now}"
    first = count is not None and count == _first_value(m, node)
    return f"{over} {'begins' if first else 'goes on'}{now}"


def _same(counts: NDArray[Any] | None) -> int | None:
    """Return the value that all lanes have; None where they differ."""
    return counts[0].item() if counts is not None and (counts == counts[0]).all() else None


def _first_value(m: Moment, node: Loop) -> int | None:
    start = node.start if isinstance(node, For) else None
    value: object = None
    if isinstance(start, Declare):
        value = start.variables[0].value
    elif isinstance(start, Do) and isinstance(start.expression, Assign):
        value = start.expression.value
    return _same(values(value, m.before)) if isinstance(value, Expr) else None


def leave(m: Moment, node: Return | Break | Continue) -> str:
    """Say who returns, or leaves a loop, and why."""
    why = _reason(m)
    who = crowd(m.trace, m.lanes)
    if isinstance(node, Return) and m.place.function.name != m.trace.kernel:
        value = f" {m.spoken(node.value)}" if node.value is not None else ""
        return f"{who} {plural(len(m.lanes), 'returns', 'return')}{value} from {m.place.function.name}"
    if isinstance(node, Return):
        if len(m.lanes) == m.trace.launch.block.count and not _did_something(m):
            return f"returns at once{why}"
        return f"{who} {plural(len(m.lanes), 'returns', 'return')}{why}"
    if isinstance(node, Break):
        return f"{who} {plural(len(m.lanes), 'leaves', 'leave')} the loop{why}"
    return f"{who} {plural(len(m.lanes), 'goes', 'go')} to the loop's next round{why}"


def _reason(m: Moment) -> str:
    if not m.place.branches:
        return ""
    node, expected = m.place.branches[-1]
    text, numbers = text_at(m.trace, node.condition.span), substituted(node.condition, m.before)
    uniform = all(name.startswith(_WHOLE_BLOCK) for name in names_in(node.condition))
    shown = f"{text} ({numbers})" if uniform and numbers != text else text
    return f": {shown}" if expected else f": {shown} is false"


def _did_something(m: Moment) -> bool:
    """Whether the block has accessed memory before."""
    trace = m.trace
    rows = slice(*np.searchsorted(trace.group_step, [0, m.step]))
    first = m.block * trace.launch.block.count
    masks = (trace.masks[number] for number in np.unique(trace.group_mask[rows]))
    return any(np.searchsorted(k, first + trace.launch.block.count) > np.searchsorted(k, first) for k in masks)


def printing(m: Moment) -> str:
    """Say what the first thread prints."""
    who = each(m.trace, m.lanes)
    line = next((text for call in calls_in(m.place.node) if (text := _printed(m, call))), "")
    first = f"; {thread_name(m.trace, int(m.lanes[0]))} prints “{line}”" if line else ""
    order = ", in an order that nothing promises" if len(m.lanes) > 1 else ""
    return f"{who} prints a line{order}{first}"


def _printed(m: Moment, call: Call) -> str:
    """Return the line of the first thread; empty where its values are not told by registers."""
    if call.function != "printf" or not isinstance(call.arguments[0], String):
        return ""
    given: list[Any] = []
    for argument in call.arguments[1:]:
        found = values(argument, m.before)
        if found is None:
            return ""
        given.append(found[0].item())
    template = re.sub(r"%([-+ #0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|z)?([a-zA-Z%])", r"%\1\2", call.arguments[0].value)
    try:
        return str(template % tuple(given)).strip()
    except (TypeError, ValueError):
        return ""
