"""A compiled kernel loaded on the device for one launch, with device copies of its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.gpu.run import MAX_DYNAMIC_SHARED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kernels.gpu.compiler import Compiled
    from kernels.launch import Launch


class LoadedKernel:
    """Launches a kernel, and reads and writes the variables of its module.

    Parameters
    ----------
    code, launch
        What to load, and how to launch it.
    arguments : sequence of ndarray or NumPy scalar
        In the order of the parameters; arrays are copied to the device.
    cooperative : bool
        Whether all blocks have to be resident at once, for a kernel that synchronises the grid.
    """

    def __init__(
        self, code: Compiled, launch: Launch, arguments: Sequence[NDArray[Any] | np.generic], *, cooperative: bool
    ) -> None:
        import cupy
        from cupy.cuda import driver, function

        self._launch = launch
        self._cooperative = cooperative
        self._module = function.Module()
        self._module.load(code.cubin)
        self._function = self._module.get_function(code.symbol)
        if launch.dynamic_shared_bytes:
            driver.funcSetAttribute(self._function.ptr, MAX_DYNAMIC_SHARED, launch.dynamic_shared_bytes)
        self._arguments: tuple[Any, ...] = tuple(
            cupy.asarray(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments
        )

    def address_of(self, position: int) -> int:
        """Return the device address of an array argument."""
        return int(self._arguments[position].data.ptr)

    def bytes_of(self, position: int) -> int:
        """Return the size of an array argument."""
        return int(self._arguments[position].nbytes)

    def contents_of(self, position: int) -> NDArray[np.generic]:
        """Copy an array argument back."""
        values: NDArray[np.generic] = self._arguments[position].get()
        return values

    def allocate(self, count: int, dtype: type[np.generic]) -> Any:
        """Return a CuPy array of zeros."""
        import cupy

        return cupy.zeros(count, dtype)

    def run(self) -> None:
        """Launch and wait."""
        import cupy

        self.queue()
        cupy.cuda.get_current_stream().synchronize()

    def queue(self) -> None:
        """Launch on the current stream."""
        launch = self._launch
        self._function(
            tuple(launch.grid),
            tuple(launch.block),
            self._arguments,
            launch.dynamic_shared_bytes,
            enable_cooperative_groups=self._cooperative,
        )

    def address_of_variable(self, name: str) -> int:
        """Return the device address of a `__device__` or `__constant__` variable."""
        return int(self._module.get_global_var(name))

    def read_variable(self, name: str, size: int) -> NDArray[np.uint8]:
        """Return the bytes of a `__device__` or `__constant__` variable."""
        from cupy.cuda import runtime

        values = np.zeros(size, np.uint8)
        address = self.address_of_variable(name)
        runtime.memcpy(values.ctypes.data, address, values.nbytes, runtime.memcpyDeviceToHost)
        return values

    def write_variable(self, name: str, values: NDArray[Any]) -> None:
        """Set the contents of a `__device__` or `__constant__` variable."""
        from cupy.cuda import runtime

        address = self.address_of_variable(name)
        runtime.memcpy(address, values.ctypes.data, values.nbytes, runtime.memcpyHostToDevice)
