"""Compilers of expressions, statements and calls, in the object that a compile context is made with."""

from __future__ import annotations

from typing import Final

from kernels.simt.compiler.context import Dispatch
from kernels.simt.compiler.expressions import expression
from kernels.simt.compiler.function_pointers import function_value
from kernels.simt.compiler.functions import call
from kernels.simt.compiler.reference_returns import locate_call
from kernels.simt.compiler.statements import statement

DISPATCH: Final = Dispatch(expression, statement, call, locate_call, function_value)
