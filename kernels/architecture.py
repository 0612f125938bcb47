"""Architecture of a launch: the GPU that a source is read for, by the macros that its compiler defines.

A source may hold other code for other GPUs (`#if __CUDA_ARCH__ >= 900`, `#ifdef __CUDA_ARCH_FEAT_SM90_ALL`). The
architecture is a macro of the launch like those of `-D`, and travels with them: through the frontend into the trace and
its file. A launch without such a macro, as in older files, is of sm_80.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

Names = tuple[tuple[str, str], ...]
"""Macros: name and value."""

_VALUE: Final = "__CUDA_ARCH__"

_SPECIFIC: Final = ("__CUDA_ARCH_SPECIFIC__", "__CUDA_ARCH_FAMILY_SPECIFIC__")

_NAME: Final = re.compile(r"sm_(\d{2,3})(a?)")

_OLDEST: Final = 70
"""Volta: the first architecture whose threads of a warp are scheduled independently, as the simulator's are."""

_OWN_FEATURES: Final = {"sm_90": "sm_90a"}
"""Architectures whose own instructions, such as setmaxnreg, the compiler takes only by another name. Code is compiled
for the device that runs it, so that it need not run on a later one (CUDA C++ Programming Guide, "Feature Set Compiler
Targets")."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """An architecture by the compiler's name, such as sm_80 or sm_90a."""

    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the architecture of that name; raises InputError for another text."""
        found = _NAME.fullmatch(text.strip())
        if found is None or int(found[1]) < _OLDEST or (found[2] and int(found[1]) < 90):
            raise InputError(f"no architecture '{text}': write sm_80, sm_90a or another from sm_{_OLDEST} on")
        return cls(found[0])

    @classmethod
    def of_gpu(cls, arch: str) -> Self:
        """Return what is compiled for a GPU of compute capability 9.0, given as sm_90: sm_90a."""
        return cls(compiler_target(arch))

    @classmethod
    def of_macros(cls, macros: Iterable[tuple[str, str]]) -> Self:
        """Return the architecture among the macros of a launch; sm_80 if none is."""
        values = dict(macros)
        number = values.get(_VALUE, "800")[:-1]
        return cls(f"sm_{number}{'a' * (_feature(number) in values)}")

    @property
    def value(self) -> int:
        """Value of `__CUDA_ARCH__`, such as 900."""
        return int(f"{self._number}0")

    @property
    def macros(self) -> Names:
        """The macros that differ from those of sm_80.

        CUDA C++ Programming Guide, "Feature Set Compiler Targets": `__CUDA_ARCH_FEAT_SM90_ALL` is defined for sm_90a.
        The other two are those that NVRTC 13.0 defines there.
        """
        if self.name == DEFAULT:
            return ()
        value = str(self.value)
        own = ((_feature(self._number), "1"), *((name, value) for name in _SPECIFIC)) if self.name[-1] == "a" else ()
        return ((_VALUE, value), *own)

    def among(self, macros: Iterable[tuple[str, str]]) -> Names:
        """Return the macros of a launch with those of this architecture instead of any other's."""
        own = set(dict(Architecture.of_macros(macros := tuple(macros)).macros)) | {_VALUE}
        return (*(pair for pair in macros if pair[0] not in own), *self.macros)

    def __str__(self) -> str:
        return self.name

    @property
    def _number(self) -> str:
        return self.name.removeprefix("sm_").rstrip("a")


DEFAULT: Final = "sm_80"

SM_80: Final = Architecture(DEFAULT)
"""The architecture of a launch that names none: the frontend's own macros are those of sm_80."""


def compiler_target(arch: str) -> str:
    """Return the name by which the compiler is asked for an architecture: sm_90a for sm_90."""
    return _OWN_FEATURES.get(arch, arch)


def _feature(number: str) -> str:
    return f"__CUDA_ARCH_FEAT_SM{number}_ALL"
