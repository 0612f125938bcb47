"""The dispatch object of a compile context: the compilers of expressions, statements and calls."""

from __future__ import annotations

from typing import Final

from kernels.simt.compiler.calls.function_pointers import function_value
from kernels.simt.compiler.calls.functions import call
from kernels.simt.compiler.calls.reference_returns import locate_call
from kernels.simt.compiler.context import Dispatch
from kernels.simt.compiler.expressions.expression import expression
from kernels.simt.compiler.statements import statement

DISPATCH: Final = Dispatch(expression, statement, call, locate_call, function_value)
