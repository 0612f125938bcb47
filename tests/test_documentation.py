"""The documents: files and links that they name exist, and imports follow the layers of docs/architecture.md."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from kernels.child_process import WORKING_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENTS: Final = sorted(
    [
        WORKING_FOLDER / "README.md",
        WORKING_FOLDER / "CONTRIBUTING.md",
        *(WORKING_FOLDER / "docs").rglob("*.md"),
    ]
)
PATHS: Final = re.compile(r"`((?:kernels|gui|resources|tests|docs)/[\w./-]*)`")
LINKS: Final = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")
ARCHITECTURE: Final = WORKING_FOLDER / "docs" / "architecture.md"


def named(document: Path) -> str:
    """Return a document's name for the list of tests."""
    return document.relative_to(WORKING_FOLDER).as_posix()


def anchors(document: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_paths_exist(document: Path) -> None:
    missing = [
        path
        for path in PATHS.findall(document.read_text(encoding="utf-8"))
        if not (WORKING_FOLDER / path).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_lead_somewhere(document: Path) -> None:
    broken = []
    for path, anchor in LINKS.findall(document.read_text(encoding="utf-8")):
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor[1:] not in anchors(target)):
            broken.append(path + anchor)
    assert broken == []


def block(name: str) -> list[str]:
    """Return the lines of a fenced block of docs/architecture.md."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    return text.partition(f"```{name}\n")[2].partition("```")[0].splitlines()


@cache
def layers() -> dict[str, int]:
    """Return the height of each room; 0 is the lowest."""
    return {room: height for height, line in enumerate(reversed(block("layers"))) for room in line.split()}


def room_of(module: str) -> str:
    """Return the room that a module belongs to; nothing for the packages `gui`, `kernels` and their starters."""
    if module == "kernels.simt":  # hands on what the engine offers
        return "kernels.simt.engine"
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in layers()), "")


def imported(file: Path, modules: set[str]) -> Iterator[str]:
    """Yield the modules of ours that a file imports, those for type checkers too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in modules or node.module in modules:
                    yield full if full in modules else node.module


def module_files() -> dict[str, Path]:
    """Return every module of `gui` and `kernels`, with its file."""
    return {
        ".".join(file.relative_to(WORKING_FOLDER).with_suffix("").parts).removesuffix(".__init__"): file
        for top in ("gui", "kernels")
        for file in (WORKING_FOLDER / top).rglob("*.py")
    }


def test_every_room_has_a_layer() -> None:
    starters = {"gui", "gui.launcher", "kernels", "kernels.__main__"}
    assert {module for module in module_files() if not room_of(module)} == starters


def test_imports_point_down() -> None:
    files = module_files()
    upward = {
        f"{module} -> {target}"
        for module, file in files.items()
        if (own := room_of(module))
        for name in imported(file, set(files))
        if (target := room_of(name)) and target != own and layers()[target] >= layers()[own]
    }
    assert upward == set(block("upward")), "docs/architecture.md lists the imports that point up"
