"""The catalogue of kernels: `.cu` files in `kernels/cuda`, CPU baselines and library routines."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kernels import CUDA_FOLDER
from kernels.catalog.baselines import BASELINES
from kernels.catalog.block_rules import BlockRule
from kernels.catalog.footer import FOOTER, kernel_files, kernel_of, read_kernel, read_source, says_launch
from kernels.catalog.model import Choice, Kernel, Option, RunsOn
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "FOOTER",
    "BlockRule",
    "Choice",
    "Kernel",
    "Option",
    "RunsOn",
    "catalog",
    "find_kernel",
    "kernel_files",
    "kernel_name",
    "kernel_of",
    "read_kernel",
    "read_source",
    "says_launch",
    "split_options",
    "unknown_kernel",
]

_MOST_SIMILAR: Final = 2

_OPTIONS: Final = re.compile(r"(?P<name>.+?):(?P<choices>\w+=\w+(?:,\w+=\w+)*)")


@cache
def catalog() -> tuple[Kernel, ...]:
    """Return every kernel of the catalogue in teaching order, without variants."""
    sources = [read_kernel(file) for file in sorted(CUDA_FOLDER.glob("*.cu"))]
    return tuple(sorted((*sources, *BASELINES), key=lambda kernel: (kernel.order, kernel.id)))


def split_options(name: str) -> tuple[str, dict[str, str]]:
    """Split ``mmt_naive:x=column`` into the id (or path) and its options."""
    found = _OPTIONS.fullmatch(name)
    if not found:
        return name, {}
    return found["name"], dict(pair.split("=") for pair in found["choices"].split(","))


def find_kernel(name: str) -> Kernel:
    """Return the catalogue's kernel of that id, or read the `.cu` file of that path.

    Either may be followed by options: ``mmt_naive:x=column``, several joined by a comma.

    Raises
    ------
    InputError
        When there is neither; the message lists the ids. When it has no such option or choice.
    """
    listed = _find_listed(name)
    if listed is not None:
        return listed
    plain, choices = split_options(name)
    if plain.endswith(".cu"):
        return read_kernel(Path(plain)).choose(**choices)
    raise unknown_kernel(name, catalog())


def unknown_kernel(name: str, known: Iterable[Kernel]) -> InputError:
    """Return the error for a name that no kernel has; it proposes those with a similar name."""
    similar = get_close_matches(split_options(name)[0], [kernel.id for kernel in known], _MOST_SIMILAR)
    proposed = f"did you mean {' or '.join(similar)}? " if similar else ""
    return InputError(f"no kernel '{name}': {proposed}'tilescope kernels' lists all; a .cu file can be given, too")


def kernel_name(kernel: Kernel) -> str:
    """Return a name by which `find_kernel` finds it from any folder: its id, or the absolute path of its file."""
    listed = (kernel.base, kernel.file) in _listed()
    return kernel.id if listed or kernel.file is None else f"{kernel.file.resolve()}{kernel.suffix}"


@lru_cache(maxsize=1024)
def _find_listed(name: str) -> Kernel | None:
    """Return the catalogue's kernel; None for another name. Plans ask for each of their points."""
    plain, choices = split_options(name)
    found = next((kernel for kernel in catalog() if kernel.id == plain), None)
    return found.choose(**choices) if found is not None else None


@cache
def _listed() -> frozenset[tuple[str, Path | None]]:
    return frozenset((kernel.id, kernel.file) for kernel in catalog())
