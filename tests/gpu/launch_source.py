"""Launch of any source on the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cupy
from cupy.cuda import function

from kernels.frontend import parse
from kernels.frontend.types import Scalar
from kernels.gpu import device
from kernels.gpu.compiler import compile_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.launch import Launch


def launch_source(text: str, entry: str, shape: Launch, arguments: Mapping[str, Any], *, fmad: bool = True) -> None:
    """Compile a source, launch a kernel of it once and wait; arrays lie on the device. Raises CuPy's errors."""
    compiled = compile_text(text, f"{entry}.cu", entry, (), device.present_device().arch, fmad=fmad)
    module = function.Module()
    module.load(compiled.cubin)
    (kernel,) = (k for k in parse(text, f"{entry}.cu").kernels if k.name == entry)
    bound = tuple(
        p.type.dtype.type(arguments[p.name]) if isinstance(p.type, Scalar) else arguments[p.name]
        for p in kernel.parameters
    )
    run = module.get_function(compiled.symbol)
    run(tuple(shape.grid), tuple(shape.block), bound, shape.dynamic_shared_bytes)
    cupy.cuda.get_current_stream().synchronize()
