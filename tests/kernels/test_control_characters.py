from __future__ import annotations

import sys
import unicodedata

import pytest

from kernels.control_characters import escape_controls, escape_lines
from tests.cases import Cases

CASES = Cases(__file__)


@pytest.mark.parametrize(("text", "shown"), CASES("control_characters_are_written"))
def test_control_characters_are_written_as_c_writes_them(text: str, shown: str) -> None:
    assert escape_controls(text) == shown
    assert escape_lines(text) == shown.replace("\\n", "\n")


def test_no_control_character_of_unicode_is_left() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    left = {c for c in escape_controls(everything) if unicodedata.category(c) in ("Cc", "Zl", "Zp")}
    assert left == {"\t"}
    assert not {
        c
        for c in escape_lines(everything)
        if unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }
