"""Runs as files: what is written is read again, and a damaged line costs that line only."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kernels.bench.protocol import Measured, message_text
from kernels.bench.store import run_file
from kernels.bench.store.database import Row
from kernels.bench.store.run_file import RunFileReader, run_lines, write_lines
from kernels.bench.store.run_header import RunHeader
from kernels.errors import InputError
from tests.kernels.bench.samples import FULL, GOOD, HERE

if TYPE_CHECKING:
    from pathlib import Path

HEADER = RunHeader("abc", "before the edit", "2026-01-01T00:00:00+00:00", "", {"fill": "random"})
FAILED = replace(GOOD, outcome="refused", times_ms=(), error="an illegal launch")
ROWS = [Row(0, sample, HERE) for sample in (FULL, GOOD, FAILED)]


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_a_run_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_lines(path, run_lines(HEADER, ROWS))
    first = path.read_bytes()
    reader = RunFileReader(path)
    assert list(reader) == ROWS
    assert (reader.header, reader.environment, reader.skipped) == (HEADER, HERE, [])
    write_lines(path, run_lines(reader.header, reader))
    assert path.read_bytes() == first


def test_lines_of_a_worker_are_a_run_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "shard.jsonl"
    path.write_text("\n".join([*run_lines(HEADER, ROWS)][1:]), encoding="utf-8")
    reader = RunFileReader(path)
    assert list(reader) == ROWS
    assert reader.header == RunHeader()


def test_a_line_that_cannot_be_used_costs_that_line_only(tmp_path: Path) -> None:
    lines = [*run_lines(HEADER, ROWS)]
    damaged = json.loads(message_text(Measured(GOOD)))
    bad = [
        "CuPy printed this",
        '{"event": "run", "id":',
        '{"event": "dance"}',
        json.dumps(damaged | {"times_ms": [float("nan")]}),
        json.dumps(damaged | {"outcome": "nice"}),
        json.dumps(damaged | {"size": [8, 8]}),
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([*lines[:2], *bad, *lines[2:]]), encoding="utf-8")
    reader = RunFileReader(path)
    assert list(reader) == ROWS
    assert [item.row for item in reader.skipped] == [3, 4, 5, 6, 7, 8]
    assert "a time is zero, negative, not a number or infinite" in reader.skipped[3].reason


def test_a_file_that_is_no_file_of_samples_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl.gz"
    write_lines(path, run_lines(HEADER, ROWS))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="damaged or incomplete"):
        list(RunFileReader(path))
    with pytest.raises(InputError, match="cannot be read"):
        list(RunFileReader(tmp_path))
    monkeypatch.setattr(run_file, "MOST_LINE_BYTES", 1000)
    path.write_bytes(gzip.compress(bytes(2000)))
    with pytest.raises(InputError, match="a line has more than 1,000 bytes"):
        list(RunFileReader(path))
    monkeypatch.setattr(run_file, "MOST_BYTES", 1000)
    path.write_bytes(gzip.compress(b"{}\n" * 1000))
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        list(RunFileReader(path))
