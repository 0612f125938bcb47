"""Build hooks: a wheel has one package, `tilescope`, of the packages of the checkout, and a README with absolute links.

`kernels` and `gui` are names of other distributions' packages, too: whichever was installed last would break the other.
In a checkout they stay at the top, where editors, type checkers and tracebacks find them; in a wheel they are
`tilescope.kernels` and `tilescope.gui`, and each module is the same text, line by line, but for the names that it
imports.

Run as ``python hatch_build.py FOLDER``, it copies the tests and what they read of the checkout into a folder, with
the names that an installed wheel has.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT: Final = Path(__file__).parent
PACKAGES: Final = ("gui", "kernels")
DATA: Final = ("resources",)
OURS: Final = "tilescope"

_BYTECODE: Final = shutil.ignore_patterns("__pycache__")
_IMPORT: Final = re.compile(
    rf"(^\s*|[\"';] ?)(?:from ({'|'.join(PACKAGES)})(?=[. ][\w. ]*import )|import ({'|'.join(PACKAGES)})$)",
    re.MULTILINE,
)
_NAME: Final = re.compile(rf"([\"'])((?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?=[.\"'])")
_COMMAND: Final = re.compile(rf"(\"-m\", \")({'|'.join(PACKAGES)})(?=[.\"])")
_LINK: Final = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?:|#)")


def renamed(text: str) -> str:
    """Return the text of a module with the names of the wheel: in imports, names of modules, and commands of Python."""
    text = _IMPORT.sub(lambda m: f"{m[1]}from {OURS}.{m[2]}" if m[2] else f"{m[1]}from {OURS} import {m[3]}", text)
    text = _NAME.sub(lambda m: f"{m[1]}{OURS}.{m[2]}" if _is_module(m[2]) else m[0], text)
    return _COMMAND.sub(rf"\g<1>{OURS}.\g<2>", text)


def _is_module(name: str) -> bool:
    """Return whether a dotted name begins with that of a module, which attributes may follow."""
    path = ROOT.joinpath(*name.split(".")[:2])
    return path.is_dir() or path.with_suffix(".py").is_file()


def write_renamed(folder: Path) -> None:
    """Rename in all modules of a folder."""
    for module in folder.rglob("*.py"):
        module.write_text(renamed(module.read_text(encoding="utf-8")), encoding="utf-8")


def absolute_links(text: str, source: str, version: str) -> str:
    """Return a Markdown text whose relative links and pictures lead to the files of a version at its forge."""
    return _LINK.sub(lambda m: f"{m[0]}{source}/{'raw' if m[1] else 'blob'}/v{version}/", text)


class AbsoluteLinks(MetadataHookInterface):
    """Makes the README's links absolute, since a package index has none of the files that they lead to."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the field `readme`."""
        text = absolute_links((ROOT / "README.md").read_text("utf-8"), metadata["urls"]["Source"], metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class OnePackage(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the packages of the checkout into one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the package and include it; an editable installation has the checkout itself."""
        if version == "editable":
            return
        package = Path(self.directory) / f"{OURS}-one-package"
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(ROOT / OURS, package, ignore=_BYTECODE)
        for name in (*PACKAGES, *DATA):
            shutil.copytree(ROOT / name, package / name, ignore=_BYTECODE)
        write_renamed(package)
        build_data["force_include"][str(package)] = OURS

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the written package."""
        shutil.rmtree(Path(self.directory) / f"{OURS}-one-package", ignore_errors=True)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir()
    for part in ROOT.iterdir():
        if part.is_file():
            shutil.copy(part, target)
    for name in ("docs", "tests"):
        shutil.copytree(ROOT / name, target / name, ignore=_BYTECODE)
    write_renamed(target / "tests")
