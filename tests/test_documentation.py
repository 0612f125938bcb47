"""The documents: files and links that they name exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from kernels.child_process import WORKING_FOLDER

if TYPE_CHECKING:
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
        path for path in PATHS.findall(document.read_text(encoding="utf-8")) if not (WORKING_FOLDER / path).exists()
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
