"""Headers of .npy files that are no Python literal are refused like other damage."""

from __future__ import annotations

import io

import pytest

from kernels.npy import read_header
from tests.kernels.npy_bytes import npy


@pytest.mark.parametrize("shape", ["(3, (", '"""', "(3,\n  4\n 5"])
def test_a_damaged_header_is_a_value_error(shape: str) -> None:
    with pytest.raises(ValueError, match="header"):
        read_header(io.BytesIO(npy(shape)))
