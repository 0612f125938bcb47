"""Suggestions for a refused launch: the legal blocks and problem sizes nearest to it."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from math import lcm, log2
from typing import TYPE_CHECKING, Final

from kernels.errors import InputError, LaunchError, SourceError
from kernels.frontend import evaluate, parse, parse_expression
from kernels.frontend.ast import Binary, Name
from kernels.frontend.ast.traversal import below
from kernels.host_memory import SIMULATED_COPIES, physical_bytes
from kernels.launch import OPT_IN, Dim3, Limits, check
from kernels.simt import choose_kernel
from kernels.size_search import LARGEST_LENGTH, nearest_above, nearest_below
from kernels.tracing import static_shared_bytes
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kernels.catalog import Kernel
    from kernels.size_search import Lengths

Defines = tuple[tuple[str, str], ...]

_POWERS: Final = tuple(2**n for n in range(11))

_DISTINCT: Final = Size(2, 3, 5)
"""A size with three different lengths, which tells by value which length a scalar of the workload is."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Legal choices near a refused launch: at most two of each kind, the smaller first."""

    blocks: tuple[Dim3, ...] = ()
    """For the same size."""
    sizes: tuple[Size, ...] = ()
    """For the same block."""

    def __str__(self) -> str:
        sizes = " or ".join(map(str, self.sizes))
        square = all(size.m == size.n == size.k for size in self.sizes)
        found = [
            f"block {' or '.join(map(str, self.blocks))}" if self.blocks else "",
            f"{'n =' if square else 'size'} {sizes}" if sizes else "",
        ]
        return f"nearest that work: {'; '.join(filter(None, found))}" if any(found) else ""


def nearest(kernel: Kernel, size: Size, block: Dim3, limits: Limits = Limits()) -> Nearest:  # noqa: B008
    """Find the nearest legal choices; both empty where the launch is legal or nothing near it is.

    Blocks are the kernel's own, those whose sides are powers of two, and other squares if they are much nearer. Sizes
    change only in the lengths that the launch rule, the limits or this machine's memory refuse.
    """
    size = kernel.workload.fit(size)
    shared: dict[Defines, int] = {}

    def works(size: Size, block: Dim3) -> bool:
        try:
            _check(kernel, size, block, limits, shared)
        except (LaunchError, SourceError):
            return False
        return True

    if works(size, block):
        return Nearest()
    sides = (_POWERS, _POWERS if len(kernel.grid) > 1 else (1,))
    usual = {*kernel.blocks, kernel.block, *(Dim3(x, y) for x, y in product(*sides) if x * y <= 1024)}
    squares = {Dim3(width, width if len(kernel.grid) > 1 else 1) for width in range(1, 33)}
    blocks = _around(block, usual, squares - usual, lambda b: works(size, b))
    return Nearest(blocks, _sizes(kernel, size, block, lambda s: works(s, block)))


@contextmanager
def suggest_nearest(kernel: Kernel, size: Size, block: Dim3) -> Iterator[None]:
    """Add the nearest legal choices to the message of a LaunchError that is raised inside."""
    try:
        yield
    except LaunchError as error:
        found = str(nearest(kernel, size, block, OPT_IN))
        raise LaunchError(f"{error}; {found}" if found else str(error)) from error


def _check(kernel: Kernel, size: Size, block: Dim3, limits: Limits, shared: dict[Defines, int]) -> None:
    """Raise LaunchError if the launch rule or the limits refuse this; `shared` caches static shared memory in bytes."""
    launch = kernel.launch(size, block)
    check(launch, limits)  # before the source is read
    defines = kernel.defines(size, block)
    if defines not in shared:
        shared[defines] = _static_shared(kernel, defines)
    check(launch, limits, shared[defines])


def _around(
    block: Dim3, usual: Iterable[Dim3], unusual: Iterable[Dim3], works: Callable[[Dim3], bool]
) -> tuple[Dim3, ...]:
    """Return the nearest smaller and the nearest larger block that works; sides are compared by their ratio."""
    distance = {b: sum(abs(log2(x / y)) for x, y in zip(b, block, strict=True)) for b in usual}
    distance |= {b: 1 + sum(abs(log2(x / y)) for x, y in zip(b, block, strict=True)) for b in unusual}
    ranked = sorted(distance, key=lambda b: (distance[b], b))
    found: dict[bool, Dim3] = {}
    for candidate in ranked:
        larger = candidate.count > block.count
        if larger not in found and works(candidate):
            found[larger] = candidate
        if len(found) == 2:
            break
    return tuple(found[larger] for larger in sorted(found))


def _sizes(kernel: Kernel, size: Size, block: Dim3, works: Callable[[Size], bool]) -> tuple[Size, ...]:
    """Return the nearest smaller and the nearest larger size that works.

    Lengths are multiples of the divisors in the kernel's requirements; if there are none, of the block's sides.
    """
    square = kernel.workload.square
    target = (size.n,) if square else tuple(size)

    def size_of(lengths: Lengths) -> Size:
        return Size(*lengths * 3) if square else Size(*lengths)

    def legal(lengths: Lengths) -> bool:
        if max(lengths) > LARGEST_LENGTH:
            return False
        found = size_of(lengths)
        # A legal launch can need more memory than this machine has: then the suggestion would be refused, too.
        fits = kernel.workload.least_bytes(found) * SIMULATED_COPIES <= physical_bytes()
        return fits and works(found)

    for steps in (_divisors(kernel, size, block), (lcm(block.x, block.y),) * 3):
        searched = (search(target, steps[: len(target)], legal) for search in (nearest_below, nearest_above))
        found = dict.fromkeys(size_of(lengths) for lengths in searched if lengths is not None)
        if found:
            return tuple(found)
    return ()


def _divisors(kernel: Kernel, size: Size, block: Dim3) -> Lengths:
    """Return the divisors of M, N and K in the remainders of the kernel's requirements; 1 for none.

    With block_x = 32, `M % block_x == 0 && M % 48 == 0` gives 96 for M.
    """
    fitted = kernel.workload.fit(_DISTINCT)
    length_of = kernel.workload.scalars(fitted)
    names = kernel.names(size, block)
    found = dict.fromkeys(fitted, 1)
    for condition, _ in kernel.require:
        for node in below(parse_expression(condition)):
            if isinstance(node, Binary) and node.op == "%" and isinstance(node.left, Name):
                length, divisor = length_of.get(node.left.id), 0
                with suppress(InputError):
                    divisor = int(evaluate(node.right, names))
                if length is not None and divisor > 0:
                    found[length] = min(lcm(found[length], divisor), LARGEST_LENGTH)
    return tuple(found[length] for length in fitted)


def _static_shared(kernel: Kernel, defines: Defines) -> int:
    file = kernel.file
    if file is None:
        return 0
    program = parse(kernel.text, file.name, defines, file.parent)
    return static_shared_bytes(choose_kernel(program, kernel.entry))
