"""The command that adds an extra, for each way in which tilescope may be installed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from kernels.installation import install_command

if TYPE_CHECKING:
    from pathlib import Path

PIP = [sys.executable, "-m", "pip", "install"]


def installed(folder: Path, origin: dict[str, object] | None) -> None:
    """Write the metadata of an installation, with the address that it came from."""
    metadata = folder / "tilescope-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tilescope\nVersion: 0.1.0\n")
    if origin is not None:
        (metadata / "direct_url.json").write_text(json.dumps(origin))


@pytest.mark.skipif(sys.platform == "win32", reason="paths and quotes of a Unix shell")
@pytest.mark.parametrize(
    ("origin", "prefix", "command"),
    [
        (
            {"url": "file:///src/tile%20scope", "dir_info": {"editable": True}},
            "/src/.venv",
            [*PIP, "-e", "'/src/tile scope[cuda13]'"],
        ),
        ({"url": "file:///src/tilescope", "dir_info": {}}, "/src/.venv", [*PIP, "'/src/tilescope[cuda13]'"]),
        (None, "/home/me/venv", [*PIP, "'tilescope[cuda13]'"]),
        (None, "/home/me/.local/share/uv/tools/tilescope", ["uv", "tool", "install", "--force", "'tilescope[cuda13]'"]),
        (None, "/home/me/.local/share/pipx/venvs/tilescope", ["pipx", "install", "--force", "'tilescope[cuda13]'"]),
        (
            {"url": "https://example.org/t.git", "vcs_info": {"vcs": "git"}},
            "/home/me/.local/pipx/venvs/tilescope",
            ["pipx", "install", "--force", "'tilescope[cuda13] @ git+https://example.org/t.git'"],
        ),
    ],
    ids=["checkout", "folder", "index", "uv tool", "pipx", "repository"],
)
def test_the_command_fits_the_installation(
    origin: dict[str, object] | None,
    prefix: str,
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed(tmp_path, origin)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "prefix", prefix)
    assert install_command("cuda13") == " ".join(command)
