"""Compilation of CUDA C with NVRTC, and the resources that the code needs. Needs no GPU and no driver.

The figures come from the assembler's report (ptxas -v). It does not include the shared memory that the driver reserves
in every block; the size of `.nv.shared` in the code does.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from kernels.architecture import compiler_target
from kernels.errors import LaunchError, SourceError, UnavailableError
from kernels.installation import install_command
from kernels.launch import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.workload import Size

_HOST_HEADERS: Final = (
    "assert.h",
    "cassert",
    "cmath",
    "cstdio",
    "cstdlib",
    "cuda_runtime.h",
    "device_launch_parameters.h",
    "math.h",
    "stdio.h",
    "stdlib.h",
)
"""Headers that sources for nvcc include. NVRTC declares what a kernel needs of them, so they are empty."""

_CACHES: Final = (12, 9)
"""The first version of NVRTC that caches compiled code (NVRTC documentation, "Caching")."""

_STATIC_SHARED_BYTES: Final = Limits().shared_per_block_bytes
"""Limit of the static shared memory of a block. For sm_90a ptxas allows 227 KiB, but more than 48 KiB must be dynamic
shared memory (CUDA C++ Programming Guide, "Shared Memory" of compute capability 9.x)."""

_USED: Final = re.compile(r"Used (\d+) registers")
_BARRIERS: Final = re.compile(r"used (\d+) barriers")
_SHARED: Final = re.compile(r"(\d+) bytes smem")
_STACK: Final = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_WARNING: Final = re.compile(r"^.*\bwarning\s*[#:].*$", re.MULTILINE)
_ENTRY: Final = re.compile(r"Compiling entry function '([^']+)'")
_ERROR: Final = re.compile(r"^(?P<file>.*)\((?P<line>\d+)\): (?:catastrophic )?error: (?P<reason>.*)$", re.MULTILINE)
_TOO_MUCH_SHARED: Final = re.compile(r"uses too much shared data \((0x[0-9a-f]+) bytes")


@dataclass(frozen=True, slots=True)
class Figures:
    """Resources of one kernel as compiled."""

    registers: int
    """Per thread."""
    static_shared_bytes: int
    """Per block."""
    spill_bytes: int
    """Spill stores and loads per thread."""
    stack_bytes: int
    """Stack frame per thread."""
    nvrtc_version: str
    """The compiler's version, on which the figures depend."""
    barriers: int = 0
    """Barriers of a block, the highest number that it uses plus one; 0 for a block that uses number 0 only, as in
    `__syncthreads()`, or none, or where ptxas does not say."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """Machine code for one architecture."""

    cubin: bytes
    symbol: str
    """The kernel's name in the code."""
    arch: str
    figures: Figures
    warnings: tuple[str, ...] = ()


def install_advice() -> str:
    """Return what to do when CuPy or a library of the CUDA toolkit is missing."""
    return f"install it with: {install_command('cuda13')} (driver 580 or newer; with an older one, cuda12)"


def missing() -> str:
    """Return in one line why nothing can be compiled here; "" when it can."""
    try:
        nvrtc_version()
    except UnavailableError as error:
        return str(error)
    return ""


def nvrtc_version() -> str:
    """Return the version of NVRTC, such as 13.0.

    Raises
    ------
    UnavailableError
        When CuPy or NVRTC is not installed.
    """
    major, minor = _nvrtc().getVersion()
    return f"{major}.{minor}"


def supported_archs() -> tuple[str, ...]:
    """Return the architectures that this NVRTC compiles for, such as sm_90.

    Raises
    ------
    UnavailableError
        When CuPy or NVRTC is not installed.
    """
    return tuple(f"sm_{number}" for number in _nvrtc().getSupportedArchs())


def compile_kernel(kernel: Kernel, size: Size, block: Dim3, arch: str, *, fmad: bool = True) -> Compiled:
    """Compile a kernel of the catalogue as it is launched with that size and block.

    `fmad` lets the compiler fuse a multiplication and an addition into one rounding, as nvcc does by default.

    Raises
    ------
    UnavailableError
        When CuPy or NVRTC is not installed, or this NVRTC does not know the architecture.
    SourceError
        When the source does not compile.
    LaunchError
        When it asks for more static shared memory than any block may have.
    """
    return compile_text(
        kernel.text,
        str(kernel.file),
        kernel.entry,
        kernel.defines(size, block),
        arch,
        fmad=fmad,
        keep=tuple(kernel.constant),
    )


@lru_cache(maxsize=64)
def compile_text(
    text: str,
    file: str,
    entry: str,
    defines: tuple[tuple[str, str], ...],
    arch: str,
    *,
    fmad: bool = True,
    keep: tuple[str, ...] = (),
    headers: tuple[tuple[str, str], ...] = (),
) -> Compiled:
    """Compile CUDA C; see `compile_kernel`.

    `entry` is the name of the __global__ function in the source, `keep` are variables that the code must contain even
    if it does not read them, `headers` are the names and texts of included files.
    """
    nvrtc = _nvrtc()
    if arch not in supported_archs():
        raise UnavailableError(
            f"NVRTC {nvrtc_version()} does not compile for {arch}; it knows {', '.join(supported_archs())}"
        )
    options = [
        f"--gpu-architecture={compiler_target(arch)}",
        "--ptxas-options=-v",
        f"--fmad={'true' if fmad else 'false'}",
    ]
    options += [f"-D{name}={value}" for name, value in defines]
    options += [f"--include-path={folder}" for folder in header_folders() if "#include" in text]
    if nvrtc.getVersion() >= _CACHES:
        options.append("--no-cache")  # cached code has no ptxas report
    files = [*((name, "") for name in _HOST_HEADERS), *headers]
    program = nvrtc.createProgram(
        text, file, [source.encode() for _, source in files], [name.encode() for name, _ in files]
    )
    try:
        for name in (entry, *(f"&{variable}" for variable in keep)):
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError as error:
            _refuse(file, entry, nvrtc.getProgramLog(program), error)
        # CuPy treats the code as a C string and drops its last byte, a zero of the last ELF header.
        cubin = nvrtc.getCUBIN(program) + b"\0"
        symbol = nvrtc.getLoweredName(program, entry)
        log = nvrtc.getProgramLog(program)
        figures = read_figures(log, symbol, nvrtc_version())
        if figures.static_shared_bytes > _STATIC_SHARED_BYTES:
            raise _too_much_shared(entry, figures.static_shared_bytes)
    finally:
        nvrtc.destroyProgram(program)
    return Compiled(cubin, symbol, arch, figures, tuple(_WARNING.findall(log)))


@lru_cache(maxsize=1)
def header_folders() -> tuple[str, ...]:
    """Return the folders of CUDA's headers, such as cuda_fp16.h: those installed with CuPy, then the toolkit's."""
    import cupy

    packages = sorted(Path(cupy.__file__).parents[1].glob("nvidia/*/include"))
    toolkit = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "include"
    found = [folder for folder in (*packages, toolkit) if (folder / "cuda_fp16.h").is_file()]
    # Cooperative groups include a header of CCCL, which is in a separate folder from CUDA 13 on.
    return tuple(str(f) for folder in found for f in (folder, folder / "cccl") if f.is_dir())


def read_figures(log: str, symbol: str, version: str) -> Figures:
    """Parse ptxas's report on one entry function from the log of a compilation."""
    pieces = _ENTRY.split(log)  # text before, then name, report, name, report, …
    report = dict(zip(pieces[1::2], pieces[2::2], strict=True)).get(symbol, "")
    used, shared, stack = _USED.search(report), _SHARED.search(report), _STACK.search(report)
    barriers = int(found[1]) if (found := _BARRIERS.search(report)) else 0
    if not used or not stack:
        raise UnavailableError(f"NVRTC {version} does not report the registers of {symbol}: try another version")
    return Figures(
        registers=int(used[1]),
        static_shared_bytes=int(shared[1]) if shared else 0,
        spill_bytes=int(stack[2]) + int(stack[3]),
        stack_bytes=int(stack[1]),
        nvrtc_version=version,
        barriers=barriers if barriers > 1 else 0,
    )


def _refuse(file: str, entry: str, log: str, error: Exception) -> NoReturn:
    """Raise the error of a failed compilation with its place in the source, from the log."""
    shared = _TOO_MUCH_SHARED.search(log)
    if shared:
        raise _too_much_shared(entry, int(shared[1], 16)) from error
    found = _ERROR.search(log)
    if not found:
        reason = " ".join(log.split()) or str(error)
        raise SourceError(file, 1, 1, f"NVRTC cannot compile it: {reason}") from error
    following = log[found.end() :].splitlines()[1:3]
    raise SourceError(file, int(found["line"]), _column(following), found["reason"]) from error


def _too_much_shared(entry: str, declared_bytes: int) -> LaunchError:
    return LaunchError(
        f"{entry} declares {declared_bytes:,} bytes of shared memory, a block may declare {_STATIC_SHARED_BYTES:,}: "
        "choose a smaller block or tile"
    )


def _column(following: Sequence[str]) -> int:
    """Return the column of the caret below the source line, which NVRTC repeats indented by two."""
    caret = following[1] if len(following) == 2 else ""
    return max(1, caret.index("^") - 1) if caret.strip() == "^" else 1


@lru_cache(maxsize=1)
def _nvrtc() -> Any:
    try:
        from cupy.cuda import nvrtc

        nvrtc.getVersion()
    except ImportError as error:
        raise UnavailableError(f"CuPy is not installed: {install_advice()}") from error
    except (OSError, RuntimeError) as error:
        raise UnavailableError(f"CuPy finds no NVRTC library: {install_advice()}") from error
    return nvrtc
