"""What calls mean, written as calls of plain functions: those of the program, constructors and CUDA's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.types import AUTO, INT, Array, Named, Pointer, Reference, Scalar, Struct
from kernels.frontend.unparse.expressions import ASSIGN, POSTFIX
from kernels.frontend.unparse.program import Writer, spell
from kernels.recorder.argument_passing import converted, items, own_name, passed, pointing, value_of
from kernels.recorder.names import LITERAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.frontend.ast import Expr, Function, Program, Span
    from kernels.frontend.types import CType
    from kernels.simt.linking import Linked

PRINTING: Final = ("printf", "assert")
WITHOUT_EFFECT: Final = ("cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion")
"""What NVRTC does not know, and needs another kernel."""
WITHOUT_MASK: Final = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot")
"""Functions of a warp that GPUs had before Volta, of the lanes that are there."""
MADE: Final = (ast.Call, ast.Construct, ast.Binary)
"""What gives values that no variable holds: C++ lets members of such a value change it."""
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
            case ast.Name(id="this"):
                return THIS, POSTFIX
            case ast.Name() if "::" in node.id:  # a constant of a struct
                return own_name(node.id), POSTFIX
            case ast.Name() if self.meant(node.span, f"&{node.id}") is not None:
                reason = f"not supported: a pointer to {node.id} on a GPU; run it in the simulator alone"
                raise SourceError(self._program.file, node.span.line, node.span.column, reason)
            case ast.Member(base=ast.Name(id="this")):
                return f"{THIS}.{node.field}", POSTFIX
            case ast.Lambda():
                reason = "not supported: a lambda on a GPU; run it in the simulator alone"
                raise SourceError(self._program.file, node.span.line, node.span.column, reason)
            case ast.Call():
                return self.call(node), POSTFIX
            case ast.Construct():
                return self.construct(node), POSTFIX
        own = self.operator(node)
        return (self.own_call(*own), POSTFIX) if own is not None else super().write(node)

    def operator(self, node: Expr) -> tuple[Function, tuple[Expr, ...]] | None:
        """Return the function of the program that an operator means, if one is, and what it takes."""
        operands: tuple[Expr, ...]
        match node:
            case ast.Binary():
                op, operands = node.op, (node.left, node.right)
            case ast.Assign():
                op, operands = node.op, (node.target, node.value)
            case ast.Unary():
                op, operands = node.op, (node.operand,)
            case ast.Update():
                behind = () if node.prefix else (ast.Number(node.span, 0, INT),)
                op, operands = node.op, (node.target, *behind)
            case ast.Index():
                if self._ends_in_operator(node):
                    return None
                op, operands = "[]", (node.base, node.index)
            case _:
                return None
        function = self.meant(node.span, f"operator{op}", f".operator{op}")
        return None if function is None else (function, operands)

    def _ends_in_operator(self, node: ast.Index) -> bool:
        """Whether `a[i][j]` is the second index of two of which the first one, at the same place, is a function."""
        if not isinstance(node.base, ast.Index) or node.base.span != node.span:
            return False
        first = self.operator(node.base)
        return first is not None and not isinstance(value_of(first[0].returns), Struct)

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
        if isinstance(node, ast.Call):
            function = self.meant(node.span, node.function)
        else:
            function, _ = self.operator(node) or (None, ())
        if function is not None and isinstance(function.returns, Reference):
            reason = f"not supported: what {function.name} returns, as a place, on a GPU; run it in the simulator alone"
            raise SourceError(self._program.file, node.span.line, node.span.column, reason)

    def call(self, node: ast.Call) -> str:
        """Return a call, of the program's own function or a built-in one."""
        function = self.meant(node.span, node.function, *self._helpers(node))
        if function is not None:
            # The simulator's own `reduce` of a group takes the value alone.
            grouped = node.function == "reduce" and len(function.parameters) < len(node.arguments)
            arguments = node.arguments[1:2] if grouped else node.arguments
            if node.function.removeprefix("__builtin_") in ("memcpy", "memset"):  # of any types, word by word
                taken = zip(arguments, function.parameters, strict=False)
                arguments = tuple(ast.Cast(node.span, parameter.type, a) for a, parameter in taken)
            return self.own_call(function, arguments)
        alone = self.meant(node.span, *self._static(node))
        if alone is not None:
            return self.own_call(alone, node.arguments[1:])
        if node.function in PRINTING:
            values = tuple((a, False) for a in node.arguments if not isinstance(a, ast.String))
            return f"ts_values{{{', '.join(self.argument(*value) for value in values)}}}.none()"
        return self.built_in(node)

    def _helpers(self, node: ast.Call) -> Iterator[str]:
        """Yield the names under which the simulator calls functions that it writes itself, such as memcpy."""
        start = f"{node.function.removeprefix('__builtin_')} of "
        for owner, span, name in self._linked.calls:
            if owner == id(self.inside_of) and span == node.span and name.startswith(start):
                yield name

    def _static(self, node: ast.Call) -> Iterator[str]:
        """Yield the names under which `object.f()` calls a function that needs no object."""
        for owner, span, name in self._linked.calls:
            if owner == id(self.inside_of) and span == node.span and name.endswith(f"::{node.function[1:]}"):
                yield from [name] if node.function.startswith(".") else []

    def built_in(self, node: ast.Call) -> str:
        """Return a call of a function that CUDA has."""
        return self.in_order([(a, False) for a in node.arguments], lambda texts: self.called(node, texts))

    def called(self, node: ast.Call, texts: Sequence[str]) -> str:
        """Return a call of a function that CUDA has, its arguments written already."""
        name, arguments = node.function, list(texts)
        if name in WITHOUT_EFFECT:
            return "(void)0"
        if name == "synchronize":  # of a group, as CUDA 9 called it
            name = "sync"
        if name in WITHOUT_MASK:
            name, arguments = f"{name}_sync", ["__activemask()", *arguments]
        if name.startswith("__shfl") and name.endswith("_tile"):
            if isinstance(self.inside_of.returns, Struct):
                reason = "not supported: a shuffle of structs on a GPU; run it in the simulator alone"
                raise SourceError(self._program.file, node.span.line, node.span.column, reason)
            name = f"{name.removesuffix('tile')}sync"
        if node.template:
            given = (spell(t) if not isinstance(t, ast.Expr) else self.text(t) for t in node.template)
            name += f"<{', '.join(given)}>"
        if name.startswith("."):
            name = f"{arguments.pop(0)}{name}"
        return f"{name}({', '.join(arguments)})"

    def own_call(self, function: Function, arguments: tuple[Expr, ...]) -> str:
        """Return a call of a function of the program."""
        made = [self.made_of(a, p.type) for a, p in zip(arguments, function.parameters, strict=False)]
        if function.template:  # where `T` of `T *` stands for what is const, the instance does not say so
            made = [pointing(a, p.type) for a, p in zip(made, function.parameters, strict=False)]
        return self.invoke(function, passed(function, tuple(made)))

    def made_of(self, node: Expr, kind: CType, span: Span | None = None) -> Expr:
        """Return a value as a call of the constructor that C++ calls by itself where a struct is wanted."""
        named = isinstance(kind, Reference) and not kind.const
        kind = value_of(kind)
        if named or isinstance(node, ast.Construct) or not isinstance(kind, Struct):
            return node
        for at in (node.span, span or node.span):
            if self.meant(at, kind.constructor) is not None:
                return ast.Construct(at, kind, (node,))
        return node

    def invoke(self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()) -> str:
        """Return a call with arguments as `in_order` takes them, behind those that are written already."""
        name = self.name_of(function)
        return self.in_order(arguments, lambda texts: f"{name}({', '.join((*first, *texts))})")

    def construct(self, node: ast.Construct) -> str:
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
        kinds = items(kind, node.values) if isinstance(kind, Struct | Array) else (AUTO for _ in node.values)
        values = [self.inside(converted(v, t), ASSIGN) for v, t in zip(node.values, kinds, strict=False)]
        return f"{'' if isinstance(kind, Named | Array) else spell(kind)}{{{', '.join(values)}}}"

    def making(self, node: ast.Construct) -> str:
        """Return what comes before a constructor's call, which makes `ts_made`."""
        return ""

    def made(self, node: ast.Construct) -> str:
        """Return the value of what a constructor has made."""
        return "ts_made"

    def in_order(
        self,
        arguments: Sequence[tuple[Expr, bool]],
        finish: Callable[[list[str]], str],
        *,
        held: bool = False,
    ) -> str:
        """Return something made of arguments, each with whether it is a place that a reference names.

        They are evaluated one by one where `held` says so, or where a reference names a value that has no place.
        """
        texts = [self.argument(*argument) for argument in arguments]
        if not held and not any(place and isinstance(node, MADE) for node, place in arguments):
            return finish(texts)
        lines = []
        for number, (node, place) in enumerate(arguments):
            if not isinstance(node, LITERAL):
                lines.append(f"auto{' &&' if place else ' '}ts_{number} = {texts[number]};")
                texts[number] = f"ts_{number}"
        return f"([&]() -> decltype(auto) {{ {' '.join(lines)} return {finish(texts)}; }}())"

    def argument(self, node: Expr, place: bool) -> str:
        """Return the text of one argument."""
        return self.inside(node, ASSIGN)
