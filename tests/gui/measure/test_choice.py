from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gui.measure.setup.size_fields import sizes, thread_counts
from kernels.errors import InputError

if TYPE_CHECKING:
    from kernels.bench.sizes import SizeRule


@pytest.mark.parametrize(
    ("rule", "first", "last", "step", "expected"),
    [
        ("doubling", "64", "512", "", [64, 128, 256, 512]),
        ("doubling", "64", "500", "", [64, 128, 256]),
        ("doubling", "3", "3", "", [3]),
        ("odd", "64", "512", "", [63, 127, 255, 511]),
        ("odd", "1", "2", "", [1]),
        ("steps", "10", "50", "20", [10, 30, 50]),
        ("steps", "10", "49", "20", [10, 30]),
        ("steps", " 8 ", "16", "8", [8, 16]),
    ],
)
def test_range_of_n(rule: SizeRule, first: str, last: str, step: str, expected: list[int]) -> None:
    found = sizes(rule, first, last, step)
    assert [size.n for size in found] == expected
    assert all(size.m == size.n == size.k for size in found)


@pytest.mark.parametrize(
    ("rule", "first", "last", "step", "words"),
    [
        ("doubling", "", "512", "", "“n from” must .*empty"),
        ("doubling", "64", "x", "", "“n to” must .*it is x"),
        ("odd", "0", "512", "", "“n from” must .*it is 0"),
        ("doubling", "64", "999999", "", "“n to” must .*it is 999999"),
        ("doubling", "64", "32", "", "32 is less than 64"),
        ("odd", "1", "1", "", "no odd size"),
        ("steps", "64", "512", "0", "“step” must .*it is 0"),
        ("steps", "64", "512", "", "“step” must .*empty"),
        ("steps", "1", "1000", "1", "too many"),
    ],
)
def test_a_range_that_cannot_be(rule: SizeRule, first: str, last: str, step: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sizes(rule, first, last, step)


@pytest.mark.parametrize(("text", "expected"), [("1", (1,)), ("1, 2,4", (1, 2, 4)), ("2,2", (2,))])
def test_cpu_threads(text: str, expected: tuple[int, ...]) -> None:
    assert thread_counts(text, most=8) == expected


@pytest.mark.parametrize("text", ["", "0", "9", "1,,2", "two"])
def test_cpu_threads_that_cannot_be(text: str) -> None:
    with pytest.raises(InputError, match="CPU threads"):
        thread_counts(text, most=8)
