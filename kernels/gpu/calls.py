"""What calls mean, written as calls of plain functions: those of the program, constructors and CUDA's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.gpu.given import converted, items, passed
from kernels.source import nodes
from kernels.source.render import ASSIGN, POSTFIX
from kernels.source.types import AUTO, Array, Named, Pointer, Reference, Scalar, Struct
from kernels.source.write import Writer, spell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.simt.link import Linked
    from kernels.source.nodes import Expr, Function, Program, Span

PRINTING: Final = ("printf", "assert")
THIS: Final = "ts_this"
"""What the object of a member function is called."""


class CallWriter(Writer):
    """Writes expressions; nothing is printed, and an assertion does not stop it."""

    def __init__(self, program: Program, linked: Linked) -> None:
        super().__init__()
        self.inside_of = linked.kernel
        self._program = program
        self._linked = linked

    def name_of(self, function: Function) -> str:
        """Return what a function is called."""
        raise NotImplementedError

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of an expression and the level of its outermost operator."""
        match node:
            case nodes.Name(id="this"):
                return THIS, POSTFIX
            case nodes.Name() if self.meant(node.span, f"&{node.id}") is not None:
                reason = f"not supported: a pointer to {node.id} on a GPU; run it in the simulator alone"
                raise SourceError(self._program.file, node.span.line, node.span.column, reason)
            case nodes.Member(base=nodes.Name(id="this")):
                return f"{THIS}.{node.field}", POSTFIX
            case nodes.Lambda():
                reason = "not supported: a lambda on a GPU; run it in the simulator alone"
                raise SourceError(self._program.file, node.span.line, node.span.column, reason)
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

    def refuse_returned(self, node: Expr) -> None:
        """Refuse a place that a function returns, for there is no telling here what it is.

        Raises
        ------
        SourceError
            For a call of a function that returns a reference.
        """
        names = (node.function,) if isinstance(node, nodes.Call) else (".operator[]", ".operator*")
        function = self.meant(node.span, *names)
        if function is not None and isinstance(function.returns, Reference):
            reason = f"not supported: what {function.name} returns, as a place, on a GPU; run it in the simulator alone"
            raise SourceError(self._program.file, node.span.line, node.span.column, reason)

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
        maker = self.meant(node.span, kind.constructor) if isinstance(kind, Struct) else None
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
