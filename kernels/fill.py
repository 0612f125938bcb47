"""Fills of arrays before a launch, such as `zeros`, `iota` and `random(1)`."""

from __future__ import annotations

import math
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.errors import NOT_ENOUGH_MEMORY, InputError
from kernels.npy import NUMBERS, read_data, read_header
from kernels.ranges import fits, in_words, misfit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike, NDArray

_EXAMPLE: Final = "A=mod(3);B=mod(4)"

_ARGUMENTS: Final = {
    "zeros": 0,
    "ones": 0,
    "iota": 0,
    "rows": 0,
    "uninit": 0,
    "mod": 1,
    "random": 1,
    "randint": 3,
    "clusters": 2,
}
WORDS: Final = (
    "zeros, ones, iota, rows, mod(k), random(seed), randint(lo,hi,seed), clusters(k,seed), uninit or a .npy file"
)


@dataclass(frozen=True, slots=True)
class Fill:
    """One way to fill an array."""

    kind: str
    arguments: tuple[int, ...] = ()
    file: str = ""

    @classmethod
    def parse(cls, text: str) -> Fill:
        """Read a fill such as ``iota``, ``mod(3)``, ``random(1)`` or ``inputs/a.npy``.

        Raises
        ------
        InputError
            For an unknown word or the wrong number of arguments.
        """
        if text.endswith(".npy"):
            return cls("file", file=text)
        match = re.fullmatch(r"([a-z]+)(?:\(([-\d,\s]*)\))?", text.strip())
        if match and match[1] in _ARGUMENTS:
            try:
                numbers = tuple(int(part) for part in (match[2] or "").split(",") if part.strip())
            except ValueError:
                numbers = (0,) * 9
            if len(numbers) == _ARGUMENTS[match[1]] and not (match[1] in ("mod", "clusters") and numbers[0] < 1):
                return cls(match[1], numbers)
        raise InputError(f"'{text}' is not a fill: use {WORDS}")

    def make(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[np.generic] | None:
        """Build the array; None for `uninit`, whose elements are undefined until they are written.

        `rows` gives every element of row i the value i; `random(seed)` is uniform in [-1, 1) (zero mean), or for
        integer types in [-100, 100). In integer types `iota` and `rows` wrap around, as in C. With `clusters(k, seed)`
        each column is a point near one of k well separated ones; coordinates are whole numbers from 0 to 99.

        Raises
        ------
        InputError
            When a file is missing, has no numbers or another shape, or a number does not fit the type.
        """
        dtype = np.dtype(dtype)
        if self.kind == "uninit":
            return None
        if self.kind == "file":
            return self._load(shape, dtype)
        self._check(shape, dtype)
        makers: dict[str, Callable[[], NDArray[np.generic]]] = {
            "zeros": lambda: np.zeros(shape, dtype),
            "ones": lambda: np.ones(shape, dtype),
            "iota": lambda: np.arange(np.prod(shape, dtype=np.int64)).reshape(shape),
            "rows": lambda: np.broadcast_to(np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)), shape),
            "mod": lambda: (np.arange(np.prod(shape, dtype=np.int64)) % self.arguments[0]).reshape(shape),
            "random": lambda: self._random(shape, dtype),
            "randint": lambda: np.random.default_rng(self.arguments[2]).integers(
                self.arguments[0], self.arguments[1], shape, endpoint=True
            ),
            "clusters": lambda: _clusters(shape, *self.arguments),
        }
        try:
            with np.errstate(over="ignore"):  # as in C, what is too large for a float becomes infinite
                return np.require(makers[self.kind](), dtype, ["C", "W"])
        except (ValueError, OverflowError, MemoryError) as error:
            raise InputError(f"fill {self}: {error}") from error

    def __str__(self) -> str:
        if self.kind == "file":
            return self.file
        return self.kind + (f"({','.join(str(n) for n in self.arguments)})" if self.arguments else "")

    def _check(self, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
        """Refuse arguments of the fill that the type cannot hold."""
        numbers: tuple[int, ...] = ()
        if self.kind == "randint":
            numbers = self.arguments[:2]
        elif self.kind == "mod":
            numbers = (max(min(self.arguments[0], math.prod(shape)) - 1, 0),)
        for number in numbers:
            if not fits(number, dtype):
                raise InputError(f"fill {self}: {number} does not fit {dtype}: give {in_words(dtype)}")

    def _random(self, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
        generator = np.random.default_rng(self.arguments[0])
        if dtype.kind in "iu":
            return generator.integers(0 if dtype.kind == "u" else -100, 100, shape)
        if dtype == np.float32:  # drawn as float32: half the time and memory at benchmark sizes
            return generator.random(shape, dtype=np.float32) * np.float32(2) - np.float32(1)
        return generator.random(shape) * 2 - 1

    def _load(self, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
        """Read a .npy file; its header is compared with what is needed, and with the file's size, before its data."""
        try:
            status = Path(self.file).stat()
            if not stat.S_ISREG(status.st_mode):
                raise ValueError("it is not a file")  # opening a pipe would wait for its writer
            with Path(self.file).open("rb") as file:
                header = read_header(file)
                if header.dtype.kind not in NUMBERS:
                    raise InputError(f"{self.file}: holds {header.dtype}, the kernel needs {dtype}")
                if header.shape != shape:
                    raise InputError(f"{self.file}: has shape {header.shape}, the kernel needs {shape}")
                if status.st_size < header.end:
                    raise ValueError(f"it ends after {status.st_size:,} of {header.end:,} bytes: save it again")
                found = read_data(file, header)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
            raise InputError(f"{self.file}: cannot be read as a NumPy array: {reason}") from error
        except MemoryError as error:
            raise InputError(f"{self.file}: {NOT_ENOUGH_MEMORY}") from error
        at = misfit(found, dtype)
        if at >= 0:
            number = found.reshape(-1)[at]
            raise InputError(
                f"{self.file}: element {at} is {number}, which does not fit {dtype}: give {in_words(dtype)}"
            )
        with np.errstate(invalid="ignore"):
            return found.astype(dtype, copy=False)


@dataclass(frozen=True, slots=True)
class Fills:
    """Fills of the inputs of a launch."""

    default: Fill | None = None
    """Fill of the inputs without a fill by name."""
    by_name: tuple[tuple[str, Fill], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Fills:
        """Read ``mod(3)`` (every input), ``A=mod(3);B=mod(4)`` (by name) or ``iota;B=ones`` (all but one).

        Raises
        ------
        InputError
            For an unknown fill, and for two fills of one input or two defaults.
        """
        default: Fill | None = None
        named: dict[str, Fill] = {}
        for part in text.split(";"):
            name, equals, words = (piece.strip() for piece in part.partition("="))
            if not equals or not name.isidentifier():
                if default is not None:
                    raise InputError(f"'{text}' has two fills for all inputs: name the inputs, as in {_EXAMPLE}")
                default = Fill.parse(part)
            elif name in named:
                raise InputError(f"'{text}' fills {name} twice: name each input once, as in {_EXAMPLE}")
            else:
                named[name] = Fill.parse(words)
        return cls(default, tuple(named.items()))

    def of(self, names: Sequence[str]) -> dict[str, Fill]:
        """Return the fill of each input. With `random(seed)` for all, every input gets the next seed.

        Raises
        ------
        InputError
            When one of `names` has no fill, or a fill names another array.
        """
        by_name = dict(self.by_name)
        unknown = [name for name in by_name if name not in names]
        if unknown:
            raise InputError(f"fill {self}: there is no input {unknown[0]}: {_list_of(names)}")
        found = {}
        for number, name in enumerate(names):
            fill = by_name.get(name, self.default)
            if fill is None:
                raise InputError(f"fill {self}: {name} has no fill: add ;{name}=FILL")
            if name not in by_name and fill.kind == "random":
                fill = Fill("random", (fill.arguments[0] + number,))
            found[name] = fill
        return found

    def __str__(self) -> str:
        parts = [str(self.default)] if self.default else []
        return ";".join([*parts, *(f"{name}={fill}" for name, fill in self.by_name)])


def _clusters(shape: tuple[int, ...], count: int, seed: int) -> NDArray[np.generic]:
    """Draw points, the columns of an array, each near one of `count` middles.

    The middles are multiples of φ⁻ᶜ modulo 1 in coordinate c, for the φ with φ^(d+1) = φ + 1: such points keep away
    from each other in d dimensions (M. Roberts, The Unreasonable Effectiveness of Quasirandom Sequences, 2018).
    """
    points, coordinates = shape[-1], math.prod(shape[:-1])
    ratio = 2.0
    for _ in range(32):  # a fixed point
        ratio = (1 + ratio) ** (1 / (coordinates + 1))
    powers = ratio ** -np.arange(1.0, coordinates + 1)
    middles = np.floor(15 + 70 * ((0.5 + np.outer(powers, np.arange(1, count + 1))) % 1))
    reach = max(1, int(22 / count ** (1 / coordinates)))
    generator = np.random.default_rng(seed)
    found: NDArray[np.float64] = middles[:, generator.integers(0, count, points)]
    found = np.clip(found + generator.integers(-reach, reach + 1, found.shape), 0, 99)
    return found.reshape(shape)


def _list_of(names: Sequence[str]) -> str:
    return f"the inputs are {', '.join(names)}" if names else "this problem has no inputs"
