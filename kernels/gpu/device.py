"""The GPU in this machine: its presence, its properties, and the meaning of its errors."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from kernels.device import Device, device_of_driver
from kernels.errors import DeviceError, InputError, LaunchError, UnavailableError
from kernels.gpu import compiler

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping


# Properties that the driver does not report. CUDA C++ Programming Guide, "Technical Specifications per Compute
# Capability" and "Arithmetic Instructions"; allocation units as in cuda_occupancy.h.
_REGISTERS_PER_THREAD: Final = 255
_REGISTER_UNIT: Final = 256
_FP32_LANES: Final = {(6, 0): 64, (7, 0): 64, (7, 2): 64, (7, 5): 64, (8, 0): 64}
_FP32_LANES_ELSE: Final = 128

_NO_MEMORY: Final = "the device has not enough free memory: choose a smaller size"
_INVALID_VALUE: Final = 1
_OUT_OF_MEMORY: Final = 2
_INVALID_CONFIGURATION: Final = 9
_TOO_MANY_RESOURCES: Final = 701


def missing() -> str:
    """Return in one line why no kernel can run on a GPU here; "" when one can."""
    try:
        present_device()
    except UnavailableError as error:
        return str(error)
    return ""


@lru_cache(maxsize=1)
def present_device() -> Device:
    """Return the GPU that CUDA calls device 0, with its driver's figures.

    Raises
    ------
    UnavailableError
        When CuPy, the CUDA libraries, the driver or the GPU is missing; the message says which.
    """
    runtime = _runtime()

    def attribute(name: str) -> int:
        return int(runtime.deviceGetAttribute(getattr(runtime, f"cudaDevAttr{name}"), 0))

    properties = runtime.getDeviceProperties(0)
    capability = (int(properties["major"]), int(properties["minor"]))
    # Two transfers per memory clock (double data rate); bus width in bits, clock in kHz.
    memory_gb_s = attribute("MemoryClockRate") * 2 * attribute("GlobalMemoryBusWidth") / 8 / 1e6
    name = properties["name"].decode()
    known = device_of_driver(name)
    return Device(
        id="present",
        name=name,
        compute_capability=capability,
        sm_count=attribute("MultiProcessorCount"),
        warps_per_sm=attribute("MaxThreadsPerMultiProcessor") // attribute("WarpSize"),
        blocks_per_sm=attribute("MaxBlocksPerMultiprocessor"),
        registers_per_sm=attribute("MaxRegistersPerMultiprocessor"),
        registers_per_block=attribute("MaxRegistersPerBlock"),
        registers_per_thread=_REGISTERS_PER_THREAD,
        register_unit=_REGISTER_UNIT,
        shared_per_sm_bytes=attribute("MaxSharedMemoryPerMultiprocessor"),
        shared_per_block_bytes=attribute("MaxSharedMemoryPerBlock"),
        shared_per_block_optin_bytes=attribute("MaxSharedMemoryPerBlockOptin"),
        shared_reserved_bytes=attribute("ReservedSharedMemoryPerBlock"),
        shared_unit_bytes=128 if capability >= (8, 0) else 256,
        boost_clock_mhz=attribute("ClockRate") / 1e3,
        fp32_lanes_per_sm=_FP32_LANES.get(capability, _FP32_LANES_ELSE),
        memory_gb_s=memory_gb_s,
        tensor_flops=known.tensor_flops if known else {},
        tensor_clock_mhz=known.tensor_clock_mhz if known else 0.0,
        source="this machine's driver",
        present=True,
    )


def versions() -> dict[str, str]:
    """Return the name and clock of the GPU and the versions of its software; "" where there is none."""
    found = {
        "gpu": "",
        "gpu_uuid": "",
        "gpu_clock_mhz": "",
        "driver": "",
        "cuda_driver": "",
        "cuda_runtime": "",
        "nvrtc": "",
        "cupy": "",
    }
    try:
        device, runtime = present_device(), _runtime()
        import cupy
    except UnavailableError:
        return found
    from kernels.gpu.telemetry import present_reader

    reader = present_reader()
    return {
        "gpu": device.name,
        "gpu_uuid": (reader.uuid if reader else "") or runtime.deviceGetPCIBusId(0),
        "gpu_clock_mhz": f"{device.boost_clock_mhz:g}",
        "driver": reader.driver if reader else "",
        "cuda_driver": _dotted(runtime.driverGetVersion()),
        "cuda_runtime": _dotted(runtime.runtimeGetVersion()),
        "nvrtc": compiler.nvrtc_version(),
        "cupy": cupy.__version__,
    }


def free_bytes() -> int:
    """Return the bytes of device memory available to arrays: free memory, and free memory in CuPy's pool."""
    runtime = _runtime()
    import cupy

    return int(runtime.memGetInfo()[0]) + int(cupy.get_default_memory_pool().free_bytes())


@contextmanager
def cuda_errors(what: str) -> Iterator[None]:
    """Convert CUDA's errors; `what` names the kernel and its launch in messages.

    Raises
    ------
    LaunchError
        When the driver refused the launch; nothing ran and the context can still be used.
    InputError
        When the device has not enough memory.
    DeviceError
        For any other error; every later call in this context fails with it.
    """
    import cupy

    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        raise InputError(f"{what}: {_NO_MEMORY}") from error
    except (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError) as error:
        status, words = int(error.status), str(error).rpartition(": ")[2]
        if status in (_INVALID_VALUE, _INVALID_CONFIGURATION, _TOO_MANY_RESOURCES):
            raise LaunchError(f"{what}: the driver refuses it: {words}") from error
        if status == _OUT_OF_MEMORY:
            raise InputError(f"{what}: {_NO_MEMORY}") from error
        raise DeviceError(f"{what} failed on the device: {words}") from error


@lru_cache(maxsize=1)
def _runtime() -> Any:
    compiler.nvrtc_version()
    from cupy.cuda import runtime

    try:
        count = runtime.getDeviceCount()
    except (runtime.CUDARuntimeError, RuntimeError, OSError) as error:
        raise UnavailableError(
            f"no usable NVIDIA driver ({error}): install NVIDIA's driver 580 or newer for CUDA 13"
        ) from error
    if not count:
        raise UnavailableError("the NVIDIA driver sees no GPU in this machine")
    return runtime


def _dotted(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"


# --- Choice of the GPU that CUDA shows to this process as device 0


_VISIBLE = "CUDA_VISIBLE_DEVICES"


def choose_gpu(gpu: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Show only one GPU to CUDA, which must not have been used in this process.

    Parameters
    ----------
    gpu : str
        A number or a UUID. Numbers are those of nvidia-smi; where `CUDA_VISIBLE_DEVICES` is set already, as by Slurm,
        they count the GPUs that it names, so that a process never leaves those that it was given.
    environment : mutable mapping
        Variables of the process.

    Raises
    ------
    InputError
        When there is no GPU of that number among those that it was given.
    """
    offered = [name for name in environment.get(_VISIBLE, "").split(",") if name]
    if _VISIBLE in environment and gpu.isdecimal():
        if int(gpu) >= len(offered):
            raise InputError(
                f"there is no GPU {gpu}: {_VISIBLE} is '{environment[_VISIBLE]}', so give 0 to {len(offered) - 1}"
                if offered
                else f"there is no GPU {gpu}: {_VISIBLE} is empty"
            )
        environment[_VISIBLE] = offered[int(gpu)]
        return
    # CUDA's own order is that of speed; nvidia-smi's is that of the bus.
    environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    environment[_VISIBLE] = gpu


def gpu_names(text: str) -> tuple[str, ...]:
    """Return the GPUs of a list such as `0,1`.

    Raises
    ------
    InputError
        When a part is neither a number nor a UUID.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in names:
        if not (name.isascii() and (name.isdecimal() or name.startswith(("GPU-", "MIG-")))):
            raise InputError(
                f"'{name}' is not a GPU: give numbers as nvidia-smi lists them, as in --gpus 0,1, or UUIDs"
            )
    return names
