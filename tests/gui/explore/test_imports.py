"""Imports among the files of the Explore page: no circles, and no Qt in playback."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from gui import explore
from kernels.child_process import WORKING_FOLDER

Imports = dict[str, set[str]]


_MOST_IN_A_CIRCLE: Final = 4
"""Files of a circle whose imports are needed by type checkers only."""


def imported(node: ast.AST, *, types: bool) -> Iterator[str]:
    """Yield the imported modules and names below a node; with `types` also those for type checkers."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not types:
        return
    if isinstance(node, ast.ImportFrom) and node.module is not None:
        for alias in node.names:
            yield from (node.module, f"{node.module}.{alias.name}")
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imported(child, types=types)


@cache
def trees() -> dict[str, ast.Module]:
    """Return the trees of the modules of the room."""
    files = Path(explore.__file__).parent.rglob("[!_]*.py")
    names = {".".join(file.relative_to(WORKING_FOLDER).with_suffix("").parts): file for file in files}
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in names.items()}


def imports(*, types: bool) -> Imports:
    """Return the modules of the room that each of its modules imports."""
    return {name: set(imported(tree, types=types)) & trees().keys() - {name} for name, tree in trees().items()}


def circles(graph: Imports) -> list[set[str]]:
    """Return the strongly connected components of several modules."""
    reached: Imports = {name: set() for name in graph}
    for name, found in reached.items():
        waiting = [name]
        while waiting:
            new = graph[waiting.pop()] - found
            found |= new
            waiting += new
    components = {frozenset(other for other in found if name in reached[other]) for name, found in reached.items()}
    return [set(component) for component in components if component]


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [{"b", "c"}]


def test_no_imports_form_a_circle() -> None:
    assert circles(imports(types=False)) == []


def test_imports_for_types_form_no_large_circle() -> None:
    assert [circle for circle in circles(imports(types=True)) if len(circle) > _MOST_IN_A_CIRCLE] == []


def test_playback_loads_no_qt() -> None:
    names = sorted(name for name in imports(types=False) if name.startswith("gui.explore.playback."))
    code = f"import importlib, sys; [importlib.import_module(name) for name in {names}]; "
    code += "print([name for name in sys.modules if 'PySide' in name])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "[]"
