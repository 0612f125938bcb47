"""Output of printf, with `?` for arguments that do not fit their conversions."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from kernels.errors import SourceError
from tests.kernels.simt.programs import trace


def _print(call: str, *, record: bool = True) -> tuple[str, list[tuple[str, int]], str]:
    source = f"__global__ void k(int *o) {{ int t = 5; double d = 2.7; long long big = 1LL << 33 | 7;\n{call}; }}"
    found = trace(source, {"o": np.zeros(4, np.int32)}, block=(1,), record=record)
    message = found.hazards[0].message if found.hazards else ""
    return "\n".join(found.printf), [(h.kind, h.line) for h in found.hazards], message


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ('printf("%d", d)', "?"),
        ('printf("%d|%d", d, t)', "?|5"),
        ('printf("%d", 2.5f)', "?"),  # a float is passed as a double
        ('printf("%f", t)', "?"),
        ('printf("%f|%d", 0, 0)', "?|0"),
        ('printf("%d|%d|%d", big, t, 9)', "?|5|9"),
        ('printf("%d", big)', "?"),
        ('printf("%d", 7LL)', "?"),
        ('printf("%d %s", sizeof(int), "x")', "? x"),
        ('printf("%lld|%d", t, 8)', "?|8"),
        ('printf("%d|%d|%s", 1)', "1|?|?"),
        ('printf("%s|%d", t, 3)', "?|3"),
        ('printf("%d|%s", "ab", "cd")', "?|cd"),
        ('printf("%d", o)', "?"),
        ('printf("%*d|%d", 4.0, t, 3)', "?|3"),
        ('printf("%d %*d|", 4.0, 7)', "? ?|"),
    ],
)
@pytest.mark.parametrize("record", [True, False])
def test_a_value_that_does_not_fit_is_shown_as_a_question_mark_and_reported(
    call: str, shown: str, *, record: bool
) -> None:
    text, hazards, _ = _print(call, record=record)
    assert (text, hazards) == (shown, [("printf-format", 2)])


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ('printf("%d %u", 7u, -1)', "7 4294967295"),
        ('printf("%*d|%-*d|%.*f", 5, 42, 5, 42, 2, 3.14159)', "   42|42   |3.14"),
        ('printf("%d", o == 0)', "0"),
        ('printf("%d%%, 5%", t)', "5%, 5%"),
        ('printf("%llu", (unsigned long long)o - (unsigned long long)o)', "0"),
    ],
)
def test_formats_that_fit_are_not_reported(call: str, shown: str) -> None:
    assert _print(call)[:2] == (shown, [])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            'printf("%d", d)',
            "prints a value of type double with %d, which takes int, so ? is shown here: use %f",
        ),
        (
            'printf("%d", big)',
            "prints a value of type long long with %d, which takes int, so ? is shown here: use %lld",
        ),
        ('printf("%d %d", 1)', "asks for 2 values and gives 1"),
        ('printf("%d", o)', "prints an address with %d, which takes int, so ? is shown here: use %p"),
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
