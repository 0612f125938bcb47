"""Calls: of CUDA's functions and of libraries by the registry, of the file's functions by `compiler.functions`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast
from kernels.frontend.ast.declarations import UNDECLARED
from kernels.frontend.types import VOID
from kernels.simt.compiler.calls.overload_resolution import NoneFits, Recursion
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.registry import not_installed

if TYPE_CHECKING:
    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context

ENDING: Final = frozenset(("__trap", "__brkpt", "abort", "exit", "__exit"))
"""Functions that end a thread."""


def call(c: Context, node: Call) -> Code:
    """Compile a call.

    Raises
    ------
    SourceError
        For an unknown function, or arguments that do not fit.
    """
    registry = c.registry
    lowered = registry.rewrite(c, node)
    if lowered is not node:
        return c.compile(lowered)
    name = node.function
    compiled = registry.functions.get(name)
    if name in c.functions or name.startswith("."):
        with c.calling(), c.converting(allowed=compiled is None):
            try:
                return c.dispatch.call(c, node)
            except (NoneFits, Recursion) as error:  # the file may overload a function of CUDA
                here = (error.line, error.column) == (node.span.line, node.span.column)
                if compiled is None or not here:
                    raise
    if compiled is not None:
        return compiled(c, node)
    if name in registry.statements:
        return _barrier(c, node)
    if name in ENDING:
        raise c.unsupported(node.span, f"{name}(), which ends the grid; use assert, which is reported")
    if c.program.omission(name) is not None:
        raise c.unknown(node.span, name)
    library = registry.library_of(name)
    if library:
        raise not_installed(c, node.span, f"function '{name}'", library)
    near = get_close_matches(name, [*c.functions, *registry.functions], 1, 0.85)
    advice = f"; there is {near[0]}" if near else c.program.missing_files_advice or f"; {UNDECLARED}"
    raise c.unsupported(node.span, f"function '{name}'{advice}")


def _barrier(c: Context, node: Call) -> Code:
    """Compile a barrier inside an expression as a step before the statement."""
    if c.hoisted is None:
        raise c.unsupported(node.span, f"{c.text(node.span)} here; make it a statement before this one")
    caller = c.statement
    c.hoisted.append(c.registry.statements[node.function](c, ast.Do(node.span, node), node))
    c.statement = caller
    return Code(lambda group, mask: 0, VOID)
