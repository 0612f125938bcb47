"""Hoisting: expressions with a barrier run before the statement that they are part of, in the order of C++.

A statement is a closure, which cannot wait at a barrier. So a call whose function contains a barrier becomes a step
before the statement, and its value is read from a slot. Everything that C++ sequences before that call must also run
before that step. The modules that compile operands `mark` where each begins. If a later operand waits, they `cut` the
hoisted steps into parts, one for each operand, and evaluate earlier operands at the end of their part:

    Pair p = {s[t], block_sum(v, s)};
        part 1: s[t]                 a later part waits: the first step saves its value in a slot
        part 2: block_sum(v, s)      the second step is the call
        the statement                p = {slot of part 1, slot of the call}

Sequenced before (C++17, [expr], [dcl.init.list]): declarators, `,`, elements in braces, the left operand of `<<` and
`>>`, an array before its subscript, the object before the arguments, the right side of an assignment before its left
side. `&&`, `||` and `?:` are in `compiler.short_circuit`, the heads of loops in `compiler.loops`. Other operands are
unsequenced: those that wait run first, and the rest as part of the statement.

An expression can be compiled several times, once to find its type and again for its value. If it waits, the code of the
first time is used again (`compile_once`): compiled twice, its call would run twice.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kernels.frontend import ast
from kernels.simt.compiler.compiled_values import Code, Element, FmaFacts, slot_reader
from kernels.simt.compiler.expressions.operators import apply_binary
from kernels.simt.machine.steps import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kernels.frontend.ast import Expr, Span
    from kernels.simt.compiler.compiled_values import Place
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

    Compiled = TypeVar("Compiled", bound=Place)

VALUE: Final = "value"
PLACE: Final = "place"
ARGUMENT: Final = "argument"
"""Purposes that an expression is compiled for: its value, its lvalue, or an argument that may be either."""

_WAITING: Final = frozenset((ast.Lambda, ast.Construct, ast.Assembly))
"""Kinds of expressions, besides calls, that can contain a barrier."""

_LEAVES: Final = frozenset((ast.Name, ast.Number))


Mark = tuple[int, int, int, int]
"""A position in the compilation of a statement: the numbers so far of hoisted steps, slots, assignments, and
expressions whose code was used again."""

_START: Final[Mark] = 0, 0, 0, 0


class Part(list[Any]):
    """The hoisted steps of one part of a statement; the steps of nested parts are lists in the list."""

    __slots__ = ("earlier", "writes")

    def __init__(self, steps: list[Any], *, writes: bool) -> None:
        super().__init__(steps)
        self.writes = writes
        """Whether the part can change a variable that existed before it."""
        self.earlier: Part | None = None
        """The part with the steps of an expression in this part that was compiled before, with an earlier part."""


def expressions_can_wait(c: Context) -> bool:
    """Return whether an expression of the kernel can wait: it calls a function, or the file defines other functions.

    `__syncthreads();` is a statement and no expression. Most kernels have no expression that waits, and being prepared
    for one takes some percent of the time to compile a small kernel.
    """
    program, statements = c.program, c.registry.statements
    if len(program.functions) + len(program.templates) > 1:
        return True
    nodes = c.frames[-1].nodes()
    kinds = [type(node) for node in nodes]
    if not _WAITING.isdisjoint(kinds):
        return True
    steps = (node.expression for node, kind in zip(nodes, kinds, strict=True) if kind is ast.Do)
    barriers = [e for e in steps if type(e) is ast.Call and e.function in statements and not e.arguments]
    return kinds.count(ast.Call) > len(barriers)


def mark(c: Context) -> Mark:
    """Return the position of the compiler in the statement."""
    if not c.log.can_wait:
        return _START
    hoisted = c.hoisted
    return 0 if hoisted is None else len(hoisted), c.machine.slots, len(c.log.writes), len(c.log.recalls)


def waits(begin: Mark, end: Mark) -> bool:
    """Return whether code compiled between two marks waits at a barrier."""
    return end[0] > begin[0] or end[3] > begin[3]


def writes(c: Context, begin: Mark, end: Mark) -> bool:
    """Return whether code compiled between two marks can change a variable that existed before."""
    return any(slot < begin[1] for slot in c.log.writes[begin[2] : end[2]])


def cut(c: Context, marks: Sequence[Mark]) -> list[Part]:
    """Remove the steps hoisted since the first mark; returns them as parts, one from each mark to the next."""
    hoisted = c.hoisted
    assert hoisted is not None
    spans = list(zip(marks, [*marks[1:], mark(c)], strict=True))
    found = [Part(hoisted[begin[0] : end[0]], writes=writes(c, begin, end)) for begin, end in spans]
    for own, (begin, end) in zip(found, spans, strict=True):
        # A part can use code again whose steps are in a part before the first mark: steps that must precede this part
        # must precede those steps, too.
        recalled = c.log.recalls[begin[3] : end[3]]
        own.earlier = next((part for part in recalled if not _contains(found, part)), None)
    del hoisted[marks[0][0] :]
    return found


def attach(c: Context, *parts: Part) -> None:
    """Run parts before the statement, in this order."""
    assert c.hoisted is not None
    c.hoisted += [each for each in parts if each]


def compile_once(c: Context, node: Expr, purpose: str, compile_: Callable[[Context, Any], Compiled]) -> Compiled:
    """Compile an expression for a purpose; if it waits and was compiled before, return that code again."""
    hoisted = c.hoisted
    if hoisted is None:
        return compile_(c, node)
    # The key is the node itself, not its text: `f() + f()` has two nodes and two calls.
    if hoisted.codes:
        known = recall(c, node, purpose)
        if known is not None:
            return known  # type: ignore[no-any-return]
    elif type(node) in _LEAVES:
        return compile_(c, node)
    first, recalled = len(hoisted), len(c.log.recalls)
    begin = first, c.machine.slots, len(c.log.writes), recalled
    code = compile_(c, node)
    if len(hoisted) > first:
        # It waits: its steps become one part, to which later evaluations can add steps.
        (own,) = cut(c, [begin])
        c.log.recalls[recalled:] = [own.earlier] if own.earlier is not None else []
        attach(c, own)
        hoisted.codes[id(node), purpose] = node, code, own
    elif len(c.log.recalls) > recalled:
        # It has no new steps, but a part of it was compiled before and waits.
        hoisted.codes[id(node), purpose] = node, code, c.log.recalls[recalled]
    return code


def recall(c: Context, node: Expr, purpose: str) -> Any:
    """Return the code of an expression that waits and was compiled in this statement; None for any other."""
    if c.hoisted is None or (id(node), purpose) not in c.hoisted.codes:
        return None
    _, code, where = c.hoisted.codes[id(node), purpose]
    c.log.recalls.append(where)
    return code


@contextmanager
def fresh_evaluation(c: Context) -> Iterator[None]:
    """Forget the code compiled inside at the end: a default argument is evaluated again in every call."""
    before = set() if c.hoisted is None else set(c.hoisted.codes)
    yield
    if c.hoisted is not None:
        for key in set(c.hoisted.codes) - before:
            del c.hoisted.codes[key]


@contextmanager
def trial(c: Context) -> Iterator[None]:
    """Drop the steps hoisted inside: an expression is compiled only to find its type."""
    with c.hoisting() as dropped:
        yield
    if dropped:
        c.forget_lvalues()


def evaluate_first(c: Context, own: Part, later: Sequence[Part], code: Code, node: Expr) -> Code:
    """Evaluate a part before the steps of later parts, if they have any; returns the code that reads its value later.

    Parameters
    ----------
    own : Part
        The part; its evaluation becomes its last step.
    later : sequence of Part
        The parts that are sequenced after it.
    code : Code
        The part's value.
    node : Expr
        The expression; compiled again, it reads the evaluated value.
    """
    if code.constant is not None or not _wait(later):
        return code
    # Pure code gives the same value after the later steps, unless one of them assigns a variable that it may read.
    changing = any(each.writes or (each.earlier is not None and each.earlier.writes) for each in later)
    if code.pure and not changing:
        return code
    step, saved = _save(c, code, node.span)
    # The expression must not be evaluated again, for whatever purpose this statement compiles it next.
    where = _run_first(own, later, step)
    for purpose in (VALUE, PLACE, ARGUMENT):
        _remember(c, node, purpose, saved, where)
    return saved


def locate_first(c: Context, own: Part, later: Sequence[Part], place: Place, node: Expr) -> Place:
    """Evaluate the index of an lvalue before the steps of later parts; its value is read when it is used."""
    if isinstance(place, Code):
        return evaluate_first(c, own, later, place, node)
    if not isinstance(place, Element):
        return place
    offset = evaluate_first(c, own, later, place.offset, node)
    if offset is place.offset or c.hoisted is None:
        return place
    place = replace(place, offset=offset)
    _, _, where = c.hoisted.codes.pop((id(node), VALUE))
    for purpose in (PLACE, ARGUMENT):
        _remember(c, node, purpose, place, where)
    return place


def evaluate_in_order(c: Context, marks: Sequence[Mark], codes: Sequence[Code], operands: Sequence[Expr]) -> list[Code]:
    """Evaluate expressions in order, as elements in braces; `marks` are the positions before each."""
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
    """Run a part whose value is not used before the steps of later parts; returns whether it has been run."""
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


def _remember(c: Context, node: Expr, purpose: str, place: Place, where: Part) -> None:
    if c.hoisted is not None:
        c.hoisted.codes[id(node), purpose] = node, place, where


def _run_first(own: Part, later: Sequence[Part], step: Step) -> Part:
    """Add a step to a part so that it runs before later parts; returns the part that contains it."""
    own.append(step)
    # If a later part uses steps that were hoisted before `own`, `own` has to move in front of them.
    earlier = next((each.earlier for each in later if each.earlier is not None), None)
    if earlier is None:
        return own
    moved = own[:]  # the steps of a later part are in the statement already
    own.clear()
    earlier[:0] = moved
    return earlier


def _save(c: Context, code: Code, span: Span) -> tuple[Step, Code]:
    """Return the step that evaluates a value, and the code that reads it later.

    The evaluation of pure code leaves nothing in the trace; any other is a step of the statement.
    """
    number, begin, pure = c.statement, c.machine.recorder.step, code.pure
    # The factors of a product are saved, not the product: it can still be fused with a sum in the statement.
    early = code.fma.factors or (code,)
    slots = [(c.slot(), one.run) for one in early]
    later = [Code(slot_reader(slot), one.type) for (slot, _), one in zip(slots, early, strict=True)]

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
        index=code.index._replace(affine=None),
        fma=FmaFacts(code.fma.rank, code.fma.negated),
    )
    return Step(save), saved
