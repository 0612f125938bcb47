"""The integer sequences of cuRAND's generators, one state a lane; each state is its words in order.

XORWOW is G. Marsaglia's ("Xorshift RNGs", J. Stat. Soft. 8, 2003), Philox4x32-10 J. Salmon's ("Parallel Random
Numbers: As Easy as 1, 2, 3", SC 2011), MRG32k3a P. L'Ecuyer's ("Good Parameters …", Oper. Res. 47, 1999). How seeds
are spread over the state, and how far apart subsequences lie, is what cuRAND's header does.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Words = tuple[Any, ...]
"""One array of 32-bit words for each word of a state."""


class Stream(Protocol):
    """A generator."""

    def start(self, seed: NDArray[np.uint64]) -> Words:
        """Return the states that seeds give."""

    def ahead(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many numbers."""

    def subsequence(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many subsequences."""

    def draw(self, state: Words) -> tuple[Any, Words]:
        """Return the next number, and the state after it."""


def _halves(number: NDArray[np.uint64]) -> tuple[Any, Any]:
    return number.astype(np.uint32), (number >> np.uint64(32)).astype(np.uint32)


class Xorwow:
    """A linear shift register of 160 bits, plus a counter: d, v0 … v4. Subsequences are 2⁶⁷ numbers apart."""

    _STEP: Final = np.uint32(362437)
    _APART: Final = 67

    def start(self, seed: NDArray[np.uint64]) -> Words:
        """Return the states that seeds give."""
        low, high = _halves(seed)
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

    def ahead(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many numbers."""
        return (state[0] + self._STEP * count.astype(np.uint32), *_leapt(state[1:], count, 0))

    def subsequence(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many subsequences; the counter comes round to itself."""
        return (state[0], *_leapt(state[1:], count, self._APART))

    def draw(self, state: Words) -> tuple[Any, Words]:
        """Return the next number, and the state after it."""
        d, *v = state
        t = v[0] ^ (v[0] >> np.uint32(2))
        last = v[4] ^ (v[4] << np.uint32(4)) ^ t ^ (t << np.uint32(1))
        d = d + self._STEP
        return last + d, (d, v[1], v[2], v[3], v[4], last)


@cache
def _leap(power: int) -> NDArray[np.float32]:
    """Return what 2ᵖ steps of the shift register do: row i is where bit i goes, over the field of two elements."""
    if power:
        half = _leap(power - 1)
        return (half @ half) % 2
    words = _words(np.eye(160, dtype=np.uint8))
    _, (_, *moved) = Xorwow().draw((np.zeros(160, np.uint32), *words.T))
    octets = np.ascontiguousarray(np.stack(moved, axis=1), "<u4").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").astype(np.float32)


def _words(bits: NDArray[Any]) -> NDArray[np.uint32]:
    return np.packbits(bits.astype(np.uint8), axis=1, bitorder="little").view("<u4")


@cache
def _table(power: int) -> NDArray[np.uint32]:
    """Return where each value of each byte goes with 2ᵖ steps: [20, 256] states, to be combined by ^."""
    rows = _words(_leap(power)).reshape(20, 8, 5)
    table = np.zeros((20, 256, 5), np.uint32)
    for bit in range(8):
        table[:, 1 << bit : 2 << bit] = table[:, : 1 << bit] ^ rows[:, bit, None]
    return table


def _leapt(state: Words, count: NDArray[np.uint64], first: int) -> Words:
    """Return states of the shift register `count` times 2 to the power of `first` steps further."""
    words = np.stack(state, axis=1).astype("<u4")
    for bit in range(64):
        lanes = np.flatnonzero(count >> np.uint64(bit) & np.uint64(1))
        if len(lanes):
            octets, moved = words[lanes].view(np.uint8), np.zeros((len(lanes), 5), np.uint32)
            for position, values in enumerate(_table(first + bit)):
                moved ^= values[octets[:, position]]
            words[lanes] = moved
    return tuple(words.T)


class Philox:
    """A counter of 128 bits, four words enciphered at once: ctr, output, key, and which word comes next."""

    def start(self, seed: NDArray[np.uint64]) -> Words:
        """Return the states that seeds give."""
        low, high = _halves(seed)
        none = np.zeros_like(low)
        return self._fresh((none,) * 4, (low, high), none)

    def ahead(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many numbers."""
        at = state[10] + (count & np.uint64(3)).astype(np.uint32)
        low, high = _halves(count // np.uint64(4) + (at > 3))
        return self._fresh(_plus(state[:4], low, high), state[8:10], at & np.uint32(3))

    def subsequence(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many subsequences: they differ in the upper half of the counter."""
        low, high = _halves(count)
        z = state[2] + low
        return self._fresh((*state[:2], z, state[3] + high + (z < low)), state[8:10], state[10])

    def draw(self, state: Words) -> tuple[Any, Words]:
        """Return the next number, and the state after it."""
        at = state[10]
        # Without curand_init the position may be anything: from 4 up it gives the first word (`default` in cuRAND).
        found = np.choose(np.where(at < 4, at, np.uint32(0)), state[4:8])
        full = at == 3
        following = self._fresh(_plus(state[:4], np.uint32(1), np.uint32(0)), state[8:10], at)
        kept = [np.where(full, new, old) for new, old in zip(following[:8], state[:8], strict=True)]
        return found, (*kept, *state[8:10], np.where(full, np.uint32(0), at + np.uint32(1)))

    def _fresh(self, counter: Words, key: Words, at: Any) -> Words:
        return (*counter, *_enciphered(counter, key), *key, at)


def _plus(counter: Words, low: Any, high: Any) -> Words:
    x = counter[0] + low
    high = high + (x < low)
    y = counter[1] + high
    carry = (y < high).astype(np.uint32)
    z = counter[2] + carry
    return x, y, z, counter[3] + (z < carry)


def _enciphered(counter: Words, key: Words) -> Words:
    x, y, z, w = counter
    a, b = key
    for _ in range(10):
        low0, high0 = _halves(x.astype(np.uint64) * np.uint64(0xD2511F53))
        low1, high1 = _halves(z.astype(np.uint64) * np.uint64(0xCD9E8D57))
        x, y, z, w = high1 ^ y ^ a, low1, high0 ^ w ^ b, low0
        a, b = a + np.uint32(0x9E3779B9), b + np.uint32(0xBB67AE85)
    return x, y, z, w


Matrix = tuple[tuple[int, ...], ...]


class Mrg:
    """Two recurrences of order three, whose difference is the number; subsequences are 2⁷⁶ numbers apart.

    Numbers are doubles: whole, from 1 up to the first modulus.
    """

    _MODULI: Final = (4294967087, 4294944443)
    _MATRICES: Final[tuple[Matrix, Matrix]] = (
        ((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0)),
        ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612)),
    )
    _APART: Final = 76

    def start(self, seed: NDArray[np.uint64]) -> Words:
        """Return the states that seeds give."""
        low, high = _halves(seed)
        a = (low ^ np.uint32(0x55555555)).astype(np.uint64)
        b = (high ^ np.uint32(0xAAAAAAAA)).astype(np.uint64)
        salted = zip((a, b, a, b, a, b), (self._MODULI[i // 3] for i in range(6)), strict=True)
        words = [(half * np.uint64(12345) % np.uint64(m)).astype(np.uint32) for half, m in salted]
        return tuple(np.where(seed == 0, np.uint32(12345), word) for word in words)

    def ahead(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many numbers."""
        return self._leapt(state, count, 0)

    def subsequence(self, state: Words, count: NDArray[np.uint64]) -> Words:
        """Go past so many subsequences."""
        return self._leapt(state, count, self._APART)

    def draw(self, state: Words) -> tuple[Any, Words]:
        """Return the next number, and the state after it."""
        state = self._times(state, 0, slice(None))
        first, second = state[2].astype(np.int64), state[5].astype(np.int64)
        number = first - second
        return np.where(number <= 0, number + self._MODULI[0], number).astype(np.float64), state

    def _leapt(self, state: Words, count: NDArray[np.uint64], first: int) -> Words:
        words = [word.copy() for word in state]
        for bit in range(64):
            lanes = np.flatnonzero(count >> np.uint64(bit) & np.uint64(1))
            if len(lanes):
                moved = self._times(tuple(words), first + bit, lanes)
                for word, new in zip(words, moved, strict=True):
                    word[lanes] = new
        return tuple(words)

    def _times(self, state: Words, power: int, lanes: Any) -> Words:
        found = []
        for half, modulus in enumerate(self._MODULI):
            m = np.uint64(modulus)
            part = [word[lanes].astype(np.uint64) for word in state[3 * half : 3 * half + 3]]
            for row in self._power(half, power):
                terms = (np.uint64(factor) * word % m for factor, word in zip(row, part, strict=True))
                total = np.zeros_like(part[0])
                for term in terms:
                    total = total + term
                found.append((total % m).astype(np.uint32))
        return tuple(found)

    @staticmethod
    @cache
    def _power(half: int, power: int) -> Matrix:
        """Return a recurrence's matrix to the power of 2ᵖ."""
        m = Mrg._MODULI[half]
        if not power:
            return tuple(tuple(factor % m for factor in row) for row in Mrg._MATRICES[half])
        a = Mrg._power(half, power - 1)
        return tuple(tuple(sum(a[i][k] * a[k][j] for k in range(3)) % m for j in range(3)) for i in range(3))
