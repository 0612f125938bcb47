"""What is declared in a function or struct and stays: it becomes a variable of the file, by a name of its own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kernels.frontend.parser.range_for import RangeReader
from kernels.frontend.parser.scope import Known

if TYPE_CHECKING:
    from kernels.frontend import ast
    from kernels.frontend.lexer.tokens import Text
    from kernels.frontend.preprocessor.macros import Piece


class LastingReader(RangeReader):
    """Keeps variables that outlive where they are declared."""

    def __init__(self, source: Text, pieces: list[Piece]) -> None:
        super().__init__(source, pieces)
        self.constants: dict[str, ast.Variable] = {}
        """By full name: constant arrays that structs declare, and static variables of functions."""

    def lasts(self, variable: ast.Variable, *, static: bool) -> bool:
        """Whether a function's variable is not each thread's own but the grid's; it is then kept with the file's."""
        if variable.space == "auto" and static and not variable.const:
            variable = replace(variable, space="global")
        if variable.space in ("auto", "shared"):
            return False
        self.scopes.know(variable.name, self.outlive(f"{self.inside_of}::{variable.name}", variable))
        return True

    def define_kept(self, full: str) -> None:
        """Read the value of a static member that stands outside of its struct: `__device__ int S::n = 5;`."""
        known = self.scopes.find(full)
        (variable,) = self.declaration()
        kept = self.constants[full]
        self.constants[full] = replace(kept, type=variable.type, value=variable.value or kept.value)
        if known is not None:
            self.scopes.know(full, known)

    def outlive(self, full: str, variable: ast.Variable) -> Known:
        """Keep a variable as one of the file, under a name that C has, `S_name` for `S::name`.

        Return what its own name means where it is declared: an instance of a template has one of its own.
        """
        own = re.sub(r"\W+", "_", full)
        while self.scopes.find(own) is not None:
            own += "_"
        kept = replace(variable, name=own)
        known = Known(kept.type, alias=own, parts=self.parts_of(kept.type, kept.value) if kept.const else {})
        self.constants[full if full not in self.constants else own] = kept
        self.scopes.know_everywhere(own, known)
        return known
