"""Folder of what tilescope stores for its user, and the cache folder.

All of it lies in one folder: settings, hosts, samples, progress, drafts, timelines. tilescope 0.1 had the settings and
the hosts in folders for configuration; each of the two is moved when its path is first used.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

Content = Literal["settings", "hosts", "samples", "progress", "drafts", "timelines"]

CONTENTS: Final[tuple[Content, ...]] = get_args(Content)

_NAMES: Final[Mapping[Content, str]] = {
    "settings": "settings.ini",
    "hosts": "hosts.toml",
    "samples": "samples.sqlite3",
    "progress": "exercises.json",
    "drafts": "edits",
    "timelines": "block_timelines",
}


def user_folder() -> Path:
    """Return the folder of the user's data; it need not exist."""
    from platformdirs import user_data_path  # takes 10 ms, and few commands need it

    return user_data_path("tilescope", appauthor=False)


def cache_folder() -> Path:
    """Return the folder of what can be deleted and is made again: compiled CPU loops."""
    from platformdirs import user_cache_path

    return user_cache_path("tilescope", appauthor=False)


def user_path(content: Content) -> Path:
    """Return the path of a file or folder of the user, which need not exist.

    It is in `user_folder`. Where a file of tilescope 0.1 can neither be moved there nor copied, it is used in its
    old place.
    """
    new, old = user_folder() / _NAMES[content], old_path(content)
    return new if old is None else move_once(old, new)


def old_path(content: Content) -> Path | None:
    """Return the path that tilescope 0.1 used, if it was another folder."""
    from platformdirs import user_config_path

    if content == "hosts":
        return user_config_path("tilescope", appauthor=False) / _NAMES[content]
    if content != "settings":
        return None
    # Those of QSettings for an INI file of the user (Qt documentation, QSettings, "Locations Where Application Settings
    # Are Stored"): macOS has that of Unix.
    if sys.platform == "win32":
        return user_config_path("tilescope", appauthor=False, roaming=True) / "tilescope.ini"
    return Path.home() / (os.environ.get("XDG_CONFIG_HOME") or ".config") / "tilescope" / "tilescope.ini"


def move_once(old: Path, new: Path) -> Path:
    """Move a file unless there is one at `new`, and return the path to use: `new`, or `old` where neither works.

    Nothing is overwritten: if both exist, `old` stays as it is. An old file that must not be deleted is copied. Of
    several processes that do this at once, one moves, and the others find `new`.
    """
    try:
        if new.exists() or not old.is_file():
            return new
        new.parent.mkdir(parents=True, exist_ok=True)
        if old.is_symlink():  # a relative link leads nowhere from another folder
            new.symlink_to(old.resolve())
        else:
            _link_or_copy(old, new)
    except OSError:
        return old if os.access(old, os.R_OK) and not os.access(new, os.R_OK) else new
    with suppress(OSError):
        old.unlink()
        old.parent.rmdir()  # if nothing else is in it
    return new


def _link_or_copy(old: Path, new: Path) -> None:
    """Give a file a second name, or copy it; unlike a renaming, neither replaces a file that another process made."""
    with suppress(OSError):  # the other folder is on another file system, or the file belongs to someone else
        new.hardlink_to(old)
        return
    copy = new.with_name(f".{new.name}-{os.urandom(6).hex()}")
    try:
        shutil.copyfile(old, copy)
        new.hardlink_to(copy)  # complete when another process sees it
    finally:
        copy.unlink(missing_ok=True)
