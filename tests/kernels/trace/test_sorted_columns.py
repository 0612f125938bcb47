from __future__ import annotations

import numpy as np
import pytest

from kernels.trace.sorted_columns import count_below, count_up_to, rows_between


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_are_those_of_a_search_from_the_beginning(dtype: type[np.signedinteger]) -> None:
    values = [0, 0, 2, 2, 2, 5]
    column = np.array(values, dtype)
    for value in range(-1, 8):
        assert count_below(column, value) == sum(v < value for v in values)
        assert count_up_to(column, value) == sum(v <= value for v in values)
        for end in range(value, 8):
            assert column[rows_between(column, value, end)].tolist() == [v for v in values if value <= v < end]
    assert count_up_to(column[:0], 3) == 0
