"""Shuffles of a step: the lane whose value each lane reads.

A trace does not record the source lanes: they follow from the arguments of the call, which are evaluated from the
registers before the step, as the machine does. For `sum += __shfl_down_sync(~0u, sum, d)` with d = 16, lanes 0 to 15
read lanes 16 to 31, and lanes 16 to 31 read themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kernels.analysis.syntax.evaluate import values, without_updates
from kernels.analysis.syntax.source import parts_at, place_of, step_parts
from kernels.analysis.syntax.walk import calls_in, names_in, qualified_name, rewrite
from kernels.analysis.values.registers import Names
from kernels.frontend.ast import Assign, Binary, Call, Conditional, Declare, Expr, Name, Number, Update
from kernels.frontend.ast.traversal import all_nodes, children
from kernels.frontend.headers.cooperative_groups import tile_size
from kernels.frontend.types import INT
from kernels.launch import WARP_SIZE
from kernels.simt.machine.shuffle_sources import SHUFFLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from kernels.analysis.syntax.evaluate import Numbers
    from kernels.analysis.syntax.source import Place, Visible
    from kernels.trace import Trace

_MASKED: Final = {f"__shfl{way}_sync": way for way in SHUFFLES}
_UNMASKED: Final = {f"__shfl{way}": way for way in SHUFFLES}
_OF_TILES: Final = {f".shfl{way}": way for way in SHUFFLES}
_WAYS: Final = {**_MASKED, **_UNMASKED, **_OF_TILES}
"""By function: the kind of shuffle. In calls of members the group is the first argument, as the mask is in others."""


_BITS: Final[dict[str, Callable[[NDArray[np.int64]], NDArray[np.int64]]]] = {
    "__ffs": lambda word: np.bitwise_count((word & -word) * 2 - 1).astype(np.int64) * (word != 0),
    "__popc": lambda word: np.bitwise_count(word).astype(np.int64),
}
"""Functions of words of 32 bits in operands: the position of the lowest set bit, counted from 1, and their number."""


class ShuffleOperands(NamedTuple):
    """The operands of a shuffle."""

    way: str
    """Key of `SHUFFLES`."""
    value: Expr
    by: Expr
    """Distance, or the number of the lane that is read."""
    width: Expr | None
    """Lanes of a section; None for a whole warp."""
    mask: Expr | None
    """Lanes that take part; None for all that make the call."""


@dataclass(frozen=True, slots=True, eq=False)
class Shuffle:
    """One call of a shuffle in one step of a block; entry i of each array is one lane that makes the call."""

    call: Call
    operands: ShuffleOperands
    lanes: NDArray[np.int32]
    """Lanes of the launch, ascending."""
    sources: NDArray[np.int64]
    """Lane of the launch that each reads; its own number where it keeps its value."""
    undefined: NDArray[np.bool_]
    """True where that lane does not make the call, or the mask does not name it: the value is undefined."""

    @property
    def moves(self) -> NDArray[np.bool_]:
        """True where a lane reads another one."""
        found: NDArray[np.bool_] = self.sources != self.lanes
        return found


def shuffle_operands(call: Call, visible: Visible) -> ShuffleOperands | None:
    """Return the operands of a call; None if it is no shuffle, or its tile has an unknown size."""
    way = _WAYS.get(call.function)
    first = 0 if call.function in _UNMASKED else 1
    if way is None or len(call.arguments) < first + 2:
        return None
    value, by = call.arguments[first : first + 2]
    width = call.arguments[first + 2] if len(call.arguments) > first + 2 else None
    if call.function in _OF_TILES:
        width = _size_of_tile(call.arguments[0], visible)
        if width is None:
            return None
    return ShuffleOperands(way, value, by, width, call.arguments[0] if call.function in _MASKED else None)


def has_shuffle(node: object) -> bool:
    """Return whether a tree has a shuffle."""
    return any(call.function in _WAYS for call in calls_in(node))


def source_lanes(operands: ShuffleOperands, names: Names) -> NDArray[np.int64] | None:
    """Return the lane of the launch that each lane of `names` reads; None where the operands are not known."""
    by = _integers(operands.by, names)
    width = np.full(len(names.lanes), WARP_SIZE)
    if operands.width is not None:
        found = _integers(operands.width, names)
        width = width if found is None else found
        by = None if found is None else by
    if by is None:
        return None
    thread = names.lanes.astype(np.int64) % names.trace.launch.block.count
    own = thread % WARP_SIZE
    source = SHUFFLES[operands.way](own, by & WARP_SIZE - 1, width) & WARP_SIZE - 1
    return names.lanes - own + source


def shuffles_at(trace: Trace, step: int, block: int) -> tuple[Shuffle, ...]:
    """Return the shuffles that a block (linear number) makes in a step, in the order of the source.

    Those whose operands the registers do not determine, such as a distance that is read from an array, are left out.
    """
    parts = parts_at(trace, int(trace.step_statement[step]))
    place = place_of(trace, step)
    if place is None or not any(has_shuffle(part) for part in parts):
        return ()
    lanes = trace.lanes(step, block)
    calls = [found for part in parts for found in _calls(part, ())]
    made = (_shuffle(trace, step, place, lanes, call, guards) for call, guards in calls)
    return tuple(shuffle for shuffle in made if shuffle is not None and len(shuffle.lanes))


_Guards = tuple[tuple[Expr, bool], ...]
"""Conditions inside the statement with the value for which a call is made: of ?:, and left of && and ||."""


def _calls(node: object, guards: _Guards) -> Iterator[tuple[Call, _Guards]]:
    match node:
        case Conditional():
            yield from _calls(node.condition, guards)
            yield from _calls(node.then, (*guards, (node.condition, True)))
            yield from _calls(node.otherwise, (*guards, (node.condition, False)))
        case Binary(op="&&" | "||"):
            yield from _calls(node.left, guards)
            yield from _calls(node.right, (*guards, (node.left, node.op == "&&")))
        case _:
            for child in children(node):
                yield from _calls(child, guards)
            if isinstance(node, Call) and node.function in _WAYS:
                yield node, guards


def _shuffle(
    trace: Trace, step: int, place: Place, lanes: NDArray[np.int32], call: Call, guards: _Guards
) -> Shuffle | None:
    operands = shuffle_operands(call, place.visible)
    if operands is None:
        return None
    needed = [operands.by, *(part for part in (operands.width,) if part is not None), *(test for test, _ in guards)]
    changed = {name for part in step_parts(place.node) for name in _changed_inside(part)}
    if any(name in changed for part in needed for name in names_in(part)):
        return None  # the operand has its value of neither before nor after the step
    for test, expected in guards:
        found = _integers(test, Names.at(trace, step - 1, lanes, place))
        if found is None:
            return None
        lanes = lanes[(found != 0) == expected]
    sources = source_lanes(operands, Names.at(trace, step - 1, lanes, place))
    if sources is None:
        return None
    # Where each lane waits for the others in a step before the statement, the statement itself has one lane a step.
    apart = any(statement.span == call.span for statement in trace.statements) and place.node.span != call.span
    undefined = np.zeros(len(lanes), bool) if apart else ~np.isin(sources, lanes)
    mask = None if operands.mask is None else _integers(operands.mask, Names.at(trace, step - 1, lanes, place))
    if mask is not None:
        undefined |= mask >> (sources - lanes + lanes % trace.launch.block.count % WARP_SIZE) & 1 == 0
    return Shuffle(call, operands, lanes, sources, undefined)


@dataclass(frozen=True, slots=True)
class _WithCalls:
    """Values of names, and of the calls that names of their own replace."""

    names: Numbers
    calls: dict[str, NDArray[np.int64]]

    @property
    def lanes(self) -> NDArray[np.int32]:
        """Lanes that have values."""
        return self.names.lanes

    def get(self, name: str) -> NDArray[np.generic] | None:
        """Return the values of a name or of a call."""
        return self.calls[name] if name in self.calls else self.names.get(name)


def _integers(node: Expr, names: Numbers) -> NDArray[np.int64] | None:
    """Evaluate an integer expression for every lane, with the functions of `_BITS`; None where it is not known."""
    calls: dict[str, NDArray[np.int64]] = {}

    def change(part: Expr) -> Expr | None:
        if not isinstance(part, Call) or part.function not in _BITS or len(part.arguments) != 1:
            return None
        argument = _integers(part.arguments[0], names)
        if argument is None:
            return None
        name = f"§{len(calls)}"  # no name in a source begins with this character
        calls[name] = _BITS[part.function](argument & 0xFFFFFFFF)
        return Name(part.span, name)

    found = values(rewrite(without_updates(node), change), _WithCalls(names, calls))
    if found is None or found.dtype.kind not in "iub":
        return None
    return found.astype(np.int64)


def _changed_inside(node: object) -> set[str]:
    """Return the names that a statement assigns before its end: inside of its expression, or in a list of variables."""
    root = getattr(node, "expression", None)
    targets = (part.target for part in all_nodes(node) if isinstance(part, Assign | Update) and part is not root)
    inside = {qualified_name(target) for target in targets}
    if isinstance(node, Declare):
        inside |= {variable.name for variable in node.variables[:-1]}
    return inside


def _size_of_tile(group: Expr, visible: Visible) -> Expr | None:
    """Return the number of threads of a tile, from its type or from the call that makes it."""
    declared = visible.get(qualified_name(group))
    if declared is None:
        return None
    size = tile_size(declared.type)
    if size is not None:
        return Number(group.span, size, INT)
    made = getattr(declared, "value", None)
    if not isinstance(made, Call) or made.function != "tiled_partition":
        return None
    found = made.template[0] if made.template else made.arguments[-1]
    return found if isinstance(found, Number) else None
