"""The documents: files, commands, links, names, layers and functions that they name exist."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import pytest
from click import Context

from gui.shell.command import program
from hatch_build import ROOT
from kernels.frontend.preprocessor.predefined import PREDEFINED
from kernels.simt.libraries import installed

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS: Final = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
)
SOURCES: Final = pytest.mark.skipif(not (ROOT / "kernels").is_dir(), reason="reads the sources of a checkout")
PATHS: Final = re.compile(r"`((?:kernels|gui|resources|tests|docs)/[\w./-]*)`")
LINKS: Final = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")


def named(document: Path) -> str:
    """Return a document's name for the list of tests."""
    return document.relative_to(ROOT).as_posix()


def anchors(document: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@SOURCES
@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_paths_exist(document: Path) -> None:
    missing = [path for path in PATHS.findall(document.read_text(encoding="utf-8")) if not (ROOT / path).exists()]
    assert missing == []


@SOURCES
@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_commands_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    modules = set(re.findall(r"python -m ([\w.]*\w)", text))
    assert [name for name in modules if find_spec(name) is None] == []
    assert set(re.findall(r"`tilescope ([a-z]+)[ `]", text)) <= set(program.list_commands(Context(program)))


@SOURCES
@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_lead_somewhere(document: Path) -> None:
    broken = []
    for path, anchor in LINKS.findall(document.read_text(encoding="utf-8")):
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor[1:] not in anchors(target)):
            broken.append(path + anchor)
    assert broken == []


@SOURCES
def test_the_glossary_names_what_the_code_defines() -> None:
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    found = re.findall(r"`([A-Za-z_.]+)` in `([\w/]+(?:\.py)?)`", glossary)
    assert len(found) > 40
    for name, path in found:
        place = ROOT / path
        texts = [file.read_text(encoding="utf-8") for file in (place.rglob("*.py") if place.is_dir() else (place,))]
        last = name.rpartition(".")[2]
        assert any(re.search(rf"\b{last}\b", text) for text in texts), (name, path)


def test_the_layers_are_those_that_lint_imports_holds() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    rooms, window, *_ = (contract["layers"] for contract in contracts["contracts"])
    section = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("## Layers")[2]
    assert rooms[:2] == ["tilescope", "gui"]
    expected = [line.replace(" | ", "  ") for line in ("tilescope", *window, *rooms[2:])]
    assert section.split("```")[1].split("\n")[1:-1] == expected


PAGES: Final = ("atomics", "libraries", "memory", "numbers", "tensor_cores", "textures", "threads")
"""Pages of the language that name functions of CUDA."""


@pytest.mark.parametrize("page", PAGES)
def test_functions_that_are_said_to_be_supported_are_registered(page: str) -> None:
    text = (ROOT / f"docs/language/{page}.md").read_text(encoding="utf-8")
    text = re.sub(r"(?ms)^(## |\*\*)Refused.*?(?=^## |^\*\*|\Z)", "", text)
    named = set(re.findall(r"`((?:__(?!nv_)|atomic|tex\d|texC|surf\d|curand)\w*[a-z\d])`", text))
    registry = installed()
    functions = {*registry.functions, *registry.statements, *(name.partition("(")[0] for name in PREDEFINED)}
    types = {name for name in named if name.startswith("curandState")}
    assert len(named) > 1 or page in ("tensor_cores", "libraries")
    assert named - types - functions == set()
