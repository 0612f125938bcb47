"""Instances of a program's templates, and the declarations that parsing them adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.frontend.parse import parse_with_parser
from kernels.frontend.templates.template_arguments import structs_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from kernels.frontend.ast import Function, Program, Template, Variable
    from kernels.frontend.parse import FileParser
    from kernels.frontend.types import Argument, Scalar, Struct


class Instances:
    """Parses templates of a program again, from their tokens, for each list of arguments.

    A `Program` never changes. An instance can be the first to name a struct such as `Tile<int, 3>`, whose member
    functions, templates, constants and static variables are then parsed too: they are added here. Two objects of one
    program are independent of each other.

    Parameters
    ----------
    program : Program
        The program of the templates.
    parser : FileParser, optional
        The parser of the program. Without it the program's text is parsed again, the first time that
        a template is instantiated.
    """

    def __init__(self, program: Program, parser: FileParser | None = None) -> None:
        self.program = program
        self._parser = parser

    @property
    def functions(self) -> Sequence[Function]:
        """Functions that instances have added, in the order in which they were parsed."""
        return self._parser.state.functions if self._parser else ()

    @property
    def templates(self) -> Sequence[Template]:
        """Function templates that instances have added: those inside of structs."""
        return self._parser.state.templates if self._parser else ()

    @property
    def constants(self) -> Mapping[str, Variable]:
        """`Program.constants`, and those of instances."""
        return self._parser.state.constants if self._parser else self.program.constants

    @property
    def statics(self) -> Mapping[str, tuple[Scalar, int | float | bool]]:
        """`Program.statics`, and those of instances."""
        return self._parser.state.statics if self._parser else self.program.statics

    @property
    def structs(self) -> Mapping[str, Struct]:
        """`Program.structs`, and those of instances."""
        return self._parser.state.structs if self._parser else self.program.structs

    def instantiate(self, template: Template, arguments: tuple[Argument | None, ...]) -> Function:
        """Return the instance of a function template: the same object each time for the same arguments.

        Parameters
        ----------
        template : Template
            One of the program's templates, or of `templates`.
        arguments : tuple
            One for each parameter of the template; None for its default.

        Raises
        ------
        SourceError
            When the arguments do not fit, or the instance cannot be parsed.
        """
        return self._parsed().parser.function_templates.instantiate(template, arguments)

    def argument(self, text: str) -> Argument:
        """Parse a template argument, such as ``Tile<64, 8>``, in the file's names.

        Raises
        ------
        SourceError
            When it is neither a type nor a constant.
        """
        return self._parsed().template_argument(text)

    def structs_with(self, members: Sequence[str]) -> Iterable[str]:
        """Return the names of the file's structs that have members of these names; `Name<…>` for a template."""
        found = self._parsed()
        return structs_with(found.parser.tokens, found.state, members)

    def _parsed(self) -> FileParser:
        if self._parser is None:
            program = self.program
            _, self._parser = parse_with_parser(program.text, program.file, program.defines, included=program.included)
        return self._parser


def parse_with_instances(
    text: str,
    file: str,
    defines: Sequence[tuple[str, str]] = (),
    folder: Path | None = None,
    included: Sequence[tuple[str, str]] = (),
    search: Sequence[Path] = (),
    *,
    alone: bool = False,
) -> tuple[Program, Instances]:
    """Parse one `.cu` file, as `parse` does, and keep the parser for instances of its templates.

    With `alone`, an included file that is not found is an error.
    """
    program, parser = parse_with_parser(text, file, defines, folder, included, search, alone=alone)
    return program, Instances(program, parser)
