"""What printf shows: also where its arguments do not fit, as they lie one after another and the format takes them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from kernels.errors import SourceError
from tests.kernels.simt.programs import trace

LOW, HIGH = np.array([2.7], np.float64).view(np.int32).tolist()
"""The halves of a double."""


def _print(call: str, *, record: bool = True) -> tuple[str, list[tuple[str, int]], str]:
    source = f"__global__ void k(int *o) {{ int t = 5; double d = 2.7; long long big = 1LL << 33 | 7;\n{call}; }}"
    found = trace(source, {"o": np.zeros(4, np.int32)}, block=(1,), record=record)
    message = found.hazards[0].message if found.hazards else ""
    return "\n".join(found.printf), [(h.kind, h.line) for h in found.hazards], message


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ('printf("%d", d)', str(LOW)),
        ('printf("%d|%d", d, t)', f"{LOW}|{HIGH}"),  # what follows comes from the other half
        ('printf("%d", 2.5f)', "0"),  # a float is passed as a double
        ('printf("%f", t)', "?"),
        ('printf("%f|%d", 0, 0)', "0.000000|?"),  # both numbers make one double, and nothing is left
        ('printf("%d|%d|%d", big, t, 9)', "7|2|5"),
        ('printf("%d", big)', "7"),
        ('printf("%lld|%d", t, 8)', f"{8 << 32 | 5}|?"),
        ('printf("%d|%d|%s", 1)', "1|?|?"),
        ('printf("%s|%d", t, 3)', "?|?"),
        ('printf("%d|%s", "ab", "cd")', "0|cd"),
        ('printf("%d", o)', "0"),
        ('printf("%*d", 4.0)', "1074790400"),
    ],
)
@pytest.mark.parametrize("record", [True, False])
def test_what_does_not_fit_is_shown_as_it_lies_and_reported(call: str, shown: str, *, record: bool) -> None:
    text, hazards, _ = _print(call, record=record)
    assert (text, hazards) == (shown, [("printf-format", 2)])


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ('printf("%d %u", 7u, -1)', "7 4294967295"),
        ('printf("%d", 7LL)', "7"),  # the lower half is all of it, and nothing follows
        ('printf("%d %s", sizeof(int), "x")', "4 x"),  # the text is aligned, so it is found
        ('printf("%*d|%-*d|%.*f", 5, 42, 5, 42, 2, 3.14159)', "   42|42   |3.14"),
        ('printf("%d", o == 0)', "0"),
        ('printf("%d%%, 5%", t)', "5%, 5%"),
        ('printf("%llu", (unsigned long long)o - (unsigned long long)o)', "0"),
    ],
)
def test_what_shows_the_right_numbers_is_fine(call: str, shown: str) -> None:
    assert _print(call)[:2] == (shown, [])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            'printf("%d", d)',
            "prints a value of type double with %d, which takes int, and shows other bits; use %f",
        ),
        (
            'printf("%d", big)',
            "4 bytes instead of 8, and what follows is taken from the wrong place; use %lld",
        ),
        ('printf("%d %d", 1)', "asks for 2 values and gives 1"),
        ('printf("%d", o)', "prints an address with %d, which takes int, and shows other bits; use %p"),
    ],
)
def test_the_report_says_what_would_fit(call: str, words: str) -> None:
    message = _print(call)[2]
    assert message.startswith("thread (0, 0) of block (0, 0) ")
    assert words in message


@pytest.mark.parametrize(
    ("call", "length"),
    [
        ('printf("%999999999d", t)', "999,999,999"),
        ('printf("%-999999999d", t)', "999,999,999"),
        ('printf("%.999999999f", d)', "999,999,999"),
        ('printf("%4097s", "a")', "4,097"),
        (f'printf("%{"9" * 5000}d", t)', "4,097"),
        ('printf("%*d", 999999999, t)', "999,999,999"),
        ('printf("%*d", -999999999, t)', "999,999,999"),
        ('printf("%*d", t * 1000, t)', "5,000"),
        ('printf("%.*f", 1 << 30, d)', "1,073,741,824"),
    ],
)
def test_a_field_of_megabytes_is_refused_where_it_is_written(call: str, length: str) -> None:
    tracemalloc.start()
    with pytest.raises(SourceError) as error:
        _print(call)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.value.line == 2
    assert f"printf of a field with {length} characters; up to 4,096 are printed" in str(error.value)
    assert taken < 1 << 25


def test_fields_up_to_the_limit_are_printed() -> None:
    assert _print('printf("%4096d|%.4096f", t, d)')[0] == f"{5:4096d}|{2.7:.4096f}"
    assert _print('printf("%*d", -4096, t)')[0] == f"{5:<4096d}"


def test_a_width_that_is_taken_from_the_wrong_place_is_unknown() -> None:
    """The upper half of 4.0 is 1,074,790,400."""
    assert _print('printf("%d %*d|", 4.0, 7)')[0] == "0 ?|"


def test_texts_are_counted_while_they_are_made() -> None:
    """100,000 threads with a line of 4 KB each: 400 MB, if they were made at once."""
    source = '__global__ void k(int *o) { printf("%4096d", threadIdx.x); }'
    tracemalloc.start()
    found = trace(source, {"o": np.zeros(1, np.int32)}, grid=(200,), block=(512,), max_memory_bytes=1 << 24)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.stopped == "stopped after printing 16 MiB"
    assert taken < 1 << 27


def test_pointers_are_shown_as_the_addresses_that_they_are_here() -> None:
    text, hazards, _ = _print('printf("%p %p", o, o + 1)')
    one, two = (int(part, 16) for part in text.split())
    assert (two - one, hazards) == (4, [])
