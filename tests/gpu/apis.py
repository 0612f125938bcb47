"""One kernel, with CUDA's own headers on the GPU and with ours in the simulator: what both leave in its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.frontend import parse
from kernels.frontend.headers.textures import Image
from kernels.frontend.types import Scalar
from kernels.launch import Dim3, Launch
from kernels.simt import Options, Sampler, Texture, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]


_LAYERED, _GATHERED = 1, 8
"""cudaArrayLayered and cudaArrayTextureGather, from driver_types.h."""


@dataclass(frozen=True)
class Pixels:
    """The memory of a texture or surface: rows of pixels with N numbers each, or memory without rows.

    `words` say how the host sets a texture up, see `Sampler`.
    """

    values: NDArray[Any]
    channels: int = 1
    layered: bool = False
    linear: bool = False
    fractions: bool = False
    words: str = ""

    @property
    def simulated(self) -> NDArray[Any] | Texture:
        """The simulator's argument."""
        return Texture(self.values, Sampler.of(self.words.split())) if self.words else self.values.copy()


def both(
    source: str,
    given: Mapping[str, Any],
    *,
    grid: int = 1,
    block: int = 32,
    fmad: bool = True,
) -> tuple[Arrays, Arrays]:
    """Run the one kernel of a source, simulated and on the GPU; no hazard may be found."""
    launch = Launch(Dim3(grid), Dim3(block))
    program = parse(source, "k.cu")
    numbers = {
        name: value.simulated if isinstance(value, Pixels) else np.array(value)[()] for name, value in given.items()
    }
    with np.errstate(all="ignore"):
        found = run(program, launch, numbers, options=Options(contract=fmad, record=False))
    assert found.hazards == ()
    return found.outputs, _on_gpu(source, given, launch, fmad)


def _on_gpu(source: str, given: Mapping[str, Any], launch: Launch, fmad: bool) -> Arrays:
    import cupy
    from cupy.cuda import function

    from kernels.gpu import device
    from kernels.gpu.compiler import compile_text

    (kernel,) = parse(source, "k.cu").kernels
    compiled = compile_text(source, "k.cu", kernel.name, (), device.present_device().arch, fmad=fmad)
    module = function.Module()
    module.load(compiled.cubin)
    arguments: list[Any] = []
    kept: dict[str, Any] = {}
    for parameter in kernel.parameters:
        value, kind = given[parameter.name], parameter.type
        if isinstance(kind, Image):
            kept[parameter.name] = held = _Held(value, writable=not kind.const)
            arguments.append(np.uint64(held.object.ptr))
        elif isinstance(kind, Scalar):
            arguments.append(kind.dtype.type(value))
        else:
            kept[parameter.name] = cupy.asarray(value)
            arguments.append(kept[parameter.name])
    module.get_function(compiled.symbol)(tuple(launch.grid), tuple(launch.block), tuple(arguments), 0)
    cupy.cuda.get_current_stream().synchronize()
    return {
        name: cupy.asnumpy(value) if isinstance(value, cupy.ndarray) else value.read() for name, value in kept.items()
    }


class _Held:
    """A texture or a surface on the device."""

    def __init__(self, pixels: Pixels, *, writable: bool) -> None:
        import cupy
        from cupy.cuda import runtime, texture

        values = pixels.values
        shape = values.shape[: values.ndim - (pixels.channels > 1)]
        bits = 8 * values.dtype.itemsize
        kind = {"i": runtime.cudaChannelFormatKindSigned, "u": runtime.cudaChannelFormatKindUnsigned}.get(
            values.dtype.kind, runtime.cudaChannelFormatKindFloat
        )
        channel = texture.ChannelFormatDescriptor(*(bits if i < pixels.channels else 0 for i in range(4)), kind)
        self._pixels = pixels
        if pixels.linear:
            self._array = cupy.asarray(values)
            resource = texture.ResourceDescriptor(
                runtime.cudaResourceTypeLinear, arr=self._array, chDesc=channel, sizeInBytes=values.nbytes
            )
        else:
            sizes = [*reversed(shape), 0, 0][:3]
            gathered = len(shape) == 2 and not writable
            flags = runtime.cudaArraySurfaceLoadStore * writable | _LAYERED * pixels.layered | _GATHERED * gathered
            self._array = texture.CUDAarray(channel, *sizes, flags)
            self._array.copy_from(cupy.asarray(values.reshape(*shape[:-1], -1)))
            resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=self._array)
        if writable:
            self.object = texture.SurfaceObject(resource)
        else:
            words = pixels.words.split()
            edges = {"wrap": "Wrap", "mirror": "Mirror", "border": "Border"}
            edge = next((edges[word] for word in words if word in edges), "Clamp")
            axes = len(shape) - pixels.layered if not pixels.linear else 1
            described = texture.TextureDescriptor(
                (getattr(runtime, f"cudaAddressMode{edge}"),) * axes + (runtime.cudaAddressModeClamp,) * (3 - axes),
                runtime.cudaFilterModeLinear if "linear" in words else runtime.cudaFilterModePoint,
                runtime.cudaReadModeNormalizedFloat if pixels.fractions else runtime.cudaReadModeElementType,
                normalizedCoords=int("normalized" in words),
            )
            self.object = texture.TextureObject(resource, described)

    def read(self) -> NDArray[Any]:
        """Return the pixels as the kernel left them."""
        import cupy

        values = self._pixels.values
        if self._pixels.linear:
            return np.asarray(cupy.asnumpy(self._array))
        shape = values.shape[: values.ndim - (self._pixels.channels > 1)]
        out = cupy.empty((*shape[:-1], values.size // int(np.prod(shape[:-1], dtype=int))), values.dtype)
        self._array.copy_to(out)
        return np.asarray(cupy.asnumpy(out)).reshape(values.shape)


def bits(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as whole ones that are ordered as they are, steps from one to the next; NaNs as one."""
    if values.dtype.kind != "f":
        return values.astype(object) if values.dtype.itemsize == 8 else values.astype(np.int64)
    size = values.dtype.itemsize
    words = np.where(np.isnan(values), values.dtype.type(np.nan), values).view(f"i{size}")
    wide = words.astype(object) if size == 8 else words.astype(np.int64)
    found: NDArray[Any] = np.where(words < 0, -(wide & (2 ** (8 * size - 1) - 1)), wide)
    return found


def identical(ours: NDArray[Any], theirs: NDArray[Any]) -> None:
    """Every bit, the sign of a zero among them, but not those inside a NaN."""
    np.testing.assert_array_equal(ours, theirs)
    if ours.dtype.kind == "f":
        known = ~np.isnan(ours)
        np.testing.assert_array_equal(np.signbit(ours) & known, np.signbit(theirs) & known)
