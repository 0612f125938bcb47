"""The source behind a trace: for each step's statement the tree, the guards and the loops around it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kernels.analysis.scopes import scopes
from kernels.analysis.walk import children, names_in, spelled
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
from kernels.frontend.unparse.expressions import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kernels.analysis.scopes import Visible
    from kernels.analysis.walk import Loop
    from kernels.frontend.ast import Function, Program, Span, Statement
    from kernels.frontend.instances import Instances
    from kernels.trace import Trace


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that must turn out as `expected` for something to happen."""

    condition: Expr
    expected: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention of an array's element: `root[i][j]`, `*root`, `*(root + i)`, or members of these.

    `guards` are the conditions inside the statement itself: the arms of ?: and the right sides of && and ||.
    `base` is the name of the root, casts aside; empty where it is more than a name.
    """

    node: Index | Unary | Member
    root: Expr
    indices: tuple[Expr, ...]
    fields: tuple[str, ...]
    guards: tuple[Guard, ...]
    stored: bool

    @property
    def base(self) -> str:
        """Name of the array, or of the pointer to it."""
        root = self.root
        while isinstance(root, Cast):
            root = root.operand
        return spelled(root)


@dataclass(frozen=True, slots=True)
class Place:
    """One statement that can be a step, and what is around it in its function, outermost first.

    `visible` holds the declaration of each name that the statement knows.
    """

    function: Function
    node: Statement
    branches: tuple[tuple[If, bool], ...]
    loops: tuple[Loop, ...]
    references: tuple[Reference, ...]
    visible: Visible


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A program with its statements by where they stand, and definitions that never change.

    `definitions` holds, by (function, variable), what a variable is set to once and for all, where that depends on
    nothing that changes later; `changed` the variables, pointers among them, that are assigned to after that.
    """

    program: Program
    places: dict[Span, Place]
    definitions: dict[tuple[str, str], Expr]
    changed: set[tuple[str, str]]


def source_of(trace: Trace) -> Source:
    """Parse a trace's source; remembered for the texts seen last."""
    return _source(trace.text, trace.file, trace.defines, trace.included, trace.instances)


def place_of(trace: Trace, step: int) -> Place | None:
    """Return the statement that a step executes; None where the tree does not tell it (macros with statements)."""
    return source_of(trace).places.get(trace.statement(step).span)


def text_at(trace: Trace, span: Span) -> str:
    """Source text as written, white space squeezed."""
    return shown(trace.text, span, trace.included)


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
    made = tuple(_instantiated(instances, instantiated))  # before `instances.functions`, to which it adds
    for function in (*program.functions, *made, *instances.functions):
        changed |= {(function.name, spelled(target)) for target in _targets(function.body)}
        known = {head_of(node): visible for node, visible in scopes(function)}
        for place in _places(function, function.body, (), (), known):
            places.setdefault(head_of(place.node), place)
        for name, value in _constants(function).items():
            definitions[function.name, name] = value
    return Source(program, places, definitions, changed)


def _instantiated(instances: Instances, instantiated: tuple[tuple[str, tuple[str, ...]], ...]) -> Iterator[Function]:
    """Read the instances of templates that were run; what has no name, such as a lambda's type, is left out."""
    for name, words in instantiated:
        for template in instances.program.templates:
            if template.name == name and len(template.parameters) == len(words):
                with suppress(SourceError):
                    yield instances.instantiate(template, tuple(instances.argument(word) for word in words))


def head_of(node: Statement) -> Span:
    """Where the part of a statement stands that is a step."""
    return node.header if isinstance(node, If | For | While | Switch) else node.span


def _places(
    function: Function,
    node: object,
    branches: tuple[tuple[If, bool], ...],
    loops: tuple[Loop, ...],
    known: Mapping[Span, Visible],
) -> Iterator[Place]:
    def place(node: Statement, *parts: object) -> Place:
        references = tuple(r for part in parts if part is not None for r in _references(part))
        return Place(function, node, branches, loops, references, known[head_of(node)])

    match node:
        case Block():
            for child in node.body:
                yield from _places(function, child, branches, loops, known)
        case If():
            yield place(node, node.condition)
            yield from _places(function, node.then, (*branches, (node, True)), loops, known)
            yield from _places(function, node.otherwise, (*branches, (node, False)), loops, known)
        case For():
            yield place(node, node.start, node.condition, node.step)
            yield from _places(function, node.body, branches, (*loops, node), known)
        case While():
            yield place(node, node.condition)
            yield from _places(function, node.body, branches, (*loops, node), known)
        case Switch():
            yield place(node, node.value)
            for case in node.cases:
                for child in case.body:
                    yield from _places(function, child, branches, loops, known)
        case Declare() | Do() | Break() | Continue() | Return() | Assembly():
            yield place(node, node)


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
    """Return the members named after something, and that."""
    fields: list[str] = []
    while isinstance(node, Member):
        fields.insert(0, node.field)
        node = node.base
    return tuple(fields), node


def _sum(node: Expr) -> tuple[Expr, tuple[Expr, ...]]:
    """Take a pointer plus integers apart."""
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

    return {name: values[0] for name, values in declared.items() if values[0] is not None and stable(name, frozenset())}


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
