from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.errors import InputError, LaunchError
from kernels.launch import Dim3, Launch, Limits, check
from tests.cases import Cases

CASES = Cases(__file__)

SIDES = st.integers(1, 9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("16", Dim3(16, 1, 1)),
        ("16,8", Dim3(16, 8, 1)),
        ("16, 8, 2", Dim3(16, 8, 2)),
        ("16x8", Dim3(16, 8, 1)),
        ("16×8×2", Dim3(16, 8, 2)),
    ],
)
def test_parse(text: str, expected: Dim3) -> None:
    assert Dim3.parse(text) == expected


@pytest.mark.parametrize("text", ["", "a", "0", "16,0", "-1", "1,2,3,4", "1.5", "16,", "16;8"])
def test_invalid_sizes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="one to three whole numbers from 1 up"):
        Dim3.parse(text)


@pytest.mark.parametrize(
    ("dims", "text"),
    [(Dim3(16), "16×1"), (Dim3(16, 8), "16×8"), (Dim3(16, 8, 2), "16×8×2"), (Dim3(1, 1, 2), "1×1×2")],
)
def test_shown(dims: Dim3, text: str) -> None:
    assert str(dims) == text
    assert Dim3.parse(text) == dims


def test_members_count_along_x_first() -> None:
    dims = Dim3(2, 3, 2)
    assert dims.count == 12
    assert [dims.member(i) for i in range(4)] == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    assert dims.member(11) == (1, 2, 1)


@given(SIDES, SIDES, SIDES, st.data())
def test_member_is_the_inverse_of_linear(x: int, y: int, z: int, data: st.DataObject) -> None:
    dims = Dim3(x, y, z)
    linear = data.draw(st.integers(0, dims.count - 1))
    assert dims.linear(*dims.member(linear)) == linear


@pytest.mark.parametrize(
    ("block", "warps"), [(Dim3(1), 1), (Dim3(32), 1), (Dim3(33), 2), (Dim3(8, 8), 2), (Dim3(5, 3, 3), 2)]
)
def test_warps_of_a_block(block: Dim3, warps: int) -> None:
    launch = Launch(Dim3(3, 2), block)
    assert launch.warps_per_block == warps
    assert launch.thread_count == 6 * block.count


@pytest.mark.parametrize(("grid", "block", "dynamic", "static", "message"), CASES("illegal_launches", tuples=True))
def test_illegal_launches(
    grid: tuple[int, ...], block: tuple[int, ...], dynamic: int, static: int, message: str
) -> None:
    with pytest.raises(LaunchError) as caught:
        check(Launch(Dim3(*grid), Dim3(*block), dynamic), Limits(), static)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("grid", "block", "dynamic", "static"),
    [((1,), (1024,), 0, 0), ((2**31 - 1, 65535, 65535), (32, 32), 49152, 0), ((1,), (1, 1, 64), 152, 49000)],
)
def test_launches_at_the_limits(grid: tuple[int, ...], block: tuple[int, ...], dynamic: int, static: int) -> None:
    check(Launch(Dim3(*grid), Dim3(*block), dynamic), Limits(), static)


def test_a_device_may_allow_more_shared_memory() -> None:
    launch = Launch(Dim3(1), Dim3(1), 100_000)
    check(launch, Limits(shared_per_block_bytes=227 * 1024))
    with pytest.raises(LaunchError, match="choose a smaller tile"):
        check(launch, Limits())
