"""Resources of a kernel: compiled with NVRTC if it is installed, else shipped numbers."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from kernels.errors import InputError, UnavailableError
from kernels.installation import install_command
from kernels.occupancy.calculate import Resources
from kernels.occupancy.shipped import figures_key, fingerprint, read_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.catalog import Kernel
    from kernels.device import Device
    from kernels.launch import Dim3
    from kernels.workload import Size


def resources_for(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
    """Compile the kernel for the device, or look its numbers up where NVRTC is not installed.

    Raises
    ------
    InputError
        When the kernel has no CUDA source.
    UnavailableError
        When NVRTC is not installed and there are no shipped numbers for this source.
    SourceError, LaunchError
        When the source does not compile.
    """
    refuse_without_source(kernel)
    return (
        compiled_resources(kernel, size, block, device)
        if can_compile()
        else shipped_resources(kernel, size, block, device)
    )


def shipped_or_compiled(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
    """Look the numbers up, and compile only where none are shipped; errors as `resources_for`."""
    try:
        return shipped_resources(kernel, size, block, device)
    except UnavailableError:
        return resources_for(kernel, size, block, device)


def can_compile() -> bool:
    """Return whether NVRTC is installed; the first call imports CuPy, which may take a second."""
    if not has_cupy():
        return False
    from kernels.gpu.compiler import missing

    return not missing()


def has_cupy() -> bool:
    """Return whether CuPy is installed, without importing it."""
    return importlib.util.find_spec("cupy") is not None


def compiled_resources(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
    """Compile the kernel with NVRTC, for the device's architecture or the nearest that NVRTC knows.

    Raises
    ------
    UnavailableError
        When NVRTC is not installed.
    SourceError, LaunchError
        When the source does not compile.
    """
    from kernels.gpu.compiler import compile_kernel, supported_archs

    arch = nearest(device.arch, supported_archs())
    figures = compile_kernel(kernel, size, block, arch).figures
    origin = f"compiled by NVRTC {figures.nvrtc_version} for {arch}" + _substitution_note(arch, device)
    return Resources(figures.registers, figures.static_shared_bytes, figures.spill_bytes, origin, figures.barriers)


def shipped_resources(kernel: Kernel, size: Size, block: Dim3, device: Device) -> Resources:
    """Look up the shipped numbers, which are valid for exactly the source that they were compiled from.

    Raises
    ------
    InputError
        When the kernel has no CUDA source.
    UnavailableError
        When there are no numbers for this source or these macros.
    """
    refuse_without_source(kernel)
    install = f"install NVRTC to have it compiled: {install_command('cuda13')}"
    table = read_table(kernel.base)
    if table is None:
        raise UnavailableError(f"tilescope ships no register counts for {kernel.id}: {install}")
    if table.fingerprint != fingerprint(kernel):
        raise UnavailableError(
            f"the register counts that tilescope ships are of another version of {kernel.id}: {install}"
        )
    arch = nearest(device.arch, table.figures)
    key = figures_key(kernel.defines(size, block))
    if key not in table.figures[arch]:
        raise UnavailableError(f"tilescope ships no register counts for {kernel.id} with {key}: {install}")
    registers, shared, spill, barriers = table.figures[arch][key]
    origin = f"shipped with tilescope, compiled by NVRTC {table.nvrtc_version} for {arch}"
    return Resources(registers, shared, spill, origin + _substitution_note(arch, device), barriers)


def refuse_without_source(kernel: Kernel) -> None:
    """Raise an InputError for a kernel without CUDA source, which has no occupancy."""
    if kernel.runs_on == "cpu":
        raise InputError(f"{kernel.id} runs on the CPU: it has no blocks, so it has no occupancy")
    if kernel.file is None:
        raise InputError(
            f"{kernel.id} is a library routine, which chooses among its kernels at run time: "
            "there is no source to compute occupancy from"
        )


def nearest(arch: str, archs: Iterable[str]) -> str:
    """Return the architecture itself or the one with the nearest number; the newer of two."""
    return min(archs, key=lambda other: (abs(_number(other) - _number(arch)), -_number(other)))


def _number(arch: str) -> int:
    return int(arch.removeprefix("sm_"))


def _substitution_note(arch: str, device: Device) -> str:
    if arch == device.arch:
        return ""
    return f" (the nearest to {device.arch} that it compiles for: the counts may differ a little)"
