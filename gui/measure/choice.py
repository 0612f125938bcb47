"""Parsing of the page's fields into sizes, blocks and threads. No Qt."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from kernels.errors import InputError
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_SIZES: Final = 200
"""Maximum number of points on one curve; a larger number is more likely a typing error."""

LARGEST_N: Final = 32768
"""Largest n: three float32 matrices of this side take 12 GiB."""


def parse_whole(text: str, name: str, least: int = 1, most: int = LARGEST_N) -> int:
    """Parse a whole number.

    Raises
    ------
    InputError
        When the text is not a whole number, or out of range.
    """
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise InputError(f"“{name}” must be a whole number from {least} to {most:,} (it is {text or 'empty'})")
    return value


def sizes(first: str, last: str, step: str) -> tuple[Size, ...]:
    """Parse a range of n: from `first` up to `last`, doubling if `step` is empty, else in steps.

    Raises
    ------
    InputError
        When a field is not a number, the range is empty, or it has too many members.
    """
    low, high = parse_whole(first, "n from"), parse_whole(last, "n to")
    if high < low:
        raise InputError(f"“n to” must not be smaller than “n from”: {high} is less than {low}")
    if step:
        numbers = list(range(low, high + 1, parse_whole(step, "step")))
    else:
        numbers = [low << i for i in range(high.bit_length()) if low << i <= high]
    if len(numbers) > MOST_SIZES:
        raise InputError(
            f"{len(numbers):,} sizes are too many; at most {MOST_SIZES} are measured. Choose a larger step."
        )
    return tuple(Size(n, n, n) for n in numbers)


def listed_sizes(text: str) -> tuple[Size, ...]:
    """Parse a list of sizes, such as `512; 2051,1027,2051`: n, or M,N,K.

    Raises
    ------
    InputError
        When one of them is not a size, or too large.
    """
    found = tuple(Size.parse(part.strip()) for part in text.split(";"))
    largest = max(max(size) for size in found)
    if largest > LARGEST_N:
        raise InputError(f"The size {largest:,} is too large; the largest is {LARGEST_N:,}.")
    return tuple(dict.fromkeys(found))


def rule_of(sizes: Sequence[Size]) -> tuple[str, str, str]:
    """Return the texts from which `sizes` gives these numbers: first, last, step; all empty if there are none.

    A run from the command line may have more or larger sizes than the fields accept: then they show them,
    and report it when it is to be measured again.
    """
    numbers = sorted({size.n for size in sizes})
    if not numbers or any(len(set(size)) > 1 for size in sizes):
        return "", "", ""
    first, last = numbers[0], numbers[-1]
    pairs = list(pairwise(numbers))
    if all(large == 2 * small for small, large in pairs):
        return str(first), str(last), ""
    step = numbers[1] - first
    return (str(first), str(last), str(step)) if all(b - a == step for a, b in pairs) else ("", "", "")


def thread_counts(text: str, most: int) -> tuple[int, ...]:
    """Parse numbers of CPU threads, such as `4` or `1, 2, 4`.

    Raises
    ------
    InputError
        When one is not a number from 1 to `most`.
    """
    found = tuple(parse_whole(part.strip(), "CPU threads", most=most) for part in text.split(","))
    return tuple(dict.fromkeys(found))
