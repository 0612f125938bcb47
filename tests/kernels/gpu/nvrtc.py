"""NVRTC's own words on a text."""

from __future__ import annotations


def warnings_of(text: str, arch: str) -> str:
    """Compile for an architecture; return everything the compiler says."""
    from cupy.cuda import nvrtc

    program = nvrtc.createProgram(text, "text.cu", [], [])
    try:
        try:
            nvrtc.compileProgram(program, [f"--gpu-architecture={arch}"])
        except nvrtc.NVRTCError as error:
            return f"{error}: {nvrtc.getProgramLog(program)}"
        return str(nvrtc.getProgramLog(program)).strip("\0\n ")
    finally:
        nvrtc.destroyProgram(program)
