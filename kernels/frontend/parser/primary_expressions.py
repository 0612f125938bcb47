"""Primary expressions: strings, characters, lambdas, sizeof, the C++ casts, new and delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below
from kernels.frontend.lexer import literals
from kernels.frontend.lexer.tokens import wrong_token_message
from kernels.frontend.parser.cursor import KEYWORDS
from kernels.frontend.parser.part import Part
from kernels.frontend.types import (
    AUTO,
    BOOL,
    CHAR,
    INT,
    ULONG,
    CType,
    Named,
    Pointer,
    Reference,
    Struct,
    Void,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Expr
    from kernels.frontend.parser.cursor import Cursor
    from kernels.frontend.parser.grammar import Grammar
    from kernels.frontend.parser.state import State
    from kernels.frontend.types import CType

_CASTS: Final = {"static_cast", "reinterpret_cast", "const_cast"}

_NULL: Final = {"nullptr", "NULL"}

_BEFORE_BODY: Final = {"mutable", "constexpr", "noexcept", "__device__", "__host__", "__forceinline__"}


class PrimaryExpressions(Part):
    """Parses primary expressions other than numbers, variables and parentheses."""

    def __init__(self, tokens: Cursor, state: State, grammar: Grammar) -> None:
        super().__init__(tokens, state, grammar)
        self._words: Final[dict[str, Callable[[], Expr]]] = {
            "sizeof": self._sizeof,
            "alignof": self._alignof,
            "true": self._truth,
            "false": self._truth,
            "this": self._this,
            **dict.fromkeys(_NULL, self._null),
            **dict.fromkeys(_CASTS, self._cast_call),
        }

    def cast_type(self) -> CType | None:
        """Parse `(type)`; None, at the same token, for a value such as `(float(x))`."""
        opening = self.tokens.advance()
        if self.grammar.lookahead.declares():
            kind = self.grammar.declarators.type_id()
            if self.tokens.at == self.closes[opening]:
                self.tokens.at += 1
                return kind
            self.tokens.refuse_token()
        self.tokens.at = opening
        return None

    # primary: character | string+ | name … | lambda | word …
    def primary(self) -> Expr:
        """Parse a primary expression other than a number, a variable and parentheses."""
        at = self.tokens.at
        kind, text = self.kinds[at], self.texts[at]
        if kind == "name":
            word = self._words.get(text)
            if word is not None:
                return word()
            if text in KEYWORDS and not self.grammar.lookahead.starts_type(at):
                return self.refuse_word(text)
            return self.grammar.names.id_expression()
        if kind == "string":
            return self._string()
        if kind == "char":
            return self._character(text)
        if text == "::":
            return self.grammar.names.id_expression()
        if kind == "wrong":
            self.tokens.refuse(at, wrong_token_message(text))
        if text == "[":
            return self.closure()
        if text == "{":
            self.tokens.unsupported(at, "{ … } here", "use it after = in a declaration")
        if text in (")", "]", "}", ";", "") or kind == "end":
            self.tokens.refuse_missing("a value")
        self.tokens.refuse_token()

    def _character(self, text: str) -> Expr:
        value = self._resolve_escapes(text)
        if len(value) != 1 or ord(value) > 255:
            self.tokens.unsupported(self.tokens.at, f"character {text}", "one character of one byte")
        code = ord(value)
        self.tokens.at += 1
        return ast.Number(self.tokens.span(self.tokens.at - 1), code - 256 if code > 127 else code, CHAR)

    def _string(self) -> Expr:
        first = self.tokens.at
        return ast.String(self.span_of_string(), self.string(first))

    def span_of_string(self) -> ast.Span:
        """Skip neighbouring string literals and return their span."""
        first = self.tokens.at
        while self.kinds[self.tokens.at] == "string":
            self.tokens.at += 1
        return self.tokens.span(first)

    def string(self, first: int) -> str:
        """Resolve the string literals from a token up to this one, joined."""
        end, self.tokens.at = self.tokens.at, first
        parts = []
        while self.tokens.at < end:
            parts.append(self._resolve_escapes(self.texts[self.tokens.at]))
            self.tokens.at += 1
        return "".join(parts)

    def _resolve_escapes(self, text: str) -> str:
        if text.startswith('R"'):
            opened = text.index("(")
            return text[opened + 1 : -opened]
        if text[0] not in "\"'":
            self.tokens.unsupported(self.tokens.at, f"prefix of {text}", "a plain one")
        try:
            return literals.characters(text[1:-1])
        except ValueError as error:
            self.tokens.refuse(self.tokens.at, str(error))

    def _truth(self) -> Expr:
        self.tokens.at += 1
        return ast.Number(self.tokens.span(self.tokens.at - 1), int(self.texts[self.tokens.at - 1] == "true"), BOOL)

    def _null(self) -> Expr:
        self.tokens.at += 1
        return ast.Number(self.tokens.span(self.tokens.at - 1), 0, INT)

    def _this(self) -> Expr:
        self.tokens.at += 1
        span = self.tokens.span(self.tokens.at - 1)
        return ast.Unary(span, "&", ast.Name(span, "this"))

    # sizeof: 'sizeof' ('(' type ')' | unary)
    def _sizeof(self) -> Expr:
        first = self.tokens.advance()
        if self.texts[self.tokens.at] == "...":
            return self.grammar.packs.sizeof_pack(first)
        if self.texts[self.tokens.at] == "(" and self.grammar.lookahead.starts_type(self.tokens.at + 1):
            kind = self.cast_type()
            if kind is not None:
                return ast.SizeOf(self.tokens.span(first), kind)
        operand = self.grammar.expressions.operand()
        name, kind = self.state.declaring
        if kind is not None and self.state.scopes.find(name) is None and _names(operand, name):
            self.state.scopes.open()
            self.state.scopes.declare_variable(name, kind)
            own = self.grammar.function_templates.expression_type(operand)  # `float *p = malloc(n * sizeof *p);`
            self.state.scopes.close()
            if own is not None:
                return ast.SizeOf(self.tokens.span(first), own)
        return ast.SizeOf(self.tokens.span(first), operand)

    def _alignof(self) -> Expr:
        first = self.tokens.advance()
        self.tokens.require("(")
        kind = self.grammar.declarators.type_id()
        self.tokens.require(")")
        if isinstance(kind, Void | Named):
            self.tokens.refuse(first, f"alignof({kind}) has no value")
        return ast.Number(self.tokens.span(first), kind.align_bytes, ULONG)

    # cast_call: cast '<' type '>' '(' expression ')'
    def _cast_call(self) -> Expr:
        first = self.tokens.at
        word = self.texts[first]
        self.tokens.at += 1
        self.tokens.require("<")
        kind = self.grammar.declarators.type_id()
        if self.texts[self.tokens.at] not in (">", ">>"):
            self.tokens.refuse(first, f"syntax error: {word} needs one type")
        self.grammar.template_arguments.close_angle()
        if self.texts[self.tokens.at] != "(":
            self.tokens.refuse_missing("'('")
        arguments = self.grammar.expressions.arguments()
        if len(arguments) != 1:
            self.tokens.refuse(first, f"a conversion to {kind} takes one value, {len(arguments)} are given")
        span = self.tokens.span(first)
        if isinstance(kind, Reference):
            return self.reinterpret(span, kind, arguments[0])
        if isinstance(kind, Struct):
            return ast.Construct(span, kind, arguments)
        return ast.Cast(span, kind, arguments[0])

    def reinterpret(self, span: ast.Span, kind: Reference, value: Expr) -> Expr:
        """Return the lvalue of a cast to `T &`: `*(T *)&x`."""
        address = ast.Unary(span, "&", value)
        return ast.Unary(span, "*", ast.Cast(span, Pointer(kind.to, kind.const), address))

    # closure: '[' captures ']' ('(' parameters ')')? word* ('->' type)? block
    def closure(self) -> Expr:
        """Parse a lambda."""
        first = self.tokens.at
        copies, values, by_value = self._captures()
        if self.texts[self.tokens.at] == "<":
            self.tokens.unsupported(self.tokens.at, "template lambda", "write auto: [](auto x) { … }")
        outside, self.state.in_angles = self.state.in_angles, False
        self.state.scopes.open()
        for name, value in values:
            self.state.scopes.declare_variable(name, self.grammar.function_templates.expression_type(value) or AUTO)
        parameters = self.grammar.declarations.parameters() if self.texts[self.tokens.at] == "(" else ()
        words: set[str] = set()
        while self.grammar.lookahead.skip_attribute() or self.texts[self.tokens.at] in _BEFORE_BODY:
            if self.texts[self.tokens.at] in _BEFORE_BODY:
                words.add(self.texts[self.tokens.at])
                self.tokens.at += 1
        returns: CType = self.grammar.declarators.type_id() if self.tokens.take("->") else AUTO
        self.tokens.enter_level()
        body = self.grammar.statements.function_body(returns)
        self.tokens.depth -= 1
        self.state.scopes.close()
        self.state.in_angles = outside
        span = self.tokens.span(first)
        self.state.tree_height = 1
        function = ast.Function(span, "lambda", False, returns, parameters, body)
        return ast.Lambda(span, by_value, copies, "mutable" in words, function, values)

    # captures: '[' ('&' | '=' | '&'? name | name '=' assignment | 'this') , … ']'
    def _captures(self) -> tuple[tuple[str, ...], tuple[tuple[str, Expr], ...], bool]:
        """Parse captures: return (names that are copied, init-captures, whether all others are copied)."""
        close = self.closes[self.tokens.at]
        self.tokens.at += 1
        copies: list[str] = []
        values: list[tuple[str, Expr]] = []
        by_value = False
        while self.tokens.at != close:
            first = self.tokens.at
            reference = self.tokens.take("&")
            if not reference and self.tokens.take("="):
                by_value = True
            elif not self.tokens.take("this") and not (reference and self.texts[self.tokens.at] in (",", "]")):
                name = self.tokens.name()
                if not reference and self.tokens.take("="):
                    values.append((name, self.grammar.expressions.inside(self.grammar.expressions.assignment)))
                else:
                    copies += [] if reference else [name]
            if self.texts[self.tokens.at] not in (",", "]"):
                self.tokens.unsupported(first, "this capture of a lambda", "declare a variable before the lambda")
            if self.tokens.at != close:
                self.tokens.at += 1
        self.tokens.at = close + 1
        return tuple(copies), tuple(values), by_value

    def refuse_word(self, text: str) -> Expr:
        """Parse an allocation; refuse any other keyword that begins no expression."""
        if text == "new":
            return self._allocation()
        return self._release() if text == "delete" else self.grammar.names.refuse_keyword(text)

    # new: 'new' specifiers '*'* ('[' expression ']' ('(' ')' | '{' '}')? | '(' values ')' | braces)?
    def _allocation(self) -> Expr:
        """Parse an allocation: a call of "new" with the value, or of "new[]" with the number, and of the type."""
        first = self.tokens.advance()
        if self.texts[self.tokens.at] == "(":
            self.tokens.unsupported(first, "placement new", "assign to the place")
        kind = self.grammar.types.specifiers().type
        while self.tokens.take("*"):
            kind = Pointer(kind)
        text, opening = self.texts[self.tokens.at], self.tokens.at
        if text == "[":
            self.tokens.at += 1
            count = self.grammar.expressions.inside(self.grammar.expressions.expression)
            self.grammar.expressions.close(opening)
            if self.texts[self.tokens.at] in ("(", "{"):
                if self.closes[self.tokens.at] != self.tokens.at + 1:
                    self.tokens.unsupported(
                        self.tokens.at, "values of an array that new makes", "assign them in a loop"
                    )
                self.tokens.at += 2
                return ast.Call(self.tokens.span(first), "new[]{}", (count,), (kind,))
            result = self._default_value(kind) is not None
            return ast.Call(self.tokens.span(first), "new[]{}" if result else "new[]", (count,), (kind,))
        if text == "{":
            return ast.Call(self.tokens.span(first), "new", (self.grammar.initialisers.braces(kind),), (kind,))
        if text == "(":
            values = self.grammar.expressions.arguments()
            value: Expr | None = self.grammar.names.convert(self.tokens.span(opening), kind, values, opening)
        else:
            value = self._default_value(kind)
        return ast.Call(self.tokens.span(first), "new", (value,) if value is not None else (), (kind,))

    # delete: 'delete' ('[' ']')? unary
    def _release(self) -> Expr:
        first = self.tokens.advance()
        if self.tokens.take("["):
            self.tokens.require("]")
        operand = self.grammar.expressions.operand()
        return ast.Call(self.tokens.span(first), "free", (operand,))

    def _default_value(self, kind: CType) -> Expr | None:
        """Return the value of a default initialisation, None for an uninitialised one."""
        value = self.grammar.initialisers.default_initialisation(kind)
        return value if isinstance(value, ast.Expr) else None


def _names(node: Expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in below(node))
