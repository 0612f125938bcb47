"""Saved traces with one thing wrong in each: columns, tables and words that no run has written.

A mutant is made on the level of the file: the JSON part is walked field by field, each array is replaced by ones of
another type, length, shape or content. Most of them contradict themselves; some are strange but sound.
"""

from __future__ import annotations

import copy
import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.arguments import parse_arguments
from kernels.frontend import parse_with_instances
from kernels.launch import Dim3, Launch
from kernels.simt import Options
from kernels.trace.file import HEADER, save
from kernels.tracing import trace_program
from tests.cases import Cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from kernels.trace import Trace

CASES = Cases(__file__)


PRINTING: Final = """#include "half.cuh"
__constant__ float scale[2];
__global__ void printing(const float *x, unsigned char *y, double *total, int n, float f, bool up)
{
    __shared__ int s[4];
    short own[3];
    own[threadIdx.x % 3] = threadIdx.x;
    printf("%d of %d\\n", threadIdx.x, n);
    y[threadIdx.x + n] = half_of(x[threadIdx.x]) * f + s[threadIdx.x % 4] + own[threadIdx.x % 3];
    if (up) atomicAdd(total, scale[threadIdx.x & 1]);
    if (threadIdx.x < 3) return;
    x[threadIdx.x] > 1.0f ? __syncthreads() : (void)0;
}
""".replace("    x[threadIdx.x] > 1.0f ? __syncthreads() : (void)0;\n", "    __syncwarp();\n    __threadfence();\n")
HALF: Final = "template <typename T> __device__ T half_of(T value) { T half = value / 2; return half; }\n"


@dataclass
class Parts:
    """A trace file taken apart: the JSON part, and every array by its name without .npy."""

    header: Any
    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, file: Path) -> Parts:
        """Read a file."""
        with zipfile.ZipFile(file) as archive:
            arrays = {
                name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)))
                for name in archive.namelist()
                if name != HEADER
            }
            return cls(json.loads(archive.read(HEADER)), arrays)

    def write(self, file: Path) -> None:
        """Write a file as `save` would, whatever it says."""
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(HEADER, json.dumps(self.header))
            for name, values in self.arrays.items():
                stream = io.BytesIO()
                np.lib.format.write_array(stream, values, allow_pickle=True)
                archive.writestr(f"{name}.npy", stream.getvalue())


Mutant = tuple[str, "Callable[[Parts], None]"]


def sound(folder: Path) -> dict[str, Path]:
    """Save traces that are as they should be: tiles, printf and hazards, structs, and a run that was stopped."""
    (folder / "half.cuh").write_text(HALF, encoding="utf-8")
    tiled = "A=f32[3,3]:iota B=f32[3,4]:iota C=f32[3,4]:uninit M=3 N=4 K=3"
    printing = "x=f32[8]:iota y=u8[6]:zeros total=f64[1]:zeros n=3 f=0.5 up=true scale=f32[2]:ones"
    items = "items.x=f32[4]:iota items.kind=i32[4]:iota items.w[0]=i16[4]:zeros items.w[1]=i16[4]:ones"
    runs = {
        "tiled": (CASES.source("tiled"), "2,2", "2,2", tiled, 10_000),
        "printing": (PRINTING, "2", "4", printing, 10_000),
        "structs": (CASES.source("structs"), "2", "2", f"{items} v=f32[4,4]:iota n=7", 10_000),
        "stopped": (CASES.source("tiled"), "2,2", "2,2", tiled, 9),
    }
    found = {}
    for name, (text, grid, block, words, steps) in runs.items():
        program, instances = parse_with_instances(text, f"{name}.cu", (), folder)
        launch = Launch(Dim3.parse(grid), Dim3.parse(block))
        trace = trace_program(
            program, None, launch, parse_arguments(words.split()), {}, Options(max_steps=steps), instances
        )
        found[name] = folder / f"{name}.trace"
        save(trace, found[name])
    return found


def mutants(parts: Parts) -> Iterator[Mutant]:
    """Yield every mutant of a trace, with a name of its own."""
    yield from _of_header(parts.header)
    for name, values in parts.arrays.items():
        yield from _of_array(name, values)
    yield from _of_launch()
    yield from _of_text(parts.header["text"])


# --- the JSON part ------------------------------------------------------------------------------------------

_STRANGE: Final[dict[str, Any]] = {
    "null": None,
    "true": True,
    "-1": -1,
    "-2^40": -(2**40),
    "2^31": 2**31,
    "2^70": 2**70,
    "half": 0.5,
    "nan": float("nan"),
    "word": "x",
    "empty": "",
    "surrogate": "\ud800",
    "list": [],
    "nested": [[[]]],
    "object": {},
    "7": 7,
}


def _of_header(header: Any) -> Iterator[Mutant]:
    for path in _paths(header):
        name = ".".join(str(step) for step in path)
        old = _at(header, path)
        for word, value in _STRANGE.items():
            if value != old or type(value) is not type(old):
                yield f"{name} is {word}", _setting(path, value)
        yield f"{name} is missing", _dropping(path)
        if isinstance(old, list):
            yield f"{name} is longer", _setting(path, [*old, *(old[-1:] or [0])])
            yield f"{name} is doubled", _setting(path, [*old, *old])
            yield f"{name} is reversed", _setting(path, old[::-1])
            yield f"{name} is shorter", _setting(path, old[:-1])


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every field, and of each list the first and the last entry."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, (*path, key))
    elif isinstance(value, list) and value:
        for number in sorted({0, len(value) - 1}):
            yield from _paths(value[number], (*path, number))


def _at(header: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        header = header[step]
    return header


def _setting(path: tuple[Any, ...], value: Any) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        _at(parts.header, path[:-1])[path[-1]] = value

    return change


def _dropping(path: tuple[Any, ...]) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        del _at(parts.header, path[:-1])[path[-1]]

    return change


# --- the arrays ---------------------------------------------------------------------------------------------


def _of_array(name: str, old: NDArray[Any]) -> Iterator[Mutant]:
    flat, plain = old.reshape(-1), np.nan_to_num(old)
    yield f"{name} is missing", _without(name)
    most = 1 if old.dtype.kind == "b" else np.inf if old.dtype.kind == "f" else np.iinfo(old.dtype).max
    least = 0 if old.dtype.kind in "bu" else -np.inf if old.dtype.kind == "f" else np.iinfo(old.dtype).min
    changed: dict[str, NDArray[Any]] = {
        "of doubles": old.astype(np.float64),
        "of bytes": plain.astype(np.int8),
        "of longs": plain.astype(np.int64),
        "of unsigned longs": plain.astype(np.uint64),
        "of halves": np.zeros(old.shape, np.float16),
        "big-endian": old.astype(old.dtype.newbyteorder(">")),
        "of objects": old.astype(object),
        "of texts": old.astype("U4"),
        "of dates": np.zeros(old.shape, "M8[s]"),
        "a column of rows": old.reshape(*old.shape, 1),
        "a single number": np.array(7, old.dtype),
        "empty": flat[:0],
        "longer": np.append(flat, flat[-1:]),
        "shorter": flat[:-1],
        "doubled": np.append(flat, flat),
        "reversed": old[::-1].copy(),
        "zeros": np.zeros_like(old),
        "ones": np.ones_like(old),
        "largest": np.full_like(old, most),
        "smallest": np.full_like(old, least),
        "Fortran's": np.asfortranarray(old.reshape(-1, 1) if old.ndim == 1 else old),
    }
    if len(flat):
        for place, word in ((0, "first"), (len(flat) // 2, "middle"), (-1, "last")):
            numbers = (-1, -2, 2, 1 << 20, 2**31 - 1, most, least) if old.dtype.kind in "iu" else (most, np.nan)
            for value in numbers if old.dtype.kind != "b" else (True, False):
                if old.dtype.kind in "iu" and not least <= value <= most:
                    continue
                other = flat.copy()
                other[place] = value
                changed[f"{value} in the {word} place"] = other.reshape(old.shape)
    for word, values in changed.items():
        if values.dtype != old.dtype or values.shape != old.shape or not np.array_equal(values, old):
            yield f"{name} is {word}", _replacing(name, values)


def _without(name: str) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        del parts.arrays[name]

    return change


def _replacing(name: str, values: NDArray[Any]) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        parts.arrays[name] = values

    return change


# --- the launch and the text --------------------------------------------------------------------------------


def _of_launch() -> Iterator[Mutant]:
    for grid in ([1, 1, 1], [4, 1, 1], [1, 1, 4], [2, 2, 3], [3, 3, 1], [2**20, 1, 1], [65_535, 65_535, 1]):
        for block in ([2, 2, 1], [4, 1, 1], [1, 4, 1], [1, 1, 4], [2, 3, 1], [1024, 1024, 1], [0, 0, 0]):
            yield f"launch is {grid} {block}", _setting(("launch",), [grid, block, 0])


def _of_text(text: str) -> Iterator[Mutant]:
    changed = {
        "empty": "",
        "no C": "#define\n{{{",
        "cut": text[: len(text) // 2],
        "a line lower": "\n" + text,
        "another kernel": "__global__ void f(int *p) { p[threadIdx.x] = 1; }\n",
        "an error": '#error "no"\n' + text,
        "of control characters": text.replace("//", "//\x1b[31m\u202e"),
        "without a kernel": "int n;\n",
        "with zero bytes": text + "\0",
        "with Windows' ends": text.replace("\n", "\r\n"),
        "deep": "(" * 20_000,
    }
    for one, other in (
        ("As[", "Bs["),
        ("[ty][tx]", "[tx]    "),
        ("threadIdx.x", "threadIdx.y"),
        ("float", "short"),
        ("+", "/"),
        ("*", "%"),
        ("int ", "bool"),
        ("row", "col"),
        ("x[", "y["),
        ("< ", "<<"),
        ("items", "v    "),
        ("i]", "0]"),
        (" % ", " / "),
        (".x", ".y"),
        ("if (", "for("),
    ):
        if one in text:
            changed[f"with {other} for {one}"] = text.replace(one, other)
    for word, value in changed.items():
        yield f"text is {word}", _setting(("text",), value)


def mutated(parts: Parts, change: Callable[[Parts], None]) -> Parts:
    """Return a changed copy."""
    found = Parts(copy.deepcopy(parts.header), dict(parts.arrays))
    change(found)
    return found


def readings(trace: Trace) -> None:
    """Ask of a trace everything that its readers ask: of every step, block and thread."""
    from kernels.analysis import counts, explain_index, lane_roles, playlist, touches, variables
    from kernels.cli.trace_report import as_json, as_text
    from kernels.narration.narrate import describe

    counts(trace)
    json.dumps(as_json(trace, 0.0))
    as_text(trace, 0.0)
    for number in range(len(trace.arrays)):
        touches(trace, number)
        trace.accesses_to(number, 0)
        writes = trace.writes(number)
        for owner in range(len(writes.first) - 1):
            trace.contents(number, trace.steps - 1, owner)
    threads = trace.launch.block.count
    for block, step in playlist(trace, "statement").frames:
        describe(trace, step, block)
        lane_roles(trace, step, block)
        lanes = trace.lanes(step, block)
        for lane in {int(lanes[0]), int(lanes[-1]), block * threads}:
            variables(trace, step, lane)
            for site in {group.site for group in trace.accesses(step, block)}:
                explain_index(trace, step, lane, site)
    playlist(trace, "memory")
