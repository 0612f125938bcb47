"""CUDA C text to a typed syntax tree, and what can be asked of it."""

import sys

from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.parse import kernel_parameters, parse, parse_expression
from kernels.frontend.unparse.expressions import render, text_of

# Trees are at most MAX_NESTING deep, and whoever walks one takes a few calls a level. Calls of Python by Python
# take no stack of the machine.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))

__all__ = ["evaluate", "kernel_parameters", "parse", "parse_expression", "render", "text_of"]
