from __future__ import annotations

import os
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kernels.errors import InputError
from kernels.fill import Fill, Fills
from tests.cases import Cases
from tests.kernels.npy_bytes import npy

if TYPE_CHECKING:
    from pathlib import Path

CASES = Cases(__file__)


@pytest.mark.parametrize(
    ("text", "fill"),
    [
        ("zeros", Fill("zeros")),
        (" iota ", Fill("iota")),
        ("mod(3)", Fill("mod", (3,))),
        ("random(1)", Fill("random", (1,))),
        ("randint(-5, 5, 1)", Fill("randint", (-5, 5, 1))),
        ("uninit", Fill("uninit")),
        ("inputs/a.npy", Fill("file", file="inputs/a.npy")),
    ],
)
def test_parse(text: str, fill: Fill) -> None:
    assert Fill.parse(text) == fill
    assert Fill.parse(str(fill)) == fill


@pytest.mark.parametrize("text", CASES("invalid_fills_are_refused"))
def test_invalid_fills_are_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Fill.parse(text)
    assert str(caught.value).startswith(f"'{text}' is not a fill: use zeros, ones, iota")


@pytest.mark.parametrize(("text", "values"), CASES("make"))
@pytest.mark.parametrize("dtype", CASES("make_1"))
def test_make(text: str, values: list[list[int]], dtype: str) -> None:
    made = Fill.parse(text).make((2, 3), dtype)
    assert made is not None
    assert made.dtype == dtype
    assert made.flags.c_contiguous
    assert made.flags.writeable
    np.testing.assert_array_equal(made, values)


@pytest.mark.parametrize("shape", [(5,), (0,), (2, 3, 4)])
def test_make_any_shape(shape: tuple[int, ...]) -> None:
    for text in ("zeros", "iota", "rows", "mod(2)", "random(1)", "randint(0,1,2)"):
        for dtype in ("int64", "float32", "float64"):
            made = Fill.parse(text).make(shape, dtype)
            assert made is not None
            assert made.shape == shape
            assert made.flags.writeable


def test_numbers_beyond_a_type_become_what_c_makes_of_them() -> None:
    bytes_, halves = (Fill("iota").make((65_540,), dtype) for dtype in ("uint8", "float16"))
    assert bytes_ is not None
    assert halves is not None
    assert bytes_[254:258].tolist() == [254, 255, 0, 1]
    assert halves[-1] == np.inf


def test_rows_counts_along_the_first_dimension() -> None:
    made = Fill("rows").make((2, 2, 2), "int32")
    np.testing.assert_array_equal(made, [[[0, 0], [0, 0]], [[1, 1], [1, 1]]])


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("float32", -1, 1), ("float64", -1, 1), ("int32", -100, 99), ("int8", -100, 99), ("uint8", 0, 99)],
)
def test_random_is_repeatable_and_in_range(dtype: str, low: int, high: int) -> None:
    made, again, other = (Fill("random", (seed,)).make((400,), dtype) for seed in (1, 1, 2))
    assert made is not None
    assert other is not None
    np.testing.assert_array_equal(made, again)
    assert not np.array_equal(made, other)
    assert low <= float(made.min()) < float(made.max()) <= high
    assert len(np.unique(made)) > 50


def test_randint_includes_both_ends() -> None:
    made = Fill.parse("randint(-1,1,7)").make((100,), "int32")
    assert made is not None
    assert set(made.tolist()) == {-1, 0, 1}


def test_uninit_makes_nothing() -> None:
    assert Fill("uninit").make((2, 2), "float32") is None


@pytest.mark.parametrize(
    "text", ["random(-1)", "randint(5,1,0)", "randint(0,1,-1)", "randint(0,99999999999999999999999,1)"]
)
def test_numbers_out_of_range(text: str) -> None:
    with pytest.raises(InputError, match=r"^fill rand"):
        Fill.parse(text).make((2,), "int32")


@pytest.mark.parametrize("shape", [(10**6, 10**6, 10**6), (10**9, 10**6)])
def test_more_than_there_is_memory(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"^fill zeros: "):
        Fill("zeros").make(shape, "float32")


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(6, dtype=np.int64).reshape(2, 3).T)
    made = Fill.parse(str(path)).make((3, 2), "float32")
    assert made is not None
    assert made.dtype == np.float32
    assert made.flags.c_contiguous
    np.testing.assert_array_equal(made, [[0, 3], [1, 4], [2, 5]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.zeros((2, 3)), "has shape (2, 3), the kernel needs (3, 2)"),
        (np.array([["a", "b"]] * 3), "holds <U1, the kernel needs float32"),
        (np.zeros((3, 2), complex), "holds complex128, the kernel needs float32"),
        (b"no array", "cannot be read as a NumPy array"),
        (b"", "cannot be read as a NumPy array"),
        (None, "cannot be read as a NumPy array"),
    ],
)
def test_a_file_that_does_not_fit(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "a.npy"
    if isinstance(content, np.ndarray):
        np.save(path, content)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Fill.parse(str(path)).make((3, 2), "float32")
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("content", "shape", "message"),
    [
        (npy("(1000000000000,)"), (10**12,), "ends after 128 of 4,000,000,000,128 bytes"),
        (npy("(1000000000000,)"), (3,), "has shape (1000000000000,), the kernel needs (3,)"),
        (npy("(-3,)"), (-3,), "says that its shape is (-3,)"),
        (npy("(3,)", data=bytes(11)), (3,), "ends after 139 of 140 bytes"),
        (npy("(3,)", descr="'<U100000'"), (3,), "holds <U100000, the kernel needs float32"),
        (npy("(3,)", descr="[('a', '<f4')]", data=bytes(12)), (3,), "the kernel needs float32"),
        (npy("(3,)", descr="'|O'", data=bytes(24)), (3,), "holds Python objects"),
        (npy("(" + "1," * 4000 + ")"), (1,), "4,000 dimensions"),
        (npy("(3,)").replace(b"NUMPY\x01", b"NUMPY\x03"), (3,), "version 3.0"),
    ],
)
def test_a_header_that_claims_what_is_not_there_is_refused_before_memory_is_taken(
    content: bytes, shape: tuple[int, ...], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(InputError) as caught:
        Fill.parse(str(path)).make(shape, "float32")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert taken < 1 << 24


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes in its file system")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.npy")
    (tmp_path / "b.npy").mkdir()
    for name in ("a.npy", "b.npy"):
        with pytest.raises(InputError, match="it is not a file"):
            Fill.parse(str(tmp_path / name)).make((3,), "float32")


def test_a_file_of_pickles_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="cannot be read as a NumPy array"):
        Fill.parse(str(path)).make((1,), "float32")


@pytest.mark.parametrize(
    ("text", "fills"),
    [
        ("mod(3)", Fills(Fill("mod", (3,)))),
        ("A=mod(3);B=mod(4)", Fills(None, (("A", Fill("mod", (3,))), ("B", Fill("mod", (4,)))))),
        ("iota; B = a=b.npy", Fills(Fill("iota"), (("B", Fill("file", file="a=b.npy")),))),
        ("../a=b.npy", Fills(Fill("file", file="../a=b.npy"))),
    ],
)
def test_fills_by_name(text: str, fills: Fills) -> None:
    assert Fills.parse(text) == fills
    assert Fills.parse(str(fills)) == fills


@pytest.mark.parametrize("text", ["", "iota;", "iota;ones", "A=iota;A=ones", "A=", "A=B=iota", "iota,ones"])
def test_invalid_fills_of_several_inputs_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        Fills.parse(text)


def test_one_random_fill_gives_each_input_other_numbers() -> None:
    assert Fills.parse("random(5);B=random(5)").of("ABC") == {
        "A": Fill("random", (5,)),
        "B": Fill("random", (5,)),
        "C": Fill("random", (7,)),
    }
