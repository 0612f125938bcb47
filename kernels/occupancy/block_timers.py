"""Instrumentation: a kernel's source with a timer at the top of the kernel's body, for the start and end of each block.

The timer is an object. Its constructor runs when a thread enters the kernel, its destructor wherever a thread leaves
it: at the end of the body and at every `return` ([stmt.jump]). So one insertion, after the opening brace, is enough,
and attributes, parameters and templates stay as they are.

`%smid` is the number of the SM, `%globaltimer` a clock of the whole device (PTX ISA, "Special Registers"). The first
thread of a block writes its SM and start. In each warp that leaves, one of its active threads raises the block's end to
the present time, so that the end is that of the last warp.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from kernels.errors import InputError
from kernels.frontend import kernel_body

VARIABLE: Final = "ts_block_times"
"""Device variable that holds the address of the records, one for each block of the grid, x fastest."""

RECORD: Final = np.dtype([("start", np.uint64), ("end", np.uint64), ("sm", np.uint32), ("unused", np.uint32)])
"""One record. Times are in nanoseconds; they are 0 before the kernel has written them."""

_PRELUDE: Final = Path(__file__).with_suffix(".cuh").read_text(encoding="utf-8")
"""Joined to one line, so it may have no comments to the end of a line."""

_TIMER: Final = " ts_BlockTimer ts_block_timer;"


def with_block_timers(text: str, file: str, entry: str) -> str:
    """Return a kernel's source with timers, which can be parsed again; messages keep their line numbers.

    Raises
    ------
    SourceError
        When there is no kernel of that name, or a declaration cannot be parsed.
    InputError
        When the body is not written in this file: it comes from a macro or an included file.
    """
    body = kernel_body(text, file, entry)
    lines = text.split("\n")
    line, column = body.line - 1, body.column - 1
    if body.inside is not None or lines[line][column : column + 1] != "{":
        raise InputError(f"{file}: the body of {entry} comes from a macro or an included file, so it cannot be timed")
    lines[line] = f"{lines[line][: column + 1]}{_TIMER}{lines[line][column + 1 :]}"
    # A directive has to begin its line; then numbers are one too large. `#line` would not be read again by the parser.
    directive = lines[0].lstrip().startswith("#")
    return " ".join(_PRELUDE.split()) + ("\n" if directive else " ") + "\n".join(lines)
