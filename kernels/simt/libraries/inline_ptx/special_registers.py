"""PTX's special registers, in CUDA C (PTX ISA, "Special Registers")."""

from __future__ import annotations

from typing import Final

_LANE: Final = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
SPECIAL: Final = {
    **{
        f"%{register}.{axis}": f"{name}.{axis}"
        for axis in "xyz"
        for register, name in (("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))
    },
    "%laneid": f"{_LANE} % 32",
    "%warpid": f"{_LANE} / 32",
    "%smid": "0u",
    "%nsmid": "1u",
    "WARP_SZ": "32",
    "%lanemask_eq": f"1u << {_LANE} % 32",
    "%lanemask_lt": f"(1u << {_LANE} % 32) - 1",
    "%lanemask_le": f"(2u << {_LANE} % 32) - 1",
    "%lanemask_gt": f"~((2u << {_LANE} % 32) - 1)",
    "%lanemask_ge": f"~((1u << {_LANE} % 32) - 1)",
    "%clock": "(unsigned)clock()",
    "%clock64": "clock64()",
    "%globaltimer": "clock64()",
    "%globaltimer_lo": "(unsigned)clock64()",
}
"""Special registers in CUDA C. Clocks count steps, as `clock()` does; all blocks run on one multiprocessor."""
