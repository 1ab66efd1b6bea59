"""Samplers, one test a kind of source: what they draw from a toy schema, and how they refuse what
can't be drawn.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.compute.executor import InProcess
from pipeline.sample.links import distinct
from pipeline.sample.objects import SAMPLERS
from pipeline.sample.typed import CASTS
from pipeline.sql_tables import write_tables
from pipeline.store import rows_of
from pipeline.upload_files import UploadFolder
from pipeline.world.tables import NONE, Array, strings
from schemas.capacity import BYTES_A_VALUE, MOST_RECORDS, capacity, check_size
from schemas.country import load_country
from schemas.errors import BadInput, SchemaError
from schemas.sources import SOURCES
from tests.toys import drawn, toy_job, write_object

MANY = 400


def column(folder: Path, field: str, size: int = MANY, seed: int = 1) -> Array:
    """The values of a toy's field `It`, whose form and source are given."""
    write_object(folder / "toy", "Toy", f"It: {{{field}}}")
    return drawn(folder, seed, Toy=size).table("Toy")["It"]


def columns(folder: Path, fields: str, size: int = MANY) -> dict[str, Array]:
    """All values of a toy with these fields, one a line."""
    write_object(folder / "toy", "Toy", fields)
    return dict(drawn(folder, Toy=size).table("Toy").columns)


def fault(folder: Path, field: str) -> str:
    """What is said of a field that can't be drawn."""
    with pytest.raises(SchemaError) as caught:
        column(folder, field)
    return str(caught.value)


def test_every_kind_but_written_has_a_sampler() -> None:
    """Every source kind of a schema is drawn by a sampler, words excepted."""
    assert {model for kind, model in SOURCES.items() if kind != "written"} == set(SAMPLERS)


def test_id_begins_with_the_key_prefix(tmp_path: Path) -> None:
    """Ids are unique and begin with the object type's key prefix."""
    ids = columns(tmp_path, "")["Id"]
    assert len(set(ids)) == MANY
    assert all(text.startswith("0to") and len(text) == 18 for text in ids)


def test_reference_is_a_row_of_the_other_object_type(tmp_path: Path) -> None:
    """A uniform reference is spread over all rows, `each` goes through them in turn, `parent`
    follows the count.
    """
    write_object(tmp_path / "toy", "Box", count="{number: 5}")
    fields = """
    Any: {type: string, x-source: {reference: Box}}
    Each: {type: string, x-source: {reference: Box, by: each}}
    Parent: {type: string, x-source: {reference: Box, by: parent}}
    """
    write_object(tmp_path / "toy", "Toy", fields, "{per: Box, number: 20}")
    toys = drawn(tmp_path).table("Toy")
    assert set(toys["Any"]) == set(range(5))
    assert list(toys["Each"]) == [0, 1, 2, 3, 4] * 20
    assert list(toys["Parent"]) == [box for box in range(5) for _ in range(20)]
    assert toys.references == {"Any": "Box", "Each": "Box", "Parent": "Box"}


def test_a_reference_may_be_that_of_another_field_where_two_values_are_equal(
    tmp_path: Path,
) -> None:
    """Who has changed a record is anybody; of one that nobody has changed it is who made it."""
    write_object(tmp_path / "toy", "Box", count="{number: 50}")
    fields = """
    At: {type: string, x-source: {choice: [a, b]}}
    Now: {type: string, x-source: {choice: [a, b]}}
    By: {type: string, x-source: {reference: Box}}
    Last: {type: string, x-source: {reference: Box, kept: {value: At, equals: Now, refers: By}}}
    """
    found = columns(tmp_path, fields)
    same = found["At"] == found["Now"]
    assert (found["Last"] == found["By"])[same].all()
    assert (found["Last"] == found["By"])[~same].mean() < 0.2


def test_reference_to_both_parents_gives_every_pair_once(tmp_path: Path) -> None:
    """A cross product has each pair of its parents in one record."""
    write_object(tmp_path / "toy", "Box", count="{number: 3}")
    write_object(tmp_path / "toy", "Color", count="{number: 4}")
    write_object(
        tmp_path / "toy",
        "Toy",
        "BoxId: {type: string, x-source: {reference: Box, by: parent}}\nColorId: {type: string,"
        " x-source: {reference: Color, by: parent}}",
        "{cross: [Box, Color]}",
    )
    toys = drawn(tmp_path).table("Toy")
    assert [*zip(toys["BoxId"], toys["ColorId"], strict=True)] == [
        (box, color) for box in range(3) for color in range(4)
    ]


def test_reference_to_no_records_is_an_error(tmp_path: Path) -> None:
    """A reference to an object type without records says to ask for one."""
    write_object(tmp_path / "toy", "Box")
    write_object(tmp_path / "toy", "Toy", "BoxId: {type: string, x-source: {reference: Box}}")
    with pytest.raises(
        SchemaError,
        match="properties.BoxId: there are no Box records to refer to; ask for at least one",
    ):
        drawn(tmp_path, Box=0)


def test_reference_by_a_parent_that_is_none_is_an_error(tmp_path: Path) -> None:
    """A reference by parent to what the count doesn't name says to use another way."""
    write_object(tmp_path / "toy", "Box")
    write_object(
        tmp_path / "toy",
        "Toy",
        "BoxId: {type: string, x-source: {reference: Box, by: parent}}",
    )
    with pytest.raises(
        SchemaError, match="properties.BoxId: Box is not a parent in x-count; use by: uniform"
    ):
        drawn(tmp_path)


def test_choice_goes_by_weight(tmp_path: Path) -> None:
    """A choice draws each value about as often as its weight says, and one without weight never."""
    values = list(column(tmp_path, "type: string, x-source: {choice: {red: 3, blue: 1, green: 0}}"))
    assert set(values) == {"red", "blue"}
    assert 0.65 < values.count("red") / MANY < 0.85


def test_choice_without_weights_is_even(tmp_path: Path) -> None:
    """A list of values is drawn evenly, and null leaves a record without a value."""
    values = list(column(tmp_path, "type: string, x-source: {choice: [red, blue, '3', null]}"))
    assert set(values) == {"red", "blue", "3", None}
    assert all(60 < values.count(value) < 140 for value in set(values))


def test_range_of_whole_numbers_holds_both_bounds(tmp_path: Path) -> None:
    """A range of whole numbers draws every number from bound to bound."""
    assert set(column(tmp_path, "type: integer, x-source: {range: [-2, 3]}")) == {
        -2,
        -1,
        0,
        1,
        2,
        3,
    }


def test_range_of_numbers_has_two_places(tmp_path: Path) -> None:
    """A range of numbers draws within its bounds, rounded to two places."""
    values = column(tmp_path, "type: number, x-source: {range: [0.5, 2.5]}")
    assert 0.5 <= values.min() < 0.6
    assert 2.4 < values.max() <= 2.5
    assert all(round(value, 2) == value for value in values)


def test_range_of_dates_lies_in_the_period(tmp_path: Path) -> None:
    """A range of dates draws from the period's first day to its last."""
    days = column(
        tmp_path,
        "type: string, format: date, x-source: {range: [period.start, period.end]}",
        4000,
    )
    assert (days.min(), days.max()) == (np.datetime64("2021-01-01"), np.datetime64("2021-12-31"))


def test_range_of_moments_has_seconds(tmp_path: Path) -> None:
    """A range of moments draws times of the day within its bounds."""
    moments = column(
        tmp_path,
        "type: string, format: date-time, x-source: {range: ['2021-03-01T08:00',"
        " '2021-03-01T17:30:00']}",
    )
    assert moments.dtype == np.dtype("datetime64[s]")
    assert (
        np.datetime64("2021-03-01T08:00:00")
        <= moments.min()
        < moments.max()
        <= np.datetime64("2021-03-01T17:30:00")
    )


def test_range_after_a_date_never_lies_before_it(tmp_path: Path) -> None:
    """A range with `after` draws no day before the day at the path's end, and none after its own
    last.
    """
    write_object(
        tmp_path / "toy",
        "Box",
        "Made: {type: string, format: date, x-source: {range: ['2020-06-01', '2022-06-01']}}",
        "{number: 50}",
    )
    fields = (
        "BoxId: {type: string, x-source: {reference: Box}}\n"
        "Sold: {type: string, format: date, x-source: {range: [period.start, period.end],"
        " after: BoxId.Made}}"
    )
    write_object(tmp_path / "toy", "Toy", fields, f"{{number: {MANY}}}")
    org = drawn(tmp_path)
    made, sold = org.table("Box")["Made"][org.table("Toy")["BoxId"]], org.table("Toy")["Sold"]
    assert (sold >= np.minimum(made, np.datetime64("2021-12-31"))).all()
    assert (sold >= np.datetime64("2021-01-01")).all()
    assert (sold <= np.datetime64("2021-12-31")).all()


AUTUMN = (
    "Made: {type: string, format: date-time,"
    " x-source: {range: ['2021-10-01T08:00', '2021-12-31T22:00']}}"
)


def test_what_would_be_later_than_the_period_has_not_happened(tmp_path: Path) -> None:
    """A moment is moved on by days; one that would leave the period stays where it is."""
    changed = "type: string, format: date-time, x-source: {later: Made, share: 1.0, days: 60}"
    found = columns(tmp_path, f"{AUTUMN}\nChanged: {{{changed}}}")
    made, changed_at = found["Made"], found["Changed"]
    stayed = changed_at == made
    assert (changed_at >= made).all() and changed_at.max() < np.datetime64("2022-01-01")
    assert 0.3 < stayed.mean() < 0.9
    assert len(set(changed_at[~stayed])) == (~stayed).sum()


def test_who_comes_back_to_a_record_does_so_in_office_hours(tmp_path: Path) -> None:
    """Days later is another working day, in office hours; within the day it is at any hour."""
    made = (
        "Made: {type: string, format: date-time,"
        " x-source: {range: ['2021-03-01T00:00', '2021-03-31T22:00']}}"
    )
    changed = "type: string, format: date-time, x-source: {later: Made, share: 1.0, days: DAYS}"
    lines = [
        made,
        f"Later: {{{changed.replace('DAYS', '20')}}}",
        f"Soon: {{{changed.replace('DAYS', '0.1')}}}",
    ]
    found = columns(tmp_path, "\n".join(lines))
    later, soon = found["Later"], found["Soon"]
    hours = (later - later.astype("datetime64[D]")).astype("timedelta64[h]").astype(int)
    assert np.is_busday(later.astype("datetime64[D]")).all()
    assert hours.min() >= 14 and hours.max() < 22
    assert (later.astype("datetime64[D]") > found["Made"].astype("datetime64[D]")).all()
    assert not np.is_busday(soon.astype("datetime64[D]")).all()


def test_changes_of_a_weekend_do_not_wait_for_monday(tmp_path: Path) -> None:
    """Records that are made on all days are changed on all working days alike, on no holiday."""
    made = (
        "Made: {type: string, format: date-time,"
        " x-source: {range: ['2021-09-01T00:00', '2021-12-01T22:00']}}"
    )
    later = "type: string, format: date-time, x-source: {later: Made, share: 1.0, days: 20}"
    found = columns(tmp_path, f"{made}\nLater: {{{later}}}")
    changed = found["Later"][found["Later"] > found["Made"]].astype("datetime64[D]")
    monday = np.busday_count(changed, changed + 1, weekmask="1000000")
    assert 0.1 < monday.mean() < 0.3
    thanksgiving = np.datetime64("2021-11-25")
    assert (changed == thanksgiving - 1).any() and not (changed == thanksgiving).any()


def test_what_is_prepared_is_prepared_on_a_working_day(tmp_path: Path) -> None:
    """`ahead` leads to the last working day by then; before the period that is the moment of the
    import, and what the CRM is set up with stays on its own day.
    """
    fields = (
        "Day: {type: string, format: date, x-source: {range: ['2021-01-01', '2021-03-31']}}\n"
        "Made: {type: string, format: date-time, x-source: {later: Day, ahead: 14}}\n"
        "SetUp: {type: string, format: date-time, x-source:"
        " {later: period.start, ahead: 9, set_up: true, hours: [15, 16]}}"
    )
    found = columns(tmp_path, fields)
    made, day = found["Made"], found["Day"]
    early = day <= np.datetime64("2021-01-15")
    (imported,) = np.unique(made[early])
    assert imported.astype("datetime64[D]") == np.datetime64("2020-12-31")
    assert set(found["SetUp"].astype("datetime64[h]")) == {np.datetime64("2020-12-23T15")}
    days_ahead = (day[~early] - made[~early].astype("datetime64[D]")).astype(int)
    assert np.is_busday(made[~early].astype("datetime64[D]")).all()
    assert days_ahead.min() >= 14 and days_ahead.max() <= 17


def test_the_second_day_is_not_imported(tmp_path: Path) -> None:
    """What was there before the first day ended is imported; from then on nothing is."""
    fields = (
        "Day: {type: string, format: date, x-source: {range: ['2021-01-02', '2021-01-02']}}\n"
        "Made: {type: string, format: date-time, x-source: {later: Day, hours: [0, 0]}}"
    )
    made = columns(tmp_path, fields)["Made"].astype("datetime64[s]")
    assert set(made) == {np.datetime64("2021-01-02T00:00:00")}


def test_ids_and_numbers_rise_with_the_moments_that_they_are_made_by(tmp_path: Path) -> None:
    """With `by`, the order of Ids and numbers is that of the moments, not that of the rows."""
    fields = (
        "Made: {type: string, format: date-time,"
        " x-source: {range: ['2021-03-01T00:00', '2021-03-31T22:00']}}\n"
        "Key: {type: string, x-source: {id: true, by: Made}}\n"
        "Number: {type: string, x-source: {sequence: 'N-{:04d}', by: Made}}"
    )
    found = columns(tmp_path, fields)
    turn = np.argsort(found["Made"], kind="stable")
    assert (np.diff(turn) < 0).any()
    for name in ("Key", "Number"):
        values = found[name][turn].tolist()
        assert values == sorted(set(values))


def test_a_kept_reference_may_follow_other_weights(tmp_path: Path) -> None:
    """Where two values are equal, `kept.weights` draws; naming it beside `refers` is an error."""
    source = "x-source: {reference: Owner, kept: {value: A, equals: B, refers: C, weights: X.y.z}}"
    write_object(tmp_path / "toy", "Owner", count="{number: 3}")
    with pytest.raises(SchemaError, match="refers and weights"):
        columns(tmp_path, f"OwnerId: {{type: string, {source}}}")


def test_who_is_present_is_drawn_by_weights(tmp_path: Path) -> None:
    """`present` says of whom `weights` draws; without weights it is an error."""
    present = "present: {moment: Made, since: X.y.since, until: X.y.until}"
    write_object(tmp_path / "toy", "Owner", count="{number: 3}")
    with pytest.raises(SchemaError, match="present without weights"):
        columns(tmp_path, f"OwnerId: {{type: string, x-source: {{reference: Owner, {present}}}}}")


def test_what_a_truth_forbids_is_not_later(tmp_path: Path) -> None:
    """With `only`, a moment is moved on where that holds, and stays where it doesn't."""
    open_or_not = "Done: {type: boolean, x-source: {choice: [true, false]}}"
    changed = (
        "Changed: {type: string, format: date-time,"
        " x-source: {later: Made, share: 1.0, days: 5, only: Done}}"
    )
    found = columns(tmp_path, f"{AUTUMN}\n{open_or_not}\n{changed}")
    later = found["Changed"] > found["Made"]
    done = found["Done"].astype(bool)
    assert not later[~done].any() and later[done].any()


def test_a_later_moment_is_never_before_another(tmp_path: Path) -> None:
    """`after` bounds what is drawn from a day, and stands where there is no day."""
    fields = (
        "Made: {type: string, format: date-time,"
        " x-source: {range: ['2021-03-05T15:00', '2021-03-05T21:00']}}\n"
        "Closed: {type: [string, 'null'], format: date,"
        " x-source: {choice: ['2021-03-05', '2021-06-01', null]}}\n"
        "Changed: {type: string, format: date-time,"
        " x-source: {later: Closed, after: Made}}"
    )
    found = columns(tmp_path, fields)
    made, closed, changed = found["Made"], found["Closed"], found["Changed"]
    never = np.isnat(closed.astype("datetime64[D]"))
    assert (changed >= made).all()
    assert (changed[never] == made[never]).all() and 0 < never.sum() < MANY
    assert (changed[~never] >= closed[~never].astype("datetime64[s]")).all()


def test_distribution_is_clipped(tmp_path: Path) -> None:
    """A distribution has about its mean and never leaves its bounds; whole numbers stay whole."""
    values = column(
        tmp_path,
        "type: integer, x-source: {distribution: normal, args: [50, 20], low: 30, high: 80}",
    )
    assert values.dtype.kind == "i"
    assert (values.min(), values.max()) == (30, 80)
    assert 45 < values.mean() < 56


def test_distribution_refuses_arguments_that_do_not_fit(tmp_path: Path) -> None:
    """Arguments that numpy's distribution doesn't take are an error with file, path and mend."""
    for args in ("[1, 2, 3, 4]", "[1, -2]"):
        said = fault(tmp_path, f"type: number, x-source: {{distribution: normal, args: {args}}}")
        assert (
            f"{tmp_path / 'toy' / 'Toy.yaml'}: properties.It.x-source.args: numpy's normal doesn't"
            " take them" in said
        )
        assert "mend args" in said


def test_faker_is_seeded(tmp_path: Path) -> None:
    """The same seed draws the same names, another seed others, and arguments go to the provider."""
    name = "type: string, x-source: {faker: first_name}"
    assert list(column(tmp_path, name)) == list(column(tmp_path, name))
    assert list(column(tmp_path, name)) != list(column(tmp_path, name, seed=2))
    assert set(
        column(tmp_path, "type: string, x-source: {faker: random_int, args: {min: 3, max: 5}}")
    ) == {"3", "4", "5"}


def test_values_told_apart_are_no_pair_twice(tmp_path: Path) -> None:
    """No two records have both a value and the one that it is told apart from in common, as long as
    the provider has another one.
    """
    few = "type: string, x-source: {faker: random_int, args: {min: 1, max: 30}"
    made = columns(tmp_path, f"Box: {{{few}}}}}\nIt: {{{few}, apart: Box}}}}")
    pairs = list(zip(made["Box"], made["It"], strict=True))
    assert len(set(pairs)) == MANY
    alone = column(
        tmp_path, "type: string, x-source: {faker: random_int, args: {min: 1, max: 1}, apart: Id}"
    )
    assert set(alone) == {"1"}


@pytest.mark.parametrize(
    "provider", ["frist_name", "seed", "seed_instance", "locales", "_factories"]
)
def test_faker_without_that_provider_is_an_error(provider: str, tmp_path: Path) -> None:
    """A provider that Faker doesn't have is an error with file, path and mend."""
    said = fault(tmp_path, f"type: string, x-source: {{faker: {provider}}}")
    assert (
        f"{tmp_path / 'toy' / 'Toy.yaml'}: properties.It.x-source.faker: Faker has no provider"
        f" '{provider}'" in said
    )


def test_faker_refuses_arguments_that_do_not_fit(tmp_path: Path) -> None:
    """Arguments that a provider doesn't take are an error with file, path and mend."""
    said = fault(tmp_path, "type: string, x-source: {faker: first_name, args: {sauce: red}}")
    assert (
        f"{tmp_path / 'toy' / 'Toy.yaml'}: properties.It.x-source.args: Faker's first_name doesn't"
        " take them" in said
    )
    assert "mend or remove args" in said


def test_place_parts_agree(tmp_path: Path) -> None:
    """City, state, time zone and postal code of a row are those of one city, the code from the
    city's own range.
    """
    fields = """
    City: {type: string, x-source: {place: city}}
    State: {type: string, x-source: {place: state}}
    Zip: {type: string, x-source: {place: postal_code}}
    Zone: {type: string, x-source: {place: time_zone}}
    Street: {type: string, x-source: {place: street}}
    Country: {type: string, x-source: {place: country}}
    Code: {type: string, x-source: {place: country_code}}
    """
    made = columns(tmp_path, fields)
    places = {(place.city, place.state): place for place in load_country("en_US").places}
    for city, state, code, zone in zip(
        made["City"],
        made["State"],
        made["Zip"],
        made["Zone"],
        strict=True,
    ):
        place = places[city, state]
        assert zone == place.time_zone
        assert len(code) == 5
        assert place.postal[0] <= code <= place.postal[1]
    assert len(set(made["City"])) > 20
    assert len(set(made["Street"])) > MANY * 0.9
    assert (set(made["Country"]), set(made["Code"])) == ({"United States"}, {"US"})


def test_places_of_another_group_are_others(tmp_path: Path) -> None:
    """Fields of one `of` share a place, those of another have one of their own."""
    fields = """
    Home: {type: string, x-source: {place: city, of: home}}
    HomeAgain: {type: string, x-source: {place: city, of: home}}
    Work: {type: string, x-source: {place: city, of: work}}
    """
    made = columns(tmp_path, fields)
    assert list(made["Home"]) == list(made["HomeAgain"])
    assert list(made["Home"]) != list(made["Work"])


def test_sequence_runs_on_from_its_start(tmp_path: Path) -> None:
    """A sequence counts from its start in its format."""
    assert list(
        column(tmp_path, "type: string, x-source: {sequence: 'T-{:04d}', start: 98}", 4)
    ) == ["T-0098", "T-0099", "T-0100", "T-0101"]


def test_pattern_has_its_signs_filled_in(tmp_path: Path) -> None:
    """A pattern's signs become digits, capitals and small letters or digits, the rest stands as it
    is.
    """
    values = column(tmp_path, "type: string, x-source: {pattern: 'SKU-#?*.'}")
    assert all(value.startswith("SKU-") and value.endswith(".") for value in values)
    assert {value[4] for value in values} == set("0123456789")
    assert {value[5] for value in values} == set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    assert {value[6] for value in values} == set("abcdefghijklmnopqrstuvwxyz0123456789")


UNIQUE = {
    "pattern": ("type: string, x-source: {pattern: '#'}", 10),
    "choice": ("type: string, x-source: {choice: [a, b, c]}", 3),
    "choice with a value twice": ("type: string, x-source: {choice: [a, b, a]}", 2),
    "choice by weight": ("type: string, x-source: {choice: {a: 90, b: 1, c: 1}}", 3),
    "whole numbers": ("type: integer, x-source: {range: [1, 60]}", 60),
    "numbers": ("type: number, x-source: {range: [0.01, 0.6]}", 60),
    "days": ("type: string, format: date, x-source: {range: [period.start, period.end]}", 365),
    "seconds": (
        "type: string, format: date-time, x-source: {range: ['2021-01-01', '2021-01-01T00:00:59']}",
        60,
    ),
    "names": ("type: string, x-source: {faker: first_name_female}", 2000),
    "templates": ("type: string, x-source: {template: 'same'}", 2000),
    "sequence": ("type: string, x-source: {sequence: '{:d}'}", 2000),
}


@pytest.mark.parametrize("name", sorted(UNIQUE))
def test_unique_values_come_once_however_few_there_are(name: str, tmp_path: Path) -> None:
    """A unique field draws no value twice, up to the last value that its source has."""
    field, size = UNIQUE[name]
    values = list(column(tmp_path, f"x-unique: true, {field}", size))
    assert len(values) == len(set(values)) == size


def test_unique_values_of_a_latent_count_are_held_against_its_rows(tmp_path: Path) -> None:
    """Where a latent variable decides the number of records, too few values are an error as soon as
    it is drawn.
    """
    write_object(
        tmp_path / "toy",
        "Toy",
        "Name: {type: string, x-unique: true, x-source: {choice: [a, b]}}",
        "{latent: Solution.issues}",
    )
    write_object(tmp_path / "toy", "Issue__c", count="{number: 5}")
    with pytest.raises(SchemaError) as caught:
        drawn(tmp_path)
    assert (
        "properties.Name.x-source: can give only 2 different values, but Name is unique and there"
        " are 5 Toy records" in str(caught.value)
    )


def test_constant_is_the_same_for_all(tmp_path: Path) -> None:
    """A constant stands in every record with its own type."""
    assert set(column(tmp_path, "type: boolean, x-source: {constant: true}")) == {True}
    assert list(column(tmp_path, "type: [string, 'null'], x-source: {constant: null}", 2)) == [
        None,
        None,
    ]


def test_template_goes_along_paths_with_filters(tmp_path: Path) -> None:
    """A template is filled in from fields, references and the profile, each value through its
    filters.
    """
    write_object(
        tmp_path / "toy",
        "Box",
        "Name: {type: string, x-source: {constant: Zoë's Big Box}}",
        "{number: 1}",
    )
    fields = """
    Made: {type: string, format: date, x-source: {range: ['2021-03-03', '2021-03-03']}}
    Price: {type: number, x-source: {range: [1299.5, 1299.5]}}
    Size: {type: integer, x-source: {constant: 4}}
    Nothing: {type: [string, "null"], x-source: {constant: null}}
    BoxId: {type: string, x-source: {reference: Box}}
    It: {type: string, x-source: {template: "{PATHS}"}}
    """
    wanted = {
        "{BoxId.Name:upper}": "ZOË'S BIG BOX",
        "{BoxId.Name:lower:word}": "zoë's",
        "{BoxId.Name:slug}": "zoes-big-box",
        "{BoxId.Name:letters:6}": "zoesbi",
        "{Made:long_date} in {Made:month}, {Made:4}": "March 3, 2021 in March, 2021",
        "{Price:money} or {Price}": "$1,299.50 or 1299.50",
        "{Size} toys of {company.name} <a@{company.domain}>": (
            "4 toys of Bramble Toys <a@brambletoys.example>"
        ),
        "[{Nothing}]": "[]",
        "{period.start} to {period.end}": "2021-01-01 to 2021-12-31",
    }
    for template, text in wanted.items():
        write_object(tmp_path / "toy", "Toy", fields.replace("{PATHS}", template))
        assert set(drawn(tmp_path).table("Toy")["It"]) == {text}


def test_template_with_an_unknown_filter_is_an_error(tmp_path: Path) -> None:
    """A filter that doesn't exist is told with those that do."""
    said = fault(tmp_path, "type: string, x-source: {template: '{Id:shout}'}")
    assert (
        f"{tmp_path / 'toy' / 'Toy.yaml'}: properties.It.x-source.template: unknown filter 'shout'"
        in said
    )
    assert "use a number or one of lower, upper, slug" in said


def test_template_keeps_to_the_fields_length(tmp_path: Path) -> None:
    """A template's text is cut to the field's maxLength,
    and a unique one stays unique within it.
    """
    fields = (
        "Id2: {type: string, x-source: {copy: Id}}\nIt: {type: string, maxLength: 8, x-unique:"
        " true, x-source: {template: '{company.name:letters}'}}"
    )
    values = list(columns(tmp_path, fields)["It"])
    assert len(set(values)) == MANY
    assert max(len(value) for value in values) == 8


def test_distinct_numbers_the_left_part_of_an_address() -> None:
    """A second anna@ becomes anna2@, and a number that is taken already is passed over."""
    assert list(
        distinct(strings(["anna@a.test", "anna@a.test", "anna2@a.test", "anna@a.test", "bo", "bo"]))
    ) == ["anna@a.test", "anna3@a.test", "anna2@a.test", "anna4@a.test", "bo", "bo2"]


@settings(deadline=None)
@given(st.lists(st.text("ab2@", min_size=1, max_size=6), max_size=60), st.integers(12, 20))
def test_distinct_values_are_unique_and_no_longer_than_allowed(
    texts: list[str], limit: int
) -> None:
    """Texts made distinct differ all, keep their number and limit, and the first of each kind
    stands as it was.
    """
    made = list(distinct(strings(texts), limit))
    assert len(made) == len(set(made)) == len(texts)
    assert all(len(text) <= limit for text in made)
    assert [text for at, text in enumerate(texts) if text not in texts[:at]] == [
        text for at, text in enumerate(made) if texts[at] not in texts[:at]
    ]


def test_copy_follows_references(tmp_path: Path) -> None:
    """A copy is the value at the end of a path over any number of references."""
    write_object(
        tmp_path / "toy",
        "Shelf",
        "Room: {type: string, x-source: {sequence: 'room {}'}}",
        "{number: 3}",
    )
    write_object(
        tmp_path / "toy",
        "Box",
        "ShelfId: {type: string, x-source: {reference: Shelf}}",
        "{number: 20}",
    )
    fields = """
    Room: {type: string, x-source: {copy: BoxId.ShelfId.Room}}
    BoxId: {type: string, x-source: {reference: Box}}
    """
    write_object(tmp_path / "toy", "Toy", fields, f"{{number: {MANY}}}")
    org = drawn(tmp_path)
    rooms = org.table("Shelf")["Room"][org.table("Box")["ShelfId"]][org.table("Toy")["BoxId"]]
    assert list(org.table("Toy")["Room"]) == list(rooms)
    assert set(rooms) == {"room 1", "room 2", "room 3"}


def test_when_takes_one_path_or_the_other(tmp_path: Path) -> None:
    """A value is taken from `then` where `when` is true and from `else` where it is not."""
    fields = """
    It: {type: string, x-source: {when: Sold, then: Price, else: Id}}
    Sold: {type: boolean, x-source: {choice: [true, false]}}
    Price: {type: string, x-source: {pattern: "$##"}}
    """
    made = columns(tmp_path, fields)
    assert list(made["It"]) == [
        price if sold else own
        for sold, price, own in zip(made["Sold"], made["Price"], made["Id"], strict=True)
    ]
    assert set(made["Sold"]) == {True, False}


def test_map_looks_values_up(tmp_path: Path) -> None:
    """A map gives each value its counterpart, and the default to those without one."""
    fields = """
    Color: {type: string, x-source: {choice: [red, blue, green]}}
    It: {type: string, x-source: {map: Color, to: {red: warm, blue: cold}, default: mild}}
    Bare: {type: [string, "null"], x-source: {map: Color, to: {red: warm}}}
    """
    made = columns(tmp_path, fields)
    assert {*zip(made["Color"], made["It"], made["Bare"], strict=True)} == {
        ("red", "warm", "warm"),
        ("blue", "cold", None),
        ("green", "mild", None),
    }


def test_latent_is_the_hidden_column(tmp_path: Path) -> None:
    """A latent field holds its latent table's column, row by row."""
    write_object(tmp_path / "toy", "Issue__c", count="{number: 5}")
    fields = (
        "Key: {type: string, x-source: {latent: Solution.issues.key}}\nName: {type: string,"
        " x-source: {latent: Solution.issues.name}}"
    )
    write_object(tmp_path / "toy", "Toy", fields, "{latent: Solution.issues}")
    made = drawn(tmp_path).table("Toy")
    assert len(set(made["Key"])) == len(set(made["Name"])) == 5


def test_latent_of_another_length_is_an_error(tmp_path: Path) -> None:
    """A latent column with other rows than the object type says to count the object type by its
    table.
    """
    write_object(tmp_path / "toy", "Issue__c", count="{number: 5}")
    path = write_object(
        tmp_path / "toy",
        "Toy",
        "Key: {type: string, x-source: {latent: Solution.issues.key}}",
        "{number: 7}",
    )
    with pytest.raises(SchemaError) as caught:
        drawn(tmp_path)
    assert (
        f"{path}: properties.Key: Solution.issues.key has 5 rows and Toy 7; count the object by"
        " that latent table" in str(caught.value)
    )


def test_fields_may_stand_in_any_order(tmp_path: Path) -> None:
    """A field may be made from one that stands below it,
    and the table keeps the order of the file.
    """
    made = columns(
        tmp_path,
        "Long: {type: string, x-source: {template: '{Short} and more'}}\nShort: {type: string,"
        " x-source: {copy: First}}\nFirst: {type: string, x-source: {constant: a}}",
        2,
    )
    assert list(made) == ["Id", "Long", "Short", "First"]
    assert list(made["Long"]) == ["a and more"] * 2


def test_no_records_have_every_column(tmp_path: Path) -> None:
    """An object type of which none are asked for has all its columns, and nothing in them."""
    fields = """
    Color: {type: string, x-unique: true, x-source: {choice: [red, blue]}}
    Code: {type: string, x-unique: true, x-source: {pattern: "##"}}
    Day: {type: string, format: date, x-unique: true, x-source: {range: [period.start, period.end]}}
    Name: {type: string, x-source: {faker: name}}
    City: {type: string, x-source: {place: city}}
    It: {type: string, x-source: {template: "{Name} of {City}"}}
    """
    made = columns(tmp_path, fields, 0)
    assert {name: len(values) for name, values in made.items()} == dict.fromkeys(
        ["Id", "Color", "Code", "Day", "Name", "City", "It"], 0
    )


def stored_and_uploaded(folder: Path, field: str) -> tuple[list[object], list[object]]:
    """The values of the field `It` in org.sqlite, and those in the upload folder."""
    write_object(folder / "toy", "Toy", f"It: {{{field}}}", "{number: 40}")
    org = drawn(folder)
    write_tables(org.setting.schema, lambda item: rows_of(org, item), folder / "org.sqlite")
    UploadFolder(org, folder / "upload", InProcess()).files()
    with closing(sqlite3.connect(folder / "org.sqlite")) as db:
        stored = [value for (value,) in db.execute('SELECT "It" FROM "Toy"')]
    records = json.loads((folder / "upload" / "Toy.json").read_text())["records"]
    return stored, [record["It"] for record in records]


TYPES = {
    "weights of whole numbers": ("type: integer, x-source: {choice: {'5': 4, '4': 3}}", {4, 5}),
    "weights of numbers": ("type: number, x-source: {choice: {'0.5': 4, '2.5': 3}}", {0.5, 2.5}),
    "weights of booleans": ("type: boolean, x-source: {choice: {'true': 1, 'false': 1}}", {0, 1}),
    "numbers as texts": ("type: string, x-source: {choice: [5, 2.5]}", {"5", "2.5"}),
    "a number by range as text": ("type: string, x-source: {range: [3, 3]}", {"3.0"}),
    "texts as whole numbers": ("type: integer, x-source: {constant: '7'}", {7}),
}


@pytest.mark.parametrize("name", sorted(TYPES))
def test_a_value_has_its_fields_type_in_every_file(name: str, tmp_path: Path) -> None:
    """A column is in its field's type from where it is drawn, so that org.sqlite and the upload
    hold the same values of the same type.
    """
    field, wanted = TYPES[name]
    stored, uploaded = stored_and_uploaded(tmp_path, field)
    assert stored == uploaded
    assert set(stored) == wanted
    assert {type(value) for value in uploaded} <= {type(value) for value in wanted} | {bool}


UNTYPED = {
    "a word in a field of numbers": ("type: integer, x-source: {choice: [5, many]}", "'many'"),
    "what is no finite number": ("type: number, x-source: {choice: {inf: 1}}", "'inf'"),
    "a fraction among whole numbers": ("type: integer, x-source: {constant: 2.5}", "2.5"),
    "an unquoted yes in a text": ("type: string, x-source: {constant: yes}", "True"),
    "a word that is no boolean": ("type: boolean, x-source: {constant: perhaps}", "'perhaps'"),
}


@pytest.mark.parametrize("name", sorted(UNTYPED))
def test_a_value_that_can_not_have_its_fields_type_is_an_error(name: str, tmp_path: Path) -> None:
    """A value that is not of its field's type and can't be made so is told with file and field."""
    field, value = UNTYPED[name]
    said = fault(tmp_path, field)
    assert f"{tmp_path / 'toy' / 'Toy.yaml'}: properties.It: its source gives {value}" in said
    assert "mend x-source or the field's type" in said


def test_a_filter_that_can_not_take_a_value_is_an_error(tmp_path: Path) -> None:
    """A filter on a value that it has no use for is told with the field, the slot and the mend."""
    fields = """
    Name: {type: string, x-source: {constant: red}}
    It: {type: string, x-source: {template: "{Name:money}"}}
    """
    with pytest.raises(SchemaError) as caught:
        columns(tmp_path, fields)
    said = str(caught.value)
    assert "properties.It.x-source.template: Toy: {Name:money}: the filter 'money'" in said
    assert "leave the filter out" in said


def test_a_field_is_empty_in_the_share_of_records_that_its_rule_leaves_out(tmp_path: Path) -> None:
    """A share is kept, another field may decide, and the values that are left don't change."""
    fields = """
    All: {type: integer, x-source: {range: [1, 900]}}
    Day: {type: string, format: date, x-source: {range: [period.start, period.end]}}
    Own: {type: boolean, x-source: {choice: {"true": 1, "false": 3}}}
    Share: {type: [integer, "null"], x-filled: {share: 0.7}, x-source: {copy: All}}
    Decided: {type: [string, "null"], x-filled: {by: Own}, x-source: {sequence: "T-{}"}}
    Both: {type: [integer, "null"], x-filled: {by: Own, share: 0.5}, x-source: {copy: All}}
    Never: {type: [string, "null"], format: date, x-filled: {share: 0}, x-source: {copy: Day}}
    """
    made = columns(tmp_path, fields)
    filled = {name: made[name] != np.array(None) for name in made}
    assert 0.6 < filled["Share"].mean() < 0.8
    assert (made["Share"][filled["Share"]] == made["All"][filled["Share"]]).all()
    own = made["Own"].astype(bool)
    assert (filled["Decided"] == own).all()
    assert not (filled["Both"] & ~own).any()
    assert 0.3 < filled["Both"][own].mean() < 0.7
    assert np.isnat(made["Never"]).all()


def test_an_empty_reference_leads_nowhere(tmp_path: Path) -> None:
    """A reference that is left empty is a row of no record, and its copies are empty too."""
    write_object(tmp_path / "toy", "Box", 'Name: {type: string, x-source: {sequence: "B{}"}}')
    fields = """
    BoxId: {type: [string, "null"], x-filled: {share: 0.5}, x-source: {reference: Box}}
    BoxName: {type: [string, "null"], x-source: {copy: BoxId.Name}}
    """
    made = columns(tmp_path, fields)
    empty = made["BoxId"] == NONE
    assert 0.4 < empty.mean() < 0.6
    assert [name is None for name in made["BoxName"]] == empty.tolist()


def test_what_decides_whether_a_field_is_filled_must_be_a_share(tmp_path: Path) -> None:
    """A text, a number above one or below nothing is refused with the field's place."""
    for source in ('{sequence: "T-{}"}', "{constant: 7}", "{constant: 1.5}", "{constant: -0.5}"):
        fields = f"""
        By: {{type: string, x-source: {source}}}
        It: {{type: [string, "null"], x-filled: {{by: By}}, x-source: {{constant: a}}}}
        """
        with pytest.raises(SchemaError, match="properties.It.x-filled.by: gives"):
            columns(tmp_path, fields)


def test_records_of_a_day_are_made_in_their_order_within_the_hours(tmp_path: Path) -> None:
    """A run that writes records of one day writes them one after another."""
    fields = (
        "Day: {type: string, format: date, x-source: {range: ['2021-03-01', '2021-03-04']}}\n"
        "Made: {type: string, format: date-time, x-source: {later: Day, hours: [22.5, 23.5]}}"
    )
    found = columns(tmp_path, fields)
    minutes = (found["Made"] - found["Day"].astype("datetime64[s]")).astype("timedelta64[m]")
    assert minutes.astype(int).min() >= 22.5 * 60 and minutes.astype(int).max() <= 23.5 * 60
    for day in np.unique(found["Day"]):
        assert (np.diff(found["Made"][found["Day"] == day]) >= np.timedelta64(0, "s")).all()


def test_what_hangs_on_one_record_mostly_has_one_value(tmp_path: Path) -> None:
    """With `each`, nine in ten records have what the first one of their owner has."""
    write_object(tmp_path / "toy", "Owner", count="{number: 20}")
    owner = "OwnerId: {type: string, x-source: {reference: Owner}}"
    paid = "Paid: {type: string, x-source: {choice: [cash, card, check, debit], each: OwnerId}}"
    write_object(tmp_path / "toy", "Bill", f"{owner}\n{paid}", "{number: 400}")
    bills = drawn(tmp_path).table("Bill")
    alike = []
    for row in range(20):
        _, counts = np.unique(bills["Paid"][bills["OwnerId"] == row], return_counts=True)
        alike.append(counts.max() / counts.sum())
    assert 0.85 < np.mean(alike) < 1


def test_a_range_may_begin_at_nothing(tmp_path: Path) -> None:
    """Zero is a bound like any other, below and above."""
    assert set(column(tmp_path, "type: integer, x-source: {range: [0, 1]}")) == {0, 1}
    assert set(column(tmp_path, "type: integer, x-source: {range: [-1, 0]}")) == {-1, 0}


@pytest.mark.parametrize(
    ("bound", "below", "above"),
    [("low: 40", False, True), ("high: 60", True, False), ("low: 40, high: 60", False, False)],
)
def test_a_distribution_may_have_one_bound(
    bound: str, below: bool, above: bool, tmp_path: Path
) -> None:
    """It is clipped at that end alone."""
    source = f"distribution: normal, args: [50, 20], {bound}"
    values = column(tmp_path, f"type: number, x-source: {{{source}}}")
    assert (values < 40).any() == below
    assert (values > 60).any() == above


def test_numbers_of_a_distribution_have_two_places(tmp_path: Path) -> None:
    """Neither more nor fewer."""
    values = column(tmp_path, "type: number, x-source: {distribution: normal, args: [5, 1]}")
    assert (values == np.round(values, 2)).all() and (values != np.round(values, 1)).any()


def test_a_distribution_may_give_the_largest_number_that_is_exact(tmp_path: Path) -> None:
    """That is 2^53; what is beyond it is refused."""
    source = "type: integer, x-source: {distribution: normal, args: [9007199254740992, WIDTH]}"
    assert set(column(tmp_path, source.replace("WIDTH", "0"))) == {2**53}
    assert "beyond 2^53" in fault(tmp_path, source.replace("WIDTH", "1000"))


@pytest.mark.parametrize("number", [-(2**63), 2**63 - 1, 0])
def test_a_whole_number_may_have_64_bits(number: int) -> None:
    """Those next to the bounds are numbers still, and those beyond them are none."""
    assert CASTS["integer"](str(number)) == number
    for beyond in (-(2**63) - 1, 2**63):
        with pytest.raises(ValueError, match=str(beyond)):
            CASTS["integer"](str(beyond))


def test_a_number_that_is_copied_into_a_text_is_one(tmp_path: Path) -> None:
    """Only references are left as the rows that they lead to."""
    fields = """
    Number: {type: integer, x-source: {range: [7, 7]}}
    It: {type: string, x-source: {copy: Number}}
    """
    assert set(columns(tmp_path, fields)["It"]) == {"7"}


@pytest.mark.parametrize("count", ["{per: Box}", "{per: Box, number: 1}", "{per: Box, number: 2}"])
def test_each_parent_has_its_children_side_by_side(count: str, tmp_path: Path) -> None:
    """One each where no number is said."""
    write_object(tmp_path / "toy", "Box")
    field = "BoxId: {type: string, x-source: {reference: Box, by: parent}}"
    write_object(tmp_path / "toy", "Toy", field, count)
    each = 2 if "2" in count else 1
    assert drawn(tmp_path).table("Toy")["BoxId"].tolist() == sorted([0, 1, 2] * each)


def test_a_change_a_day_later_waits_for_a_working_day(tmp_path: Path) -> None:
    """A mean of one day counts in working days; less than that is within the day."""
    fields = """
    Made: {type: string, format: date-time, x-source: {constant: "2021-03-06T12:00:00"}}
    Later: {type: string, format: date-time, x-source: {later: Made, share: 1.0, days: 1}}
    """
    later = columns(tmp_path, fields)["Later"].astype("datetime64[D]")
    assert np.is_busday(later).all()


def test_an_org_can_do_with_one_record_of_what_it_needs(tmp_path: Path) -> None:
    """One is some, none is refused with the option that mends it."""
    write_object(tmp_path / "toy", "Toy")
    assert toy_job(tmp_path, Toy=1).setting.some("Toy") == 1
    with pytest.raises(BadInput, match="Toy=0: an org needs at least one; .* --set Toy=N"):
        toy_job(tmp_path, Toy=0).setting.some("Toy")


@pytest.mark.parametrize(
    ("field", "number"),
    [
        ("type: integer, x-source: {range: [-2, 9]}", 12),
        ("type: number, x-source: {range: [0.5, 2]}", 151),
        ("type: string, format: date, x-source: {range: ['2021-12-30', '2022-01-02']}", 4),
        (
            "type: string, format: date-time,"
            " x-source: {range: ['2021-12-30T22:58:59', '2021-12-31T01:00:01']}",
            2 * 3600 + 63,
        ),
        ("type: string, x-source: {pattern: '#-?*'}", 10 * 26 * 36),
        ("type: string, x-source: {choice: [a, b, a]}", 2),
        ("type: string, x-source: {choice: {a: 1, b: 0, c: 2}}", 2),
        ("type: string, x-source: {constant: a}", 1),
    ],
)
def test_a_source_can_give_so_many_values(tmp_path: Path, field: str, number: int) -> None:
    """Whole numbers, hundredths, days, seconds, signs and choices, both ends included."""
    write_object(tmp_path / "toy", "Toy", f"It: {{{field}}}")
    setting = toy_job(tmp_path).setting
    assert capacity(setting.schema.object("Toy").field("It"), setting.profile.period) == number


def test_an_org_may_be_as_large_as_a_run_can_hold(tmp_path: Path) -> None:
    """The most records, and what fills the memory to the last byte, are no more than that."""
    write_object(tmp_path / "toy", "Toy", "Size: {type: integer, x-source: {range: [0, 9]}}")
    schema = toy_job(tmp_path).setting.schema
    assert (
        capacity(schema.object("Toy").field("Size"), toy_job(tmp_path).setting.profile.period) == 10
    )
    check_size(schema, {"Toy": MOST_RECORDS}, memory=2**60)
    with pytest.raises(BadInput, match="a run has at most"):
        check_size(schema, {"Toy": MOST_RECORDS + 1}, memory=2**60)
    check_size(schema, {"Toy": 10}, memory=20 * BYTES_A_VALUE)
    with pytest.raises(BadInput, match="of memory"):
        check_size(schema, {"Toy": 10}, memory=20 * BYTES_A_VALUE - 1)
