"""Values along paths: each row has its own, and a row that leads nowhere has an empty one."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.world.org import Org
from pipeline.world.paths import along, as_text, fill, take
from pipeline.world.tables import NONE, strings, table
from schemas.paths import Template, ValuePath
from tests.toys import toy_job, write_object

DAYS = np.array(["2021-03-01", "2021-03-02"], dtype="datetime64[D]")


@pytest.fixture
def org(tmp_path: Path) -> Org:
    """Two boxes and four toys: the second toy lies in no box, the others in the first or second."""
    write_object(tmp_path / "toy", "Toy")
    made = Org(toy_job(tmp_path).setting)
    made.add(
        table("Box", Name=strings(["oak", "pine"]), Size=np.array([7, 8]), Made=DAYS),
        table("Toy", {"BoxId": "Box"}, BoxId=np.array([0, NONE, 1, 0])),
        table("Mood.toys", tone=strings(["calm", "glad", "sad", "calm"])),
    )
    return made


def values(org: Org, path: str) -> list[object]:
    """The values along a path from the toys."""
    return along(org, org.table("Toy"), ValuePath.parse(path)).tolist()


def test_the_first_record_is_a_record_like_any_other(org: Org) -> None:
    """A reference to row 0 leads to the first record, also where other references are empty."""
    assert values(org, "BoxId.Name") == ["oak", None, "pine", "oak"]


def test_behind_an_empty_reference_stands_an_empty_value(org: Org) -> None:
    """Behind a reference that is empty, whole numbers are -1 and all else is None."""
    assert values(org, "BoxId.Size") == [7, NONE, 8, 7]
    assert [str(day) for day in values(org, "BoxId.Made")] == [
        "2021-03-01",
        "None",
        "2021-03-02",
        "2021-03-01",
    ]


def test_a_latent_column_is_read_row_by_row(org: Org) -> None:
    """A latent path has the column of the latent table as it stands."""
    assert values(org, "latent.Mood.toys.tone") == ["calm", "glad", "sad", "calm"]


def test_the_profile_is_the_same_for_all(org: Org) -> None:
    """A word of the profile stands in every row."""
    assert values(org, "company.name") == ["Bramble Toys"] * 4
    assert {str(day) for day in values(org, "period.end")} == {"2021-12-31"}


def test_a_template_leaves_out_what_is_empty(org: Org) -> None:
    """A template has nothing where a placeholder's value is None."""
    texts = fill(org, org.table("Toy"), Template.parse("a toy in {BoxId.Name:upper}"))
    assert texts.tolist() == ["a toy in OAK", "a toy in ", "a toy in PINE", "a toy in OAK"]


def test_without_records_every_reference_is_empty() -> None:
    """Where there is nothing to refer to, every row has an empty value."""
    assert take(strings([]), np.array([NONE, NONE])).tolist() == [None, None]
    assert take(strings(["oak"]), np.array([], dtype=np.int64)).tolist() == []


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (2.0, "2"), (2.5, "2.50"), (DAYS[0], "2021-03-01"), (7, "7")]
)
def test_a_value_has_one_text(value: object, text: str) -> None:
    """Whole numbers stand without a point, others with two places, days in ISO form."""
    assert as_text(value) == text
