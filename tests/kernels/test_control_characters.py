from __future__ import annotations

import sys
import unicodedata

import pytest

from kernels.control_characters import escape_controls, escape_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, größe × ᵀ 数 🙂", "plain, größe × ᵀ 数 🙂"),
        ("\x1b[2Jgone\x1b]0;title\a", r"\x1b[2Jgone\x1b]0;title\a"),
        ("right\rwrong\b\b\v\f\0\x7f", r"right\rwrong\b\b\v\f\x00\x7f"),
        ("\x9b31m\x85\u2028\u2029", r"\x9b31m\x85\u2028\u2029"),
        ("if (\u202eadmin\u2066)\u200f", r"if (\u202eadmin\u2066)\u200f"),
        ("tag \U000e0041", r"tag \U000e0041"),
        ("a\tb\nc", "a\tb\\nc"),
        ("نمی\u200cخواهم 👩\u200d💻", "نمی\u200cخواهم 👩\u200d💻"),
    ],
)
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
