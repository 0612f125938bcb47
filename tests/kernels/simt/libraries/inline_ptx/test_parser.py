"""The parser of inline PTX: registers, guards, instructions and operands."""

from __future__ import annotations

import pytest

from kernels.simt.libraries.inline_ptx.parser import Address, Literal, PtxError, Several, Word, parse_ptx


def test_a_block_with_guards() -> None:
    found = parse_ptx("""{ .reg .pred p, q; .reg .b32 t<2>; // registers
        setp.ne.b32 p|q, %2, 0; /* two of them */
        @!p mov.b32 %0, 0;
        @p ld.global.nc.L2::128B.f32 %0, [%1+16]; }""")
    assert found.registers == (("p", "pred"), ("q", "pred"), ("t0", "b32"), ("t1", "b32"))
    compare, move, load = found.instructions
    assert compare.operands == (Several((Word("p"), Word("q")), pair=True), Word("%2"), Literal(0))
    assert (move.guard, move.name) == (Word("p", negated=True), "mov.b32")
    assert load.words == ("ld", "global", "nc", "L2::128B", "f32")
    assert load.operands == (Word("%0"), Address(Word("%1"), 16))
    assert load.text == "@p ld.global.nc.L2::128B.f32 %0, [%1+16]"


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("-7", -7), ("0x1F", 31), ("0xFFU", 255), ("017", 15), ("-0x10", -16)]
)
def test_numbers(text: str, value: int) -> None:
    (instruction,) = parse_ptx(f"mov.b32 %0, {text};").instructions
    assert instruction.operands[1] == Literal(value)


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("st.shared.v2.f32 [%0], {%1, %2};", (Address(Word("%0"), 0), Several((Word("%1"), Word("%2"))))),
        ("ld.f32 %0, [%1+-4];", (Word("%0"), Address(Word("%1"), -4))),
        ("mov.u32 %0, %%tid.x;", (Word("%0"), Word("%tid.x"))),
        ("mov.u32 %0, %laneid;", (Word("%0"), Word("%laneid"))),
        ("bar.sync 0;", (Literal(0),)),
        ("", None),
        (" // nothing", None),
    ],
)
def test_operands(text: str, operands: tuple[object, ...] | None) -> None:
    found = parse_ptx(text).instructions
    assert [i.operands for i in found] == ([] if operands is None else [operands])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("again: bra again;", "label 'again'"),
        ("wait_%=: bra wait_%=;", "label 'wait_'"),
        (".shared .b8 s[16];", "directive .shared"),
        (".reg .v2 .f32 t;", "registers of type .v2"),
        ("bar.sync 0", "';' is missing before 'its end'"),
        ("{ bar.sync 0 }", "';' is missing before '}'"),
        ("bar.sync 0;;", "a ';' where an instruction belongs"),
        ("{ bar.sync 0;", "leaves a brace open"),
        ("bar.sync 0; }", "closes a brace"),
        ("ld.f32 %0, [%1;", "']' is missing before ';'"),
        ("add.u32 %0 %1;", "',' is missing before '%1'"),
        ("add.u32 %0, ;", "a name is missing before ';'"),
        ("ld.f32 %0, [%1+1.5];", "a number is missing before '1.5'"),
        ("ld.f32 %0, [%1-4];", "']' is missing before '-4'"),
        ("ld.f32 %0, [%1+x];", "a number is missing before 'x'"),
    ],
)
def test_texts_that_are_refused(text: str, says: str) -> None:
    with pytest.raises(PtxError) as caught:
        parse_ptx(text)
    assert says in str(caught.value)
