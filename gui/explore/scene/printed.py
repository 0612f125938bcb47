"""printf output of a launch up to a step of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kernels.trace import Trace


def printed_until(trace: Trace, step: int, block: int) -> tuple[str, ...]:
    """Return the lines of earlier blocks, and of this one up to the step, in the order of the run.

    A trace keeps the lines in order but not their steps. Where every execution of a printf statement
    accounts for one line the two fit together; where they do not (a printf inside an expression that is
    skipped), all are shown.
    """
    if not trace.printf:
        return ()
    calls = [n for n, s in enumerate(trace.statements) if "printf" in s.text]
    steps = np.flatnonzero(np.isin(trace.step_statement, calls))
    lanes = [trace.masks[trace.step_mask[s]] for s in steps]
    at = np.repeat(steps, [len(part) for part in lanes])
    if len(at) != len(trace.printf):
        return trace.printf
    blocks = np.concatenate(lanes) // trace.launch.block.count
    seen = (blocks < block) | ((blocks == block) & (at <= step))
    return tuple(trace.printf[n] for n in np.flatnonzero(seen))
