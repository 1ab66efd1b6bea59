"""What `explore` is made of: captions, cells, labels and tours, without a server."""

from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from orgweave.crm.field import CrmField
from orgweave.explore.captions import caption, plural
from orgweave.explore.cells import Link, cell, moment, prose
from orgweave.explore.site import opened
from orgweave.explore.views import FieldView
from pipeline.run_folder import RunFolder
from schemas.errors import SchemaError
from schemas.loader import load_schema
from schemas.tour import load_tour
from tests.explore_orgs import toy_run
from tests.toys import write_object

CAPTIONS = {
    "CaseHistory__c": "Case History",
    "Knowledge__kav": "Knowledge",
    "Product2": "Product",
    "Product2Id": "Product",
    "OrderItemId__c": "Order Item",
    "External_ID__c": "External ID",
    "FAQ_Answer__c": "FAQ Answer",
    "ToIds": "To",
    "Id": "Id",
    "ProductCategoryProduct": "Product Category Product",
}
PLURALS = {
    "Case": "Cases",
    "Case History": "Case Histories",
    "Product Category": "Product Categories",
    "Knowledge": "Knowledge",
    "Branch": "Branches",
    "Day": "Days",
    "Address": "Addresses",
    "Business Hours": "Business Hours",
}
TEXT = FieldView(CrmField("Body", "textarea"), "Body", "prose")


@pytest.mark.parametrize(("name", "words"), CAPTIONS.items())
def test_an_api_name_is_read_as_words(name: str, words: str) -> None:
    """Endings of custom objects, numbers and the Id of references are dropped,
    words are set apart.
    """
    assert caption(name) == words


@pytest.mark.parametrize(("one", "many"), PLURALS.items())
def test_captions_have_plurals(one: str, many: str) -> None:
    """English plurals by their endings; what can't be counted stays."""
    assert plural(one) == many


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True))
def test_every_name_has_a_caption(name: str) -> None:
    """No name of a field is left without words."""
    assert caption(name).strip()


@given(st.text(min_size=1))
def test_a_text_is_shown_whole_and_as_text(text: str) -> None:
    """What was written stands on the page letter by letter, and nothing in it is taken for HTML."""
    inside = prose(text).removeprefix('<div class="prose">').removesuffix("</div>")
    assert "<" not in inside
    assert unescape(inside) == text


def test_only_a_whole_transcript_becomes_a_chat() -> None:
    """A text with one line that is no turn stays a text;
    a second role speaks from the other side.
    """
    turns = (
        "[2022-03-01T09:31:12] Rosa Lindgren (Customer): Hi <b>\n[2022-03-01T09:32:00] Dana"
        " Whitlock (Agent): Hello"
    )
    assert prose(turns).count("<li") == 2
    assert (
        'class="theirs"' in prose(turns)
        and 'class="ours"' in prose(turns)
        and "&lt;b&gt;" in prose(turns)
    )
    assert 'class="prose"' in prose(turns + "\nand no turn")


def test_moments_have_a_day_and_an_hour() -> None:
    """A list shows the day alone; what is no date stays as it is."""
    text = "2022-03-01T09:30:00.000+0000"
    assert Markup(moment(text)).striptags() == "Mar 1, 2022 09:30"
    assert Markup(moment(text, short=True)).striptags() == "Mar 1, 2022"
    assert moment("<soon>") == "&lt;soon&gt;"


def test_a_reference_that_leads_nowhere_shows_its_id() -> None:
    """Known ids are links with labels, others are shown as they are; a broken list of ids is a
    text.
    """
    one, many = (
        FieldView(CrmField("A", "reference"), "A", "link", ("User",)),
        FieldView(CrmField("B", "idlist"), "B", "link", ("User", "Contact")),
    )
    known = {"005": Link("User", "005", "Dana & Co")}
    assert cell(one, "005", known) == '<a href="/org/User/005">Dana &amp; Co</a>'
    assert cell(one, "006", known) == "<code>006</code>"
    assert (
        cell(many, '["005", "006"]', known)
        == '<a href="/org/User/005">Dana &amp; Co</a>, <code>006</code>'
    )
    assert cell(many, "not a list", known) == "not a list"


def test_a_long_text_in_a_list_is_an_excerpt() -> None:
    """It ends at a word and says that it goes on."""
    shown = cell(TEXT, "word " * 100, {}, short=True)
    assert len(shown) < 170 and shown.endswith("word …")


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ("{Nmae}", "has no field Nmae"),
        ("{ShopId.Nmae}", "has no field Nmae"),
        ("{company.name}", "is no field"),
        ("{latent.Skill.agents.title}", "is no field"),
        ("{Name:lower}", "x-label"),
    ],
)
def test_a_label_is_made_of_fields(label: str, says: str, tmp_path: Path) -> None:
    """A label that names no field of the org is refused with file and mend when the schema is
    loaded.
    """
    write_object(tmp_path, "Shop", 'Name: {type: string, x-source: {sequence: "Shop {}"}}')
    write_object(
        tmp_path,
        "Visit",
        "ShopId: {type: string, x-source: {reference: Shop, by: uniform}}",
        more=f'x-label: "{label}"',
    )
    with pytest.raises(SchemaError, match=says):
        load_schema(tmp_path)


def test_a_tour_is_optional_and_checked(tmp_path: Path) -> None:
    """A schema without a tour has none; a wrong key is named with its file."""
    assert load_tour(tmp_path) is None
    (tmp_path / "_tour.yaml").write_text("queries:\n- {name: a, title: A, sequel: SELECT 1}\n")
    with pytest.raises(SchemaError, match=r"_tour.yaml: queries.0"):
        load_tour(tmp_path)


def test_a_tours_sql_is_tried_before_anything_is_shown(tmp_path: Path) -> None:
    """SQL that the org can't answer ends with the tour's file, the entry and the reason."""
    folder = toy_run(tmp_path)
    (RunFolder(folder).sources().schema / "_tour.yaml").write_text(
        "starts:\n- {title: A shop, says: Any., sql: SELECT Id FROM Shops}\n"
    )
    with (
        pytest.raises(SchemaError, match=r"_tour.yaml: A shop: sql: no such table: Shops"),
        opened(folder),
    ):
        pass
