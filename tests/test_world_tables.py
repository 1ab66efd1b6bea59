"""Tables of columns: their size, their parts and their blocks."""

import numpy as np
import pytest

from pipeline.world.tables import table
from schemas.errors import RunFailed


def test_a_table_is_as_long_as_its_columns() -> None:
    """Without columns it has no rows; columns of two lengths are refused with their names."""
    assert table("toy").size == 0
    assert table("toy", number=np.arange(3), other=np.arange(3)).size == 3
    with pytest.raises(RunFailed, match=r"table toy: .*'number': 3, 'other': 2"):
        table("toy", number=np.arange(3), other=np.arange(2))
