"""What kernels there are. A CUDA kernel is one `.cu` file: its last comment says how it is launched.

That comment opens with the word `tilescope` and holds TOML:

    title, teaches   words for people
    workload         which problem it solves (`kernels.workload`); its parameters are bound by name
    order            place in teaching order
    size, block      what opens first: [M, N, K] and [x, y, z]
    blocks           block sizes worth measuring
    grid             blocks in x, y, z, as C expressions
    define           macros handed to the compiler, as C expressions
    require          [condition, why and what would work], conditions as C expressions
    dynamic_shared   bytes, a C expression
    entry            the __global__ function; the one of the file's name, or the only one, unless given

Expressions may use block_x, block_y, block_z and the workload's scalars (M, N, K or n).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from kernels import CUDA_FOLDER
from kernels.errors import InputError, LaunchError
from kernels.launch import Dim3, Launch
from kernels.source import evaluate, parse_expression
from kernels.workload import WORKLOADS, Size, Workload

if TYPE_CHECKING:
    from collections.abc import Mapping

RunsOn = Literal["cuda", "cpu", "library"]

_FOOTER: Final = "/* tilescope"
_NO_CODE: Final = re.compile(r"//[^\n]*|/\*.*?\*/|__launch_bounds__\s*\([^)]*\)", re.DOTALL)
_GLOBAL: Final = re.compile(r"__global__[^;{(]*?(\w+)\s*\(")


@dataclass(frozen=True, slots=True)
class Kernel:
    """One entry: a CUDA source, a CPU baseline or a library routine.

    `threaded` says that its number of CPU threads can be chosen.
    """

    id: str
    title: str
    teaches: str
    workload: Workload
    order: int
    runs_on: RunsOn
    size: Size
    block: Dim3 = Dim3()
    blocks: tuple[Dim3, ...] = ()
    file: Path | None = None
    entry: str = ""
    grid: tuple[str, ...] = ()
    define: Mapping[str, str] = field(default_factory=dict)
    require: tuple[tuple[str, str], ...] = ()
    dynamic_shared: str = "0"
    threaded: bool = False

    @property
    def text(self) -> str:
        """The source as written."""
        if self.file is None:
            raise InputError(f"{self.id} has no CUDA source: it runs on {self.runs_on}")
        return self.file.read_text(encoding="utf-8")

    @property
    def measurable(self) -> bool:
        """Whether a rate in GFLOPS means something."""
        return self.workload.flops(self.size) > 0

    def launch(self, size: Size, block: Dim3) -> Launch:
        """Apply the launch rule.

        Raises
        ------
        LaunchError
            When a requirement of the kernel does not hold.
        """
        names = self._names(size, block)
        for condition, reason in self.require:
            if not evaluate(parse_expression(condition), names):
                raise LaunchError(f"{self.id} cannot run with block {block}: {reason}")
        grid = Dim3.of([int(evaluate(parse_expression(text), names)) for text in self.grid])
        return Launch(grid, block, int(evaluate(parse_expression(self.dynamic_shared), names)))

    def defines(self, size: Size, block: Dim3) -> tuple[tuple[str, str], ...]:
        """Macros for the compiler and for the simulator, in a fixed order."""
        names = self._names(size, block)
        return tuple(
            (name, str(int(evaluate(parse_expression(text), names))))
            for name, text in sorted(self.define.items())
        )

    def _names(self, size: Size, block: Dim3) -> dict[str, int]:
        fitted = self.workload.fit(size)
        return {
            "block_x": block.x, "block_y": block.y, "block_z": block.z, **self.workload.scalars(fitted),
        }  # fmt: skip


def read_kernel(file: Path) -> Kernel:
    """Read one `.cu` file and its last comment.

    Raises
    ------
    InputError
        When the file cannot be read, has no such comment, or a field is missing or of the wrong kind.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error
    _, found, footer = text.rpartition(_FOOTER)
    if not found:
        raise InputError(
            f"{file}: ends without a '{_FOOTER} … */' comment that says how to launch it; "
            "see kernels/cuda for examples, or use 'tilescope trace FILE.cu --grid … --block …'"
        )
    try:
        data: dict[str, Any] = tomllib.loads(footer.partition("*/")[0])
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: its tilescope comment is not TOML: {error}") from error
    if str(data.get("workload")) not in WORKLOADS:
        raise InputError(f"{file}: workload must be one of {', '.join(WORKLOADS)}")
    try:
        return Kernel(
            id=file.stem,
            title=str(data["title"]),
            teaches=str(data["teaches"]),
            workload=WORKLOADS[str(data["workload"])],
            order=int(data.get("order", 1000)),
            runs_on="cuda",
            size=Size(*_numbers("size", data["size"])),
            block=Dim3(*_numbers("block", data["block"])),
            blocks=tuple(Dim3(*_numbers("blocks", block)) for block in data["blocks"]),
            file=file,
            entry=str(data.get("entry") or _entry(file.stem, text)),
            grid=_expressions("grid", data["grid"]),
            define={str(k): str(v) for k, v in dict(data.get("define", {})).items()},
            require=tuple((str(c), str(why)) for c, why in data.get("require", [])),
            dynamic_shared=str(data.get("dynamic_shared", "0")),
        )
    except KeyError as error:
        raise InputError(f"{file}: its tilescope comment lacks {error}") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"{file}: its tilescope comment is wrong: {error}") from error


def _entry(stem: str, text: str) -> str:
    """Return the kernel to launch where the comment names none."""
    names = _GLOBAL.findall(_NO_CODE.sub(" ", text))
    if stem in names:
        return stem
    if len(names) != 1:
        which = f"is one of {', '.join(names)}" if names else "is missing"
        raise ValueError(f'say entry = "NAME": the __global__ function {which}')
    return str(names[0])


def _numbers(name: str, values: object) -> list[int]:
    if not isinstance(values, list) or not 1 <= len(values) <= 3:
        raise ValueError(f"{name} must be one to three numbers in [ ]")
    if not all(type(value) is int and value > 0 for value in values):
        raise ValueError(f"{name} must be whole numbers from 1 up")
    return values


def _expressions(name: str, values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not 1 <= len(values) <= 3:
        raise ValueError(f"{name} must be one to three C expressions in [ ]")
    return tuple(str(value) for value in values)


@cache
def catalog() -> tuple[Kernel, ...]:
    """Every kernel that comes with tilescope, in teaching order."""
    from kernels.cpu import BASELINES
    from kernels.gpu.library import ROUTINES

    cuda = [read_kernel(file) for file in sorted(CUDA_FOLDER.glob("*.cu"))]
    plain = [
        Kernel(
            id=b.id, title=b.title, teaches=b.teaches, workload=WORKLOADS[b.workload], order=b.order,
            runs_on=b.runs_on, size=Size(256, 256, 256), threaded=b.threaded,
        )
        for b in (*BASELINES, *ROUTINES)
    ]  # fmt: skip
    return tuple(sorted((*cuda, *plain), key=lambda kernel: (kernel.order, kernel.id)))


def find_kernel(name: str) -> Kernel:
    """Return the catalogue's kernel of that id, or read the `.cu` file of that path.

    Raises
    ------
    InputError
        When there is neither; the message lists the ids.
    """
    for kernel in catalog():
        if kernel.id == name:
            return kernel
    if name.endswith(".cu"):
        return read_kernel(Path(name))
    raise InputError(f"no kernel '{name}': choose one of {', '.join(k.id for k in catalog())}, or a .cu file")
