"""Proposed values of kernels as students write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.launch_inference.proposals import proposals
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)


@pytest.mark.parametrize(("text", "words"), CASES("proposed_values_fit"))
def test_proposed_values_fit_what_the_kernel_does(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    file = tmp_path / "own.cu"
    file.write_text(CASES.source(text), encoding="utf-8")
    found = proposals(file)[0].words
    assert all(part in found for part in words)
