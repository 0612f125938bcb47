import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gui.shell import command
from gui.shell.display import obstacle

LINUX_ONLY = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the system's libraries")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path | None, str | None]]:
    """Arguments with which the window would have been opened."""
    calls: list[tuple[Path | None, str | None]] = []

    def remember(file: Path | None, theme: str | None) -> int:
        calls.append((file, theme))
        return 0

    monkeypatch.setattr(command, "_run", remember)
    return calls


@pytest.mark.parametrize(
    ("arguments", "theme"), [([], None), (["--theme", "dark"], "dark"), (["--theme=light"], "light")]
)
def test_without_a_command_the_window_opens(
    opened: list[tuple[Path | None, str | None]], arguments: list[str], theme: str | None
) -> None:
    result = CliRunner().invoke(command.program, arguments)
    assert (result.exit_code, opened) == (0, [(None, theme)])


def test_a_file_goes_to_the_window(opened: list[tuple[Path | None, str | None]], own_kernel: Path) -> None:
    result = CliRunner().invoke(command.program, [str(own_kernel), "--theme", "dark"])
    assert (result.exit_code, opened) == (0, [(own_kernel, "dark")])


@pytest.mark.parametrize("arguments", [["tarce"], ["missing.cu"], ["--theme", "mauve"], ["a.cu", "b.cu"]])
def test_unusable_arguments_are_one_line_and_status_2(
    opened: list[tuple[Path | None, str | None]], arguments: list[str]
) -> None:
    result = CliRunner().invoke(command.program, arguments)
    assert (result.exit_code, opened) == (2, [])
    assert arguments[-1] in result.stderr


def test_a_command_that_is_misspelt_is_named() -> None:
    result = CliRunner().invoke(command.program, ["tarce", "k.cu", "--grid", "1"])
    assert result.stderr.endswith(" nor a command: did you mean 'trace'?\n")


def test_help_names_every_command() -> None:
    text = CliRunner().invoke(command.program, ["--help"]).stdout
    for name in ("demo", "trace", "bench", "occupancy", "devices", "--theme"):
        assert name in text


def test_headless_commands_do_not_load_qt() -> None:
    code = (
        "import sys; sys.argv = ['tilescope', 'devices']\n"
        "from gui.shell.command import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "assert not [name for name in sys.modules if name.startswith('PySide6')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


@LINUX_ONLY
def test_without_a_display_one_line_says_what_works() -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    done = subprocess.run(
        [sys.executable, "-c", "from gui.shell.command import main; main()"],
        env={name: value for name, value in os.environ.items() if name not in hidden},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "tilescope demo --headless" in done.stderr


@LINUX_ONLY
@pytest.mark.parametrize(
    ("environment", "lacking", "words"),
    [
        ({"QT_QPA_PLATFORM": "offscreen"}, "nothing", ""),
        ({"QT_QPA_PLATFORM": "offscreen"}, "libEGL.so.1", "Qt needs libEGL.so.1"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "libxcb-cursor.so.0", ""),
        ({"DISPLAY": ":4711"}, "libxcb-cursor.so.0", "libxcb-cursor0"),
        ({"DISPLAY": ":4711"}, "nothing", "display ':4711' does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":4711"}, "nothing", ""),
    ],
)
def test_reasons_why_no_window_can_open(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], lacking: str, words: str
) -> None:
    monkeypatch.setattr("gui.shell.display._loads", lambda library: library != lacking)
    found = obstacle(environment, "linux")
    assert (words in found) if words else (found == "")


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_elsewhere_nothing_stands_in_the_way(platform: str) -> None:
    assert obstacle({}, platform) == ""
