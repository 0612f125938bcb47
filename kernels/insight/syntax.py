"""The source behind a trace: for each step's statement the tree, the guards and the loops around it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kernels.source import evaluate, parse, parse_expression
from kernels.source.nodes import (
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Conditional,
    Continue,
    Declare,
    Do,
    Expr,
    For,
    If,
    Index,
    Member,
    Name,
    Return,
    Unary,
    Update,
    While,
)
from kernels.source.typenames import named_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kernels.source.nodes import Function, Program, Span, Statement
    from kernels.source.types import CType, Scalar
    from kernels.trace import Trace

Loop = For | While
Instances = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that must turn out as `expected` for something to happen."""

    condition: Expr
    expected: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention of an array's element: `base[i][j]` or `*base`.

    `guards` are the conditions inside the statement itself: the arms of ?: and the right sides of && and ||.
    `base` is empty where it is more than a name.
    """

    node: Index | Unary
    base: str
    indices: tuple[Expr, ...]
    guards: tuple[Guard, ...]
    stored: bool


@dataclass(frozen=True, slots=True)
class Place:
    """One statement that can be a step, and what is around it in its function, outermost first."""

    function: Function
    node: Statement
    branches: tuple[tuple[If, bool], ...]
    loops: tuple[Loop, ...]
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A program with its statements by where they stand, and definitions that never change.

    `definitions` holds, by (function, variable), what a variable is set to once and for all, where that depends on
    nothing that changes later.
    """

    program: Program
    places: dict[Span, Place]
    definitions: dict[tuple[str, str], Expr]


def source_of(trace: Trace) -> Source:
    """Parse a trace's source; remembered for the texts seen last."""
    return _source(trace.text, trace.file, trace.defines, trace.instances)


def place_of(trace: Trace, step: int) -> Place | None:
    """Return the statement that a step executes; None where the tree does not tell it (macros with statements)."""
    return source_of(trace).places.get(trace.statement(step).span)


def text_at(trace: Trace, span: Span) -> str:
    """Source text as written, white space squeezed."""
    lines = trace.text.splitlines()[span.line - 1 : span.end_line]
    if not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(lines).split())


def children(node: object) -> Iterator[Expr]:
    """Yield the direct parts of an expression (or of a statement) that are nodes themselves."""
    for field in fields(node):  # type: ignore[arg-type]
        value = getattr(node, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if hasattr(part, "span"):
                yield part


def rebuilt(node: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Copy an expression, each part replaced by what `change` gives for it, from the top down."""
    new = change(node)
    if new is not None:
        return new
    parts: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if hasattr(value, "span"):
            parts[field.name] = rebuilt(value, change)
        elif isinstance(value, tuple):
            parts[field.name] = tuple(rebuilt(v, change) if hasattr(v, "span") else v for v in value)
    return replace(node, **parts)


def names_in(node: object) -> Iterator[str]:
    """Yield every name, built-ins by their full spelling."""
    if isinstance(node, Member):
        yield spelled(node)
    elif isinstance(node, Name):
        yield node.id
    else:
        for child in children(node):
            yield from names_in(child)


def spelled(node: Expr) -> str:
    """Return `threadIdx.x` for the member, a name for a name, nothing for the rest."""
    if isinstance(node, Name):
        return node.id
    if isinstance(node, Member):
        base = spelled(node.base)
        return f"{base}.{node.field}" if base else ""
    return ""


def calls_in(node: object) -> Iterator[Call]:
    """Yield every call."""
    if isinstance(node, Call):
        yield node
    for child in children(node):
        yield from calls_in(child)


def loop_variable(loop: Loop) -> str:
    """Name of the variable that a loop counts with; empty where it has none."""
    if isinstance(loop, While):
        return ""
    if isinstance(loop.start, Declare):
        return loop.start.variables[0].name
    step = loop.step
    return spelled(step.target) if isinstance(step, Assign | Update) else ""


def has_barrier(node: object) -> bool:
    """Whether `__syncthreads` (or a variant) is called below a node."""
    return any(call.function.startswith("__syncthreads") for call in calls_in(node))


def has_print(node: object) -> bool:
    """Whether printf is called below a node."""
    return any(call.function == "printf" for call in calls_in(node))


@lru_cache(maxsize=16)
def _source(text: str, file: str, defines: tuple[tuple[str, str], ...], instances: Instances) -> Source:
    program = parse(text, file, defines)
    places: dict[Span, Place] = {}
    definitions: dict[tuple[str, str], Expr] = {}
    for function in (*program.functions, *_instantiated(program, instances)):
        for place in _places(function, function.body, (), ()):
            places.setdefault(_span(place.node), place)
        for name, value in _constants(function).items():
            definitions[function.name, name] = value
    return Source(program, places, definitions)


def _instantiated(program: Program, instances: Instances) -> Iterator[Function]:
    """Read the instances of templates that were run; those of types that the file declares are left out."""
    for name, words in instances:
        for template in program.templates:
            if template.name == name and len(template.parameters) == len(words):
                values = [_argument(p.type, word) for p, word in zip(template.parameters, words, strict=True)]
                if None not in values:
                    yield template.instantiate(tuple(v for v in values if v is not None))


def _argument(kind: Scalar | None, word: str) -> CType | int | float | bool | None:
    return named_type(word) if kind is None else evaluate(parse_expression(word), {})


def _span(node: Statement) -> Span:
    return node.header if isinstance(node, If | For | While) else node.span


def _places(
    function: Function, node: object, branches: tuple[tuple[If, bool], ...], loops: tuple[Loop, ...]
) -> Iterator[Place]:
    match node:
        case Block():
            for child in node.body:
                yield from _places(function, child, branches, loops)
        case If():
            yield Place(function, node, branches, loops, tuple(_references(node.condition)))
            yield from _places(function, node.then, (*branches, (node, True)), loops)
            yield from _places(function, node.otherwise, (*branches, (node, False)), loops)
        case For() | While():
            parts = [node.condition] if isinstance(node, While) else [node.start, node.condition, node.step]
            found = tuple(r for part in parts if part is not None for r in _references(part))
            yield Place(function, node, branches, loops, found)
            yield from _places(function, node.body, branches, (*loops, node))
        case Declare() | Do() | Break() | Continue() | Return():
            yield Place(function, node, branches, loops, tuple(_references(node)))


def _references(node: object, guards: tuple[Guard, ...] = (), stored: bool = False) -> Iterator[Reference]:
    match node:
        case Conditional():
            yield from _references(node.condition, guards)
            yield from _references(node.then, (*guards, Guard(node.condition, True)))
            yield from _references(node.otherwise, (*guards, Guard(node.condition, False)))
        case Binary(op="&&" | "||"):
            yield from _references(node.left, guards)
            yield from _references(node.right, (*guards, Guard(node.left, node.op == "&&")))
        case Assign():
            yield from _references(node.value, guards)
            yield from _references(node.target, guards, True)
        case Update():
            yield from _references(node.target, guards, True)
        case Index():
            base, indices = _chain(node)
            for index in indices:
                yield from _references(index, guards)
            yield Reference(node, spelled(base), indices, guards, stored)
        case Unary(op="*"):
            yield from _references(node.operand, guards)
            yield Reference(node, spelled(node.operand), (), guards, stored)
        case Unary(op="&"):
            yield from _references(node.operand, guards, True)
        case _:
            for child in children(node):
                yield from _references(child, guards)


def _chain(node: Index) -> tuple[Expr, tuple[Expr, ...]]:
    indices: list[Expr] = []
    base: Expr = node
    while isinstance(base, Index):
        indices.insert(0, base.index)
        base = base.base
    return base, tuple(indices)


def _constants(function: Function) -> dict[str, Expr]:
    """Variables set once, at their declaration, to something that never changes."""
    declared: dict[str, list[Expr | None]] = {}
    changed = {spelled(target) for target in _targets(function.body)}
    for variable in _variables(function.body):
        value = variable.value if not isinstance(variable.value, tuple) else None
        declared.setdefault(variable.name, []).append(value)
    parameters = {p.name for p in function.parameters}
    built_in = ("threadIdx.", "blockIdx.", "blockDim.", "gridDim.")

    def stable(name: str, seen: frozenset[str]) -> bool:
        if name in changed or name in seen:
            return False
        if name.startswith(built_in) or (name in parameters and name not in declared):
            return True
        values = declared.get(name, [])
        return len(values) == 1 and values[0] is not None and fixed(values[0], seen | {name})

    def fixed(value: Expr, seen: frozenset[str]) -> bool:
        return not any(_references(value)) and all(stable(n, seen) for n in names_in(value))

    return {
        name: values[0]
        for name, values in declared.items()
        if values[0] is not None and stable(name, frozenset())
    }


def _variables(node: object) -> Iterator[Any]:
    if isinstance(node, Declare):
        yield from node.variables
    else:
        for child in children(node):
            yield from _variables(child)


def _targets(node: object) -> Iterator[Expr]:
    """Whatever is assigned to or has its address taken."""
    if isinstance(node, Assign | Update):
        yield node.target
    elif isinstance(node, Unary) and node.op == "&":
        yield node.operand
    for child in children(node):
        yield from _targets(child)
