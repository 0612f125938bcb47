"""Numbers of a command line that do not fit their type: refused in one line, never wrapped, cut or made infinite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from click.testing import CliRunner

from kernels.cli import main
from tests.cases import Cases

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)

COMPLETE: Final = {
    "k": {"x": "i8[4]:zeros", "n": "1", "u": "1", "f": "1", "p.c": "1", "p.s": "1", "p.i": "1", "p.f": "1"},
    "q": {"p[0].c": "1", "p[0].s": "1", "p[0].i": "1", "p[0].f": "1", "rest": "i8[1]:zeros"},
}
COLUMNS: Final = {"p.c": "i8[2]:ones", "p.s": "u16[2]:ones", "p.i": "i32[2]:ones", "p.f": "f32[2]:ones"}
INT: Final = "give a whole number from -2147483648 to 2147483647"
CHAR: Final = "give a whole number from -128 to 127"
FLOAT: Final = "give a number of at most 3.40282e+38"


def run(folder: Path, kernel: str, given: dict[str, str]) -> tuple[int, str, str]:
    file = folder / "k.cu"
    file.write_text(CASES.source("source"), encoding="utf-8")
    words = [word for name, value in given.items() for word in ("--arg", f"{name}={value}")]
    result = CliRunner().invoke(main, ["trace", str(file), "--kernel", kernel, "--grid", "1", "--block", "1", *words])
    return result.exit_code, result.stdout, result.stderr


MISFITS: Final = [
    ("k", {"n": "3000000000"}, f"'n' is int: 3000000000 does not fit; {INT}"),
    ("k", {"n": "-2147483649"}, f"'n' is int: -2147483649 does not fit; {INT}"),
    ("k", {"n": "1.5"}, f"'n' is int: 1.5 does not fit; {INT}"),
    ("k", {"n": "nan"}, f"'n' is int: nan does not fit; {INT}"),
    ("k", {"u": "-1"}, "'u' is unsigned int: -1 does not fit; give a whole number from 0 to 4294967295"),
    ("k", {"f": "1e39"}, f"'f' is float: 1e+39 does not fit; {FLOAT}"),
    ("k", {"f": "1" + 400 * "0"}, f"does not fit; {FLOAT}"),
    ("k", {"f": "1e400"}, "--arg f=1e400: 1e400 does not fit any type: a double holds up to 1.8e+308"),
    ("k", {"p.c": "200"}, f"'p.c' is char: 200 does not fit; {CHAR}"),
    ("k", {"x": "i8[4]:1000"}, "--arg x=i8[4]:1000: '1000' is not a fill: use zeros, ones"),
    ("k", {"x": "i8[4]:randint(0,1000,1)"}, f"fill randint(0,1000,1): 1000 does not fit int8: {CHAR}"),
    ("k", {"x": "i8[4]:randint(-129,0,1)"}, f"fill randint(-129,0,1): -129 does not fit int8: {CHAR}"),
    ("k", {"x": "u8[4]:randint(-1,0,1)"}, "fill randint(-1,0,1): -1 does not fit uint8: give a whole number from 0"),
    ("k", {"x": "f16[4]:randint(0,70000,1)"}, "fill randint(0,70000,1): 70000 does not fit float16: give a number"),
    ("k", {"x": "i8[300]:mod(200)"}, f"fill mod(200): 199 does not fit int8: {CHAR}"),
    ("k", {"x": "i8[2]:{large}"}, f"large.npy: element 1 is 1000, which does not fit int8: {CHAR}"),
    ("k", {"x": "i8[2]:{half}"}, f"half.npy: element 1 is 0.5, which does not fit int8: {CHAR}"),
    (
        "k",
        {"limits": "i64[2]:randint(3000000000,3000000000,1)"},
        f"'limits' holds int: element 0, which is 3000000000, does not fit; {INT}",
    ),
    ("k", {"limits": "f32[2]:random(1)"}, f"does not fit; {INT}"),
    ("q", {"p[0].c": "1000"}, f"'p[0].c' is char: 1000 does not fit; {CHAR}"),
    ("q", {"p[0].i": "1.5"}, f"'p[0].i' is int: 1.5 does not fit; {INT}"),
    ("q", {"p[0].f": "1e50"}, f"'p[0].f' is float: 1e+50 does not fit; {FLOAT}"),
    (
        "q",
        {**COLUMNS, "p.c": "i32[2]:randint(1000,1000,1)"},
        f"'p.c' holds char: element 0, which is 1000, does not fit; {CHAR}",
    ),
    (
        "q",
        {**COLUMNS, "p.i": "u32[2]:randint(3000000000,3000000000,1)"},
        f"'p.i' holds int: element 0, which is 3000000000, does not fit; {INT}",
    ),
]


@pytest.mark.parametrize(("kernel", "given", "message"), MISFITS)
def test_a_number_that_does_not_fit_is_refused_in_one_line(
    tmp_path: Path, kernel: str, given: dict[str, str], message: str
) -> None:
    files = {name: tmp_path / f"{name}.npy" for name in ("large", "half")}
    np.save(files["large"], np.array([1, 1000]))
    np.save(files["half"], np.array([1, 0.5]))
    given = {name: value.format(**files) for name, value in given.items()}
    complete = {"rest": "i8[1]:zeros"} if COLUMNS.keys() <= given.keys() else COMPLETE[kernel]
    code, stdout, stderr = run(tmp_path, kernel, {**complete, **given})
    assert (code, stdout) == (2, "")
    assert stderr.startswith("tilescope: ")
    assert stderr.count("\n") == 1
    assert message in stderr


@pytest.mark.parametrize("given", CASES("a_number_that_just_fits_is_taken"))
def test_a_number_that_just_fits_is_taken(tmp_path: Path, given: dict[str, str]) -> None:
    whole = tmp_path / "whole.npy"
    np.save(whole, np.array([-128.0, 127.0]))
    given = {name: value.format(whole=whole) for name, value in given.items()}
    code, _, stderr = run(tmp_path, "k", {**COMPLETE["k"], **given})
    assert (code, stderr) == (0, "")
