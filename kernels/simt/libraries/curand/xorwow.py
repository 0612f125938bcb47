"""XORWOW, cuRAND's default pseudorandom generator; a state consists of the words d, v0 … v4, one array for each.

A linear shift register of 160 bits, plus a counter (G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8,
2003). Seeding, and subsequences 2⁶⁷ numbers apart, are as in cuRAND's header.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Words = tuple[Any, ...]
"""One array of 32-bit words for each word of a state."""

_COUNTER_STEP: Final = np.uint32(362437)
_SUBSEQUENCE_BITS: Final = 67


def start(seed: NDArray[np.uint64]) -> Words:
    """Return the initial state of each seed."""
    low, high = seed.astype(np.uint32), (seed >> np.uint64(32)).astype(np.uint32)
    a = (low ^ np.uint32(0xAAD26B49)) * np.uint32(1099087573)
    b = (high ^ np.uint32(0xF7DCEFDD)) * np.uint32(2591861531)
    return (
        np.uint32(6615241) + b + a,
        np.uint32(123456789) + a,
        np.uint32(362436069) ^ a,
        np.uint32(521288629) + b,
        np.uint32(88675123) ^ b,
        np.uint32(5783321) + a,
    )


def skip(state: Words, subsequences: NDArray[np.uint64], numbers: NDArray[np.uint64]) -> Words:
    """Skip subsequences, which leave the counter unchanged, and then single numbers."""
    register = _advance(_advance(state[1:], subsequences, _SUBSEQUENCE_BITS), numbers, 0)
    return (state[0] + _COUNTER_STEP * numbers.astype(np.uint32), *register)


def draw(state: Words) -> tuple[Any, Words]:
    """Return the next number, and the state after it."""
    d, *v = state
    t = v[0] ^ (v[0] >> np.uint32(2))
    last = v[4] ^ (v[4] << np.uint32(4)) ^ t ^ (t << np.uint32(1))
    d = d + _COUNTER_STEP
    return last + d, (d, v[1], v[2], v[3], v[4], last)


@cache
def _transition_matrix(power: int) -> NDArray[np.float32]:
    """Return the matrix of 2ᵖ steps of the shift register over GF(2): row i is the state that bit i alone becomes."""
    if power:
        half = _transition_matrix(power - 1)
        return (half @ half) % 2
    words = _words(np.eye(160, dtype=np.uint8))
    _, (_, *moved) = draw((np.zeros(160, np.uint32), *words.T))
    octets = np.ascontiguousarray(np.stack(moved, axis=1), "<u4").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").astype(np.float32)


def _words(bits: NDArray[Any]) -> NDArray[np.uint32]:
    return np.packbits(bits.astype(np.uint8), axis=1, bitorder="little").view("<u4")


@cache
def _byte_table(power: int) -> NDArray[np.uint32]:
    """Return the state after 2ᵖ steps for each value of each byte alone: [20, 256] states, to be combined by ^."""
    rows = _words(_transition_matrix(power)).reshape(20, 8, 5)
    table = np.zeros((20, 256, 5), np.uint32)
    for bit in range(8):
        table[:, 1 << bit : 2 << bit] = table[:, : 1 << bit] ^ rows[:, bit, None]
    return table


def _advance(state: Words, count: NDArray[np.uint64], first: int) -> Words:
    """Advance states of the shift register by `count`·2**`first` steps."""
    words = np.stack(state, axis=1).astype("<u4")
    for bit in range(64):
        lanes = np.flatnonzero(count >> np.uint64(bit) & np.uint64(1))
        if len(lanes):
            octets, moved = words[lanes].view(np.uint8), np.zeros((len(lanes), 5), np.uint32)
            for position, values in enumerate(_byte_table(first + bit)):
                moved ^= values[octets[:, position]]
            words[lanes] = moved
    return tuple(words.T)
