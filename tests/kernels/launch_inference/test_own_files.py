"""Proposed launches of files as students and authors of blogs write them, some with a bug."""

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


CASES: Final = tuple(
    Case(file, **fields) for file, fields in tomllib.loads(FOLDER.with_suffix(".toml").read_text("utf-8")).items()
)


def _filled(trace: Trace, name: str) -> float:
    """Return the part of an array's elements that the run writes."""
    number = trace.array_number(name)
    return len(np.unique(trace.writes(number).index)) / trace.arrays[number].size


def test_every_file_has_a_case() -> None:
    assert sorted({case.file for case in CASES}) == sorted(file.stem for file in FOLDER.glob("*.cu"))


def _marks(case: Case) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.xfail(strict=True, reason=case.fails),) if case.fails else ()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.file, marks=_marks(case)) for case in CASES])
def test_a_file_starts_well(case: Case) -> None:
    (offer,) = proposals(FOLDER / f"{case.file}.cu")
    block = Dim3.parse(offer.block)
    assert case.block in ("", offer.block), offer.words
    assert not case.cooperates or case.block or block.count >= 64, offer.words
    trace = perform(offer, Options())
    found = {f"{pair.kind}:{pair.array}" for hazard in trace.hazards for pair in hazard.pairs}
    assert found == set(case.hazards.split()), (offer.words, [hazard.message for hazard in trace.hazards])
    assert not trace.stopped
    thin = [name for name in case.results.split() if _filled(trace, name) < FILLED]
    assert not thin, offer.words
