"""One kernel and what it calls as a CUDA C text of its own, in which every name says exactly what it means.

Overloads, instances of templates, member functions, constructors and operators all become plain functions: the
simulator has decided which of them each call means, and the compiler decides nothing anew.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.gpu.given import (
    conversion,
    converted,
    handed,
    is_conversion,
    items,
    passed,
    refuse_images,
    typed,
)
from kernels.gpu.headers import headers
from kernels.gpu.names import below
from kernels.gpu.prelude import PRELUDE
from kernels.source import nodes
from kernels.source.render import ASSIGN, POSTFIX
from kernels.source.types import AUTO, Array, Named, Pointer, Reference, Scalar, Struct, Void
from kernels.source.write import Writer, own, spell, types_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kernels.simt.link import Linked
    from kernels.source.nodes import Expr, Function, Program, Span
    from kernels.source.types import CType

KERNEL_NAME: Final = "ts_kernel"
"""What the kernel is called in the text."""

PRINTING: Final = ("printf", "assert")
_THIS: Final = "ts_this"


class LinkedWriter(Writer):
    """Writes the text, for blocks of so many threads; nothing is printed, and an assertion does not stop it."""

    def __init__(self, program: Program, linked: Linked, threads: int) -> None:
        super().__init__()
        self.inside_of = linked.kernel
        self._program = program
        self._linked = linked
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
        refuse_images(self._program.file, (*self._linked.kernel.parameters, *variables))
        kinds = list(dict.fromkeys(types_in((tuple(self._functions), variables))))
        structs = [kind for kind in kinds if isinstance(kind, Struct) and own(kind)]
        return "\n\n".join(
            (
                *self.includes(kinds),
                *headers(self._functions),
                PRELUDE,
                *(f"struct {spell(kind)};" for kind in structs),
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
        heads = [
            f"    {conversion(f)};\n" for f in self._conversions() if f.name.startswith(f"{kind.name}::")
        ]
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

    def variables(self) -> tuple[nodes.Variable, ...]:
        """Return the file's variables that the functions met so far mention, and those they depend on."""
        used = {
            part.id for part in below(tuple(f.body for f in self._functions)) if isinstance(part, nodes.Name)
        }
        found: list[nodes.Variable] = []
        for variable in reversed(self._program.variables):
            if variable.name in used:
                found.append(variable)
                used |= {part.id for part in below(variable) if isinstance(part, nodes.Name)}
        return tuple(reversed(found))

    def file_variable(self, variable: nodes.Variable) -> str:
        """Return the declaration of a variable that stands outside of functions."""
        if variable.space != "auto":
            return self.declaration((variable,))
        if isinstance(variable.type, Array):
            return self.declaration((replace(variable, space="constant"),))
        kind, value = variable.type, self._linked.constants.get(variable.name)
        if isinstance(kind, Scalar) and value is not None and math.isfinite(value):
            number = nodes.Number(variable.span, value, kind)
            variable = replace(variable, value=nodes.Cast(variable.span, kind, number))
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
        return "__device__ " + spell(node.returns, f"{self._called[id(node)]}({parameters})")

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

    def parameter(self, node: nodes.Parameter) -> str:
        """Return one parameter."""
        return super().parameter(replace(node, name=_THIS) if node.name == "this" else node)

    def name_of(self, function: Function) -> str:
        """Return what a function is called here; it is defined when it is first asked for."""
        if id(function) not in self._called:
            plain = re.sub(r"\W", "_", function.name)
            self._called[id(function)] = f"{plain}_ts{len(self._called)}"
            self._texts.append(self.define(function))
        return self._called[id(function)]

    # --- statements ------------------------------------------------------------------------------------

    def simple(self, node: nodes.Statement) -> list[str]:
        """Return the lines of a statement that holds no other."""
        if isinstance(node, nodes.Return) and node.value is not None:
            node = replace(node, value=typed(node.value, self.inside_of.returns))
        return super().simple(node)

    def declaration(self, variables: tuple[nodes.Variable, ...]) -> str:
        """Return the declaration of variables."""
        text = super().declaration(tuple(self.completed(variable) for variable in variables))
        kind, space = variables[0].type, variables[0].space
        if (space == "auto" and not isinstance(kind, Array)) or isinstance(kind, Reference | Named | Void):
            return text
        # The tree has no alignments; vectors and copies that the simulator accepts need no more than this.
        words = re.match(r"(extern )?(__\w+__ )?", text)
        assert words is not None
        return f"{words[0]}__align__({max(16, kind.align_bytes)}) {text[words.end() :]}"

    def completed(self, variable: nodes.Variable) -> nodes.Variable:
        """Return a variable whose value says its type, and calls the constructor that C++ would call by itself."""
        value, kind = variable.value, variable.type
        if value is None and self.meant(variable.span, f"{kind}::{kind}") is not None:
            value = nodes.Construct(variable.span, kind, ())
        return variable if isinstance(value, tuple | None) else replace(variable, value=typed(value, kind))

    # --- expressions -----------------------------------------------------------------------------------

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of an expression and the level of its outermost operator."""
        match node:
            case nodes.Name(id="this"):
                return _THIS, POSTFIX
            case nodes.Member(base=nodes.Name(id="this")):
                return f"{_THIS}.{node.field}", POSTFIX
            case nodes.Call():
                return self.call(node), POSTFIX
            case nodes.Construct():
                return self.construct(node), POSTFIX
            case nodes.Binary() if function := self.meant(
                node.span, f"operator{node.op}", f".operator{node.op}"
            ):
                return self.own_call(function, (node.left, node.right)), POSTFIX
            case nodes.Assign() if function := self.meant(
                node.span, f"operator{node.op}", f".operator{node.op}"
            ):
                return self.own_call(function, (node.target, node.value)), POSTFIX
            case nodes.Unary() if function := self.meant(
                node.span, f"operator{node.op}", f".operator{node.op}"
            ):
                return self.own_call(function, (node.operand,)), POSTFIX
        return super().write(node)

    def meant(self, span: Span, *names: str) -> Function | None:
        """Return the function of the program that is called here by one of these names, if one is.

        Raises
        ------
        SourceError
            When a macro makes several calls here that mean different functions.
        """
        for name in names:
            found = self._linked.calls.get((id(self.inside_of), span, name), ())
            if len(found) > 1:
                reason = f"not supported: recording a macro that calls several functions named {name}"
                raise SourceError(self._program.file, span.line, span.column, reason)
            if found:
                return found[0]
        return None

    def call(self, node: nodes.Call) -> str:
        """Return a call, of the program's own function or a built-in one."""
        function = self.meant(node.span, node.function, *self._helpers(node))
        if function is not None:
            # The simulator's own `reduce` of a group takes the value alone.
            grouped = node.function == "reduce" and len(function.parameters) < len(node.arguments)
            return self.own_call(function, node.arguments[1:2] if grouped else node.arguments)
        if node.function in PRINTING:
            values = tuple((a, False) for a in node.arguments if not isinstance(a, nodes.String))
            return f"ts_values{{{', '.join(self.argument(*value) for value in values)}}}.none()"
        return self.built_in(node)

    def _helpers(self, node: nodes.Call) -> Iterator[str]:
        """Yield the names under which the simulator calls functions that it writes itself, such as memcpy."""
        start = f"{node.function.removeprefix('__builtin_')} of "
        for owner, span, name in self._linked.calls:
            if owner == id(self.inside_of) and span == node.span and name.startswith(start):
                yield name

    def built_in(self, node: nodes.Call) -> str:
        """Return a call of a function that CUDA has."""
        return self.in_order([(a, False) for a in node.arguments], lambda texts: self.called(node, texts))

    def called(self, node: nodes.Call, texts: Sequence[str]) -> str:
        """Return a call of a function that CUDA has, its arguments written already."""
        name, arguments = node.function, list(texts)
        if node.template:
            given = (spell(t) if not isinstance(t, nodes.Expr) else self.text(t) for t in node.template)
            name += f"<{', '.join(given)}>"
        if name.startswith("."):
            name = f"{arguments.pop(0)}{name}"
        return f"{name}({', '.join(arguments)})"

    def own_call(self, function: Function, arguments: tuple[Expr, ...]) -> str:
        """Return a call of a function of the program."""
        return self.invoke(function, passed(function, arguments))

    def invoke(
        self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()
    ) -> str:
        """Return a call with arguments as `in_order` takes them, behind those that are written already."""
        name = self.name_of(function)
        return self.in_order(arguments, lambda texts: f"{name}({', '.join((*first, *texts))})")

    def construct(self, node: nodes.Construct) -> str:
        """Return a struct made of values."""
        kind = node.type
        maker = self.meant(node.span, f"{kind}::{kind}")
        if maker is not None:
            given = passed(replace(maker, parameters=maker.parameters[1:]), node.values)
            before = self.making(node)
            call = self.invoke(maker, given, ("ts_made",))
            value = self.made(node)
            return f"([&] {{ {spell(kind)} ts_made{{}}; {before}{call}; return {value}; }}())"
        if isinstance(kind, Scalar | Pointer):
            return f"({spell(kind)})({self.text(node.values[0])})" if node.values else f"({spell(kind)})0"
        kinds = items(kind) if isinstance(kind, Struct | Array) else (AUTO for _ in node.values)
        values = [self.inside(converted(v, t), ASSIGN) for v, t in zip(node.values, kinds, strict=False)]
        return f"{'' if isinstance(kind, Named | Array) else spell(kind)}{{{', '.join(values)}}}"

    def making(self, node: nodes.Construct) -> str:
        """Return what comes before a constructor's call, which makes `ts_made`."""
        return ""

    def made(self, node: nodes.Construct) -> str:
        """Return the value of what a constructor has made."""
        return "ts_made"

    def in_order(self, arguments: Sequence[tuple[Expr, bool]], finish: Callable[[list[str]], str]) -> str:
        """Return something made of arguments, each with whether it is a place that a reference names."""
        return finish([self.argument(*argument) for argument in arguments])

    def argument(self, node: Expr, place: bool) -> str:
        """Return the text of one argument."""
        return self.inside(node, ASSIGN)
