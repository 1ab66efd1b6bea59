"""Profiles and counts: what a person may ask for, what follows from it, and what is refused with a
clear line.
"""

from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.config import PreparedRun, RunRequest, load_job, resolve_counts
from pipeline.plan import Plan, make_plan
from schemas.errors import BadInput, OrgweaveError, SchemaError
from schemas.loader import load_schema
from schemas.profile import Profile, companies_folder, find_profile, known_companies, load_profile
from schemas.trade import load_trade
from tests.toys import write_company, write_object

TABLE_8 = {
    "User": 100,
    "Account": 196,
    "Contact": 196,
    "ProductCategory": 12,
    "Product2": 500,
    "ProductCategoryProduct": 762,
    "Pricebook2": 44,
    "PricebookEntry": 22000,
    "Order": 2071,
    "OrderItem": 7100,
    "Issue__c": 10,
    "Case": 977,
    "CaseHistory__c": 2983,
    "EmailMessage": 3234,
    "LiveChatTranscript": 387,
    "Knowledge__kav": 45,
}

BAKERY = """\
# A bakery that has no lexicon of its own.
name: Harrow & Rye
industry: bakery supplies
description: >-
  Harrow & Rye sells flour and tins to people who bake at home.
schema: service_cloud
period:
  start: 2022-01-01
  end: 2023-12-31
seed: 8
team: Baking Help
counts:
  User: 12
  Account: 20
  Product2: 24
  Order: 60
  OrderItem: 120
  Case: 20
  EmailMessage: 66
  LiveChatTranscript: 8
"""


def write_shop(folder: Path, counts: str = "{}") -> Path:
    """A toy company: ten toys, forty parts that follow them, two shelves of fixed number, lids per
    toy, tags for each shelf and toy.
    """
    schema = folder / "toy"
    write_object(schema, "Toy", count="{number: 10}")
    write_object(schema, "Part", count="{number: 40}", more="x-follows: Toy")
    write_object(schema, "Shelf", count="{number: 2}", more="x-scale: fixed")
    write_object(schema, "Lid", count="{per: Toy, number: 2}")
    write_object(schema, "Tag", count="{cross: [Shelf, Toy]}")
    return write_company(folder, f"counts: {counts}")


def counts_of(company: Path, scale: float = 1.0, **sets: int) -> dict[str, int]:
    """The counts that follow from a profile, a scale and counts set by hand."""
    return dict(load_job(RunRequest(str(company), scale=scale, sets=sets)).setting.counts)


def fault(folder: Path, more: str) -> str:
    """What is said of a profile with these lines."""
    with pytest.raises(SchemaError) as caught:
        load_profile(write_company(folder, more))
    return str(caught.value)


def count_fault(company: Path, scale: float = 1.0, **sets: int) -> str:
    """What is said of counts that can't be."""
    with pytest.raises(BadInput) as caught:
        counts_of(company, scale, **sets)
    return str(caught.value)


def replaced(company: Path, line: str, by: str) -> Path:
    """The profile with one of its lines replaced."""
    text = company.read_text()
    assert line in text
    company.write_text(text.replace(line, by))
    return company


@pytest.fixture(scope="module")
def shoes() -> PreparedRun:
    """The job of the shoe company as it ships."""
    return load_job(RunRequest("shoes"))


@pytest.mark.parametrize("company", known_companies())
def test_a_shipped_profile_loads(company: str) -> None:
    """Each profile that ships is found by its name and whole with its schema and lexicon."""
    job = load_job(RunRequest(company))
    assert job.sources.profile == companies_folder() / f"{company}.yaml"
    assert job.setting.seed == job.setting.profile.seed
    assert job.setting.counts
    assert job.lexicon.rules


def test_the_shoe_company_has_the_papers_counts(shoes_plan: Plan) -> None:
    """The sixteen object types of the shoe company have exactly the numbers of the paper's table
    8.
    """
    planned = {node.name: node.records for node in shoes_plan.nodes}
    assert {name: planned[name] for name in TABLE_8} == TABLE_8


def test_what_an_org_cannot_do_without_is_there_once_at_least(shoes: PreparedRun) -> None:
    """A single user is enough, none is told with the number that was asked for."""
    single = replace(shoes.setting, counts={"User": 1})
    assert single.some("User") == 1
    nobody = replace(shoes.setting, counts={"User": 0})
    with pytest.raises(BadInput, match="User=0: an org needs at least one; ask for more"):
        nobody.some("User")


def test_an_unknown_company_is_told_with_the_known_ones() -> None:
    """A company that doesn't ship is an error that lists all that do."""
    with pytest.raises(BadInput) as caught:
        find_profile("florist")
    assert "--company florist: no such profile" in str(caught.value)
    assert ", ".join(known_companies()) in str(caught.value)


def test_a_path_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    """A profile's path without a file behind it is told as it was given."""
    with pytest.raises(BadInput, match="nowhere.yaml: no such profile"):
        find_profile(str(tmp_path / "nowhere.yaml"))


def test_a_profile_of_twenty_lines_is_enough(tmp_path: Path) -> None:
    """A profile of twenty lines without a lexicon, kept anywhere,
    can be planned to its last text.
    """
    path = tmp_path / "bakery.yaml"
    path.write_text(BAKERY)
    assert len(BAKERY.splitlines()) == 20
    job = load_job(RunRequest(str(path)))
    plan = make_plan(job)
    assert job.lexicon.name == "generic"
    assert {node.name: node.records for node in plan.nodes}["Case"] == 20
    assert plan.mini_batches > 0


@pytest.mark.parametrize("domain", ["bramble.example", "shop.bramble.test", "bramble.invalid"])
def test_a_reserved_domain_is_taken(domain: str, tmp_path: Path) -> None:
    """A domain that is reserved for examples is the company's own."""
    assert load_profile(write_company(tmp_path, f"domain: {domain}")).email_domain == domain


@pytest.mark.parametrize(
    "domain",
    ["bramble.com", "example", "bramble.example.org", "bramble example", "@bramble.example"],
)
def test_another_domain_is_refused(domain: str, tmp_path: Path) -> None:
    """A domain that could be somebody's is refused with the endings to use."""
    said = fault(tmp_path, f"domain: '{domain}'")
    assert str(tmp_path / "toys.yaml") in said
    assert f"domain {domain!r} is not reserved" in said
    assert "end it in .example or .test" in said


@pytest.mark.parametrize(
    ("name", "domain"), [("Bramble & Toys", "brambletoys.example"), ("Игрушки", "company.example")]
)
def test_without_a_domain_the_name_gives_one(name: str, domain: str, tmp_path: Path) -> None:
    """Where the profile gives no domain, a reserved one is made from the company's name."""
    assert (
        load_profile(replaced(write_company(tmp_path), "Bramble Toys", name)).email_domain == domain
    )


def test_a_folder_in_place_of_its_profile_is_told_with_the_file(tmp_path: Path) -> None:
    """`company new hotel` makes hotel/hotel.yaml, which who names the folder is pointed to."""
    folder = tmp_path / "hotel"
    folder.mkdir()
    with pytest.raises(BadInput) as caught:
        find_profile(str(folder))
    assert str(caught.value).endswith("the path of a .yaml file")
    (folder / "hotel.yaml").touch()
    with pytest.raises(BadInput) as caught:
        find_profile(str(folder))
    assert str(caught.value).endswith(f"the path of a .yaml file, such as {folder / 'hotel.yaml'}")


@pytest.mark.parametrize("word", ["toys", "toys.yml"])
def test_a_file_without_its_ending_is_told_with_it(word: str, tmp_path: Path) -> None:
    """Who says `--company toys` beside toys.yaml is pointed to that file."""
    (tmp_path / "toys.yaml").touch()
    says = r"a \.yaml file, such as toys\.yaml$"
    with chdir(tmp_path), pytest.raises(BadInput, match=says):
        find_profile(word)


PERIODS = {
    "short": (
        "{start: 2021-01-01, end: 2021-02-01}",
        ["period", "must last at least 90 days; set a later end"],
    ),
    "backward": (
        "{start: 2021-12-31, end: 2021-01-01}",
        ["period: ends on 2021-01-01, before it starts on 2021-12-31; swap the two"],
    ),
    "before 1970": ("{start: 1969-12-31, end: 1971-12-31}", ["must lie from 1970-01-01"]),
    "the end of calendars": ("{start: 9998-01-01, end: 9999-12-31}", ["to 2999-12-31; set other"]),
    "no date": ("{start: soon, end: 2021-12-31}", ["period.start", "valid date", "'soon'"]),
    "no calendar's date": (
        "{start: 2021-02-30, end: 2021-12-31}",
        ["broken YAML: line 5", "2021-02-30 is no date"],
    ),
    "no end": ("{start: 2021-01-01}", ["period.end", "is missing; add it"]),
    "another key": (
        "{start: 2021-01-01, end: 2021-12-31, days: 365}",
        ["period.days", "unknown key; remove it"],
    ),
}


@pytest.mark.parametrize("name", sorted(PERIODS))
def test_a_bad_period_is_refused(name: str, tmp_path: Path) -> None:
    """A period that is too short, backward or no period is told with file, key and mend."""
    period, says = PERIODS[name]
    path = replaced(write_company(tmp_path), "{start: 2021-01-01, end: 2021-12-31}", period)
    with pytest.raises(SchemaError) as caught:
        load_profile(path)
    assert str(path) in str(caught.value)
    assert [part for part in says if part not in str(caught.value)] == []


FAULTS = {
    "unknown key": ("colour: red", ["colour: unknown key; remove it or mend its spelling"]),
    "unknown key of the rates": (
        "rates: {refunds: 0.2}",
        ["rates.refunds: unknown key; remove it"],
    ),
    "rate above one": (
        "rates: {closed: 1.2}",
        ["rates.closed", "less than or equal to 1", "got 1.2"],
    ),
    "seed that is no number": ("seed: lucky", ["seed", "valid integer", "got 'lucky'"]),
    "negative seed": ("seed: -3", ["seed", "greater than or equal to 0"]),
    "negative count": ("counts: {Toy: -3}", ["counts.Toy", "greater than or equal to 0", "got -3"]),
    "count that is no number": (
        "counts: {Toy: many}",
        ["counts.Toy", "valid integer", "got 'many'"],
    ),
    "text for a list": ("categories: Tents, Bags", ["categories: must be a list (got 'Tents"]),
    "mapping for a list": ("categories: {a: Tents}", ["categories: must be a list"]),
    "list for a mapping": ("rates: [0.2]", ["rates: must be a mapping (key: value lines)"]),
    "the same name in capitals": ("categories: [Tents, TENTS]", ["'TENTS' stands twice"]),
    "unknown locale": ("locale: de_CH", ["locale", "no locale 'de_CH'", "de_DE, en_GB, en_US"]),
}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_faulty_profile_is_told_with_file_and_key(name: str, tmp_path: Path) -> None:
    """A key that is unknown or has a value it can't have is told with the file and the key's
    path.
    """
    more, says = FAULTS[name]
    said = fault(tmp_path, more)
    assert str(tmp_path / "toys.yaml") in said
    assert [part for part in says if part not in said] == []


def test_a_name_of_one_letter_is_told_in_plain_words(tmp_path: Path) -> None:
    """A name that is too short is told in characters."""
    path = write_company(tmp_path)
    (line,) = [line for line in path.read_text().splitlines() if line.startswith("name:")]
    with pytest.raises(SchemaError, match=r"name: must have at least 2 characters \(got 'T'\)"):
        load_profile(replaced(path, line, "name: T"))


def test_a_missing_key_is_told(tmp_path: Path) -> None:
    """A profile without a description is told to add one."""
    path = replaced(write_company(tmp_path), "description: Sells wooden toys by mail.\n", "")
    with pytest.raises(SchemaError, match="toys.yaml: description: is missing; add it"):
        load_profile(path)


def test_an_unknown_lexicon_is_told_with_the_known_ones(tmp_path: Path) -> None:
    """A lexicon that doesn't exist is an error, and so is a schema."""
    write_shop(tmp_path)
    with pytest.raises(SchemaError, match=r"toys\.yaml: lexicon: there is no such lexicon"):
        load_job(RunRequest(str(write_company(tmp_path, "lexicon: elvish"))))
    known = r"toys\.yaml: schema: there is no such schema folder.* clinic, .*service_cloud"
    with pytest.raises(SchemaError, match=known):
        load_job(RunRequest(str(write_company(tmp_path, schema="elvish"))))


def test_only_folders_of_words_are_offered_as_lexicons(tmp_path: Path) -> None:
    """Of the folders beside a profile its schema is no lexicon, and one with a world is."""
    (tmp_path / "tales").mkdir()
    (tmp_path / "tales" / "world.yaml").write_text("trade: goods\n", encoding="utf-8")
    write_shop(tmp_path)
    with pytest.raises(SchemaError, match="use one of bank, .*tales") as raised:
        load_job(RunRequest(str(write_company(tmp_path, "lexicon: elvish"))))
    assert " toy" not in str(raised.value)


def test_counts_come_from_the_schema_where_nobody_says_otherwise(tmp_path: Path) -> None:
    """Without other wishes each object type has the number of its file."""
    assert counts_of(write_shop(tmp_path)) == {"Part": 40, "Shelf": 2, "Toy": 10}


def test_the_profiles_counts_go_before_the_schemas(tmp_path: Path) -> None:
    """A count in the profile replaces the one in the schema."""
    assert counts_of(write_shop(tmp_path, "{Toy: 20, Part: 60}")) == {
        "Part": 60,
        "Shelf": 2,
        "Toy": 20,
    }


def test_counts_set_by_hand_go_before_the_profiles(tmp_path: Path) -> None:
    """A count set on the command line replaces the profile's and is not scaled."""
    assert counts_of(write_shop(tmp_path, "{Shelf: 5, Part: 60}"), scale=0.5, Shelf=7, Part=9) == {
        "Part": 9,
        "Shelf": 7,
        "Toy": 5,
    }


def test_a_scale_multiplies_all_but_fixed_counts(tmp_path: Path) -> None:
    """A scale multiplies the counts of the profile and the schema, those of fixed object types
    excepted.
    """
    assert counts_of(write_shop(tmp_path, "{Toy: 30, Part: 90}"), scale=0.1) == {
        "Part": 9,
        "Shelf": 2,
        "Toy": 3,
    }


def test_a_small_scale_leaves_one_of_each(tmp_path: Path) -> None:
    """However small the scale, what there was any of there is one of, and what there was none of
    stays none.
    """
    small = counts_of(write_shop(tmp_path), scale=0.001)
    none = counts_of(write_shop(tmp_path, "{Toy: 0, Part: 0}"), scale=0.001)
    assert (small["Toy"], none["Toy"], none["Part"]) == (1, 0, 0)


def test_a_follower_keeps_its_ratio(tmp_path: Path) -> None:
    """Whatever the leader's number comes from, its follower stays as many times as large."""
    company = write_shop(tmp_path)
    assert counts_of(company, Toy=25)["Part"] == 100
    assert counts_of(company, scale=3)["Part"] == 120
    assert counts_of(company, scale=3, Toy=4)["Part"] == 16


def test_the_shoe_companys_mails_follow_its_cases() -> None:
    """Half the cases have half the mails and half the chats."""
    counts = load_job(RunRequest("shoes", sets={"Case": 488})).setting.counts
    assert counts["EmailMessage"] == round(3234 * 488 / 977)
    assert counts["LiveChatTranscript"] == round(387 * 488 / 977)
    assert counts["Order"] == 2071


def test_a_count_of_an_unknown_object_type_is_refused(tmp_path: Path) -> None:
    """A count of what the schema doesn't have is told with what it has, whoever asks for it."""
    assert (
        "count Ball=3: schema toy has no object type Ball; it has Lid, Part, Shelf, Tag, Toy"
        in count_fault(write_shop(tmp_path), Ball=3)
    )
    assert "count Ball=3: schema toy has no object type Ball" in count_fault(
        write_shop(tmp_path, "{Ball: 3}")
    )


def test_a_negative_count_is_refused(tmp_path: Path) -> None:
    """No object type has fewer than no records."""
    assert "count Toy=-1: must not be negative" in count_fault(write_shop(tmp_path), Toy=-1)


@pytest.mark.parametrize("name", ["Lid", "Tag"])
def test_a_derived_count_can_not_be_set(name: str, tmp_path: Path) -> None:
    """The number of records that follows from other object types can't be set by hand or by the
    profile.
    """
    said = (
        f"count {name}=3: the number of {name} records follows from other objects; set those"
        " instead"
    )
    assert said in count_fault(write_shop(tmp_path), **{name: 3})
    assert said in count_fault(write_shop(tmp_path, f"{{{name}: 3}}"))


def test_a_count_of_a_latent_variable_can_not_be_set() -> None:
    """The number of records that a latent variable alone decides can't be set."""
    with pytest.raises(
        BadInput, match="the number of CaseHistory__c records follows from other objects"
    ):
        load_job(RunRequest("shoes", sets={"CaseHistory__c": 5}))


@pytest.mark.parametrize("scale", [0.0, -1.0, 1001.0, float("nan"), float("inf")])
def test_a_scale_out_of_bounds_is_refused(scale: float, tmp_path: Path) -> None:
    """A scale that is not above 0 and at most 1000 is told with its bounds."""
    assert "must be above 0 and at most 1000" in count_fault(write_shop(tmp_path), scale)


def test_counts_follow_from_their_arguments_alone(tmp_path: Path) -> None:
    """The same schema, profile and ask always give the same counts."""
    write_shop(tmp_path)
    profile = Profile.model_validate(
        {
            "name": "Bramble",
            "industry": "toys",
            "description": "Sells wooden toys.",
            "schema": "toy",
            "period": {"start": "2021-01-01", "end": "2021-12-31"},
        }
    )
    schema = load_schema(tmp_path / "toy")
    ask = RunRequest("toys", scale=2, sets={"Shelf": 3})
    assert (
        resolve_counts(schema, profile, ask, load_trade())
        == resolve_counts(schema, profile, ask, load_trade())
        == {
            "Part": 80,
            "Shelf": 3,
            "Toy": 20,
        }
    )


def test_an_ask_is_kept_as_it_was() -> None:
    """An ask that was kept as JSON comes back as it was."""
    ask = RunRequest("shoes", 7, 0.5, {"Case": 20}, {"Case": 1})
    assert RunRequest.from_json(ask.as_json()) == ask


def test_a_profiles_leader_takes_its_followers_along(tmp_path: Path) -> None:
    """A profile that sets only the number of cases keeps the schema's ratio of messages and chats
    to cases.
    """
    path = tmp_path / "few.yaml"
    path.write_text(
        "name: Few\nindustry: toys\ndescription: A shop with few cases.\nperiod: {start:"
        " 2021-01-01, end: 2022-12-31}\ncounts: {Case: 98}\n"
    )
    counts = load_job(RunRequest(str(path))).setting.counts
    assert (counts["Case"], counts["LiveChatTranscript"], counts["EmailMessage"]) == (
        98,
        round(387 * 98 / 977),
        round(3234 * 98 / 977),
    )


def sized(tmp_path: Path, sizes: str, counts: str = "{}") -> PreparedRun:
    """The run of a toy shop with 40 customers, whose trade states these sizes."""
    profile = write_shop(tmp_path, counts)
    with profile.open("a", encoding="utf-8") as file:
        file.write(f"size: {{customers: 40}}\ntrade: {{sizes: {sizes}}}\n")
    return load_job(RunRequest(str(profile)))


def test_counts_follow_from_the_number_of_customers(tmp_path: Path) -> None:
    """With a size, what is not counted follows from the trade's ratios, at least as they say."""
    sizes = "{Toy: {per: Shelf, number: 2.5}, Shelf: {per: customers, number: 0.1, least: 6}}"
    counts = sized(tmp_path, sizes).setting.counts
    assert (counts["Shelf"], counts["Toy"]) == (6, 15)


def test_large_counts_that_follow_from_a_size_are_not_round(tmp_path: Path) -> None:
    """They are a little off, and the same each time; small ones are as the trade says."""
    sizes = "{Toy: {per: customers, number: 250}, Shelf: {per: customers, number: 0.25}}"
    first, again = (sized(tmp_path / name, sizes).setting.counts for name in ("one", "two"))
    assert first == again and first["Shelf"] == 10
    assert first["Toy"] != 10_000 and abs(first["Toy"] - 10_000) <= 80


def test_a_stated_count_goes_before_the_size(tmp_path: Path) -> None:
    """A count of the profile stays, and what is counted by it follows it."""
    sizes = "{Toy: {per: Shelf, number: 2.5}, Shelf: {per: customers, number: 0.1}}"
    counts = sized(tmp_path, sizes, "{Shelf: 10}").setting.counts
    assert (counts["Shelf"], counts["Toy"]) == (10, 25)


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ("{Toy: {per: Shelf, number: 2}}", "Toy is counted by Shelf, of which"),
        ("{Orders: {per: customers, number: 2}}", "has no object type that the trade's sizes name"),
        ("{Toy: {per: customers, number: -1}}", "trade: sizes.Toy.number"),
    ],
)
def test_sizes_that_lead_nowhere_are_told(tmp_path: Path, sizes: str, told: str) -> None:
    """A ratio by something unknown, or for nothing in the schema, is refused."""
    with pytest.raises(OrgweaveError, match=told):
        sized(tmp_path, sizes)
