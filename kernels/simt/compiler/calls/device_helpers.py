"""Device helpers: functions of CUDA and of libraries that are written in CUDA C, and compiled inline.

Example: `memset(p, 0, n)` with `float *p` calls the template `_FILL` with T = float, a loop that stores T() in each
element. Every node of the template has the place of the call in the source, so that its accesses are those of the call.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from math import gcd
from typing import TYPE_CHECKING, Any, Final

from kernels.frontend import ast, parse_with_instances
from kernels.frontend.types import UCHAR, Pointer, Scalar, Struct
from kernels.simt.compiler.expressions.addresses import pointee
from kernels.simt.compiler.structs.layout import element_type, leaves, word_type
from kernels.simt.machine.arithmetic import is_float

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.frontend.ast import Call, Expr, Span
    from kernels.frontend.instances import Instances
    from kernels.frontend.types import CType
    from kernels.simt.compiler.context import Context

_FILL: Final = """template <typename T> __device__ void memset(T *to, int value, size_t bytes) {{
    for (size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = {value};
}}"""
_COPY: Final = """template <typename T> __device__ void memcpy(T *to, const T *from, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = from[i];
}"""


def memory_function(c: Context, node: Call) -> Expr | None:
    """Return `memset` or `memcpy` as the call of a helper with a loop over elements; None for any other call.

    Raises
    ------
    SourceError
        When the number of arguments is wrong, or the byte is not known before the launch.
    """
    name = node.function.removeprefix("__builtin_")
    if name not in ("memset", "memcpy") or node.function in c.functions:
        return None
    if len(node.arguments) != 3:
        raise c.refuse(node.span, f"{name} takes 3 arguments, {len(node.arguments)} are given")
    places = 2 if name == "memcpy" else 1
    node = replace(node, arguments=(*map(_to_somewhere, node.arguments[:places]), *node.arguments[places:]))
    target = pointee(c.compile(node.arguments[0]).type)
    if name == "memcpy":
        return helper_call(c, _COPY, _in_words(c, node, target, pointee(c.compile(node.arguments[1]).type)))
    if target is None:
        raise c.refuse(node.span, "the first argument of memset must be a pointer")
    byte = c.compile(node.arguments[1]).constant
    if byte is None:
        raise c.unsupported(node.arguments[1].span, "memset with a byte that is not known before the launch")
    if byte == 0 and not (isinstance(target, Struct) and target.constructor in c.functions):
        return helper_call(c, _FILL.format(value="T()"), node)
    if not isinstance(target, Scalar) or is_float(target):
        target = c.complete(target)
        count = c.compile(node.arguments[2]).constant
        size = element_type(target).size_bytes if leaves(target) else 1
        kind = word_type(gcd(size, size if count is None else int(count)))
        node = replace(node, arguments=(ast.Cast(node.span, Pointer(kind), node.arguments[0]), *node.arguments[1:]))
    return helper_call(c, _FILL.format(value=f"T(0x0101010101010101ull * {int(byte) & 255}u)"), node)


def _to_somewhere(node: Expr) -> Expr:
    """Return an argument; a literal 0 as a null pointer to bytes."""
    is_zero = isinstance(node, ast.Number) and node.value == 0
    return ast.Cast(node.span, Pointer(UCHAR), node) if is_zero else node


def _in_words(c: Context, node: Call, target: CType | None, source: CType | None) -> Call:
    """Return a copy between different types, or of a part of one, by the largest words that both consist of."""
    if target is None or source is None:
        raise c.unsupported(node.span, "memcpy with a null pointer; give it pointers to arrays or variables")
    target, source = c.complete(target), c.complete(source)
    count = c.compile(node.arguments[2]).constant
    whole = isinstance(target, Scalar | Struct | Pointer) and not (count or 0) % target.size_bytes
    if target == source and whole:
        return node
    sizes = [element_type(kind).size_bytes for kind in (target, source) if leaves(kind)]
    kind = word_type(gcd(*sizes, 0 if count is None else int(count))) if sizes else UCHAR
    to = ast.Cast(node.span, Pointer(kind), node.arguments[0])
    start = ast.Cast(node.span, Pointer(kind, const=True), node.arguments[1])
    return replace(node, arguments=(to, start, node.arguments[2]))


def helper_call(c: Context, text: str, node: Call) -> Call:
    """Declare the template in `text`, with the call's place in the source, and return the call of it."""
    instances = _read(text)
    (template,) = instances.program.templates
    name = f"{template.name} of {node.span.line}:{node.span.column}, {text}"
    if name not in c.functions:
        c.functions.helpers[name] = cache(
            lambda given: substitute(instances.instantiate(template, given), node.span, {})
        )
        c.functions[name] = [replace(template, span=node.span, name=name)]
    return replace(node, function=name)


@cache
def _read(text: str) -> Instances:
    return parse_with_instances(text, "<helper>")[1]


def substitute(node: Any, span: Span, replacements: Mapping[str, Expr]) -> Any:
    """Return a tree with all spans replaced by one, and names by the arguments in `given`."""
    if isinstance(node, tuple):
        return tuple(substitute(child, span, replacements) for child in node)
    if isinstance(node, ast.Name) and node.id in replacements:
        return replacements[node.id]
    if isinstance(node, ast.Span):
        return span
    if not hasattr(node, "span"):
        return node
    return replace(node, **{f.name: substitute(getattr(node, f.name), span, replacements) for f in fields(node)})
