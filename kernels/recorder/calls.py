"""Calls, operators and constructors, rewritten as calls of plain functions.

The simulator has resolved every overload, template and operator (`kernels.simt.linking`). The text names the function
that it chose, so that the GPU's compiler resolves nothing differently.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.types import AUTO, INT, Array, Named, Pointer, Reference, Scalar, Struct, value_type
from kernels.frontend.unparse.expressions import ASSIGN, POSTFIX
from kernels.frontend.unparse.program import spell
from kernels.recorder.argument_passing import (
    bind_arguments,
    convert_member,
    drop_const,
    identifier,
    initializer_types,
)
from kernels.recorder.names import LITERAL
from kernels.recorder.unsupported_constructs import cannot_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.errors import SourceError
    from kernels.frontend.ast import Expr, Function, Program, Span
    from kernels.frontend.types import CType
    from kernels.recorder.program_writer import ProgramWriter
    from kernels.simt.linking import Linked

PRINTING: Final = ("printf", "assert")
WITHOUT_EFFECT: Final = ("cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion")
"""Functions of programmatic dependent launch, which NVRTC does not declare; without a second kernel they do nothing."""
WITHOUT_MASK: Final = ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot")
"""Warp functions from before Volta, which take no mask: they act on the active lanes."""
PRVALUES: Final = (ast.Call, ast.Construct, ast.Binary)
"""Expressions whose value has no variable; a member function called on such a value may still change it."""
THIS: Final = "ts_this"
"""Name of the parameter by which a member function gets its object."""


class Calls:
    """Writes calls and what C++ turns into calls; `printf` prints nothing, and `assert` never stops the kernel."""

    def __init__(self, writer: ProgramWriter, program: Program, linked: Linked) -> None:
        self._writer = writer
        self._program = program
        self._linked = linked

    def write(self, node: Expr) -> tuple[str, int] | None:
        """Return the text of an expression and the level of its operator; None for one that stays as it is."""
        match node:
            case ast.Name(id="this"):
                return THIS, POSTFIX
            case ast.Name() if "::" in node.id:  # a constant of a struct
                return identifier(node.id), POSTFIX
            case ast.Name() if self.callee(node.span, f"&{node.id}") is not None:
                raise self._unsupported(node.span, f"a pointer to {node.id}")
            case ast.Member(base=ast.Name(id="this")):
                return f"{THIS}.{node.field}", POSTFIX
            case ast.Lambda():
                raise self._unsupported(node.span, "a lambda")
            case ast.Call():
                return self._writer.call(node), POSTFIX
            case ast.Construct():
                return self._construct(node), POSTFIX
        overloaded = self.operator(node)
        return None if overloaded is None else (self._call_function(*overloaded), POSTFIX)

    def _unsupported(self, span: Span, what: str) -> SourceError:
        return cannot_record(self._program.file, span, what)

    def operator(self, node: Expr) -> tuple[Function, tuple[Expr, ...]] | None:
        """Return the program's overload that an operator calls, with its operands; None for a built-in operator."""
        operands: tuple[Expr, ...]
        match node:
            case ast.Binary():
                op, operands = node.op, (node.left, node.right)
            case ast.Assign():
                op, operands = node.op, (node.target, node.value)
            case ast.Unary():
                op, operands = node.op, (node.operand,)
            case ast.Update():
                dummy = () if node.prefix else (ast.Number(node.span, 0, INT),)  # `x++` passes an int, [over.inc]
                op, operands = node.op, (node.target, *dummy)
            case ast.Index():
                if self._ends_in_operator(node):
                    return None
                op, operands = "[]", (node.base, node.index)
            case _:
                return None
        function = self.callee(node.span, f"operator{op}", f".operator{op}")
        return None if function is None else (function, operands)

    def _ends_in_operator(self, node: ast.Index) -> bool:
        """Return whether `a[i]` of `a[i][j]` is an overloaded operator, whose span, and so whose callee, both share."""
        if not isinstance(node.base, ast.Index) or node.base.span != node.span:
            return False
        first = self.operator(node.base)
        return first is not None and not isinstance(value_type(first[0].returns), Struct)

    def callee(self, span: Span, *names: str) -> Function | None:
        """Return the program's function that a call at this place resolves to; None when it is not the program's.

        Raises
        ------
        SourceError
            When a macro makes several calls at one place that resolve to different functions.
        """
        for name in names:
            found = self._linked.calls.get((id(self._writer.inside_of), span, name), ())
            if len(found) > 1:
                raise self._unsupported(span, f"a macro that calls several functions named {name}")
            if found:
                return found[0]
        return None

    def refuse_returned_lvalue(self, node: Expr) -> None:
        """Refuse an lvalue that a function returns: the text cannot tell whether it is a register or memory.

        Raises
        ------
        SourceError
            For a call of a function that returns a reference.
        """
        if isinstance(node, ast.Call):
            function = self.callee(node.span, node.function)
        else:
            function, _ = self.operator(node) or (None, ())
        if function is not None and isinstance(function.returns, Reference):
            raise self._unsupported(node.span, f"the reference that {function.name} returns")

    def call(self, node: ast.Call) -> str:
        """Return a call, of the program's own function or a built-in one."""
        function = self.callee(node.span, node.function, *self._helpers(node))
        if function is not None:
            # In the simulator's own text `reduce` of a group takes only the value, in CUDA the group as well.
            grouped = node.function == "reduce" and len(function.parameters) < len(node.arguments)
            arguments = node.arguments[1:2] if grouped else node.arguments
            if node.function.removeprefix("__builtin_") in ("memcpy", "memset"):  # of any types, word by word
                taken = zip(arguments, function.parameters, strict=False)
                arguments = tuple(ast.Cast(node.span, parameter.type, a) for a, parameter in taken)
            return self._call_function(function, arguments)
        static = self.callee(node.span, *self._static(node))
        if static is not None:
            return self._call_function(static, node.arguments[1:])
        if node.function in PRINTING:
            values = tuple((a, False) for a in node.arguments if not isinstance(a, ast.String))
            return f"ts_values{{{', '.join(self._writer.argument(*value) for value in values)}}}.none()"
        return self._writer.built_in(node)

    def _helpers(self, node: ast.Call) -> Iterator[str]:
        """Yield the keys of helper functions that the simulator has written for a call, such as those of memcpy.

        `kernels.simt.compiler.calls.device_helpers` makes them: the called name, " of ", then the place and the text.
        """
        start = f"{node.function.removeprefix('__builtin_')} of "
        for owner, span, name in self._linked.calls:
            if owner == id(self._writer.inside_of) and span == node.span and name.startswith(start):
                yield name

    def _static(self, node: ast.Call) -> Iterator[str]:
        """Yield the qualified names of static member functions that `object.f()` may call."""
        for owner, span, name in self._linked.calls:
            if owner == id(self._writer.inside_of) and span == node.span and name.endswith(f"::{node.function[1:]}"):
                yield from [name] if node.function.startswith(".") else []

    def built_in(self, node: ast.Call) -> str:
        """Return a call of one of CUDA's own functions."""
        return self.in_order([(a, False) for a in node.arguments], lambda texts: self.join_call(node, texts))

    def join_call(self, node: ast.Call, texts: Sequence[str]) -> str:
        """Return a call of one of CUDA's own functions from the texts of its arguments."""
        name, arguments = node.function, list(texts)
        if name in WITHOUT_EFFECT:
            return "(void)0"
        if name == "synchronize":  # of a group, as CUDA 9 called it
            name = "sync"
        if name in WITHOUT_MASK:
            name, arguments = f"{name}_sync", ["__activemask()", *arguments]
        if name.startswith("__shfl") and name.endswith("_tile"):
            if isinstance(self._writer.inside_of.returns, Struct):
                raise self._unsupported(node.span, "a shuffle of structs")
            name = f"{name.removesuffix('tile')}sync"
        if node.template:
            parts = (spell(t) if not isinstance(t, ast.Expr) else self._writer.text(t) for t in node.template)
            name += f"<{', '.join(parts)}>"
        if name.startswith("."):
            name = f"{arguments.pop(0)}{name}"
        return f"{name}({', '.join(arguments)})"

    def _call_function(self, function: Function, arguments: tuple[Expr, ...]) -> str:
        """Return a call of a function of the program."""
        values = [self.construct_implicitly(a, p.type) for a, p in zip(arguments, function.parameters, strict=False)]
        if function.template:  # the instance of `T *` for `const float *` has lost its const
            values = [drop_const(a, p.type) for a, p in zip(values, function.parameters, strict=False)]
        return self._writer.invoke(function, bind_arguments(function, tuple(values)))

    def construct_implicitly(self, node: Expr, kind: CType, span: Span | None = None) -> Expr:
        """Return a value as an explicit call of the converting constructor that C++ would call for this type.

        `span` is a second place at which the simulator may have noted that call: the declaration's.
        """
        by_reference = isinstance(kind, Reference) and not kind.const
        kind = value_type(kind)
        if by_reference or isinstance(node, ast.Construct) or not isinstance(kind, Struct):
            return node
        for at in (node.span, span or node.span):
            if self.callee(at, kind.constructor) is not None:
                return ast.Construct(at, kind, (node,))
        return node

    def invoke(self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()) -> str:
        """Return a call with arguments as `in_order` takes them, after those that are text already."""
        name = self._writer.name_of(function)
        return self.in_order(arguments, lambda texts: f"{name}({', '.join((*first, *texts))})")

    def _construct(self, node: ast.Construct) -> str:
        """Return a struct or number made of values in braces."""
        kind, writer = node.type, self._writer
        constructor = self.callee(node.span, kind.constructor) if isinstance(kind, Struct) else None
        if constructor is not None:
            arguments = bind_arguments(replace(constructor, parameters=constructor.parameters[1:]), node.values)
            before = writer.before_constructor(node)
            call = writer.invoke(constructor, arguments, ("ts_made",))
            value = writer.constructed_value(node)
            return f"([&] {{ {spell(kind)} ts_made{{}}; {before}{call}; return {value}; }}())"
        if isinstance(kind, Scalar | Pointer):
            return f"({spell(kind)})({writer.text(node.values[0])})" if node.values else f"({spell(kind)})0"
        kinds = (
            initializer_types(kind, node.values) if isinstance(kind, Struct | Array) else (AUTO for _ in node.values)
        )
        values = [writer.inside(convert_member(v, t), ASSIGN) for v, t in zip(node.values, kinds, strict=False)]
        return f"{'' if isinstance(kind, Named | Array) else spell(kind)}{{{', '.join(values)}}}"

    def in_order(
        self, arguments: Sequence[tuple[Expr, bool]], finish: Callable[[list[str]], str], *, force: bool = False
    ) -> str:
        """Return text made of arguments, each with whether it is an lvalue that a reference binds to.

        Where the order matters (or with `force`) the arguments become variables of a lambda, left to right, because C++
        does not order them: `f(a[i], b[j])` turns into
        `([&]() -> decltype(auto) { auto ts_0 = a[i]; auto ts_1 = b[j]; return f(ts_0, ts_1); }())`. So does a value
        that a reference binds to, which needs a variable.
        """
        texts = [self._writer.argument(*argument) for argument in arguments]
        force = force or self._writer.order_matters([node for node, _ in arguments])
        if not force and not any(reference and isinstance(node, PRVALUES) for node, reference in arguments):
            return finish(texts)
        lines = []
        for number, (node, reference) in enumerate(arguments):
            if not isinstance(node, LITERAL):
                lines.append(f"auto{' &&' if reference else ' '}ts_{number} = {texts[number]};")
                texts[number] = f"ts_{number}"
        return f"([&]() -> decltype(auto) {{ {' '.join(lines)} return {finish(texts)}; }}())"
