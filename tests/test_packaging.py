"""The wheel: one package, whose modules are the checkout's but for the names that they import."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from hatch_build import OURS, PACKAGES, ROOT, renamed
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
    assert {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")} == {OURS, *PACKAGES}
    for file in ("py.typed", "kernels/cuda/matmul_tiled.cu", "resources/tour.toml", "gui/explore/page.py"):
        assert (installed / OURS / file).is_file()


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
