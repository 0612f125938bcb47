"""Proposed launches of files as students and authors of blogs write them, some with a bug.

The last 30 were written before the proposal ran on any of them. Of the first 20, 16 started well: a pitch in bytes took
every element for four bytes long, `blockSize` for a number of blocks, a histogram had more bins than its shared copy,
and a loop over a row more columns than the product that bounds the rows. Of the other 10, which came after the causes
were mended, 8 did: an array that is sorted was taken for bounds of rows, and rows for as many as elements of a matrix.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pytest

from kernels.custom_launch.run import perform
from kernels.launch import Dim3
from kernels.launch_inference.proposals import proposals
from kernels.simt import Options

if TYPE_CHECKING:
    from kernels.trace import Trace

FOLDER: Final = Path(__file__).parent / "own_files"
FILLED: Final = 0.4
"""Part of a result's elements that a launch writes, at least: a stencil leaves the border of a small image, a step of
a sort the pairs in order. Results without contents before the launch have to be complete: else there is a hazard."""


class Case(NamedTuple):
    """A kernel of a file."""

    file: str
    results: str
    """Arrays that it writes."""
    block: str = ""
    """Block that the file names; "" if it names none."""
    hazards: str = ""
    """Kind and array of the hazards that are the file's, as `data-race:s`."""
    cooperates: bool = False
    """Whether threads exchange values through shared memory: then a block has at least two warps."""
    fails: str = ""
    """Reason why the file starts badly."""
    kernel: str = ""
    """The kernel, in a file with several."""


CASES: Final = tuple(Case(**case) for case in tomllib.loads(FOLDER.with_suffix(".toml").read_text("utf-8"))["cases"])


def _filled(trace: Trace, name: str) -> float:
    """Return the part of an array's elements that the run writes."""
    number = trace.array_number(name)
    return len(np.unique(trace.writes(number).index)) / trace.arrays[number].size


def test_every_file_has_a_case() -> None:
    assert sorted({case.file for case in CASES}) == sorted(file.stem for file in FOLDER.glob("*.cu"))


def _marks(case: Case) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.xfail(strict=True, reason=case.fails),) if case.fails else ()


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.kernel or case.file, marks=_marks(case)) for case in CASES]
)
def test_a_file_starts_well(case: Case) -> None:
    offers = proposals(FOLDER / f"{case.file}.cu")
    (offer,) = (offer for offer in offers if case.kernel in ("", offer.entry))
    block = Dim3.parse(offer.block)
    assert case.block in ("", offer.block), offer.words
    assert not case.cooperates or case.block or block.count >= 64, offer.words
    trace = perform(offer, Options())
    found = {f"{pair.kind}:{pair.array}" for hazard in trace.hazards for pair in hazard.pairs}
    assert found == set(case.hazards.split()), (offer.words, [hazard.message for hazard in trace.hazards])
    assert not trace.stopped
    thin = [name for name in case.results.split() if _filled(trace, name) < FILLED]
    assert not thin, offer.words
