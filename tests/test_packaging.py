"""Contents of the wheel that `pyproject.toml` describes."""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from kernels.child_process import WORKING_FOLDER

PROJECT = tomllib.loads((WORKING_FOLDER / "pyproject.toml").read_text(encoding="utf-8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]


def test_the_console_script_is_in_a_module_that_no_other_package_hides() -> None:
    module, _, function = PROJECT["project"]["scripts"]["tilescope"].partition(":")
    (source,) = [path for path, target in WHEEL["force-include"].items() if target == f"{module}.py"]
    text = (WORKING_FOLDER / source).read_text(encoding="utf-8")
    assert f"\ndef {function}() ->" in text
    # A forced file is left out where it was, so nothing may import it from there.
    name = ".".join(Path(source).with_suffix("").parts)
    users = [
        file
        for package in WHEEL["packages"]
        for file in (WORKING_FOLDER / package).rglob("*.py")
        if f"from {name} " in file.read_text(encoding="utf-8")
    ]
    assert users == []


@pytest.mark.parametrize("package", ["gui", "kernels"])
def test_the_types_of_a_package_are_for_others_too(package: str) -> None:
    assert package in WHEEL["packages"]
    assert not {"exclude", "only-include"} & WHEEL.keys()
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).with_name("py.typed").is_file()
