"""Entries of the frontend: parse a `.cu` file, a kernel's parameters, or one expression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend import ast
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.headers import standard
from kernels.frontend.lexer.tokens import Text, Token, tokens
from kernels.frontend.parser.parser import Parser
from kernels.frontend.preprocessor.concepts import remove_concepts
from kernels.frontend.preprocessor.directives import preprocess
from kernels.frontend.preprocessor.macros import Piece
from kernels.frontend.preprocessor.namespaces import Namespaces

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kernels.frontend.ast import Expr, Program
    from kernels.frontend.parser.state import State
    from kernels.frontend.types import Argument


def parse(
    text: str,
    file: str,
    defines: Sequence[tuple[str, str]] = (),
    folder: Path | None = None,
    included: Sequence[tuple[str, str]] = (),
    search: Sequence[Path] = (),
) -> Program:
    """Parse one `.cu` file.

    Parameters
    ----------
    text : str
        The source.
    file : str
        Its name, for errors.
    defines : Sequence[tuple[str, str]]
        Macros from outside, as `-D NAME=VALUE` gives them; a definition in the text replaces them.
    folder : Path | None
        Folder of the file, in which files are searched that it includes with quotes.
    included : Sequence[tuple[str, str]]
        Name and text of included files, as an earlier `Program.included` has them; used instead of the files.
    search : Sequence[Path]
        Further folders of included files, as `-I` gives them.

    Raises
    ------
    SourceError
        For text that is not CUDA C, and for constructs that are not supported, with their position.
    InputError
        For a define that is not a macro.
    """
    return parse_with_parser(text, file, defines, folder, included, search)[0]


@dataclass(frozen=True, slots=True, eq=False)
class FileParser:
    """The parser of a file, which can parse the file's templates again."""

    parser: Parser
    namespaces: Namespaces
    """Replaces names that several namespaces of the file declare."""

    @property
    def state(self) -> State:
        """Names of the file, and what instances of its templates have declared."""
        return self.parser.state

    def template_argument(self, text: str) -> Argument:
        """Parse a template argument in the file's names.

        Raises
        ------
        SourceError
            When it is neither a type nor a constant.
        """
        pieces = self.namespaces.elsewhere(_pieces(Text("<template>", text)))
        return self.parser.struct_templates.argument(pieces)


def parse_with_parser(
    text: str,
    file: str,
    defines: Sequence[tuple[str, str]] = (),
    folder: Path | None = None,
    included: Sequence[tuple[str, str]] = (),
    search: Sequence[Path] = (),
    *,
    alone: bool = False,
) -> tuple[Program, FileParser]:
    """Parse one `.cu` file, as `parse` does, and return the parser too."""
    prepared = preprocess(
        Text(file, text),
        defines,
        lambda condition: evaluate(parse_expression(condition), {}),
        folder,
        dict(included),
        search,
        alone=alone,
    )
    names = Namespaces(prepared.source, remove_concepts(prepared.pieces))
    parser = Parser(prepared.source, [*standard.required_declarations(names.pieces), *names.pieces])
    parser.tokens.missing_files = prepared.missing
    parser.file.parse()
    state = parser.state
    program = ast.Program(
        file,
        text,
        tuple(defines),
        tuple(state.functions),
        tuple(state.variables),
        tuple(state.templates),
        omissions=tuple(state.omissions),
        included=prepared.included,
        missing=prepared.missing,
        kernel_errors=tuple(state.kernel_errors),
        statics=dict(state.statics),
        constants=dict(state.constants),
        structs=dict(state.structs),
    )
    state.end_of_file()
    return program, FileParser(parser, names)


def _pieces(source: Text) -> list[Piece]:
    """Return the tokens of a text that is not part of the file, and an end token."""
    written = [Token(*token) for token in tokens(source) if token.kind != "newline"]
    end = len(source.text)
    return [Piece(*token, origin=(source, token.start, token.end)) for token in [*written, Token("end", "", end, end)]]


@lru_cache(maxsize=64)
def kernel_parameters(text: str, file: str, kernel: str) -> tuple[ast.Parameter, ...]:
    """Return the parameters of a kernel without parsing bodies, which may have constructs that `parse` refuses.

    Raises
    ------
    SourceError
        If there is no such kernel, or a declaration in the file cannot be parsed.
    """
    return _declared(text, file, kernel).parameters


def kernel_body(text: str, file: str, kernel: str) -> ast.Span:
    """Return the span of a kernel's body, from its opening brace; errors as `kernel_parameters`."""
    return _declared(text, file, kernel).body.span


def _declared(text: str, file: str, kernel: str) -> ast.Function:
    """Return a kernel with an empty body."""
    prepared = preprocess(Text(file, text), (), lambda condition: evaluate(parse_expression(condition), {}))
    parser = Parser(prepared.source, prepared.pieces, bodies=False)
    parser.file.parse()
    for function in parser.state.functions:
        if function.kernel and function.name == kernel:
            return function
    raise SourceError(file, 1, 1, f"has no __global__ function named {kernel}")


@lru_cache(maxsize=1024)
def parse_expression(text: str) -> Expr:
    """Parse one C expression, such as ``(N + block_x - 1) / block_x``; spans count from line 1, column 1.

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
    parser = Parser(source, pieces)
    result = parser.expressions.expression()
    if parser.tokens.kind != "end":
        parser.tokens.refuse_token()
    return result
