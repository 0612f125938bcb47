"""The shipped instructions belong to the sources as they are, or are not used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.catalog import Kernel, catalog
from kernels.errors import InputError, UnavailableError
from kernels.gpu.compiler import missing
from kernels.sass.cubin import Instructions, MemoryCode
from kernels.sass.instructions import (
    FOLDER,
    Table,
    code_lines,
    compiled_instructions,
    fingerprint,
    read_table,
    write_table,
)
from kernels.sass.regions import Region
from tests.kernels.analysis.traces import catalogue

if TYPE_CHECKING:
    from pathlib import Path

CUDA = [kernel for kernel in catalog() if kernel.runs_on == "cuda"]

without_nvrtc = pytest.mark.skipif(not missing(), reason="NVRTC is installed: nothing shipped is used")


@pytest.mark.parametrize("kernel", CUDA, ids=lambda kernel: kernel.id)
def test_the_table_is_of_this_source(kernel: Kernel) -> None:
    """If it fails, run python -m kernels.sass.ship, with NVRTC installed."""
    table = read_table(FOLDER / f"{kernel.id}.json")
    assert table.fingerprint == fingerprint(kernel.text, kernel.entry)
    count = len(code_lines(kernel.text))
    codes = [code for keys in table.code.values() for code in keys.values()]
    lines = {i.line for c in codes for i in c.instructions} | {r.line for c in codes for r in c.regions}
    assert lines <= set(range(count + 1))
    assert all(region.within < n for c in codes for n, region in enumerate(c.regions))
    assert all(-1 <= i.region < len(c.regions) for c in codes for i in c.instructions)


def test_there_is_no_table_without_a_kernel() -> None:
    assert {file.stem for file in FOLDER.glob("*.json")} == {kernel.id for kernel in CUDA}


def test_lines_are_those_of_the_trace() -> None:
    trace = catalogue("matmul_tiled", "16", "16,16")
    lines = trace.text.splitlines()
    loads = [
        i
        for i in compiled_instructions(trace, "sm_90").memory.instructions
        if (i.space, i.access) == ("shared", "read")
    ]
    assert {lines[i.line - 1].strip() for i in loads} == {"sum += As[ty][k] * Bs[k][tx];"}
    assert {(i.size, i.count) for i in loads} == {(4, 16), (16, 4)}


def test_comments_may_change_and_move_the_lines() -> None:
    trace = catalogue("matmul_tiled", "16", "16,16")
    moved = replace(trace, text="/* one\n   two */\n// three\n" + trace.text)
    before, after = (compiled_instructions(t, "sm_90").memory for t in (trace, moved))
    assert before.at_lines(lambda line: line + 3) == after


@without_nvrtc
def test_code_that_changed_has_no_instructions() -> None:
    trace = catalogue("matmul_tiled", "16", "16,16")
    edited = replace(trace, text=trace.text.replace("sum = 0.0f", "sum = 1.0f"))
    with pytest.raises(UnavailableError, match="no compiled instructions of matmul_tiled for sm_90 with TILE_WIDTH=16"):
        compiled_instructions(edited, "sm_90")
    with pytest.raises(UnavailableError, match="for sm_70"):
        compiled_instructions(trace, "sm_70")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("int a;\n\n  int  b;", [(1, "int a;"), (3, "int b;")]),
        ("a // b\n// c\nd", [(1, "a"), (3, "d")]),
        ("a /* b\n c */ d\ne", [(1, "a"), (2, "d"), (3, "e")]),
        ('s = "// no comment";', [(1, 's = "// no comment";')]),
    ],
)
def test_lines_of_code(text: str, lines: list[tuple[int, str]]) -> None:
    assert code_lines(text) == lines


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    code = MemoryCode(
        (Region(2, True, True, -1), Region(8, False, False, 0)),
        (
            Instructions(3, "shared", "read", 16, 0, 1, False, 4),
            Instructions(9, "global", "write", 4, 1, 2, True, 1),
        ),
    )
    table = Table("13.0", "abc", {"sm_90": {"": code, "TILE_WIDTH=2": MemoryCode((), ())}, "sm_75": {"": code}})
    write_table(tmp_path / "folder" / "k.json", table)
    assert read_table(tmp_path / "folder" / "k.json") == table


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"nvrtc_version": "1", "fingerprint": "2", "code": {"a": {"": [[1]]}}}']
)
def test_a_damaged_table_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "k.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"k\.json: not a table"):
        read_table(file)
