"""Cures that change the accesses themselves: atomics, a single writer, waiting for copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.types import Pointer
from kernels.simt.advice.insertions import insert_before, insertion_at, replacement_of
from kernels.simt.advice.positions import Gap, holds
from kernels.simt.advice.uniformity import Scope
from kernels.trace.cures import Cure, CureKind, Replacement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.ast import Expr, Statement
    from kernels.simt.advice.facts import Facts
    from kernels.simt.advice.positions import Level
    from kernels.simt.checkers.racecheck.reports import RaceReport, RaceSide
    from kernels.trace.cures import Edit

_UPDATES: Final = {"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}
_FUNCTIONS: Final = {"min": "atomicMin", "max": "atomicMax"}
_ADD_TYPES: Final = ("i4", "u4", "u8", "f4", "f8")
"""Types of atomicAdd (CUDA C++ Programming Guide, "Atomic Functions"); likewise below."""
_EXCHANGE_TYPES: Final = ("i4", "u4", "u8", "f4")
"""Types of atomicExch."""
_ELEMENTS: Final = (ast.Index, ast.Unary, ast.Name, ast.Member)

_INTEGER_TYPES: Final = ("i4", "u4", "u8")
"""Types of the other atomics; atomicSub has 32 bits only."""


def extreme_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that replaces `if (v > x) x = v;` by atomicMax, or the opposite by atomicMin."""
    text = facts.source.text
    dtype = np.dtype(race.info.dtype).str[1:]
    for side in race.sides:
        for path in facts.source.paths(side.span):
            branch = next((at.child for at in reversed(path) if isinstance(at.child, ast.If)), None)
            if branch is None or branch.otherwise is not None or dtype not in _INTEGER_TYPES:
                continue
            then = branch.then.body if isinstance(branch.then, ast.Block) else (branch.then,)
            condition = branch.condition
            if len(then) != 1 or not isinstance(then[0], ast.Do) or not isinstance(condition, ast.Binary):
                continue
            write = then[0].expression
            if not isinstance(write, ast.Assign) or write.op != "=" or condition.op not in ("<", "<=", ">", ">="):
                continue
            target, value = text(write.target.span), text(write.value.span)
            compared = text(condition.left.span), text(condition.right.span)
            if compared not in ((target, value), (value, target)):
                continue
            larger = (compared == (value, target)) == (condition.op[0] == ">")
            name = "atomicMax" if larger else "atomicMin"
            new = f"{name}({address(facts, write.target, race.array)}, {value})"
            at = branch.span.source_span
            yield Cure(
                CureKind.ATOMIC_UPDATE,
                replacements=(Replacement(at.line, text(branch.span), new, at.file),),
                edits=(replacement_of(branch.span, f"{new};"),),
                lines=tuple(side.line for side in race.sides),
            )
            return


def update_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that replaces all racing updates (`x += v`) of the array by atomics."""
    if not all(is_update(facts, side) for side in race.sides):
        return
    sides = [
        side
        for other in facts.races
        if other.array == race.array and all(is_update(facts, s) for s in other.sides)
        for side in other.sides
    ]
    replacements, edits = {}, {}
    for side in sides:
        node = _update_of(facts, side)
        new = None if node is None else _atomic_update(facts, node, race.array)
        if node is None or new is None:
            return
        at = node.span.source_span
        replacements[node.span] = Replacement(at.line, facts.source.text(node.span), new, at.file)
        edits[node.span] = replacement_of(node.span, new)
    yield Cure(
        CureKind.ATOMIC_UPDATE,
        replacements=tuple(replacements.values()),
        edits=tuple(edits.values()),
        lines=tuple(side.line for side in race.sides),
    )


def split_update_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that replaces `int old = x; x = old + v;` by one atomic, which returns the old value.

    Other variables may be between the two: `int old = x; int more = old + v; x = more;`.
    """
    if not race.update:
        return
    text = facts.source.text
    writes = [path for side in race.sides if side.access == "write" for path in facts.source.paths(side.span)]
    for level in (path[-1] for path in writes):
        statement = level.child
        if not isinstance(statement, ast.Do) or not isinstance(statement.expression, ast.Assign):
            continue
        write = statement.expression
        variables = _variables_before(level)
        value = write.value
        while isinstance(value, ast.Name) and value.id in variables:
            value = variables[value.id][1]
        if write.op != "=" or not isinstance(value, ast.Binary) or value.op not in _UPDATES:
            continue
        # The variable that holds the old value of the element.
        read: Expr = value.left
        old = None
        while isinstance(read, ast.Name) and read.id in variables:
            old, read = variables[read.id]
        if old is None or old.value is not read or _place(facts, read) != _place(facts, write.target):
            continue
        # `x = old * old` or `x = old + f(old)` is no sum that atomicAdd could compute, and later variables have no
        # value yet.
        names = list(variables)
        unknown = set(names[names.index(old.name) :])
        if unknown & {part.id for part in below(value.right) if isinstance(part, ast.Name)}:
            continue
        new = f"{_UPDATES[value.op]}({address(facts, write.target, race.array)}, {text(value.right.span)})"
        at = old.span.source_span
        yield Cure(
            CureKind.ATOMIC_UPDATE,
            replacements=(Replacement(at.line, text(old.span), f"{old.name} = {new}", at.file),),
            edits=(replacement_of(read.span, new), replacement_of(statement.span, ";")),
            lines=tuple(side.line for side in race.sides),
            expression=text(statement.span),
        )


def _variables_before(level: Level) -> dict[str, tuple[ast.Variable, Expr]]:
    """Return the variables of the declarations and assignments directly before a statement, with their only values."""
    begin = level.index
    while begin and isinstance(level.statements[begin - 1], ast.Declare | ast.Do):
        begin -= 1
    declared: dict[str, ast.Variable] = {}
    found: dict[str, tuple[ast.Variable, Expr]] = {}
    for statement in level.statements[begin : level.index]:
        match statement:
            case ast.Declare(variables=variables):
                for variable in variables:
                    declared[variable.name] = variable
                    if variable.value is not None and not isinstance(variable.value, tuple):
                        found[variable.name] = variable, variable.value
            case ast.Do(expression=ast.Assign(op="=", target=ast.Name(id=name), value=value)) if (
                name in declared and name not in found
            ):
                found[name] = declared[name], value
            case _:  # a call, or another write, may change what has been read
                declared.clear()
                found.clear()
    return found


def _place(facts: Facts, element: Expr) -> str:
    """Return an element in one spelling: `C[0]` is `*C`."""
    match element:
        case ast.Index(base=base, index=ast.Number(value=0)):
            return f"*{facts.source.text(base.span)}"
    return facts.source.text(element.span)


def is_update(facts: Facts, side: RaceSide) -> bool:
    """Return whether an access belongs to an expression that reads an element, changes it and writes it back."""
    return _update_of(facts, side) is not None


def _update_of(facts: Facts, side: RaceSide) -> ast.Assign | ast.Update | None:
    """Return the expression that updates the element of an access."""
    function, text = facts.source.function_of(side.span), facts.source.text
    for node in [] if function is None else below(function.body):
        if not isinstance(node, ast.Assign | ast.Update) or text(node.target.span) != side.text:
            continue
        if isinstance(node, ast.Update) or node.op != "=":
            if node.target.span == side.span:
                return node
        elif holds(node.span, side.span) and side.text in {text(part.span) for part in below(node.value)}:
            return node
    return None


def _atomic_update(facts: Facts, node: ast.Assign | ast.Update, array: int) -> str | None:
    """Return an atomic equivalent to an update, with the same value; None if there is none."""
    text, dtype = facts.source.text, np.dtype(facts.arrays[array].dtype).str[1:]
    name, value, own = "", "", text(node.target.span)
    if isinstance(node, ast.Update):
        name, value = ("atomicAdd", "1") if node.op == "++" else ("atomicSub", "1")
    elif node.op != "=":
        name, value = _UPDATES.get(node.op.removesuffix("="), ""), text(node.value.span)
    elif isinstance(node.value, ast.Binary):
        left, right = text(node.value.left.span), text(node.value.right.span)
        op = _UPDATES.get(node.value.op, "")
        if left == own:
            name, value = op, right
        elif right == own and op != "atomicSub":
            name, value = op, left
    elif isinstance(node.value, ast.Call) and len(node.value.arguments) == 2:
        parts = [text(argument.span) for argument in node.value.arguments]
        name = _FUNCTIONS.get(node.value.function, "") if own in parts else ""
        value = next((part for part in parts if part != own), "")
    # atomicSub exists for 32-bit integers only: other types add the negative.
    if name == "atomicSub" and dtype not in ("i4", "u4"):
        name, value = "atomicAdd", f"-({value})"
    if not name or not value or dtype not in (_ADD_TYPES if name == "atomicAdd" else _INTEGER_TYPES):
        return None
    new = f"{name}({address(facts, node.target, array)}, {value})"
    path = next(iter(facts.source.paths(node.span)), None)
    statement = path[-1].child if path else None
    used = not isinstance(statement, ast.Do) or statement.expression is not node
    if not used or (isinstance(node, ast.Update) and not node.prefix):
        return new  # the value of an atomic is the old one, like that of `x++`
    return f"({new} {'-' if name == 'atomicSub' else '+'} {value})" if name in ("atomicAdd", "atomicSub") else None


def address(facts: Facts, element: Expr, array: int) -> str:
    """Return the address of an element for an atomic: `p` for `*p`, without volatile."""
    text = facts.source.text
    plain = isinstance(element, ast.Unary) and element.op == "*"
    where = text(element.operand.span) if isinstance(element, ast.Unary) and plain else f"&{text(element.span)}"
    name = facts.arrays[array].name
    for parameter in facts.source.kernel.parameters:
        if parameter.name == name and "volatile" in text(parameter.span).split():
            kind = parameter.type.to if isinstance(parameter.type, Pointer) else "int"
            return f"({kind} *)({where})" if where.startswith("&") else f"({kind} *){where}"
    return where


def exchange_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that makes the plain accesses of a race atomic: the reads add 0, the writes exchange."""
    # An exchange is no race beside `atomicAdd(&x, 1)`, but it discards what other threads have added.
    if any(side.access == "write" for side in race.sides) and _accumulates(facts, race):
        return
    replacements: list[Replacement] = []
    edits: dict[object, Edit] = {}
    for side in sorted(race.sides, key=lambda side: side.line):
        if side.access == "atomic" or side.span in edits:
            continue
        found = atomic_access(facts, side)
        if found is None:
            return
        replacement, edits[side.span] = found
        replacements.append(replacement)
    yield Cure(
        CureKind.ATOMIC,
        replacements=tuple(replacements),
        edits=tuple(edits.values()),
        lines=tuple(side.line for side in race.sides),
    )


def _accumulates(facts: Facts, race: RaceReport) -> bool:
    """Return whether atomics combine the written element with values: `atomicAdd(&x, 0)` is a read."""
    written = [_expression(facts, side) for side in race.sides if side.access == "write"]
    places = {address(facts, element, race.array) for element in written if element is not None}
    beside = {side.site for side in race.sides}
    names = (*_UPDATES.values(), *_FUNCTIONS.values())
    for number, site in enumerate(facts.sites):
        text = facts.source.text(site.span)
        if site.access == "atomic" and site.array == race.array and text.startswith(names):
            same = number in beside or any(f"({place}, " in text for place in places)
            if same and not text.endswith(", 0)"):
                return True
    return False


def atomic_access(facts: Facts, side: RaceSide) -> tuple[Replacement, Edit] | None:
    """Return the atomic equivalent to a plain access."""
    dtype = np.dtype(facts.arrays[facts.sites[side.site].array].dtype).str[1:]
    at, text = side.span.source_span, facts.source.text
    if side.access == "read":
        if dtype not in _ADD_TYPES:
            return None
        element = _expression(facts, side)
        if element is None:
            return None
        new = f"atomicAdd({address(facts, element, facts.sites[side.site].array)}, 0)"
        return Replacement(at.line, side.text, new, at.file), replacement_of(side.span, new)
    statement = _statement(facts, side)
    node = statement.expression if isinstance(statement, ast.Do) else None
    if dtype not in _EXCHANGE_TYPES or not isinstance(node, ast.Assign) or node.op != "=":
        return None
    if text(node.target.span) != side.text:
        return None
    place = address(facts, node.target, facts.sites[side.site].array)
    new = f"atomicExch({place}, {text(node.value.span)})"
    return Replacement(at.line, text(node.span), new, at.file), replacement_of(node.span, new)


def one_writer_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that lets one thread execute a statement that all execute equally: same branch, same element."""
    first, second = race.sides
    if race.kinds != {"write"} or first.statement != second.statement:
        return
    scope = Scope.GRID if race.blocks else Scope.BLOCK
    for path in facts.source.paths(first.span):
        statement, uniformity = path[-1].child, facts.uniformity
        function = facts.source.function_of(first.span)
        if not isinstance(statement, ast.Do) or not isinstance(statement.expression, ast.Assign) or function is None:
            continue
        if race.update or is_update(facts, first):
            continue
        alone = uniformity.is_reached(Gap(path, path[-1].index), scope)
        if not alone or uniformity.of(function, statement.expression.target) > scope:
            continue
        condition = _one_thread(facts, blocks=race.blocks)
        yield Cure(
            CureKind.ONE_WRITER,
            edits=(insert_before(statement.span, f"if ({condition}) "),),
            condition=condition,
            lines=(first.line, second.line),
        )


def _one_thread(facts: Facts, *, blocks: bool) -> str:
    dims = [("threadIdx", facts.launch.block), *([("blockIdx", facts.launch.grid)] if blocks else [])]
    parts = [
        f"{name}.{axis} == 0"
        for name, lengths in reversed(dims)
        for axis, size in zip("xyz", lengths, strict=True)
        if size > 1
    ]
    return " && ".join(parts or ["threadIdx.x == 0"])


def copy_cures(facts: Facts, race: RaceReport) -> Iterator[Cure]:
    """Yield the cure that waits for all copies of a thread before the barrier that precedes the other access."""
    other = next((side for side in race.sides if not side.in_flight), race.sides[1])
    wait = "__pipeline_wait_prior(0)"
    for path in facts.source.paths(other.span):
        for depth in range(len(path), 0, -1):
            level = path[depth - 1]
            for at in range(level.index, -1, -1):
                statement = level.statements[at]
                if not isinstance(statement, ast.Do) or not isinstance(statement.expression, ast.Call):
                    continue
                if statement.expression.function != "__syncthreads" or at == level.index:
                    continue
                placed = insertion_at(Gap((*path[: depth - 1], level), at), wait)
                if placed is not None:
                    yield Cure(
                        CureKind.COPY_WAIT,
                        (placed[0],),
                        edits=placed[1],
                        lines=tuple(side.line for side in race.sides),
                    )
                return


def is_in_condition(facts: Facts, side: RaceSide) -> bool:
    """Return whether an access is in the condition of a branch or a loop, as the read of a flag."""
    return facts.statements[side.statement].kind in ("loop", "branch")


def _expression(facts: Facts, side: RaceSide) -> Expr | None:
    function = facts.source.function_of(side.span)
    nodes_there = [] if function is None else below(function.body)
    return next((node for node in nodes_there if node.span == side.span and isinstance(node, _ELEMENTS)), None)


def _statement(facts: Facts, side: RaceSide) -> Statement | None:
    return next((path[-1].child for path in facts.source.paths(side.span)), None)
