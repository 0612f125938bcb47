"""CUDA C text to a typed syntax tree, and what can be asked of it. The first parse loads the grammar."""

from kernels.source.constant import evaluate
from kernels.source.parse import parse, parse_expression
from kernels.source.render import render, text_of

__all__ = ["evaluate", "parse", "parse_expression", "render", "text_of"]
