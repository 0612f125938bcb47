"""Arguments of a launch: missing ones are named, and numbers that do not fit their type are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.arguments import TYPES, check_complete, parse_arguments, parse_templates
from kernels.cli import main
from kernels.errors import InputError
from kernels.frontend import ast
from kernels.frontend.headers.bfloat16 import BF16
from kernels.frontend.types import FLOAT, HALF, INT, VECTORS, VOID, Array, CType, Pointer, struct
from kernels.simt import Unwritten
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

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


COMPLETE: Final = {
    "k": {"x": "i8[4]:zeros", "n": "1", "u": "1", "f": "1", "p.c": "1", "p.s": "1", "p.i": "1", "p.f": "1"},
    "q": {"p[0].c": "1", "p[0].s": "1", "p[0].i": "1", "p[0].f": "1", "rest": "i8[1]:zeros"},
}
COLUMNS: Final = {"p.c": "i8[2]:ones", "p.s": "u16[2]:ones", "p.i": "i32[2]:ones", "p.f": "f32[2]:ones"}
LIMITS: Final = {
    "INT": "give a whole number from -2147483648 to 2147483647",
    "CHAR": "give a whole number from -128 to 127",
    "FLOAT": "give a number of at most 3.40282e+38",
}


def run(folder: Path, kernel: str, given: dict[str, str]) -> tuple[int, str, str]:
    file = folder / "k.cu"
    file.write_text(CASES.source("source"), encoding="utf-8")
    words = [word for name, value in given.items() for word in ("--arg", f"{name}={value}")]
    result = CliRunner().invoke(main, ["trace", str(file), "--kernel", kernel, "--grid", "1", "--block", "1", *words])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(("kernel", "given", "message"), CASES("misfits"))
def test_a_number_that_does_not_fit_is_refused_in_one_line(
    tmp_path: Path, kernel: str, given: dict[str, str], message: str
) -> None:
    files = {name: tmp_path / f"{name}.npy" for name in ("large", "half")}
    np.save(files["large"], np.array([1, 1000]))
    np.save(files["half"], np.array([1, 0.5]))
    complete = COMPLETE[kernel]
    if given.pop("COLUMNS", None) is not None:
        complete = {"rest": "i8[1]:zeros", **COLUMNS}
    given = {name: value.format(**files, digits=400 * "0") for name, value in given.items()}
    code, stdout, stderr = run(tmp_path, kernel, {**complete, **given})
    assert (code, stdout) == (2, "")
    assert stderr.startswith("tilescope: ")
    assert stderr.count("\n") == 1
    assert message.format(**LIMITS) in stderr


@pytest.mark.parametrize("given", CASES("a_number_that_just_fits_is_taken"))
def test_a_number_that_just_fits_is_taken(tmp_path: Path, given: dict[str, str]) -> None:
    whole = tmp_path / "whole.npy"
    np.save(whole, np.array([-128.0, 127.0]))
    given = {name: value.format(whole=whole) for name, value in given.items()}
    code, _, stderr = run(tmp_path, "k", {**COMPLETE["k"], **given})
    assert (code, stderr) == (0, "")
