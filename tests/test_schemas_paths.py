"""Paths and templates: what their text means, and how a text that means nothing is refused."""

import pytest

from schemas.filters import FILTERS, filtered
from schemas.paths import LatentPath, Placeholder, Template, ValuePath, read_expression

PATHS = ["Name", "OrderId.AccountId.Name", "company.domain", "latent.CaseStory.cases.tone"]
TEMPLATES = ["Dear {Name}", "{FirstName:lower}.{LastName:letters:3}@{company.domain}", "plain", ""]


@pytest.mark.parametrize("text", PATHS)
def test_a_path_is_written_as_it_was_read(text: str) -> None:
    """A path taken apart gives its text again."""
    assert str(ValuePath.parse(text)) == text


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_template_is_written_as_it_was_read(text: str) -> None:
    """A template taken apart gives its text again."""
    assert str(Template.parse(text)) == text


def test_a_path_has_steps() -> None:
    """A path is its first step and the rest, which is a path again."""
    path = ValuePath.parse("OrderId.AccountId.Name")
    assert path.first == "OrderId"
    assert path.rest == ValuePath.parse("AccountId.Name")
    assert ValuePath.parse("Name").rest is None


def test_a_path_may_end_in_a_latent_table() -> None:
    """Behind the step `latent` stand a variable, its table, and a column or a path from it."""
    latent = ValuePath.parse("ParentId.latent.CaseStory.messages.agent.Name").latent
    assert latent == LatentPath("CaseStory", "messages", ValuePath(("agent", "Name")))
    assert latent.table_name == "CaseStory.messages"
    assert str(latent) == "CaseStory.messages.agent.Name"
    assert ValuePath.parse("ParentId.Name").latent is None


def test_an_inherited_path_begins_with_its_reference() -> None:
    """What is seen through a reference has that reference in front of each path."""
    assert str(ValuePath.parse("OrderId.Name").through("CaseId")) == "CaseId.OrderId.Name"
    template = Template.parse("{Name:lower} of {company.name}").through("CaseId")
    assert str(template) == "{CaseId.Name:lower} of {CaseId.company.name}"


def test_a_template_is_text_and_slots() -> None:
    """A placeholder holds a path and its filters in order; what stands around it is text."""
    template = Template.parse("Dear {Name:word:upper}!")
    placeholder = Placeholder(ValuePath(("Name",)), ("word", "upper"))
    assert template.pieces == ("Dear ", placeholder, "!")
    assert template.paths == (ValuePath(("Name",)),)


def test_an_expression_with_braces_is_a_template() -> None:
    """A text with braces is a template, and one without is a path."""
    assert read_expression("{Price:money}") == Template.parse("{Price:money}")
    assert read_expression("Price") == ValuePath.parse("Price")


FAULTS = {
    "": "is no path; write names with dots between them",
    "Order Id": "is no path",
    "OrderId..Name": "is no path",
    "company.size": "there is no company.size; use one of company.name, company.team",
    "period": "there is no period; use one of period.start, period.end",
    "latent.Skill": "is no whole path to a latent value; write Variable.table.column",
    "CaseId.latent.Skill.agents": "is no whole path to a latent value",
    "Dear {Name": "has a brace without its partner near 'Dear {Name'",
    "{Name}}": "has a brace without its partner",
    "{}": "has a brace without its partner",
    "{First Name}": "is no path",
    "{Name:shout}": "unknown filter 'shout' in a template; use a number or one of lower, upper",
}


@pytest.mark.parametrize("text", sorted(FAULTS))
def test_a_text_that_means_nothing_is_refused(text: str) -> None:
    """A text that is neither a path nor a template is told with what is wrong and the mend."""
    with pytest.raises(ValueError) as caught:
        read_expression(text)
    assert FAULTS[text] in str(caught.value)


def test_a_path_must_be_a_text() -> None:
    """What YAML reads as a number or a boolean is no path."""
    with pytest.raises(ValueError, match="must be a text; put it in quotes"):
        ValuePath.read(3)


FILTERED = {
    ("lower", "Zoë's Big Box"): "zoë's big box",
    ("upper", "red"): "RED",
    ("slug", "Kids' Shoes & more"): "kids-shoes-more",
    ("letters", "Zoë's Big Box"): "zoesbigbox",
    ("word", "Anna Miller"): "Anna",
    ("long_date", "2021-03-03T10:00:00"): "March 3, 2021",
    ("long_date", "soon"): "soon",
    ("month", "2021-12-31"): "December",
    ("money", "1299.5"): "$1,299.50",
    ("title", "bed & breakfast"): "Bed & Breakfast",
    ("4", "2021-03-03"): "2021",
}


@pytest.mark.parametrize(("name", "text"), sorted(FILTERED))
def test_a_filter_makes_one_text_of_another(name: str, text: str) -> None:
    """Each filter has its own effect, and a number keeps the first characters."""
    assert filtered(name, text) == FILTERED[name, text]


def test_every_filter_is_shown() -> None:
    """The examples above leave no filter out."""
    assert {name for name, _ in FILTERED if not name.isdigit()} == set(FILTERS)
