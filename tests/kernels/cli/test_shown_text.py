r"""Control characters of a user's file are written to terminals as \x1b, \r, \u202e."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from kernels.cli import main
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

PRINTING = r"""
__global__ void printing(int *o)
{
    printf("\x1b[2Jgone\r\b\a\tkept\n");
    printf("%c31m %s\n", 0x9b, "RLOadmin");
    o[threadIdx.x + 1] = 1; // ESC
    assert(o[0] == 2 /* ESCRLO */);
}
""".replace("ESC", "\x1b[31m").replace("RLO", "\u202e")
LAUNCH = ("--grid", "1", "--block", "1", "--arg", "o=i32[1]:ones")
FOOTER = CASES.text("footer.txt")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def shown(result: Result) -> str:
    """Return all that was printed, which has no control characters but ends of lines and tabs."""
    text = result.stdout + result.stderr
    assert [c for c in text if not c.isprintable() and c not in "\n\t"] == []
    return text


def test_printf_and_messages_show_control_characters_as_escapes(tmp_path: Path) -> None:
    file = tmp_path / "printing.cu"
    file.write_text(PRINTING, encoding="utf-8")
    text = shown(run("trace", file, *LAUNCH))
    assert "  \\x1b[2Jgone\\r\\b\\a\tkept\n" in text
    assert "  \\x9b31m \\u202eadmin\n" in text
    assert "assert(o[0] == 2 /* \\x1b[31m\\u202e */) does not hold" in text


def test_json_holds_what_was_printed(tmp_path: Path) -> None:
    file = tmp_path / "printing.cu"
    file.write_text(PRINTING, encoding="utf-8")
    result = run("trace", file, *LAUNCH, "--json")
    shown(result)
    assert json.loads(result.stdout)["printf"] == ["\x1b[2Jgone\r\b\a\tkept", "\x9b31m \u202eadmin"]


@pytest.mark.parametrize(("source", "words"), CASES("messages_about_a_source_show"))
def test_messages_about_a_source_show_control_characters_as_escapes(source: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(source, encoding="utf-8")
    result = run("trace", file, "--grid", "1", "--block", "1")
    assert result.exit_code == 2
    assert words in shown(result)
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize(
    "words", [("trace",), ("occupancy",), ("bench",), ("verify", "--in", "simulator")], ids=lambda words: words[0]
)
@pytest.mark.parametrize("name", ["no\x1b[31m.cu", "two\nlines.cu", "back\r.cu", "\u202eknil.cu"])
def test_names_of_files_show_control_characters_as_escapes(words: tuple[str, ...], name: str, tmp_path: Path) -> None:
    missing = run(*words, tmp_path / name)
    assert missing.exit_code == 2
    assert len(missing.stderr.splitlines()) == 1
    shown(missing)
    (tmp_path / name).write_text(f"__global__ void k(const float *A, float *C) {{ }}\n{FOOTER}", encoding="utf-8")
    shown(run(*words, tmp_path / name))


def test_options_show_control_characters_as_escapes() -> None:
    for words in (("trace", "--\x1b[31m"), ("trace", "x", "--max-steps", "\x1b"), ("\x1b[2J",)):
        result = run(*words)
        assert result.exit_code == 2
        shown(result)
