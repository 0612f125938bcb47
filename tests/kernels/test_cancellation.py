"""Work that is cancelled ends at the next checkpoint of the preprocessor, the parser or the compiler."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from kernels.cancellation import CHECK_EVERY, Cancelled, cancellable, checkpoint
from kernels.errors import TilescopeError
from kernels.frontend import parse

if TYPE_CHECKING:
    from collections.abc import Callable

BODY = "__global__ void k(float *a) { a[0] = 1; }\n"


def checkpoints() -> None:
    """Pass as many checkpoints as lie between two questions."""
    for _ in range(CHECK_EVERY):
        checkpoint()


def after(count: int) -> Callable[[], bool]:
    """Return a function that says no so many times, then yes."""
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > count

    return cancelled


def test_without_anybody_to_ask_work_goes_on() -> None:
    checkpoints()
    with cancellable(None):
        checkpoints()


def test_outer_and_inner_work_can_both_be_cancelled() -> None:
    for outer, inner in ((True, False), (False, True)):
        with cancellable(lambda: outer), cancellable(lambda: inner), pytest.raises(Cancelled):  # noqa: B023
            checkpoints()
        with cancellable(lambda: outer), cancellable(None):  # noqa: B023
            if outer:
                with pytest.raises(Cancelled):
                    checkpoints()
    checkpoints()


def test_other_threads_are_not_cancelled() -> None:
    went_on = []

    def work() -> None:
        checkpoints()
        went_on.append(True)

    with cancellable(lambda: True):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert went_on == [True]


def test_it_is_no_error_that_anything_recovers_from() -> None:
    assert not issubclass(Cancelled, TilescopeError)


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1000 + BODY,
        "#define A 1\n" + f"int x[] = {{ {'A, ' * 1000} }};\n" + BODY,
        "__device__ void f() { }\n" * 500 + BODY,
        f"__global__ void k(int *a) {{ {'a[0] = 1; ' * 1000} }}",
        "template <int N, int M> struct F { static const int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\n"
        "template <int M> struct F<0, M> { static const int v = 1; };\n"
        "__global__ void k(int *a) { a[0] = F<9, 0>::v; }",
        "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }\n"
        "__global__ void k(int *a) { int b[f(1000)]; }",
    ],
    ids=["lines", "macros", "declarations", "statements", "instances", "constexpr"],
)
def test_reading_ends_wherever_it_is_cancelled(text: str) -> None:
    asked = 0

    def count() -> bool:
        nonlocal asked
        asked += 1
        return False

    with cancellable(count):
        parse(text, "k.cu")
    assert asked > 20
    for at in range(0, asked, asked // 5):
        with cancellable(after(at)), pytest.raises(Cancelled):
            parse(text, "k.cu")
