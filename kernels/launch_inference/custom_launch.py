"""Launch of a kernel with the user's values, for a file without a tilescope comment. Imports no Qt, no simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class LaunchValue:
    """Value of one parameter."""

    name: str
    kind: str
    """Type in C."""
    text: str
    """Value in the form of `tilescope trace --arg`, after `NAME=`."""


@dataclass(frozen=True, slots=True)
class CustomLaunch:
    """A kernel of a file with its execution configuration and the values of its parameters, as texts."""

    file: Path
    text: str
    entry: str
    grid: str
    block: str
    values: tuple[LaunchValue, ...]
    shared: str = "0"
    """Bytes of the `extern __shared__` arrays."""
    template: tuple[LaunchValue, ...] = ()
    """Template arguments; an empty text leaves the default."""
    defines: str = ""
    """Macros, as in `TILE=16 DEBUG`."""
    kernel: None = None
    """No kernel of the catalogue, in contrast to a `Recording` of one."""

    def has_same_parameters(self, other: CustomLaunch) -> bool:
        """Return whether this is a launch of the same kernel, with values for the same names."""
        mine, others = ([value.name for value in (*launch.template, *launch.values)] for launch in (self, other))
        return (self.file, self.entry, mine) == (other.file, other.entry, others)

    @property
    def words(self) -> str:
        """Kernel, launch and values in one line."""
        values = [f"{value.name} = {value.text}" for value in self.values]
        shared = [] if self.shared == "0" else [f"{self.shared} bytes of shared memory"]
        arguments = ", ".join(f"{value.name} = {value.text}" for value in self.template if value.text)
        entry = f"{self.entry}<{arguments}>" if arguments else self.entry
        launch = f"grid {self.grid}, block {self.block}"
        return ", ".join([entry, *self.defines.split(), launch, *shared, *values])
