"""Files: replaced whole or not at all, and read without trust."""

from __future__ import annotations

import io
import os
import stat
import sys
import unicodedata
from pathlib import Path

import pytest

from kernels.control_characters import escape_controls, escape_lines
from kernels.errors import InputError
from kernels.files import atomic_file, check_writable, make_folder, write_text
from kernels.npy import read_header
from tests.cases import Cases
from tests.kernels.npy_bytes import npy

CASES = Cases(__file__)

NO_FILE_FITS = [Path("/proc/new.csv"), Path("/dev/full")] if Path("/proc/version").exists() else []
"""A folder in which not even root can write."""


def unwritable(tmp_path: Path) -> dict[str, Path]:
    """Paths that no file can be written to, by the words that say why."""
    (tmp_path / "file").write_text("old", encoding="utf-8")
    return {
        "there is no folder": tmp_path / "missing" / "a.csv",
        "is a folder": tmp_path,
        "no folder": tmp_path / "file" / "a.csv",
        "too long": tmp_path / ("a" * 300),
    }


def test_a_path_that_cannot_be_written_is_one_line_that_says_why(tmp_path: Path) -> None:
    for words, path in unwritable(tmp_path).items():
        for refuse in (check_writable, lambda file: write_text(file, "new")):
            with pytest.raises(InputError, match=words) as error:
                refuse(path)
            assert str(error.value).startswith(f"{path}: cannot be written: ")
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("path", NO_FILE_FITS, ids=str)
def test_full_and_read_only_places_are_refused(path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        check_writable(path)
    with pytest.raises(InputError, match="cannot be written"):
        write_text(path, "new")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_and_folder_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("old", encoding="utf-8")
    file.chmod(0o444)
    with pytest.raises(InputError, match="read-only"):
        check_writable(file)
    with pytest.raises(InputError, match="read-only"):
        write_text(file, "new")
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match="cannot be written"):
        check_writable(tmp_path / "b.csv")
    tmp_path.chmod(0o755)
    assert file.read_text(encoding="utf-8") == "old"


def test_checking_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    check_writable(file)
    assert list(tmp_path.iterdir()) == []
    file.write_text("old", encoding="utf-8")
    check_writable(file)
    assert [(path, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [(file, "old")]


def write_half(file: Path, error: BaseException) -> None:
    with atomic_file(file) as name:
        name.write_text("ne", encoding="utf-8")
        raise error


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_a_file_that_is_not_finished_leaves_the_old_one(tmp_path: Path, error: BaseException) -> None:
    file = tmp_path / "a.csv"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(InputError if isinstance(error, OSError) else type(error)):
        write_half(file, error)
    assert [(path, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [(file, "old")]


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("old", encoding="utf-8")
    with atomic_file(file) as name:
        assert (name.parent, name.suffix) == (tmp_path, ".csv")
        name.write_text("new", encoding="utf-8")
        assert file.read_text(encoding="utf-8") == "old"
    assert [(path, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [(file, "new")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path: Path) -> None:
    plain, own = tmp_path / "plain", tmp_path / "own"
    plain.write_text("old", encoding="utf-8")
    write_text(own, "new")
    assert stat.S_IMODE(own.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    plain.chmod(0o640)
    write_text(plain, "new")
    assert stat.S_IMODE(plain.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "new"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="has no devices in its file system")
def test_a_device_is_written_to_and_stays() -> None:
    check_writable(Path("/dev/null"))
    write_text(Path("/dev/null"), "new")
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes in its file system")
def test_a_pipe_without_a_reader_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="cannot be written"):
        check_writable(tmp_path / "pipe")


def test_folders_are_made_and_files_are_no_folders(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []
    (tmp_path / "file").write_text("old", encoding="utf-8")
    with pytest.raises(InputError, match="is a file"):
        make_folder(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be made"):
        make_folder(tmp_path / "file" / "c")
    for path in NO_FILE_FITS[:1]:
        with pytest.raises(InputError, match="no file can be written in this folder"):
            make_folder(path.parent)


@pytest.mark.parametrize("shape", ["(3, (", '"""', "(3,\n  4\n 5"])
def test_a_damaged_header_is_a_value_error(shape: str) -> None:
    with pytest.raises(ValueError, match="header"):
        read_header(io.BytesIO(npy(shape)))


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
