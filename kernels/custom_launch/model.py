"""Launch of a kernel with the user's values, for a file without a tilescope comment. Imports no Qt, no simulator."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Self

from kernels.errors import InputError


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
    """Name of the kernel; "" for the only one, in a launch that is not prepared yet."""
    grid: str
    block: str
    values: tuple[LaunchValue, ...]
    shared: str = "0"
    """Bytes of the `extern __shared__` arrays."""
    template: tuple[LaunchValue, ...] = ()
    """Template arguments; an empty text leaves the default."""
    defines: str = ""
    """Macros, as in `TILE=16 DEBUG`; one with a space is quoted as for a shell."""
    search: tuple[str, ...] = ()
    """Folders of included files, besides the file's own."""
    arch: str = ""
    """The GPU whose code is run, such as sm_90a; "" for the one that the caller names."""
    proposed: bool = field(default=False, compare=False)
    """Whether tilescope has chosen all the values."""
    kernel: None = None
    """No kernel of the catalogue, in contrast to a `Recording` of one."""

    def has_same_parameters(self, other: CustomLaunch) -> bool:
        """Return whether this is a launch of the same kernel, with values for the same names."""
        mine, others = ([value.name for value in (*launch.template, *launch.values)] for launch in (self, other))
        return (self.file, self.entry, mine) == (other.file, other.entry, others)

    @property
    def settings(self) -> str:
        """All but file and text, as JSON: a text that identifies the launch."""
        values, template = ([[v.name, v.kind, v.text] for v in each] for each in (self.values, self.template))
        fields = {"grid": self.grid, "block": self.block, "shared": self.shared, "defines": self.defines}
        search = {"search": self.search} if self.search else {}
        arch = {"arch": self.arch} if self.arch else {}
        return json.dumps({"entry": self.entry, **fields, **search, **arch, "template": template, "values": values})

    @classmethod
    def of_settings(cls, file: Path, text: str, settings: str) -> Self:
        """Return the launch of a file with the text of `settings`.

        Raises
        ------
        InputError
            When that is another text.
        """
        try:
            fields = json.loads(settings)
            entry, grid, block, shared, defines = (
                str(fields[name]) for name in ("entry", "grid", "block", "shared", "defines")
            )
            values, template = (
                tuple(LaunchValue(str(name), str(kind), str(value)) for name, kind, value in fields[key])
                for key in ("values", "template")
            )
            search = tuple(str(folder) for folder in fields.get("search", ()))
            arch = str(fields.get("arch", ""))
            return cls(file, text, entry, grid, block, values, shared, template, defines, search, arch)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{file}: these are not the settings of a launch: {settings[:80]}") from error

    @property
    def words(self) -> str:
        """Kernel, launch and values in one line."""
        values = [f"{value.name} = {value.text}" for value in self.values]
        shared = [] if self.shared == "0" else [f"{self.shared} bytes of shared memory"]
        arguments = ", ".join(f"{value.name} = {value.text}" for value in self.template if value.text)
        entry = f"{self.entry}<{arguments}>" if arguments else self.entry
        launch = f"grid {self.grid}, block {self.block}"
        return ", ".join([entry, *filter(None, (self.defines, self.arch)), launch, *shared, *values])


@lru_cache(maxsize=1024)
def short_words(settings: str) -> str:
    """Return `scale<<<2, (8,8)>>>` for the text of `CustomLaunch.settings`; the text itself if it is another one."""
    try:
        launch = CustomLaunch.of_settings(Path(), "", settings)
    except InputError:
        return settings
    grid, block = (f"({text})" if "," in text else text for text in (launch.grid, launch.block))
    return f"{launch.entry}<<<{grid}, {block}>>>"
