"""A company of an industry that nobody prepared: what a profile alone makes of it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from orgweave.cli import run
from pipeline.config import RunRequest, load_job
from pipeline.report import summary_text
from pipeline.run import FinishedRun, generate
from schemas.errors import SchemaError
from schemas.lexicon import load_lexicon, own_folders
from schemas.profile import lexicons_folder, load_profile
from tests.tiers import tried_on

HOTEL = """
name: Seabright Hotels
industry: hotels
description: Seabright Hotels runs a regional hotel chain with spas and a loyalty club.
period: {start: 2021-01-01, end: 2022-06-30}
counts:
  {User: 20, Account: 40, Product2: 40, Order: 150, OrderItem: 220, Case: 40, EmailMessage: 100,
   LiveChatTranscript: 15}
"""
CATEGORIES = "categories: [Standard Rooms, Spa Packages, Dining Vouchers]\n"
OWN_ISSUE = """
issues:
- {key: smell, name: Strange Smell, description: It smells., kind: product, options: [fresh],
   topics: [onset]}
options:
- {key: fresh, name: Fresh Room, phrase: a fresh room, days: [30]}
rates: {closed: 1.0, violations: 0.0}
"""
GOODS_WORDS = re.compile(
    r"(?i)\b(parcels?|pairs?|boxe[ds]|shipping|shipped|courier|carrier|shoes?)\b"
)
"""What only somebody says who sells things in boxes."""


def write_hotel(folder: Path, more: str = CATEGORIES) -> Path:
    """A profile of a hotel, with the given lines at its end."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "hotel.yaml"
    path.write_text(HOTEL + more, encoding="utf-8")
    return path


def texts(outcome: FinishedRun) -> list[str]:
    """Every text of an org."""
    found = []
    with closing(sqlite3.connect(outcome.folder / "org.sqlite")) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for row in db.execute(f'SELECT * FROM "{table}"'):
                found += [value for value in row if isinstance(value, str)]
    return found


def told_of_goods(outcome: FinishedRun) -> list[str]:
    """The texts of an org that a company which ships nothing would not write."""
    return [text for text in texts(outcome) if GOODS_WORDS.search(text)]


def test_a_service_without_a_lexicon_is_no_parcel_shop(tmp_path: Path) -> None:
    """Its texts speak of its own categories, and none of them of parcels, boxes or pairs."""
    outcome = generate(RunRequest(str(write_hotel(tmp_path))), tmp_path / "run")
    assert outcome.report.right
    assert told_of_goods(outcome) == []
    said = texts(outcome)
    assert any("Dining Voucher" in text for text in said)
    assert any("spa package" in text for text in said)
    assert outcome.counts["ReturnOrder"] == 0
    assert {"Online", "Phone", "On Site"} & set(said) and "Store" not in said


@tried_on("trade", ["services", "subscriptions", "accounts"])
def test_no_trade_but_goods_tells_of_parcels(trade: str, tmp_path: Path) -> None:
    """A gym or an insurer without a lexicon writes as little of parcels and pairs as a hotel."""
    path = write_hotel(tmp_path, f"{CATEGORIES}trade: {trade}\n")
    outcome = generate(RunRequest(str(path)), tmp_path / "run")
    assert outcome.report.right
    assert told_of_goods(outcome) == []


WEAR = re.compile(
    r"(?i)\b(after some use|everyday use|with (age|use)|wears?|used to work|left us|it's there)\b"
)
"""What is said of things alone, which get old and are looked at at home."""


def test_an_issue_of_no_incident_is_no_wear_but_of_goods() -> None:
    """What stands behind any issue is worded for whatever is sold, and for goods as for things that
    wear out.
    """
    lexicons = lexicons_folder()
    worn = {}
    for name in ("generic", "goods"):
        rules = load_lexicon(lexicons / name, lexicons / "base").rules
        behind = re.compile(r"(chat\.)?issue\.any\.(sign|ask|cause|advice|echo)\b.*")
        said = " ".join(" ".join(rules[rule]) for rule in rules if behind.fullmatch(rule))
        worn[name] = bool(WEAR.search(said))
    assert worn == {"generic": False, "goods": True}


def test_goods_without_a_lexicon_are_told_by_their_trade(tmp_path: Path) -> None:
    """A profile that says that goods are sold gets the words of goods."""
    job = load_job(RunRequest(str(write_hotel(tmp_path, "trade: goods\n"))))
    assert job.lexicon.name == "goods"
    assert any(channel.shipped for channel in job.setting.world.trade.channels)


def test_own_issues_options_and_rates_make_a_whole_org(tmp_path: Path) -> None:
    """A profile's own issues and options take the place of the lexicon's, in articles too."""
    path = write_hotel(tmp_path, CATEGORIES + OWN_ISSUE)
    outcome = generate(RunRequest(str(path)), tmp_path / "run")
    assert outcome.report.right
    assert outcome.counts["Issue__c"] == 1
    with closing(sqlite3.connect(outcome.folder / "org.sqlite")) as db:
        bodies = db.execute("SELECT FAQ_Answer__c FROM Knowledge__kav").fetchall()
        closed = db.execute("SELECT count(*) FROM [Case] WHERE Status = 'Closed'").fetchone()
    assert sum("Fresh Room" in body for (body,) in bodies) == 1
    assert closed == (outcome.counts["Case"],)


def test_own_categories_in_full_make_a_whole_org(tmp_path: Path) -> None:
    """A category that is stated whole keeps its nouns and prices."""
    more = "categories: [{key: rooms, name: Rooms, price: [80, 200], short: [room]}]\n"
    outcome = generate(RunRequest(str(write_hotel(tmp_path, more))), tmp_path / "run")
    assert outcome.report.right
    with closing(sqlite3.connect(outcome.folder / "org.sqlite")) as db:
        names = db.execute("SELECT DISTINCT Family FROM Product2").fetchall()
    assert names == [("Rooms",)]


def test_a_company_without_words_of_its_own_is_told_how_to_get_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`generate` says in one line what would make the words specific; a lexicon ends that."""
    words = ["generate", "--no-report", "--out", str(tmp_path / "run"), "--company"]
    assert run([*words, str(write_hotel(tmp_path))]) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "orgweave company new NAME" in line] != []
    assert run([*words, str(write_hotel(tmp_path, "lexicon: generic\n")), "--force"]) == 0
    assert "company new" not in capsys.readouterr().err


def write_words(folder: Path, head: str, rules: str, world: str = "") -> Path:
    """A lexicon's folder."""
    folder.mkdir(parents=True)
    (folder / "_lexicon.yaml").write_text(head, encoding="utf-8")
    (folder / "words.yaml").write_text(rules + world, encoding="utf-8")
    return folder


BASE = Path("schemas/lexicons/base").resolve()


def test_a_lexicon_overrides_what_it_extends_rule_by_rule(tmp_path: Path) -> None:
    """Its rules and keys of the world take the places of those beneath; others stay; `without`
    leaves some out.
    """
    folder = write_words(
        tmp_path / "words",
        "{extends: generic, without: [category.any.use]}",
        "rules: {order_noun: [stay]}\n",
        "categories: [{key: rooms, name: Rooms, price: [80, 200], short: [room]}]\n",
    )
    lexicon = load_lexicon(folder, BASE)
    assert lexicon.rules["order_noun"] == ("stay",)
    assert lexicon.files["order_noun"] == folder / "words.yaml"
    assert "category.any.use" not in lexicon.rules
    assert "issue.any.complaint" in lexicon.rules and "a.greet" in lexicon.rules
    assert [category.key for category in lexicon.world.categories] == ["rooms"]
    assert len(lexicon.world.issues) == 10
    assert lexicon.world.trade.kind == "services"


def test_a_lexicon_lays_its_figures_over_the_trade_beneath(tmp_path: Path) -> None:
    """A trade without `like` changes single figures of the extended lexicon's trade."""
    world = "trade: {desk: {types: {delivery: Arrival}}}\n"
    folder = write_words(tmp_path / "words", "extends: generic", "rules: {}\n", world)
    trade = load_lexicon(folder, BASE).world.trade
    assert (trade.kind, trade.desk.types["delivery"]) == ("services", "Arrival")


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("extends: elvish", "no such lexicon 'elvish'; use one of bank, .*utility, words"),
        ("extends: words", "no such lexicon 'words'"),
        ("{extends: generic, without: [nothing]}", "without: no lexicon beneath has a rule"),
        ("extend: generic", "extend: unknown key"),
    ],
)
def test_a_wrong_head_is_told(head: str, told: str, tmp_path: Path) -> None:
    """What extends nothing, or leaves out what isn't there, is refused with its file."""
    folder = write_words(tmp_path / "words", head, "rules: {a: [b]}\n")
    with pytest.raises(SchemaError, match=f"_lexicon.yaml: .*{told}"):
        load_lexicon(folder, BASE)


def test_lexicons_that_extend_each_other_are_refused(tmp_path: Path) -> None:
    """A circle is told, not followed for ever."""
    write_words(tmp_path / "one", "extends: two", "rules: {a: [b]}\n")
    write_words(tmp_path / "two", "extends: one", "rules: {a: [b]}\n")
    with pytest.raises(SchemaError, match="more than 5 lexicons extend each other"):
        load_lexicon(tmp_path / "one", BASE)


def test_all_layers_of_ones_own_go_with_the_org(tmp_path: Path) -> None:
    """A run keeps a lexicon and those beside it that it extends; shipped ones stay named."""
    write_words(tmp_path / "house", "extends: generic", "rules: {order_noun: [stay]}\n")
    write_words(tmp_path / "words", "extends: house", "rules: {team: [Front Desk]}\n")
    own = own_folders(tmp_path / "words", BASE)
    assert [folder.name for folder in own] == ["house", "words"]
    path = write_hotel(tmp_path, "lexicon: words\n")
    outcome = generate(RunRequest(str(path), scale=0.2), tmp_path / "run")
    assert outcome.report.right
    kept = outcome.folder / "made_from" / "lexicon"
    assert load_lexicon(kept / "words", BASE).rules == load_lexicon(own[1], BASE).rules


BROKEN = {
    "another name for a key": ("industry:", "industri:", "or mend the spelling of the unknown key"),
    "two equal categories": ("Spa Packages", "Standard Rooms", "'Standard Rooms' stands twice"),
    "no day": ("2022-06-30", "2022-06-31", "line 5, column 34: 2022-06-31 is no date"),
    "too short": (
        "end: 2022-06-30",
        "end: 2021-02-01",
        "period: must last at least 90 days; set a",
    ),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_profile_is_told_with_place_and_mend(name: str, tmp_path: Path) -> None:
    """A fault of a profile is told as it is read, without the whole of what was read."""
    right, wrong, told = BROKEN[name]
    path = write_hotel(tmp_path)
    path.write_text(path.read_text().replace(right, wrong, 1))
    with pytest.raises(SchemaError, match=re.escape(told)) as caught:
        load_profile(path)
    assert "datetime.date" not in str(caught.value)


def test_an_unknown_lexicon_lists_those_that_ship(tmp_path: Path) -> None:
    """A misspelt lexicon is told with the names that there are."""
    with pytest.raises(SchemaError, match="no such lexicon 'hotell'; use one of bank, .*shoes"):
        load_job(RunRequest(str(write_hotel(tmp_path, "lexicon: hotell\n"))))


def test_names_that_stand_twice_in_a_world_are_refused(tmp_path: Path) -> None:
    """Two issues, categories or options with the same key are told by their list."""
    option = "{key: a, name: A, phrase: a, days: [3]}"
    world = f"options: [{option}, {option}]"
    folder = write_words(tmp_path / "words", "extends: generic", "rules: {}\n", world)
    with pytest.raises(SchemaError, match="options: two have the key 'a'; rename one"):
        load_lexicon(folder, BASE)


def test_what_is_said_of_replaced_categories_is_left_out(tmp_path: Path) -> None:
    """Articles, occasions and issues beneath that are on other categories don't hold above."""
    world = "categories: [{key: kites, name: Kites, price: [8, 20], short: [kite]}]\n"
    folder = write_words(tmp_path / "words", "extends: goods", "rules: {}\n", world)
    lexicon = load_lexicon(folder, BASE)
    assert lexicon.world.articles == ()
    assert all(holiday.boost == () for holiday in lexicon.world.holidays)
    assert len(lexicon.world.issues) == 10
    shoes = load_lexicon(
        write_words(tmp_path / "more", "extends: shoes", "rules: {}\n", world), BASE
    )
    assert 0 < len(shoes.world.issues) < 10 and shoes.world.articles == ()


def test_what_differs_by_trade_is_said_by_the_trade(tmp_path: Path) -> None:
    """Units, price books and peaks are figures of a trade, which a profile may change."""
    more = """
    trade:
      range:
        unit: Night
        peak: 1.5
        promotions: {standard: Rack Rates, standard_says: "Rack rates, {days}."}
    """
    outcome = generate(RunRequest(str(write_hotel(tmp_path, dedent(more)))), tmp_path / "run")
    assert outcome.report.right
    with closing(sqlite3.connect(outcome.folder / "org.sqlite")) as db:
        units = db.execute("SELECT DISTINCT QuantityUnitOfMeasure FROM Product2").fetchall()
        books = db.execute("SELECT Name, Description FROM Pricebook2 WHERE IsStandard").fetchall()
    assert units == [("Night",)]
    assert books == [("Rack Rates", "Rack rates, January 1, 2021 to June 30, 2022.")]


def test_a_small_org_says_which_effects_are_not_seen(tmp_path: Path) -> None:
    """One line names three causes without an effect, counts the others, and says what lists all."""
    outcome = generate(RunRequest(str(write_hotel(tmp_path))), tmp_path / "run")
    effects = outcome.report.effects
    absent = list(dict.fromkeys(effect.variable for effect in effects if not effect.present))
    assert len(absent) > 4
    line = next(line for line in summary_text(outcome).splitlines() if "too few records" in line)
    assert f"{', '.join(absent[:3])} and {len(absent) - 3} other causes: a larger --scale" in line
    assert absent[3] not in line and f"orgweave check {outcome.folder}" in line


def test_a_purchase_has_the_name_that_its_trade_gives_it() -> None:
    """Notes, subjects and articles of every trade say `{order_noun}`: a bank has applications."""
    rules = load_lexicon(lexicons_folder() / "bank", lexicons_folder() / "base").rules
    shared = ("note.", "issue.any.subject_tail", "Knowledge__kav.Summary")
    said = [line for name, lines in rules.items() if name.startswith(shared) for line in lines]
    assert any("{order_noun}" in line for line in said)
    assert [line for line in said if re.search(r"(?i)\border\b", line)] == []
