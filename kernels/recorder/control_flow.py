"""Notes of control flow: statements as the simulator's steps, iterations of loops, and calls.

Notes are numbered in the order of execution, so that steps of different threads can be aligned: the head of a loop is
numbered before its body, and a call before the continuation of its statement.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import Reference, Void
from kernels.recorder.argument_passing import is_conversion
from kernels.recorder.log import CallNote, LoopEntryNote, Position, StepNote, TextLoop
from kernels.recorder.names import below
from kernels.simt.compiler.barriers import VOTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.frontend.ast import Expr, Function, Span
    from kernels.recorder.calls import Calls
    from kernels.recorder.log import NoteTable
    from kernels.recorder.program_writer import ProgramWriter
    from kernels.recorder.variables import RegisterNotes
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
"""Kinds that a statement's class decides; the others (barriers, fences) are looked up in the simulator's table."""

_SITE: Final = "ts_site"
"""Name of the parameter that passes the note of the call to the function."""
_USED: Final = "ts_used"
"""Name of the bool parameter of a function that returns a reference: whether the caller reads it."""


class ControlFlow:
    """Writes notes of steps, loops and calls."""

    def __init__(
        self, writer: ProgramWriter, linked: Linked, notes: NoteTable, calls: Calls, registers: RegisterNotes
    ) -> None:
        self.loops: list[TextLoop] = []
        """The loops of the text, by number."""
        self._writer = writer
        self._notes = notes
        self._calls = calls
        self._registers = registers
        self._kinds = {s.span: s.kind for s in linked.statements if s.kind not in _KINDS.values()}
        self._barriers = {s.span for s in linked.statements if s.kind == "barrier"}
        self._numbers: dict[int, int] = {}
        """The number of each function by identity."""
        self._function = -1
        self._around: tuple[int, ...] = ()
        """The loops around the statement being written, outermost first."""
        self._silent = False
        """Whether statements make no steps: inside conversion functions."""
        self._step_source: tuple[Span, StatementKind] | None = None
        """Span and kind of the statement being written."""
        self._expression: Expr | None = None
        """The whole expression of the expression statement being written."""
        self._at_top = False
        """Whether the expression being written is all of its statement: then nothing continues after its call."""

    # --- functions and calls ---------------------------------------------------------------------------

    @contextmanager
    def function(self, function: Function) -> Iterator[None]:
        """Write the text of a function in the block; the state of the text around its call is restored afterwards."""
        outside = (self._function, self._around, self._silent, self._step_source, self._expression, self._at_top)
        self._function = self._numbers.setdefault(id(function), len(self._numbers))
        # C++ calls conversions implicitly: their effects belong to the statement that needs them.
        self._around, self._silent = (), is_conversion(function)
        yield
        (self._function, self._around, self._silent, self._step_source, self._expression, self._at_top) = outside

    def parameters(self, node: Function) -> list[str]:
        """Return the parameters that are added to a function."""
        site = [] if node.kernel or is_conversion(node) else [f"unsigned int {_SITE}"]
        used = [f"bool {_USED}"] if _returns_lvalue(node) else []
        return site + used

    def prologue(self, node: Function) -> list[str]:
        """Return the note that a function was called."""
        return [] if node.kernel or is_conversion(node) else [f"ts_note({_SITE}, nullptr, 0);"]

    def visit(self, node: Expr) -> None:
        """Prepare to write an expression."""
        self._at_top = node is self._expression and isinstance(node, ast.Call | ast.Assign)

    def invoke(self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()) -> str:
        """Return a call; after it, the rest of its statement is another step.

        `x = f(a) + 1` becomes `x = ts_then(<step>, f(<call>, a)) + 1`: `ts_then` notes the step when the call has
        returned. A call that is a whole statement needs none.
        """
        name, at_top = self._writer.name_of(function), self._at_top and not first

        def finish(texts: list[str]) -> str:
            position = self._position()
            self._notes.add(CallNote(self._numbers[id(function)], position))
            used = [str(not at_top).lower()] if _returns_lvalue(function) else []
            call = f"{name}({', '.join((str(position.at), *used, *first, *texts))})"
            after = self._registers.after_call(function.parameters[len(first) :], arguments)
            if at_top or self._silent or isinstance(function.returns, Void):
                step = [] if at_top or self._silent else [self._step()]
                return f"({', '.join((call, *after, *step))})" if after or step else call
            lambda_ = f", [&] {{ {'; '.join(after)}; }}" if after else ""
            return f"ts_then({self._step_note()}, {call}{lambda_})"

        return self._calls.in_order(arguments, finish)

    def call(self, node: ast.Call, write: Callable[[], str]) -> str:
        """Return a call, given how to write it; a barrier inside an expression is a step before and after."""
        if node.function not in VOTES or self._calls.callee(node.span, node.function) is not None:
            return write()
        statement, self._step_source = self._step_source, (node.span, "barrier")
        begin, text = self._step(), write()
        self._step_source = statement
        return f"({begin}, ts_then({self._step_note()}, {text}))"

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement, depth: int, write: Callable[[ast.Statement, int], list[str]]) -> list[str]:
        """Return the lines of a statement, given how to write it, after the note of its step if it is one."""
        if isinstance(node, ast.Block) or (
            isinstance(node, ast.Declare) and all(v.value is None for v in node.variables)
        ):
            return write(node, depth)
        span = node.header if isinstance(node, ast.If | ast.For | ast.While | ast.Switch) else node.span
        self._step_source = span, _KINDS.get(type(node)) or self._kinds.get(span, "do")
        pad = "    " * depth
        if isinstance(node, ast.For):
            return self._for_loop(node, pad, depth)
        if isinstance(node, ast.While):
            return self._while_loop(node, pad, depth)
        self._expression = node.expression if isinstance(node, ast.Do) else None
        begin = self._step()
        return [*([f"{pad}{begin};"] if begin else []), *write(node, depth)]

    def before_return(self, node: ast.Statement) -> list[str]:
        """Return the line that leaves a function whose returned reference the caller does not read."""
        if not isinstance(node, ast.Return) or not _returns_lvalue(self._writer.inside_of) or _has_effects(node):
            return []
        return [f"if (!{_USED}) return {{}};"]

    def _for_loop(self, node: ast.For, pad: str, depth: int) -> list[str]:
        # The text is `{ ts_step(…); start; for (; test; ts_step(…), step) body }`: the entry is noted before the start,
        # and each repetition before the step of the loop, as in the simulator.
        number, outside = self._enter(node, 0)
        begin = self._step(enters=number)
        start = self._writer.simple(node.start) if node.start is not None else []
        step = self._step(repeats=number)
        if node.step is not None:
            step = ", ".join(filter(None, (step, self._writer.text(node.step))))
        test = self._writer.text(node.condition) if node.condition is not None else ""
        self.loops[number].body = self._notes.next
        lines = [f"{pad}    {line}" for line in ((f"{begin};" if begin else ""), *start) if line]
        body = self._writer.body(node.body, depth + 1)
        self._around = outside
        return [f"{pad}{{", *lines, f"{pad}    for (; {test}; {step})", *body, f"{pad}}}"]

    def _while_loop(self, node: ast.While, pad: str, depth: int) -> list[str]:
        # The test of a `while` is also its first step: counted from -1, the body's first execution is iteration 0.
        number, outside = self._enter(node, 0 if node.first else -1)
        begin = f"{pad}ts_note({self._notes.add(LoopEntryNote(number))}, nullptr, 0);"
        step, test = self._step(repeats=number), self._writer.text(node.condition)
        test = f"({step}, {test})" if step else test
        self.loops[number].body = self._notes.next
        body = self._writer.body(node.body, depth)
        self._around = outside
        if node.first:
            return [begin, f"{pad}do", *body, f"{pad}while ({test});"]
        return [begin, f"{pad}while ({test})", *body]

    # --- notes -----------------------------------------------------------------------------------------

    def _enter(self, node: ast.For | ast.While, first: int) -> tuple[int, tuple[int, ...]]:
        """Return the number of a loop that begins here, and the loops around it."""
        number, outside = len(self.loops), self._around
        self.loops.append(TextLoop(self._notes.next, self._has_barrier(node), first))
        self._around = (*outside, number)
        return number, outside

    def _has_barrier(self, node: object) -> bool:
        """Return whether a part of the tree, or a function that it calls, has a barrier."""
        for part in below(node):
            if getattr(part, "span", None) in self._barriers:
                return True
            callee = self._calls.callee(part.span, part.function) if isinstance(part, ast.Call) else None
            if callee is not None:
                caller, self._writer.inside_of = self._writer.inside_of, callee
                found = self._has_barrier(callee.body)
                self._writer.inside_of = caller
                if found:
                    return True
        return False

    def _position(self) -> Position:
        return Position(self._function, self._around, self._notes.next)

    def _step_note(self, enters: int = -1, repeats: int = -1) -> int:
        """Add a step of the statement being written."""
        assert self._step_source is not None
        position = self._position()
        if repeats >= 0:  # all steps of a loop's head are one place, so that threads meet there
            position = Position(position.function, position.loops, self.loops[repeats].at)
        return self._notes.add(StepNote(*self._step_source, position, enters, repeats))

    def _step(self, enters: int = -1, repeats: int = -1) -> str:
        return "" if self._silent else f"ts_step({self._step_note(enters, repeats)})"


def _returns_lvalue(function: Function) -> bool:
    """Return whether a function returns a reference, which its caller may leave unread."""
    return isinstance(function.returns, Reference) and not is_conversion(function)


def _has_effects(node: ast.Return) -> bool:
    """Return whether the returned expression calls or changes something."""
    return any(isinstance(part, ast.Assign | ast.Update | ast.Call) for part in below(node))
