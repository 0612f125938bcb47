from __future__ import annotations

import numpy as np
import pytest

from kernels.arguments import TYPES, check_complete, parse_arguments, parse_templates
from kernels.errors import InputError
from kernels.frontend import ast
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import FLOAT, HALF, INT, VECTORS, VOID, Array, CType, Pointer, struct
from kernels.simt import Unwritten
from tests.cases import Cases

CASES = Cases(__file__)

SPAN = ast.Span(2, 5, 2, 9)
MATRIX = struct("Matrix", [("width", INT), ("elements", Pointer(FLOAT))])


def kernel(**parameters: CType) -> ast.Function:
    found = tuple(ast.Parameter(SPAN, name, kind) for name, kind in parameters.items())
    return ast.Function(SPAN, "k", True, VOID, found, ast.Block(SPAN, ()))


@pytest.mark.parametrize("letters", TYPES)
@pytest.mark.parametrize("fill", ["zeros", "ones", "iota", "rows", "mod(2)", "random(1)", "randint(0,9,1)"])
def test_every_type_takes_every_fill(letters: str, fill: str) -> None:
    found = parse_arguments([f"a={letters}[2, 3]:{fill}"])["a"]
    assert isinstance(found, np.ndarray)
    assert (found.dtype, found.shape) == (TYPES[letters], (2, 3))


def test_an_unwritten_array_and_the_members_of_a_struct() -> None:
    found = parse_arguments(["m.width=4", "m.elements=f16[4]:uninit", "flag=true", "x=-1e3", "mask=0xff"])
    assert found == {
        "m.width": 4,
        "m.elements": Unwritten("float16", (4,)),
        "flag": True,
        "x": -1000.0,
        "mask": 255,
    }


@pytest.mark.parametrize("value", CASES("template_arguments"))
def test_template_arguments(value: str) -> None:
    assert parse_templates([f" T = {value} ", "N=2"]) == {"T": value, "N": "2"}


@pytest.mark.parametrize("text", ["T", "T=", "=float", "2=3"])
def test_invalid_template_arguments_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^--template .*: give NAME=VALUE, as in T=float or TILE=16$"):
        parse_templates([text])


def test_a_template_argument_is_given_once() -> None:
    with pytest.raises(InputError, match="'T' is given twice"):
        parse_templates(["T=int", "T=float"])


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (INT, [], "k.cu:2:5: k needs a value for 'p' (int): give one with --arg p=64"),
        (Pointer(HALF), [], "k.cu:2:5: k needs an array for 'p' (half *): give one with --arg \"p=f16[64,64]:iota\""),
        (Pointer(VECTORS["float4"]), [], 'give one with --arg "p=f32[64,4]:iota"'),
        (Pointer(VOID), [], 'give one with --arg "p=u8[64,64]:iota"'),
        (Pointer(INT), ["p=3"], "'p' is an array (int *), not one number: give --arg \"p=i32[64,64]:iota\""),
        (VECTORS["float2"], [], "k needs a value for 'p.x' (float): give one with --arg p.x=64"),
        (VECTORS["float2"], ["p=1"], "k needs a value for 'p.x' (float): give one with --arg p.x=64"),
        (VECTORS["float2"], ["p=f32[2]:ones", "p.x=1", "p.y=2"], "'p' has members (float2): give them one by one"),
        (MATRIX, ["p.width=4"], "k needs an array for 'p.elements' (float *)"),
        (MATRIX, ["p.width=f32[4]:ones", "p.elements=f32[4]:ones"], "'p.width' is one int, not an array"),
        (
            struct("S", [("row", Array(FLOAT, 3))]),
            [],
            "k needs an array for 'p.row' (float[3]): give one with --arg \"p.row=f32[3]:iota\"",
        ),
    ],
)
def test_missing_arguments_are_named_with_their_option(kind: CType, given: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_complete(kernel(p=kind), parse_arguments(given), "k.cu")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (MATRIX, ["p.width=4", "p.elements=f32[4]:uninit"]),
        (VECTORS["float2"], ["p.x=1", "p.y=2"]),
    ],
)
def test_a_struct_is_given_by_its_members(kind: CType, given: list[str]) -> None:
    check_complete(kernel(p=kind), parse_arguments(given), "k.cu")


def test_a_bfloat16_is_a_number_or_its_bits() -> None:
    scaled = kernel(alpha=BF16, s=struct("Scale", [("by", BF16), ("n", INT)]))
    check_complete(scaled, parse_arguments(["alpha=1.5", "s.by=2", "s.n=3"]), "k.cu")
    check_complete(scaled, parse_arguments(["alpha.__x=16320", "s.by=2", "s.n=3"]), "k.cu")
    with pytest.raises(InputError, match=r"needs a value for 's\.by' \(__nv_bfloat16\): .* --arg s\.by=64$"):
        check_complete(scaled, parse_arguments(["alpha=1.5", "s.n=3"]), "k.cu")
    with pytest.raises(InputError, match=r"'alpha' is one __nv_bfloat16, not an array: give --arg alpha=64$"):
        check_complete(scaled, parse_arguments(["alpha=bf16[4]:iota", "s.by=2", "s.n=3"]), "k.cu")
