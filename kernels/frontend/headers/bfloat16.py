"""`__nv_bfloat16` and `__nv_bfloat162`: structs that hold the bits, as in cuda_bf16.h."""

from __future__ import annotations

from typing import Final

from kernels.frontend.types import USHORT, struct

BF16: Final = struct("__nv_bfloat16", [("__x", USHORT)])
BF162: Final = struct("__nv_bfloat162", [("x", BF16), ("y", BF16)], 4)
TYPES: Final = {"__nv_bfloat16": BF16, "nv_bfloat16": BF16, "__nv_bfloat162": BF162, "nv_bfloat162": BF162}
"""By the names that C has for them."""
