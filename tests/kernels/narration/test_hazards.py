"""Messages of hazards name threads and blocks as captions do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.narration.hazards import hazard_message
from tests.cases import Cases
from tests.kernels.analysis.traces import catalogue, source

if TYPE_CHECKING:
    from kernels.trace import Trace

CASES = Cases(__file__)


def guarded_barrier() -> Trace:
    return source(CASES.source("guarded_barrier"), "1", "8", "out=f32[8]:zeros")


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (guarded_barrier, ("thread 0 of block 0 waits", "thread 3 of block 0 does not")),
        (lambda: catalogue("lesson_missing_guard", "3", "2,2"), ("thread (0,1) of block (0,1) reads A[9]",)),
        (lambda: catalogue("lesson_uncleared_target", "4", "2,2"), ("thread (0,0,0) of block (0,0,0) reads C[0]",)),
        (
            lambda: catalogue("lesson_missing_barrier", "6", "6,6"),
            ("thread (0,0) of block (0,0) writes As[0][0] in line 23 and thread (1,0) of block (0,0) reads it",),
        ),
    ],
    ids=["line", "plane", "space", "race"],
)
def test_threads_and_blocks_have_the_names_of_captions(trace: object, words: tuple[str, ...]) -> None:
    assert callable(trace)
    run: Trace = trace()
    hazard = run.hazards[0]
    message = hazard_message(run.launch, hazard)
    assert all(part in message for part in words)
    assert "(0, " in hazard.message  # what a saved trace contains stays as it is
