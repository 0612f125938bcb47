"""Tensor maps as the driver encodes them, for kernels that copy tiles by `cp.async.bulk.tensor`."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import LaunchError
from kernels.tensor_map import WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.tensor_map import TensorMap

_TYPES: Final = {"uint8": 0, "uint16": 1, "uint32": 2, "int32": 3, "float16": 6, "float32": 7, "float64": 8}
"""CUtensorMapDataType, by NumPy's name; bfloat16 is passed as its bits, uint16."""

_SWIZZLES: Final = {0: 0, 32: 1, 64: 2, 128: 3}
"""CUtensorMapSwizzle, by bytes."""


def encode(name: str, tensor_map: TensorMap, array: Any) -> NDArray[np.void]:
    """Return the 128 bytes of a map of a matrix in device memory (CUDA driver API, `cuTensorMapEncodeTiled`).

    Raises
    ------
    InputError
        For a tile that a GPU refuses.
    LaunchError
        When the driver refuses the map.
    """
    tensor_map.words(name, array.dtype, array.shape)  # its checks, which have words
    rows, columns = array.shape
    memory = (ctypes.c_uint64 * (WORDS + 8))()
    place = ctypes.addressof(memory)
    aligned = -(-place // 64) * 64
    status = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled(
        ctypes.c_void_p(aligned),
        ctypes.c_int(_TYPES[array.dtype.name]),
        ctypes.c_uint32(2),
        ctypes.c_void_p(int(array.data.ptr)),
        (ctypes.c_uint64 * 2)(columns, rows),
        (ctypes.c_uint64 * 1)(columns * array.dtype.itemsize),
        (ctypes.c_uint32 * 2)(tensor_map.columns, tensor_map.rows),
        (ctypes.c_uint32 * 2)(1, 1),
        ctypes.c_int(0),  # not interleaved
        ctypes.c_int(_SWIZZLES[tensor_map.swizzle_bytes]),
        ctypes.c_int(0),  # no promotion in L2
        ctypes.c_int(0),  # zeros outside of the array
    )
    if status:
        raise LaunchError(f"{name}: the driver refuses this tensor map of {tensor_map.array} (error {status})")
    return np.frombuffer(ctypes.string_at(aligned, 8 * WORDS), np.dtype(f"V{8 * WORDS}")).reshape(())
