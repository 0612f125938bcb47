"""Checks of a trace that was read from a file, so that no later query fails.

`check_header` (of `kernels.trace.schema`) checks the JSON part field by field, before anything is made of it.
`check_arrays` and `check_trace` check the columns, each as a whole: its type and length, that its numbers lie in the
tables that they point into, and that the columns fit together. What they refuse is a ValueError of one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernels.frontend import parse
from kernels.trace.schema import DTYPES, LANES, LARGEST_BYTES, check_header

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernels.trace.model import Trace
    from kernels.trace.records import ArrayInfo
    from kernels.trace.structs import Structure

__all__ = ["COLUMNS", "LARGEST_BYTES", "check_arrays", "check_header", "check_trace"]

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

_SHARED_BYTES: Final = 1 << 20
"""Maximum shared memory of a block: four times that of the largest device."""


def check_arrays(arrays: dict[str, NDArray[Any]]) -> None:
    """Raise ValueError unless every column has its type and one dimension, and the lane sets lie one after another."""
    for name, dtypes in {**{n: (d,) for n, d in COLUMNS.items()}, **_OTHERS}.items():
        if arrays[name].ndim != 1 or arrays[name].dtype not in [np.dtype(dtype) for dtype in dtypes]:
            column = f"{arrays[name].dtype}[{', '.join(map(str, arrays[name].shape))}]"
            raise ValueError(f"column {name} is {column}, not {' or '.join(dtypes)} of one dimension")
    first = arrays["mask_first"]
    if not len(first) or first[0] != 0 or first[-1] != len(arrays["mask_lanes"]) or (np.diff(first) < 0).any():
        raise ValueError("column mask_first does not cut mask_lanes into sets")


_OTHERS: Final = {"index": ("int32", "int64"), "mask_lanes": ("int32",), "mask_first": ("int64",)}

_TOGETHER: Final = (
    ("step_statement", "step_mask", "step_phase", "step_epoch"),
    ("group_step", "group_site", "group_mask", "group_value"),
    ("set_step", "set_register", "set_mask", "set_uniform", "set_value"),
)
"""Groups of columns of equal length."""


def check_trace(trace: Trace) -> None:
    """Raise ValueError unless tables and columns fit together.

    Raises
    ------
    SourceError
        When the source cannot be read.
    """
    for names in _TOGETHER:
        if len({getattr(trace, name).shape for name in names}) != 1:
            raise ValueError(f"columns {', '.join(names)} differ in length")
    if trace.launch.thread_count >= LANES:
        raise ValueError(f"the launch has {trace.launch.thread_count:,} threads; up to {LANES - 1:,} are possible")
    _check_tables(trace)
    _check_masks(trace)
    _check_bounds(trace)
    _check_groups(trace)
    _check_values(trace)
    # Every view parses the source of the trace: refuse now what would fail later.
    parse(trace.text, trace.file, trace.defines, included=trace.included)


def _check_tables(trace: Trace) -> None:
    """Check types and layouts of arrays, and the references of sites and hazards."""
    for array, values in zip(trace.arrays, trace.initial, strict=True):
        _check_array(array)
        if values is not None and (values.shape != array.shape or values.dtype != array.dtype):
            raise ValueError(f"the initial values of {array.name} have a different shape or type")
        if array.struct is not None and not _fits(array, array.struct):
            raise ValueError(f"the fields of {array.name} do not fit its elements")
    sizes = {array.name: array.size * array.dtype.itemsize for array in reversed(trace.arrays)}
    for name, values in trace.outputs.items():
        if values.dtype.str not in DTYPES or values.nbytes != sizes.get(name):
            raise ValueError(f"output {name} does not have the type and size of its array")
    if not all(s.array < len(trace.arrays) and s.statement < len(trace.statements) for s in trace.sites):
        raise ValueError("a site points outside its table")
    if any(s.dtype is not None and s.dtype.itemsize != trace.arrays[s.array].dtype.itemsize for s in trace.sites):
        raise ValueError("a site has a type of another size than its array")
    grid, block = trace.launch.grid, trace.launch.block
    for hazard in (one for first in trace.hazards for one in (first, *first.others)):
        for access in hazard.accesses:
            places = zip((*access.block, *access.thread), (*grid, *block), strict=True)
            if not all(place < length for place, length in places):
                raise ValueError("a hazard names a thread that the launch does not have")
        if hazard.step >= max(trace.steps, 1):
            raise ValueError("a hazard is in a step that the run does not have")


def _check_array(array: ArrayInfo) -> None:
    size_bytes = array.size * array.dtype.itemsize
    if size_bytes > LARGEST_BYTES or (array.space == "shared" and array.address + size_bytes > _SHARED_BYTES):
        raise ValueError(f"array {array.name} of {size_bytes:,} bytes is too large")
    if not array.size and array.space not in ("shared", "local"):
        raise ValueError(f"array {array.name} has no elements")


def _fits(array: ArrayInfo, struct: Structure) -> bool:
    """Return whether objects and their fields are whole elements of an array."""
    item = array.dtype.itemsize
    places = [place for field in struct.fields for place in (field.offset_bytes, field.end_bytes)]
    return (
        bool(places)
        and 0 <= min(places) < max(places) <= struct.size_bytes
        and not any(place % item for place in (struct.size_bytes, *places))
        and all(field.dtype == np.uint16 for field in struct.fields if field.bfloat16)
        and (array.words == 1 or array.shape[-1:] == (array.words,))
    )


def _check_masks(trace: Trace) -> None:
    """Check that each set of lanes is one of the launch, and sorted."""
    lanes = trace.mask_lanes
    # All sets are checked at once, in the concatenation of their lanes; between two sets the numbers may fall.
    rises = np.diff(lanes) > 0
    inner = trace.mask_first[1:-1]
    rises[inner[(inner > 0) & (inner < len(lanes))] - 1] = True  # between two sets
    if not rises.all() or (len(lanes) and not 0 <= lanes.min() <= lanes.max() < trace.launch.thread_count):
        raise ValueError("a set of lanes is not one of the launch")


def _check_bounds(trace: Trace) -> None:
    """Check that columns point into their tables, and that times do not go back."""
    for name, least, end in (
        ("step_statement", 0, len(trace.statements)),
        ("step_mask", 0, len(trace.masks)),
        ("step_phase", -1, LANES),
        ("step_epoch", 0, LANES),
        ("group_step", 0, trace.steps),
        ("group_site", 0, len(trace.sites)),
        ("group_mask", 0, len(trace.masks)),
        ("group_value", -1, len(trace.value_bytes) + 1),
        ("set_step", 0, trace.steps),
        ("set_register", 0, len(trace.registers)),
        ("set_mask", 0, len(trace.masks)),
        ("set_value", 0, len(trace.value_bytes) + 1),
    ):
        column = getattr(trace, name)
        if len(column) and not least <= column.min() <= column.max() < end:
            raise ValueError(f"column {name} points outside its table")
    for name in ("group_step", "set_step"):
        if (np.diff(getattr(trace, name)) < 0).any():
            raise ValueError(f"column {name} goes back in time")


def _check_groups(trace: Trace) -> None:
    """Check that the groups hold all accesses, and that those that change memory, and no others, have values."""
    lanes = np.diff(trace.mask_first)
    if len(trace.group_first) != len(trace.group_step) + 1 or trace.group_first[-1] != len(trace.index):
        raise ValueError("the access groups do not cover the accesses")
    if trace.group_first[0] != 0 or not np.array_equal(np.diff(trace.group_first), lanes[trace.group_mask]):
        raise ValueError("the access groups do not fit their lanes")
    # The offset -1 marks a read; an offset must follow exactly where the site writes.
    changes = np.array([site.access != "read" for site in trace.sites], bool)
    if not np.array_equal(changes[trace.group_site], trace.group_value >= 0):
        raise ValueError("a read has values, or a write has none")


def _check_values(trace: Trace) -> None:
    """Check that every value that is written or assigned is there."""
    lanes_of = np.diff(trace.mask_first)
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
