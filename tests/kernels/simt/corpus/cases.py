"""Kernels with their launches and their expected outcomes, written as comments in `.cu` files.

Every kernel of a file of this folder is a case of the kernel's name. Its launch stands in lines `//:` above it; those
in the first comment of a file are for all of its kernels, where a kernel says nothing else:

    //: <<<2, (8, 4), 64>>> every schedule     grid, block, bytes of dynamic shared memory, and the schedules; without
                                               this line <<<1, 8>>> in lockstep. With `unrecorded` each run is also
                                               made without a record
    //: a = arange(8)                          an argument; it takes the type of its parameter. Other pointers get
                                               arrays without contents, of one element a thread, unless they are
                                               `missing`
    //: template T = float, N = 2              arguments of a template kernel
    //: options contract=False                 fields of `Options`
    //: out[t] == 2 * t                        of every element t of an output: its value, in Python
    //: out == before["a"][::-1]               any other condition, in NumPy, on outputs, arguments (`before`), the
                                               text that is printed (`printf`), and the `trace`
    //: data-race                              a kind of hazard
    //: besides out-of-bounds                  kinds of hazards that are not looked at
    //: error: words                           the run is refused with these words
    //: or                                     one more launch of the same kernel

A place is given below its line, by a `^` under its column; above a kernel it belongs to the next one:

    C[t] = A[t + 2];
    //     ^ out-of-bounds x2 in A[8]: words   a hazard, how many times it happens, its array or element, and words of
                                               its message, with N for the number of a line; all but the kind may be
                                               left out
    int x = y;
    //      ^ error: unknown name 'y'

A run has exactly the hazards that are stated, every case without them has none. Kernels that differ in a few words
are written with a macro, whose first parameter is the NAME; lines `//:` above its definition are for all of them, and
one may follow a use in its line.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from kernels.frontend import parse
from kernels.frontend.instances import Instances
from kernels.frontend.types import Pointer, Scalar
from kernels.launch import Dim3, Launch
from kernels.number_types import round_to_bfloat
from kernels.simt import Options, Sampler, Texture, Unwritten, choose_kernel, run
from kernels.simt.compiler.structs.layout import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernels.frontend.types import CType
    from kernels.simt import Argument
    from kernels.trace import Trace

FOLDER: Final = Path(__file__).parent
SCHEDULES: Final = ("lockstep", "warps", "reversed", "shuffle:3")

_NOTE: Final = re.compile(r"\s*//: ?(.*)")
_MARK: Final = re.compile(r"\s*// *\^ (.*)")
_KERNEL: Final = re.compile(r"__global__\s[^(;]*?(?:__launch_bounds__\(.*?\)\s*)?\b(\w+)\s*\(")
_DEFINE: Final = re.compile(r"#define ([A-Z][A-Z_0-9]*)\(NAME\b")
_USE: Final = re.compile(r"([A-Z][A-Z_0-9]*)\((\w+)\b")
_LAUNCH: Final = re.compile(r"<<<(.*)>>>(.*)")
_ARGUMENT: Final = re.compile(r"([a-z_A-Z][\w.\[\]]*) = (.*)")
_FINDING: Final = re.compile(r"(error|assertion|[a-z]+(?:-[a-z]+)+)(?: x(\d+))?(?: in ([^:]+))?(?:: (.*))?")
_ELEMENT: Final = re.compile(r"([\w.\[\]]+)\[t\] == (.*)")


@dataclass(frozen=True)
class Finding:
    """A hazard or an error that is expected; a place is a line and a column."""

    kind: str
    count: int | None
    element: str
    """The array of a hazard, or its element."""
    words: str
    place: tuple[int, int] | None = None


@dataclass(frozen=True)
class Case:
    """One launch of a kernel and its outcome."""

    file: Path
    kernel: str
    number: int = 1
    launch: str = "1, 8"
    schedules: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    template: tuple[tuple[str, str], ...] = ()
    options: str = ""
    ignored: frozenset[str] = frozenset()
    """Kinds of hazards that are not looked at."""
    conditions: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    common: frozenset[str] = field(default=frozenset(), compare=False)
    """Arguments of the file, which a kernel need not have."""

    @property
    def name(self) -> str:
        """The name of a failing test: folder, file and kernel."""
        path = self.file.relative_to(FOLDER).with_suffix("").as_posix()
        return f"{path}:{self.kernel}" + (f":{self.number}" if self.number > 1 else "")

    @property
    def runs(self) -> list[str]:
        """The schedules; `unrecorded` follows those without a record."""
        words = self.schedules.split()
        named = [word for word in words if word not in ("every", "schedule", "unrecorded")]
        chosen = SCHEDULES if "every" in words else named or SCHEDULES[:1]
        return [f"{name}{end}" for name in chosen for end in ("", " unrecorded")[: 1 + ("unrecorded" in words)]]


@cache
def cases(file: Path) -> tuple[Case, ...]:
    """Read a file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    top = next((n for n, line in enumerate(lines) if not line.startswith("//")), len(lines))
    common = _noted([m[1] for line in lines[:top] if (m := _NOTE.fullmatch(line))], Case(file, ""))
    found: list[Case] = []
    macros: dict[str, Case] = {}
    notes: list[str] = []
    marks: list[Finding] = []
    place, defining, inside = 0, False, False
    for number, line in enumerate(lines[top:], top + 1):
        if note := _NOTE.fullmatch(line):
            notes.append(note[1])
        elif mark := _MARK.fullmatch(line):
            finding = _finding(mark[1], (place, line.index("^") + 1))
            if inside:
                found[-1] = replace(found[-1], findings=(*found[-1].findings, finding))
            else:
                marks.append(finding)
        elif not line.lstrip().startswith("//"):
            place = number
            count = len(found)
            if macro := _DEFINE.match(line):
                macros[macro[1]], notes = _noted(notes, common), []
            elif use := _USE.match(line):
                notes += re.findall(r"  //: (.*)", line)
                found += _launches(notes, replace(macros[use[1]], kernel=use[2]))
                notes = []
            elif (head := _KERNEL.search(line)) and not defining:
                found += _launches(notes, replace(common, kernel=head[1]))
                notes = []
            defining = line.endswith("\\")
            if len(found) > count:
                found[-1] = replace(found[-1], findings=(*found[-1].findings, *marks))
                marks, inside = [], True
            elif line in ("", "}"):
                inside = False
    return tuple(found)


def _launches(notes: list[str], case: Case) -> Iterator[Case]:
    parts: list[list[str]] = [[]]
    for note in notes:
        if note == "or":
            parts.append([])
        else:
            parts[-1].append(note)
    for number, part in enumerate(parts, 1):
        yield _noted(part, replace(case, number=number))


def _finding(text: str, place: tuple[int, int] | None = None) -> Finding:
    match = _FINDING.fullmatch(text)
    assert match, f"no hazard and no error: {text}"
    return Finding(match[1], int(match[2]) if match[2] else None, match[3] or "", match[4] or "", place)


def _noted(notes: list[str], case: Case) -> Case:
    """Read the lines above a kernel."""
    arguments, conditions, findings = dict(case.arguments), list(case.conditions), list(case.findings)
    changes: dict[str, Any] = {}
    for note in notes:
        if launch := _LAUNCH.fullmatch(note):
            changes |= {"launch": launch[1], "schedules": launch[2]}
        elif note.startswith("template"):
            pairs = (pair.partition(" =") for pair in re.split(r", (?=\w+ =)", note.removeprefix("template").strip()))
            changes["template"] = tuple((name, value.strip()) for name, _, value in pairs if name)
        elif note.startswith("options "):
            changes["options"] = note.removeprefix("options ")
        elif note.startswith("besides "):
            changes["ignored"] = frozenset(note.removeprefix("besides ").split(", "))
        elif _FINDING.fullmatch(note):
            findings.append(_finding(note))
        elif argument := _ARGUMENT.fullmatch(note):
            arguments[argument[1]] = argument[2]
        else:
            conditions.append(note)
    if not case.kernel:
        changes["common"] = frozenset(arguments)
    changes |= {"arguments": tuple(arguments.items()), "conditions": tuple(conditions), "findings": tuple(findings)}
    return replace(case, **changes)


@lru_cache(maxsize=2)  # cases run file by file; what is kept longer makes every garbage collection longer
def instances(file: Path) -> Instances:
    """Parse a file, and instantiate its templates, once for all of its kernels."""
    return Instances(parse(file.read_text(encoding="utf-8"), file.name))


def outcome(case: Case, schedule: str) -> tuple[Trace, dict[str, Argument]]:
    """Run a case; returns the trace and the arguments."""
    grid, block, dynamic = (*ast.literal_eval(f"({case.launch},)"), 0)[:3]
    launch = Launch(_sides(grid), _sides(block), dynamic)
    schedule, _, unrecorded = schedule.partition(" ")
    options = Options(schedule, **{"advise": False, "record": not unrecorded, **eval(f"dict({case.options})")})
    template = dict(case.template)
    shared = instances(case.file)
    source = shared.program
    parameters = choose_kernel(source, case.kernel, template, shared).parameters
    types = {p.name: p.type for p in parameters} | {v.name: Pointer(v.type) for v in source.variables}
    given: dict[str, Argument] = {
        name: _argument(eval(text, dict(NAMES)), types.get(name))
        for name, text in case.arguments
        if text != "missing" and (name not in case.common or name in types)
    }
    threads = launch.grid.count * launch.block.count
    for parameter in parameters:
        kind = parameter.type
        if isinstance(kind, Pointer) and not any(re.match(rf"{parameter.name}\b", name) for name, _ in case.arguments):
            given[parameter.name] = _argument(Shape((threads,)), kind)
    return run(source, launch, given, kernel=case.kernel, template=template, options=options, instances=shared), given


def _sides(given: int | tuple[int, ...]) -> Dim3:
    return Dim3(*given) if isinstance(given, tuple) else Dim3(given)


@dataclass(frozen=True)
class Shape:
    """The shape of an array without contents, and its type if it is not that of the parameter."""

    sides: tuple[int, ...]
    dtype: str = ""


def _argument(value: Any, kind: CType | None) -> Argument:
    """Give an array the type of its parameter, unless it was made of a type that is not NumPy's default."""
    parts = leaves(kind.to) if isinstance(kind, Pointer) else ()
    types = {leaf.type.dtype for leaf in parts if isinstance(leaf.type, Scalar)}
    dtype = types.pop() if len(types) == 1 else None
    if isinstance(value, Shape):
        rows = (len(parts),) if len(parts) > 1 and not value.sides[1:] else ()
        return Unwritten(value.dtype or dtype or "float32", (*value.sides, *rows))
    if isinstance(value, list | range):
        value = np.array(value)
    if isinstance(value, np.ndarray) and dtype is not None and value.dtype in ("int64", "float64", "bool"):
        return value.astype(dtype)
    return value  # type: ignore[no-any-return]


NAMES: Final[dict[str, Any]] = {
    **{
        name: getattr(np, name)
        for name in ("arange", "array", "full", "inf", "linspace", "nan", "ones", "where", "zeros")
    },
    "approx": pytest.approx,
    "bfloat": round_to_bfloat,
    "math": math,
    "np": np,
    "random": np.random.default_rng,
    "texture": lambda pixels, words: Texture(pixels, Sampler.of(words.split())),
    "unwritten": lambda *sides, dtype="": Shape(sides, dtype),
}
"""Names in arguments and conditions, besides Python's own."""


def assert_conditions(case: Case, found: Trace, given: dict[str, Argument]) -> None:
    """Assert what the case says of the outputs and the trace."""
    names = {**NAMES, **given, **found.outputs, "before": given, "trace": found, "printf": "\n".join(found.printf)}
    for condition in case.conditions:
        if element := _ELEMENT.fullmatch(condition):
            values = found.outputs[element[1]].reshape(-1).tolist()
            compiled = compile(element[2], condition, "eval")
            assert values == [eval(compiled, {**names, "t": t}) for t in range(len(values))], condition
        else:
            shown = {name: found.outputs[name].tolist() for name in found.outputs if name in condition}
            assert np.all(eval(condition, names)), f"{condition}: {shown or found.printf}"


def assert_findings(case: Case, found: Trace) -> None:
    """Assert that the hazards are those that are stated."""
    pairs = [pair for hazard in found.hazards for pair in hazard.pairs if pair.kind not in case.ignored]
    unexpected = [h for h in pairs if not any(_fits(h, finding) for finding in case.findings)]
    assert not unexpected, [(h.kind, h.line, h.column, h.count, h.message) for h in unexpected]
    missing = [finding for finding in case.findings if not any(_fits(h, finding, words=True) for h in pairs)]
    assert not missing, (missing, [(h.kind, h.line, h.column, h.count, h.message) for h in pairs])


def _fits(hazard: Any, finding: Finding, *, words: bool = False) -> bool:
    return (
        hazard.kind == finding.kind
        and finding.place in (None, (hazard.line, hazard.column))
        and finding.count in (None, hazard.count)
        and finding.element in ("", hazard.array, f"{hazard.array}[{hazard.index}]")
        and (not words or _says(hazard.message, finding))
    )


def _says(message: str, finding: Finding) -> bool:
    return finding.words in re.sub(r"line \d+", "line N", message)
