"""Address spaces: `__isShared` and similar tests, and conversions between pointers and numeric addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.frontend.types import UINT, ULONG, Pointer, Void
from kernels.simt.compiler.compiled_values import Code, constant
from kernels.simt.compiler.expressions.addresses import as_address, memory_number, pointee, to_number
from kernels.simt.compiler.expressions.elementwise import operands
from kernels.simt.compiler.expressions.operators import convert
from kernels.simt.intrinsics.async_copies import pointer_to_shared
from kernels.simt.machine.arithmetic import ndarray

if TYPE_CHECKING:
    from kernels.frontend.ast import Call
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile
    from kernels.simt.machine.arithmetic import Value
    from kernels.simt.machine.lanes import Active, Group

_SPACES: Final = {
    "Global": ("global",),
    "Shared": ("shared",),
    "Local": ("local",),
    "Constant": ("constant",),
}
"""Spaces in a trace, by suffix of the name."""


def _is_in(spaces: tuple[str, ...]) -> Compile:
    def compile_call(c: Context, node: Call) -> Code:
        (code,) = operands(c, node, 1)
        if pointee(code.type) is None:
            raise c.refuse(node.span, f"{node.function} takes a pointer, not {code.type}")
        if code.memory is not None:
            return constant(int(code.memory.info.space in spaces), UINT)
        address = as_address(code).run

        def run(group: Group, mask: Active) -> Value:
            is_in_space = np.array([0, *(memory.info.space in spaces for memory in c.machine.memories)], np.uint32)
            number = np.asarray(memory_number(address(group, mask)), np.int64) + 1
            found = is_in_space.take(number, mode="clip")
            return found if type(found) is ndarray and found.ndim else int(found)

        return Code(run, UINT, None, code.pure)

    return compile_call


def _to_space(c: Context, node: Call) -> Code:
    """Compile `__cvta_generic_to_…(pointer)`: the address as a number."""
    (code,) = operands(c, node, 1)
    if pointee(code.type) is None:
        raise c.refuse(node.span, f"{node.function} takes a pointer, not {code.type}")
    return convert(c, to_number(code), ULONG, node.span)


def _from_space(c: Context, node: Call) -> Code:
    """Compile `__cvta_…_to_generic(number)`."""
    number = convert(c, operands(c, node, 1)[0], ULONG, node.span)
    return Code(number.run, Pointer(Void()), number.constant, number.pure)


def _from_shared(c: Context, node: Call) -> Code:
    """Compile `__cvta_shared_to_generic(number)`; the number is a byte address in the block's shared memory."""
    code = pointer_to_shared(c, operands(c, node, 1)[0], node.span)
    return Code(code.run, Pointer(Void()), code.constant, code.pure)


SPACES: Final[dict[str, Compile]] = {
    **{f"__is{name}": _is_in(spaces) for name, spaces in _SPACES.items()},
    "__isGridConstant": _is_in(()),
    **{f"__cvta_generic_to_{name}": _to_space for name in ("global", "local", "constant")},
    **{f"__cvta_{name}_to_generic": _from_space for name in ("global", "local", "constant")},
    "__cvta_shared_to_generic": _from_shared,
}
"""By name."""
