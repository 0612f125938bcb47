"""`coalesced_group`, lowered to warp intrinsics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import parse_expression
from kernels.frontend.headers.cooperative_groups import COALESCED
from kernels.frontend.types import INT, UINT
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.elementwise import typed_function

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.compiler.registry import Compile

_PACKED: Final = "__by_rank"
_LANE: Final = "(((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32u)"
_SIZE: Final = "(unsigned)__popc(_0.mask)"
_RANK: Final = f"(unsigned)__popc(_0.mask & ((1u << {_LANE}) - 1u))"
_UP: Final = f"({_RANK} < (unsigned)(_2) ? {_LANE} : __fns(_0.mask, 0, {_RANK} - (_2) + 1))"
_DOWN: Final = f"({_RANK} + (_2) >= {_SIZE} ? {_LANE} : __fns(_0.mask, 0, {_RANK} + (_2) + 1))"

MEMBERS: Final = {
    "sync": "__syncwarp(_0.mask)",
    "size": _SIZE,
    "num_threads": _SIZE,
    "thread_rank": _RANK,
    "shfl": "__shfl_sync(_0.mask, _1, __fns(_0.mask, 0, (_2) + 1))",
    "shfl_up": f"__shfl_sync(_0.mask, _1, {_UP})",
    "shfl_down": f"__shfl_sync(_0.mask, _1, {_DOWN})",
    "any": "__any_sync(_0.mask, _1)",
    "all": "__all_sync(_0.mask, _1)",
    "ballot": f"{_PACKED}(_0.mask, __ballot_sync(_0.mask, _1))",
}
"""By member: the expression it is lowered to; `_0` is the group, `_1` and `_2` are the arguments."""

REDUCTIONS: Final = {
    "plus": "add",
    "less": "min",
    "greater": "max",
    "bit_and": "and",
    "bit_or": "or",
    "bit_xor": "xor",
}
"""By the name of a group's operation: that of the function which reduces over a mask."""

COALESCED_MAKERS: Final = {
    "coalesced_threads": (0, "__activemask()"),
    "labeled_partition": (2, "__match_any_sync({mask}, _1)"),
    "binary_partition": (2, "__match_any_sync({mask}, (_1) ? 1 : 0)"),
}
"""Functions that make such a group, how many arguments they take, and the lanes they give."""


def lanes_of(c: Context, mask: Expr) -> Code:
    """Compile a group of the lanes that a mask names."""
    names = c.compile(mask).run
    return Code(lambda group, active: (names(group, active),), COALESCED, None, False)


def words(text: str) -> Expr:
    """Read one of the texts above."""
    return parse_expression(text)


def _nth_set(mask: Any, base: Any, offset: Any) -> Any:
    """`__fns`: the position of the n-th set bit at or above `base`, at or below where n is negative."""
    mask, base, offset = np.broadcast_arrays(mask, np.asarray(base, np.int64), np.asarray(offset, np.int64))
    found = np.full(mask.shape, 0xFFFFFFFF, np.int64)
    left = np.where(offset == 0, 1, np.abs(offset))
    for distance in range(32):
        at = np.where(offset < 0, base - distance, base + distance)
        there = (at >= 0) & (at < 32) & ((offset != 0) | (distance == 0))
        set_ = there & (mask >> np.clip(at, 0, 31).astype(np.uint32) & np.uint32(1)).astype(bool)
        left = left - set_
        found = np.where(set_ & (left == 0), at, found)
    return found.astype(np.uint32)


def _by_rank(mask: Any, bits: Any) -> Any:
    """Move the bits that a mask names together."""
    found, rank = np.zeros(np.broadcast(mask, bits).shape, np.uint32), np.zeros(np.shape(mask), np.uint32)
    for lane in range(32):
        named = mask >> np.uint32(lane) & np.uint32(1)
        found = found | (named & bits >> np.uint32(lane)) << (rank & np.uint32(31))
        rank = rank + named
    return found


COALESCED_FUNCTIONS: Final[dict[str, Compile]] = {
    "__fns": typed_function([UINT, UINT, INT], UINT, _nth_set),
    _PACKED: typed_function([UINT, UINT], UINT, _by_rank),
}
"""By name."""
