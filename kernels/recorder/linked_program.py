"""One kernel and what it calls as a CUDA C text of its own, in which every name says exactly what it means.

Overloads, instances of templates, member functions, constructors and operators all become plain functions: the
simulator has decided which of them each call means, and the compiler decides nothing anew.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import AUTO, Array, Named, Reference, Scalar, Struct, Void
from kernels.frontend.unparse.program import own, spell, types_in
from kernels.recorder.argument_passing import (
    conversion,
    handed,
    is_conversion,
    is_split,
    own_name,
    spelling,
    typed,
    value_of,
)
from kernels.recorder.calls import THIS, CallWriter
from kernels.recorder.headers import headers
from kernels.recorder.names import below
from kernels.recorder.prelude import PRELUDE
from kernels.recorder.unsupported_constructs import refuse_foreign

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kernels.frontend.ast import Expr, Function, Program
    from kernels.frontend.types import CType
    from kernels.simt.linking import Linked

KERNEL_NAME: Final = "ts_kernel"
"""What the kernel is called in the text."""


class LinkedWriter(CallWriter):
    """Writes the text, for blocks of so many threads."""

    def __init__(self, program: Program, linked: Linked, threads: int) -> None:
        super().__init__(program, linked)
        self._threads = threads
        self._called: dict[int, str] = {}
        self._functions: list[Function] = []
        self._texts: list[str] = []

    # --- program ---------------------------------------------------------------------------------------

    def whole(self) -> str:
        """Return the whole text."""
        kernel = self.define(self._linked.kernel)
        outside = [self._conversion(f) for f in self._conversions()]
        variables = self.variables()
        refuse_foreign(self._program.file, self._functions, variables)
        kinds = list(dict.fromkeys(types_in((tuple(self._functions), variables))))
        structs = [kind for kind in kinds if isinstance(kind, Struct) and own(kind)]
        return "\n\n".join(
            (
                *self.includes(kinds),
                *headers(self._functions),
                PRELUDE,
                *(f"{'union' if kind.union else 'struct'} {spell(kind)};" for kind in structs),
                *(self.struct(kind) for kind in structs),
                *self.about(kinds),
                *(f"{self.file_variable(variable)};" for variable in variables),
                *self._texts,
                *outside,
                kernel,
                "",
            )
        )

    def struct(self, kind: Struct, functions: Iterable[Function] = ()) -> str:
        """Return the definition of a struct: its members, and what converts it."""
        heads = [f"    {conversion(f)};\n" for f in self._conversions() if f.name.startswith(f"{kind.name}::")]
        return f"{super().struct(kind).removesuffix('};')}{''.join(heads)}}};"

    def _conversions(self) -> list[Function]:
        found = {id(f): f for meant in self._linked.calls.values() for f in meant if is_conversion(f)}
        return list(found.values())

    def _conversion(self, function: Function) -> str:
        owner = re.sub(r"\W", "_", function.name.rpartition("::")[0])
        return f"{conversion(function, f'{owner}::')} {{ return {self.name_of(function)}(*this); }}"

    def about(self, kinds: Sequence[CType]) -> Iterator[str]:
        """Yield what is to be said of the types."""
        yield from ()

    def variables(self) -> tuple[ast.Variable, ...]:
        """Return the file's variables that the functions met so far mention, and those they depend on."""
        used = {part.id for part in below(tuple(f.body for f in self._functions)) if isinstance(part, ast.Name)}
        found: list[ast.Variable] = []
        for variable in reversed((*self._program.variables, *self._program.constants.values())):
            if variable.name in used:
                found.append(variable)
                used |= {part.id for part in below(variable) if isinstance(part, ast.Name)}
        return tuple(reversed(found))

    def file_variable(self, variable: ast.Variable) -> str:
        """Return the declaration of a variable that stands outside of functions."""
        variable = replace(variable, name=own_name(variable.name))
        if variable.space != "auto":
            return self.declaration((variable,))
        if isinstance(variable.type, Array):
            return self.declaration((replace(variable, space="constant"),))
        kind, value = variable.type, self._linked.constants.get(variable.name)
        if isinstance(kind, Scalar) and value is not None and math.isfinite(value):
            number = ast.Number(variable.span, value, kind)
            variable = replace(variable, value=ast.Cast(variable.span, kind, number))
        return "constexpr " + self.declaration((variable,))

    def define(self, function: Function) -> str:
        """Return a function's text; what it calls is defined on the way."""
        outside, self.inside_of = self.inside_of, function
        self._functions.append(function)
        text = self.function(function)
        self.inside_of = outside
        return text

    def head(self, node: Function) -> str:
        """Return what stands before a function's body."""
        parameters = ", ".join(self.taken(node))
        if node.kernel:
            bounds = f"__launch_bounds__({self._threads})"
            return f'extern "C" __global__ {bounds} {spell(node.returns, f"{KERNEL_NAME}({parameters})")}'
        return "__device__ " + spell(value_of(node.returns), f"{self._called[id(node)]}({parameters})")

    def taken(self, node: Function) -> list[str]:
        """Return the parameters of a function; a kernel takes members of structs one by one."""
        if node.kernel:
            return [spell(h.type, h.spelling) for h in handed(node)]
        return [self.parameter(p) for p in node.parameters]

    def function(self, node: Function) -> str:
        """Return a function's text; a kernel puts its structs together from members."""
        head, (opening, *rest) = self.head(node), self.statement(node.body, 0)
        return "\n".join((head, opening, *(f"    {line}" for line in self.before(node)), *rest))

    def before(self, node: Function) -> list[str]:
        """Return what comes before a function's first statement."""
        whole = node.parameters if node.kernel else ()
        lines = [f"{spell(p.type, p.name)};" for p in whole if isinstance(p.type, Struct)]
        members = handed(node) if node.kernel else ()
        return lines + [f"{h.name} = {h.spelling};" for h in members if h.name != h.spelling]

    def parameter(self, node: ast.Parameter) -> str:
        """Return one parameter."""
        return super().parameter(replace(node, name=THIS if node.name == "this" else spelling(node)))

    def name_of(self, function: Function) -> str:
        """Return what a function is called here; it is defined when it is first asked for."""
        if id(function) not in self._called:
            plain = re.sub(r"\W", "_", function.name)
            self._called[id(function)] = f"{plain}_ts{len(self._called)}"
            self._texts.append(self.define(function))
        return self._called[id(function)]

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of a statement."""
        if isinstance(node, ast.For) and is_split(node.start):
            assert node.start is not None
            return self.statement(ast.Block(node.span, (node.start, replace(node, start=None))), depth)
        return super().statement(node, depth)

    def simple(self, node: ast.Statement) -> list[str]:
        """Return the lines of a statement that holds no other."""
        if isinstance(node, ast.Return) and node.value is not None:
            node = replace(node, value=typed(node.value, self.inside_of.returns))
        if isinstance(node, ast.Declare) and is_split(node):
            return [f"{self.declaration((variable,))};" for variable in node.variables]
        return super().simple(node)

    def declaration(self, variables: tuple[ast.Variable, ...]) -> str:
        """Return the declaration of variables."""
        text = super().declaration(tuple(self.completed(variable) for variable in variables))
        kind, space = variables[0].type, variables[0].space
        if (space == "auto" and not isinstance(kind, Array)) or isinstance(kind, Reference | Named | Void):
            return text
        # The tree has no alignments; vectors and copies that the simulator accepts need no more than this.
        words = re.match(r"(extern )?(__\w+__ )?", text)
        assert words is not None
        return f"{words[0]}__align__({max(16, kind.align_bytes)}) {text[words.end() :]}"

    def completed(self, variable: ast.Variable) -> ast.Variable:
        """Return a variable whose value says its type, and calls the constructor that C++ would call by itself."""
        value, kind = variable.value, variable.type
        if kind == AUTO and isinstance(value, ast.Expr):
            found = self.struct_of(value)
            return replace(variable, type=found) if found is not None else variable
        if isinstance(kind, Struct) and value is None and self.meant(variable.span, kind.constructor) is not None:
            value = ast.Construct(variable.span, kind, ())
        if isinstance(value, tuple | None):
            return variable
        return replace(variable, value=self.made_of(typed(value, kind), kind, variable.span))

    def struct_of(self, node: Expr) -> Struct | None:
        """Return the struct that a function of the program gives; None for what is none, or not known here."""
        own = self.operator(node)
        function = self.meant(node.span, node.function) if isinstance(node, ast.Call) else own and own[0]
        kind = value_of(function.returns) if function is not None else None
        return kind if isinstance(kind, Struct) else None
