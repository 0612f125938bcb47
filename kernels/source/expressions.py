"""The grammar's expressions -> our nodes. Above each method stands the production it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from kernels.source import literals, nodes
from kernels.source.tree import KEYWORDS
from kernels.source.typenames import TypeReader
from kernels.source.types import BOOL, CHAR, INT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from kernels.source.layout import Preprocessed
    from kernels.source.nodes import Expr
    from kernels.source.types import CType

_BINARY: Final = {
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "!=", "<", "<=", ">", ">=",
}  # fmt: skip
_ASSIGN: Final = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="}
_UNARY: Final = {"-", "+", "!", "~", "*", "&"}
_WORDS: Final = {
    "and": "&&", "or": "||", "not": "!", "compl": "~", "bitand": "&", "bitor": "|", "xor": "^",
    "not_eq": "!=", "and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}  # fmt: skip
_PREFIXED: Final = {"unary_expression", "pointer_expression"}
_CASTS: Final = {"static_cast", "reinterpret_cast", "const_cast"}


class ExpressionReader(TypeReader):
    """Reads expressions."""

    def __init__(self, prepared: Preprocessed) -> None:
        super().__init__(prepared)
        self._readers: Final[dict[str, Callable[[Node], Expr]]] = {
            "identifier": self._identifier,
            "number_literal": self._number,
            "char_literal": self._character,
            "string_literal": self._string,
            "concatenated_string": self._string,
            "true": self._truth,
            "false": self._truth,
            "null": lambda node: nodes.Number(self.span(node), 0, INT),
            "parenthesized_expression": self._parenthesized,
            "condition_clause": self._parenthesized,
            "unary_expression": self._unary,
            "pointer_expression": self._unary,
            "binary_expression": self._binary,
            "comma_expression": self._comma,
            "conditional_expression": self._conditional,
            "assignment_expression": self._assign,
            "update_expression": self._update,
            "subscript_expression": self._index,
            "field_expression": self._member,
            "call_expression": self._call,
            "cast_expression": self._cast,
            "sizeof_expression": self._sizeof,
        }

    # expression: one of the productions below
    def expression(self, node: Node) -> Expr:
        """Read an expression.

        Raises
        ------
        SourceError
            For what no node of ours covers, and beyond `MAX_NESTING` levels.
        """
        reader = self._readers.get(node.type)
        if reader is None:
            self._refuse_expression(node)
        with self.deeper(node):
            return reader(node)

    def _refuse_expression(self, node: Node) -> NoReturn:
        construct, instead = {
            "gnu_asm_expression": ("inline PTX (asm)", ""),
            "lambda_expression": ("lambda", "write a __device__ function"),
            "new_expression": ("new", "use an array"),
            "delete_expression": ("delete", ""),
            "user_defined_literal": (f"literal '{self.text(node)}'", ""),
            "initializer_list": ("{ … } here", "it may stand after = in a declaration"),
            "compound_literal_expression": ("compound literal", ""),
        }.get(node.type, ("", ""))
        self.unsupported(node, construct, instead)

    # name
    def _identifier(self, node: Node) -> Expr:
        if self.text(node) in KEYWORDS:
            self.refuse(node, f"syntax error near '{self.text(node)}'")
        return nodes.Name(self.span(node), self.text(node))

    # number, perhaps with a sign that the grammar takes into it
    def _number(self, node: Node) -> Expr:
        text = self.text(node)
        sign = text[0] if text[0] in "+-" else ""
        try:
            value, kind = literals.number(text.removeprefix(sign))
        except ValueError as error:
            self.refuse(node, f"syntax error: {error}")
        digits = self._prepared.span(node.start_byte + len(sign), node.end_byte)
        number = nodes.Number(digits, value, kind)
        return nodes.Unary(self.span(node), sign, number) if sign else number  # type: ignore[arg-type]

    # 'character'
    def _character(self, node: Node) -> Expr:
        value = self._resolved(node)
        if len(value) != 1 or ord(value) > 255:
            self.unsupported(node, f"character {self.text(node)}", "one character of one byte")
        code = ord(value)
        return nodes.Number(self.span(node), code - 256 if code > 127 else code, CHAR)

    # "string"+
    def _string(self, node: Node) -> Expr:
        parts = self.named(node) if node.type == "concatenated_string" else iter((node,))
        return nodes.String(self.span(node), "".join(self._resolved(part) for part in parts))

    def _resolved(self, node: Node) -> str:
        text = self.text(node)
        if text[0] not in "\"'":
            self.unsupported(node, f"prefix of {text}", "a plain one")
        try:
            return literals.characters(text[1:-1])
        except ValueError as error:
            self.refuse(node, str(error))

    # true | false
    def _truth(self, node: Node) -> Expr:
        return nodes.Number(self.span(node), int(node.type == "true"), BOOL)

    # '(' expression ')'
    def _parenthesized(self, node: Node) -> Expr:
        inside = list(self.named(node))
        if len(inside) != 1:
            self.unsupported(node)
        if inside[0].type in ("declaration", "init_statement"):
            self.unsupported(inside[0], "declaration in a condition", "declare it on the line before")
        return self.expression(inside[0])

    # operator expression
    def _unary(self, node: Node) -> Expr:
        op = self._operator(node, _UNARY)
        return nodes.Unary(self.span(node), op, self.expression(self.field(node, "argument")))  # type: ignore[arg-type]

    # expression operator expression
    def _binary(self, node: Node) -> Expr:
        op = self._operator(node, _BINARY)
        if op == "<=" and self.field(node, "operator").start_byte in self._prepared.less:
            op = "<"
        left = self.expression(self.field(node, "left"))
        return nodes.Binary(self.span(node), op, left, self.expression(self.field(node, "right")))

    def _operator(self, node: Node, known: set[str]) -> str:
        operator = self.field(node, "operator")
        op = _WORDS.get(self.text(operator), self.text(operator))
        if op not in known:
            self.unsupported(operator, f"operator {op}")
        return op

    # expression (',' expression)+, which the grammar nests to the right
    def _comma(self, node: Node) -> Expr:
        first = self.field(node, "left")
        made, following = self.expression(first), self.field(node, "right")
        while following.type == "comma_expression":
            value = self.field(following, "left")
            made = nodes.Binary(self.span(first, value), ",", made, self.expression(value))
            following = self.field(following, "right")
        return nodes.Binary(self.span(node), ",", made, self.expression(following))

    # expression '?' expression ':' expression
    def _conditional(self, node: Node) -> Expr:
        return nodes.Conditional(
            self.span(node),
            self.expression(self.field(node, "condition")),
            self.expression(self.field(node, "consequence")),
            self.expression(self.field(node, "alternative")),
        )

    # expression assignment_operator expression
    def _assign(self, node: Node) -> Expr:
        return self._assign_to(node, self.field(node, "left"))

    def _assign_to(self, node: Node, target: Node) -> Expr:
        """Assign a node's right side to a target; `a ? b : c = d` is `a ? b : (c = d)` in C++, not in the grammar."""
        span = self.span(target, node)
        if target.type == "conditional_expression":
            with self.deeper(target):
                condition = self.expression(self.field(target, "condition"))
                then = self.expression(self.field(target, "consequence"))
                otherwise = self._assign_to(node, self.field(target, "alternative"))
                return nodes.Conditional(span, condition, then, otherwise)
        op = self._operator(node, _ASSIGN)
        left = self.expression(target)
        return nodes.Assign(span, op, left, self.expression(self.field(node, "right")))

    # ('++' | '--') expression | expression ('++' | '--')
    def _update(self, node: Node) -> Expr:
        operator, target = self.field(node, "operator"), self.field(node, "argument")
        if operator.start_byte > target.start_byte:
            return self._postfix(node, target)
        op = self.text(operator)
        return nodes.Update(self.span(node), op, True, self.expression(target))  # type: ignore[arg-type]

    def _postfix(self, node: Node, target: Node) -> Expr:
        """Apply the `++` or `--` at a node's end to a target; the grammar reads `-i++` as `(-i)++`."""
        span = self.span(target, node)
        if target.type in _PREFIXED:
            with self.deeper(target):
                op = self._operator(target, _UNARY)
                return nodes.Unary(span, op, self._postfix(node, self.field(target, "argument")))  # type: ignore[arg-type]
        op = self.text(self.field(node, "operator"))
        return nodes.Update(span, op, False, self.expression(target))  # type: ignore[arg-type]

    # expression '[' expression ']'
    def _index(self, node: Node) -> Expr:
        indices = list(self.named(self.field(node, "indices")))
        if not indices:
            self.refuse(node, "syntax error: an index is missing between [ and ]")
        if len(indices) != 1:
            self.unsupported(node, "subscript with several indices", "write a[i][j] or a[i * width + j]")
        base = self._base(self.field(node, "argument"))
        return nodes.Index(self.span(node), base, self.expression(indices[0]))

    def _base(self, node: Node) -> Expr:
        """Read what stands before `[`, `.` or `->`; the grammar takes `-p++[i]` for `(-p++)[i]`."""
        if node.type == "update_expression" and self.field(node, "argument").type in _PREFIXED:
            self.unsupported(node, f"'{self.written(node)}' before [ or .", "write the parentheses")
        return self.expression(node)

    # expression ('.' | '->') name
    def _member(self, node: Node) -> Expr:
        field = self.field(node, "field")
        if field.type != "field_identifier":
            self.unsupported(field)
        argument = self.field(node, "argument")
        base = self._base(argument)
        if self.text(self.field(node, "operator")) == "->":
            base = nodes.Unary(self.span(argument), "*", base)
        return nodes.Member(self.span(node), base, self.text(field))

    # function '(' arguments ')' | cast '<' type '>' '(' expression ')' | type '(' expression ')'
    def _call(self, node: Node) -> Expr:
        function = self.field(node, "function")
        if any(child.type == "kernel_call_syntax" for child in node.children):
            self.unsupported(node, "launch with <<< >>> in the source", "the launch is chosen outside of it")
        while function.type == "parenthesized_expression":
            function = next(self.named(function))
        arguments = tuple(self.expression(child) for child in self.named(self.field(node, "arguments")))
        if function.type == "template_function":
            return self._template_call(node, function, arguments)
        if function.type == "qualified_identifier":
            scope = function.child_by_field_name("scope")
            function = self.field(function, "name")
            if scope is not None and self.text(scope) != "std":
                self.unsupported(scope, f"namespace {self.text(scope)}")
        if function.type in ("primitive_type", "sized_type_specifier") or (
            function.type == "identifier" and self.known_type(self.text(function)) is not None
        ):
            kind = self.known_type(self.text(function)) or self.type_name(function)
            return self._converted(node, kind, arguments)
        if function.type != "identifier":
            self.unsupported(function, f"call of '{self.written(function)}'", "call a function by its name")
        return nodes.Call(self.span(node), self.text(function), arguments)

    def _template_call(self, node: Node, function: Node, arguments: tuple[Expr, ...]) -> Expr:
        name = self.text(self.field(function, "name"))
        inside = list(self.named(self.field(function, "arguments")))
        if name not in _CASTS:
            self.unsupported(function, f"template call '{self.written(function)}'", "write a plain function")
        if len(inside) != 1 or inside[0].type != "type_descriptor":
            self.refuse(function, f"syntax error: {name} needs one type")
        return self._converted(node, self.type_descriptor(inside[0]), arguments)

    def _converted(self, node: Node, kind: CType, arguments: tuple[Expr, ...]) -> Expr:
        if len(arguments) != 1:
            self.refuse(node, f"a conversion to {kind} takes one value, {len(arguments)} are given")
        return nodes.Cast(self.span(node), kind, arguments[0])

    # '(' type ')' expression
    def _cast(self, node: Node) -> Expr:
        kind = self.type_descriptor(self.field(node, "type"))
        return nodes.Cast(self.span(node), kind, self.expression(self.field(node, "value")))

    # 'sizeof' (expression | '(' type ')')
    def _sizeof(self, node: Node) -> Expr:
        kind = node.child_by_field_name("type")
        if kind is not None:
            return nodes.SizeOf(self.span(node), self.type_descriptor(kind))
        value = self.field(node, "value")
        inside = value
        while inside.type == "parenthesized_expression":
            inside = next(self.named(inside))
        known = self.known_type(self.text(inside)) if inside.type == "identifier" else None
        return nodes.SizeOf(self.span(node), known or self.expression(value))
