"""Telephones, streets and postal codes have their country's form, and belong to nobody."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.postal_codes import postal_bounds, postal_code, postal_codes
from latent.streets import LARGEST_BOX, boxes, street_lines
from latent.telephones import area_code, most_numbers, telephone
from pipeline.world.streams import stream
from schemas.country import Country, Postal, known_locales, load_country
from schemas.gazetteer import City, Houses, NumberedStreets, StreetKind, Streets, Units

pytestmark = pytest.mark.quick

POINTS = st.floats(0, 1)
LANE = StreetKind(name="Lane", short="Ln", weight=1)
NO_FLATS = Units(share=0, forms={"{line} Apt {number}": 1})
FEW_HOUSES = Houses(median=20, sigma=1, largest=30)
PLAIN = Streets(kinds=(LANE,), names=("Maple", "Oak"), houses=FEW_HOUSES, units=NO_FLATS, box="")


@pytest.fixture(params=known_locales())
def country(request: pytest.FixtureRequest) -> Country:
    """Each country in turn."""
    return load_country(request.param)


def lines_of(streets: Streets, size: int = 300) -> list[str]:
    """Street lines of a toy country."""
    return street_lines(stream(1, "streets"), streets, size)


def with_flats(form: str, lettered: float = 0.0) -> Streets:
    """The plain streets, where everybody lives in a flat of at most three floors."""
    units = Units(share=1, forms={form: 1}, floors=3, lettered=lettered)
    return PLAIN.model_copy(update={"units": units})


@given(point=POINTS, number=st.integers(0, 10_000))
def test_a_telephone_number_fills_the_form_with_the_last_digits(point: float, number: int) -> None:
    """Whatever the number, its last digits stand where the form has `#`."""
    phone = telephone(["({area}) 555-01##"], ("206", "425"), point, number)
    assert re.fullmatch(r"\((206|425)\) 555-01\d\d", phone)
    assert phone.endswith(f"{number % 100:02d}")


def test_the_point_chooses_the_form_too() -> None:
    """The first form holds for the lower half of the points, and 1 itself is within the last."""
    forms = ["home ##", "mobile ##"]
    points = (0.0, 0.49, 0.5, 1.0)
    chosen = [telephone(forms, ("1",), point, 7).split()[0] for point in points]
    assert chosen == ["home", "home", "mobile", "mobile"]


def test_digits_of_a_form_are_filled_from_left_to_right() -> None:
    """A form with its places apart is read as one number."""
    assert telephone(["0## - ##"], ("",), 0.0, 1234) == "012 - 34"


def test_the_first_area_code_of_a_city_is_the_commonest() -> None:
    """Of two codes the first has two thirds of all points, and neither bound falls out."""
    codes = ("206", "425")
    found = [area_code(codes, point / 300) for point in range(301)]
    assert found[0] == "206" and found[-1] == "425"
    assert found.count("206") in range(199, 203)


def test_the_largest_range_for_fiction_bounds_the_numbers(country: Country) -> None:
    """No form of the country has room for more numbers than are told."""
    most = most_numbers(country)
    for city in country.places:
        for form in (*country.phones.home, *country.phones.mobile):
            last = telephone([form], city.area_codes, 0.0, most - 1)
            assert "#" not in last
            assert country.is_fictional(last)


def test_a_postal_code_keeps_what_stands_before_its_last_digits() -> None:
    """Only the last digits differ between a city's codes, and they keep their leading zeros."""
    city = city_of(("EC001", "EC040"))
    rng = stream(1, "postal")
    assert postal_bounds(city) == (1, 40)
    assert postal_code(city, Postal(pattern=""), 7, rng) == "EC007"


def test_the_tail_of_a_postal_code_is_drawn() -> None:
    """A `#` becomes a digit, a `@` one of the country's letters, all else stays."""
    city = city_of(("M1", "M40"))
    postal = Postal(pattern="", tail=" #@@", letters="XY")
    rng = stream(1, "postal")
    codes = {postal_code(city, postal, 3, rng) for _ in range(300)}
    assert all(re.fullmatch(r"M3 \d[XY]{2}", code) for code in codes)
    assert len(codes) == 40


def test_every_postal_code_is_of_its_city(country: Country) -> None:
    """The code of each row lies between the first and the last of that row's city."""
    rng = stream(1, "postal")
    rows = rng.integers(len(country.places), size=200)
    codes = postal_codes(rng, country, rows)
    for row, code in zip(rows.tolist(), codes.tolist(), strict=True):
        assert re.fullmatch(country.postal.pattern, code)
        low, high = country.places[row].postal
        assert low <= code[: len(low)] <= high or len(low) != len(high)


def test_a_street_line_is_a_house_and_a_street() -> None:
    """Without flats, directions or numbered streets it is the number, the name and the kind."""
    for line in lines_of(PLAIN):
        assert re.fullmatch(r"\d+ (Maple|Oak) Lane", line)
        assert 1 <= int(line.split()[0]) <= FEW_HOUSES.largest


def test_the_first_names_of_streets_are_the_commonest() -> None:
    """Names are listed commonest first, and are drawn so."""
    names = tuple(f"N{number}" for number in range(50))
    lines = lines_of(PLAIN.model_copy(update={"names": names}), 5000)
    drawn = [line.split()[1] for line in lines]
    assert drawn.count("N0") > 2 * drawn.count("N49")


def test_a_share_of_people_writes_the_kind_of_street_short() -> None:
    """All of them where the share is one, none where it is zero."""
    short = lines_of(PLAIN.model_copy(update={"short": 1.0}))
    assert all(line.endswith(" Ln") for line in short)
    assert not any(line.endswith(" Ln") for line in lines_of(PLAIN))


def test_numbered_streets_have_an_ordinal_for_a_name() -> None:
    """The ordinal lies within the largest, and only the first kinds have numbered streets."""
    avenue = StreetKind(name="Avenue", short="Ave", weight=1)
    numbered = NumberedStreets(share=1, largest=12, kinds=1)
    streets = PLAIN.model_copy(update={"kinds": (LANE, avenue), "numbered": numbered})
    for line in lines_of(streets):
        found = re.fullmatch(r"\d+ (\d+)(st|nd|rd|th) Lane", line)
        assert found is not None
        assert 1 <= int(found[1]) <= 12


def test_a_direction_stands_before_the_name() -> None:
    """Where every street has one, each of the country's directions is met."""
    streets = PLAIN.model_copy(update={"directed": 1.0, "directions": {"N": 1.0, "SW": 1.0}})
    found = {line.split()[1] for line in lines_of(streets)}
    assert found == {"N", "SW"}


def test_a_house_number_may_have_an_addition() -> None:
    """The additions stand right behind the number, as often as their weights say."""
    houses = Houses(median=20, sigma=1, largest=30, additions={"": 1.0, "a": 3.0})
    lines = lines_of(PLAIN.model_copy(update={"houses": houses}), 2000)
    added = [line for line in lines if re.match(r"\d+a ", line)]
    assert 0.7 < len(added) / len(lines) < 0.8


def test_where_houses_stand_in_blocks_their_numbers_are_small() -> None:
    """District and block are numbers of their own in front of the house's."""
    streets = PLAIN.model_copy(update={"line": "{street} {chome}-{block}-{house}"})
    for line in lines_of(streets):
        found = re.fullmatch(r"(?:Maple|Oak) Lane (\d+)-(\d+)-\d+", line)
        assert found is not None
        assert 1 <= int(found[1]) <= 6
        assert 1 <= int(found[2]) <= 30


def test_a_flats_number_begins_with_its_floor() -> None:
    """Its door follows as two digits, or as a letter."""
    by_digits = lines_of(with_flats("{line} Apt {number}"))
    by_letters = lines_of(with_flats("{line} Apt {number}", lettered=1.0))
    assert all(re.search(r" Lane Apt [1-3]0[1-8]$", line) for line in by_digits)
    assert all(re.search(r" Lane Apt [1-3][A-H]$", line) for line in by_letters)


def test_low_floors_are_commoner_than_high_ones() -> None:
    """Houses of one floor only have no second one."""
    lines = lines_of(with_flats("{line}, floor {floor}"), 3000)
    floors = [int(line.rpartition(" ")[2]) for line in lines]
    assert set(floors) == {1, 2, 3}
    assert floors.count(1) > floors.count(2) > floors.count(3)


def test_a_post_office_box_has_a_number() -> None:
    """It is between one and the largest, in the country's words."""
    streets = PLAIN.model_copy(update={"box": "PO Box {number}"})
    for box in boxes(stream(1, "boxes"), streets, 100):
        assert box.startswith("PO Box ")
        assert 1 <= int(box.removeprefix("PO Box ")) <= LARGEST_BOX


def test_no_street_line_has_an_unfilled_place(country: Country) -> None:
    """Every country's own forms are filled to the last brace."""
    for line in lines_of(country.streets, 500) + boxes(stream(1, "b"), country.streets, 5):
        assert line.strip() == line != ""
        assert not set("{}") & set(line)


def test_the_same_stream_gives_the_same_lines(country: Country) -> None:
    """An address depends on nothing but its stream."""
    assert lines_of(country.streets) == lines_of(country.streets)


def city_of(postal: tuple[str, str]) -> City:
    """A toy city with a range of postal codes."""
    return City(
        city="Ashford",
        state="KT",
        postal=postal,
        time_zone="Europe/London",
        area_codes=("01632",),
        weight=1,
    )
