"""The kernels of this folder do what is written at them (`cases.py` says how)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kernels.errors import SourceError, TilescopeError
from tests.kernels.simt.corpus.cases import FOLDER, Case, assert_conditions, assert_findings, cases, outcome

if TYPE_CHECKING:
    from collections.abc import Iterator


def runs() -> Iterator[Any]:
    """Every case under its schedules: the plain command takes one of them, in turn."""
    turn = 0
    for file in sorted(FOLDER.rglob("*.cu")):
        for case in cases(file):
            turn += len(case.runs) > 1
            for number, run in enumerate(case.runs):
                marks = () if number == (turn + 1) % len(case.runs) else (pytest.mark.exhaustive,)
                name = f"{case.name}-{run}" if len(case.runs) > 1 else case.name
                yield pytest.param(case, run, id=name, marks=marks)


@pytest.mark.parametrize(("case", "run"), list(runs()))
def test_case(case: Case, run: str) -> None:
    errors = [finding for finding in case.findings if finding.kind == "error"]
    if errors:
        with pytest.raises(TilescopeError) as caught:
            outcome(case, run)
        for expected in errors:
            assert expected.words in str(caught.value)
            if expected.place:
                assert isinstance(caught.value, SourceError)
                assert (caught.value.line, caught.value.column) == expected.place
        return
    found, given = outcome(case, run)
    assert_findings(case, found)
    assert_conditions(case, found, given)


def test_every_file_has_cases() -> None:
    assert all(cases(file) for file in FOLDER.rglob("*.cu"))
    names = [case.name for file in FOLDER.rglob("*.cu") for case in cases(file)]
    assert len(names) == len(set(names))
