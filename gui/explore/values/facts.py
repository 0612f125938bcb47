"""Facts about the focus (thread, element or line) as short lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.explore.stage.links import execution_of_line
from gui.explore.stage.text_painter import number_text
from kernels.analysis import explain_index, variables
from kernels.analysis.syntax.bounds import outside_accesses
from kernels.analysis.syntax.layouts import holds_pointers
from kernels.analysis.values.roles import ACTIVE, GUARDED_OFF, IDLE, ZERO_FILL
from kernels.launch import WARP_SIZE
from kernels.narration.words import extent
from kernels.trace import element_name
from kernels.trace.members import members_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gui.explore.stage.focus import Focus
    from gui.explore.stage.scene import Scene
    from gui.explore.stage.stage import Stage
    from kernels.analysis import IndexArithmetic
    from kernels.trace import AccessGroup, ArrayInfo, Site

_ROLE_WORDS = {
    ACTIVE: "active in this step",
    ZERO_FILL: "stores 0: its source is outside the array",
    GUARDED_OFF: "skips this: its condition is false",
    IDLE: "does not execute this step",
}
_WORDS = {"read": "reads", "write": "writes", "atomic": "updates"}
_DIGITS = 7
"""Significant digits of a float."""

_SHOWN_THREADS = 8


@dataclass(frozen=True, slots=True)
class Facts:
    """Lines of text about a focus."""

    heading: str
    lines: tuple[tuple[str, str], ...]
    """(label, text); an empty label continues the line before."""


def facts(stage: Stage, scene: Scene) -> Facts:
    """Return the facts about a scene's focus; without a focus, about its thread."""
    focus = scene.focus
    if focus.kind == "element":
        return _element_facts(stage, scene, focus)
    if focus.kind == "line":
        return _line_facts(stage, scene, focus.line)
    if focus.kind == "thread":
        return _thread_facts(stage, scene, focus.lane)
    return _thread_facts(stage, scene, scene.lane)


def _thread_facts(stage: Stage, scene: Scene, lane: int) -> Facts:
    trace, launch = stage.trace, stage.trace.launch
    number = lane % launch.block.count
    role = int(scene.threads.role[number]) if lane // launch.block.count == scene.block else IDLE
    drawn = any(cells.view.place == "local" for cells in scene.cells)
    kinds = ("register",) if drawn else ("register", "local")
    own = [v for v in variables(trace, scene.step, lane) if v.kind in kinds]
    accesses = trace.accesses(scene.step, scene.block)
    single = {group.array.name: group for group in accesses if _is_one_number(group.array)}
    known = [
        *(f"{v.name} = {_value(v.value)}" for v in own),
        *(f"{name} = {_constant(stage, scene, group.site.array)}" for name, group in single.items()),
    ]
    lines = [("", _ROLE_WORDS[role]), ("variables", ", ".join(known) or "none yet")]
    touched = set()
    for group, at, width in _accesses_of(accesses, lane):
        touched.add(group.site)
        if group.array.name not in single and group.array.space != "local":
            lines += _access_lines(stage, scene, group, at, width)
    lines += _local_lines(accesses, lane)
    if role in (ZERO_FILL, GUARDED_OFF):
        lines += _missed_lines(stage, scene, lane, touched)
    if stage.on_cpu:
        return Facts(f"Worker {number}", tuple(lines))
    thread, block = launch.index_text(trace.thread_of(lane)), launch.index_text(trace.block_of(lane))
    where = f"warp {number // WARP_SIZE}, lane {number % WARP_SIZE}"
    return Facts(f"Thread {thread} of Block {block}: {where}", tuple(lines))


def _accesses_of(accesses: Iterable[AccessGroup], lane: int) -> Iterator[tuple[AccessGroup, int, int]]:
    """Yield a thread's accesses: the group, the position in it, and the number of elements.

    A struct that is copied member by member is one access to all of them.
    """
    found: dict[tuple[object, ...], tuple[AccessGroup, int, int]] = {}
    for group in accesses:
        info = group.array
        for at in np.flatnonzero(group.lanes == lane)[:1].tolist():
            index = int(group.index[at])
            part = len(found) if info.struct is None else index // info.words
            key = (group.site.span, group.site.array, group.site.access, part)
            first, place, width = found.get(key, (group, at, 0))
            end = max(int(first.index[place]) + width, index + group.site.width)
            found[key] = first, place, end - int(first.index[place])
    yield from found.values()


def _local_lines(accesses: Iterable[AccessGroup], lane: int) -> list[tuple[str, str]]:
    """List the elements of local arrays that the thread accesses, without byte addresses."""
    found: dict[str, list[str]] = {}
    for group in accesses:
        for at in np.flatnonzero(group.lanes == lane) if group.array.space == "local" else ():
            name = element_name(group.array, int(group.index[at]), group.site.width)
            found.setdefault(_WORDS[group.site.access], []).append(name)
    return [(word, ", ".join(dict.fromkeys(names))) for word, names in found.items()]


def _access_lines(stage: Stage, scene: Scene, group: AccessGroup, at: int, width: int) -> list[tuple[str, str]]:
    """List accessed elements with the arithmetic of their index and their byte address."""
    index, word = int(group.index[at]), _WORDS[group.site.access]
    arithmetic = explain_index(stage.trace, scene.step, int(group.lanes[at]), group.site, index)
    if arithmetic is not None and not arithmetic.inside:
        return _outside_lines(group.array, index, word, arithmetic)
    lines = [(word, f"{element_name(group.array, index, width)}: {_byte(group.array, index)}")]
    return lines + (_arithmetic_lines(arithmetic) if arithmetic is not None else [])


def _outside_lines(info: ArrayInfo, index: int, word: str, arithmetic: IndexArithmetic) -> list[tuple[str, str]]:
    """List an element that does not exist, and the address that the access has all the same."""
    if 0 <= index < info.size:
        address = f"that of {element_name(info, index)}"
    else:
        address = f"before the start of {info.name}" if index < 0 else f"past the end of {info.name}"
    return [
        (word, f"{arithmetic.element}, outside {extent(info)}"),
        *_arithmetic_lines(arithmetic),
        ("address", f"{address}: {_byte(info, index)}"),
    ]


def _missed_lines(stage: Stage, scene: Scene, lane: int, touched: set[Site]) -> list[tuple[str, str]]:
    """List the accesses that the thread skips because its condition is false."""
    lines = []
    for site in stage.trace.sites:
        if (
            site in touched
            or stage.trace.arrays[site.array].space == "local"
            or site.statement != stage.trace.step_statement[scene.step]
        ):
            continue
        arithmetic = explain_index(stage.trace, scene.step, lane, site)
        if arithmetic is None or arithmetic.performed:
            continue
        word = "would read" if site.access == "read" else "would write"
        lines.append((word, arithmetic.element + ("" if arithmetic.inside else ", which does not exist")))
        lines += _arithmetic_lines(arithmetic)
    return lines


def _arithmetic_lines(arithmetic: IndexArithmetic) -> list[tuple[str, str]]:
    """Write the index as in the source, with this thread's numbers, and its value."""
    return [("", arithmetic.chain)] if arithmetic.chain else []


def _byte(info: ArrayInfo, index: int) -> str:
    """Return flat index and byte address, counted from the first byte of the array (or of shared memory)."""
    at, byte = index // info.words, index * info.dtype.itemsize
    if info.space == "shared":
        return f"element {at}, shared byte {info.address + byte}"
    if info.space == "local":
        return f"element {at} of the thread's own copy"
    return f"element {at}, byte address {info.name} + {byte}"


def _element_facts(stage: Stage, scene: Scene, focus: Focus) -> Facts:
    trace, array, index = stage.trace, focus.array, focus.index
    info = trace.arrays[array]
    padded = next((cells for cells in scene.cells if cells.view.array == array and cells.padding), None)
    width = 0 if padded is None else padded.view.arrangement.width
    if padded is not None and index % width >= width - padded.padding:
        why = "only makes the row longer: no thread accesses it"
        return Facts(element_name(info, index), (("padding", why), ("place", _byte(info, index))))
    values, written = stage.order.contents(array, scene.block, scene.step, scene.lane)
    value, members = value_of(info, index, values, written), members_of(info)
    words = "not written yet" if value is None else _value(value)
    member = members is not None and members.pointer(int(members.cells(np.array(index))))
    if value and (member or holds_pointers(trace, array)):
        words = "a pointer"
    threads = np.flatnonzero(scene.threads.focus)
    shown = threads[:_SHOWN_THREADS].tolist()
    indices = [scene.index_text(scene.threads.index[n]) for n in shown]
    names = [f"thread {index}" if index.isdigit() else index for index in indices]  # a bare number could be a count
    if stage.on_cpu:
        names = [f"worker {n}" for n in shown]
    more = f" and {len(threads) - _SHOWN_THREADS} more" if len(threads) > _SHOWN_THREADS else ""
    total = stage.causes.uses(array, index, scene.block, scene.step, scene.lane).accesses
    lines = (
        ("value", words),
        ("place", _byte(info, index)),
        ("now", f"accessed by {', '.join(names)}{more}" if names else "not accessed in this step"),
        *_reached_lines(stage, scene, array, index),
        ("whole run", f"accessed {total:,} time{'s' * (total != 1)}"),
        *_object_lines(scene),
    )
    return Facts(element_name(info, index), lines)


def _object_lines(scene: Scene) -> list[tuple[str, str]]:
    """List the distances that the picture shows of the object whose coordinate or label is in focus."""
    points = scene.points
    found = [] if points is None else [c for c in points.comparisons if points.lit[c.object] and c.distance is not None]
    if points is None or np.count_nonzero(points.lit) != 1 or scene.focus.array not in points.arrays:
        return []
    held = [f"{c.name} = {_value(c.distance or 0.0)} to centre {c.centre}" for c in found]
    label = int(points.labels[int(points.lit.argmax())])
    words = f"label {label}" if label >= 0 else "no label yet"
    return [("object", ", ".join([f"{int(points.lit.argmax())}, {words}", *held]))]


def _reached_lines(stage: Stage, scene: Scene, array: int, index: int) -> list[tuple[str, str]]:
    """Say which threads name an element that does not exist and has this one's address."""
    info = stage.trace.arrays[array]
    words: dict[str, list[str]] = {}
    for outside in outside_accesses(stage.trace, scene.step, scene.block):
        if outside.group.site.array == array and len(outside.elements.coordinates) > 1:
            for at in np.flatnonzero(outside.elements.flat == index).tolist():
                thread = scene.index_text(stage.trace.thread_of(int(outside.lanes[at])))
                words.setdefault(outside.elements.name(at), []).append(thread)
    return [
        ("", f"{name} has this address, outside {extent(info)}: named by {', '.join(threads[:_SHOWN_THREADS])}")
        for name, threads in words.items()
    ]


def _line_facts(stage: Stage, scene: Scene, line: int) -> Facts:
    step = execution_of_line(stage.trace, scene.step, scene.block, line)
    if step is None:
        who = "no worker executes it" if stage.on_cpu else "this block does not execute it"
        return Facts(f"Line {line}", (("", who),))
    count = len(stage.trace.lanes(step, scene.block))
    when = "now" if step == scene.step else "next" if step > scene.step else "last"
    who = f"{scene.block_dim.count} {'workers' if stage.on_cpu else 'threads of this block'}"
    lines = [
        (when, f"{count} of {who} execute it"),
        *(
            (group.site.access, f"{group.array.name}: {len(np.unique(group.elements))} different elements")
            for group in stage.trace.accesses(step, scene.block)
        ),
    ]
    return Facts(f"Line {line}", tuple(lines))


def _is_one_number(info: ArrayInfo) -> bool:
    """Return whether an array is a scalar in constant memory, which is listed among the variables."""
    return info.space == "constant" and info.size == 1


def _constant(stage: Stage, scene: Scene, array: int) -> str:
    return _value(stage.order.contents(array, scene.block, scene.step)[0].reshape(-1)[0].item())


def _value(value: float | bool) -> str:
    """Format a value with all significant digits of its type."""
    if isinstance(value, int):
        return str(value).lower()
    return number_text(value, _DIGITS)
