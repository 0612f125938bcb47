"""Damaged trace files are refused in one line before they take memory, or can be read like any other."""

from __future__ import annotations

import bz2
import io
import json
import os
import tracemalloc
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import InputError
from kernels.trace.file import HEADER, LARGEST_HEADER_BYTES, load, save
from tests.kernels.npy_bytes import npy
from tests.kernels.trace.damaged_traces import Parts, mutants, mutated, readings, sound
from tests.sweeps import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kernels.trace import Trace

MOST_BYTES = 1 << 25
"""Memory that a refusal may take; the files are as large as a megabyte."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return sound(tmp_path_factory.mktemp("sound"))


def refusal(file: Path) -> str:
    """Return why a file is refused, which takes one line and little memory."""
    tracemalloc.start()
    with pytest.raises(InputError) as error:
        load(file)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{file}: ")
    assert taken < MOST_BYTES
    return str(error.value)


def test_sound_traces_load_and_can_be_read(traces: dict[str, Path]) -> None:
    for file in traces.values():
        readings(load(file))


STRIDES = {"printing": 4, "structs": 6, "tiled": 40, "stopped": 40}
"""By trace: one in so many mutants is tried, and one in six of these in the plain command."""


@pytest.mark.parametrize(("name", "part"), in_turn(STRIDES, range(6), str))
def test_a_mutant_is_refused_in_one_line_or_can_be_read_and_saved(
    name: str, part: int, traces: dict[str, Path], tmp_path: Path
) -> None:
    parts, file = Parts.of(traces[name]), tmp_path / "mutant.trace"
    loaded, refused, wrong = 0, 0, []
    stride = STRIDES[name]
    for word, change in list(mutants(parts))[part * stride :: 6 * stride]:
        mutated(parts, change).write(file)
        try:
            trace = load(file)
        except InputError as error:
            refused += 1
            if "\n" in str(error):
                wrong.append(f"{word}: {error}")
            continue
        loaded += 1
        try:
            if trace.launch.thread_count <= 1 << 14:  # as many as are shown
                readings(trace)
            save(trace, file)
            load(file)
        except Exception as error:
            wrong.append(f"{word}: {type(error).__name__}: {error}")
    assert wrong == []
    assert refused + loaded > 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p.header["registers"][0].__setitem__(0, None), "registers[0][0] is None, not a text"),
        (lambda p: p.header["sites"][0].__setitem__(2, -1), "sites[0][2] is -1, not a whole number from 0"),
        (lambda p: p.header["sites"][0].__setitem__(4, 2**31), "sites[0][4] is 2147483648"),
        (lambda p: p.header["statements"][0].__setitem__(2, "dance"), "not one of declare, do, barrier"),
        (
            lambda p: p.header["launch"].__setitem__(0, [0, 1, 1]),
            "launch[0][0] is 0, not a whole number from 1",
        ),
        (lambda p: p.header["launch"].__setitem__(0, [65535, 65535, 1]), "threads; up to 2,147,483,647"),
        (lambda p: p.header["arrays"][0].__setitem__(3, [10**6, 10**6]), "is too large"),
        (lambda p: p.header["arrays"][0].__setitem__(2, "|O"), "arrays[0][2] is '|O', not one of"),
        (lambda p: p.header["outputs"].append("nothing"), "it has no output_2.npy"),
        (lambda p: p.header["hazards"][0].__setitem__(8, 10**6), "a step that the run does not have"),
        (
            lambda p: p.header["hazards"][0][6][0].__setitem__(1, [9, 0, 0]),
            "a thread that the launch does not",
        ),
        (lambda p: p.header.__setitem__("text", "int f( {"), "the source that it holds cannot be read"),
        (lambda p: p.header.__delitem__("kernel"), "it has no 'kernel'"),
        (lambda p: p.header.__setitem__("kernel", "\ud800"), "surrogates not allowed"),
        (lambda p: p.header["scalars"].__setitem__("n", 2**70), "scalars.n is 1180591620717411303424"),
        (lambda p: p.arrays.__delitem__("group_site"), "it has no group_site.npy"),
        (lambda p: p.arrays.__setitem__("group_first", p.arrays["group_first"] + 1), "access groups do not"),
        (
            lambda p: p.arrays.__setitem__("set_value", p.arrays["set_value"] - 999),
            "set_value points outside",
        ),
        (lambda p: p.arrays.__setitem__("group_step", p.arrays["group_step"][::-1].copy()), "back in time"),
        (lambda p: p.arrays.__setitem__("group_value", ~p.arrays["group_value"]), "points outside"),
        (lambda p: p.arrays.__setitem__("index", p.arrays["index"][:, None]), "of one dimension"),
        (lambda p: p.arrays.__setitem__("index", p.arrays["index"].astype("f8")), "column index is float64"),
        (lambda p: p.arrays.__setitem__("index", np.array([{}])), "Python objects"),
        (lambda p: p.arrays.__setitem__("mask_first", p.arrays["mask_first"][::-1].copy()), "mask_first"),
    ],
)
def test_damage_is_named(change: Callable[[Parts], None], words: str, traces: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "bad.trace"
    mutated(Parts.of(traces["printing"]), change).write(file)
    assert words in refusal(file)


def packed(file: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, **claims: Any) -> Path:
    """Write an archive whose directory claims something else of its members than they are."""
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        for member in archive.filelist:
            if member.filename in claims.get("of", members):
                for field, value in claims.items():
                    if field != "of":
                        setattr(member, field, value)
    return file


@pytest.fixture
def members(traces: dict[str, Path]) -> dict[str, bytes]:
    with zipfile.ZipFile(traces["tiled"]) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_sizes_are_checked_before_anything_is_unpacked(tmp_path: Path, members: dict[str, bytes]) -> None:
    file = tmp_path / "bomb.trace"
    packed(file, members, file_size=5 << 30, of=["index.npy"])
    assert "unpacks to 5,120 MiB, traces of up to 2,048 MiB are opened: record a smaller size" in refusal(file)
    packed(file, members, file_size=200 << 20, of=["mask_lanes.npy", "index.npy", "value_bytes.npy"])
    assert "claims" in refusal(file)  # together within the limit, and each more than its header says
    packed(file, members, file_size=65 << 20, of=[HEADER])
    assert "unpacks to 65 MiB, traces of up to 64 MiB are opened" in refusal(file)


def test_headers_of_arrays_are_checked_before_memory_is_allocated(tmp_path: Path, members: dict[str, bytes]) -> None:
    file = tmp_path / "bomb.trace"
    for header in (npy("(1000000000000,)", "'<i4'"), npy("(-1,)", "'<i4'"), npy("(3,)", "'|O'"), b"", b"PK"):
        packed(file, {**members, "index.npy": header})
        assert "is damaged or not a trace" in refusal(file)


@pytest.mark.parametrize("name", ["index.npy", "initial_0.npy", "output_0.npy"])
@pytest.mark.parametrize("shape", ["(3, (", '"""', "(3,\n  4\n 5", "(" * 3000, "(1e9,)", "(True,)", "'x'", "\0"])
def test_a_header_of_an_array_that_cannot_be_parsed_is_one_line(
    name: str, shape: str, tmp_path: Path, members: dict[str, bytes]
) -> None:
    file = packed(tmp_path / "bad.trace", {**members, name: npy(shape)})
    assert "is damaged or not a trace" in refusal(file)


def test_more_packed_data_than_the_directory_says_is_not_unpacked(tmp_path: Path, members: dict[str, bytes]) -> None:
    file, much = tmp_path / "bomb.trace", bytes(100 << 20)
    packed(file, {**members, HEADER: much}, file_size=1000, of=[HEADER])
    assert "is damaged or not a trace" in refusal(file)
    data = members["index.npy"] + much
    packed(file, {**members, "index.npy": data}, file_size=len(members["index.npy"]), of=["index.npy"])
    assert "is damaged or not a trace" in refusal(file)


@pytest.mark.parametrize(
    "content",
    [b"[" * 100_000, b"[]", b"null", b'"tilescope trace"', b"{", b"\xff\xfe", b"1" * 10_000, b"NaN", b""],
    ids=lambda content: repr(content[:20]),
)
def test_json_that_is_no_trace_is_one_line(content: bytes, tmp_path: Path, members: dict[str, bytes]) -> None:
    refusal(packed(tmp_path / "bad.trace", {**members, HEADER: content}))


def test_other_ways_of_packing_are_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    file = tmp_path / "bad.trace"
    assert len(bz2.compress(bytes(1 << 20))) < 1000  # what makes it a bomb
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "is packed by method" in refusal(packed(file, members, method))
    assert "is damaged or not a trace" in refusal(packed(file, members, flag_bits=1))
    load(packed(file, members, zipfile.ZIP_STORED))  # as numpy.savez writes it


def test_members_that_are_not_asked_for_are_not_unpacked(tmp_path: Path, members: dict[str, bytes]) -> None:
    file = packed(
        tmp_path / "more.trace",
        {**members, "other.npy": b"x", "../x.npy": b"y"},
        file_size=5 << 30,
        of=["other.npy", "../x.npy"],
    )
    assert load(file).steps == 26


def test_rows_in_fortrans_order_are_turned(tmp_path: Path, traces: dict[str, Path]) -> None:
    parts = Parts.of(traces["tiled"])
    parts.arrays["initial_0"] = np.asfortranarray(parts.arrays["initial_0"])
    parts.write(tmp_path / "a.trace")
    stream = io.BytesIO(zipfile.ZipFile(tmp_path / "a.trace").read("initial_0.npy"))
    assert b"'fortran_order': True" in stream.getvalue()
    found, expected = load(tmp_path / "a.trace").initial[0], load(traces["tiled"]).initial[0]
    assert found is not None
    assert expected is not None
    np.testing.assert_array_equal(found, expected)
    assert found.flags.c_contiguous


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    assert "is not a file" in refusal(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "a.trace")
        assert "is not a file" in refusal(tmp_path / "a.trace")


def too_many_bytes(trace: Trace) -> Trace:
    return replace(trace, value_bytes=np.zeros((2 << 30) + 1, np.uint8))


def too_many_words(trace: Trace) -> Trace:
    return replace(trace, printf=("x" * LARGEST_HEADER_BYTES,))


@pytest.mark.parametrize("change", [too_many_bytes, too_many_words])
def test_a_trace_that_could_not_be_opened_again_is_not_saved(
    change: Callable[[Trace], Trace], traces: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "old.trace"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(InputError, match="MiB are opened: record a smaller size"):
        save(change(load(traces["tiled"])), file)
    assert file.read_text(encoding="utf-8") == "old"


def test_a_name_that_is_no_unicode_does_not_stop_a_trace(traces: dict[str, Path], tmp_path: Path) -> None:
    """So Python spells file names whose bytes are not UTF-8."""
    save(replace(load(traces["tiled"]), file="gr\udcf6sse.cu"), tmp_path / "a.trace")
    assert load(tmp_path / "a.trace").file == "gr?sse.cu"


def test_a_version_that_is_strange_is_one_line(tmp_path: Path, traces: dict[str, Path]) -> None:
    parts = Parts.of(traces["tiled"])
    for version in (None, "\n" * 9, [1] * 9999, 3):
        parts.header["version"] = version
        parts.write(tmp_path / "a.trace")
        assert len(refusal(tmp_path / "a.trace")) < 300
    assert json.loads(zipfile.ZipFile(tmp_path / "a.trace").read(HEADER))["version"] == 3
