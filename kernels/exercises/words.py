"""Judgements in words: the line after each edit, a sentence for each finding, a title and a figure for each gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.analysis.syntax.evaluate import number_text
from kernels.exercises.findings import (
    GateFinding,
    HazardFinding,
    LaunchFinding,
    ParameterFinding,
    SourceFinding,
    TimeFinding,
    UnwrittenFinding,
    WrongFinding,
)
from kernels.exercises.model import REGISTERS_ARCH

if TYPE_CHECKING:
    from kernels.exercises.findings import Finding, Region, Relation
    from kernels.exercises.judgement import GateResult, Judgement
    from kernels.exercises.model import Case, Exercise, Gate
    from kernels.exercises.real_time import TimeResult

MARKS: Final = {True: "✓", False: "✗", None: "–"}
"""Marks before a result: passed, not passed, and neither."""


def summary(judgement: Judgement) -> str:
    """Return the line after an edit: "3 of 4 sizes right; at 5×7×3 C[4][6] = 0, should be 31"."""
    right, total = sum(result.right for result in judgement.cases), len(judgement.exercise.cases)
    if judgement.passed:
        return f"Passed: {_sizes(total, total)} right; {gate_words(judgement.exercise, judgement.gates[1])}"
    first = judgement.findings[0]
    if len(judgement.cases) < total:
        return sentence(judgement.exercise, first)
    sizes = f"{_sizes(right, total)} right"
    wrong = next((f for f in judgement.findings if isinstance(f, WrongFinding | UnwrittenFinding)), None)
    if right < total and wrong is not None:
        return f"{sizes}; at {case_words(judgement.exercise, wrong.case)} {_element(wrong)}"
    missed = next((result for result in judgement.gates[1:] if result.passed is False), None)
    return sizes if missed is None else f"{sizes}; {gate_words(judgement.exercise, missed)}"


def verdict(judgement: Judgement) -> str:
    """Return the line above the findings, of which it repeats none: "3 of 4 sizes right; 1 hazard"."""
    exercise, right = judgement.exercise, sum(result.right for result in judgement.cases)
    if judgement.passed:
        return summary(judgement)
    if len(judgement.cases) < len(exercise.cases):
        return _ended(judgement.findings[0])
    sizes = f"{_sizes(right, len(exercise.cases))} right"
    missed = next((result for result in judgement.gates[1:] if result.passed is False), None)
    return sizes if missed is None else f"{sizes}; {gate_words(exercise, missed)}"


def sentence(exercise: Exercise, finding: Finding) -> str:
    """Return what is wrong, where, and what helps."""
    match finding:
        case SourceFinding(line=line, column=column, reason=reason):
            return f"Line {line}, column {column}: {_end(reason)}"
        case ParameterFinding():
            return _parameters(finding)
        case LaunchFinding(reason=reason, case=case):
            at = "" if case is None else f"At {case_words(exercise, case)} the launch is refused: "
            told = at + reason
            return _end(told[:1].upper() + told[1:])
        case TimeFinding(case=case, seconds=seconds):
            return (
                f"At {case_words(exercise, case)} the kernel still runs after {seconds:g} s: "
                "look for a loop that does not end, or that has many more rounds than the problem needs."
            )
        case HazardFinding():
            return _hazard(exercise, finding)
        case UnwrittenFinding():
            return _unwritten(exercise, finding)
        case WrongFinding():
            return _wrong(exercise, finding)
        case GateFinding():
            return _gate_missed(finding)


def case_words(exercise: Exercise, case: Case) -> str:
    """Return the size of a case, with its block if that is not the given one."""
    workload = exercise.kernel.workload
    lengths = workload.scalars(case.size)
    matrix = any(spec.output and len(spec.shape) == 2 for spec in workload.arrays(case.size))
    if matrix and not workload.square:
        words = "×".join(map(str, lengths.values()))
    else:
        words = ", ".join(f"{name} = {value}" for name, value in lengths.items())
    if case.block == exercise.kernel.block:
        return words
    x, y, z = case.block
    return f"{words} in blocks of {x if y == z == 1 else case.block}"


def gate_title(exercise: Exercise, gate: Gate) -> str:
    """Return the name of a gate in a list."""
    of = f" of {gate.array}" if gate.array else ""
    verb = {"read": "read", "write": "written", "atomic": "updated"}[gate.access]
    what = {
        "right": "Right results",
        "hazards": "Hazards",
        "sectors": f"Sectors per request, {gate.array or 'everything'} {verb}",
        "wavefronts": "Wavefronts that bank conflicts add",
        "loads": f"Loads{of} from global memory",
        "shared_loads": "Loads from shared memory",
        "atomics": f"Atomics on {gate.array or 'global memory'}",
        "divergence": "Statements executed by part of a warp",
        "barriers": "Barriers of a block",
        "registers": f"Registers of a thread ({REGISTERS_ARCH})",
    }[gate.kind]
    return what if gate.case is None else f"{what}, at {case_words(exercise, gate.case)}"


def gate_figure(result: GateResult) -> str:
    """Return the figure of a gate with its limit: "16 of at most 4.5"; "" for one that was not reached."""
    if result.limit is None:
        return ""
    if result.figure is None:
        return "not judged, because that needs NVRTC"
    if result.gate.kind == "right":
        return f"{result.figure:g} of {_sizes(result.limit, result.limit).split(' of ')[-1]}"
    most = "none allowed" if not result.limit else f"at most {_number(result.limit)}"
    return f"{_number(result.figure)} ({most})"


def gate_words(exercise: Exercise, result: GateResult) -> str:
    """Return a gate and its figure in a few words."""
    title = gate_title(exercise, result.gate)
    if result.gate.kind == "hazards":
        return f"{result.figure:g} hazard{'s' * (result.figure != 1)}" if result.figure else "no hazards"
    figure = gate_figure(result)
    return f"{title}: {figure}" if figure else f"{title}: not reached"


def time_title(exercise: Exercise, gpu: str = "a GPU") -> str:
    """Return the name of the gate on real time in a list; the exercise must have one."""
    assert exercise.time is not None
    return f"Time on {gpu}, at {case_words(exercise, exercise.time.case)}"


def time_words(result: TimeResult) -> str:
    """Return the gate on real time with what was measured."""
    return f"{time_title(result.exercise, result.gpu or 'a GPU')}: {_time_figure(result)}"


# --- parts -------------------------------------------------------------------------------------------------


def _time_figure(result: TimeResult) -> str:
    asked = f"at least {result.gate.at_least:g}×"
    match result.outcome:
        case "faster" | "slower" if result.speed_up is not None:
            return f"{result.speed_up.middle:.3g}× as fast as the given kernel ({asked})"
        case "no change":
            return f"no measurable difference from the given kernel ({asked})"
        case "wrong":
            return f"wrong on the GPU, so it was not timed: {result.reason}"
        case "disturbed":
            return f"nothing can be claimed, measure again: {result.reason}"
    return f"not measured: {result.reason}"


def _ended(finding: Finding) -> str:
    """Return what became of the runs after the finding that ended them."""
    match finding:
        case SourceFinding(line=line):
            return f"Line {line} has an error: nothing is checked yet"
        case ParameterFinding():
            return "Other parameters than the given ones: nothing is checked yet"
        case LaunchFinding(case=None):
            return "The text cannot be launched: nothing is checked yet"
        case LaunchFinding():
            return "A launch is refused"
        case TimeFinding():
            return "A run takes too long"
    return "A run was stopped"


def _sizes(right: float, total: float) -> str:
    return f"{right:g} of {total:g} size{'s' * (total != 1)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _end(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _element(finding: WrongFinding | UnwrittenFinding) -> str:
    if isinstance(finding, UnwrittenFinding):
        return f"{finding.element} is never written"
    return f"{finding.element} = {number_text(finding.value)}, should be {number_text(finding.expected)}"


def _hazard(exercise: Exercise, finding: HazardFinding) -> str:
    """Return the report of a hazard; of a race with advice of the exercise only the two accesses, and the advice."""
    hazard, advice = finding.hazard, exercise.advice.get(finding.hazard.kind, "")
    what = _end(finding.message)
    if hazard.kind == "data-race" and advice and len(hazard.accesses) == 2:
        (first, one), (second, other) = zip(finding.threads, hazard.accesses, strict=True)
        if one.access == other.access:
            what = f"{first} and {second} both {_PLURAL[one.access]} {finding.element}, in no order."
        else:
            accesses = f"{first} {_SINGULAR[one.access]} {finding.element} and {second} {_SINGULAR[other.access]} it"
            what = f"{accesses}, in no order."
    start = f"Line {hazard.at}, at {case_words(exercise, finding.case)}: {what}"
    return " ".join(part for part in (start, advice, finding.in_this_run) if part)


_SINGULAR: Final = {"read": "reads", "write": "writes", "atomic": "changes"}
_PLURAL: Final = {"read": "read", "write": "write", "atomic": "change"}


def _parameters(finding: ParameterFinding) -> str:
    if finding.missing:
        names = ", ".join(finding.missing)
        return f"{finding.kernel} has no parameter {names} any more: keep the parameters of the given kernel, by name."
    names = ", ".join(finding.unknown)
    return (
        f"{finding.kernel} has a new parameter {names}, which gets no value: keep the parameters of the given kernel."
    )


def _are(count: int, total: int, array: str, region: Region) -> str:
    """Return which elements, with the verb: "C from row 4 to its last row (14 of 35 elements) is"."""
    counted = f"{count:,} of {total:,} elements"
    match region.kind:
        case "all" if count == total:
            return f"every element of {array} is"
        case "rows":
            return f"{array} from row {region.first} to its last row ({counted}) is"
        case "columns":
            return f"{array} from column {region.first} to its last column ({counted}) is"
        case "beyond":
            return f"{array} from row {region.first} and from column {region.second} on ({counted}) is"
        case "elements":
            return f"{array} from element {region.first} to its last element ({counted}) is"
        case "above":
            return f"{array} above its diagonal ({counted}) is"
        case "below":
            return f"{array} below its diagonal ({counted}) is"
        case "off-diagonal":
            return f"{array} without its diagonal ({counted}) is"
    return f"{counted} of {array} {'is' if count == 1 else 'are'}"


def _unwritten(exercise: Exercise, finding: UnwrittenFinding) -> str:
    at = case_words(exercise, finding.case)
    if not finding.writes:
        return f"At {at}, no thread writes {finding.array}: store the result of each thread in its element."
    which = _are(finding.count, finding.total, finding.array, finding.region)
    first = "" if finding.count == 1 else ", the first is"
    start = f"At {at}, {which} never written{first or ':'} {finding.element}"
    region, (x, y, z) = finding.region, finding.threads
    if y == z == 1 and finding.last and finding.index == x < finding.total:
        return (
            f"{start}. The grid has {x} threads for {finding.total} elements: round the number of blocks up, not down."
        )
    exchanged = _exchanged_axes(exercise, finding)
    if exchanged:
        return f"{start}. {exchanged}"
    round_up = "round the number of blocks up, not down"
    if region.kind == "beyond" and (region.first, region.second) == (y, x):
        return f"{start}. The grid has only {x}×{y} threads: {round_up}."
    for kind, axis, threads, other in (("columns", "x", x, y), ("rows", "y", y, x)):
        if region.kind == kind and region.first == threads > 1:
            return f"{start}. The grid has only {threads} threads along {axis}: {round_up}."
        if region.kind == kind and region.first == other < threads:
            return f"{start}. The grid has {x} threads along x and {y} along y: let x count columns, and y rows."
    if region.kind in ("above", "below"):
        return f"{start}. The result is symmetric: the thread of an element can store its mirror image, too."
    if finding.threads.count >= finding.total:
        advice = "The grid has enough threads: look at the index of the write, and at the condition in front of it."
    else:
        advice = "Look at the index of the write, and whether each thread writes all its elements."
    return f"{start}. {exercise.advice.get('unwritten', advice)}"


def _exchanged_axes(exercise: Exercise, finding: UnwrittenFinding) -> str:
    """Return the advice for a grid or an index in which rows and columns are exchanged; "" for any other mistake.

    Example: 5×7 elements in blocks of 4×2 need 2×3 blocks. Exchanged numbers of blocks are 3×2, exchanged lengths
    2×4. With 2×3 blocks, blockIdx.x counts rows if the first 2·2 rows are written, and blockIdx.y the others.
    """
    workload, case, region = exercise.kernel.workload, finding.case, finding.region
    shape = next(spec.shape for spec in workload.arrays(case.size) if spec.name == finding.array)
    if len(shape) != 2 or region.kind not in ("rows", "columns"):
        return ""
    rows, columns = shape
    x, y, _ = case.block
    grid = (finding.threads.x // x, finding.threads.y // y)
    needed = (-(-columns // x), -(-rows // y))
    counts_columns = region.first == (finding.threads.y if region.kind == "rows" else finding.threads.x)
    if grid == needed and region.first == (grid[0] * y if region.kind == "rows" else grid[1] * x) and x != y:
        return (
            f"blockIdx.x counts rows here, but the grid has {grid[0]} blocks along x for the {columns} columns, and "
            f"{grid[1]} along y for the {rows} rows. Let blockIdx.x count columns, and blockIdx.y rows."
        )
    if grid == needed or not counts_columns:
        return ""
    if grid == (-(-rows // x), -(-columns // y)):
        if "grid" not in exercise.answer_sets:
            return (
                f"The grid has {finding.threads.x} threads along x for the {rows} rows of {finding.array}, and "
                f"{finding.threads.y} along y for its {columns} columns: let x count these rows, and y these columns."
            )
        names = {length: name for name, length in reversed(workload.scalars(case.size).items())}
        m, n = names.get(rows, f"{rows}"), names.get(columns, f"{columns}")
        return (
            f"The grid has {finding.threads.x} threads along x and {finding.threads.y} along y: x divides {m} instead "
            f"of {n}, and y {n} instead of {m}. Let x cover the {columns} columns, and y the {rows} rows."
        )
    if grid == needed[::-1]:
        return (
            "blockIdx.x counts columns here, but the grid has its number of blocks of rows in x: "
            f"the {columns} columns need {needed[0]} blocks along x, not {grid[0]}, "
            f"and the {rows} rows {needed[1]} along y, not {grid[1]}."
        )
    return ""


def _wrong(exercise: Exercise, finding: WrongFinding) -> str:
    at = case_words(exercise, finding.case)
    which = _are(finding.count, finding.total, finding.array, finding.region)
    first = "" if finding.count == 1 else ", the first is"
    start = f"At {at}, {which} wrong{first or ':'} {_element(finding)} (stored in line {finding.line})"
    if finding.relation is None:
        return f"{start}. {exercise.advice.get('wrong', _GENERAL)}"
    return f"{start}. {_relation(exercise, finding.relation, finding)}"


_GENERAL: Final = "Step to the write of this element, and follow its value back."


def _relation(exercise: Exercise, relation: Relation, finding: WrongFinding) -> str:
    panels = {panel.place: panel.array for panel in exercise.kernel.workload.panels}
    operand = panels.get("top" if relation.kind.startswith("right") else "left", "the array")
    match relation.kind:
        case "transposed":
            return f"Each has the value of its mirror image, {finding.array}[column][row]: row and column are swapped."
        case "first-products" if relation.number == relation.of - 1:
            return f"Each lacks the last of its {relation.of} products: the loop ends one round too early."
        case "first-products":
            return (
                f"Each is the sum of the first {relation.number} of {relation.of} products: "
                "the loop ends too early, or the last tile, which is only partly filled, is lost."
            )
        case "last-products" if relation.number == relation.of - 1:
            return f"Each is the last of its {relation.of} products alone: add to the sum instead of replacing it."
        case "last-products" if relation.number == 1:
            return f"Each lacks the first of its {relation.of} products: the loop begins one round too late."
        case "last-products":
            return (
                f"Each is the sum of the last {relation.of - relation.number} of {relation.of} products: "
                "the loop begins too late, or the sum is set to 0 again in every round."
            )
        case "multiple":
            return f"Each is {relation.number} times the correct value: it is added up {relation.number} times."
        case "left-transposed" | "right-transposed":
            return f"Each is the product with {operand} transposed: row and column are swapped where {operand} is read."
        case "left-pitch" | "right-pitch":
            return (
                f"{operand} is read as if its rows had {relation.number} elements, but they have {relation.of}: "
                f"the number of an element is row times the length of a row of {operand}, plus column."
            )
        case "neighbour":
            where = [
                f"{abs(n)} {what}{'s' * (abs(n) > 1)} {'further' if n > 0 else 'before'}"
                for n, what in ((relation.rows, "row"), (relation.columns, "column"))
                if n
            ]
            return f"Each has the value of the element {' and '.join(where)}: an index is off by one."
        case "constant":
            advice = exercise.advice.get("wrong", "Each thread has to compute the value of its element.")
            return f"Every element of {finding.array} is {number_text(relation.value)}. {advice}"
        case "first-elements" | "last-elements" | "first-of-group" | "last-of-group":
            return " ".join(filter(None, (_part_of_sum(relation), exercise.advice.get("wrong", ""))))
        case "tiles-transposed" | "tiles-mirrored":
            wrong = (
                "in the right place, but its rows and columns are not exchanged"
                if relation.kind == "tiles-transposed"
                else "right in itself, but is in the place of its mirror image"
            )
            return f"Each tile of {relation.number}×{relation.number} elements is {wrong}."
        case "scaled-rows":
            off = "small" if relation.value > 1 else "large"
            return (
                f"The elements of each row are in the right proportion, but those of row {relation.rows} add up to "
                f"{relation.value:.3g}, not to 1: the sum by which they are divided is too {off}. It needs one term of "
                "each element, and all terms have to belong to the same largest element."
            )
        case "not-a-number":
            general = "NaN comes from memory without a value: outside of an array, or in an element that was never set."
            return exercise.advice.get("not-a-number", general)


def _part_of_sum(relation: Relation) -> str:
    end, _, what = relation.kind.partition("-")
    which = end if relation.number == 1 else f"{end} {relation.number}"
    total = f"every {relation.of}" if what == "of-group" else f"{relation.of}"
    return f"It is the sum of the {which} of {total} elements only."


_REMEDIES: Final = {
    "sectors": "Let threadIdx.x run along a row, so that neighbouring threads access neighbouring elements.",
    "wavefronts": "Let the lanes of a warp use different banks: begin each row of the tile one bank further.",
    "loads": "Load each element once for the whole block, and keep it in shared memory while it is needed.",
    "shared_loads": "Keep values that several products need in registers.",
    "atomics": "Add up in registers or in shared memory first, and use one atomic for the sum.",
    "divergence": "Let whole warps take one side of a branch: the lanes of a warp have consecutive thread numbers.",
    "barriers": "Exchange values within a warp by shuffles, which need no barrier.",
    "registers": "Keep fewer values of a thread at once.",
}


_COUNTED: Final = {
    "wavefronts": "wavefronts that bank conflicts add",
    "loads": "loads{} from global memory",
    "shared_loads": "loads from shared memory",
    "atomics": "atomics{}",
    "divergence": "statements executed by part of a warp",
    "barriers": "barriers",
}


def _gate_missed(finding: GateFinding) -> str:
    """Return the line that causes the count, and what helps; the count is in the summary and in the list of gates."""
    gate = finding.gate
    advice = gate.advice or _REMEDIES[gate.kind]
    if gate.kind == "registers":
        return f"A thread takes {_number(finding.figure)} registers, {_number(finding.limit)} are the limit. {advice}"
    if not finding.line:
        return advice
    if gate.kind == "sectors":
        return f"In line {finding.line}, {_distance(finding)}. {advice}"
    counted = _COUNTED[gate.kind].format(f" of {gate.array}" * bool(gate.array))
    return f"Line {finding.line} has most of the {counted}. {advice}"


def _distance(finding: GateFinding) -> str:
    """Return the distance of the elements that neighbouring threads access."""
    start = f"neighbouring threads access elements of {finding.array}"
    match finding.stride:
        case None:
            return f"the threads of a warp access {finding.array}"
        case _ if finding.whole_row:
            return f"{start} that are a whole row apart"
        case 0:
            return f"neighbouring threads access one element of {finding.array}"
        case 1:
            return f"neighbouring threads access neighbouring elements of {finding.array}"
    return f"{start} that are {abs(finding.stride)} apart"
