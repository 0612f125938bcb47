"""Output of `tilescope trace`: one JSON object, or a summary for people."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.analysis import counts, touches
from kernels.architecture import SM_80
from kernels.narration.hazards import hazard_message
from kernels.trace import element_name
from kernels.trace.cures import as_plain
from kernels.words import percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.analysis import Counts, MemoryCount
    from kernels.trace import Hazard, HazardAccess, Structure, Trace

_FIRST: Final = 8
"""Number of values of each output that are printed."""

_MAX_LINES: Final = 12
"""Maximum number of lines of printf in the summary, and of hazards."""


def as_json(trace: Trace, elapsed_s: float) -> dict[str, Any]:
    """Build the object that `--json` prints; nan and inf, which JSON lacks, are the texts "nan" and "inf".

    In a hazard, `index` is null if it concerns no array, otherwise `element` is the element as the source writes it;
    `access` is null for a thread that does not access memory, but waits at a barrier or divides, for example. A data
    race has the `cure` of its message with the `edits` of the source; `others` lists the other races that the same
    cure removes, and `more_pairs` is their number. In an output, `first` has null for an element that was never
    written, and the text "pointer" for a pointer; `fields` names the members of an array's structs; `sha256` is the
    hash of the elements' bytes, row by row, little-endian as on the GPU. If the accesses are not recorded, there are no
    `counts`.
    """
    counted = {} if trace.unrecorded is not None else {"counts": counts_json(counts(trace))}
    return {
        "kernel": trace.kernel,
        "launch": launch_json(trace),
        "hazards": [hazard_json(trace, hazard) for hazard in trace.hazards],
        **counted,
        "output": {name: _output(trace, name, values) for name, values in trace.outputs.items()},
        "printf": list(trace.printf),
        "steps": trace.steps,
        "elapsed_s": elapsed_s,
    }


def as_text(trace: Trace, elapsed_s: float) -> str:
    """Build the summary for people."""
    launch = trace.launch
    accesses = f"{trace.access_count:,} accesses" if trace.unrecorded is None else "not recorded"
    lines = [
        f"{trace.kernel} <<<{launch.grid}, {launch.block}>>>{architecture_words(trace)}, {trace.schedule}: "
        f"{trace.steps:,} steps, {accesses}, {elapsed_s:.2f} s"
    ]
    if trace.printf:
        lines += ["", "printed", *_shorten([f"  {line}" for line in trace.printf])]
    if trace.outputs:
        lines += ["", "output"]
        lines += [
            f"  {name} {_shape(trace, name, values)}: {_first_words(trace, name, values)}"
            for name, values in trace.outputs.items()
        ]
    table = counts(trace).arrays
    if table:
        lines += ["", *memory_table(table, "memory, as written")]
    lines += ["", *hazard_lines(trace)]
    return "\n".join(lines)


def _file(place: Hazard | HazardAccess) -> dict[str, str]:
    return {"file": place.file} if place.file else {}


def architecture_words(trace: Trace) -> str:
    """Return the architecture for the first line of a summary; "" for sm_80, which is not said."""
    return f", {trace.architecture}" if trace.architecture != SM_80 else ""


def launch_json(trace: Trace) -> dict[str, Any]:
    """Build the object for a launch; without an architecture it is sm_80."""
    launch = trace.launch
    return {
        "grid": list(launch.grid),
        "block": list(launch.block),
        "dynamic_shared_bytes": launch.dynamic_shared_bytes,
        **({"architecture": str(trace.architecture)} if trace.architecture != SM_80 else {}),
    }


def hazard_json(trace: Trace, hazard: Hazard) -> dict[str, Any]:
    """Build the object for one hazard."""
    array = next((a for a in trace.arrays if (a.space, a.name) == (hazard.space, hazard.array)), None)
    return {
        "kind": hazard.kind,
        "space": hazard.space,
        "array": hazard.array,
        "index": hazard.index if hazard.array and hazard.space != "register" else None,
        **({"element": element_name(array, hazard.index, flat=True)} if array and hazard.index >= 0 else {}),
        "line": hazard.line,
        "column": hazard.column,
        **_file(hazard),
        "accesses": [
            {
                "block": list(a.block),
                "thread": list(a.thread),
                "line": a.line,
                **_file(a),
                "access": a.access if hazard.array else None,
            }
            for a in hazard.accesses
        ],
        "message": hazard.message,
        **({"same_value": True} if hazard.same_value else {}),
        **({"cure": as_plain(hazard.cure)} if hazard.cure is not None else {}),
        **(
            {"more_pairs": len(hazard.others), "others": [hazard_json(trace, other) for other in hazard.others]}
            if hazard.others
            else {}
        ),
    }


def counts_json(memory_counts: Counts) -> dict[str, Any]:
    """Build the object for all counts."""
    return {
        "arrays": [memory_json(count) for count in memory_counts.arrays],
        "lines": [memory_json(count) for count in memory_counts.lines],
        "sites": [memory_json(count) for count in memory_counts.sites],
        "reuse": [
            {
                "array": r.array,
                "space": r.space,
                "access": r.access,
                "accesses": r.accesses,
                "elements": r.elements,
                "per_element": r.per_element,
            }
            for r in memory_counts.reuse
        ],
        "divergence": [
            {"line": i.line, "warps": i.warps, "lanes": i.lanes, "active_lanes": i.active_lanes}
            for i in memory_counts.issued
        ],
    }


def memory_json(count: MemoryCount) -> dict[str, Any]:
    """Build the object for one count, without the figures that its kind of memory does not have."""
    place = [name for name in ("line", "column") if getattr(count, name)]
    names: tuple[str, ...] = ("array", "space", "access", *place, "requests", "accesses", "bytes")
    if count.space == "global":
        names += ("sectors", "ideal_sectors", "used_bytes", "efficiency")
    if count.space == "shared":
        names += ("wavefronts", "ideal_wavefronts", "excess_wavefronts", "efficiency")
    if count.access == "atomic":
        names += ("contention",)
    return {name: getattr(count, name) for name in names}


def _output(trace: Trace, name: str, values: NDArray[np.generic]) -> dict[str, Any]:
    plain = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    struct = _struct(trace, name)
    return {
        "shape": list(values.shape),
        "sha256": hashlib.sha256(plain.tobytes()).hexdigest(),
        **({} if struct is None or not struct.heads[0] else {"fields": list(struct.heads)}),
        "first": [_json_number(value) for value in _first(trace, name, values)],
    }


def _struct(trace: Trace, name: str) -> Structure | None:
    """Return the struct type of an array's elements; None for an array of numbers."""
    struct = trace.arrays[trace.array_number(name)].struct
    return None if struct is None or not (struct.fields[0].path or struct.fields[0].bfloat16) else struct


def _first(trace: Trace, name: str, values: NDArray[np.generic]) -> list[Any]:
    """Return the first values, of structs always all members; None for an element that was never written."""
    number = trace.array_number(name)
    if trace.unrecorded is None:
        initialised = trace.initial[number] is not None
        written = touches(trace, number, "write") + touches(trace, number, "atomic") + initialised > 0
    else:
        written = trace.unrecorded.written[name]
    shown, is_written = values.reshape(-1)[:_FIRST].tolist(), written.reshape(-1)
    struct, item = _struct(trace, name), trace.arrays[number].dtype.itemsize
    if struct is not None:
        size = struct.size_bytes * max(_FIRST // len(struct.fields), 1)
        columns = struct.columns(np.ascontiguousarray(values).reshape(-1).view(np.uint8)[:size])
        members = [
            ["pointer"] * len(column) if field.pointer else column.tolist()
            for field, column in zip(struct.fields, columns, strict=True)
        ]
        shown = [value for row in zip(*members, strict=True) for value in row]
        is_written = struct.written_fields(is_written[: size // item], item).reshape(-1)
    return [value if has_value else None for value, has_value in zip(shown, is_written, strict=False)]


def _json_number(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _shape(trace: Trace, name: str, values: NDArray[np.generic]) -> str:
    struct = _struct(trace, name)
    shape = values.shape if struct is None else trace.arrays[trace.array_number(name)].objects
    return f"{values.dtype if struct is None else struct.name}[{','.join(str(n) for n in shape)}]"


def _first_words(trace: Trace, name: str, values: NDArray[np.generic]) -> str:
    words = [_value_words(value) for value in _first(trace, name, values)]
    total, struct = values.size, _struct(trace, name)
    if struct is not None and struct.heads[0]:
        each, total = len(struct.fields), values.nbytes // struct.size_bytes
        words = [f"{{{', '.join(words[at : at + each])}}}" for at in range(0, len(words), each)]
    return " ".join([*words, *(["…"] if total > len(words) else [])])


def _value_words(value: float | bool | str | None) -> str:
    """Format a value, whole numbers with all their digits."""
    if value is None or isinstance(value, str):
        return value or "unwritten"
    return f"{value:.7g}" if isinstance(value, float) else str(int(value))


def memory_table(table: tuple[MemoryCount, ...], title: str) -> list[str]:
    """Format counts as a table under a title; the last column is `efficiency`."""
    names = ("requests", "sectors", "wavefronts", "ideal")
    head = f"  {'array':<10} {'space':<8} {'access':<7} " + " ".join(f"{name:>12}" for name in names)
    rows = [
        f"  {c.array:<10} {c.space:<8} {c.access:<7} {c.requests:>12,} {_number(c.sectors):>12} "
        f"{_number(c.wavefronts):>12} {_number(c.ideal_sectors or c.ideal_wavefronts):>12} {percent(c.efficiency):>7}"
        for c in table
    ]
    last = "the last column is bytes used of bytes moved; in shared memory, ideal wavefronts of actual ones"
    return [f"{title} ({last})", head, *rows]


def _number(value: int) -> str:
    return f"{value:,}" if value else "–"


def hazard_lines(trace: Trace) -> list[str]:
    """Format the hazards, the first of many only."""
    if not trace.hazards:
        return ["no hazards"]
    found = [
        f"  {h.file or trace.file}:{h.line}:{h.column}: {h.kind}: {hazard_message(trace.launch, h)}"
        + (f" ({h.count:,} times)" if h.count > 1 else "")
        for h in trace.hazards
    ]
    return [f"hazards: {len(trace.hazards)}", *_shorten(found)]


def _shorten(lines: list[str]) -> list[str]:
    rest = len(lines) - _MAX_LINES
    return lines if rest <= 0 else [*lines[:_MAX_LINES], f"  … and {rest} more"]
