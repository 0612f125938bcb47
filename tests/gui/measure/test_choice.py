from __future__ import annotations

import pytest

from gui.measure.choice import sizes, thread_counts
from kernels.errors import InputError


@pytest.mark.parametrize(
    ("first", "last", "step", "expected"),
    [
        ("64", "512", "", [64, 128, 256, 512]),
        ("64", "500", "", [64, 128, 256]),
        ("3", "3", "", [3]),
        ("10", "50", "20", [10, 30, 50]),
        ("10", "49", "20", [10, 30]),
        (" 8 ", "16", "", [8, 16]),
    ],
)
def test_range_of_n(first: str, last: str, step: str, expected: list[int]) -> None:
    found = sizes(first, last, step)
    assert [size.n for size in found] == expected
    assert all(size.m == size.n == size.k for size in found)


@pytest.mark.parametrize(
    ("first", "last", "step", "words"),
    [
        ("", "512", "", "“n from” must .*empty"),
        ("64", "x", "", "“n to” must .*it is x"),
        ("0", "512", "", "“n from” must .*it is 0"),
        ("64", "999999", "", "“n to” must .*it is 999999"),
        ("64", "32", "", "32 is less than 64"),
        ("64", "512", "0", "“step” must .*it is 0"),
        ("1", "1000", "1", "too many"),
    ],
)
def test_a_range_that_cannot_be(first: str, last: str, step: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sizes(first, last, step)


@pytest.mark.parametrize(("text", "expected"), [("1", (1,)), ("1, 2,4", (1, 2, 4)), ("2,2", (2,))])
def test_cpu_threads(text: str, expected: tuple[int, ...]) -> None:
    assert thread_counts(text, most=8) == expected


@pytest.mark.parametrize("text", ["", "0", "9", "1,,2", "two"])
def test_cpu_threads_that_cannot_be(text: str) -> None:
    with pytest.raises(InputError, match="CPU threads"):
        thread_counts(text, most=8)
