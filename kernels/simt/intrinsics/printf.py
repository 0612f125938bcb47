"""Device printf: C's formats, one call by every active lane, in the order of the schedule.

An argument whose type is not the one that its conversion takes is reported (`printf-format`) and shown as `?`: a GPU
would show other bits. nvcc passes arguments one after another after C's promotions, each aligned to its size, and
`vprintf` gets no sizes; a conversion of another size also moves all that follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kernels.frontend import ast
from kernels.frontend.types import (
    CHAR,
    DOUBLE,
    HALF,
    INT,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Array,
    Pointer,
    Scalar,
    promote,
)
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.expressions.addresses import pointee
from kernels.simt.compiler.expressions.operators import convert, scalar
from kernels.simt.compiler.expressions.string_literals import strings_at
from kernels.simt.machine.arithmetic import Value, is_float, ndarray
from kernels.simt.machine.budget import MORE_MEMORY
from kernels.simt.machine.hazards import Place
from kernels.simt.machine.recorder import EarlyStop

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr, Span
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group
    from kernels.simt.machine.steps import Run

_CONVERSION: Final = re.compile(
    r"%(?:(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?:\.(?P<precision>\d+|\*)?)?"
    r"(?P<length>hh|h|ll|l|z|j|t)?(?P<letter>[a-zA-Z%]))?"
)

_LONGEST_FIELD: Final = 4096
"""Largest width and precision. (The default printf buffer of a GPU has 1 MiB; CUDA C++ Programming Guide, "Formatted
Output".)"""

_TEXT_BYTES: Final = 64
"""Memory of a text in addition to its characters."""

_LANES_AT_ONCE: Final = 1024
"""Texts that are formatted before their memory is compared with the budget."""

_DIGITS: Final = 20
"""Maximum number of digits of a width or precision; more exceed every type (and, from 4300 on, Python's `int`)."""

_ADVICE: Final = f"let fewer threads print, or {MORE_MEMORY}"

_SIGNED: Final = {"": INT, "h": SHORT, "hh": CHAR}
_UNSIGNED: Final = {"": UINT, "h": USHORT, "hh": UCHAR}
_CONVERSION_FOR: Final = {DOUBLE: "%f", INT: "%d", UINT: "%u", LONG: "%lld", ULONG: "%llu", None: "%s"}
"""The conversion for a promoted type; None stands for a text."""


class _Conversion(NamedTuple):
    """A conversion of a format, or the `*` of a width or precision."""

    written: str
    """Text in the format."""
    template: str
    """Text for Python's `%`; "" for a `*`, which belongs to the next conversion."""
    kind: Scalar | None
    """The type that it expects; None for a text."""


class _Argument(NamedTuple):
    """An argument after promotion."""

    kind: Scalar | None
    """Promoted type; None for a text."""
    run: Run
    span: Span
    address: bool = False
    """True if it is a pointer, which is passed as a number."""

    def fits(self, conversion: _Conversion) -> bool:
        """Return whether it has a conversion's size and kind; `%d` and `%u` accept signed and unsigned integers."""
        if self.kind is None or conversion.kind is None:
            return self.kind is conversion.kind
        expected = promote(conversion.kind)
        return is_float(self.kind) == is_float(expected) and self.kind.size_bytes == expected.size_bytes


@dataclass(slots=True)
class PrintedText:
    """The text that a run has printed, and the memory that it takes."""

    texts: list[str] = field(default_factory=list)
    size_bytes: int = 0


def printf(c: Context, node: ast.Call) -> Code:
    """Compile a call of printf; arguments that do not fit its format are reported when they are printed.

    Raises
    ------
    SourceError
        If the format is not a literal, or has an unknown conversion.
    """
    if not node.arguments or not isinstance(node.arguments[0], ast.String):
        raise c.refuse(node.span, "printf needs its format as a string literal")
    pieces, conversions = _parse(c, node, node.arguments[0].value)
    arguments = [
        _argument(c, argument, conversion)
        for argument, conversion in zip_longest(node.arguments[1:], conversions)
        if argument is not None
    ]
    misfit = _misfit(conversions, arguments, node.span)
    template, shown = _template(pieces, conversions, arguments)
    runs = [
        _convert_argument(c, argument, conversions[number]) if number in shown else argument.run
        for number, argument in enumerate(arguments)
    ]
    output = c.state_of(PrintedText)
    most = c.machine.recorder.budget.bytes
    stars = [number for number in shown if not conversions[number].template]

    def format_lanes(columns: list[Value], lanes: list[int]) -> list[str]:
        for number in stars:
            for lane in lanes:
                _check_field(c, node, _at(columns[number], lane))
        return [template % tuple(_at(columns[number], lane) for number in shown) for lane in lanes]

    def run(group: Group, mask: Active) -> Value:
        columns, order = [value(group, mask) for value in runs], _print_order(group, mask)
        if misfit is not None and order:
            _report(c, group, order, *misfit)
        # In portions, so that a printf by a million threads stops at the limit before it formats all of them.
        for first in range(0, len(order), _LANES_AT_ONCE):
            texts = format_lanes(columns, order[first : first + _LANES_AT_ONCE])
            output.texts += texts
            output.size_bytes += sum(map(len, texts)) + _TEXT_BYTES * len(texts)
            if output.size_bytes > most:
                raise EarlyStop(f"stopped after printing {most / 2**20:,.0f} MiB", "memory", _ADVICE)
        return len(runs)

    return Code(run, INT, None, False)


def _template(
    pieces: list[str], conversions: list[_Conversion], arguments: list[_Argument]
) -> tuple[str, tuple[int, ...]]:
    """Return the format for Python's `%`, with `?` for arguments that do not fit, and the arguments that it prints."""
    text, shown, numbers = pieces[0].replace("%", "%%"), list[int](), list[int]()
    for number, (conversion, piece) in enumerate(zip(conversions, pieces[1:], strict=True)):
        numbers.append(number)
        if conversion.template:
            if all(n < len(arguments) and arguments[n].fits(conversions[n]) for n in numbers):
                text += conversion.template
                shown += numbers
            else:
                text += "?"
            numbers = []
        text += piece.replace("%", "%%")
    return text, tuple(shown)


def _misfit(conversions: list[_Conversion], arguments: list[_Argument], span: Span) -> tuple[Span, str] | None:
    """Return place and description of the first argument that does not fit; None if all fit."""
    for conversion, argument in zip(conversions, arguments, strict=False):
        if not argument.fits(conversion):
            return argument.span, _describe_misfit(conversion, argument)
    if len(arguments) >= len(conversions):
        return None
    return span, (
        f"prints with a format that asks for {len(conversions)} values and gives {len(arguments)}, so ? is shown for "
        "those that are missing: give one for each, or write %% for a per cent sign"
    )


def _describe_misfit(conversion: _Conversion, argument: _Argument) -> str:
    value = f"a value of type {argument.kind}"
    what = "a text" if argument.kind is None else "an address" if argument.address else value
    takes = "a text" if conversion.kind is None else str(promote(conversion.kind))
    use = "%p" if argument.address else _CONVERSION_FOR[argument.kind]
    return f"prints {what} with {conversion.written}, which takes {takes}, so ? is shown here: use {use}"


def _report(c: Context, group: Group, order: list[int], span: Span, what: str) -> None:
    hazards, lane = c.machine.hazards, int(group.lanes[order[0]])
    hazards.report(
        "printf-format",
        Place(span),
        c.machine.recorder.current,
        len(order),
        ((lane, span, "read"),),
        lambda: f"{hazards.name(lane)} {what}",
    )


def _check_field(c: Context, node: ast.Call, length: int) -> None:
    """Refuse a width or precision above `_LONGEST_FIELD`; a negative width counts by its absolute value."""
    if abs(length) > _LONGEST_FIELD:
        raise c.unsupported(
            node.span, f"printf of a field with {abs(length):,} characters; up to {_LONGEST_FIELD:,} are printed"
        )


def _at(column: Value, lane: int) -> Any:
    """Return a lane's value as a Python number."""
    if type(column) is list:
        return column[lane]
    return column[lane].item() if type(column) is ndarray else column


def _print_order(group: Group, mask: Active) -> list[int]:
    """Return the positions of the active lanes in the order of printing: block by block, as scheduled."""
    where = np.arange(group.size) if mask is None else mask.where
    order: list[int] = where[np.argsort(group.block_order[where], kind="stable")].tolist()
    return order


def _parse(c: Context, node: ast.Call, text: str) -> tuple[list[str], list[_Conversion]]:
    """Return the text before, between and after the conversions, and these."""
    pieces, conversions, end = [""], list[_Conversion](), 0
    for match in _CONVERSION.finditer(text):
        pieces[-1] += text[end : match.start()]
        end = match.end()
        if match["letter"] in (None, "%"):
            pieces[-1] += "%"  # a per cent sign without a conversion is printed
            continue
        for part in (match["width"], match["precision"]):
            if part and part != "*":
                _check_field(c, node, int(part) if len(part) < _DIGITS else _LONGEST_FIELD + 1)
            if part == "*":
                conversions.append(_Conversion("*", "", INT))
                pieces.append("")
        conversions.append(_conversion(c, node, match))
        pieces.append("")
    pieces[-1] += text[end:]
    return pieces, conversions


def _conversion(c: Context, node: ast.Call, match: re.Match[str]) -> _Conversion:
    length, letter = match["length"] or "", match["letter"]
    before = match[0][1 : -1 - len(length)]
    if letter in "di":
        return _Conversion(match[0], f"%{before}d", _SIGNED.get(length, LONG))
    if letter in "uxXo":
        return _Conversion(match[0], f"%{before}{'d' if letter == 'u' else letter}", _UNSIGNED.get(length, ULONG))
    if letter in "feEgGF":
        return _Conversion(match[0], f"%{before}{letter}", DOUBLE)
    if letter == "c":
        return _Conversion(match[0], f"%{before}c", UCHAR)
    if letter == "s":
        return _Conversion(match[0], f"%{before}s", None)
    if letter == "p":
        return _Conversion(match[0], f"%#{before}x", ULONG)
    raise c.unsupported(node.span, f"printf conversion %{length}{letter}")


def _argument(c: Context, argument: Expr, conversion: _Conversion | None) -> _Argument:
    """Compile an argument with its promotion; `conversion` is None for a superfluous argument."""
    span, as_text = argument.span, conversion is not None and conversion.kind is None
    if isinstance(argument, ast.String) and as_text:
        text = argument.value
        return _Argument(None, lambda group, mask: text, span)
    code = c.compile(argument)
    if isinstance(code.type, Pointer | Array):
        if as_text and pointee(code.type) in (CHAR, UCHAR):
            return _Argument(None, strings_at(c, code, span), span)
        return _Argument(ULONG, convert(c, code, ULONG, span, explicit=True).run, span, address=True)
    kind = scalar(c, code, span)
    kind = DOUBLE if is_float(kind) or kind == HALF else promote(kind)
    return _Argument(kind, convert(c, code, kind, span).run, span)


def _convert_argument(c: Context, argument: _Argument, conversion: _Conversion) -> Run:
    """Return the function that computes an argument in the type of its conversion."""
    if conversion.kind is None or argument.kind is None:
        return argument.run
    return convert(c, Code(argument.run, argument.kind), conversion.kind, argument.span).run
