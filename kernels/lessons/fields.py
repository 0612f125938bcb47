"""Fields of captions: every number of a lesson is computed from the run that it is about.

A field is `{name}` or `{name:argument}`; `{run/name:argument}` is of another run of the lesson, at its end. `{=32}` is
a constant of CUDA or the name of an element, which no run determines. Any other digit in a caption is refused.

| field                                        | value                                                              |
|----------------------------------------------|--------------------------------------------------------------------|
| M N K n d k height width                     | lengths of the problem                                             |
| block grid threads blocks all_threads warps  | of the launch; `block:x` is one length                             |
| tile, phases, shape:A, elements:A, bytes:A   | side of the block; phases of the run; an array                     |
| reads:A stores:A atomics:A reads             | elements that threads read or write, over the whole run            |
| requests:A sectors:A ideal_sectors:A         | of warps, in global memory; `A write`, `A atomic` for other kinds  |
| sectors_per_request:A efficiency:A           | bytes used of bytes moved                                          |
| wavefronts:As ideal_wavefronts:As excess:As  | of shared memory                                                   |
| sectors wavefronts excess flops              | without an array: of the whole run                                 |
| intensity                                    | FLOP per byte of global traffic                                    |
| reads_per_element:A                          | loads divided by elements                                          |
| value:C[1][2] final:C[1][2] register:sum     | contents at the moment, and at the end; a variable of the thread   |
| active idle zeros                            | threads of the block that take part, do not, or store a zero       |
| request_sectors:A request_wavefronts:As      | of the warp in focus in this step                                  |
| warp_lanes                                   | lanes of the warp in focus that take part in the step              |
| executions:TEXT active_lanes:TEXT            | warps that execute the line of that statement, over the whole run, |
|                                              | and their active lanes on average                                  |
| barriers contention:A                        | barriers of each block; atomics that are executed one by one       |
| phase line:TEXT                              | of the moment; line of the first statement with the text           |
| right wrong hazards first_wrong              | the result, and what the checkers report                           |
| occupancy resident_blocks warp_slots …       | on the run's device                                                |
| gflops measured_on                           | of the measurement that ships with the program                     |

Fields and whole numbers can be combined: `{naive/reads:A / reads:A}`, `{M * N * K}`. Operators have spaces around
them; products and quotients come before sums and differences.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from kernels.analysis.metrics.requests import efficiency
from kernels.analysis.syntax.evaluate import number_text
from kernels.errors import InputError
from kernels.lessons.facts import RunFacts, StepFacts, Value, first_wrong
from kernels.lessons.moments import find_line
from kernels.occupancy.resources import shipped_resources
from kernels.occupancy.suggest import suggest
from kernels.occupancy.words import limiter_name
from kernels.words import percent
from kernels.workload import WORKLOADS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_FIELD: Final = re.compile(r"\{([^{}]*)\}")
_PARTS: Final = re.compile(r"(?:(?P<run>\w+)/)?(?P<name>[A-Za-z_]+)(?::(?P<argument>.+))?", re.DOTALL)
_OPERATORS: Final = re.compile(r" ([*/+-]) ")
_LENGTHS: Final = frozenset(length.name for workload in WORKLOADS.values() for length in workload.lengths)
"""Names of lengths in any workload."""


@dataclass(frozen=True, slots=True)
class Field:
    """A parsed field."""

    run: str
    name: str
    argument: str


def check_fields(text: str, runs: Sequence[str]) -> None:
    """Refuse a text with a field that is not known, or with a digit outside of fields; raises InputError."""
    for content in _FIELD.findall(text):
        if not content.startswith("="):
            for operand in _split(content)[0]:
                if isinstance(operand, Field):
                    _check(operand, runs)
    rest = _FIELD.sub("", text)
    if "{" in rest or "}" in rest:
        raise InputError("has a brace without its partner")
    digits = re.search(r"\S*\d\S*", rest)
    if digits:
        raise InputError(f"has '{digits[0]}', which no run determines: write a field, or {{={digits[0]}}} for a given")


def parse_field(content: str) -> Field:
    """Read what stands between the braces; raises InputError for a text that is no field."""
    found = _PARTS.fullmatch(content)
    if found is None:
        raise InputError(f"has '{{{content}}}': write a field as in {{value:C[1][2]}} or {{tiled/reads:A}}")
    return Field(found["run"] or "", found["name"], found["argument"] or "")


def without_run(text: str) -> str:
    """Return a text that names givens only, for a list of lessons; "" for one with values of a run."""
    fixed = _FIELD.sub(lambda found: found[1][1:] if found[1].startswith("=") else found[0], text)
    return "" if _FIELD.search(fixed) else fixed


def fill(text: str, here: StepFacts, others: Mapping[str, RunFacts], *, missing: str | None = None) -> str:
    """Put the values into a text.

    A value that a run does not have, as after an edit of its source, becomes `missing`; without it InputError is
    raised.
    """

    def value(found: re.Match[str]) -> str:
        content = found[1]
        if content.startswith("="):
            return content[1:]
        try:
            return value_text(_evaluate(content, here, others))
        except InputError:
            if missing is None:
                raise
            return missing

    return _FIELD.sub(value, text)


def number(text: str, here: StepFacts, others: Mapping[str, RunFacts]) -> float:
    """Return the number that a text of one field stands for.

    Raises
    ------
    InputError
        When the text is not one field, or its value is not a number.
    """
    found = _FIELD.fullmatch(text)
    if found is None:
        raise InputError(f"has '{text}': write one field, as in {{reads:A}} or {{=32}}")
    value = found[1][1:] if found[1].startswith("=") else _evaluate(found[1], here, others)
    try:
        return float(value.removesuffix("%").replace(",", "") if isinstance(value, str) else value)
    except ValueError:
        raise InputError(f"has '{text}', which is '{value}' and not a number") from None


def value_text(value: Value) -> str:
    """Write a value: whole numbers with all digits, others with three significant ones."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else number_text(value)


def _evaluate(content: str, here: StepFacts, others: Mapping[str, RunFacts]) -> Value:
    """Return the value of a field, or of several with operators between them."""
    operands, operators = _split(content)
    values = [_value_of(operand, here, others) for operand in operands]
    if not operators:
        return values[0]
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        raise InputError(f"'{content}' computes with a text")
    total, term, sign = 0.0, float(numbers[0]), 1.0
    for operator, number in zip(operators, numbers[1:], strict=True):
        if operator == "*":
            term *= number
        elif operator == "/":
            if not number:
                raise InputError(f"'{content}' divides by zero")
            term /= number
        else:
            total, term, sign = total + sign * term, float(number), -1.0 if operator == "-" else 1.0
    return total + sign * term


def _value_of(operand: Field | int, here: StepFacts, others: Mapping[str, RunFacts]) -> Value:
    """Return the value of one field; raises InputError where the run has none."""
    if isinstance(operand, int):
        return operand
    if operand.run and operand.run != here.step.run:
        here = StepFacts(others[operand.run], here.step).at_end()
    if operand.name in _LENGTHS:
        run = here.facts.run
        lengths = run.kernel.names(run.size, run.block)
        if operand.name not in lengths:
            raise InputError(f"{run.kernel.id} has no length {operand.name}: it has {', '.join(lengths)}")
        return lengths[operand.name]
    return _FIELDS[operand.name](here, operand.argument)


def _split(content: str) -> tuple[list[Field | int], list[str]]:
    """Read a field, or fields and whole numbers with operators between them."""
    parts = _OPERATORS.split(content)
    return [int(part) if part.isdecimal() else parse_field(part) for part in parts[::2]], parts[1::2]


def _check(field: Field, runs: Sequence[str]) -> None:
    if field.run and field.run not in runs:
        raise InputError(f"names the run '{field.run}': the runs are {', '.join(runs)}")
    known = (*_FIELDS, *_LENGTHS)
    if field.name not in known:
        near = get_close_matches(field.name, known, 1)
        raise InputError(f"has the unknown field '{field.name}'" + (f": is it '{near[0]}'?" if near else ""))


def _sum(here: StepFacts, argument: str, what: str) -> int:
    return sum(int(getattr(count, what)) for count in here.facts.counts(argument))


def _per_request(here: StepFacts, argument: str) -> float:
    requests = _sum(here, argument, "requests")
    if not requests:
        raise InputError(f"{here.facts.trace.kernel} has no requests to {argument}")
    return _sum(here, argument, "sectors") / requests


def _efficiency(here: StepFacts, argument: str) -> str:
    names = "used_bytes", "sectors", "ideal_wavefronts", "wavefronts"
    return percent(efficiency(**{name: _sum(here, argument, name) for name in names}))


def _excess(here: StepFacts, argument: str) -> int:
    return _sum(here, argument, "wavefronts") - _sum(here, argument, "ideal_wavefronts")


def _size_of(here: StepFacts, name: str) -> int:
    return here.facts.trace.arrays[here.facts.array(name)].size


def _reads(here: StepFacts, argument: str) -> int:
    if argument:
        return _sum(here, argument, "accesses")
    return sum(c.accesses for c in here.facts.totals.arrays if c.space == "global" and c.access == "read")


def _intensity(here: StepFacts, _: str) -> float:
    found = here.facts.totals.intensity
    if found is None:
        raise InputError(f"{here.facts.trace.kernel} has no known arithmetic intensity")
    return found


def _flops(here: StepFacts, _: str) -> int:
    if here.facts.totals.flops is None:
        raise InputError(f"{here.facts.trace.kernel} has no known number of floating-point operations")
    return here.facts.totals.flops


def _best_block(here: StepFacts, argument: str) -> Value:
    run = here.facts.run
    found = suggest(run.kernel, run.size, run.device, shipped_resources)
    return {"threads": found.threads, "rounded": found.rounded, "side": found.side}[argument]


_FIELDS: Final[Mapping[str, Callable[[StepFacts, str], Value]]] = {
    "block": lambda here, axis: getattr(here.facts.run.block, axis) if axis else str(here.facts.run.block),
    "grid": lambda here, axis: getattr(here.facts.launch.grid, axis) if axis else str(here.facts.launch.grid),
    "threads": lambda here, _: here.facts.run.block.count,
    "blocks": lambda here, _: here.facts.launch.grid.count,
    "all_threads": lambda here, _: here.facts.launch.thread_count,
    "warps": lambda here, _: here.facts.launch.warps_per_block,
    "tile": lambda here, _: here.facts.run.block.x,
    "phases": lambda here, _: int(here.facts.trace.step_phase.max(initial=-1)) + 1,
    "shape": lambda here, name: "×".join(map(str, here.facts.trace.arrays[here.facts.array(name)].shape)),
    "elements": _size_of,
    "bytes": lambda here, name: _size_of(here, name) * 4,
    "reads": _reads,
    "stores": lambda here, name: _sum(here, f"{name} write", "accesses"),
    "atomics": lambda here, name: _sum(here, f"{name} atomic", "accesses"),
    "requests": lambda here, argument: _sum(here, argument, "requests"),
    "sectors": lambda here, argument: _sum(here, argument, "sectors"),
    "ideal_sectors": lambda here, argument: _sum(here, argument, "ideal_sectors"),
    "sectors_per_request": _per_request,
    "efficiency": _efficiency,
    "wavefronts": lambda here, argument: _sum(here, argument, "wavefronts"),
    "ideal_wavefronts": lambda here, argument: _sum(here, argument, "ideal_wavefronts"),
    "excess": _excess,
    "flops": _flops,
    "intensity": _intensity,
    "reads_per_element": lambda here, name: _sum(here, name, "accesses") / _size_of(here, name),
    "value": lambda here, name: here.value(name),
    "final": lambda here, name: here.value(name, here.facts.end),
    "register": lambda here, argument: here.register(argument),
    "active": lambda here, _: here.active,
    "idle": lambda here, _: here.facts.run.block.count - here.active,
    "zeros": lambda here, _: here.roles.count("zero-fill"),
    "request_sectors": lambda here, array: here.request(array, "sectors"),
    "request_ideal_sectors": lambda here, array: here.request(array, "ideal_sectors"),
    "request_wavefronts": lambda here, array: here.request(array, "wavefronts"),
    "request_lanes": lambda here, array: here.request(array, "accesses"),
    "warp_lanes": lambda here, _: here.warp_lanes,
    "executions": lambda here, text: here.facts.issued(text).warps,
    "active_lanes": lambda here, text: here.facts.issued(text).active_lanes,
    "barriers": lambda here, _: here.facts.barriers,
    "contention": lambda here, name: _sum(here, f"{name} atomic", "contention"),
    "phase": lambda here, _: int(here.facts.trace.step_phase[here.frame.step]),
    "line": lambda here, text: find_line(here.facts.trace, text),
    "right": lambda here, _: here.facts.verdict.judged - here.facts.verdict.wrong,
    "wrong": lambda here, _: here.facts.verdict.wrong,
    "results": lambda here, _: here.facts.verdict.total,
    "first_wrong": lambda here, _: first_wrong(here.facts),
    "hazards": lambda here, _: len(here.facts.trace.hazards),
    "gpu": lambda here, _: here.facts.run.device.name,
    "occupancy": lambda here, _: percent(here.facts.occupancy.fraction),
    "resident_blocks": lambda here, _: here.facts.occupancy.resident_blocks,
    "resident_warps": lambda here, _: here.facts.occupancy.resident_warps,
    "warp_slots": lambda here, _: here.facts.run.device.warps_per_sm,
    "limiter": lambda here, _: limiter_name(here.facts.occupancy),
    "registers": lambda here, _: here.facts.occupancy.resources.registers,
    "shared_bytes": lambda here, _: (
        here.facts.occupancy.resources.static_shared_bytes + here.facts.occupancy.dynamic_shared_bytes
    ),
    "best_block": _best_block,
    "gflops": lambda here, _: float(here.facts.measured.gflops or math.nan),
    "measured_on": lambda here, _: here.facts.measured_on,
}
