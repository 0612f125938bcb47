"""A `.cu` file that does not say how it is launched: what has to be asked, a first proposal, and the run. No Qt."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from gui.explore.gate import check_threads
from gui.launched import Launched, Wanted
from gui.recording import Recording
from kernels.catalog import read_source
from kernels.cli.arguments import TYPES, check_complete, parse_arguments
from kernels.errors import InputError
from kernels.launch import Dim3, Launch
from kernels.simt import Options, choose_kernel
from kernels.simt.structs import leaves
from kernels.source import parse
from kernels.source.types import FunctionPointer, Pointer, Scalar, Struct
from kernels.tracing import trace_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kernels.source.nodes import Function
    from kernels.source.types import CType

_DYNAMIC: Final = re.compile(r"\bextern\s+__shared__\b")
_SHARED_BYTES: Final = "1024"
_SECOND_DIMENSION: Final = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*y\b")


def proposals(file: Path) -> tuple[Launched, ...]:
    """Return for each kernel of a file a launch that is worth trying: small, one thread for each element.

    Raises
    ------
    InputError, SourceError
        When the file has no kernel that can be launched without more being said.
    """
    text = read_source(file)
    program = parse(text, file.name, (), file.parent)
    if not program.kernels and program.unread:
        raise program.unread[0][1]
    if not program.kernels:
        templates = any(template.kernel for template in program.templates)
        what = (
            "only template kernels: 'tilescope trace … --template … --out run.trace' runs one"
            if templates
            else ("no __global__ function to launch")
        )
        raise InputError(f"{file}: has {what}")
    return tuple(_proposal(file, text, function) for function in program.kernels)


def perform(launched: Launched, options: Options) -> Recording:
    """Run it; slow, away from the window's thread.

    Raises
    ------
    TilescopeError
        When the launch, a value or the source is refused.
    """
    if not launched.shared.isdecimal():
        raise InputError(
            f"dynamic shared memory '{launched.shared}' cannot be: give a number of bytes, 0 for none"
        )
    launch = Launch(Dim3.parse(launched.grid), Dim3.parse(launched.block), int(launched.shared))
    check_threads(launch.thread_count)
    arguments = parse_arguments(f"{value.name}={value.text}" for value in launched.wanted)
    program = parse(launched.text, launched.file.name, (), launched.file.parent)
    function = choose_kernel(program, launched.entry)
    check_complete(function, arguments, program.file)
    return Recording(
        launched.file, trace_program(program, launched.entry, launch, arguments, {}, options), None
    )


def _proposal(file: Path, text: str, function: Function) -> Launched:
    lines = text.split("\n")[function.body.span.line - 1 : function.body.span.end_line]
    body = "\n".join([lines[0][function.body.span.column - 1 :], *lines[1:]])
    flat = not _SECOND_DIMENSION.search(body)
    grid, block, shape = ("2", "32", (64,)) if flat else ("2,2", "4,4", (8, 8))
    wanted = tuple(
        w for p in function.parameters for w in _values(p.name, p.type, shape, _fill(p.name, body))
    )
    shared = _SHARED_BYTES if _DYNAMIC.search(text) else "0"
    return Launched(file, text, function.name, grid, block, wanted, shared)


def _fill(name: str, body: str) -> str:
    """Return what an array holds: nothing where the kernel does nothing but store into it, else numbers to be read."""
    mentioned = len(re.findall(rf"\b{re.escape(name)}\b", body))
    stored = len(re.findall(rf"\b{re.escape(name)}\s*\[[^\]]*\]\s*=[^=]", body))
    return "uninit" if 0 < mentioned == stored else "iota"


def _values(name: str, kind: CType, shape: tuple[int, ...], fill: str) -> Iterator[Wanted]:
    """Yield what a parameter needs; of a struct each member."""
    if isinstance(kind, Struct):
        for member in kind.fields:
            yield from _values(f"{name}.{member.name}", member.type, shape, fill)
    else:
        yield Wanted(name, str(kind), _value(kind, shape, fill))


def _value(kind: CType, shape: tuple[int, ...], fill: str) -> str:
    if isinstance(kind, FunctionPointer):
        return ""
    if isinstance(kind, Scalar):
        return {"f": "1.0", "b": "true"}.get(kind.dtype.kind, str(shape[0]))
    if isinstance(kind, Pointer) and isinstance(kind.to, Pointer):
        return f"f32[4,{shape[0]}]:{fill}"
    whole = kind.to if isinstance(kind, Pointer) else kind
    numbers = [leaf.type for leaf in leaves(whole) if isinstance(leaf.type, Scalar)]
    if not isinstance(kind, Pointer):
        shape = (len(numbers),) if numbers else shape
    elif len(numbers) > 1:
        shape = (math.prod(shape), len(numbers))
    return f"{_letters(numbers)}[{','.join(map(str, shape))}]:{fill}"


def _letters(numbers: list[Scalar]) -> str:
    return next((word for word, name in TYPES.items() if numbers and numbers[0].dtype == name), "f32")
