"""Instrumentation: a kernel rewritten so that every thread logs its steps, accesses and values in program order.

Each access becomes a call of a small function that logs a number (its note: the place in the source) and the address,
and then makes the access: `A[i] = x` turns into `ts_write(7, A[i]) = x`. The order is the simulator's. C++17 fixes most
of it (the value of an assignment before its target, [expr.ass]). Where C++ leaves it open, as for the operands of
`a[i] * b[j]` or the arguments of a call, the operands are evaluated left to right into variables of a lambda.

The array of each address is determined when the log is decoded: each array that the source declares logs its address at
its declaration.
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
from kernels.recorder.argument_passing import name_in_text, type_braces
from kernels.recorder.async_copies import AsyncCopies
from kernels.recorder.control_flow import ControlFlow
from kernels.recorder.headers import PIPELINE
from kernels.recorder.linked_program import KERNEL_NAME, LinkedProgram
from kernels.recorder.log import ArrayNote, Note, NoteTable, TextLoop
from kernels.recorder.names import Names, has_array
from kernels.recorder.prelude import struct_helpers
from kernels.recorder.variables import RegisterNotes
from kernels.simt.linking import link

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kernels.frontend.ast import Expr, Function, Program
    from kernels.frontend.instances import Instances
    from kernels.frontend.types import CType
    from kernels.launch import Launch
    from kernels.simt import Argument
    from kernels.simt.linking import Linked
    from kernels.trace.records import Space

ORDERED: Final = ("&&", "||", ",", "<<", ">>")
"""Operators whose left operand C++17 evaluates first ([expr.log.and], [expr.shift], [expr.comma])."""

CACHED_LOADS: Final = ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv")
CACHED_STORES: Final = ("__stwb", "__stcg", "__stcs", "__stwt")


@dataclass(frozen=True, slots=True)
class Instrumented:
    """An instrumented kernel."""

    text: str
    plain_text: str
    """The same kernel without instruments, whose results must not differ."""
    notes: tuple[Note, ...]
    """The meaning of each number in the log."""
    loops: tuple[TextLoop, ...]
    waits_for_grid: bool
    """Whether the kernel synchronises the grid, and so needs a cooperative launch."""
    sm_80_construct: str
    """A construct that GPUs before sm_80 lack; "" for none."""
    entry: str = KERNEL_NAME

    @property
    def variables(self) -> dict[str, int]:
        """Bytes of the file's variables in the device's memory, by name."""
        found = (note for note in self.notes if isinstance(note, ArrayNote))
        return {note.name: note.bytes for note in found if note.space in ("global", "constant")}


def instrument(
    program: Program,
    kernel: Function,
    launch: Launch,
    arguments: Mapping[str, Argument],
    instances: Instances | None = None,
) -> Instrumented:
    """Rewrite a kernel, and the functions that it calls, for one launch; parameters as for `link`.

    Raises
    ------
    SourceError, InputError
        As the simulator does, and for constructs that cannot be recorded.
    """
    linked = link(program, kernel, launch, arguments, instances)
    plain_text = LinkedProgram(program, linked, launch.block.count).whole_text()
    recorder = InstrumentedProgram(program, linked, launch.block.count)
    text = recorder.whole_text()
    return Instrumented(
        text,
        plain_text,
        tuple(recorder.notes.notes),
        tuple(recorder.flow.loops),
        linked.waits_for_grid,
        recorder.sm_80_construct(),
    )


class InstrumentedProgram(LinkedProgram):
    """Writes the text of the instrumented program.

    Accesses are noted here; steps, loops and calls by `ControlFlow`, registers by `RegisterNotes`, asynchronous copies
    by `AsyncCopies`. All of them add to one table of notes.
    """

    def __init__(self, program: Program, linked: Linked, block_threads: int) -> None:
        super().__init__(program, linked, block_threads)
        self.notes = NoteTable()
        self._names = Names(linked.variables, linked.addressed)
        self._registers = RegisterNotes(self, linked, self.notes, self._names)
        self._copies = AsyncCopies(self, self.notes)
        self.flow = ControlFlow(self, linked, self.notes, self.calls, self._registers)

    # --- program and functions -------------------------------------------------------------------------

    def type_helpers(self, kinds: Sequence[CType]) -> Iterator[str]:
        """Yield the functions that log structs member by member."""
        yield from filter(None, map(struct_helpers, kinds))

    def define(self, function: Function) -> str:
        """Return a function's text, written in a new scope."""
        with self.flow.function(function), self._names.function():
            for parameter in function.parameters:
                self._names.declare(parameter)
            return super().define(function)

    def parameters(self, node: Function) -> list[str]:
        """Return the parameters of a function, those for the log first."""
        return [*self.flow.parameters(node), *super().parameters(node)]

    def prologue(self, node: Function) -> list[str]:
        """Return the lines before a function's first statement: array addresses and the values of parameters."""
        lines = [*self.flow.prologue(node), *super().prologue(node)]
        if node.kernel:
            file = (v for v in self.variables() if v.space != "auto" or isinstance(v.type, Array))
            lines = [self._address(variable) for variable in file] + lines
        for parameter in node.parameters:
            if self._names.where(parameter) == "memory":  # the trace has a kernel's argument as an initial value
                lines += [self._address(parameter)] if node.kernel else self._log_initial_value(parameter)
            elif not node.kernel:
                lines += self._registers.value(parameter)
        return lines

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of a statement, with the note of its step."""
        if isinstance(node, ast.Block | ast.For | ast.If | ast.While | ast.Switch):
            with self._names.scope():
                return self.flow.statement(node, depth, super().statement)
        return self.flow.statement(node, depth, super().statement)

    def body(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of the body of an if or a loop, always a block: notes are statements, too."""
        return super().body(node if isinstance(node, ast.Block) else ast.Block(node.span, (node,)), depth)

    def simple(self, node: ast.Statement) -> list[str]:
        """Return the lines of a statement that holds no other."""
        if isinstance(node, ast.Assembly):
            return self._copies.assembly(node)
        if isinstance(node, ast.Declare):
            return [line for variable in node.variables for line in self._declare(variable)]
        lines = super().simple(node)
        return [*self.flow.before_return(node), *lines]

    def _declare(self, variable: ast.Variable) -> list[str]:
        if isinstance(variable.type, Array) and isinstance(variable.value, tuple):
            return self._fill_array(variable, variable.type, variable.value)
        variable = self.complete(variable)
        text = f"{self.declaration((variable,))};"
        if self._names.declare(variable) != "memory":
            return [text, *(self._registers.value(variable) if variable.value is not None else ())]
        if variable.value is None:
            return [text, self._address(variable)]
        return [text, *self._log_initial_value(variable)]

    def _fill_array(self, variable: ast.Variable, kind: Array, values: tuple[Expr, ...]) -> list[str]:
        """Declare an array and log its address, then assign its elements, one logged write each."""
        # Without its initializer, and not const: the elements are assigned one by one, so that each write is logged.
        bare = replace(variable, value=None, const=False)
        lines = [f"{self.declaration((bare,))};", self._address(variable)]
        element = kind.element
        first = f"reinterpret_cast<{spell(Pointer(element))}>(&{variable.name})"
        for index, initial in enumerate(values):
            value = self.inside(type_braces(initial, element), ASSIGN)
            lines.append(f"ts_write({self.notes.access(variable.span, 'write')}, {first}[{index}]) = {value};")
        self._names.declare(variable)
        count = math.prod(kind.shape)
        if len(values) < count:  # C++ fills the rest with zeros
            lines.append(f"for (int ts_k = {len(values)}; ts_k < {count}; ++ts_k)")
            lines.append(f"    ts_write({self.notes.access(variable.span, 'write')}, {first}[ts_k]) = {{}};")
        return lines

    def declaration(self, variables: tuple[ast.Variable, ...]) -> str:
        """Return the declaration of variables; binding a reference reads nothing."""
        if len(variables) == 1 and isinstance(variables[0].type, Reference):
            (variable,) = variables
            assert isinstance(variable.value, ast.Expr)
            return f"{spell(variable.type, variable.name)} = {self._lvalue(variable.value)[0]}"
        return super().declaration(variables)

    def _log_initial_value(self, variable: ast.Variable | ast.Parameter) -> list[str]:
        """Return the statements that log a variable's address and its first value."""
        address = self._address(variable)
        number, name = self.notes.access(variable.span, "write"), name_in_text(variable)
        return [address, f"ts_wrote({number}, &{name}, {name});"]

    def _address(self, variable: ast.Variable | ast.Parameter) -> str:
        """Return the statement that logs the address of a variable in memory."""
        space: Space = "local"
        if isinstance(variable, ast.Variable) and variable.space != "auto":
            space = variable.space
        dynamic = isinstance(variable, ast.Variable) and variable.dynamic
        size = 0 if dynamic else size_of(variable.type)
        number = self.notes.add(ArrayNote(variable.name, space, size, variable.span))
        return f"ts_note({number}, &{name_in_text(variable)}, 0);"

    # --- expressions -----------------------------------------------------------------------------------

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of the value of an expression and the level of its outermost operator."""
        if self.calls.operator(node) is not None:
            if isinstance(node, ast.Index | ast.Unary):
                self.calls.refuse_returned_lvalue(node)
            return self._write_plain(node)
        if self._names.accesses(node):
            lvalue, _ = self._lvalue(node)
            return f"ts_read({self.notes.access(node.span, 'read')}, {lvalue})", POSTFIX
        match node:
            case ast.SizeOf():  # its operand is not evaluated
                return LinkedProgram(self._program, self._linked, self._block_threads).write(node)
            case ast.Index() | ast.Member() | ast.Name() | ast.Unary(op="*"):
                return self._lvalue(node)
            case ast.Unary(op="&"):
                lvalue, level = self._lvalue(node.operand)
                return f"&{lvalue}" if level >= UNARY else f"&({lvalue})", UNARY
            case ast.Assign():
                return self._assign(node)
            case ast.Update():
                target, _ = self._target(node.target, True)
                return (f"{node.op}{target}", UNARY) if node.prefix else (f"{target}{node.op}", POSTFIX)
            case ast.Binary() if node.op not in ORDERED and self.order_matters((node.left, node.right)):
                operands = ((node.left, False), (node.right, False))
                return self.calls.in_order(operands, lambda texts: f" {node.op} ".join(texts)), POSTFIX
        return self._write_plain(node)

    def _write_plain(self, node: Expr) -> tuple[str, int]:
        self.flow.visit(node)
        return super().write(node)

    def _assign(self, node: ast.Assign) -> tuple[str, int]:
        kind = self._names.kind(node.target)
        source = node.value if kind is None else type_braces(node.value, kind)
        value = self.inside(source, ASSIGN)
        target, after = self._target(node.target, node.op != "=")
        if after:  # a struct in registers: its members are logged after the assignment
            return f"ts_done({target} {node.op} {value}, [&] {{ {' '.join(after)} }})", POSTFIX
        if isinstance(kind, Scalar | Pointer) or not self._names.has_effects(source):
            return f"{target} {node.op} {value}", ASSIGN
        # For structs compilers do not keep C++17's order, value before target: a lambda does.
        text = f"([&]() -> decltype(auto) {{ auto ts_0 = {value}; return {target} {node.op} ts_0; }}())"
        return text, POSTFIX

    def _lvalue(self, node: Expr) -> tuple[str, int]:
        """Return the text of an lvalue, which by itself accesses nothing, and the level of its operator."""
        self.calls.refuse_returned_lvalue(node)
        if isinstance(node, ast.Member):
            base = node.base
            self._refuse_constant(node)
            if isinstance(base, ast.Unary) and base.op == "*":
                return f"{self.inside(base.operand, POSTFIX)}->{node.field}", POSTFIX
            text, level = self._lvalue(base)
            return f"{text}.{node.field}" if level >= POSTFIX else f"({text}).{node.field}", POSTFIX
        if isinstance(node, ast.Index | ast.Name) or (isinstance(node, ast.Unary) and node.op == "*"):
            return self._write_plain(node)
        return self.write(node)

    def _refuse_constant(self, node: ast.Member) -> None:
        kind = self._names.kind(node.base)
        if isinstance(kind, Struct) and kind.field(node.field) is None and kind.unnamed_member_with(node.field) is None:
            name = f"{kind}::{node.field}"
            reason = f"{name} cannot be recorded on a GPU as a member of an object: write {name}"
            raise SourceError(self._program.file, node.span.line, node.span.column, reason)

    def _target(self, node: Expr, modify: bool) -> tuple[str, list[str]]:
        """Return the text of the target of an assignment, and the notes that follow the assignment."""
        lvalue, level = self._lvalue(node)
        if not self._names.accesses(node):
            return self._registers.target(node, lvalue if level >= UNARY else f"({lvalue})")
        start = f"ts_modify({self.notes.access(node.span, 'read')}, " if modify else "ts_write("
        return f"{start}{self.notes.access(node.span, 'write')}, {lvalue})", []

    def struct_of(self, node: Expr) -> Struct | None:
        """Return the struct type of an expression, such as a variable or a call; None for other types."""
        kind = self._names.kind(node)
        return kind if isinstance(kind, Struct) else super().struct_of(node)

    # --- calls -----------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> str:
        """Return the text of a call."""
        return self.flow.call(node, lambda: super(InstrumentedProgram, self).call(node))

    def invoke(self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()) -> str:
        """Return a call of a function of the program, with its note."""
        return self.flow.invoke(function, arguments, first)

    def built_in(self, node: ast.Call) -> str:
        """Return a call of one of CUDA's own functions, with notes of its accesses."""
        name, arguments = node.function, node.arguments
        if name in CACHED_STORES:
            pointer, source = arguments
            value, address = self.inside(source, ASSIGN), self.inside(pointer, ASSIGN)
            logged = f"ts_stored({self.notes.access(pointer.span, 'write')}, {address}, ts_1)"
            return f"([&] {{ auto ts_1 = {value}; {name}({logged}, ts_1); }}())"
        if name in PIPELINE:
            return self._copies.pipeline_call(node)
        is_load, is_atomic = name in CACHED_LOADS, name.startswith("atomic")

        def finish(texts: list[str]) -> str:
            if is_atomic:
                return f"ts_{name}({self.notes.access(node.span, 'atomic')}, {', '.join(texts)})"
            if is_load:
                texts = [f"ts_through({self.notes.access(node.span, 'read')}, {texts[0]})", *texts[1:]]
            return self.calls.join_call(node, texts)

        return self.calls.in_order([(a, False) for a in arguments], finish, force=is_atomic)

    def argument(self, node: Expr, reference: bool) -> str:
        """Return one argument: its value, or the lvalue that a reference binds to."""
        text, level = self._lvalue(node) if reference else self.write(node)
        return text if level >= ASSIGN else f"({text})"

    def order_matters(self, operands: Sequence[Expr]) -> bool:
        """Return whether two orders of evaluation can give different logs."""
        return self._names.order_matters(operands)

    def before_constructor(self, node: ast.Construct) -> str:
        """Return the notes before a constructor: the simulator zeroes an object with arrays in memory first."""
        if not has_array(node.type):
            return ""
        number = self.notes.add(ArrayNote(f"{node.type}()", "local", size_of(node.type), node.span))
        write = self.notes.access(node.span, "write")
        return f"ts_note({number}, &ts_made, 0); ts_wrote({write}, &ts_made, ts_made); "

    def constructed_value(self, node: ast.Construct) -> str:
        """Return the value of a constructed object, which is read if it is in memory."""
        if not has_array(node.type):
            return super().constructed_value(node)
        return f"ts_read({self.notes.access(node.span, 'read')}, ts_made)"
