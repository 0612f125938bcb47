"""A kernel that is launched as the user says, because its file does not. No Qt, and without the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Wanted:
    """One value that a kernel needs: `text` as `tilescope trace` has it after `NAME=`, `kind` what it is in C."""

    name: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Launched:
    """A kernel of a file, and how it is launched.

    `wanted` are the values of its parameters, `template` those of its template's; an empty text leaves the template's
    default. `shared` are the bytes of its `extern __shared__` arrays, `defines` macros, as `TILE=16 DEBUG`.
    """

    file: Path
    text: str
    entry: str
    grid: str
    block: str
    wanted: tuple[Wanted, ...]
    shared: str = "0"
    template: tuple[Wanted, ...] = ()
    defines: str = ""
    kernel: None = None
    """The file says nothing about it."""

    def asks_the_same(self, other: Launched) -> bool:
        """Whether this is a launch of the same kernel, with values for the same names."""
        mine, others = ([value.name for value in (*launch.template, *launch.wanted)] for launch in (self, other))
        return (self.file, self.entry, mine) == (other.file, other.entry, others)

    @property
    def words(self) -> str:
        """What runs and how, in one line."""
        values = [f"{value.name} = {value.text}" for value in self.wanted]
        shared = [] if self.shared == "0" else [f"{self.shared} bytes of shared memory"]
        arguments = ", ".join(f"{value.name} = {value.text}" for value in self.template if value.text)
        entry = f"{self.entry}<{arguments}>" if arguments else self.entry
        launch = f"grid {self.grid}, block {self.block}"
        return ", ".join([entry, *self.defines.split(), launch, *shared, *values])
