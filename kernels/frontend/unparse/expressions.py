"""Expressions back to C text, and the source text of a span."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend import ast
from kernels.frontend.ast import Expr, Span
from kernels.frontend.types import AUTO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kernels.frontend.types import CType

    WriteExpression = Callable[[Expr], tuple[str, int]]

_BINARY: Final = {
    op: level
    for level, ops in enumerate(
        (",", "=", "?:", "||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"), start=1
    )
    for op in ops.split()
}
ASSIGN: Final = _BINARY["="]
_CONDITIONAL: Final = _BINARY["?:"]
UNARY: Final = _BINARY["*"] + 1
POSTFIX: Final = UNARY + 1
_ATOM: Final = POSTFIX + 1

_SUFFIX: Final = {"unsigned int": "u", "long long": "ll", "unsigned long long": "ull"}
_INT_MAX: Final = 2**31 - 1
_LEAST: Final = {-(2**31): "INT_MIN", -(2**63): "LLONG_MIN"}
"""Smallest integers, which C cannot write as a minus and digits: these alone would be too large."""
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}

_IN_CHAR: Final = {**_ESCAPES, '"': '"', "'": "\\'"}


def text_of(program_text: str, span: Span, included: Iterable[tuple[str, str]] = ()) -> str:
    """Return the source text of a span, as written: macros not expanded, comments and line ends kept.

    `included` are names and texts of included files; a span in a file that is not among them has no text.
    """
    if span.inside is not None:
        program_text, span = dict(included).get(span.inside.file, ""), span.inside
    lines = list(_lines(program_text)[span.line - 1 : span.end_line])
    if not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def one_line_text(program_text: str, span: Span, included: Iterable[tuple[str, str]] = ()) -> str:
    """Return the source text of a span on one line, each white space as one blank."""
    return " ".join(text_of(program_text, span, included).split())


@lru_cache(maxsize=64)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))


def render(expression: Expr, names: Mapping[str, str] | None = None) -> str:
    """Write an expression in C with as few parentheses as it needs, and those that make bitwise operators readable.

    Parameters
    ----------
    expression : Expr
        The tree.
    names : Mapping[str, str] | None
        Texts that replace names, as ``{"row": "3"}``; `threadIdx.x` is replaced as ``"threadIdx.x"``.
    """
    return Renderer(names or {}).write(expression)[0]


class Renderer:
    """Writes an expression; returns its text with the level of its outermost operator.

    `nested`, if given, writes the operands of every expression, so that another writer can change some of them.
    """

    def __init__(self, names: Mapping[str, str], nested: WriteExpression | None = None) -> None:
        self._names = names
        self._write_nested = nested or self.write

    def write(self, node: Expr) -> tuple[str, int]:
        """Return the text of an expression and the level of its outermost operator."""
        match node:
            case ast.Name(id="this"):
                return "*this", UNARY
            case ast.Name():
                name, level = self._name(node.id)
                return (name + self._template_arguments(node.template), POSTFIX) if node.template else (name, level)
            case ast.Number():
                text = _number(node)
                return text, UNARY if text[0] in "-(" else _ATOM
            case ast.String():
                return '"' + "".join(_ESCAPES.get(c, c) for c in node.value) + '"', _ATOM
            case ast.Member():
                return self._member(node)
            case ast.Index():
                return f"{self.inside(node.base, POSTFIX)}[{self.inside(node.index, ASSIGN)}]", POSTFIX
            case ast.Call():
                return self._call(node), POSTFIX
            case ast.Lambda():
                listed = ", ".join(f"{p.type} {p.name}" for p in node.code.parameters)
                return f"[{self.captures(node)}]({listed}) {{ … }}", POSTFIX
            case ast.SizeOf():
                operand = node.operand
                return (
                    f"sizeof({self.inside(operand, 0) if isinstance(operand, Expr) else operand})",
                    POSTFIX,
                )
            case ast.Construct():
                kind = "" if node.type == AUTO else node.type
                return f"{kind}{{{self.comma_list(node.values)}}}", POSTFIX
            case ast.Update() if not node.prefix:
                return f"{self.inside(node.target, POSTFIX)}{node.op}", POSTFIX
            case _:
                return self._operator(node)

    def _call(self, node: ast.Call) -> str:
        name, arguments = node.function, node.arguments
        if name.startswith("."):  # a member function of its first argument
            owner, arguments = arguments[0], arguments[1:]
            whole = name == ".operator()"
            member = ast.Member(node.span, owner, name[1:])
            name = self.inside(owner, POSTFIX) if whole else self._member(member)[0]
        return f"{name}{self._template_arguments(node.template)}({self.comma_list(arguments)})"

    def _template_arguments(self, template: tuple[CType | Expr, ...]) -> str:
        arguments = ", ".join(self.inside(part, ASSIGN) if isinstance(part, Expr) else str(part) for part in template)
        return f"<{arguments}>" if arguments else ""

    def captures(self, node: ast.Lambda) -> str:
        """Return the captures of a lambda: the copied variables, and references to all others."""
        own = [f"{name} = {self.inside(value, ASSIGN)}" for name, value in node.values]
        return ", ".join(("=" if node.by_value else "&", *([] if node.by_value else node.copies), *own))

    def _operator(
        self, node: ast.Unary | ast.Binary | ast.Conditional | ast.Assign | ast.Update | ast.Cast
    ) -> tuple[str, int]:
        match node:
            case ast.Unary() | ast.Update():
                operand = self.inside(node.target if isinstance(node, ast.Update) else node.operand, UNARY)
                # `-(-x)` needs parentheses: `--x` is another operator.
                return node.op + (f"({operand})" if operand[0] == node.op[0] else operand), UNARY
            case ast.Cast():
                return f"({node.type}){self.inside(node.operand, UNARY)}", UNARY
            case ast.Binary(op=","):
                return f"{self.inside(node.left, 1)}, {self.inside(node.right, 2)}", 1
            case ast.Binary(op="&" | "^" | "|"):
                level = _BINARY[node.op]
                left, right = self._bitwise(node.left, level), self._bitwise(node.right, UNARY)
                return f"{left} {node.op} {right}", level
            case ast.Binary():
                level = _BINARY[node.op]
                return (
                    f"{self.inside(node.left, level)} {node.op} {self.inside(node.right, level + 1)}",
                    level,
                )
            case ast.Conditional():
                condition = self.inside(node.condition, _CONDITIONAL + 1)
                then, otherwise = self.inside(node.then, ASSIGN), self.inside(node.otherwise, _CONDITIONAL)
                return f"{condition} ? {then} : {otherwise}", _CONDITIONAL
            case ast.Assign():
                target, value = self.inside(node.target, UNARY), self.inside(node.value, ASSIGN)
                return f"{target} {node.op} {value}", ASSIGN

    def inside(self, node: Expr, least: int) -> str:
        """Return the text of an expression, in parentheses where its operator binds less than `least`."""
        text, level = self._write_nested(node)
        return text if level >= least else f"({text})"

    def _bitwise(self, node: Expr, chained: int) -> str:
        """Return an operand of `&`, `^` or `|`, in parentheses if it is a binary operator of a level but `chained`.

        C does not need them in `(ty + r) ^ tx`, but few readers know which of the two operators binds more.
        """
        text, level = self._write_nested(node)
        return text if level == chained or level >= UNARY else f"({text})"

    def comma_list(self, arguments: tuple[Expr, ...]) -> str:
        """Return expressions with commas between."""
        return ", ".join(self.inside(argument, ASSIGN) for argument in arguments)

    def _member(self, node: ast.Member) -> tuple[str, int]:
        if node.base == ast.Name(node.base.span, "this"):
            return f"this->{node.field}", POSTFIX
        if isinstance(node.base, ast.Unary) and node.base.op == "*":
            return f"{self.inside(node.base.operand, POSTFIX)}->{node.field}", POSTFIX
        # `threadIdx.x` may be replaced as a whole, by its value.
        plain = render(node.base) + "." + node.field
        if plain in self._names:
            return self._name(plain)
        return f"{self.inside(node.base, POSTFIX)}.{node.field}", POSTFIX

    def _name(self, name: str) -> tuple[str, int]:
        text = self._names.get(name, name)
        if re.fullmatch(r"\w[\w.:]*(e[+-]\w+)?", text):
            return text, _ATOM
        return text, UNARY if re.fullmatch(r"-[\w.]+(e[+-]\w+)?", text) else 0


def _number(node: ast.Number) -> str:
    kind = node.type.name
    if kind == "bool":
        return "true" if node.value else "false"
    if kind == "char":
        code = int(node.value) & 0xFF
        escaped = chr(code) if 32 <= code < 127 else f"\\x{code:02x}"
        return f"'{_IN_CHAR.get(chr(code), escaped)}'"
    if node.value in _LEAST and node.type.dtype.kind == "i":
        return _LEAST[int(node.value)]
    if not math.isfinite(node.value):
        text = "NAN" if math.isnan(node.value) else "-INFINITY" if node.value < 0 else "INFINITY"
        return text if kind == "float" else f"({kind}){text}"
    if node.type.dtype.kind != "f":
        # A decimal literal above the largest int is a long by itself ([lex.icon]).
        plain = kind == "long long" and abs(node.value) > _INT_MAX
        return f"{node.value}{'' if plain else _SUFFIX.get(kind, '')}"
    if kind == "float":
        return f"{_shortest(str(np.float32(node.value)))}f"
    return _shortest(repr(float(node.value)))


def _shortest(text: str) -> str:
    return re.sub(r"e([+-])0+(?=\d)", r"e\1", text)
