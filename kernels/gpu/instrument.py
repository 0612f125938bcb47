"""A kernel rewritten so that every thread writes down its own accesses to arrays, in order.

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
from kernels.gpu.log import PRELUDE
from kernels.gpu.names import Names, changes, is_array
from kernels.source import nodes
from kernels.source.render import ASSIGN, POSTFIX, UNARY
from kernels.source.types import Array, Named, Pointer, Reference, Struct, Void
from kernels.source.write import Writer, spell

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.source.nodes import Expr, Function, Program, Span
    from kernels.source.types import CType
    from kernels.trace.records import Access, Space

ORDERED: Final = ("&&", "||", ",", "<<", ">>")
"""Operators whose left operand C++17 evaluates first."""

CACHED_LOADS: Final = ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv")
PRINTING: Final = ("printf", "assert")
LITERAL: Final = (nodes.Number, nodes.String, nodes.SizeOf)


@dataclass(frozen=True, slots=True)
class Noted:
    """An access: where in the source, and its kind."""

    span: Span
    access: Access


@dataclass(frozen=True, slots=True)
class Declared:
    """An array whose beginning is noted; `bytes` are 0 for the launch's dynamic shared memory."""

    name: str
    space: Space
    bytes: int
    element_bytes: int


@dataclass(frozen=True, slots=True)
class Instrumented:
    """The text, the same without instruments, and what each number in the log stands for."""

    text: str
    plain: str
    notes: tuple[Noted | Declared, ...]

    @property
    def variables(self) -> dict[str, int]:
        """Bytes of the file's variables in the device's memory, by name."""
        found = (note for note in self.notes if isinstance(note, Declared))
        return {note.name: note.bytes for note in found if note.space in ("global", "constant")}


def instrument(program: Program, kernel: Function, threads: int) -> Instrumented:
    """Rewrite a kernel, and the functions that it calls, for blocks of so many threads.

    Raises
    ------
    SourceError
        For the few things that cannot be rewritten.
    """
    names = Names(program)
    needed = names.needed_by(kernel, program)
    writer = _Instrumenter(names, needed, threads)
    return Instrumented(writer.program(needed), _Quiet(threads).program(needed), tuple(writer.notes))


class _Quiet(Writer):
    """Writes a program for blocks of so many threads; nothing is printed, and an assertion does not stop it."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self._threads = threads

    def program(self, program: Program) -> str:
        return PRELUDE + super().program(program)

    def head(self, node: Function) -> str:
        bounds = f"__global__ __launch_bounds__({self._threads}) "
        return super().head(node).replace("__global__ ", bounds, 1)

    def write(self, node: Expr) -> tuple[str, int]:
        if isinstance(node, nodes.Call) and node.function in PRINTING:
            values = (self.inside(a, ASSIGN) for a in node.arguments if not isinstance(a, nodes.String))
            return f"ts_values{{{', '.join(values)}}}.none()", POSTFIX
        return super().write(node)


class _Instrumenter(_Quiet):
    def __init__(self, names: Names, program: Program, threads: int) -> None:
        super().__init__(threads)
        self.notes: list[Noted | Declared] = []
        self._known = names
        self._file = program.file
        self._variables = [v for v in program.variables if v.space != "auto" or is_array(v)]

    def function(self, node: Function) -> str:
        with self._known.scope():
            for parameter in node.parameters:
                self._known.declare(parameter)
            first = [f"    {self._begin(v)}" for v in self._variables] if node.kernel else []
            head, opening, *rest = (self.head(node), *self.statement(node.body, 0))
            return "\n".join((head, opening, *first, *rest))

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: nodes.Statement, depth: int) -> list[str]:
        if isinstance(node, nodes.Block | nodes.For | nodes.If | nodes.While | nodes.Switch):
            with self._known.scope():
                return super().statement(node, depth)
        return super().statement(node, depth)

    def body(self, node: nodes.Statement, depth: int) -> list[str]:
        return super().body(node if isinstance(node, nodes.Block) else nodes.Block(node.span, (node,)), depth)

    def simple(self, node: nodes.Statement) -> list[str]:
        if not isinstance(node, nodes.Declare):
            return super().simple(node)
        lines: list[str] = []
        for variable in node.variables:
            if is_array(variable) or variable.space != "auto":
                lines += self._memory(variable)
            else:
                lines.append(f"{self.declaration((variable,))};")
                self._known.declare(variable)
        return lines

    def start(self, node: nodes.Statement) -> str:
        text = super().start(node)
        for variable in node.variables if isinstance(node, nodes.Declare) else ():
            self._known.declare(variable)
        return text

    def _memory(self, variable: nodes.Variable) -> list[str]:
        """Declare what lives in memory, note where it begins, then fill it element by element."""
        plain = replace(variable, value=None, const=False)
        lines = [f"{self.declaration((plain,))};", self._begin(variable)]
        given = variable.value if isinstance(variable.value, tuple) else ()
        self._known.declare(variable)
        if variable.value is None or not isinstance(variable.type, Array):
            return lines
        kind, number = variable.type.element, self._note(variable.span, "write")
        first = f"reinterpret_cast<{spell(Pointer(kind))}>(&{variable.name})"
        lines += [
            f"ts_write({number}, {first}[{k}]) = {self.inside(v, ASSIGN)};" for k, v in enumerate(given)
        ]
        count, word = math.prod(variable.type.shape), "ts_k"
        if len(given) < count:
            lines.append(f"for (int {word} = {len(given)}; {word} < {count}; ++{word})")
            lines.append(f"    ts_write({number}, {first}[{word}]) = {spell(kind)}();")
        return lines

    def _begin(self, variable: nodes.Variable) -> str:
        """Return the statement that notes where an array begins."""
        space: Space = "local" if variable.space == "auto" else variable.space
        whole = 0 if variable.dynamic else _size(variable.type)
        self.notes.append(Declared(variable.name, space, whole, _size(_leaf(variable.type))))
        return f"ts_note({len(self.notes) - 1}, &{variable.name}, 0);"

    # --- expressions -----------------------------------------------------------------------------------

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of the value of an expression."""
        if self._known.accesses(node):
            return f"ts_read({self._note(node.span, 'read')}, {self._place(node)[0]})", POSTFIX
        match node:
            case nodes.SizeOf():
                return Writer().write(node)
            case nodes.Index() | nodes.Member() | nodes.Name() | nodes.Unary(op="*"):
                return self._place(node)
            case nodes.Unary(op="&"):
                place, level = self._place(node.operand)
                return f"&{place}" if level >= UNARY else f"&({place})", UNARY
            case nodes.Assign():
                value = self.inside(node.value, ASSIGN)
                return f"{self._target(node.target, node.op != '=')} {node.op} {value}", ASSIGN
            case nodes.Update():
                target = self._target(node.target, True)
                return (f"{node.op}{target}", UNARY) if node.prefix else (f"{target}{node.op}", POSTFIX)
            case nodes.Binary() if node.op not in ORDERED and self._unordered((node.left, node.right)):
                operands = ((node.left, False), (node.right, False))
                return self._in_order(operands, lambda texts: f" {node.op} ".join(texts)), POSTFIX
            case nodes.Call() if node.function not in PRINTING:
                return self._call(node), POSTFIX
        return super().write(node)

    def _place(self, node: Expr) -> tuple[str, int]:
        """Return the text of what an expression designates, which is not accessed by that."""
        if isinstance(node, nodes.Member):
            base = node.base
            if isinstance(base, nodes.Unary) and base.op == "*":
                return f"{self.inside(base.operand, POSTFIX)}->{node.field}", POSTFIX
            text, level = self._place(base)
            return f"{text}.{node.field}" if level >= POSTFIX else f"({text}).{node.field}", POSTFIX
        if isinstance(node, nodes.Index | nodes.Name | nodes.Unary):
            return super().write(node)
        return self.write(node)

    def _target(self, node: Expr, modify: bool) -> str:
        """Return the text of what is assigned to."""
        place, level = self._place(node)
        if not self._known.accesses(node):
            return place if level >= UNARY else f"({place})"
        read = f"ts_modify({self._note(node.span, 'read')}, " if modify else "ts_write("
        return f"{read}{self._note(node.span, 'write')}, {place})"

    def _call(self, node: nodes.Call) -> str:
        name, arguments = node.function, node.arguments
        functions = self._known.overloads(name, len(arguments))
        if functions:
            references = self._references(node, functions)
            return self._in_order(
                tuple(zip(arguments, references, strict=True)), lambda texts: f"{name}({', '.join(texts)})"
            )
        through: Access | None = (
            "atomic" if name.startswith("atomic") else "read" if name in CACHED_LOADS else None
        )
        span = node.span if through == "atomic" else arguments[0].span if arguments else node.span

        def finish(texts: list[str]) -> str:
            if through is not None:
                texts = [f"ts_through({self._note(span, through)}, {texts[0]})", *texts[1:]]
            return f"{name}({', '.join(texts)})"

        return self._in_order(tuple((a, False) for a in arguments), finish)

    def _references(self, node: nodes.Call, functions: list[Function]) -> list[bool]:
        """Tell for each argument whether the function takes a reference."""
        found = {
            tuple(isinstance(p.type, Reference) for p in f.parameters[: len(node.arguments)])
            for f in functions
        }
        if len(found) > 1:
            span, file = node.span, self._file
            reason = f"recording: overloads of {node.function} that differ in references"
            raise SourceError(file, span.line, span.column, f"not supported: {reason}")
        return list(found.pop())

    def _in_order(self, arguments: tuple[tuple[Expr, bool], ...], finish: Callable[[list[str]], str]) -> str:
        """Return a call whose arguments (with whether each is a place) are evaluated left to right."""
        texts = [self._argument(*argument) for argument in arguments]
        if not self._unordered(tuple(node for node, _ in arguments)):
            return finish(texts)
        lines = []
        for number, (node, place) in enumerate(arguments):
            if not isinstance(node, LITERAL):
                lines.append(f"auto{' &&' if place else ' '}ts_{number} = {texts[number]};")
                texts[number] = f"ts_{number}"
        return f"[&]() -> decltype(auto) {{ {' '.join(lines)} return {finish(texts)}; }}()"

    def _argument(self, node: Expr, place: bool) -> str:
        text, level = self._place(node) if place else self.write(node)
        return text if level >= ASSIGN else f"({text})"

    def _unordered(self, operands: tuple[Expr, ...]) -> bool:
        """Whether the order in which operands are evaluated can be seen."""
        moving = [node for node in operands if not isinstance(node, LITERAL)]
        return sum(map(self._known.shows, moving)) > 1 or (len(moving) > 1 and any(map(changes, moving)))

    def _note(self, span: Span, access: Access) -> int:
        """Return the number of an access."""
        self.notes.append(Noted(span, access))
        return len(self.notes) - 1


def _leaf(kind: CType) -> CType:
    """Return the type of what is accessed on its own."""
    while isinstance(kind, Array | Struct):
        kind = kind.of if isinstance(kind, Array) else kind.fields[0].type
    return kind


def _size(kind: CType) -> int:
    return 0 if isinstance(kind, Void | Named) else kind.size_bytes
