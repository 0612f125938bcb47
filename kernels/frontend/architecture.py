"""Lines of a source that the compiler takes for a GPU and the frontend does not, and the reverse.

The frontend defines `__CUDA_ARCH__` as 800. A source may hold other code for other GPUs (`#if __CUDA_ARCH__ >= 900`,
`#ifdef __CUDA_ARCH_FEAT_SM90_ALL`), which is then compiled and measured, and not simulated.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.device import compiler_target
from kernels.errors import TilescopeError
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.lexer.tokens import Text
from kernels.frontend.parse import parse_expression
from kernels.frontend.preprocessor.directives import preprocess
from kernels.frontend.preprocessor.predefined import PREDEFINED

if TYPE_CHECKING:
    from pathlib import Path

Names = tuple[tuple[str, str], ...]

SIMULATED: Final = f"sm_{int(PREDEFINED['__CUDA_ARCH__']) // 10}"
"""Architecture for which the frontend reads a source."""

_LISTED: Final = 2
"""Line numbers that a sentence lists."""

_MATRIX_INSTRUCTION: Final = re.compile(r"\b(wgmma\.mma_async|w?mma|tcgen05\.mma)\.")
"""Instructions of tensor cores in inline assembly (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions")."""

_MATRIX_FUNCTIONS: Final = {"mma_sync", "bmma_sync"}
"""Functions of mma.h that use tensor cores."""


class Source(NamedTuple):
    """A source with the macros of a launch."""

    text: str
    file: str
    """Its name."""
    defines: Names
    folder: Path | None = None
    """Folder of the file, in which local includes are searched."""
    included: Names = ()
    """Name and text of local includes that are used instead of files."""


def other_lines(source: Source, arch: str) -> tuple[int, ...]:
    """Return the first line of each place where a GPU's code differs from the simulator's; none where it is the same.

    White space does not count, nor do equal tokens on other lines. A source that the preprocessor refuses for either
    architecture, such as sm_90, has no such lines.
    """
    simulated = _compiled_lines(source, "")
    compiled = _compiled_lines(source, arch)
    if simulated is None or compiled is None or _stream(simulated) == _stream(compiled):
        return ()
    starts, equal = [], True
    for line in sorted({*simulated, *compiled}):
        before, equal = equal, simulated.get(line) == compiled.get(line)
        if before and not equal:
            starts.append(line)
    return tuple(starts)


def other_lines_words(lines: tuple[int, ...], arch: str) -> str:
    """Say that the picture is not of the code that a GPU runs; "" without such lines."""
    if not lines:
        return ""
    listed = ", ".join(map(str, lines[:_LISTED])) + " …" * (len(lines) > _LISTED)
    return f"The picture is the code for {SIMULATED}; {compiler_target(arch)} compiles other lines ({listed})."


def on_tensor_cores(source: Source, arch: str) -> bool:
    """Return whether a source, as it is compiled for an architecture, has instructions of tensor cores.

    Kernels of one file are not told apart.
    """
    lines = _compiled_lines(source, arch) or {}
    return any(
        token in _MATRIX_FUNCTIONS or (token[:1] == '"' and _MATRIX_INSTRUCTION.search(token) is not None)
        for token in _stream(lines)
    )


@lru_cache(maxsize=128)
def _compiled_lines(source: Source, arch: str) -> dict[int, tuple[str, ...]] | None:
    """Return the tokens of each line after the preprocessor, for the simulator with arch ""; None where it refuses."""
    text = Text(source.file, source.text)
    macros = (*source.defines, *(architecture_macros(arch) if arch else ()))
    try:
        result = preprocess(
            text,
            macros,
            lambda condition: evaluate(parse_expression(condition), {}),
            source.folder,
            dict(source.included),
        )
    except TilescopeError:
        return None
    lines: dict[int, list[str]] = {}
    for piece in result.pieces:
        lines.setdefault(text.place(piece.start)[0], []).append(piece.text)
    return {line: tuple(tokens) for line, tokens in lines.items()}


def architecture_macros(arch: str) -> Names:
    """Return the compiler's macros for an architecture, such as sm_90.

    CUDA C++ Programming Guide, "Feature Set Compiler Targets": `__CUDA_ARCH_FEAT_SM90_ALL` is defined for sm_90a.
    """
    target = compiler_target(arch)
    number = target.removeprefix("sm_").rstrip("a")
    macros = (("__CUDA_ARCH__", f"{number}0"),)
    return (*macros, (f"__CUDA_ARCH_FEAT_SM{number}_ALL", "1")) if target.endswith("a") else macros


def _stream(lines: dict[int, tuple[str, ...]]) -> list[str]:
    return [token for line in sorted(lines) for token in lines[line]]
