"""The registry: all that the compiler knows of CUDA's functions and of libraries.

`kernels.simt.intrinsics` and each folder of `kernels.simt.libraries` enter what they add; the compiler only looks it
up. A kernel that uses a library which is absent is refused with the library's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.ast import Assembly, Call, Do, Expr, Span
    from kernels.frontend.types import CType
    from kernels.simt.compiler.compiled_values import Code, Element, Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.steps import Step

    Compile = Callable[[Context, Call], Code]
    """Compiles a call that has a value."""
    CompileStatement = Callable[[Context, Do, Call], Step]
    """Compiles a call that is a statement by itself, because threads wait in it."""
    Rewrite = Callable[[Context, Call], Expr]
    """Returns what a call stands for; a call that it does not concern, as it is."""
    Maker = Callable[[Context, Call], "Code | None"]
    """Compiles a call that is recognised by the types of its arguments; None for any other."""
    OperatorFunction = Callable[[str, CType, CType], str]
    """Returns the function that an operator between two types is; "" for none."""


@dataclass(frozen=True, slots=True)
class ObjectRules:
    """Rules for objects of a type every access of which is special, such as `cuda::atomic<T>`."""

    load: Callable[[Context, Element], Code]
    assign: Callable[..., Code]
    """`assign(c, element, op, value, span, *, gives_new)` compiles `x = v`, `x += v`, `++x`."""
    refer: Callable[[Context, Place, CType, Span], Place]
    """Returns what a reference of the type names: a place whose accesses follow these rules."""


@dataclass(slots=True)
class Registry:
    """What is entered, by name or in the order in which it is asked."""

    functions: dict[str, Compile] = field(default_factory=dict)
    statements: dict[str, CompileStatement] = field(default_factory=dict)
    fences: dict[str, bool] = field(default_factory=dict)
    """By function: whether the fence orders accesses for the threads of the block only."""
    rewrites: list[Rewrite] = field(default_factory=list)
    makers: list[Maker] = field(default_factory=list)
    operators: list[OperatorFunction] = field(default_factory=list)
    objects: dict[type[CType], ObjectRules] = field(default_factory=dict)
    assembly: Callable[[Context, Assembly], Step] | None = None
    absent: dict[str, str] = field(default_factory=dict)
    """By absent library: a pattern of the functions that are its."""

    def rules(self, place: object) -> ObjectRules | None:
        """Return the rules for the object that a place is; None for any other place."""
        kind = getattr(place, "kind", None)
        return self.objects.get(type(kind)) if kind is not None else None

    def library_of(self, function: str) -> str:
        """Return the absent library that a function is of; "" where there is none."""
        return next((name for name, of in self.absent.items() if re.fullmatch(of, function)), "")

    def rewritten(self, c: Context, node: Expr, is_call: type[Call]) -> Expr:
        """Return what an expression stands for, if it is a call that some library writes in other words."""
        for rewrite in self.rewrites:
            if not isinstance(node, is_call) or not node.arguments:
                break
            node = rewrite(c, node)
        return node
