"""One kernel and its callees as a self-contained CUDA C text without overloads.

Overloads, instances of templates, member functions, constructors and operators all become plain functions with unique
names: the simulator has resolved each call, and the GPU's compiler has nothing left to resolve.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import AUTO, Array, Named, Reference, Scalar, Struct, Void, value_type
from kernels.frontend.unparse.expressions import ASSIGN
from kernels.frontend.unparse.program import Writer, is_user_struct, spell, types_in
from kernels.recorder.argument_passing import (
    conversion_head,
    flat_parameters,
    has_mixed_auto,
    identifier,
    is_conversion,
    name_in_text,
    type_braces,
)
from kernels.recorder.calls import THIS, Calls
from kernels.recorder.headers import headers
from kernels.recorder.names import below
from kernels.recorder.prelude import PRELUDE
from kernels.recorder.unsupported_constructs import find_sm_80_construct, refuse_unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kernels.frontend.ast import Expr, Function, Program
    from kernels.frontend.types import CType
    from kernels.simt.linking import Linked

KERNEL_NAME: Final = "ts_kernel"
"""Name of the kernel in the text."""


class LinkedProgram:
    """Writes the text.

    Constructs that stay as in the source are written by a `Writer`, which hands nested parts back to this class.
    A subclass that records overrides the methods under "points of instrumentation".

    Parameters
    ----------
    program, linked
        The parsed file, and what the simulator resolved in it.
    block_threads : int
        Threads of a block, for `__launch_bounds__`.
    """

    def __init__(self, program: Program, linked: Linked, block_threads: int) -> None:
        self.inside_of = linked.kernel
        """The function whose body is being written."""
        self.calls = Calls(self, program, linked)
        self._program = program
        self._linked = linked
        self._block_threads = block_threads
        self._writer = Writer(self)
        self._function_names: dict[int, str] = {}
        """The name of each function by identity."""
        self._functions: list[Function] = []
        self._texts: list[str] = []

    # --- program ---------------------------------------------------------------------------------------

    def whole_text(self) -> str:
        """Return the whole text: headers, prelude, structs, variables, functions, kernel."""
        kernel = self.define(self._linked.kernel)
        conversions = [self._conversion(f) for f in self._conversions()]
        variables = self.variables()
        refuse_unsupported(self._program.file, self._functions, variables)
        kinds = list(dict.fromkeys(types_in((tuple(self._functions), variables))))
        structs = [kind for kind in kinds if isinstance(kind, Struct) and is_user_struct(kind)]
        return "\n\n".join(
            (
                *self._writer.includes(kinds),
                *headers(self._functions),
                PRELUDE,
                *(f"{'union' if kind.union else 'struct'} {spell(kind)};" for kind in structs),
                *(self._struct(kind) for kind in structs),
                *self.type_helpers(kinds),
                *(f"{self._file_variable(variable)};" for variable in variables),
                *self._texts,
                *conversions,
                kernel,
                "",
            )
        )

    def sm_80_construct(self) -> str:
        """Return a construct of the text that GPUs before sm_80 lack; "" for none."""
        return find_sm_80_construct(self._functions)

    def _struct(self, kind: Struct) -> str:
        """Return the definition of a struct: its members, and the heads of its conversion functions."""
        heads = [f"    {conversion_head(f)};\n" for f in self._conversions() if f.name.startswith(f"{kind.name}::")]
        return f"{self._writer.struct(kind).removesuffix('};')}{''.join(heads)}}};"

    def _conversions(self) -> list[Function]:
        found = {id(f): f for callees in self._linked.calls.values() for f in callees if is_conversion(f)}
        return list(found.values())

    def _conversion(self, function: Function) -> str:
        owner = identifier(function.name.rpartition("::")[0])
        return f"{conversion_head(function, f'{owner}::')} {{ return {self.name_of(function)}(*this); }}"

    def variables(self) -> tuple[ast.Variable, ...]:
        """Return the variables at file scope that the functions written so far use, directly or in initialisers."""
        used = {part.id for part in below(tuple(f.body for f in self._functions)) if isinstance(part, ast.Name)}
        found: list[ast.Variable] = []
        for variable in reversed(self._linked.variables):
            if variable.name in used:
                found.append(variable)
                used |= {part.id for part in below(variable) if isinstance(part, ast.Name)}
        return tuple(reversed(found))

    def _file_variable(self, variable: ast.Variable) -> str:
        """Return the declaration of a variable at file scope."""
        variable = replace(variable, name=identifier(variable.name))
        if variable.space != "auto":
            return self.declaration((variable,))
        if isinstance(variable.type, Array):
            return self.declaration((replace(variable, space="constant"),))
        kind, value = variable.type, self._linked.constants.get(variable.name)
        if isinstance(kind, Scalar) and value is not None and math.isfinite(value):
            number = ast.Number(variable.span, value, kind)
            variable = replace(variable, value=ast.Cast(variable.span, kind, number))
        return "constexpr " + self.declaration((variable,))

    # --- functions -------------------------------------------------------------------------------------

    def name_of(self, function: Function) -> str:
        """Return the name of a function in the text; its first use defines it, so callees come before callers."""
        if id(function) not in self._function_names:
            self._function_names[id(function)] = f"{identifier(function.name)}_ts{len(self._function_names)}"
            self._texts.append(self.define(function))
        return self._function_names[id(function)]

    def define(self, function: Function) -> str:
        """Return a function's text; the functions that it calls are defined on the way."""
        caller, self.inside_of = self.inside_of, function
        self._functions.append(function)
        head, (opening, *rest) = self._head(function), self.statement(function.body, 0)
        text = "\n".join((head, opening, *(f"    {line}" for line in self.prologue(function)), *rest))
        self.inside_of = caller
        return text

    def _head(self, node: Function) -> str:
        parameters = ", ".join(self.parameters(node))
        if node.kernel:
            bounds = f"__launch_bounds__({self._block_threads})"
            return f'extern "C" __global__ {bounds} {spell(node.returns, f"{KERNEL_NAME}({parameters})")}'
        return "__device__ " + spell(value_type(node.returns), f"{self._function_names[id(node)]}({parameters})")

    def _parameter(self, node: ast.Parameter) -> str:
        return self._writer.parameter(replace(node, name=THIS if node.name == "this" else name_in_text(node)))

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of a statement."""
        if isinstance(node, ast.For) and has_mixed_auto(node.start):
            assert node.start is not None
            return self.statement(ast.Block(node.span, (node.start, replace(node, start=None))), depth)
        return self._writer.statement(node, depth)

    def body(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of the body of an if or a loop."""
        return self._writer.body(node, depth)

    def simple(self, node: ast.Statement) -> list[str]:
        """Return the lines of a statement that holds no other."""
        if isinstance(node, ast.Return) and node.value is not None:
            node = replace(node, value=type_braces(node.value, self.inside_of.returns))
        if isinstance(node, ast.Declare) and has_mixed_auto(node):
            return [f"{self.declaration((variable,))};" for variable in node.variables]
        return self._writer.simple(node)

    def declaration(self, variables: tuple[ast.Variable, ...]) -> str:
        """Return the declaration of variables."""
        text = self._writer.declaration(tuple(self.complete(variable) for variable in variables))
        kind, space = variables[0].type, variables[0].space
        if (space == "auto" and not isinstance(kind, Array)) or isinstance(kind, Reference | Named | Void):
            return text
        # The tree does not keep `__align__`. Vector accesses and asynchronous copies need at most 16 bytes, and
        # the simulator accepts such accesses to any array.
        words = re.match(r"(extern )?(__\w+__ )?", text)
        assert words is not None
        return f"{words[0]}__align__({max(16, kind.align_bytes)}) {text[words.end() :]}"

    def complete(self, variable: ast.Variable) -> ast.Variable:
        """Return a variable with its type spelled out and its implicit constructor called explicitly."""
        value, kind = variable.value, variable.type
        if kind == AUTO and isinstance(value, ast.Expr):
            found = self.struct_of(value)
            return replace(variable, type=found) if found is not None else variable
        if (
            isinstance(kind, Struct)
            and value is None
            and self.calls.callee(variable.span, kind.constructor) is not None
        ):
            value = ast.Construct(variable.span, kind, ())
        if isinstance(value, tuple | None):
            return variable
        value = self.calls.construct_implicitly(type_braces(value, kind), kind, variable.span)
        return replace(variable, value=value)

    # --- expressions -----------------------------------------------------------------------------------

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of an expression and the level of its outermost operator."""
        return self.calls.write(node) or self._writer.write(node)

    def text(self, node: Expr) -> str:
        """Return the text of an expression."""
        return self.write(node)[0]

    def inside(self, node: Expr, least: int) -> str:
        """Return the text of an operand, in parentheses where its operator binds less than `least`."""
        return self._writer.inside(node, least)

    def struct_of(self, node: Expr) -> Struct | None:
        """Return the struct that a function of the program returns; None for any other expression."""
        overloaded = self.calls.operator(node)
        function = overloaded and overloaded[0]
        if isinstance(node, ast.Call):
            function = self.calls.callee(node.span, node.function)
        kind = value_type(function.returns) if function is not None else None
        return kind if isinstance(kind, Struct) else None

    # --- points of instrumentation ---------------------------------------------------------------------

    def type_helpers(self, kinds: Sequence[CType]) -> Iterator[str]:
        """Yield definitions that come after the structs."""
        yield from ()

    def parameters(self, node: Function) -> list[str]:
        """Return the parameters of a function; a kernel takes members of structs one by one."""
        if node.kernel:
            return [spell(p.type, p.spelling) for p in flat_parameters(node)]
        return [self._parameter(p) for p in node.parameters]

    def prologue(self, node: Function) -> list[str]:
        """Return the lines before a function's first statement: a kernel fills its structs from their members."""
        if not node.kernel:
            return []
        lines = [f"{spell(p.type, p.name)};" for p in node.parameters if isinstance(p.type, Struct)]
        members = flat_parameters(node)
        return lines + [f"{m.name} = {m.spelling};" for m in members if m.name != m.spelling]

    def call(self, node: ast.Call) -> str:
        """Return any call."""
        return self.calls.call(node)

    def invoke(self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()) -> str:
        """Return a call of a function of the program; `first` are arguments that are text already."""
        return self.calls.invoke(function, arguments, first)

    def built_in(self, node: ast.Call) -> str:
        """Return a call of one of CUDA's own functions."""
        return self.calls.built_in(node)

    def argument(self, node: Expr, reference: bool) -> str:
        """Return one argument: its value, or the lvalue that a reference binds to."""
        return self.inside(node, ASSIGN)

    def order_matters(self, operands: Sequence[Expr]) -> bool:
        """Return whether the evaluation order of operands must be fixed: not in the plain text."""
        return False

    def before_constructor(self, node: ast.Construct) -> str:
        """Return the statements that come before the call of a constructor; the object is `ts_made`."""
        return ""

    def constructed_value(self, node: ast.Construct) -> str:
        """Return the value of the object `ts_made` after its constructor."""
        return "ts_made"
