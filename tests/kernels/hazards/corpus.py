"""Small kernels, right and wrong, each with what must be found in it.

Every `.cu` file of this folder is one kernel of the file's name. Its last comment opens with the word `hazard` and
holds TOML:

    trace           words for `tilescope trace FILE`
    hazards         what the simulator must report under every schedule, these and no others: kind, array ("" where
                    there is none), lines of the accesses, and where it matters words of the message
    first           first values of outputs, where the kernel is right
    wrong_product   the kernel whose result some order of warps must fail to give
    seen            which of compute-sanitizer's tools (memcheck, racecheck, initcheck, synccheck) find it on a GPU
    unseen          why the tool that one would ask does not
    one_allocation  on the GPU all arrays lie in one allocation, as in an allocator's pool
    endless         never run it on a GPU: it does not end there, needs a cooperative launch or sm_90a, or synccheck
                    breaks it off, as it does with the barriers of `cuda::pipeline` and of some of a block
"""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER: Final = Path(__file__).parent
TOOLS: Final = ("memcheck", "racecheck", "initcheck", "synccheck")


@dataclass(frozen=True, order=True)
class Finding:
    """A hazard as the corpus states it; `message` are words that its message must have."""

    kind: str
    array: str
    lines: tuple[int, ...]
    message: str = field(default="", compare=False)


@dataclass(frozen=True)
class Case:
    """One kernel and what is expected of it."""

    name: str
    file: Path
    words: tuple[str, ...]
    hazards: frozenset[Finding]
    first: Mapping[str, list[float]]
    wrong_product: str
    seen: frozenset[str]
    unseen: str
    one_allocation: bool
    endless: bool

    def options(self, name: str) -> list[str]:
        """Values given to one of the words of the command line."""
        return [value for option, value in pairwise(self.words) if option == name]

    @property
    def advised(self) -> bool:
        """Whether cures are advised: races of tensor cores and of tiles are mended by what their sentences say."""
        return "sm_90a" not in self.words

    @property
    def breaks_context(self) -> bool:
        """Whether nothing more can run in a GPU process after it, with memcheck or without."""
        return "memcheck" in self.seen or any(h.kind == "assertion" for h in self.hazards)


def read_case(file: Path) -> Case:
    """Read one file's last comment; raises KeyError for a field that is missing."""
    footer = file.read_text(encoding="utf-8").rpartition("/* hazard\n")[2].rpartition("*/")[0]
    data: dict[str, Any] = tomllib.loads(footer)
    hazards = frozenset(
        Finding(h["kind"], h["array"], tuple(h["lines"]), h.get("message", "")) for h in data["hazards"]
    )
    seen = frozenset(data["seen"])
    return Case(
        file.stem,
        file,
        tuple(shlex.split(data["trace"])),
        hazards,
        data.get("first", {}),
        data.get("wrong_product", ""),
        seen,
        data.get("unseen", ""),
        data.get("one_allocation", False),
        data.get("endless", False),
    )


@cache
def cases() -> tuple[Case, ...]:
    """Every kernel of the folder, by name."""
    return tuple(read_case(file) for file in sorted(FOLDER.glob("*.cu")))
