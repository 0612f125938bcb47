"""The grammar's statements -> our nodes. Above each method stands the production it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from kernels.source import nodes
from kernels.source.declarations import DeclarationReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from kernels.source.layout import Preprocessed
    from kernels.source.nodes import Statement


class StatementReader(DeclarationReader):
    """Reads statements."""

    def __init__(self, prepared: Preprocessed) -> None:
        super().__init__(prepared)
        self._statements: Final[dict[str, Callable[[Node], Statement]]] = {
            "declaration": self._declare,
            "enum_specifier": self._declare,
            "type_definition": self._type,
            "alias_declaration": self._type,
            "static_assert_declaration": self._static_assert,
            "expression_statement": self._do,
            "compound_statement": self.block,
            "if_statement": self._if,
            "for_statement": self._for,
            "while_statement": self._while,
            "do_statement": self._do_while,
            "break_statement": lambda node: nodes.Break(self.span(node)),
            "continue_statement": lambda node: nodes.Continue(self.span(node)),
            "return_statement": self._return,
            ";": lambda node: nodes.Block(self.span(node), ()),
        }

    # statement: one of the productions below
    def statement(self, node: Node) -> Statement:
        """Read a statement.

        Raises
        ------
        SourceError
            For what no node of ours covers, and beyond `MAX_NESTING` levels.
        """
        reader = self._statements.get(node.type)
        if reader is None:
            self._refuse_statement(node)
        with self.deeper(node):
            return reader(node)

    def _refuse_statement(self, node: Node) -> NoReturn:
        construct, instead = {
            "switch_statement": ("switch", "use if and else"),
            "goto_statement": ("goto", "use a loop with break"),
            "labeled_statement": ("label", "use a loop with break"),
            "for_range_loop": ("for over a range", "use for (int i = 0; i < n; ++i)"),
            "struct_specifier": ("struct", "use plain variables or arrays"),
            "try_statement": ("try", ""),
            "throw_statement": ("throw", ""),
            "linkage_specification": ("extern variable", "define it in this file"),
        }.get(node.type, ("", ""))
        self.unsupported(node, construct, instead)

    # compound_statement: '{' statement* '}'
    def block(self, node: Node) -> nodes.Block:
        """Read a block; its names end with it."""
        self.open_scope()
        try:
            body = [self.statement(child) for child in node.children if not _says_nothing(child)]
        finally:
            self.close_scope()
        return nodes.Block(self.span(node), tuple(body))

    def _body(self, node: Node) -> Statement:
        """Read the statement of an if or a loop: a declaration there is visible only there."""
        self.open_scope()
        try:
            return self.statement(node)
        finally:
            self.close_scope()

    def _declare(self, node: Node) -> Statement:
        variables = self.declaration(node)
        return nodes.Declare(self.span(node), variables) if variables else nodes.Block(self.span(node), ())

    def _type(self, node: Node) -> Statement:
        self.type_definition(node)
        return nodes.Block(self.span(node), ())

    # static_assert_declaration: 'static_assert' '(' condition (',' message)? ')' ';'
    def _static_assert(self, node: Node) -> Statement:
        condition = self.field(node, "condition")
        value = self.constant(self.expression(condition))
        if value is None:
            self.refuse(condition, "static_assert needs a condition that is known before the kernel runs")
        message = node.child_by_field_name("message")
        if not value:
            said = f": {self._resolved(message)}" if message is not None else ""
            self.refuse(node, f"static_assert({self.written(condition)}) does not hold{said}")
        return nodes.Block(self.span(node), ())

    # expression_statement: expression? ';'
    def _do(self, node: Node) -> Statement:
        expression = next(self.named(node), None)
        if expression is None:
            return nodes.Block(self.span(node), ())
        first = expression
        while first.type in ("assignment_expression", "subscript_expression"):
            first = first.children[0]
        if first.type == "call_expression" and self.field(first, "function").type == "primitive_type":
            # `float (*p)[4];` comes as the element of a conversion
            self.unsupported(node, f"'{self.written(node)}'", "for an array, point to its elements: float *p")
        return nodes.Do(self.span(node), self.expression(expression))

    # if_statement: 'if' '(' condition ')' statement ('else' statement)?
    def _if(self, node: Node) -> Statement:
        condition = self.field(node, "condition")
        if any(child.type == "constexpr" for child in node.children):
            self.unsupported(node, "if constexpr", "a plain if")
        header = self.span(node, condition)
        test = self.expression(condition)
        then = self._body(self.field(node, "consequence"))
        alternative = node.child_by_field_name("alternative")
        otherwise = self._body(next(self.named(alternative))) if alternative is not None else None
        return nodes.If(self.span(node), header, test, then, otherwise)

    # for_statement: 'for' '(' (declaration | expression? ';') condition? ';' expression? ')' statement
    def _for(self, node: Node) -> Statement:
        self.open_scope()
        try:
            start = self._for_start(node.child_by_field_name("initializer"))
            condition = node.child_by_field_name("condition")
            step = node.child_by_field_name("update")
            body = self.field(node, "body")
            close = next(child for child in node.children if child.type == ")")
            return nodes.For(
                self.span(node),
                self.span(node, close),
                start,
                self.expression(condition) if condition is not None else None,
                self.expression(step) if step is not None else None,
                self._body(body),
            )
        finally:
            self.close_scope()

    def _for_start(self, node: Node | None) -> Statement | None:
        if node is None:
            return None
        if node.type == "declaration":
            return self.statement(node)
        return nodes.Do(self.span(node), self.expression(node))

    # while_statement: 'while' '(' condition ')' statement
    def _while(self, node: Node) -> Statement:
        condition = self.field(node, "condition")
        header = self.span(node, condition)
        test = self.expression(condition)
        return nodes.While(self.span(node), header, test, self._body(self.field(node, "body")))

    # do_statement: 'do' statement 'while' '(' condition ')' ';'
    def _do_while(self, node: Node) -> Statement:
        body = self._body(self.field(node, "body"))
        condition = self.field(node, "condition")
        word = next(child for child in node.children if child.type == "while")
        header = self.span(word, condition)
        return nodes.While(self.span(node), header, self.expression(condition), body, first=True)

    # return_statement: 'return' expression? ';'
    def _return(self, node: Node) -> Statement:
        value = next(self.named(node), None)
        return nodes.Return(self.span(node), self.expression(value) if value is not None else None)


def _says_nothing(node: Node) -> bool:
    """Whether a child of a block is a brace or a lone `;`."""
    return node.type in ("{", "}", ";") or (node.type == "expression_statement" and node.child_count == 1)
