"""Saves a trace to one file and reads it back: an `.npz` archive of the columns, with the rest as JSON.

Any NumPy can read the columns. Nothing is pickled, and the same trace always gives the same bytes.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import InputError
from kernels.files import atomic_file
from kernels.frontend.ast import Span
from kernels.launch import Dim3, Launch
from kernels.trace.cures import as_plain, from_plain
from kernels.trace.model import Trace
from kernels.trace.records import ArrayInfo, Hazard, HazardAccess, Register, Site, Statement
from kernels.trace.structs import Field, Structure

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT: Final = "tilescope trace"
VERSION: Final = 2
HEADER: Final = "trace.json"

COLUMNS: Final = {
    "step_statement": "int32",
    "step_mask": "int32",
    "step_phase": "int32",
    "step_epoch": "int32",
    "group_step": "int32",
    "group_site": "int32",
    "group_mask": "int32",
    "group_first": "int64",
    "group_value": "int64",
    "set_step": "int32",
    "set_register": "int32",
    "set_mask": "int32",
    "set_uniform": "bool",
    "set_value": "int64",
    "value_bytes": "uint8",
}

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip archive can hold: the time of saving would make equal traces differ."""

_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What the readers of zip archives, arrays and JSON raise when they meet bytes that make no sense."""

_FAST: Final = 1
"""zlib's fastest level: the columns repeat so much that more effort gains little."""


def save(trace: Trace, path: Path) -> None:
    """Write a trace.

    Raises
    ------
    InputError
        When the file cannot be written, or the run was not recorded.
    """
    if trace.unrecorded is not None:
        raise InputError(f"{path}: cannot be written: the run was not recorded")
    with atomic_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_member(HEADER), json.dumps(_header(trace), ensure_ascii=False), compresslevel=_FAST)
        for name, column in _arrays(trace).items():
            with archive.open(_member(f"{name}.npy"), "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.ascontiguousarray(column), allow_pickle=False)


def load(path: Path) -> Trace:
    """Read a trace that `save` wrote.

    Raises
    ------
    InputError
        When the file is missing, damaged, or something else.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            header: dict[str, Any] = json.loads(archive.read(HEADER))
            if header.get("format") != FORMAT:
                raise InputError(f"{path}: is not a trace")
            if header.get("version") != VERSION:
                found = header.get("version")
                raise InputError(f"{path}: is a trace of version {found}, this program reads {VERSION}")
            names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
            arrays = {name: _read(archive, f"{name}.npy") for name in names}
        trace = _trace(header, arrays)
        _check(trace)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except _DAMAGE as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: is damaged or not a trace: {reason}") from error
    return trace


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _DATE)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3  # otherwise the platform that writes would show
    member._compresslevel = _FAST  # type: ignore[attr-defined]
    return member


def _read(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    # Read whole, for only at its end does the archive compare the member with its checksum.
    return np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)


def _arrays(trace: Trace) -> dict[str, NDArray[Any]]:
    """Every array of a trace by its name in the archive."""
    none = np.zeros(0, np.int32)
    arrays: dict[str, NDArray[Any]] = {name: getattr(trace, name) for name in COLUMNS}
    arrays["index"] = trace.index
    arrays["mask_lanes"] = np.concatenate([none, *trace.masks])
    arrays["mask_first"] = np.cumsum([0, *(len(mask) for mask in trace.masks)], dtype=np.int64)
    for number, values in enumerate(trace.initial):
        if values is not None:
            arrays[f"initial_{number}"] = values
    for number, values in enumerate(trace.outputs.values()):
        arrays[f"output_{number}"] = values
    return arrays


def _header(trace: Trace) -> dict[str, Any]:
    launch = trace.launch
    return {
        "format": FORMAT,
        "version": VERSION,
        "file": trace.file,
        "text": trace.text,
        "defines": trace.defines,
        "kernel": trace.kernel,
        "launch": [launch.grid, launch.block, launch.dynamic_shared_bytes],
        "schedule": trace.schedule,
        "scalars": dict(trace.scalars),
        "statements": [[_row(s.span), s.text, s.kind] for s in trace.statements],
        "arrays": [[a.name, a.space, a.dtype.str, a.shape, a.address, a.parameter] for a in trace.arrays],
        "structs": [
            [number, kind.name, kind.size_bytes, [_field(f) for f in kind.fields]]
            for number, kind in enumerate(array.struct for array in trace.arrays)
            if kind is not None
        ],
        "sites": [[_row(s.span), s.statement, s.array, s.access, s.width] for s in trace.sites],
        "registers": [[r.name, r.function, r.dtype.str, _row(r.span)] for r in trace.registers],
        "outputs": list(trace.outputs),
        "hazards": [_hazard_row(hazard) for hazard in trace.hazards],
        "printf": trace.printf,
        "stopped": trace.stopped,
        "included": trace.included,
        "instances": trace.instances,
    }


def _trace(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Trace:
    grid, block, dynamic = header["launch"]
    lanes, first = arrays["mask_lanes"], arrays["mask_first"]
    structs = {number: _struct(*row) for number, *row in header.get("structs", ())}  # none in older files
    return Trace(
        file=header["file"],
        text=header["text"],
        defines=tuple((name, value) for name, value in header["defines"]),
        kernel=header["kernel"],
        launch=Launch(Dim3(*grid), Dim3(*block), dynamic),
        schedule=header["schedule"],
        scalars=header["scalars"],
        statements=tuple(Statement(_span(span), text, kind) for span, text, kind in header["statements"]),
        arrays=tuple(
            ArrayInfo(name, space, np.dtype(dtype), tuple(shape), address, parameter, structs.get(number))
            for number, (name, space, dtype, shape, address, parameter) in enumerate(header["arrays"])
        ),
        sites=tuple(Site(_span(span), *rest) for span, *rest in header["sites"]),
        registers=tuple(
            Register(name, function, np.dtype(dtype), _span(span))
            for name, function, dtype, span in header["registers"]
        ),
        initial=tuple(arrays.get(f"initial_{number}") for number in range(len(header["arrays"]))),
        outputs={name: arrays[f"output_{number}"] for number, name in enumerate(header["outputs"])},
        hazards=tuple(_hazard(row) for row in header["hazards"]),
        printf=tuple(header["printf"]),
        masks=tuple(lanes[a:b] for a, b in pairwise(first)),
        index=arrays["index"],
        stopped=header["stopped"],
        included=tuple((name, text) for name, text in header["included"]),
        instances=tuple((name, tuple(words)) for name, words in header["instances"]),
        unrecorded=None,
        **{name: arrays[name] for name in COLUMNS},
    )


def _field(field: Field) -> list[Any]:
    return [field.path, field.dtype.str, field.offset_bytes, field.pointer]


def _struct(name: str, size_bytes: int, fields: list[list[Any]]) -> Structure:
    return Structure(name, size_bytes, tuple(Field(path, np.dtype(dtype), *rest) for path, dtype, *rest in fields))


def _row(span: Span) -> list[Any]:
    own = [span.line, span.column, span.end_line, span.end_column]
    return own if span.inside is None else [*own, span.inside.file, *_row(span.inside)]


def _span(row: list[Any]) -> Span:
    own = Span(*row[:4])
    if len(row) == 4:
        return own
    file, line, column, end_line, end_column = row[4:]
    return replace(own, inside=Span(line, column, end_line, end_column, file))


def _hazard_row(h: Hazard) -> list[Any]:
    """Return the fields of a hazard; the cure and the races that share it only where there is one."""
    sides = [[a.block, a.thread, a.line, a.access, a.file] for a in h.accesses]
    row = [h.kind, h.space, h.array, h.index, h.line, h.column, sides, h.message, h.step, h.count, h.same_value, h.file]
    return row if h.cure is None else [*row, as_plain(h.cure), [_hazard_row(other) for other in h.others]]


def _hazard(row: list[Any]) -> Hazard:
    kind, space, array, index, line, column, accesses, message, step, count, *rest = row
    sides = tuple(HazardAccess(Dim3(*block), Dim3(*thread), *at) for block, thread, *at in accesses)
    rest, cured = rest[:2], rest[2:]  # older files end earlier
    hazard = Hazard(kind, space, array, index, line, column, sides, message, step, count, *rest)
    if not cured:
        return hazard
    cure, others = cured
    return replace(hazard, cure=from_plain(cure), others=tuple(_hazard(other) for other in others))


def _check(trace: Trace) -> None:
    """Raise ValueError unless the columns fit together, so that no question to the trace can fail later."""
    for name, dtype in COLUMNS.items():
        if getattr(trace, name).dtype != np.dtype(dtype):
            raise ValueError(f"column {name} is {getattr(trace, name).dtype}, not {dtype}")
    together = (
        ("step_statement", "step_mask", "step_phase", "step_epoch"),
        ("group_step", "group_site", "group_mask", "group_value"),
        ("set_step", "set_register", "set_mask", "set_uniform", "set_value"),
    )
    for names in together:
        if len({getattr(trace, name).shape for name in names}) != 1:
            raise ValueError(f"columns {', '.join(names)} differ in length")
    if len(trace.group_first) != len(trace.group_step) + 1 or trace.group_first[-1] != len(trace.index):
        raise ValueError("the access groups do not cover the accesses")
    for name, most in (
        ("step_statement", len(trace.statements)),
        ("step_mask", len(trace.masks)),
        ("group_step", trace.steps),
        ("group_site", len(trace.sites)),
        ("group_mask", len(trace.masks)),
        ("set_step", trace.steps),
        ("set_register", len(trace.registers)),
        ("set_mask", len(trace.masks)),
    ):
        column = getattr(trace, name)
        if len(column) and not 0 <= column.min() <= column.max() < most:
            raise ValueError(f"column {name} points outside its table")
    if not all(s.array < len(trace.arrays) and s.statement < len(trace.statements) for s in trace.sites):
        raise ValueError("a site points outside its table")
    for array, values in zip(trace.arrays, trace.initial, strict=True):
        if values is not None and values.shape != array.shape:
            raise ValueError(f"what {array.name} holds before the launch has another shape")
        if array.struct is not None and not _fits(array, array.struct):
            raise ValueError(f"what {array.name} consists of does not fit its elements")
    for lanes in trace.masks:
        if len(lanes) and not (lanes[0] >= 0 and lanes[-1] < trace.launch.thread_count and (np.diff(lanes) > 0).all()):
            raise ValueError("a set of lanes is not one of the launch")
    lanes_of = np.array([len(lanes) for lanes in trace.masks], np.int64)
    if not np.array_equal(np.diff(trace.group_first), lanes_of[trace.group_mask]):
        raise ValueError("the access groups do not fit their lanes")
    _check_values(trace, lanes_of)


def _fits(array: ArrayInfo, struct: Structure) -> bool:
    """Whether objects and their fields are whole elements of an array."""
    item = array.dtype.itemsize
    places = [place for field in struct.fields for place in (field.offset_bytes, field.end_bytes)]
    return (
        bool(places)
        and 0 <= min(places) < max(places) <= struct.size_bytes
        and not any(place % item for place in (struct.size_bytes, *places))
        and (array.words == 1 or array.shape[-1:] == (array.words,))
    )


def _check_values(trace: Trace, lanes_of: NDArray[np.int64]) -> None:
    """Raise ValueError unless every value that is written or assigned is there."""
    of_site = [site.width * trace.arrays[site.array].dtype.itemsize for site in trace.sites]
    of_register = [register.dtype.itemsize for register in trace.registers]
    written = trace.group_value >= 0
    lanes = lanes_of[trace.group_mask], np.where(trace.set_uniform, 1, lanes_of[trace.set_mask])
    ends = (
        (trace.group_value + lanes[0] * np.array(of_site, np.int64)[trace.group_site])[written],
        trace.set_value + lanes[1] * np.array(of_register, np.int64)[trace.set_register],
    )
    if max(int(end.max(initial=0)) for end in ends) > len(trace.value_bytes):
        raise ValueError("values are missing")
