"""The user's folder: one place for all, and files of tilescope 0.1, which are moved into it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernels.bench.hosts.host import read_hosts
from kernels.cli import main
from kernels.user_folder import CONTENTS, move_once, old_path, user_folder, user_path
from tests.user_folders import USER_FOLDERS

HOSTS = '[gpubox]\ncommand = ["ssh", "gpubox"]\n'


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of the user in a folder that has nothing else."""
    (tmp_path / "old").mkdir()
    file = tmp_path / "old" / "hosts.toml"
    file.write_text(HOSTS, encoding="utf-8")
    return file


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """A path in a folder that does not exist."""
    return tmp_path / "data" / "new" / "hosts.toml"


@pytest.fixture
def separate_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders for data and configuration that are not the same one."""
    for name in USER_FOLDERS:
        monkeypatch.setenv(name, str(tmp_path / name))


def test_a_file_is_moved_and_its_empty_folder_is_removed(old: Path, new: Path) -> None:
    assert move_once(old, new) == new
    assert new.read_text(encoding="utf-8") == HOSTS
    assert not old.parent.exists()
    assert move_once(old, new) == new


def test_a_folder_with_other_files_stays(old: Path, new: Path) -> None:
    (old.parent / "note").write_text("")
    move_once(old, new)
    assert [path.name for path in old.parent.iterdir()] == ["note"]


def test_without_an_old_file_nothing_is_made(new: Path, tmp_path: Path) -> None:
    assert move_once(tmp_path / "old" / "hosts.toml", new) == new
    assert list(tmp_path.iterdir()) == []


def test_if_both_exist_neither_changes(old: Path, new: Path) -> None:
    new.parent.mkdir(parents=True)
    new.write_text("")
    assert move_once(old, new) == new
    assert new.read_text() == ""
    assert old.read_text(encoding="utf-8") == HOSTS


def test_between_file_systems_a_file_is_copied(old: Path, new: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = Path.hardlink_to

    def within_a_file_system(self: Path, target: Path) -> None:
        if target == old:
            raise OSError("Invalid cross-device link")
        link(self, target)

    monkeypatch.setattr(Path, "hardlink_to", within_a_file_system)
    assert move_once(old, new) == new
    assert new.read_text(encoding="utf-8") == HOSTS
    assert list(new.parent.iterdir()) == [new]
    assert not old.exists()


def test_an_old_file_that_cannot_be_deleted_is_copied(old: Path, new: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a folder that is read-only, which would not stop an administrator, who may run this test."""
    unlink = Path.unlink

    def read_only(self: Path, missing_ok: bool = False) -> None:
        if self == old:
            raise PermissionError(13, "Permission denied")
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", read_only)
    for _ in range(2):
        assert move_once(old, new) == new
    assert new.read_text(encoding="utf-8") == old.read_text(encoding="utf-8") == HOSTS


def test_a_file_that_cannot_be_moved_is_used_where_it_is(old: Path, new: Path) -> None:
    new.parent.parent.write_text("a file where the folder would be")
    assert move_once(old, new) == old
    assert old.read_text(encoding="utf-8") == HOSTS


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_a_link_leads_to_the_same_file(old: Path, new: Path) -> None:
    true = old.rename(old.parent.parent / "mine.toml")
    old.symlink_to(Path("..") / "mine.toml")
    assert move_once(old, new) == new
    assert new.resolve() == true.resolve()
    assert not old.is_symlink()


def test_of_several_processes_one_moves_and_all_find_the_file(old: Path, new: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from kernels.user_folder import move_once\n"
        "print(end='ready', flush=True); sys.stdin.read(1)\n"
        "print(move_once(*map(Path, sys.argv[1:])).read_text())"
    )
    words = [sys.executable, "-c", code, str(old), str(new)]
    started = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.read(5) == "ready"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("x")
        process.stdin.flush()
    assert [process.communicate(timeout=60) for process in started] == [(HOSTS + "\n", "")] * 4
    assert [path.name for path in new.parent.iterdir()] == ["hosts.toml"]


@pytest.mark.usefixtures("separate_folders")
def test_hosts_of_an_earlier_version_are_found() -> None:
    old = old_path("hosts")
    assert old is not None
    old.parent.mkdir(parents=True, exist_ok=True)
    old.write_text(HOSTS, encoding="utf-8")
    assert [host.name for host in read_hosts()] == ["gpubox"]
    assert (user_folder() / "hosts.toml").is_file()


@pytest.mark.usefixtures("separate_folders")
def test_the_command_shows_every_path_and_what_is_not_used() -> None:
    shown = json.loads(CliRunner().invoke(main, ["paths", "--json"]).stdout)
    assert list(shown) == ["folder", *CONTENTS, "cache", "unused"]
    assert {Path(shown[content]).parent for content in CONTENTS} == {user_folder()}
    assert shown["unused"] == {}
    assert not user_folder().exists()

    old, new = old_path("settings"), user_path("settings")
    assert old is not None
    for file in (old, new):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("", encoding="utf-8")
    assert json.loads(CliRunner().invoke(main, ["paths", "--json"]).stdout)["unused"] == {"settings": str(old)}
    words = CliRunner().invoke(main, ["paths"]).stdout
    assert f"settings  {new}\n" in words
    assert str(old) in words
