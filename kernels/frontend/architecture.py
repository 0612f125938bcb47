"""Lines of a source that the compiler takes for a GPU and a launch in the simulator does not, and the reverse.

Both read the source for an architecture (`kernels.architecture`). A picture for sm_80 beside a time of an H200, which
compiles sm_90a, can be of other lines.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from kernels.architecture import Architecture
from kernels.errors import TilescopeError
from kernels.frontend.constant_expressions import evaluate
from kernels.frontend.lexer.tokens import Text
from kernels.frontend.parse import parse_expression
from kernels.frontend.preprocessor.directives import preprocess

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.architecture import Names

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
    """With those of the architecture of the picture."""
    folder: Path | None = None
    """Folder of the file, in which local includes are searched."""
    included: Names = ()
    """Name and text of local includes that are used instead of files."""


def other_lines(source: Source, arch: str) -> tuple[int, ...]:
    """Return the first line of each place where a GPU's code differs from that of a launch; none where it is the same.

    White space does not count, nor do equal tokens on other lines. A source that the preprocessor refuses for either
    architecture has no such lines. `arch` is that of the GPU, such as sm_90.
    """
    simulated = _compiled_lines(source, source.defines)
    compiled = _compiled_lines(source, Architecture.of_gpu(arch).among(source.defines))
    if simulated is None or compiled is None or _stream(simulated) == _stream(compiled):
        return ()
    starts, equal = [], True
    for line in sorted({*simulated, *compiled}):
        before, equal = equal, simulated.get(line) == compiled.get(line)
        if before and not equal:
            starts.append(line)
    return tuple(starts)


def other_lines_words(source: Source, arch: str) -> str:
    """Say that the picture is not of the code that a GPU runs; "" where it is."""
    lines = other_lines(source, arch)
    if not lines:
        return ""
    shown, compiled = Architecture.of_macros(source.defines), Architecture.of_gpu(arch)
    return f"The picture is the code for {shown}; {compiled} compiles other lines ({listed_lines(lines)})."


def listed_lines(lines: tuple[int, ...]) -> str:
    """Return the first two numbers of lines, for a sentence."""
    return ", ".join(map(str, lines[:_LISTED])) + " …" * (len(lines) > _LISTED)


def on_tensor_cores(source: Source, arch: str) -> bool:
    """Return whether a source, as it is compiled for an architecture, has instructions of tensor cores.

    Kernels of one file are not told apart.
    """
    lines = _compiled_lines(source, Architecture.of_gpu(arch).among(source.defines)) or {}
    return any(
        token in _MATRIX_FUNCTIONS or (token[:1] == '"' and _MATRIX_INSTRUCTION.search(token) is not None)
        for token in _stream(lines)
    )


@lru_cache(maxsize=128)
def _compiled_lines(source: Source, macros: Names) -> dict[int, tuple[str, ...]] | None:
    """Return the tokens of each line after the preprocessor; None where it refuses the source."""
    text = Text(source.file, source.text)
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


def _stream(lines: dict[int, tuple[str, ...]]) -> list[str]:
    return [token for line in sorted(lines) for token in lines[line]]
