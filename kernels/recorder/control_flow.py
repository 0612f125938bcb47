"""Notes of what is executed: statements as the simulator's steps, rounds of loops, and calls.

The order of the numbers is the order of execution, so that the steps of different threads can be put together: what
a loop's head does is numbered before its body, and what a call does between its call and what goes on after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import Reference, Void
from kernels.recorder.argument_passing import is_conversion
from kernels.recorder.async_copies import CopyWriter
from kernels.recorder.log import Begun, Called, Loop, Place, Step
from kernels.recorder.names import below
from kernels.simt.compiler.barriers import VOTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend.ast import Expr, Function, Parameter, Program, Span
    from kernels.simt.linking import Linked
    from kernels.trace.records import StatementKind

_KINDS: Final[dict[type, StatementKind]] = {
    ast.Declare: "declare",
    ast.If: "branch",
    ast.Switch: "branch",
    ast.For: "loop",
    ast.While: "loop",
    ast.Break: "jump",
    ast.Continue: "jump",
    ast.Return: "jump",
}
"""What a statement is in the trace; any other is looked up."""

_SITE: Final = "ts_site"
"""The parameter by which a function is told where it is called."""
_USED: Final = "ts_used"
"""The parameter by which a function that returns a place is told whether that is used."""


class FlowWriter(CopyWriter):
    """Writes a program that notes its steps; `loops` are those of the text, by number."""

    def __init__(self, program: Program, linked: Linked, threads: int) -> None:
        super().__init__(program, linked, threads)
        self.loops: list[Loop] = []
        self._kinds = {s.span: s.kind for s in linked.statements if s.kind not in _KINDS.values()}
        self._barriers = {s.span for s in linked.statements if s.kind == "barrier"}
        self._numbers: dict[int, int] = {}
        self._function = -1
        self._around: tuple[int, ...] = ()
        self._silent = False
        self._now: tuple[Span, StatementKind] | None = None
        self._statement: Expr | None = None
        self._whole = False

    # --- functions and calls ---------------------------------------------------------------------------

    def define(self, function: Function) -> str:
        """Return a function's text; inside, there is nothing of what surrounds the call."""
        kept = self._function, self._around, self._silent, self._now, self._statement, self._whole
        self._function = self._numbers.setdefault(id(function), len(self._numbers))
        # C++ calls conversions by itself: what they do belongs to the statement that needs them.
        self._around, self._silent = (), is_conversion(function)
        text = super().define(function)
        self._function, self._around, self._silent, self._now, self._statement, self._whole = kept
        return text

    def taken(self, node: Function) -> list[str]:
        """Return the parameters, one of them for where it is called."""
        told = [] if node.kernel or is_conversion(node) else [f"unsigned int {_SITE}"]
        asked = [f"bool {_USED}"] if _may_be_left(node) else []
        return [*told, *asked, *super().taken(node)]

    def before(self, node: Function) -> list[str]:
        """Return what comes before a function's first statement."""
        told = [] if node.kernel or is_conversion(node) else [f"ts_note({_SITE}, nullptr, 0);"]
        return [*told, *super().before(node)]

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of an expression and the level of its outermost operator."""
        self._whole = node is self._statement and isinstance(node, ast.Call | ast.Assign)
        return super().write(node)

    def invoke(self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()) -> str:
        """Return a call; the statement that it is part of goes on as a step of its own."""
        name, whole = self.name_of(function), self._whole and not first

        def finish(texts: list[str]) -> str:
            called = Called(self._numbers[id(function)], self._here())
            self.notes.append(called)
            asked = [str(not whole).lower()] if _may_be_left(function) else []
            call = f"{name}({', '.join((str(called.place.at), *asked, *first, *texts))})"
            after = self.changed(function.parameters[len(first) :], arguments)
            if whole or self._silent or isinstance(function.returns, Void):
                step = [] if whole or self._silent else [self._step()]
                return f"({', '.join((call, *after, *step))})" if after or step else call
            notes = f", [&] {{ {'; '.join(after)}; }}" if after else ""
            return f"ts_then({self._stepped()}, {call}{notes})"

        return self.in_order(arguments, finish)

    def changed(self, parameters: Sequence[Parameter], arguments: Sequence[tuple[Expr, bool]]) -> list[str]:
        """Return notes of what a call can have changed through references."""
        return []

    def call(self, node: ast.Call) -> str:
        """Return a call; a barrier inside an expression is a step, and then the statement goes on."""
        if node.function not in VOTES or self.meant(node.span, node.function) is not None:
            return super().call(node)
        kept, self._now = self._now, (node.span, "barrier")
        begin, text = self._step(), super().call(node)
        self._now = kept
        return f"({begin}, ts_then({self._stepped()}, {text}))"

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of a statement, which is a step where the simulator says so."""
        if isinstance(node, ast.Block) or (
            isinstance(node, ast.Declare) and all(v.value is None for v in node.variables)
        ):
            return super().statement(node, depth)
        span = node.header if isinstance(node, ast.If | ast.For | ast.While | ast.Switch) else node.span
        self._now = span, _KINDS.get(type(node)) or self._kinds.get(span, "do")
        pad = "    " * depth
        if isinstance(node, ast.For):
            return self._for_loop(node, pad, depth)
        if isinstance(node, ast.While):
            return self._while_loop(node, pad, depth)
        self._statement = node.expression if isinstance(node, ast.Do) else None
        begin = self._step()
        return [*([f"{pad}{begin};"] if begin else []), *super().statement(node, depth)]

    def simple(self, node: ast.Statement) -> list[str]:
        """Return the lines of a statement that holds no other."""
        lines = super().simple(node)
        if isinstance(node, ast.Return) and _may_be_left(self.inside_of) and not _acts(node):
            return [f"if (!{_USED}) return {{}};", *lines]
        return lines

    def _for_loop(self, node: ast.For, pad: str, depth: int) -> list[str]:
        number, outside = self._enter(node, 0)
        begin = self._step(begins=number)
        start = self.first(node.start) if node.start is not None else []
        step = self._step(turns=number)
        if node.step is not None:
            step = ", ".join(filter(None, (step, self.text(node.step))))
        test = self.text(node.condition) if node.condition is not None else ""
        self.loops[number].body = len(self.notes)
        lines = [f"{pad}    {line}" for line in ((f"{begin};" if begin else ""), *start) if line]
        body = self.body(node.body, depth + 1)
        self._around = outside
        return [f"{pad}{{", *lines, f"{pad}    for (; {test}; {step})", *body, f"{pad}}}"]

    def _while_loop(self, node: ast.While, pad: str, depth: int) -> list[str]:
        number, outside = self._enter(node, 0 if node.first else -1)
        self.notes.append(Begun(number))
        begin = f"{pad}ts_note({len(self.notes) - 1}, nullptr, 0);"
        step, test = self._step(turns=number), self.text(node.condition)
        test = f"({step}, {test})" if step else test
        self.loops[number].body = len(self.notes)
        body = self.body(node.body, depth)
        self._around = outside
        if node.first:
            return [begin, f"{pad}do", *body, f"{pad}while ({test});"]
        return [begin, f"{pad}while ({test})", *body]

    def first(self, node: ast.Statement) -> list[str]:
        """Return the lines of the first part of a for, which stand in front of it."""
        return self.simple(node)

    # --- notes -----------------------------------------------------------------------------------------

    def _enter(self, node: ast.For | ast.While, first: int) -> tuple[int, tuple[int, ...]]:
        """Return the number of a loop that begins here, and the loops around it."""
        number, outside = len(self.loops), self._around
        self.loops.append(Loop(len(self.notes), self._waits(node), first))
        self._around = (*outside, number)
        return number, outside

    def _waits(self, node: object) -> bool:
        """Whether a barrier stands in a part of the tree, or in a function that is called there."""
        for part in below(node):
            if getattr(part, "span", None) in self._barriers:
                return True
            called = self.meant(part.span, part.function) if isinstance(part, ast.Call) else None
            if called is not None:
                outside, self.inside_of = self.inside_of, called
                waits = self._waits(called.body)
                self.inside_of = outside
                if waits:
                    return True
        return False

    def _here(self) -> Place:
        return Place(self._function, self._around, len(self.notes))

    def _stepped(self, begins: int = -1, turns: int = -1) -> int:
        """Return the number of a step of the statement that is being written."""
        assert self._now is not None
        place = self._here()
        if turns >= 0 and begins < 0:
            place = Place(place.function, place.loops, self.loops[turns].at)
        self.notes.append(Step(*self._now, place, begins, turns))
        return len(self.notes) - 1

    def _step(self, begins: int = -1, turns: int = -1) -> str:
        return "" if self._silent else f"ts_step({self._stepped(begins, turns)})"


def _may_be_left(function: Function) -> bool:
    """Whether a function returns a place: one that is not used is not read either."""
    return isinstance(function.returns, Reference) and not is_conversion(function)


def _acts(node: ast.Return) -> bool:
    """Whether what is returned calls or changes something."""
    return any(isinstance(part, ast.Assign | ast.Update | ast.Call) for part in below(node))
