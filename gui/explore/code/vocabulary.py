"""Names of a text, of CUDA and of C: those that complete a word, and those nearest to an unknown one. No Qt."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Final

from kernels.catalog import FOOTER
from kernels.simt.libraries import installed

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_NO_CODE: Final = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?", re.DOTALL)

_LANGUAGE: Final = (
    "__global__ __device__ __shared__ __constant__ __restrict__ __forceinline__ __launch_bounds__ extern static const "
    "constexpr template typename struct return break continue while for if else switch case default unsigned signed "
    "void bool char short int long float double half float2 float4 int2 int4 uint3 dim3 size_t true false sizeof "
    "threadIdx blockIdx blockDim gridDim warpSize #pragma unroll include define"
)
_INTERNAL: Final = re.compile(r"__phase_.*|.*_tile|.*_tile_.*")
"""Functions of the simulator's own that no program calls by name."""

_MOST_COMPLETIONS: Final = 200
_MOST_NEAREST: Final = 2


@cache
def cuda_names() -> frozenset[str]:
    """Return CUDA's functions that the simulator runs, its built-in variables, and the words of the language."""
    registry = installed()
    functions = {*registry.functions, *registry.statements, *registry.fences}
    calls = {name for name in functions if _WORD.fullmatch(name) and not _INTERNAL.fullmatch(name)}
    return frozenset({*calls, *_LANGUAGE.split()})


def completions(prefix: str, text: str) -> list[str]:
    """Return names that begin with a prefix: first those of the text, by how often it has them, then CUDA's."""
    own, known = names_of(text)
    found = [name for name in (*own, *known) if name.lower().startswith(prefix.lower()) and name != prefix]
    return found[:_MOST_COMPLETIONS]


def names_of(text: str) -> tuple[list[str], list[str]]:
    """Return the names in the code of a text, by how often it has them, and CUDA's."""
    code = _NO_CODE.sub(" ", text.partition(FOOTER)[0])
    counts = Counter(_WORD.findall(code))
    known = cuda_names()
    own = sorted((name for name in counts if name not in known), key=lambda name: (-counts[name], name))
    return own, sorted(known)


def nearest_names(unknown: str, text: str) -> list[str]:
    """Return the names of a text, or of CUDA, that differ from a name in the fewest letters, up to a third of them."""
    own, cuda = names_of(text)
    rated = []
    for origin, names in enumerate((own, cuda)):
        for name in names:
            longer = abs(len(name) - len(unknown))
            if name != unknown and longer <= max(1, len(unknown) // 3):
                rated.append((_edits(unknown.lower(), name.lower()), longer, origin, name))
    near = [each for each in rated if each[0] <= max(1, len(unknown) // 3)]
    best = min((each[:3] for each in near), default=None)
    return [name for *rating, name in near if tuple(rating) == best][:_MOST_NEAREST]


def _edits(a: str, b: str) -> int:
    """Return the letters to insert, delete, replace or swap with their neighbour (optimal string alignment)."""
    rows = [list(range(len(b) + 1))]
    for i, letter in enumerate(a, start=1):
        row = [i]
        for j, other in enumerate(b, start=1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, a[i - 2]) == (b[j - 2], other):
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
