"""Programs to CUDA C: one statement per line, macros expanded, without comments."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from kernels.frontend import ast, types
from kernels.frontend.ast import Expr
from kernels.frontend.headers.cooperative_groups import is_group
from kernels.frontend.types import (
    AUTO,
    HALF,
    VECTORS,
    Array,
    FunctionPointer,
    Named,
    Pointer,
    Reference,
    Struct,
)
from kernels.frontend.unparse.expressions import POSTFIX, UNARY, Renderer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kernels.frontend.types import CType

_SPACES: Final = {"auto": "", "shared": "__shared__ ", "constant": "__constant__ ", "global": "__device__ "}
_INDENT: Final = "    "


def write(program: ast.Program) -> str:
    """Write a program in CUDA C: structs, variables and functions, without templates."""
    return Writer().program(program)


def spell(kind: CType, name: str = "", *, const: bool = False) -> str:
    """Write a declaration of `name`, or the bare type, as C does: around the name.

    `const` applies to the declared object, not to the target of a pointer.
    """
    match kind:
        case Array():
            return spell(kind.of, f"{name}[{kind.length or ''}]", const=const)
        case Pointer():
            # A declarator is written from the inside: `int (*p)[4]` is an array of 4 around `*p`.
            inner = f"*{'const ' if const and name else 'const' if const else ''}{name}"
            return spell(kind.to, f"({inner})" if isinstance(kind.to, Array) else inner, const=kind.const)
        case Reference():
            inner = f"&{name}"
            return spell(kind.to, f"({inner})" if isinstance(kind.to, Array) else inner, const=kind.const)
        case FunctionPointer():
            listed = ", ".join(spell(parameter) for parameter in kind.parameters)
            inner = f"*{'const ' if const and name else ''}{name}"
            return spell(kind.returns, f"({inner})({listed})")
    plain = str(kind)
    if isinstance(kind, Struct | Named) and not is_group(kind):
        plain = re.sub(r"\W", "_", plain)  # an instance of a template has a name such as Pair<float>
    text = f"const {plain}" if const else plain
    return f"{text} {name}" if name else text


class Dialect(Protocol):
    """A writer that changes the text of some constructs: it gets every nested part, and may call a `Writer`."""

    def write(self, node: Expr) -> tuple[str, int]: ...  # noqa: D102
    def statement(self, node: ast.Statement, depth: int) -> list[str]: ...  # noqa: D102
    def simple(self, node: ast.Statement) -> list[str]: ...  # noqa: D102
    def body(self, node: ast.Statement, depth: int) -> list[str]: ...  # noqa: D102
    def declaration(self, variables: tuple[ast.Variable, ...]) -> str: ...  # noqa: D102


class Writer(Renderer):
    """Writes programs and their parts; a `dialect`, if given, writes the nested parts."""

    def __init__(self, dialect: Dialect | None = None) -> None:
        super().__init__({}, None if dialect is None else dialect.write)
        self._dialect: Dialect = self if dialect is None else dialect

    # --- program ---------------------------------------------------------------------------------------

    def program(self, program: ast.Program) -> str:
        """Return the whole text."""
        kinds = list(types_in((program.variables, program.functions)))
        parts = self.includes(kinds)
        # Types come in the order in which they were needed: a struct after the structs of its members.
        own_functions = [f for f in program.functions if "::" in f.name]
        structs = [kind for kind in dict.fromkeys(kinds) if isinstance(kind, Struct) and is_user_struct(kind)]
        parts += [self.struct(kind, own_functions) for kind in structs]
        parts += [f"{self.declaration((variable,))};" for variable in program.variables]
        parts += [self.function(f) for f in program.functions if "::" not in f.name]
        return "\n\n".join(parts) + "\n"

    def includes(self, kinds: Iterable[CType]) -> list[str]:
        """Return the #include lines that types need."""
        return ["#include <cuda_fp16.h>"] if {HALF, VECTORS["half2"]} & set(kinds) else []

    def struct(self, kind: Struct, functions: Iterable[ast.Function] = ()) -> str:
        """Return the definition of a struct, with those of the functions that are its members."""
        least = types.struct("", [(field.name, field.type) for field in kind.fields]).align_bytes
        words = "union" if kind.union else "struct"
        if kind.align_bytes > least:
            words += f" __align__({kind.align_bytes})"
        inherits = f" : {spell(kind.base)}" if kind.base is not None else ""
        listed = kind.fields[len(kind.base.fields) if kind.base is not None else 0 :]
        lines = [f"{words} {spell(kind)}{inherits} {{"]
        lines += [f"{_INDENT}{_alignment(kind, field)}{spell(field.type, field.name)};" for field in listed]
        for function in functions:
            if function.name.rpartition("::")[0] == kind.name:
                lines += [f"{_INDENT}{line}" for line in self.function(function).splitlines()]
        return "\n".join((*lines, "};"))

    def function(self, node: ast.Function) -> str:
        """Return the definition of a function."""
        return f"{self.head(node)}\n" + "\n".join(self.statement(node.body, 0))

    def head(self, node: ast.Function) -> str:
        """Return the declaration of a function, without its body."""
        owner, colons, name = node.name.rpartition("::")
        this = node.parameters[0].type if [p.name for p in node.parameters[:1]] == ["this"] else None
        parameters = [self.parameter(p) for p in node.parameters[this is not None :]]
        words = "__global__ " if node.kernel else "__device__ "
        if colons and this is None:
            words += "static "
        if colons and name == owner.partition("<")[0]:
            return f"{words}{name}({', '.join(parameters)})"
        tail = " const" if isinstance(this, Reference) and this.const else ""
        if name.startswith("operator "):  # a conversion has no return type before its name
            return f"{words}operator {spell(node.returns)}(){tail}"
        return words + spell(node.returns, f"{name}({', '.join(parameters)})") + tail

    def parameter(self, node: ast.Parameter) -> str:
        """Return one parameter."""
        value = f" = {self.write(node.default)[0]}" if node.default is not None else ""
        return spell(node.type, node.name) + value

    # --- statements ------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of a statement."""
        pad = _INDENT * depth
        match node:
            case ast.Block():
                inner = [line for child in node.body for line in self._dialect.statement(child, depth + 1)]
                return [f"{pad}{{", *inner, f"{pad}}}"]
            case ast.If():
                lines = [f"{pad}if ({self.text(node.condition)})", *self._dialect.body(node.then, depth)]
                if node.otherwise is not None:
                    lines += [f"{pad}else", *self._dialect.body(node.otherwise, depth)]
                return lines
            case ast.For():
                return [f"{pad}for ({self._for(node)})", *self._dialect.body(node.body, depth)]
            case ast.While(first=True):
                return [
                    f"{pad}do",
                    *self._dialect.body(node.body, depth),
                    f"{pad}while ({self.text(node.condition)});",
                ]
            case ast.While():
                return [f"{pad}while ({self.text(node.condition)})", *self._dialect.body(node.body, depth)]
            case ast.Switch():
                return [f"{pad}switch ({self.text(node.value)}) {{", *self._cases(node, depth), f"{pad}}}"]
            case _:
                return [f"{pad}{line}" for line in self._dialect.simple(node)]

    def simple(self, node: ast.Statement) -> list[str]:
        """Return the lines of a statement that contains no other."""
        match node:
            case ast.Declare():
                return [f"{self._dialect.declaration(node.variables)};"]
            case ast.Do():
                return [f"{self.text(node.expression)};"]
            case ast.Return():
                return [f"return {self.initialiser(node.value)};" if node.value is not None else "return;"]
            case ast.Assembly():
                return [self._assembly(node)]
            case ast.Break() | ast.Continue():
                return [f"{type(node).__name__.lower()};"]
            case ast.Goto():
                return [f"goto {node.name};"]
            case ast.Label():
                return [f"{node.name}:;"]
        raise AssertionError(f"{type(node).__name__} is no simple statement")

    def body(self, node: ast.Statement, depth: int) -> list[str]:
        """Return the lines of the body of an if or a loop."""
        return self._dialect.statement(node, depth if isinstance(node, ast.Block) else depth + 1)

    def text(self, node: Expr) -> str:
        """Return the text of an expression."""
        return self._dialect.write(node)[0]

    def start(self, node: ast.Statement) -> str:
        """Return the first part of a for."""
        if isinstance(node, ast.Declare):
            return self._dialect.declaration(node.variables)
        return self._dialect.simple(node)[0].removesuffix(";")

    def _for(self, node: ast.For) -> str:
        start = "" if node.start is None else self.start(node.start)
        condition = "" if node.condition is None else f" {self.text(node.condition)}"
        step = "" if node.step is None else f" {self.text(node.step)}"
        return f"{start};{condition};{step}"

    def _cases(self, node: ast.Switch, depth: int) -> Iterator[str]:
        pad = _INDENT * depth
        for case in node.cases:
            yield from (f"{pad}case {self.text(value)}:" for value in case.values)
            if case.default:
                yield f"{pad}default:"
            for child in case.body:
                yield from self._dialect.statement(child, depth + 1)

    def _assembly(self, node: ast.Assembly) -> str:
        quoted = self.write(ast.String(node.span, node.template))[0]
        operands = (
            ", ".join(f'"{constraint}"({self.text(operand)})' for constraint, operand in side)
            for side in (node.outputs, node.inputs)
        )
        return f"asm volatile({' : '.join((quoted, *operands))});"

    # --- declarations ----------------------------------------------------------------------------------

    def declaration(self, variables: tuple[ast.Variable, ...]) -> str:
        """Return the declaration of variables that share the type all declarators begin with."""
        first = variables[0]
        start = ("extern " if first.dynamic else "") + _SPACES[first.space]
        base = _base(first)
        # `int a, *b` is one declaration: each declarator is spelled with its type, and the common `int` is cut off.
        declarators = (spell(v.type, v.name, const=v.const).removeprefix(base).strip() for v in variables)
        values = (f" = {self.initialiser(v.value)}" if v.value is not None else "" for v in variables)
        return f"{start}{base} " + ", ".join(d + v for d, v in zip(declarators, values, strict=True))

    def initialiser(self, value: Expr | tuple[Expr, ...]) -> str:
        """Return the text of a variable's or return's value: an expression, or values in braces."""
        if isinstance(value, tuple):
            return f"{{{self.comma_list(value)}}}"
        if isinstance(value, ast.Construct) and value.type == AUTO:
            return f"{{{self.comma_list(value.values)}}}"
        return self.inside(value, 2)

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of an expression and the level of its outermost operator."""
        match node:
            case ast.Lambda():
                listed = ", ".join(self.parameter(p) for p in node.code.parameters)
                body = " ".join(line.strip() for line in self._dialect.statement(node.code.body, 0))
                returns = "" if node.code.returns == AUTO else f" -> {spell(node.code.returns)}"
                words = " mutable" * node.mutable + returns
                return f"[{self.captures(node)}]({listed}){words} {body}", POSTFIX
            case ast.Cast():
                return f"({spell(node.type)}){self.inside(node.operand, UNARY)}", UNARY
            case ast.SizeOf() if not isinstance(node.operand, Expr):
                return f"sizeof({spell(node.operand)})", POSTFIX
        return super().write(node)


def is_user_struct(kind: Struct) -> bool:
    """Return whether the program declares a struct, not CUDA."""
    return VECTORS.get(kind.name) != kind and not is_group(kind)


def types_in(node: Any) -> Iterator[CType]:
    """Yield every type that a tree mentions, the types it consists of before it; some come more than once."""
    if isinstance(node, tuple):
        for child in node:
            yield from types_in(child)
    elif isinstance(node, Struct):
        if node.base is not None:
            yield from types_in(node.base)
        for field in node.fields:
            yield from types_in(field.type)
        yield node
    elif isinstance(node, FunctionPointer):
        yield from types_in((node.returns, *node.parameters))
    elif isinstance(node, Array | Pointer | Reference):
        yield from types_in(node.of if isinstance(node, Array) else node.to)
    elif node == HALF:
        yield HALF
    elif is_dataclass(node):
        for member in fields(node):
            yield from types_in(getattr(node, member.name))


def _base(variable: ast.Variable) -> str:
    """Return the specifiers that the declarators of one declaration share."""
    kind, const = variable.type, variable.const
    while isinstance(kind, Array | Pointer | Reference | FunctionPointer):
        match kind:
            case FunctionPointer():
                kind, const = kind.returns, False
            case Array():
                kind = kind.of
            case Pointer() | Reference():
                const = kind.const
                kind = kind.to
    return spell(kind, const=const)


def _alignment(kind: Struct, field: types.Field) -> str:
    """Return the `__align__` that a member needs for its offset; "" if its type is enough."""
    before = [other for other in kind.fields if other.offset_bytes < field.offset_bytes]
    ends = [other.offset_bytes + types.size_of(other.type) for other in before]
    end = max([*ends, kind.base.size_bytes if kind.base is not None and field not in kind.base.fields else 0])
    own = least = types.struct("", [(field.name, field.type)]).align_bytes
    while -(-end // own) * own < field.offset_bytes:
        own *= 2
    return f"__align__({own}) " if own > least else ""
