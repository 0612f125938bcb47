"""Skipped values: a run that only counts accesses computes no value that decides neither an address nor a branch.

An array of such a run has no contents at first (`machine.skipped_memory`). A read is announced, with its checks of
bounds, and yields a `Skipped` instead of numbers. Arithmetic on it yields a `Skipped` again, and a store of it leaves
nothing in an array without contents. Any other use needs the numbers: an index, a condition, the operand of an atomic
on an array with contents, a printed value. Then the arrays that the value came from are added to
`Assumptions.values_needed`, and the kernel is compiled again, with contents for these. So the counts are exact, and no
pass over the source has to find out which values matter.

Example: in `y[row] += value[k] * x[column[k]]` the first attempt reads `column`, whose value is an index. The second
attempt has the contents of `column`, but not of `value`, `x` and `y`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from kernels.frontend.types import BOOL

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.frontend.types import Scalar
    from kernels.simt.machine.assumptions import Assumptions


_ARITHMETIC: Final = frozenset(
    (
        *(np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.negative, np.fmod),
        *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift),
    )
)
"""Functions by which NumPy computes an operator of a vector and another value."""


class Skipped:
    """The value of all lanes that a run has not computed; every use but arithmetic starts the run again.

    It is a number and never a truth value: a comparison needs its operands. So code that tells uniform conditions from
    vectors does not meet it.
    """

    __slots__ = ("_assumptions", "_keys")

    def __init__(self, assumptions: Assumptions, keys: frozenset[tuple[Any, ...]]) -> None:
        self._assumptions = assumptions
        self._keys = keys
        """The arrays that it was computed from."""

    def need(self, *_: Any, **__: Any) -> NoReturn:
        """Start the run again with the contents of the arrays that the value was computed from."""
        self._assumptions.recompile_values_needed(self._keys)

    def merge(self, *others: Any) -> Skipped:
        """Return the value of a function of this value and others."""
        found = self
        for other in others:
            if type(other) is Skipped and not other._keys <= found._keys:
                found = Skipped(self._assumptions, found._keys | other._keys)
        return found

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Skipped:
        """Return the value of an operator of a vector and this value."""
        if method != "__call__" or ufunc not in _ARITHMETIC or options.get("out") is not None:
            self.need()
        return self.merge(*inputs)

    def __getattr__(self, name: str) -> Any:
        """Start the run again: a member of the value is asked for."""
        if name.startswith("__"):  # Python and NumPy look for methods that the class does not have
            raise AttributeError(name)
        self.need()

    def astype(self, dtype: object) -> Skipped:
        """Return the converted value."""
        return self

    def reinterpret(self, kind: Scalar) -> Skipped:
        """Return the value whose bits are read as another type."""
        if kind == BOOL:
            self.need()
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = merge
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = merge
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __neg__ = __pos__ = __invert__ = __abs__ = merge
    __bool__ = __int__ = __index__ = __float__ = __complex__ = __array__ = __len__ = __iter__ = __getitem__ = need
    __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __round__ = __trunc__ = __floor__ = __ceil__ = __call__ = need
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __hash__ = __contains__ = __format__ = need


def skipping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is not called for a `Skipped` argument, and yields a `Skipped` instead."""

    def call(*values: Any) -> Any:
        for value in values:
            if type(value) is Skipped:
                return value.merge(*values)
        return function(*values)

    return call
