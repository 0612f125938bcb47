"""The console script `tilescope`: checks that the packages Python finds are tilescope's, then starts it.

Other distributions have packages named `kernels` and `gui`, too. Wherever one of them is found first, an entry point
in `gui` or `kernels` would fail before a line of ours runs. So a wheel, and an editable installation, hold this file
as the module `tilescope`: that name is found whatever else is called `kernels` or `gui`. For the same reason this
module imports neither before it has checked them.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NoReturn

_PACKAGES: Final = ("kernels", "gui")

_MARK: Final = 'DISTRIBUTION: Final = "tilescope"'
"""Line in the `__init__.py` of each of our packages. It is read, not imported: a foreign package may fail to import."""


def main() -> NoReturn:
    """Run the `tilescope` command, which opens the window unless a subcommand is named."""
    for name in _PACKAGES:
        problem = package_problem(name)
        if problem:
            print(f"tilescope: {problem}", file=sys.stderr)
            sys.exit(2)
    from kernels.startup import start

    start("gui.shell.command")


def package_problem(name: str) -> str:
    """Return why a package that Python finds is not tilescope's and what to do; empty if it is."""
    spec = find_spec(name)
    if spec is None:
        return f"the package '{name}' is missing: install tilescope again"
    if spec.origin and _MARK in Path(spec.origin).read_text(encoding="utf-8", errors="replace"):
        return ""
    found = Path(spec.origin or next(iter(spec.submodule_search_locations or ["an unknown place"])))
    found = found.parent if found.name == "__init__.py" else found
    return f"Python finds another '{name}' first, at {found}: {_remedy(found.parent)}"


def _remedy(folder: Path) -> str:
    if folder.name in ("site-packages", "dist-packages"):
        return "install tilescope again, in a separate virtual environment"
    if folder == Path.cwd():
        return "start tilescope in another folder, and without this one in PYTHONPATH"
    return f"take {folder} out of PYTHONPATH"


if __name__ == "__main__":
    main()
