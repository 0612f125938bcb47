"""Way of installation, and the command that adds an extra to it."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def install_command(extra: str) -> str:
    """Return the command that installs tilescope with an extra, such as cuda13, the way it is installed now.

    A checkout (an editable installation) is installed again from its folder, other folders and addresses from where
    they came (PEP 610, `direct_url.json`). uv and pipx keep each tool in an environment below a folder `uv/tools` or
    `pipx/venvs`.
    """
    from urllib.parse import urlsplit  # these two take 30 ms, and an advice is rare
    from urllib.request import url2pathname

    origin = _origin()
    url = str(origin.get("url", ""))
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}"
    folder = url2pathname(urlsplit(url).path) if url.startswith("file:") else ""
    if origin.get("dir_info", {}).get("editable"):
        return command_line([*_pip(), "install", "-e", f"{folder}[{extra}]"])
    wanted = f"{folder}[{extra}]" if folder else f"tilescope[{extra}] @ {url}" if url else f"tilescope[{extra}]"
    parts = Path(sys.prefix).parts
    if ("uv", "tools") in itertools.pairwise(parts):
        return command_line(["uv", "tool", "install", "--force", wanted])
    if ("pipx", "venvs") in itertools.pairwise(parts):
        return command_line(["pipx", "install", "--force", wanted])
    return command_line([*_pip(), "install", wanted])


def _pip() -> list[str]:
    """Return the words that start the installer of this environment; environments that uv makes have no pip."""
    return [sys.executable, "-m", "pip"] if find_spec("pip") else ["uv", "pip"]


def _origin() -> dict[str, Any]:
    """Return the record of the address that tilescope was installed from; empty for a package index."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution("tilescope").read_text("direct_url.json")
        found: dict[str, Any] = json.loads(text or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return found


def command_line(words: list[str]) -> str:
    """Return words as a command that can be pasted into a shell of this system."""
    if os.name != "nt":
        return shlex.join(words)
    import subprocess  # slow, and the window is shown without it

    return subprocess.list2cmdline(words)
