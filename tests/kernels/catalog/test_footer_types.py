"""Values of another type in a kernel's footer are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.catalog.footer import kernel_of
from kernels.errors import InputError


@pytest.mark.parametrize("value", ["1e999", "nan", "3.7", "true", '"7"', "[1]"])
@pytest.mark.parametrize("name", ["order", "roundings"])
def test_a_number_of_the_footer_is_a_whole_number(name: str, value: str) -> None:
    footer = 'title = "t"\nteaches = "t"\nworkload = "matmul"\nblock = [8]\nblocks = [[8]]\ngrid = ["1"]\n'
    with pytest.raises(InputError, match=f"{name} must be a whole number") as error:
        kernel_of(Path("k.cu"), f"__global__ void k() {{}}\n/* tilescope\n{footer}{name} = {value}\n*/\n")
    assert "\n" not in str(error.value)
