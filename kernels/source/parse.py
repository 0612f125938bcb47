"""CUDA C text -> `Program`, and the text of one expression -> `Expr`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from kernels.source import nodes
from kernels.source.constant import evaluate
from kernels.source.expressions import ExpressionReader
from kernels.source.layout import emit
from kernels.source.macros import Piece
from kernels.source.preprocess import preprocess
from kernels.source.statements import StatementReader
from kernels.source.tokens import Text, tokens
from kernels.source.tree import grow
from kernels.source.types import Void

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from kernels.source.layout import Preprocessed
    from kernels.source.nodes import Expr, Program


def parse(text: str, file: str, defines: Sequence[tuple[str, str]] = ()) -> Program:
    """Read one `.cu` file.

    Parameters
    ----------
    text : str
        The source.
    file : str
        Its name, for errors.
    defines : Sequence[tuple[str, str]]
        Macros from outside, as `-D NAME=VALUE` gives them; a definition in the text replaces them.

    Raises
    ------
    SourceError
        For what is not CUDA C, or not supported; it names the place and the construct.
    InputError
        For a define that is not a macro.
    """
    source = Text(file, text)
    prepared = preprocess(source, defines, lambda condition: evaluate(parse_expression(condition), {}))
    reader = _FileReader(prepared)
    reader.read(grow(prepared))
    return nodes.Program(file, text, tuple(defines), tuple(reader.functions), tuple(reader.variables))


@lru_cache(maxsize=1024)
def parse_expression(text: str) -> Expr:
    """Read one C expression, such as ``(N + block_x - 1) / block_x``; spans count from line 1, column 1.

    Raises
    ------
    SourceError
        When it is not one expression; the file is named ``<expression>``.
    """
    source = Text("<expression>", text)
    pieces = [Piece(*token) for token in tokens(source) if token.kind != "newline"]
    if not pieces:
        raise source.error(0, "syntax error: an expression is missing")
    wrong = next((piece for piece in pieces if piece.text in (";", "{", "}", "#")), None)
    if wrong is not None:
        raise source.error(wrong.start, f"syntax error: '{wrong.text}' in an expression")
    prepared = emit(source, pieces, before="auto _(){return ", after=";}")
    root = grow(prepared)
    body = root.children[0].child_by_field_name("body")
    statements = list(body.named_children) if body is not None else []
    if root.child_count != 1 or len(statements) != 1 or statements[0].type != "return_statement":
        raise source.error(0, "syntax error: this is not one expression")
    return ExpressionReader(prepared).expression(statements[0].named_children[0])


class _FileReader(StatementReader):
    """Reads what stands outside of functions."""

    def __init__(self, prepared: Preprocessed) -> None:
        super().__init__(prepared)
        self.functions: list[nodes.Function] = []
        self.variables: list[nodes.Variable] = []

    # translation_unit: (function | declaration | 'extern' '"C"' (… | '{' … '}'))*
    def read(self, node: Node) -> None:
        """Read every declaration below a node."""
        for child in self.named(node):
            match child.type:
                case "function_definition":
                    self._function(child)
                case "declaration" | "enum_specifier":
                    self._variables(child)
                case "linkage_specification":
                    with self.deeper(child):
                        self._linkage(child)
                case "type_definition" | "alias_declaration":
                    self.type_definition(child)
                case "static_assert_declaration":
                    self.statement(child)
                case "template_declaration":
                    self.unsupported(child, "template", "write the function for one type and use #define")
                case "struct_specifier" | "class_specifier" | "union_specifier":
                    self.type_name(child)
                case "using_declaration":
                    self.unsupported(child, f"'{self.written(child)}'", "write names in full")
                case "namespace_definition":
                    self.unsupported(child, "namespace", "declare at the top level")
                case "expression_statement":
                    self._stray(child)
                case _:
                    self.unsupported(child)

    def _stray(self, node: Node) -> None:
        inside = next(self.named(node), None)
        if inside is not None:
            self.refuse(node, f"syntax error: '{self.written(node)}' stands outside of any function")

    def _linkage(self, node: Node) -> None:
        body = self.field(node, "body")
        if body.type == "declaration_list":
            self.read(body)
        elif body.type == "function_definition":
            self._function(body)
        else:
            self._variables(body)

    def _variables(self, node: Node) -> None:
        for variable in self.declaration(node):
            if variable.space == "auto" and not variable.const:
                self.unsupported(
                    node, f"host variable '{variable.name}'", "make it const, __constant__ or __device__"
                )
            self.variables.append(variable)

    # function_definition: specifiers declarator '(' parameters ')' compound_statement
    def _function(self, node: Node) -> None:
        found = self.specifiers(node)
        if not found.words & {"__global__", "__device__"}:
            return  # the host's code is neither executed nor drawn
        kernel = "__global__" in found.words
        self.open_scope()
        try:
            declared = self.declarator(self.field(node, "declarator"), found.type, const=found.const)
            if declared.parameters is None:
                self.unsupported(node)
            if kernel and not isinstance(found.type, Void):
                self.refuse(node, f"kernel {declared.name} must return void")
            parameters = self.parameters(declared.parameters)
            body = self.block(self.field(node, "body"))
        finally:
            self.close_scope()
        if any(f.name == declared.name for f in self.functions):
            self.unsupported(declared.node, f"second function '{declared.name}'", "give each its own name")
        self.functions.append(
            nodes.Function(self.span(node), declared.name, kernel, declared.type, parameters, body)
        )
