"""An org's tables as SQLite has them: what stands for a reference."""

import numpy as np
import pytest

from pipeline.store import KEPT_IDS, values_of
from pipeline.world.id_column import id_column
from pipeline.world.org import Org
from pipeline.world.tables import NONE, Table, table
from schemas.field import Field
from schemas.sources import ReferenceSource
from tests.latent_orgs import setting_with

BOX = Field("BoxId", {}, ReferenceSource(reference="Box"), required=True)


def part_of_boxes(size: int, rows: list[int]) -> tuple[Org, Table]:
    """An org of so many boxes, and parts that refer to some rows of them."""
    org = Org(setting_with())
    org.add(table("Box", Id=id_column("a01", size)))
    return org, table("Part", {"BoxId": "Box"}, BoxId=np.array(rows))


@pytest.mark.parametrize("size", [3, KEPT_IDS, KEPT_IDS + 1])
def test_a_reference_is_the_id_of_its_row(size: int) -> None:
    """To a small table or to a large one, and None where it leads nowhere."""
    org, parts = part_of_boxes(size, [size - 1, NONE, 0])
    ids = id_column("a01", size)
    assert values_of(org, parts, BOX) == [ids[-1], None, ids[0]]


def test_references_to_a_small_table_share_its_ids() -> None:
    """An id is made once, however many records refer to it."""
    org, parts = part_of_boxes(KEPT_IDS, [7, 7])
    first, second = values_of(org, parts, BOX)
    assert first is second
