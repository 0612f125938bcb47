"""Conversions and functions of bfloat16."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import DOUBLE, FLOAT, LONG, ULONG, Scalar
from kernels.number_types import bfloat_to_double, round_to_bfloat
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.machine.arithmetic import Value, converter, is_float

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.simt.machine.lanes import Active, Group


def apply_in_double(function: Callable[..., Any], codes: list[Code], kind: Any) -> Code:
    """Compile a function of doubles, member by member, of structs of bfloat16."""
    runs = [code.run for code in codes]

    def run(group: Group, mask: Active) -> Value:
        members = zip(*(give(group, mask) for give in runs), strict=True)
        return tuple([round_to_bfloat(function(*map(bfloat_to_double, member))) for member in members])

    return Code(run, kind, None, all(code.pure for code in codes))


def to_bfloat(code: Code) -> Code:
    """Convert a number to bfloat16."""
    assert isinstance(code.type, Scalar)
    wide = converter(code.type, DOUBLE) or (lambda value: value)
    if code.type in (LONG, ULONG):  # too long for a double: through float, as cuda_bf16.h does
        wide = converter(code.type, FLOAT) or wide
    give = code.run
    return Code(lambda group, mask: (round_to_bfloat(wide(give(group, mask))),), BF16, None, code.pure)


def from_bfloat(code: Code, target: Scalar) -> Code:
    """Convert a bfloat16 to a number; to an integer by way of float."""
    give = code.run
    change = None if target == DOUBLE else converter(FLOAT, target) if not is_float(target) else None

    def run(group: Group, mask: Active) -> Value:
        (bits,) = give(group, mask)
        number = bfloat_to_double(bits)
        if change is not None:
            single = number.astype(np.float32)
            return change(single if single.ndim else single[()])
        found = number.astype(target.dtype)
        return found if found.ndim else found[()]

    return Code(run, target, None, code.pure)
