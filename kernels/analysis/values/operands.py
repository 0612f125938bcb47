"""Operands of an assignment: the definitions whose values one thread combined, and the arithmetic with these numbers.

For `sum += As[ty][k] * Bs[k][tx]` the operands are the earlier value of `sum` and the two elements that the thread
read, and the arithmetic is `3 + 1 · 4`. Names in an index or in the condition of ?: choose an operand and are none.
The trace holds every value; what it does not hold is which thread a collective function took a value from. Shuffles
are followed by their arguments, and the fragments of `mma.sync` by their layout; other functions that exchange values
between threads are named as unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.analysis.syntax.evaluate import number_text, values, without_updates
from kernels.analysis.syntax.inline_ptx import instruction_names
from kernels.analysis.syntax.walk import calls_in, qualified_name, rewrite
from kernels.analysis.values.async_copies import copied_element
from kernels.analysis.values.matrix_products import matrix_product, operands_of_result
from kernels.analysis.values.registers import Names, declared_register
from kernels.analysis.values.shuffles import shuffle_operands, source_lanes
from kernels.analysis.values.value_history import REGISTER, Definition, Location
from kernels.frontend import render
from kernels.frontend.ast import (
    Assembly,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Construct,
    Declare,
    Expr,
    Index,
    Member,
    Name,
    Number,
    Return,
    Span,
    Unary,
    Update,
)
from kernels.frontend.ast.traversal import all_nodes
from kernels.frontend.types import INT
from kernels.trace.sorted_columns import count_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from kernels.analysis.syntax.source import Place
    from kernels.analysis.values.shuffles import ShuffleOperands
    from kernels.analysis.values.value_history import LaneAccess, ValueHistory
    from kernels.trace.records import Value

_NOWHERE: Final = Span(0, 0, 0, 0)

_ATOMICS: Final[Mapping[str, str]] = {
    "atomicAdd": "+",
    "atomicSub": "-",
    "atomicAnd": "&",
    "atomicOr": "|",
    "atomicXor": "^",
    "atomicMin": "min",
    "atomicMax": "max",
    "atomicExch": "",
}
"""Operator between the earlier value and the argument; "" if the argument replaces it."""

_VECTOR: Final = re.compile(r"make_\w+[2-4]")
"""Functions that make a vector of their arguments: `make_float4`."""

_PLACEHOLDER: Final = "§"
"""First character of names that stand for numbers: no name in a source begins with it."""

_UNKNOWN: Final = "uninitialised__"
"""A name that no parentheses are written around, in the place of a question mark."""

_ROUNDING: Final = 16
"""Rounding errors of one statement's arithmetic, in units of the type's precision."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An expression with placeholders for its operands, and their numbers."""

    tree: Expr
    numbers: Mapping[str, Value | None]
    """None for an operand without a value, which is written as a question mark."""

    def __str__(self) -> str:
        texts = {name: _UNKNOWN if number is None else number_text(number) for name, number in self.numbers.items()}
        return render(self.tree, texts).replace(" * ", " · ").replace(_UNKNOWN, "?")


@dataclass(frozen=True, slots=True)
class Computation:
    """The values that a thread combined in one assignment."""

    operands: tuple[Definition, ...]
    """In the order of the source, each once."""
    arithmetic: Arithmetic | None = None
    """`3 + 1 · 4`, written only where it is shown; None where one operand is copied, whose name is left to the reader,
    and where the trace does not determine all numbers."""
    unknown: tuple[str, ...] = ()
    """Functions that take values from other threads, which the trace does not record."""


def operands_of(history: ValueHistory, definition: Definition) -> Computation:
    """Return the operands of an assignment; none for the contents before the launch."""
    if definition.row < 0:
        return Computation(())
    first: Computation | None = None
    for expression, scope, part in _assigned(history, definition):
        reading = _Reading(history)
        tree = reading.fill(expression, scope, part)
        found, right = reading.computation(tree, definition)
        if right:
            return found
        if right is None and first is None:
            first = found
    return (
        first
        or _copied(history, definition)
        or _of_matrix_product(history, definition)
        or _every_read(history, definition)
    )


@dataclass(frozen=True, slots=True)
class _Scope:
    """A statement as one thread executed it."""

    place: Place
    step: int
    lane: int
    pieces: tuple[int, ...]
    """Steps of this execution: a statement that calls a function of the source continues after the call."""
    reads: Mapping[Span, tuple[LaneAccess, ...]]

    @classmethod
    def of(cls, history: ValueHistory, step: int, lane: int) -> _Scope | None:
        """Return the scope; None where no statement of the tree has the step's place."""
        place = history.place(step)
        if place is None:
            return None
        pieces = _pieces(history, place, step, lane)
        reads: dict[Span, tuple[LaneAccess, ...]] = {}
        for piece in pieces:
            for access in history.accesses(lane, piece):
                if access.site.access != "write":
                    reads[access.site.span] = (*reads.get(access.site.span, ()), access)
        return cls(place, step, lane, pieces, reads)


def _pieces(history: ValueHistory, place: Place, step: int, lane: int) -> tuple[int, ...]:
    """Return the steps of one execution of a statement, the last first."""
    trace, pieces = history.trace, [step]
    if not history.calls(step):
        return (step,)
    steps = history.steps(lane)
    statement = trace.step_statement[step]
    for at in steps[: count_below(steps, step)][::-1].tolist():
        other = history.place(at)
        if trace.step_statement[at] == statement:
            pieces.append(at)
        elif other is not None and other.function.name == place.function.name:
            break
    return tuple(pieces)


@dataclass(slots=True)
class _Reading:
    """Operands met in one expression, and the numbers in their places."""

    history: ValueHistory
    operands: dict[Definition, None] = field(default_factory=dict)
    numbers: dict[str, Value | None] = field(default_factory=dict)
    """None for an operand without a value, which the arithmetic shows as a question mark."""
    unknown: dict[str, None] = field(default_factory=dict)
    complete: bool = True
    """False if some operand has no known number: there is then no arithmetic."""

    def computation(self, tree: Expr, definition: Definition) -> tuple[Computation, bool | None]:
        """Return what was found, and whether the arithmetic gives the assigned value; None if that cannot be told."""
        operands, unknown = tuple(self.operands), tuple(self.unknown)
        if not self.complete:
            return Computation(operands, None, unknown or _mechanism(self.history, definition.step)), None
        right = self._agrees(tree, definition)
        copied = isinstance(tree, Name) and bool(operands)
        return Computation(operands, None if copied else Arithmetic(tree, self.numbers), unknown), right

    def fill(self, node: Expr, scope: _Scope, part: int | None = None) -> Expr:
        """Replace every operand by a placeholder; of an object the number at a position in it (`part`)."""

        def change(node: Expr) -> Expr | None:
            found = scope.reads.get(node.span) if isinstance(node, Name | Index | Unary | Member | Call) else None
            if found:
                return self._element(found, node, scope, part)
            match node:
                case Number():
                    return self._number(node.value)
                case Name() | Member() if qualified_name(node):
                    return self._variable(qualified_name(node), scope, part)
                case Index() | Member() | Unary(op="*" | "&"):
                    return self._missing()
                case Conditional():
                    return self.fill(self._arm(node, scope), scope, part)
                case Cast():
                    kind = getattr(node.type, "dtype", None)
                    inner = self.fill(node.operand, scope, part)
                    return Cast(node.span, node.type, inner) if kind is not None and kind.kind in "iu" else inner
                case Assign():
                    return self.fill(assigned_expression(node), scope, part)
                case Update():
                    return self.fill(without_updates(node), scope, part)
                case Construct() if part is not None and part < len(node.values):
                    return self.fill(node.values[part], scope)
                case Call() if part is not None and _VECTOR.fullmatch(node.function) and part < len(node.arguments):
                    return self.fill(node.arguments[part], scope)
                case Call():
                    return self._call(node, scope, part)
            return None

        return rewrite(node, change)

    # --- inside ----------------------------------------------------------------------------------------

    def _number(self, value: Value | None) -> Name:
        name = f"{_PLACEHOLDER}{len(self.numbers)}"
        self.numbers[name] = value
        return Name(_NOWHERE, name)

    def _missing(self) -> Name:
        self.complete = False
        return Name(_NOWHERE, _PLACEHOLDER)

    def _use(self, definition: Definition) -> Name:
        self.operands[definition] = None
        return self._number(definition.value)

    def _element(self, found: tuple[LaneAccess, ...], node: Expr, scope: _Scope, part: int | None) -> Name:
        """Use the element that was read; the earlier value, where an atomic function returns it."""
        elements = [(access, element) for access in found for element in access.elements]
        if len(elements) > 1 and part is not None and part < len(elements):
            elements = [elements[part]]
        used: list[Name] = []
        for access, index in elements:
            if not 0 <= index < self.history.trace.arrays[access.array].size:
                used.append(self._number(None))  # outside of the array
                continue
            location = self.history.element(access.array, index, scope.lane)
            definition = self.history.before(location, scope.pieces[-1])
            if access.site.access == "atomic":
                own = self.history.own(location, scope.pieces, scope.lane)
                definition = self.history.previous(own) if own is not None else definition
            used.append(self._use(definition))
        if len(used) != 1:
            self.complete = False
        return used[0]

    def _variable(self, name: str, scope: _Scope, part: int | None) -> Expr:
        """Use a register, or a member of an object in registers; arguments and built-ins are plain numbers."""
        trace, lane = self.history.trace, scope.lane
        register = declared_register(trace, scope.place, name)
        members = member_registers(self.history, scope.place, name) if register is None else ()
        if register is None and part is not None and part < len(members):
            register = members[part]
        if register is not None:
            location = Location(REGISTER, register, lane)
            # The first variables of a declaration are known in the others: `int a = 1, b = a + 1;`.
            declared = self._declared_here(register, scope)
            definition = self.history.before(location, scope.step + 1 if declared else scope.pieces[-1])
            if definition.row >= 0 or name not in trace.scalars:
                return self._use(definition)
        for member in members:
            self._use(self.history.before(Location(REGISTER, member, lane), scope.pieces[-1]))
        known = Names.at(trace, scope.step - 1, np.array([lane], np.int32), scope.place).get(name)
        return self._number(known[0].item()) if known is not None and not members else self._missing()

    def _declared_here(self, register: int, scope: _Scope) -> bool:
        node, span = scope.place.node, self.history.trace.registers[register].span
        return isinstance(node, Declare) and any(variable.span == span for variable in node.variables[:-1])

    def _arm(self, node: Conditional, scope: _Scope) -> Expr:
        """Return the arm of ?: that the thread evaluated."""
        for arm, other in ((node.then, node.otherwise), (node.otherwise, node.then)):
            if _reads_of(arm, scope):
                return arm
            if _has_element(arm) and not _has_element(other):
                return other  # the arm would have read
        names = Names.at(self.history.trace, scope.step - 1, np.array([scope.lane], np.int32), scope.place)
        condition = values(without_updates(node.condition), names)
        if condition is None:
            self.complete = False
            return node.then
        return node.then if bool(condition[0]) else node.otherwise

    def _call(self, node: Call, scope: _Scope, part: int | None) -> Expr | None:
        shuffle = shuffle_operands(node, scope.place.visible)
        if shuffle is not None:
            return self._shuffle(node, shuffle, scope, part)
        if node.function in self.history.functions:
            return self._returned(node, scope, part)
        if node.function.startswith(".") or "::" in node.function or "_sync" in node.function:
            self.unknown[node.function.lstrip(".")] = None
            self.complete = False
        return None

    def _returned(self, node: Call, scope: _Scope, part: int | None) -> Expr:
        """Continue with the expression that a function of the source returned."""
        steps = self.history.steps(scope.lane)
        inside = steps[(steps > scope.pieces[-1]) & (steps < scope.step)][::-1].tolist()
        for at in inside if self.history.calls(scope.step).count(node.function) == 1 else ():
            place = self.history.place(at)
            if place is not None and place.function.name == node.function and isinstance(place.node, Return):
                inner = _Scope.of(self.history, at, scope.lane)
                if inner is not None and place.node.value is not None:
                    return self.fill(place.node.value, inner, part)
        self.unknown[node.function] = None
        return self._missing()

    def _shuffle(self, node: Call, shuffle: ShuffleOperands, scope: _Scope, part: int | None) -> Expr:
        """Continue with the value in the lane that a shuffle reads (CUDA C++ Programming Guide, "Warp Shuffle")."""
        trace = self.history.trace
        names = Names.at(trace, scope.step - 1, np.array([scope.lane], np.int32), scope.place)
        found = source_lanes(shuffle, names)
        if found is not None:
            lane = int(found[0])
            if lane in trace.lanes(scope.step):
                inner = _Scope.of(self.history, scope.step, lane)
                if inner is not None:
                    return self.fill(shuffle.value, inner, part)
        self.unknown[node.function] = None
        return self._missing()

    def _agrees(self, tree: Expr, definition: Definition) -> bool | None:
        """Return whether the arithmetic gives the assigned value, up to rounding; None if it cannot be evaluated."""
        numbers = {name: number for name, number in self.numbers.items() if number is not None}
        value = definition.value
        if isinstance(tree, Name) and tree.id in numbers:
            result = numbers[tree.id]
        else:
            with np.errstate(all="ignore"):
                found = values(tree, _Numbers(numbers))
            if found is None:
                return None
            result = found[0].item()
        if value is None:
            return None
        if isinstance(value, bool) or (isinstance(value, int) and isinstance(result, int)):
            return bool(result) == value if isinstance(value, bool) else (result - value) % 2**32 == 0
        if isinstance(result, int) and isinstance(value, float) and _bits(value) == result % 2**32:
            return True  # the array has another type than what is stored to it
        largest = max((abs(float(n)) for n in numbers.values()), default=0.0)
        if not (np.isfinite(result) and np.isfinite(value)):
            return bool(np.isnan(result) == np.isnan(value))
        kind = self._type(definition)
        unit = float(np.finfo(kind).eps) if kind.kind == "f" else 1.0
        return bool(abs(result - value) <= _ROUNDING * unit * max(1.0, abs(value), largest, largest * largest))

    def _type(self, definition: Definition) -> np.dtype[Any]:
        trace, location = self.history.trace, definition.location
        registers = location.array == REGISTER
        return trace.registers[location.number].dtype if registers else trace.arrays[location.array].dtype


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Numbers by placeholder, for the evaluation of an expression."""

    known: Mapping[str, Value]

    @property
    def lanes(self) -> NDArray[np.int32]:
        """One lane."""
        return np.zeros(1, np.int32)

    def get(self, name: str) -> NDArray[np.generic] | None:
        """Return the number of a placeholder."""
        return np.array([self.known[name]]) if name in self.known else None


def _bits(number: float) -> int:
    return int(np.array(number, np.float32).view(np.uint32))


def assigned_expression(node: Assign | Update) -> Expr:
    """Return the value of an assignment as an expression of earlier values: `a + b` for `a += b`."""
    if isinstance(node, Update):
        return Binary(node.span, node.op[0], node.target, Number(node.span, 1, INT))
    return node.value if node.op == "=" else Binary(node.span, node.op[:-1], node.target, node.value)


def member_registers(history: ValueHistory, place: Place, name: str) -> tuple[int, ...]:
    """Return the registers of the members of an object, `v.x` and `v.y` for `v`; none for other names."""
    declared = place.visible.get(name.partition(".")[0])
    if declared is None:
        return ()
    own = history.registers.get((place.function.name, declared.span), ())
    return tuple(n for n in own if history.trace.registers[n].name.startswith(f"{name}."))


# --- the expression that was assigned -----------------------------------------------------------------------


def _assigned(history: ValueHistory, definition: Definition) -> Iterator[tuple[Expr, _Scope, int | None]]:
    """Yield the expressions whose value may have been assigned, each with the position in it of one number.

    A statement such as the head of a loop has several for one variable: the right one has the assigned value.
    """
    scope = _Scope.of(history, definition.step, definition.lane)
    if scope is None:
        return
    found = _to_register if definition.location.array == REGISTER else _to_element
    for expression, part in found(history, definition, scope):
        yield expression, scope, part


def _to_register(history: ValueHistory, definition: Definition, scope: _Scope) -> Iterator[tuple[Expr, int | None]]:
    register = history.trace.registers[definition.location.number]
    base, _, member = register.name.partition(".")
    parts = member_registers(history, scope.place, base) if member else ()
    part = parts.index(definition.location.number) if definition.location.number in parts else None
    for node in history.nodes(definition.step):
        match node:
            case Declare():
                for variable in node.variables:
                    if variable.name in (register.name, base) and isinstance(variable.value, Expr):
                        yield variable.value, part
            case Assign() | Update():
                name = qualified_name(node.target)
                if name == register.name or (name == base and member):
                    yield assigned_expression(node), None if name == register.name else part
            case Call(function=register.function):  # the argument of a function of the source
                for function in history.functions[register.function]:
                    for parameter, argument in zip(function.parameters, node.arguments, strict=False):
                        if parameter.name == base:
                            yield argument, None


def _to_element(history: ValueHistory, definition: Definition, scope: _Scope) -> Iterator[tuple[Expr, int | None]]:
    location = definition.location
    stores = [
        access
        for access in history.accesses(definition.lane, definition.step)
        if access.array == location.array and access.site.access != "read"
    ]
    here = [access for access in stores if location.number in access.elements]
    for store in here[-1:]:
        same = [element for other in stores if other.site.span == store.site.span for element in other.elements]
        part = same.index(location.number) if len(same) > 1 else None
        for node in history.nodes(definition.step):
            match node:
                case Assign() | Update() if node.target.span == store.site.span:
                    yield assigned_expression(node), part
                case Call() if node.span == store.site.span and store.site.access == "atomic":
                    yield from ((expression, None) for expression in _atomic(node))
                case Declare():
                    name = history.trace.arrays[location.array].name
                    for variable in node.variables:
                        if variable.name == name and isinstance(variable.value, tuple):
                            # Elements after the last value are zero: `float sum[4] = {}`.
                            rest = variable.value[location.number : location.number + 1] or (Number(_NOWHERE, 0, INT),)
                            yield rest[0], None
                        elif variable.name == name and isinstance(variable.value, Expr):
                            yield variable.value, part


def _atomic(node: Call) -> Iterator[Expr]:
    """Yield the value that an atomic function stores; the call itself stands for the earlier value."""
    name = node.function.removesuffix("_block").removesuffix("_system")
    if name == "atomicCAS" and len(node.arguments) > 2:
        yield from (node.arguments[2], node)  # the new value, or still the earlier one
    operator = _ATOMICS.get(name)
    if operator is None or len(node.arguments) < 2:
        return
    argument = node.arguments[1]
    if not operator:
        yield argument
    elif operator in ("min", "max"):
        yield Call(_NOWHERE, operator, (node, argument))
    else:
        yield Binary(_NOWHERE, operator, node, argument)


def _copied(history: ValueHistory, definition: Definition) -> Computation | None:
    """Return the element that an asynchronous copy has read; None for other statements."""
    found = copied_element(history, definition) if definition.location.array != REGISTER else None
    if found is None:
        return None
    if found.element < 0:
        zero = Arithmetic(Number(_NOWHERE, 0, INT), {})
        return Computation((), zero) if definition.value == 0 else None
    source = history.before(history.element(found.array, found.element, definition.lane), found.step)
    return Computation((source,)) if source.value == definition.value else None


def _of_matrix_product(history: ValueHistory, definition: Definition) -> Computation | None:
    """Return the operands of a result of `mma.sync`, in all lanes that hold them; None for other statements."""
    place, lane, step = history.place(definition.step), definition.lane, definition.step
    if place is None or not isinstance(place.node, Assembly):
        return None
    product, output = matrix_product(place.node), _output(history, definition, place.node)
    if product is None or output not in product.results:
        return None
    reading, operands = _Reading(history), operands_of_result(product, place.node, output, lane)
    scopes = {other: _Scope.of(history, step, other) for other in {operand.lane for operand in operands}}
    for operand in operands:
        if (scope := scopes[operand.lane]) is not None:
            reading.fill(operand.expression, scope)
    return Computation(tuple(reading.operands))


def _output(history: ValueHistory, definition: Definition, node: Assembly) -> int:
    """Return the number of the output operand of an asm statement that a definition is; -1 if it is none."""
    location = definition.location
    if location.array == REGISTER:
        name = history.trace.registers[location.number].name
        return next((n for n, (_, target) in enumerate(node.outputs) if qualified_name(target) == name), -1)
    spans = {
        access.site.span
        for access in history.accesses(definition.lane, definition.step)
        if access.array == location.array and access.site.access != "read" and location.number in access.elements
    }
    return next((n for n, (_, target) in enumerate(node.outputs) if target.span in spans), -1)


def _every_read(history: ValueHistory, definition: Definition) -> Computation:
    """Return all elements that the thread read in the step, for statements whose arithmetic is not known.

    A statement that writes as many elements as it reads, and this value among them, copies: each element comes from the
    one at its place.
    """
    reads: list[Definition] = []
    stores: list[Location] = []
    for access in history.accesses(definition.lane, definition.step):
        for index in access.elements:
            if not 0 <= index < history.trace.arrays[access.array].size:
                continue
            location = history.element(access.array, index, definition.lane)
            if access.site.access != "write":
                reads.append(history.before(location, definition.step))
            if access.site.access != "read":
                stores.append(location)
    if len(reads) == len(stores) and definition.location in stores:
        source = reads[stores.index(definition.location)]
        if source.value == definition.value:
            return Computation((source,))
    return Computation(tuple(dict.fromkeys(reads)), None, _mechanism(history, definition.step))


def _mechanism(history: ValueHistory, step: int) -> tuple[str, ...]:
    """Return the functions or the instruction by which a statement combines values; else the statement."""
    place = history.place(step)
    if place is not None and isinstance(place.node, Assembly):
        return instruction_names(place.node.template)
    calls = [call.function.lstrip(".") for call in calls_in(place.node)] if place is not None else []
    return tuple(dict.fromkeys(calls)) or (history.trace.statement(step).text.rstrip(";"),)


def _reads_of(tree: Expr, scope: _Scope) -> bool:
    return any(getattr(node, "span", None) in scope.reads for node in all_nodes(tree))


def _has_element(tree: Expr) -> bool:
    return any(isinstance(node, Index) or (isinstance(node, Unary) and node.op == "*") for node in all_nodes(tree))
