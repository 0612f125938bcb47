"""Launches are proposed from the codes and fields of errors: the words of the messages do not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.errors import SourceError, TilescopeError
from kernels.launch_inference.proposals import proposals
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

    from kernels.errors import Cause

CASES = Cases(__file__)


def reword(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every error the same message."""
    make = SourceError.__init__

    def make_reworded(
        error: SourceError, file: str, line: int, column: int, reason: str, cause: Cause | None = None
    ) -> None:
        make(error, file, line, column, "Nein.", cause)

    monkeypatch.setattr(SourceError, "__init__", make_reworded)
    monkeypatch.setattr(TilescopeError, "__str__", lambda error: "Nein.")


@pytest.mark.parametrize(("text", "words"), CASES("proposals_do_not_depend_on_words"))
def test_proposals_do_not_depend_on_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    file = tmp_path / "own.cu"
    file.write_text(CASES.source(text), encoding="utf-8")
    before = proposals(file)
    reword(monkeypatch)
    assert proposals(file) == before
    assert words in before[0].words
