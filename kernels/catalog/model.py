"""An entry of the catalogue: its workload, its launch rule, and the options of this variant."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

from kernels.architecture import Architecture
from kernels.errors import InputError, LaunchError
from kernels.frontend import evaluate, parse_expression
from kernels.launch import Dim3, Launch
from kernels.reference import FLOAT32
from kernels.tensor_map import TensorMap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kernels.catalog.block_rules import BlockRule
    from kernels.reference import Tolerance
    from kernels.workload import Size, Workload

RunsOn = Literal["cuda", "cpu", "library"]
Memory = Literal["device", "managed"]
Order = Literal["lockstep", "warps", "reversed"]

C_AS_KERNEL: Final = (("omp_get_num_threads()", "blockDim.x"), ("omp_get_thread_num()", "threadIdx.x"))
"""Macros with which the simulator runs a C function of OpenMP as a kernel: its workers are the threads of one block."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of an option."""

    word: str
    """Name on the command line."""
    define: Mapping[str, str]
    """The macros that it adds, as C expressions."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a kernel; the first choice is the default."""

    name: str
    title: str
    choices: tuple[Choice, ...]

    def find(self, word: str) -> Choice | None:
        """Return a choice by its word, the default for an empty word; None for an unknown one."""
        return next((c for c in self.choices if word in ("", c.word)), None)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One entry: a CUDA source, a CPU baseline or a library routine."""

    id: str
    title: str
    teaches: str
    """One sentence."""
    workload: Workload
    order: int
    """Position in teaching order."""
    runs_on: RunsOn
    size: Size
    """The size that it opens with."""
    block: Dim3 = Dim3()
    """The block that it opens with."""
    blocks: tuple[Dim3, ...] = ()
    """Blocks worth measuring."""
    block_rules: tuple[BlockRule, ...] = ()
    """A table that chooses the block by GPU and size, so that the kernel is one curve; empty for most kernels."""
    file: Path | None = None
    entry: str = ""
    """Name of the `__global__` function; of the function in C if it runs on the CPU."""
    grid: tuple[str, ...] = ()
    """Blocks in x, y and z, as C expressions."""
    define: Mapping[str, str] = field(default_factory=dict)
    """Macros, as C expressions."""
    require: tuple[tuple[str, str], ...] = ()
    """Conditions of its launch, as C expressions, each with what would work."""
    dynamic_shared: str = "0"
    """Bytes, as a C expression."""
    threaded: bool = False
    """Whether the number of its CPU threads can be chosen."""
    flaw: str = ""
    """The intended mistake of a lesson, in one sentence."""
    schedule: Order = "lockstep"
    """Order of warps and blocks that it opens with, as `kernels.simt.Options` has it: one in which a lesson fails."""
    clear: tuple[str, ...] = ()
    """Outputs that hold zeros before a launch."""
    constant: Mapping[str, str] = field(default_factory=dict)
    """`__constant__` variables, with their values as C expressions."""
    tensor_maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By parameter: the array, and columns, rows and swizzle of its tiles as C expressions."""
    memory: Memory = "device"
    """Memory of its arrays."""
    tolerance: Tolerance = FLOAT32
    """Bound of its error."""
    least_architecture: str = ""
    """The oldest architecture whose code computes the result, such as sm_80; "" if all do."""
    suggest: str = ""
    """Shape of the block that occupancy can choose: "square", or "" for none."""
    options: tuple[Option, ...] = ()
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Choices other than the defaults; they are part of the id."""
    sm_count: int = 132
    """SMs of the GPU that runs it, for launches whose blocks share the work of a wave; those of an H100 or H200."""
    source: str = field(default="", repr=False)
    """Text of `file` as it was read; what happens to the file later does not change the kernel."""

    @property
    def text(self) -> str:
        """The source as written; raises InputError for a kernel without one."""
        if self.file is None:
            raise InputError(f"{self.id} has no CUDA source: it runs on {self.runs_on}")
        return self.source

    @property
    def measurable(self) -> bool:
        """Return whether the kernel has a rate in GFLOPS."""
        return self.workload.flops(self.size) > 0 and not self.flaw

    @property
    def base(self) -> str:
        """The id without options: that of the file."""
        return self.id.removesuffix(self.suffix)

    @property
    def suffix(self) -> str:
        """Suffix of a name for its options: ``:x=column``, empty when all are at their defaults."""
        words = ",".join(f"{name}={word}" for name, word in self.chosen.items())
        return f":{words}" if words else ""

    def choose(self, **choices: str) -> Kernel:
        """Return the variant with these choices; other options stay as they are.

        Raises
        ------
        InputError
            For an option or a choice that the kernel does not have.
        """
        known = {option.name: option for option in self.options}
        for name, word in choices.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise InputError(f"{self.base} has no option '{name}': its options are {names}")
            if not word or known[name].find(word) is None:
                allowed = " or ".join(choice.word for choice in known[name].choices)
                raise InputError(f"{self.base}: {name} is {allowed}, not '{word}'")
        words = {**self.chosen, **choices}
        chosen = {o.name: words[o.name] for o in self.options if words.get(o.name) not in (None, o.choices[0].word)}
        plain = replace(self, id=self.base, chosen=chosen)
        return replace(plain, id=self.base + plain.suffix)

    def variants(self) -> tuple[Kernel, ...]:
        """Every combination of options, the defaults first; the kernel alone where it has none."""
        if not self.options:
            return (self,)
        words = [[(o.name, c.word) for c in o.choices] for o in self.options]
        return tuple(self.choose(**dict(pairs)) for pairs in product(*words))

    def on(self, sm_count: int) -> Kernel:
        """Return the kernel as a GPU with this number of SMs runs it."""
        return replace(self, sm_count=sm_count)

    def architecture_for(self, architecture: Architecture) -> Architecture:
        """Return the architecture whose code is shown on a device: its own, or the oldest that computes the result."""
        least = Architecture.parse(self.least_architecture) if self.least_architecture else architecture
        return max(architecture, least, key=lambda each: each.value)

    def chosen_rule(self, size: Size, arch: str) -> BlockRule | None:
        """Return the row of the kernel's table for a size and an architecture; None without a table.

        Raises
        ------
        LaunchError
            When no row applies.
        """
        scalars = self.workload.scalars(self.workload.fit(size))
        found = next((rule for rule in self.block_rules if rule.applies(arch, scalars)), None)
        if self.block_rules and found is None:
            raise self._refused(f"has no block for size {size} on {arch}: choose a block")
        return found

    def launch(self, size: Size, block: Dim3) -> Launch:
        """Apply the launch rule.

        Raises
        ------
        LaunchError
            When a requirement of the kernel does not hold.
        """
        reason = self.unmet_requirement(size, block)
        if reason:
            raise self._refused(f"cannot run with block {block}: {reason}")
        names = self._launch_names(size, block)
        grid = Dim3.of([int(evaluate(parse_expression(text), names)) for text in self.grid])
        return Launch(grid, block, self.dynamic_shared_bytes(size, block))

    def unmet_requirement(self, size: Size, block: Dim3) -> str:
        """Return what would work, of the first requirement that does not hold; empty if all hold."""
        names = self._launch_names(size, block)
        unmet = (why for condition, why in self.require if not evaluate(parse_expression(condition), names))
        return next(unmet, "")

    def _refused(self, why: str) -> LaunchError:
        return LaunchError(f"{self.id} {why}", f"“{self.title}” {why}")

    def dynamic_shared_bytes(self, size: Size, block: Dim3) -> int:
        """Bytes of dynamic shared memory for a block, whether the kernel can be launched with it or not."""
        return int(evaluate(parse_expression(self.dynamic_shared), self._launch_names(size, block)))

    def defines(self, size: Size, block: Dim3) -> tuple[tuple[str, str], ...]:
        """Macros for the compiler and for the simulator, in a fixed order."""
        values = tuple((name, str(value)) for name, value in self._values(self._macros(), size, block).items())
        return (*values, *C_AS_KERNEL, (self.entry, f"__global__ {self.entry}")) if self.runs_on == "cpu" else values

    def constants(self, size: Size, block: Dim3) -> dict[str, int]:
        """Values that its `__constant__` variables, which are ints, get before the launch."""
        return self._values(self.constant, size, block)

    def maps(self, size: Size, block: Dim3) -> dict[str, TensorMap]:
        """Tensor maps that are passed to its parameters."""
        names = self._launch_names(size, block)
        found = {}
        for name, fields in self.tensor_maps.items():
            columns, rows, swizzle = (
                int(evaluate(parse_expression(fields[each]), names)) for each in ("columns", "rows", "swizzle")
            )
            found[name] = TensorMap(fields["array"], columns, rows, swizzle)
        return found

    def _macros(self) -> dict[str, str]:
        """Return the macros of the kernel and of its chosen options, as C expressions."""
        macros = dict(self.define)
        for option in self.options:
            choice = option.find(self.chosen.get(option.name, ""))
            macros |= choice.define if choice else {}
        return macros

    def _values(self, expressions: Mapping[str, str], size: Size, block: Dim3) -> dict[str, int]:
        return _evaluated(expressions, self.names(size, block))

    def _launch_names(self, size: Size, block: Dim3) -> dict[str, int]:
        """Return the names that the expressions of a launch may use: the macros of `define` and of options, too."""
        names = self.names(size, block)
        return _evaluated(self._macros(), names) | names

    def names(self, size: Size, block: Dim3) -> dict[str, int]:
        """Return the values of the names that the kernel's expressions may use."""
        fitted = self.workload.fit(size)
        threads = {"block_x": block.x, "block_y": block.y, "block_z": block.z}
        return threads | {"sms": self.sm_count} | self.workload.scalars(fitted)


def _evaluated(expressions: Mapping[str, str], names: Mapping[str, int]) -> dict[str, int]:
    """Return the values of C expressions, by name."""
    return {name: int(evaluate(parse_expression(text), names)) for name, text in sorted(expressions.items())}
