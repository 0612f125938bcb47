"""A kernel rewritten so that every thread writes down what it does: its steps, accesses and values, in order.

Each access in the source becomes a call of a small function that notes where it is made (a number) and the address,
and then makes it. The order is the simulator's: C++17 fixes most of it (the value of an assignment before its target,
[expr.ass]); where it leaves it open, the operands of `a[i] * b[j]` or the arguments of a call, they are evaluated one
by one, left to right, into variables of a lambda.

What an address belongs to is found afterwards: the beginning of every array that the source declares is noted where
it is declared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.types import Array, Pointer, Reference, Scalar, Struct, size_of
from kernels.frontend.unparse.expressions import ASSIGN, POSTFIX, UNARY
from kernels.frontend.unparse.program import spell
from kernels.recorder.argument_passing import spelling, typed
from kernels.recorder.headers import PIPELINE
from kernels.recorder.linked_program import KERNEL_NAME, LinkedWriter
from kernels.recorder.log import Declared, Loop, Note
from kernels.recorder.names import has_array
from kernels.recorder.prelude import marks
from kernels.recorder.variables import VariableWriter
from kernels.simt.linking import link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kernels.frontend.ast import Expr, Function, Program
    from kernels.frontend.types import CType
    from kernels.launch import Launch
    from kernels.simt import Argument
    from kernels.trace.records import Space

ORDERED: Final = ("&&", "||", ",", "<<", ">>")
"""Operators whose left operand C++17 evaluates first."""

CACHED_LOADS: Final = ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv")
CACHED_STORES: Final = ("__stwb", "__stcg", "__stcs", "__stwt")


@dataclass(frozen=True, slots=True)
class Instrumented:
    """The text, the same without instruments, what each number in the log stands for, and the loops by number.

    Where the kernel `waits_for_grid` its launch is a cooperative one, whose blocks all run at once.
    """

    text: str
    plain: str
    notes: tuple[Note, ...]
    loops: tuple[Loop, ...]
    waits_for_grid: bool
    entry: str = KERNEL_NAME

    @property
    def variables(self) -> dict[str, int]:
        """Bytes of the file's variables in the device's memory, by name."""
        found = (note for note in self.notes if isinstance(note, Declared))
        return {note.name: note.bytes for note in found if note.space in ("global", "constant")}


def instrument(program: Program, kernel: Function, launch: Launch, arguments: Mapping[str, Argument]) -> Instrumented:
    """Rewrite a kernel, and the functions that it calls, for one launch; parameters as for `kernels.simt.run`.

    Raises
    ------
    SourceError, InputError
        What the simulator raises, and for the few things that cannot be rewritten.
    """
    linked = link(program, kernel, launch, arguments)
    writer = _Instrumenter(program, linked, launch.block.count)
    plain = LinkedWriter(program, linked, launch.block.count).whole()
    return Instrumented(writer.whole(), plain, tuple(writer.notes), tuple(writer.loops), linked.waits_for_grid)


class _Instrumenter(VariableWriter):
    # --- program ---------------------------------------------------------------------------------------

    def about(self, kinds: Sequence[CType]) -> Iterator[str]:
        yield from filter(None, map(marks, kinds))

    def function(self, node: Function) -> str:
        with self.known.function():
            for parameter in node.parameters:
                self.known.declare(parameter)
            return super().function(node)

    def before(self, node: Function) -> list[str]:
        lines = super().before(node)
        if node.kernel:
            file = (v for v in self.variables() if v.space != "auto" or isinstance(v.type, Array))
            lines = [self._begin(variable) for variable in file] + lines
        for parameter in node.parameters:
            if self.known.where(parameter) == "memory":  # a kernel's has its value from the beginning
                lines += [self._begin(parameter)] if node.kernel else self._filled(parameter)
            elif not node.kernel:
                lines += self.kept(parameter)
        return lines

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement, depth: int) -> list[str]:
        if isinstance(node, ast.Block | ast.For | ast.If | ast.While | ast.Switch):
            with self.known.scope():
                return super().statement(node, depth)
        return super().statement(node, depth)

    def body(self, node: ast.Statement, depth: int) -> list[str]:
        return super().body(node if isinstance(node, ast.Block) else ast.Block(node.span, (node,)), depth)

    def simple(self, node: ast.Statement) -> list[str]:
        if isinstance(node, ast.Assembly):
            return self.assembly(node)
        if not isinstance(node, ast.Declare):
            return super().simple(node)
        return [line for variable in node.variables for line in self._declare(variable)]

    def _declare(self, variable: ast.Variable) -> list[str]:
        if isinstance(variable.type, Array) and isinstance(variable.value, tuple):
            return self._array(variable, variable.type, variable.value)
        variable = self.completed(variable)
        text = f"{self.declaration((variable,))};"
        if self.known.declare(variable) != "memory":
            return [text, *(self.kept(variable) if variable.value is not None else ())]
        return [text, *(self._filled(variable) if variable.value is not None else [self._begin(variable)])]

    def _array(self, variable: ast.Variable, kind: Array, values: tuple[Expr, ...]) -> list[str]:
        """Declare an array, note where it begins, then fill it element by element."""
        plain = replace(variable, value=None, const=False)
        lines = [f"{self.declaration((plain,))};", self._begin(variable)]
        element = kind.element
        first = f"reinterpret_cast<{spell(Pointer(element))}>(&{variable.name})"
        for place, given in enumerate(values):
            value = self.inside(typed(given, element), ASSIGN)
            lines.append(f"ts_write({self.noted(variable.span, 'write')}, {first}[{place}]) = {value};")
        self.known.declare(variable)
        count = math.prod(kind.shape)
        if len(values) < count:
            lines.append(f"for (int ts_k = {len(values)}; ts_k < {count}; ++ts_k)")
            lines.append(f"    ts_write({self.noted(variable.span, 'write')}, {first}[ts_k]) = {{}};")
        return lines

    def declaration(self, variables: tuple[ast.Variable, ...]) -> str:
        if len(variables) == 1 and isinstance(variables[0].type, Reference):
            (variable,) = variables
            assert isinstance(variable.value, ast.Expr)
            return f"{spell(variable.type, variable.name)} = {self._place(variable.value)[0]}"
        return super().declaration(variables)

    def _filled(self, variable: ast.Variable | ast.Parameter) -> list[str]:
        """Return the statements that note where a variable begins, and that it has been given a value."""
        begin, number, name = self._begin(variable), self.noted(variable.span, "write"), spelling(variable)
        return [begin, f"ts_wrote({number}, &{name}, {name});"]

    def _begin(self, variable: ast.Variable | ast.Parameter) -> str:
        """Return the statement that notes where something in memory begins."""
        space: Space = "local"
        if isinstance(variable, ast.Variable) and variable.space != "auto":
            space = variable.space
        dynamic = isinstance(variable, ast.Variable) and variable.dynamic
        size = 0 if dynamic else size_of(variable.type)
        self.notes.append(Declared(variable.name, space, size, variable.span))
        return f"ts_note({len(self.notes) - 1}, &{spelling(variable)}, 0);"

    # --- expressions -----------------------------------------------------------------------------------

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of the value of an expression."""
        if self.operator(node) is not None:
            if isinstance(node, ast.Index | ast.Unary):
                self.refuse_returned(node)
            return super().write(node)
        if self.known.accesses(node):
            place, _ = self._place(node)
            return f"ts_read({self.noted(node.span, 'read')}, {place})", POSTFIX
        match node:
            case ast.SizeOf():
                return LinkedWriter(self._program, self._linked, self._threads).write(node)
            case ast.Index() | ast.Member() | ast.Name() | ast.Unary(op="*"):
                return self._place(node)
            case ast.Unary(op="&"):
                place, level = self._place(node.operand)
                return f"&{place}" if level >= UNARY else f"&({place})", UNARY
            case ast.Assign():
                return self._assign(node)
            case ast.Update():
                target, _ = self._target(node.target, True)
                return (f"{node.op}{target}", UNARY) if node.prefix else (f"{target}{node.op}", POSTFIX)
            case ast.Binary() if self._is_open(node):
                operands = ((node.left, False), (node.right, False))
                return self.in_order(operands, lambda texts: f" {node.op} ".join(texts)), POSTFIX
        return super().write(node)

    def _assign(self, node: ast.Assign) -> tuple[str, int]:
        kind = self.known.kind(node.target)
        given = node.value if kind is None else typed(node.value, kind)
        value = self.inside(given, ASSIGN)
        target, after = self._target(node.target, node.op != "=")
        if after:
            return f"ts_done({target} {node.op} {value}, [&] {{ {' '.join(after)} }})", POSTFIX
        if isinstance(kind, Scalar | Pointer) or not self.known.shows(given):
            return f"{target} {node.op} {value}", ASSIGN
        # Compilers disagree on the order where what is assigned is a struct.
        text = f"([&]() -> decltype(auto) {{ auto ts_0 = {value}; return {target} {node.op} ts_0; }}())"
        return text, POSTFIX

    def _is_open(self, node: ast.Binary) -> bool:
        """Whether C++ says nothing about which of the two operands comes first, and it can be seen."""
        return node.op not in ORDERED and self.known.unordered((node.left, node.right))

    def _place(self, node: Expr) -> tuple[str, int]:
        """Return the text of what an expression designates, which is not accessed by that."""
        self.refuse_returned(node)
        if isinstance(node, ast.Member):
            base = node.base
            self._refuse_constant(node)
            if isinstance(base, ast.Unary) and base.op == "*":
                return f"{self.inside(base.operand, POSTFIX)}->{node.field}", POSTFIX
            text, level = self._place(base)
            return f"{text}.{node.field}" if level >= POSTFIX else f"({text}).{node.field}", POSTFIX
        if isinstance(node, ast.Index | ast.Name) or (isinstance(node, ast.Unary) and node.op == "*"):
            return super().write(node)
        return self.write(node)

    def _refuse_constant(self, node: ast.Member) -> None:
        kind = self.known.kind(node.base)
        if isinstance(kind, Struct) and kind.field(node.field) is None and kind.around(node.field) is None:
            reason = f"not supported: {kind}::{node.field} as a member of an object on a GPU; name it by its struct"
            raise SourceError(self._program.file, node.span.line, node.span.column, reason)

    def _target(self, node: Expr, modify: bool) -> tuple[str, list[str]]:
        """Return the text of what is assigned to, and the statements that come after."""
        place, level = self._place(node)
        if not self.known.accesses(node):
            return self.target(node, place if level >= UNARY else f"({place})")
        read = f"ts_modify({self.noted(node.span, 'read')}, " if modify else "ts_write("
        return f"{read}{self.noted(node.span, 'write')}, {place})", []

    def built_in(self, node: ast.Call) -> str:
        name, arguments = node.function, node.arguments
        if name in CACHED_STORES:
            pointer, value = arguments
            given, place = self.inside(value, ASSIGN), self.inside(pointer, ASSIGN)
            through = f"ts_stored({self.noted(pointer.span, 'write')}, {place}, ts_1)"
            return f"([&] {{ auto ts_1 = {given}; {name}({through}, ts_1); }}())"
        if name in PIPELINE:
            return self.pipeline_call(node)
        loads, changes = name in CACHED_LOADS, name.startswith("atomic")

        def finish(texts: list[str]) -> str:
            if changes:
                return f"ts_{name}({self.noted(node.span, 'atomic')}, {', '.join(texts)})"
            if loads:
                texts = [f"ts_through({self.noted(node.span, 'read')}, {texts[0]})", *texts[1:]]
            return self.called(node, texts)

        return self.in_order([(a, False) for a in arguments], finish, held=changes)

    def making(self, node: ast.Construct) -> str:
        if not has_array(node.type):
            return ""
        # The simulator makes it in memory: zero first, then as the constructor says, then it is read.
        self.notes.append(Declared(f"{node.type}()", "local", size_of(node.type), node.span))
        begin, write = len(self.notes) - 1, self.noted(node.span, "write")
        return f"ts_note({begin}, &ts_made, 0); ts_wrote({write}, &ts_made, ts_made); "

    def made(self, node: ast.Construct) -> str:
        return f"ts_read({self.noted(node.span, 'read')}, ts_made)" if has_array(node.type) else super().made(node)

    def in_order(
        self,
        arguments: Sequence[tuple[Expr, bool]],
        finish: Callable[[list[str]], str],
        *,
        held: bool = False,
    ) -> str:
        held = held or self.known.unordered(tuple(node for node, _ in arguments))
        return super().in_order(arguments, finish, held=held)

    def argument(self, node: Expr, place: bool) -> str:
        text, level = self._place(node) if place else self.write(node)
        return text if level >= ASSIGN else f"({text})"
