"""The registry of CUDA's functions and of libraries: functions, statements, lowerings, and rules for types.

`kernels.simt.intrinsics` and each folder of `kernels.simt.libraries` register what they add; the compiler looks it up.
A kernel that uses a library that is not installed is refused with the library's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernels.frontend import ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.errors import SourceError
    from kernels.frontend.ast import Assembly, Call, Do, Expr, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Code, Element, Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.steps import Run, Step

    Compile = Callable[[Context, Call], Code]
    """Compiles a call that has a value."""
    CompileStatement = Callable[[Context, Do, Call], Step]
    """Compiles a call in which threads wait, as a statement."""
    CompileInstruction = Callable[[Context, Assembly, str], Run | None]
    """Compiles the PTX instruction of an asm from its text; None for a form that is not supported."""
    Rewrite = Callable[[Context, Call], Expr]
    """Lowers a call to an expression; returns any other call unchanged."""
    OperatorFunction = Callable[[str, CType, CType], str]
    """Returns the name of the function that implements an operator between two types; "" for none."""


@dataclass(frozen=True, slots=True)
class ObjectRules:
    """Rules for the objects of a type with special accesses, such as `cuda::atomic<T>`."""

    load: Callable[[Context, Element], Code]
    """Compiles the object's value."""
    assign: Callable[..., Code]
    """`assign(c, element, op, value, span, *, gives_new)` compiles `x = v`, `x += v`, `++x`."""
    refer: Callable[[Context, Place, CType, Span], Place]
    """Returns the lvalue that a reference of the type names, whose accesses follow these rules."""


@dataclass(slots=True)
class Registry:
    """Functions by name, and rules in the order in which the compiler tries them."""

    functions: dict[str, Compile] = field(default_factory=dict)
    """By name: functions with a value."""
    statements: dict[str, CompileStatement] = field(default_factory=dict)
    """By name: functions in which threads wait at a barrier."""
    instructions: dict[str, CompileInstruction] = field(default_factory=dict)
    """By the first part of the name (`mma`): PTX instructions of libraries other than inline PTX."""
    fences: dict[str, bool] = field(default_factory=dict)
    """Fences by function: True if it orders accesses for the threads of the block only."""
    rewrites: list[Rewrite] = field(default_factory=list)
    """Lowerings of calls, such as `group.sync()`, to other expressions."""
    operators: list[OperatorFunction] = field(default_factory=list)
    """Operators of library types, such as `half2`."""
    objects: dict[type[CType], ObjectRules] = field(default_factory=dict)
    """By class of a type: the rules for its objects."""
    assembly: Callable[[Context, Assembly], Step] | None = None
    """Compiles an asm statement; None where inline PTX is not installed."""
    absent: dict[str, str] = field(default_factory=dict)
    """By name of a library that is not installed: a pattern of its functions' names."""

    def rules(self, place: object) -> ObjectRules | None:
        """Return the rules for an lvalue of a registered type; None for any other."""
        kind = getattr(place, "kind", None)
        return self.objects.get(type(kind)) if kind is not None else None

    def library_of(self, function: str) -> str:
        """Return the library that a function belongs to, if it is not installed; "" for any other function."""
        return next((name for name, pattern in self.absent.items() if re.fullmatch(pattern, function)), "")

    def rewrite(self, c: Context, node: Expr) -> Expr:
        """Return the expression that a call is lowered to; any other expression unchanged."""
        for rewrite in self.rewrites:
            if not isinstance(node, ast.Call) or not node.arguments:
                break
            node = rewrite(c, node)
        return node


def not_installed(c: Context, span: Span, construct: str, library: str) -> SourceError:
    """Return the error for a construct whose library is not installed."""
    return c.unsupported(span, f"{construct}: its library, {library}, is not installed")
