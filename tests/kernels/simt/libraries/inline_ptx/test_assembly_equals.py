"""Inline PTX does what the same lines of CUDA C do: the same accesses, results and hazards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from tests.kernels.simt.corpus.cases import cases, outcome

if TYPE_CHECKING:
    from kernels.trace import Trace


def summary(found: Trace) -> list[Any]:
    """Return the accesses and hazards of a trace, without their places in the source."""
    accesses = [
        (
            group.array.name,
            group.site.access,
            group.site.width,
            group.lanes.tolist(),
            group.elements.tolist(),
        )
        for group in map(found.group, range(len(found.group_step)))
    ]
    return [accesses, [(h.kind, [(a.thread, a.access) for a in h.accesses]) for h in found.hazards]]


PAIRS: Final = {
    case.kernel.removesuffix("_ptx"): case for case in cases(Path(__file__).with_name("assembly_equals.cu"))
}


@pytest.mark.parametrize("schedule", ["lockstep", "warps", "reversed"])
@pytest.mark.parametrize("name", [name for name in PAIRS if not name.endswith("_cuda")])
def test_the_same_as_in_cuda_c(name: str, schedule: str) -> None:
    first, second = (outcome(PAIRS[each], schedule)[0] for each in (name, f"{name}_cuda"))
    assert summary(first) == summary(second)
    if "clock" not in name:  # which counts steps: there may be one more or fewer
        for array, expected in second.outputs.items():
            np.testing.assert_array_equal(first.outputs[array], expected, array)
