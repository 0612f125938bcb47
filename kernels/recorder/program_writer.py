"""The interface through which the parts of a rewritten program call each other.

A program is recursive (calls hold lambdas, lambdas hold statements, statements hold calls), so each part hands nested
constructs back to the whole. `LinkedProgram` implements the interface for the plain text, `InstrumentedProgram` for the
text that records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.frontend import ast
    from kernels.frontend.ast import Expr, Function, Statement


class ProgramWriter(Protocol):
    """Writes one kernel and its callees; parts get it in their constructor."""

    inside_of: Function
    """The function whose body is being written."""

    def text(self, node: Expr) -> str:
        """Return the text of an expression."""

    def inside(self, node: Expr, least: int) -> str:
        """Return the text of an operand, in parentheses where its operator binds less than `least`."""

    def simple(self, node: Statement) -> list[str]:
        """Return the lines of a statement that holds no other."""

    def body(self, node: Statement, depth: int) -> list[str]:
        """Return the lines of a loop's body."""

    def name_of(self, function: Function) -> str:
        """Return the name of a function in the text; its first use defines it."""

    def call(self, node: ast.Call) -> str:
        """Return any call."""

    def invoke(self, function: Function, arguments: Sequence[tuple[Expr, bool]], first: Sequence[str] = ()) -> str:
        """Return a call of a function of the program; `first` are arguments that are text already."""

    def built_in(self, node: ast.Call) -> str:
        """Return a call of one of CUDA's own functions."""

    def argument(self, node: Expr, reference: bool) -> str:
        """Return one argument: its value, or the lvalue that a reference binds to."""

    def order_matters(self, operands: Sequence[Expr]) -> bool:
        """Return whether the evaluation order of operands that C++ leaves open must be fixed."""

    def before_constructor(self, node: ast.Construct) -> str:
        """Return the statements that come before the call of a constructor; the object is `ts_made`."""

    def constructed_value(self, node: ast.Construct) -> str:
        """Return the value of the object `ts_made` after its constructor."""
