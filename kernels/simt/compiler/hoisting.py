"""Hoisting: what waits at a barrier runs before the statement that it is part of, in the order of C++.

A statement is a closure, which cannot wait; a call that holds a barrier becomes a step before the statement, and its
value is read from a slot. Whatever C++ sequences before such a call has to run before that step. The rooms that compile
operands `mark` where each begins. If a later one waits, they `cut` what was hoisted into parts, one for each operand,
and evaluate those that come first at the end of their part:

    Pair p = {s[t], block_sum(v, s)};
        part 1: s[t]                 a later part waits: its value goes into a slot, as the first step
        part 2: block_sum(v, s)      the call, as the second step
        the statement                p = {slot of part 1, slot of the call}

Sequenced before (C++17, [expr], [dcl.init.list]): declarators, `,`, elements in braces, the left operand of `<<` and
`>>`, what is subscripted before the subscript, the object before the arguments, the value before the place that it is
assigned to. `&&`, `||` and `?:` are in `arms`, the heads of loops in `loops`. Other operands are unsequenced: all that
waits runs first, and the rest as part of the statement.

An expression can be compiled several times, once to find its type and again for its value. One that waits is made once:
what it was compiled to is kept with the statement, and so is what was evaluated first.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kernels.frontend import ast
from kernels.simt.compiler.compiled_values import Code, Element, FmaFacts
from kernels.simt.compiler.operators import apply_binary
from kernels.simt.machine.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.frontend.ast import Expr, Span
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

    Compiled = TypeVar("Compiled", bound=Place)

VALUE: Final = "value"
PLACE: Final = "place"
ARGUMENT: Final = "argument"
"""What an expression is compiled for."""

_LEAVES: Final = frozenset((ast.Name, ast.Number))


Mark = tuple[int, int, int, int]
"""A place in the compilation of a statement: how many steps were hoisted before it, how many slots there were, how many
assignments were compiled, and how many expressions recalled."""


class Part(list[Any]):
    """The steps of one part of a statement, and lists of those of its own parts.

    `writes` tells whether something in it can change a variable that was there before. `earlier` is where the steps
    stand of an expression in it that had been compiled, with an earlier part, before.
    """

    __slots__ = ("earlier", "writes")

    def __init__(self, steps: list[Any], *, writes: bool) -> None:
        super().__init__(steps)
        self.writes = writes
        self.earlier: Part | None = None


def mark(c: Context) -> Mark:
    """Return where the compiler is in a statement."""
    hoisted = c.hoisted
    return 0 if hoisted is None else len(hoisted), c.machine.slots, len(c.log.written), len(c.log.recalls)


def waits(begin: Mark, end: Mark) -> bool:
    """Whether something that was compiled between two marks waits."""
    return end[0] > begin[0] or end[3] > begin[3]


def writes(c: Context, begin: Mark, end: Mark) -> bool:
    """Whether something compiled between two marks can change a variable that was there before."""
    return any(slot < begin[1] for slot in c.log.written[begin[2] : end[2]])


def cut(c: Context, marks: Sequence[Mark]) -> list[Part]:
    """Take what was hoisted since the first mark out of the statement, as one part from each mark to the next."""
    hoisted = c.hoisted
    assert hoisted is not None
    spans = list(zip(marks, [*marks[1:], mark(c)], strict=True))
    found = [Part(hoisted[begin[0] : end[0]], writes=writes(c, begin, end)) for begin, end in spans]
    for own, (begin, end) in zip(found, spans, strict=True):
        recalled = c.log.recalls[begin[3] : end[3]]
        own.earlier = next((part for part in recalled if not _contains(found, part)), None)
    del hoisted[marks[0][0] :]
    return found


def attach(c: Context, *parts: Part) -> None:
    """Let parts run before the statement, in this order."""
    assert c.hoisted is not None
    c.hoisted += [each for each in parts if each]


def compile_once(c: Context, node: Expr, what: str, compile_: Callable[[Context, Any], Compiled]) -> Compiled:
    """Compile an expression for `what` it is; one that waits, and is compiled again, is what it was the first time."""
    hoisted = c.hoisted
    if hoisted is None:
        return compile_(c, node)
    if hoisted.known:
        known = recall(c, node, what)
        if known is not None:
            return known  # type: ignore[no-any-return]
    elif type(node) in _LEAVES:
        return compile_(c, node)
    first, recalled = len(hoisted), len(c.log.recalls)
    begin = first, c.machine.slots, len(c.log.written), recalled
    made = compile_(c, node)
    if len(hoisted) > first:
        (own,) = cut(c, [begin])
        c.log.recalls[recalled:] = [own.earlier] if own.earlier is not None else []
        attach(c, own)
        hoisted.known[id(node), what] = node, made, own
    elif len(c.log.recalls) > recalled:
        hoisted.known[id(node), what] = node, made, c.log.recalls[recalled]
    return made


def recall(c: Context, node: Expr, what: str) -> Any:
    """Return what an expression that waits was compiled to in this statement; None where it was not."""
    if c.hoisted is None or (id(node), what) not in c.hoisted.known:
        return None
    _, made, where = c.hoisted.known[id(node), what]
    c.log.recalls.append(where)
    return made


@contextmanager
def fresh_evaluation(c: Context) -> Iterator[None]:
    """Inside, what waits is made each time that it is compiled: a default argument is one in every call."""
    before = set() if c.hoisted is None else set(c.hoisted.known)
    yield
    if c.hoisted is not None:
        for key in set(c.hoisted.known) - before:
            del c.hoisted.known[key]


@contextmanager
def trial(c: Context) -> Iterator[None]:
    """Inside, an expression is compiled only to find its type: nothing of it runs."""
    with c.hoisting() as dropped:
        yield
    if dropped:
        c.forget_lvalues()


def evaluate_first(c: Context, own: Part, later: Sequence[Part], code: Code, node: Expr) -> Code:
    """Evaluate a part before what later parts hoist, if they do; returns what yields its value afterwards.

    Parameters
    ----------
    own : Part
        The part; its evaluation becomes the last step of it.
    later : sequence of Part
        The parts that it is sequenced before.
    code : Code
        The part's value.
    node : Expr
        What was compiled: should it be compiled again, it is what was evaluated.
    """
    if code.constant is not None or not _wait(later):
        return code
    changing = any(each.writes or (each.earlier is not None and each.earlier.writes) for each in later)
    if code.pure and not changing:
        return code
    step, saved = _save(c, code, node.span)
    where = _run_first(own, later, step)
    for what in (VALUE, PLACE, ARGUMENT):
        _remember(c, node, what, saved, where)
    return saved


def locate_first(c: Context, own: Part, later: Sequence[Part], place: Place, node: Expr) -> Place:
    """Find a place before what later parts hoist; what stands there is read when it is asked for."""
    if isinstance(place, Code):
        return evaluate_first(c, own, later, place, node)
    if not isinstance(place, Element):
        return place
    offset = evaluate_first(c, own, later, place.offset, node)
    if offset is place.offset or c.hoisted is None:
        return place
    place = replace(place, offset=offset)
    _, _, where = c.hoisted.known.pop((id(node), VALUE))
    for what in (PLACE, ARGUMENT):
        _remember(c, node, what, place, where)
    return place


def evaluate_in_turn(c: Context, marks: Sequence[Mark], codes: Sequence[Code], operands: Sequence[Expr]) -> list[Code]:
    """Evaluate what was compiled from each mark to the next as the elements in braces are: one after the other."""
    if not marks or not waits(marks[0], mark(c)):
        return list(codes)
    parts = cut(c, marks)
    saved = [
        evaluate_first(c, own, parts[number + 1 :], code, node)
        for number, (own, code, node) in enumerate(zip(parts, codes, operands, strict=True))
    ]
    attach(c, *parts)
    return saved


def perform_first(c: Context, own: Part, later: Sequence[Part], code: Code) -> bool:
    """Evaluate a part whose value is not used before what later parts hoist; returns whether nothing is left to do."""
    if not _wait(later):
        return False
    if code.pure:
        return True
    number, begin, run = c.statement, c.machine.recorder.step, code.run

    def perform(group: Group, mask: Active) -> Active:
        begin(number, group, mask)
        run(group, mask)
        return mask

    _run_first(own, later, Step(perform))
    return True


def _wait(parts: Sequence[Part]) -> bool:
    return any(each or each.earlier is not None for each in parts)


def _contains(steps: list[Any], part: Part) -> bool:
    return any(each is part or (isinstance(each, Part) and _contains(each, part)) for each in steps)


def _remember(c: Context, node: Expr, what: str, made: Place, where: Part) -> None:
    if c.hoisted is not None:
        c.hoisted.known[id(node), what] = node, made, where


def _run_first(own: Part, later: Sequence[Part], step: Step) -> Part:
    """Add a step to those of a part that run before later parts; returns where it is."""
    own.append(step)
    earlier = next((each.earlier for each in later if each.earlier is not None), None)
    if earlier is None:
        return own
    moved = own[:]  # the steps of a later part are in the statement already
    own.clear()
    earlier[:0] = moved
    return earlier


def _save(c: Context, code: Code, span: Span) -> tuple[Step, Code]:
    """Return the step that evaluates a value, and the value as it is read later.

    What is pure leaves nothing in the trace; anything else is a step of the statement.
    """
    number, begin, pure = c.statement, c.machine.recorder.step, code.pure
    early = code.fma.factors or (code,)
    slots = [(c.slot(), one.run) for one in early]
    later = [Code(_reader(slot), one.type) for (slot, _), one in zip(slots, early, strict=True)]

    def save(group: Group, mask: Active) -> Active:
        if not pure:
            begin(number, group, mask)
        for slot, run in slots:
            group.values[slot] = run(group, mask)
        return mask

    if len(later) == 2:
        return Step(save), apply_binary(c, "*", later[0], later[1], span)
    saved = replace(
        later[0],
        type=code.type,
        memory=code.memory,
        index=replace(code.index, affine=None),
        fma=FmaFacts(code.fma.rank, code.fma.negated),
    )
    return Step(save), saved


def _reader(slot: int) -> Run:
    return lambda group, mask: group.values[slot]
