"""Trace files: an `.npz` archive of the columns, with the rest as JSON.

Any NumPy can read the columns. Nothing is pickled, and the same trace always gives the same bytes.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from dataclasses import replace
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from kernels.errors import NOT_ENOUGH_MEMORY, InputError, SourceError
from kernels.files import atomic_file
from kernels.frontend.ast import Span
from kernels.launch import Dim3, Launch
from kernels.npy import read_data, read_header
from kernels.trace.cures import as_plain, from_plain
from kernels.trace.model import Trace
from kernels.trace.records import ArrayInfo, Hazard, HazardAccess, Register, Site, Statement
from kernels.trace.structs import Field, Structure
from kernels.trace.validation import COLUMNS, LARGEST_BYTES, check_arrays, check_header, check_trace

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT: Final = "tilescope trace"
VERSION: Final = 2
HEADER: Final = "trace.json"

LARGEST_HEADER_BYTES: Final = 64 << 20
"""Size of the JSON part, which takes up to thirty times as much memory once parsed; most of it are printed lines."""

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Earliest date of a zip archive; with the time of saving, files of equal traces would differ."""

_DAMAGE_ERRORS: Final = (
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
"""Exceptions of the readers of zip archives, arrays and JSON for damaged bytes."""

_NPY_HEADER_BYTES: Final = 128
"""Size of the header before each array; only arrays with many dimensions have a longer one."""

_COMPRESSION: Final = 1
"""zlib's fastest level: the columns are so repetitive that higher levels gain little."""


def save(trace: Trace, path: Path) -> None:
    """Write a trace.

    Raises
    ------
    InputError
        When the file cannot be written, the run was not recorded, or `load` would refuse it for its size.
    """
    if trace.unrecorded is not None:
        raise InputError(f"{path}: cannot be written: the run was not recorded")
    header = json.dumps(_header(trace), ensure_ascii=False).encode("utf-8", "replace")
    arrays = _arrays(trace)
    for size, most in (
        (len(header), LARGEST_HEADER_BYTES),
        (sum(column.nbytes + _NPY_HEADER_BYTES for column in arrays.values()), LARGEST_BYTES),
    ):
        if size > most:
            raise _too_large(path, size, most)
    with atomic_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_member(HEADER), header, compresslevel=_COMPRESSION)
        for name, column in arrays.items():
            with archive.open(_member(f"{name}.npy"), "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.ascontiguousarray(column), allow_pickle=False)


def load(path: Path) -> Trace:
    """Read a trace that `save` wrote. Sizes are checked before anything is unpacked.

    Raises
    ------
    InputError
        When the file is missing, damaged, too large, or something else.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is not a file: give a trace, as tilescope trace --out writes it")
        with zipfile.ZipFile(path) as archive:
            header = _read_header(archive, path)
            names = [*COLUMNS, "index", "mask_lanes", "mask_first"]
            names += [f"output_{number}" for number in range(len(header["outputs"]))]
            begins = (f"initial_{number}" for number in range(len(header["arrays"])))
            names += [name for name in begins if f"{name}.npy" in archive.NameToInfo]
            arrays = _read_arrays(archive, path, names)
        check_arrays(arrays)
        trace = _trace(header, arrays)
        check_trace(trace)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except SourceError as error:
        raise InputError(f"{path}: the source that it holds cannot be read: {error}") from error
    except MemoryError as error:
        raise InputError(f"{path}: {NOT_ENOUGH_MEMORY}") from error
    except _DAMAGE_ERRORS as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: is damaged or not a trace: {reason}; record it again") from error
    return trace


def _read_header(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    member = _find(archive, HEADER)
    if member.file_size > LARGEST_HEADER_BYTES:
        raise _too_large(path, member.file_size, LARGEST_HEADER_BYTES)
    with archive.open(member) as stream:
        header: Any = json.loads(_read_member(stream, member.file_size).decode())
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f"{path}: is not a trace")
    if header.get("version") != VERSION:
        found = " ".join(str(header.get("version")).split())[:20]
        raise InputError(f"{path}: is a trace of version {found}, this program reads {VERSION}")
    check_header(header)
    return header


def _read_arrays(archive: zipfile.ZipFile, path: Path, names: list[str]) -> dict[str, NDArray[Any]]:
    members = {name: _find(archive, f"{name}.npy") for name in names}
    total = sum(member.file_size for member in members.values())
    if total > LARGEST_BYTES:
        raise _too_large(path, total, LARGEST_BYTES)
    found = {}
    for name, member in members.items():
        with archive.open(member) as stream:
            header = read_header(stream)
            if header.end != member.file_size:
                raise ValueError(f"{name} claims {header.end:,} bytes, and has {member.file_size:,}")
            found[name] = read_data(stream, header)
            stream.read(1)  # reading to the end makes zipfile compare the checksum
    return found


def _find(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return a member, packed by a method of `save` or NumPy; others may need unlimited memory to unpack."""
    member = archive.NameToInfo.get(name)
    if member is None:
        raise ValueError(f"it has no {name}")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed by method {member.compress_type}")
    return member


def _read_member(stream: IO[bytes], size: int) -> bytes:
    """Read a member up to its size in the archive's directory, even if the packed data is longer."""
    found = stream.read(size + 1)
    if len(found) != size:
        raise ValueError(f"{HEADER} ends after {len(found):,} of {size:,} bytes")
    return found


def _too_large(path: Path, size: int, most: int) -> InputError:
    return InputError(
        f"{path}: unpacks to {size / 2**20:,.0f} MiB, traces of up to {most / 2**20:,.0f} MiB are opened: record a "
        "smaller size, or fewer threads that print"
    )


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _DATE)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3  # the same bytes on every platform
    member._compresslevel = _COMPRESSION  # type: ignore[attr-defined]
    return member


def _arrays(trace: Trace) -> dict[str, NDArray[Any]]:
    """Return every array of a trace by its name in the archive."""
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
        "sites": [_site_row(s) for s in trace.sites],
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
    structs = {number: _struct(*row) for number, *row in header.get("structs", ())}  # older files lack it
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
        sites=tuple(_site(row) for row in header["sites"]),
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


def _site_row(site: Site) -> list[Any]:
    """Return the fields of a site; the type only where it is not the array's."""
    row = [_row(site.span), site.statement, site.array, site.access, site.width]
    return row if site.dtype is None else [*row, site.dtype.str]


def _site(row: list[Any]) -> Site:
    span, statement, array, access, width, *dtype = row
    return Site(_span(span), statement, array, access, width, *map(np.dtype, dtype))


def _field(field: Field) -> list[Any]:
    """Return the values of a field; that it is a bfloat16 only where it is one."""
    row = [field.path, field.dtype.str, field.offset_bytes, field.pointer]
    return [*row, True] if field.bfloat16 else row


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
    rest, cure_and_others = rest[:2], rest[2:]  # rows of older files are shorter
    hazard = Hazard(kind, space, array, index, line, column, sides, message, step, count, *rest)
    if not cure_and_others:
        return hazard
    cure, others = cure_and_others
    return replace(hazard, cure=from_plain(cure), others=tuple(_hazard(other) for other in others))
