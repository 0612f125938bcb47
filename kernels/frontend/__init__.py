"""CUDA C text to a typed syntax tree, and from the tree to values, types and text."""

import sys

from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.instances import Instances, parse_with_instances
from kernels.frontend.parse import kernel_body, kernel_parameters, parse, parse_expression
from kernels.frontend.unparse.expressions import render, text_of

# Trees are at most MAX_NESTING deep, and walking one takes a few calls per level. A call of a Python function by
# another takes no C stack, so a higher limit is safe.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))

__all__ = [
    "Instances",
    "evaluate",
    "kernel_body",
    "kernel_parameters",
    "parse",
    "parse_expression",
    "parse_with_instances",
    "render",
    "text_of",
]
