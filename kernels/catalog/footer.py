"""The launch rule of a `.cu` file: a TOML comment at its end.

That comment opens with the word `tilescope` and holds TOML:

    title, teaches   texts for people
    workload         which problem it solves (`kernels.workload`); its parameters are bound by name
    order            place in teaching order
    schedule         the order of warps and blocks to open with: "lockstep" (the default), "warps" or "reversed"
    size, block      the problem and block to open with: [M, N, K], or [n] for all three, and [x, y, z]; without a size
                     that of the workload
    blocks           block sizes worth measuring
    block_rules      the file beside it that chooses one of them by GPU and size (`kernels.catalog.block_rules`)
    grid             blocks in x, y, z, as C expressions
    define           macros handed to the compiler, as C expressions
    require          [condition, why and what would work], conditions as C expressions
    dynamic_shared   bytes, a C expression
    entry            the __global__ function; by default the one with the file's name, or the only one. On the CPU
                     a function in C, by default the one with the file's name
    flaw             the intended mistake of a lesson, in one sentence
    clear            outputs that hold zeros before a launch
    constant         `__constant__` ints set before a launch, as C expressions
    tensor_map.NAME  array, and columns, rows and swizzle (bytes, 0 by default) of its tiles, as C expressions: the
                     parameter NAME is a map that the host encodes
    memory           "device" or "managed": the memory of its arrays
    roundings        float roundings that a product may add to the bound of the error, for one of other numbers
    by_norm          true when the error is bounded by the largest inputs, not by those that an element is a sum of
    least            the oldest architecture whose code computes the result, such as "sm_80"; without it all do
    suggest          "square" when occupancy can choose the side of its block
    runs_on          "cpu" for the picture of a baseline that `kernels.cpu` runs
    threaded         true when the number of CPU threads can be chosen: the picture's block is the threads
    option.NAME      title, and choices = { WORD = { MACRO = "C expression" }, … }; the first is the default

Expressions may use block_x, block_y, block_z, sms (the GPU's SMs) and the workload's scalars (M, N, K or n), those of
grid, require and dynamic_shared the macros of define and of options as well.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final, get_args

from kernels.architecture import Architecture
from kernels.catalog.block_rules import read_block_rules
from kernels.catalog.model import Choice, Kernel, Memory, Option, Order, RunsOn
from kernels.errors import InputError
from kernels.files import reason_of
from kernels.launch import Dim3
from kernels.reference import Tolerance
from kernels.workload import WORKLOADS, Size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kernels.workload import Workload

FOOTER: Final = "/* tilescope"
"""Beginning of that comment."""

_MOST_CHARACTERS: Final = 10_000_000
"""Longest source that is read: the window reads a file again whenever it changes."""

_NO_CODE: Final = re.compile(r"//[^\n]*|/\*.*?\*/|__launch_bounds__\s*\([^)]*\)", re.DOTALL)
_GLOBAL: Final = re.compile(r"__global__[^;{(]*?(\w+)\s*\(")


def read_kernel(file: Path) -> Kernel:
    """Read one `.cu` file and its last comment.

    Raises
    ------
    InputError
        When the file cannot be read, has no such comment, or a field is missing or of the wrong kind.
    """
    return kernel_of(file, _read_text(file, "strict"))


def read_source(file: Path) -> str:
    """Read any CUDA source; raises InputError when it cannot be read, or is not text."""
    text = _read_text(file, "replace")  # old files have other letters in comments
    if "\0" in text:
        raise InputError(f"{file}: is no text file, or not in UTF-8: give a CUDA source, saved as UTF-8")
    return text


def _read_text(file: Path, errors: str) -> str:
    try:
        with file.open(encoding="utf-8", errors=errors) as source:
            text = source.read(_MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from error
    if len(text) > _MOST_CHARACTERS:
        raise InputError(f"{file}: is too long for a CUDA source: it may have {_MOST_CHARACTERS:,} characters")
    return text


def kernel_files(kernel: Kernel) -> tuple[Path, ...]:
    """Return the files of a kernel, its source first; its table of blocks is another one."""
    if kernel.file is None:
        return ()
    _, _, footer = kernel.text.rpartition(FOOTER)
    # Parsing takes half a millisecond, and a run hashes the files of every kernel: look for the word first.
    table = tomllib.loads(footer.partition("*/")[0]).get("block_rules") if "block_rules" in footer else None
    return (kernel.file, kernel.file.with_name(str(table))) if table else (kernel.file,)


def says_launch(file: Path) -> bool:
    """Return whether a source has a tilescope comment; raises InputError when it cannot be read."""
    return FOOTER in read_source(file)


def kernel_of(file: Path, text: str, *, with_block_rules: bool = True) -> Kernel:
    """Read the tilescope comment of a source's text; raises InputError as `read_kernel`.

    Its table of blocks is another file, which a recording of the source does not need, and may not have.
    """
    _, found, footer = text.rpartition(FOOTER)
    if not found:
        raise InputError(
            f"{file}: ends without a '{FOOTER} … */' comment that says how to launch it; "
            "README.md has one to copy, kernels/cuda examples. Without it, 'tilescope trace FILE.cu --grid … --block … "
            "--arg … --out run.trace' runs any kernel, and the window opens run.trace"
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
            order=_whole("order", data.get("order", 1000)),
            runs_on=_word("runs_on", data.get("runs_on", "cuda"), get_args(RunsOn)),  # type: ignore[arg-type]
            size=_size(data["size"]) if "size" in data else WORKLOADS[str(data["workload"])].size,
            block=Dim3(*_numbers("block", data["block"])),
            blocks=tuple(Dim3(*_numbers("blocks", block)) for block in data["blocks"]),
            block_rules=read_block_rules(file.with_name(str(data["block_rules"])))
            if with_block_rules and "block_rules" in data
            else (),
            file=file,
            entry=str(data.get("entry") or (file.stem if data.get("runs_on") == "cpu" else _entry(file.stem, text))),
            grid=_expressions("grid", data["grid"]),
            define=_strings(data.get("define", {})),
            require=tuple((str(c), str(why)) for c, why in data.get("require", [])),
            dynamic_shared=str(data.get("dynamic_shared", "0")),
            threaded=bool(data.get("threaded", False)),
            flaw=str(data.get("flaw", "")),
            schedule=_word("schedule", data.get("schedule", "lockstep"), get_args(Order)),  # type: ignore[arg-type]
            clear=_outputs(WORKLOADS[str(data["workload"])], data.get("clear", [])),
            constant=_strings(data.get("constant", {})),
            tensor_maps={name: _tensor_map(name, table) for name, table in data.get("tensor_map", {}).items()},
            memory=_word("memory", data.get("memory", "device"), get_args(Memory)),  # type: ignore[arg-type]
            tolerance=Tolerance(_whole("roundings", data.get("roundings", 0)), bool(data.get("by_norm", False))),
            least_architecture=str(Architecture.parse(data["least"])) if "least" in data else "",
            suggest=_word("suggest", data.get("suggest", ""), ("", "square")),
            options=tuple(_option(name, table) for name, table in data.get("option", {}).items()),
            source=text,
        )
    except KeyError as error:
        raise InputError(f"{file}: its tilescope comment lacks {error}") from error
    except (AttributeError, TypeError, ValueError) as error:
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


def _outputs(workload: Workload, names: object) -> tuple[str, ...]:
    known = [spec.name for spec in workload.arrays(Size(1, 1, 1)) if spec.output]
    if not isinstance(names, list) or not set(names) <= set(known):
        raise ValueError(f"clear lists outputs in [ ]: workload {workload.id} has {', '.join(known) or 'none'}")
    return tuple(names)


def _option(name: str, table: Mapping[str, Any]) -> Option:
    choices = tuple(Choice(word, _strings(define)) for word, define in table["choices"].items())
    if not choices:
        raise ValueError(f"option.{name} has no choices")
    return Option(name, str(table["title"]), choices)


def _tensor_map(name: str, table: Mapping[str, object]) -> dict[str, str]:
    known = ("array", "columns", "rows", "swizzle")
    if not {"array", "columns", "rows"} <= set(table) <= set(known):
        raise ValueError(f"tensor_map.{name} has the fields {', '.join(known)}")
    return {"swizzle": "0", **_strings(table)}


def _strings(table: Mapping[str, object]) -> dict[str, str]:
    return {str(name): str(value) for name, value in dict(table).items()}


def _word(name: str, value: object, words: tuple[str, ...]) -> str:
    if value not in words:
        raise ValueError(f"{name} is one of {', '.join(word for word in words if word)}, not '{value}'")
    return str(value)


def _whole(name: str, value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"{name} must be a whole number (it is {value})")
    return value


def _numbers(name: str, values: object) -> list[int]:
    if not isinstance(values, list) or not 1 <= len(values) <= 3:
        raise ValueError(f"{name} must be one to three numbers in [ ]")
    if not all(type(value) is int and value > 0 for value in values):
        raise ValueError(f"{name} must be whole numbers from 1 up")
    return values


def _size(values: object) -> Size:
    numbers = _numbers("size", values)
    if len(numbers) == 2:
        raise ValueError("size must be n, or M, N and K, in [ ]")
    return Size(*(numbers * 3 if len(numbers) == 1 else numbers))


def _expressions(name: str, values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not 1 <= len(values) <= 3:
        raise ValueError(f"{name} must be one to three C expressions in [ ]")
    return tuple(str(value) for value in values)
