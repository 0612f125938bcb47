"""Messages of NVRTC on a source."""

from __future__ import annotations

from kernels.gpu.compiler import header_folders


def warnings_of(text: str, arch: str) -> str:
    """Compile for an architecture; return everything the compiler says."""
    from cupy.cuda import nvrtc

    options = [f"--gpu-architecture={arch}", *(f"--include-path={folder}" for folder in header_folders())]

    program = nvrtc.createProgram(text, "text.cu", [], [])
    try:
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError as error:
            return f"{error}: {nvrtc.getProgramLog(program)}"
        return str(nvrtc.getProgramLog(program)).strip("\0\n ")
    finally:
        nvrtc.destroyProgram(program)
