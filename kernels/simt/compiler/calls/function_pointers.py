"""Function pointers: the value of a function's name without a call is the function's number."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from kernels.frontend import ast, parse
from kernels.frontend.types import FunctionPointer, function_pointer
from kernels.simt.compiler.calls.device_helpers import substitute
from kernels.simt.compiler.calls.template_deduction import deduce
from kernels.simt.compiler.compiled_values import Code, constant

if TYPE_CHECKING:
    from kernels.frontend.ast import Function
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context

_FIRST_NUMBER: Final = 1 << 62
"""The number of the first function, above the addresses of all arrays."""

_NUMBER_STEP: Final = 16

_ARGUMENT_COUNTS: Final = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "exp10"), 1),
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt", "cbrt", "fabs", "floor", "ceil", "round", "erf"), 1),
    **dict.fromkeys(("fmax", "fmin", "pow", "fmod", "atan2", "hypot"), 2),
}
"""CUDA functions whose address can be taken, with their numbers of arguments."""


def function_value(c: Context, node: ast.Name, target: CType | None = None) -> Code | None:
    """Compile the name of a function; None if it is no function.

    `target` is the type that it is converted to, which selects an overload or an instance of a template.

    Raises
    ------
    SourceError
        If several functions match the name, or none has the type.
    """
    if node.id not in c.functions and not _cuda_wrappers(node.id, node.span):
        return None
    found = [
        f for f in _candidates(c, node, target) if not isinstance(target, FunctionPointer) or pointer_to(f) == target
    ]
    if len(found) != 1:
        if found or target is None:
            raise c.refuse(node.span, f"'{node.id}' can be several functions: give each its own name")
        raise c.refuse(node.span, f"no function '{node.id}' has the type {target}")
    (function,) = found
    if function.kernel:
        raise c.unsupported(node.span, f"pointer to the kernel {function.name}")
    targets = c.calls.targets.setdefault((id(c.frames[-1].function), node.span, f"&{node.id}"), [])
    if all(function is not other for other in targets):
        targets.append(function)
    kind = pointer_to(function)
    return constant(number_of(c, function, kind), kind)


def _candidates(c: Context, node: ast.Name, target: CType | None) -> list[Function]:
    """Return the functions that a name can mean, with the instances of templates whose arguments are known."""
    call = ast.Call(node.span, node.id, (), node.template)
    like = (
        [Code(lambda group, mask: 0, kind) for kind in target.parameters] if isinstance(target, FunctionPointer) else []
    )
    found: list[Function] = []
    for candidate in c.functions.get(node.id) or _cuda_wrappers(node.id, node.span):
        if isinstance(candidate, ast.Template):
            arguments = deduce(c, candidate, call, like)
            if arguments is not None:
                found.append(c.functions.instantiate(candidate, arguments))
        elif not node.template:
            found.append(candidate)
    return found


@cache
def _cuda_wrappers(name: str, span: ast.Span) -> tuple[Function, ...]:
    """Return wrappers of a CUDA function, which has no body: one for `sinf`, two (float and double) for `sin`."""
    plain = name.removesuffix("f") if name not in _ARGUMENT_COUNTS else name
    count = _ARGUMENT_COUNTS.get(plain)
    if count is None:
        return ()
    names = "ab"[:count]
    wrappers = []
    for kind in ("float",) if plain != name else ("float", "double"):
        text = f"__device__ {kind} f({', '.join(f'{kind} {one}' for one in names)})"
        program = parse(f"{text} {{ return {name}({', '.join(names)}); }}", "<helper>")
        wrappers.append(substitute(replace(program.functions[0], name=name), span, {}))
    return tuple(wrappers)


def pointer_to(function: Function) -> FunctionPointer:
    """Return the type of pointers to a function."""
    return function_pointer(function.returns, [parameter.type for parameter in function.parameters])


def number_of(c: Context, function: Function, kind: FunctionPointer) -> int:
    """Return the number of a function, the value of pointers to it.

    Raises
    ------
    Recompile
        If a call through this type of pointer was compiled without the function.
    """
    known = c.machine.assumptions.functions
    for position, other in enumerate(known):
        if other is function:
            return _FIRST_NUMBER + position * _NUMBER_STEP
    known.append(function)
    if kind in c.machine.assumptions.selected_at_run_time:
        c.machine.assumptions.recompile_selected_at_run_time()
    return _FIRST_NUMBER + (len(known) - 1) * _NUMBER_STEP


def functions_of(c: Context, kind: FunctionPointer) -> list[tuple[int, Function]]:
    """Return the functions that a pointer of a type can point to, with their numbers."""
    c.machine.assumptions.selected_at_run_time.add(kind)
    return [
        (_FIRST_NUMBER + position * _NUMBER_STEP, function)
        for position, function in enumerate(c.machine.assumptions.functions)
        if pointer_to(function) == kind
    ]
