"""Device printf: C's formats, one call by every active lane, in the order of the schedule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

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
)
from kernels.simt.compiler.addresses import pointed
from kernels.simt.compiler.compiled_values import Code
from kernels.simt.compiler.operators import convert, scalar
from kernels.simt.compiler.string_literals import text_of
from kernels.simt.intrinsics.printf_arguments import MOST_FIELD, Given, Misfit, Want, at
from kernels.simt.machine.arithmetic import Value, is_float, promote
from kernels.simt.machine.budget import MORE_MEMORY
from kernels.simt.machine.recorder import Stopped

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr
    from kernels.simt.compiler.context import Context
    from kernels.simt.machine.lanes import Active, Group

_CONVERSION: Final = re.compile(
    r"%(?:(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?:\.(?P<precision>\d+|\*)?)?"
    r"(?P<length>hh|h|ll|l|z|j|t)?(?P<letter>[a-zA-Z%]))?"
)

_TEXT_BYTES: Final = 64
"""What a text takes beside its characters."""

_LANES_AT_ONCE: Final = 1024
"""Texts that are made before the memory they take is compared with the budget."""

_DIGITS: Final = 20
"""A number with more digits is too large for any type, and for `int` in Python after some thousands."""

_ADVICE: Final = f"let fewer threads print, or {MORE_MEMORY}"

_SIGNED: Final = {"": INT, "h": SHORT, "hh": CHAR}
_UNSIGNED: Final = {"": UINT, "h": USHORT, "hh": UCHAR}


def printf(c: Context, node: ast.Call) -> Code:
    """Compile a call of printf; arguments that do not fit its format are reported when they are printed.

    Raises
    ------
    SourceError
        When the format is no literal, or has a conversion that is not known.
    """
    if not node.arguments or not isinstance(node.arguments[0], ast.String):
        raise c.refuse(node.span, "printf needs its format as a string literal")
    pieces, wants = _parsed(c, node, node.arguments[0].value)
    more = len(node.arguments) - 1 - len(wants)
    asked: list[Want | None] = [*wants, *[None] * more]
    given = [_given(c, argument, want) for argument, want in zip(node.arguments[1:], asked, strict=False)]
    fits = more >= 0 and all(one.fits(want) for one, want in zip(given, wants, strict=False))
    misfit = None if fits else Misfit(c, node.span, pieces, wants, given)
    shown = [_converted(c, one, want) if fits else one for one, want in zip(given, asked, strict=False)]
    runs = [one.run for one in shown]
    template = pieces[0].replace("%", "%%") + "".join(
        want.template + piece.replace("%", "%%") for want, piece in zip(wants, pieces[1:], strict=True)
    )
    count, most = len(wants), c.machine.recorder.budget.bytes
    stars = [number for number, want in enumerate(wants) if not want.template]

    def formatted(columns: list[Value], lanes: list[int]) -> list[str]:
        for number in stars:
            for lane in lanes:
                _check_field(c, node, at(columns[number], lane))
        return [template % tuple(at(column, lane) for column in columns) for lane in lanes]

    def run(group: Group, mask: Active) -> Value:
        columns, order = [value(group, mask) for value in runs], print_order(group, mask)
        for first in range(0, len(order), _LANES_AT_ONCE):
            lanes = order[first : first + _LANES_AT_ONCE]
            texts = formatted(columns[:count], lanes) if misfit is None else misfit.texts(group, columns, lanes)
            c.printed += texts
            c.printed_bytes += sum(map(len, texts)) + _TEXT_BYTES * len(texts)
            if c.printed_bytes > most:
                raise Stopped(f"stopped after printing {most / 2**20:,.0f} MiB", "memory", _ADVICE)
        return len(runs)

    return Code(run, INT, None, False)


def _check_field(c: Context, node: ast.Call, length: int) -> None:
    """Refuse a width or precision that makes a text of megabytes; a negative width is one, too."""
    if abs(length) > MOST_FIELD:
        raise c.unsupported(
            node.span, f"printf of a field with {abs(length):,} characters; up to {MOST_FIELD:,} are printed"
        )


def print_order(group: Group, mask: Active) -> list[int]:
    """Positions of the active lanes in the order in which they print: block after block, as scheduled."""
    where = np.arange(group.size) if mask is None else mask.where
    order: list[int] = where[np.argsort(group.block_order[where], kind="stable")].tolist()
    return order


def _parsed(c: Context, node: ast.Call, text: str) -> tuple[list[str], list[Want]]:
    """Return the text before, between and behind the conversions, and these."""
    pieces, wants, end = [""], list[Want](), 0
    for match in _CONVERSION.finditer(text):
        pieces[-1] += text[end : match.start()]
        end = match.end()
        if match["letter"] in (None, "%"):
            pieces[-1] += "%"  # what is no conversion is printed as it is
            continue
        for part in (match["width"], match["precision"]):
            if part and part != "*":
                _check_field(c, node, int(part) if len(part) < _DIGITS else MOST_FIELD + 1)
            if part == "*":
                wants.append(Want("*", "", INT))
                pieces.append("")
        wants.append(_want(c, node, match))
        pieces.append("")
    pieces[-1] += text[end:]
    return pieces, wants


def _want(c: Context, node: ast.Call, match: re.Match[str]) -> Want:
    length, letter = match["length"] or "", match["letter"]
    before = match[0][1 : -1 - len(length)]
    if letter in "di":
        return Want(match[0], f"%{before}d", _SIGNED.get(length, LONG))
    if letter in "uxXo":
        return Want(match[0], f"%{before}{'d' if letter == 'u' else letter}", _UNSIGNED.get(length, ULONG))
    if letter in "feEgGF":
        return Want(match[0], f"%{before}{letter}", DOUBLE)
    if letter == "c":
        return Want(match[0], f"%{before}c", UCHAR)
    if letter == "s":
        return Want(match[0], f"%{before}s", None)
    if letter == "p":
        return Want(match[0], f"%#{before}x", ULONG)
    raise c.unsupported(node.span, f"printf conversion %{length}{letter}")


def _given(c: Context, argument: Expr, want: Want | None) -> Given:
    """Compile an argument as it is passed."""
    span, wants_text = argument.span, want is not None and want.kind is None
    if isinstance(argument, ast.String) and wants_text:
        text = argument.value
        return Given(None, lambda group, mask: text, span)
    code = c.compile(argument)
    if isinstance(code.type, Pointer | Array):
        if wants_text and pointed(code.type) in (CHAR, UCHAR):
            return Given(None, text_of(c, code, span), span)
        return Given(ULONG, convert(c, code, ULONG, span, explicit=True).run, span, address=True)
    kind = scalar(c, code, span)
    kind = DOUBLE if is_float(kind) or kind == HALF else promote(kind)
    return Given(kind, convert(c, code, kind, span).run, span)


def _converted(c: Context, given: Given, want: Want | None) -> Given:
    """Return an argument as the type that a conversion shows."""
    if want is None or want.kind is None or given.kind is None:
        return given
    return given._replace(run=convert(c, Code(given.run, given.kind), want.kind, given.span).run)
