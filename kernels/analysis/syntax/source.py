"""Syntax of the traced source: for each statement its node, the guards and the loops around it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kernels.analysis.syntax.walk import names_in, qualified_name
from kernels.errors import SourceError
from kernels.frontend import parse_with_instances
from kernels.frontend.ast import (
    Assembly,
    Assign,
    Binary,
    Block,
    Break,
    Cast,
    Conditional,
    Continue,
    Declare,
    Do,
    Expr,
    For,
    If,
    Index,
    Member,
    Return,
    Switch,
    Unary,
    Update,
    While,
)
from kernels.frontend.ast.traversal import children
from kernels.frontend.listing import listing_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.analysis.syntax.walk import Loop
    from kernels.frontend.ast import Function, Parameter, Program, Span, Statement, Variable
    from kernels.frontend.instances import Instances
    from kernels.frontend.listing import Listing
    from kernels.trace import Trace

    Visible = Mapping[str, Variable | Parameter]


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition around an access, and the value for which the access happens."""

    condition: Expr
    expected: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """An expression for an element of an array: `root[i][j]`, `*root`, `*(root + i)`, or members of these."""

    node: Index | Unary | Member
    root: Expr
    indices: tuple[Expr, ...]
    fields: tuple[str, ...]
    guards: tuple[Guard, ...]
    """Conditions inside the statement: those of ?:, and the left operands of && and ||."""
    is_store: bool
    """True if the element is assigned, or its address is taken."""

    @property
    def base(self) -> str:
        """Name of the array, or of the pointer to it, without casts; "" for other expressions."""
        root = self.root
        while isinstance(root, Cast):
            root = root.operand
        return qualified_name(root)


@dataclass(frozen=True, slots=True)
class Place:
    """A statement that can be a step, with its surroundings."""

    function: Function
    node: Statement
    branches: tuple[tuple[If, bool], ...]
    """The `if`s around the statement, outermost first; True if it is in the branch `then`."""
    loops: tuple[Loop, ...]
    """The loops around the statement, outermost first."""
    references: tuple[Reference, ...]
    visible: Visible
    """The declaration of each visible name."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A program with its statements by span."""

    program: Program
    places: dict[Span, Place]
    definitions: dict[tuple[str, str], Expr]
    """Constant initial values of variables that are never assigned, by (function, variable)."""
    reassigned: set[tuple[str, str]]
    """Variables and pointers that are assigned after their declaration, by (function, variable)."""


def source_of(trace: Trace) -> Source:
    """Parse the source of a trace; the last 16 are cached."""
    return _source(trace.text, trace.file, trace.defines, trace.included, trace.instances)


def place_of(trace: Trace, step: int) -> Place | None:
    """Return the statement that a step executes; None for statements of macros, which share one span."""
    return source_of(trace).places.get(trace.statement(step).span)


def parts_at(trace: Trace, statement: int) -> tuple[object, ...]:
    """Return the trees that a step of a statement evaluates, by its number in `trace.statements`; none for macros."""
    place = source_of(trace).places.get(trace.statements[statement].span)
    return step_parts(place.node) if place is not None else ()


def text_at(trace: Trace, span: Span) -> str:
    """Return the source text as it was compiled, on one line: names of macros that are code are replaced."""
    return listing(trace).one_line_text(span, trace.included)


def listing(trace: Trace) -> Listing:
    """Return the source of a trace as it was compiled."""
    return listing_of(trace.text, trace.file, trace.defines, trace.included)


@lru_cache(maxsize=16)
def _source(
    text: str,
    file: str,
    defines: tuple[tuple[str, str], ...],
    included: tuple[tuple[str, str], ...],
    instantiated: tuple[tuple[str, tuple[str, ...]], ...],
) -> Source:
    program, instances = parse_with_instances(text, file, defines, included=included)
    places: dict[Span, Place] = {}
    definitions: dict[tuple[str, str], Expr] = {}
    changed: set[tuple[str, str]] = set()
    of_templates = tuple(_instantiate(instances, instantiated))  # first: instances add to `instances.functions`
    for function in (*program.functions, *of_templates, *instances.functions):
        changed |= {(function.name, qualified_name(target)) for target in _targets(function.body)}
        visible_at = {step_span(node): visible for node, visible in _scopes(function)}
        for place in _places(function, function.body, (), (), visible_at):
            places.setdefault(step_span(place.node), place)
        for name, value in _constants(function).items():
            definitions[function.name, name] = value
    return Source(program, places, definitions, changed)


def _instantiate(instances: Instances, instantiated: tuple[tuple[str, tuple[str, ...]], ...]) -> Iterator[Function]:
    """Instantiate the templates that were run, except for arguments without a name, such as the type of a lambda."""
    for name, words in instantiated:
        for template in instances.program.templates:
            if template.name == name and len(template.parameters) == len(words):
                with suppress(SourceError):
                    yield instances.instantiate(template, tuple(instances.argument(word) for word in words))


def step_span(node: Statement) -> Span:
    """Return the span of the part of a statement that is a step: of an `if` or loop, the head."""
    return node.header if isinstance(node, If | For | While | Switch) else node.span


def step_parts(node: Statement) -> tuple[object, ...]:
    """Return the parts of a statement that are a step: of an `if`, `switch` or loop, those of the head."""
    match node:
        case If() | While():
            return (node.condition,)
        case For():
            return tuple(part for part in (node.start, node.condition, node.step) if part is not None)
        case Switch():
            return (node.value,)
    return (node,)


def _scopes(function: Function) -> Iterator[tuple[Statement, Visible]]:
    """Yield every statement of a function with the visible names and their declarations, in order.

    The names of a declaration are visible in the declaration itself, those of a loop's head in the head.
    """
    yield from _scopes_in(function.body, {parameter.name: parameter for parameter in function.parameters})


def _scopes_in(node: Statement | None, visible: dict[str, Variable | Parameter]) -> Iterator[tuple[Statement, Visible]]:
    """Yield the statements in a node; a declaration adds to the `visible` names of its block."""
    if node is None:
        return
    match node:
        case Block():
            inner = dict(visible)
            for child in node.body:
                yield from _scopes_in(child, inner)
        case Declare():
            for variable in node.variables:  # removed first, so that the order is that of the innermost declarations
                visible.pop(variable.name, None)
                visible[variable.name] = variable
            yield node, dict(visible)
        case If():
            yield node, visible.copy()
            for branch in (node.then, node.otherwise):
                yield from _scopes_in(branch, dict(visible))
        case For():
            inner = dict(visible)
            if isinstance(node.start, Declare):
                inner.update({variable.name: variable for variable in node.start.variables})
            yield node, dict(inner)
            yield from _scopes_in(node.body, inner)
        case While():
            yield node, visible.copy()
            yield from _scopes_in(node.body, dict(visible))
        case Switch():
            yield node, visible.copy()
            inner = dict(visible)
            for case in node.cases:
                for child in case.body:
                    yield from _scopes_in(child, inner)
        case _:
            yield node, dict(visible)


def _places(
    function: Function,
    node: object,
    branches: tuple[tuple[If, bool], ...],
    loops: tuple[Loop, ...],
    visible_at: Mapping[Span, Visible],
) -> Iterator[Place]:
    def place(node: Statement) -> Place:
        references = tuple(r for part in step_parts(node) for r in _references(part))
        return Place(function, node, branches, loops, references, visible_at[step_span(node)])

    match node:
        case Block():
            for child in node.body:
                yield from _places(function, child, branches, loops, visible_at)
        case If():
            yield place(node)
            yield from _places(function, node.then, (*branches, (node, True)), loops, visible_at)
            yield from _places(function, node.otherwise, (*branches, (node, False)), loops, visible_at)
        case For():
            yield place(node)
            yield from _places(function, node.body, branches, (*loops, node), visible_at)
        case While():
            yield place(node)
            yield from _places(function, node.body, branches, (*loops, node), visible_at)
        case Switch():
            yield place(node)
            for case in node.cases:
                for child in case.body:
                    yield from _places(function, child, branches, loops, visible_at)
        case Declare() | Do() | Break() | Continue() | Return() | Assembly():
            yield place(node)


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
        case Index() | Unary(op="*") | Member():
            fields, place = _members(node)
            if isinstance(place, Index | Unary):
                root, indices = _chain(place) if isinstance(place, Index) else _sum(place.operand)
                for part in (*indices, root):
                    yield from _references(part, guards)
                yield Reference(node, root, indices, fields, guards, stored)
        case Unary(op="&"):
            yield from _references(node.operand, guards, True)
        case _:
            for child in children(node):
                yield from _references(child, guards)


def _members(node: Expr) -> tuple[tuple[str, ...], Expr]:
    """Split `base.f.g` into the fields and the base."""
    fields: list[str] = []
    while isinstance(node, Member):
        fields.insert(0, node.field)
        node = node.base
    return tuple(fields), node


def _sum(node: Expr) -> tuple[Expr, tuple[Expr, ...]]:
    """Split a pointer plus integers into the pointer and the sum of the integers."""
    if not isinstance(node, Binary) or node.op not in ("+", "-"):
        return node, ()
    root, indices = _sum(node.left)
    term = Unary(node.right.span, "-", node.right) if node.op == "-" and not indices else node.right
    return root, (Binary(node.span, node.op, indices[0], node.right) if indices else term,)


def _chain(node: Index) -> tuple[Expr, tuple[Expr, ...]]:
    indices: list[Expr] = []
    base: Expr = node
    while isinstance(base, Index):
        indices.insert(0, base.index)
        base = base.base
    return base, tuple(indices)


def _constants(function: Function) -> dict[str, Expr]:
    """Return the initial values of variables that are never assigned, if these values are constant in a thread."""
    declared: dict[str, list[Expr | None]] = {}
    changed = {qualified_name(target) for target in _targets(function.body)}
    for variable in _variables(function.body):
        value = variable.value if not isinstance(variable.value, tuple) else None
        declared.setdefault(variable.name, []).append(value)
    parameters = {p.name for p in function.parameters}
    built_in = ("threadIdx.", "blockIdx.", "blockDim.", "gridDim.")

    def is_stable(name: str, seen: frozenset[str]) -> bool:
        if name in changed or name in seen:
            return False
        if name.startswith(built_in) or (name in parameters and name not in declared):
            return True
        values = declared.get(name, [])
        return len(values) == 1 and values[0] is not None and is_fixed(values[0], seen | {name})

    def is_fixed(value: Expr, seen: frozenset[str]) -> bool:
        return not any(_references(value)) and all(is_stable(n, seen) for n in names_in(value))

    return {
        name: values[0] for name, values in declared.items() if values[0] is not None and is_stable(name, frozenset())
    }


def _variables(node: object) -> Iterator[Any]:
    if isinstance(node, Declare):
        yield from node.variables
    else:
        for child in children(node):
            yield from _variables(child)


def _targets(node: object) -> Iterator[Expr]:
    """Yield the expressions that are assigned to or whose address is taken."""
    if isinstance(node, Assign | Update):
        yield node.target
    elif isinstance(node, Unary) and node.op == "&":
        yield node.operand
    for child in children(node):
        yield from _targets(child)
