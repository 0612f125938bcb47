"""Positions of statements: the statement lists from the kernel's body down to an access, through calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.unparse.expressions import one_line_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.frontend.ast import Expr, Function, Program, Span, Statement

    Owner = Function | Statement

MOST_PATHS: Final = 4
"""Maximum number of paths from the kernel to one access, through different calls."""


@dataclass(frozen=True, slots=True)
class Level:
    """One statement list on the path to an access."""

    owner: Owner
    """The function, branch or loop of which the list is a body."""
    part: str
    """The body: body, block, then, otherwise, or case with its number."""
    statements: tuple[Statement, ...]
    braces: bool
    """False for a body that is a single statement without braces."""
    index: int
    """The statement of the list that contains the access."""

    @property
    def child(self) -> Statement:
        """The statement that contains the access."""
        return self.statements[self.index]

    def is_same_list(self, other: Level) -> bool:
        """Return whether both are the same list of statements."""
        return self.owner is other.owner and self.part == other.part


Path = tuple[Level, ...]
"""Levels from the kernel's body down to the statement of an access."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A place between two statements of a list: before statement `at`, or at the end."""

    levels: Path
    at: int

    @property
    def level(self) -> Level:
        """The list that contains it."""
        return self.levels[-1]

    @property
    def before(self) -> Statement | None:
        """The statement before it."""
        return self.level.statements[self.at - 1] if self.at else None

    @property
    def after(self) -> Statement | None:
        """The statement that follows."""
        return self.level.statements[self.at] if self.at < len(self.level.statements) else None


class Source:
    """The functions of a run, and the positions of their statements.

    Parameters
    ----------
    program : Program
    kernel : Function
        The kernel that ran.
    entered : sequence of Function
        All functions that were compiled, including the kernel.
    """

    def __init__(self, program: Program, kernel: Function, functions: Sequence[Function]) -> None:
        self.program = program
        self.kernel = kernel
        # Instances of a template have one body in the text: edits and positions refer to the text.
        distinct = {_extent(function.body.span): function for function in functions}
        distinct[_extent(kernel.body.span)] = kernel
        self.functions = tuple(distinct.values())
        self._calls = self._all_calls()

    def text(self, span: Span) -> str:
        """Return the source of a span, on one line."""
        return one_line_text(self.program.text, span, self.program.included)

    def paths(self, span: Span) -> list[Path]:
        """Return the paths from the kernel's body to the statement that contains a span, by chain of calls."""
        found = self.function_of(span)
        return [] if found is None else self._paths_in(found, span, ())

    def function_of(self, span: Span) -> Function | None:
        """Return the innermost function whose body contains a span."""
        around = [function for function in self.functions if holds(function.body.span, span)]
        return max(around, key=lambda function: _extent(function.body.span)[:3], default=None)

    def calls_of(self, function: Function) -> list[tuple[Function, ast.Call]]:
        """Return the calls of a function, each with the function that contains it."""
        return self._calls.get(id(function), [])

    def _paths_in(self, function: Function, span: Span, seen: tuple[Function, ...]) -> list[Path]:
        own = _descend(function, span)
        if function is self.kernel:
            return [own]
        found = []
        for caller, call in self.calls_of(function):
            if caller not in seen:
                ways = self._paths_in(caller, call.span, (*seen, function))
                found += [way + own for way in ways if way]
        return found[:MOST_PATHS]

    def _all_calls(self) -> dict[int, list[tuple[Function, ast.Call]]]:
        named: dict[str, list[Function]] = {}
        for function in self.functions:
            named.setdefault(function.name.rpartition("::")[2], []).append(function)
        calls = [
            (function, node)
            for function in self.functions
            for node in below(function.body)
            if isinstance(node, ast.Call) and self.function_of(node.span) is function
        ]
        found: dict[int, list[tuple[Function, ast.Call]]] = {}
        indirect = []
        for caller, call in calls:
            called = named.get(call.function.removeprefix("."), [])
            if not called and call.function == ".operator()":
                indirect.append((caller, call))
            for function in called:
                found.setdefault(id(function), []).append((caller, call))
        # Lambdas, and functions whose addresses are taken: any call through a variable may call them.
        for function in self.functions:
            if id(function) not in found and function is not self.kernel:
                found[id(function)] = indirect
        return found


def _descend(function: Function, span: Span) -> Path:
    levels: list[Level] = []
    owner: Owner = function
    lists: list[tuple[str, tuple[Statement, ...], bool]] = [("body", function.body.body, True)]
    while True:
        step = next(
            (
                Level(owner, part, statements, braces, index)
                for part, statements, braces in lists
                for index, statement in enumerate(statements)
                if holds(statement.span, span)
            ),
            None,
        )
        if step is None:
            return tuple(levels)
        levels.append(step)
        owner = step.child
        lists = list(bodies(owner))


def bodies(statement: Statement) -> Iterator[tuple[str, tuple[Statement, ...], bool]]:
    """Yield the bodies of a statement: (name, statements, whether it has braces)."""
    match statement:
        case ast.Block():
            yield ("block", statement.body, True)
        case ast.If():
            yield ("then", *_statement_list(statement.then))
            if statement.otherwise is not None:
                yield ("otherwise", *_statement_list(statement.otherwise))
        case ast.For() | ast.While():
            yield ("body", *_statement_list(statement.body))
        case ast.Switch():
            for number, case in enumerate(statement.cases):
                yield (f"case {number}", case.body, True)


def _statement_list(body: Statement) -> tuple[tuple[Statement, ...], bool]:
    return (body.body, True) if isinstance(body, ast.Block) else ((body,), False)


def statements_below(statement: Statement) -> Iterator[Statement]:
    """Yield a statement and all statements in its bodies, in the order of the text."""
    yield statement
    for _, inner, _ in bodies(statement):
        for child in inner:
            yield from statements_below(child)


def header_of(statement: Owner) -> Expr | None:
    """Return the condition, or value, of a branch or a loop."""
    match statement:
        case ast.If() | ast.For() | ast.While():
            return statement.condition
        case ast.Switch():
            return statement.value
    return None


def is_loop(owner: Owner) -> bool:
    """Return whether a list's owner is a loop."""
    return isinstance(owner, ast.For | ast.While)


def shared_levels(one: Path, two: Path) -> int:
    """Return the number of levels that two paths share: lists that contain both accesses."""
    count = 0
    for first, second in zip(one, two, strict=False):
        if not first.is_same_list(second):
            break
        count += 1
        if first.index != second.index:
            break
    return count


def text_order(one: Path, two: Path) -> int:
    """Return -1 if the first access is earlier in the text, 1 if it is later, else 0.

    Accesses in one statement, or in different bodies of one statement, have no order.
    """
    shared = shared_levels(one, two)
    if not shared:
        return 0
    first, second = one[shared - 1].index, two[shared - 1].index
    return (first > second) - (first < second)


def is_around(outer: Path, inner: Path) -> bool:
    """Return whether the statement of one access is a branch or loop around that of the other."""
    depth = len(outer)
    if not depth or len(inner) <= depth or shared_levels(outer, inner) != depth:
        return False
    return inner[depth - 1].index == outer[-1].index and inner[depth].owner is outer[-1].child


def holds(outer: Span, inner: Span) -> bool:
    """Return whether a span is within another one, in the file in which both are written."""
    one, two = outer.source_span, inner.source_span
    return (
        one.file == two.file
        and (one.line, one.column) <= (two.line, two.column)
        and (two.end_line, two.end_column) <= (one.end_line, one.end_column)
    )


def _extent(span: Span) -> tuple[int, int, int, int, str]:
    at = span.source_span
    return at.line, at.column, -at.end_line, -at.end_column, at.file
