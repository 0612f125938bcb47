"""The wheel: one package, whose modules are the checkout's but for the names that they import."""

from __future__ import annotations

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from trove_classifiers import classifiers

from gui.shell.main_window import KINDS
from hatch_build import OURS, PACKAGES, ROOT, absolute_links, renamed
from kernels import __version__
from tests.sweeps import exhaustive

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not (ROOT / "kernels").is_dir(), reason="builds a wheel of a checkout")

FOREIGN = "raise RuntimeError('a package of another distribution was imported')\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of a wheel, and foreign packages with the names of ours."""
    folder = tmp_path_factory.mktemp("wheel")
    build = f"import os, hatchling.build; os.chdir({str(ROOT)!r}); hatchling.build.build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], check=True, timeout=60)
    (wheel,) = folder.glob("*.whl")
    site = folder / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    for name in PACKAGES:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(FOREIGN, encoding="utf-8")
    return site


def test_a_wheel_has_one_package_with_data_sources_and_types(installed: Path) -> None:
    packages = {path.name for path in installed.iterdir() if path.suffix not in (".dist-info", ".data")}
    assert packages == {OURS, *PACKAGES}
    for file in ("py.typed", "kernels/cuda/matmul_tiled.cu", "resources/tour.toml", "gui/explore/page.py"):
        assert (installed / OURS / file).is_file()


def test_a_source_archive_has_what_a_build_reads(tmp_path: Path) -> None:
    build = f"import os, hatchling.build; os.chdir({str(ROOT)!r}); hatchling.build.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], check=True, timeout=60)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"README.md", "LICENSE", "hatch_build.py", "kernels/__init__.py", "docs/architecture.md"} <= names


def test_the_metadata_have_the_version_and_links_that_lead_somewhere(installed: Path) -> None:
    metadata = message_from_string((installed / f"{OURS}-{__version__}.dist-info" / "METADATA").read_text("utf-8"))
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", ()))
    assert metadata["Version"] == __version__
    assert set(urls) == {"Homepage", "Source", "Issues", "Changelog"}
    assert set(metadata.get_all("Classifier", ())) <= classifiers
    links = re.findall(r"\]\(([^)]*)\)", str(metadata.get_payload()))
    own = [link.partition(f"/v{__version__}/")[2] for link in links if link.startswith(urls["Source"])]
    assert len(own) > 10
    assert all(link.startswith("https:") for link in links)
    assert all((ROOT / path.partition("#")[0]).exists() for path in own)


def test_pictures_are_linked_as_files_and_anchors_stay() -> None:
    text = "[a](docs/a.md#b) ![c](c.png) [d](#e) [f](https://g)"
    assert absolute_links(text, "https://forge", "1") == (
        "[a](https://forge/blob/v1/docs/a.md#b) ![c](https://forge/raw/v1/c.png) [d](#e) [f](https://g)"
    )


def test_a_desktop_finds_the_program_and_the_types_of_its_files(installed: Path) -> None:
    share = installed / f"{OURS}-{__version__}.data" / "data" / "share"
    types = ElementTree.parse(share / "mime" / "packages" / "tilescope.xml").getroot()
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    assert {glob.attrib["pattern"] for glob in types.iter(f"{space}glob")} == {f"*{kind}" for kind in KINDS}
    entry = configparser.RawConfigParser()
    entry.read(share / "applications" / "tilescope.desktop", encoding="utf-8")
    opened = entry["Desktop Entry"]["MimeType"].strip(";").split(";")
    assert opened == [kind.attrib["type"] for kind in types.iter(f"{space}mime-type")]
    assert (share / "icons/hicolor/scalable/apps" / f"{entry['Desktop Entry']['Icon']}.svg").is_file()


@pytest.mark.skipif(not shutil.which("desktop-file-validate"), reason="desktop-file-utils is not installed")
def test_the_entry_of_the_desktop_is_valid() -> None:
    file = ROOT / "resources" / "desktop" / "tilescope.desktop"
    done = subprocess.run(["desktop-file-validate", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    [["-m", OURS, "--version"], ["-m", f"{OURS}.kernels", "trace", "hello_grid"], ["-m", OURS, "bench", "--help"]],
)
def test_packages_of_others_with_names_of_the_checkout_are_not_imported(installed: Path, words: list[str]) -> None:
    variables = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, *words], cwd=installed.parent, env=variables, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
@pytest.mark.parametrize(("word", "status"), [("--version", 0), ("--nonsense", 2)])
def test_without_streams_the_program_runs(installed: Path, word: str, status: int) -> None:
    variables = {**os.environ, "PYTHONPATH": str(installed)}
    command = ["sh", "-c", 'exec "$0" -m tilescope "$1" >&- 2>&-', sys.executable, word]
    assert subprocess.run(command, cwd=installed.parent, env=variables, timeout=60, check=False).returncode == status


@pytest.mark.parametrize("folder", ["gui", *exhaustive("kernels", "tests")])
def test_every_module_imports_the_package_and_keeps_its_lines(folder: str) -> None:
    for module in (ROOT / folder).rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        changed = renamed(text)
        assert text.count("\n") == changed.count("\n")
        for node in ast.walk(ast.parse(changed)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            assert not {name.partition(".")[0] for name in names} & set(PACKAGES), module


def test_names_of_modules_are_renamed_and_other_words_are_not() -> None:
    text = 'import kernels\nfrom gui.shell import pages\nopen("gui.shell.pages", "kernels.json", ["-m", "kernels"])\n'
    assert renamed(text) == (
        "from tilescope import kernels\nfrom tilescope.gui.shell import pages\n"
        'open("tilescope.gui.shell.pages", "kernels.json", ["-m", "tilescope.kernels"])\n'
    )
