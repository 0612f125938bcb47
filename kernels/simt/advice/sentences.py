"""Sentences that advise a cure of a race, composed from the cure and the two accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.frontend.ast.span import in_file
from kernels.trace.cures import CureKind
from kernels.words import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kernels.simt.checkers.racecheck.reports import RaceReport
    from kernels.trace.cures import Cure, Insertion, Replacement

_ORDERED: Final = (CureKind.BARRIER, CureKind.FENCE, CureKind.SCOPE, CureKind.MEMORY_ORDER)
"""Cures that order accesses of different blocks by an existing atomic."""

_SHOWN: Final = 3
"""Maximum number of replacements that are listed."""


def message(race: RaceReport, cure: Cure, others: int) -> str:
    """Return the report of a race: the accesses, why they are not ordered, the cure, and how many pairs share it."""
    more = f" (and {plural(others, 'more pair')} of accesses with this cause)" if others else ""
    return f"{race.accesses}, {_reason(race, cure)}: {sentence(race, cure)}{more}"


def _reason(race: RaceReport, cure: Cure) -> str:
    same = "; both write the same value" if race.same else ""
    if race.blocks and cure.kind in _ORDERED:
        return f"and different blocks run in no order{same}"
    if cure.kind == CureKind.FENCE:
        return f"with no fence or __syncthreads() between the two{same}"
    return race.reason(warp=any("__syncwarp" in insertion.call for insertion in cure.insertions))


def sentence(race: RaceReport, cure: Cure) -> str:
    """Return the advice of a cure."""
    match cure.kind:
        case CureKind.BARRIER | CureKind.FENCE:
            return "put " + ", and ".join(_insertion(part) + _purpose(part) for part in cure.insertions)
        case CureKind.READ_FIRST:
            return _read_first(cure)
        case CureKind.SPLIT_BRANCH | CureKind.SPLIT_ELSE | CureKind.SPLIT_RETURN:
            return _split(race, cure)
        case CureKind.SCOPE:
            return f"an atomic or a fence of block scope does not reach other blocks: {_replacement_text(cure)}"
        case CureKind.MEMORY_ORDER:
            return f"a relaxed atomic orders no other access: {_replacement_text(cure)}"
        case CureKind.ATOMIC:
            return _atomic(race, cure)
        case CureKind.ATOMIC_UPDATE | CureKind.COMPARE_AND_SWAP:
            return _update(cure)
        case CureKind.ONE_WRITER:
            return f"let one thread alone write it: put if ({cure.condition}) before it"
        case CureKind.CARVING:
            return _overlap(cure)
        case CureKind.COPY_WAIT:
            return f"put {_insertion(cure.insertions[0])}, to wait for it before the barrier"
        case CureKind.GRID_BARRIER:
            return "in a cooperative launch, put " + ", and ".join(_insertion(part) for part in cure.insertions)
        # Not proposed: only saved traces of earlier versions have them.
        case CureKind.SECOND_ARRAY | CureKind.SAME_ROUNDS:
            raise ValueError(cure.kind)


def _insertion(part: Insertion) -> str:
    """Return a call and its place."""
    after, before = (f"line {in_file(n, part.file)}" for n in (part.after_line, part.before_line))
    outside = f", outside the branch of line {in_file(part.outside_line, part.file)}" if part.outside_line else ""
    if part.repeats and part.braces_line:
        braces = f"with braces around the body of line {in_file(part.braces_line, part.file)}"
        where = f"after {after}, before {before} runs again, {braces}"
    elif part.repeats:
        where = f"after {after}{outside}, before {before} runs again"
    elif not part.after_line:
        where = f"before {before}"
    elif not part.before_line:
        where = f"after {after}{outside}"
    elif part.after_line == part.before_line:
        where = f"between the two statements of {after}"
    else:
        where = f"between {after} and {before}{outside}"
    return f"{part.call.replace('; ', ' and ')} {where}"


def _purpose(part: Insertion) -> str:
    """Return the purpose of a call at an atomic."""
    if not part.atomic_line:
        return ""
    line = in_file(part.atomic_line, part.file)
    if part.acquires:
        return f", so that nothing after it is done before the atomic of line {line}"
    if "__syncthreads" in part.call:
        return f", so that all threads of the block are done before others see the atomic of line {line}"
    return f", so that a thread that sees the atomic of line {line} also sees what was written before it"


def _read_first(cure: Cure) -> str:
    barrier, *ends = cure.insertions
    if cure.steps:
        first, last = (in_file(n, barrier.file) for n in (cure.steps[0], cure.steps[-1]))
        return (
            f"in each of the {len(cure.steps)} steps from line {first} to line {last}, read into a variable first, "
            f"put {barrier.call} before the write, and another one after it"
        )
    outside = f", outside the branch of line {in_file(cure.branch_line, barrier.file)}" if cure.branch_line else ""
    again = f", and put {_insertion(ends[0])}" if ends else ""
    return f"read {cure.expression} into a variable first, then put {barrier.call} before the write{outside}{again}"


def _split(race: RaceReport, cure: Cure) -> str:
    part = cure.insertions[0]
    branch, after, before = (in_file(n, part.file) for n in (cure.branch_line, part.after_line, part.before_line))
    declare = f"declare {cure.declared.rstrip(';')} before line {branch}, " if cure.declared else ""
    if cure.kind == CureKind.SPLIT_ELSE:
        split = (
            f"end the branch of line {branch} after its first side, put {part.call} there for all threads, "
            f"and replace its else by if ({cure.condition})"
        )
    elif cure.kind == CureKind.SPLIT_RETURN:
        split = (
            f"instead of the return in line {branch}, {declare}put what follows, up to line {after}, under "
            f"if ({cure.condition}), then {part.call} for all threads, and line {before} and what follows it under "
            f"if ({cure.condition}) again"
        )
    else:
        split = (
            f"{declare}end the branch of line {branch} after line {after}, put {part.call} there for all threads, "
            f"and begin it again, with if ({cure.condition}), before line {before}"
        )
    return f"in a cooperative launch, {split}" if race.blocks else split


def _replacement_text(cure: Cure) -> str:
    return "use " + _join(f"{part.new} in place of {part.old} in {_line(part)}" for part in cure.replacements)


def _join(parts: Iterable[str]) -> str:
    """Join the first parts of a list, with the number of the others."""
    texts = list(parts)
    rest = len(texts) - _SHOWN
    shown = [*texts[:_SHOWN], f"the same in {rest} more places"] if rest > 1 else texts
    return ", and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _line(part: Replacement) -> str:
    return f"line {in_file(part.line, part.file)}"


def _update(cure: Cure) -> str:
    new = _join(f"{part.new} in {_line(part)}" for part in cure.replacements)
    without = f", without {cure.expression}" if cure.expression else ""
    tests = cure.kind == CureKind.COMPARE_AND_SWAP
    steps = "testing and setting are two steps" if tests else "reading, changing and writing back are three steps"
    return f"{steps}: use {new}{without}"


def _atomic(race: RaceReport, cure: Cure) -> str:
    new = _join(f"{part.new} in {_line(part)}" for part in cure.replacements)
    if "atomic" in race.kinds:
        plain = next(side for side in race.sides if side.access != "atomic")
        return f"make the {plain.access} in {plain.span.where} atomic too, as in {cure.replacements[0].new}"
    return f"write it atomically: {new}" if race.kinds == {"write"} else f"make both accesses atomic: {new}"


def _overlap(cure: Cure) -> str:
    array, low, high = cure.pointers
    (part,) = cure.replacements
    elements = f"{plural(cure.elements, 'element')} ({cure.bytes:,} bytes)"
    return (
        f"{low} and {high}, both places in {array}, overlap by {elements}: let {high} begin at "
        f"{array}[{cure.first_element}], as in {high} = {part.new} in {_line(part)}, with at least "
        f"{cure.dynamic_shared_bytes:,} bytes of dynamic shared memory"
    )
