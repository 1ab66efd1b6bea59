"""Incidents: what a lexicon's files say of them is checked when the lexicon is loaded."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import yaml

from pipeline.write.grammar import chosen, parse, wordings
from schemas.errors import SchemaError
from schemas.files import checked
from schemas.incidents import (
    IncidentCause,
    IncidentPlan,
    missing_rules,
    needed_rules,
    plan_for,
    tells_value,
)
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder

SOLE = {
    "evidence": ["photo"],
    "signs": {
        "spot": {
            "toe": {"weight": 4, "marks": ["toe", "tip*"]},
            "heel": {"weight": 2, "marks": ["heel"]},
        }
    },
    "causes": {"bond": {"ends": ["remedy"], "known_by": "photo", "tells": "spot"}},
}


def changed(**parts: object) -> dict[str, object]:
    """The plan of a sole with other parts in their place."""
    return {**SOLE, **parts}


def test_an_incident_of_signs_and_causes_is_read() -> None:
    """Signs have values with marks, causes say who can know them."""
    plan = checked(IncidentPlan, SOLE, "issue.yaml")
    assert plan.signs["spot"]["toe"].marks == ("toe", "tip*")
    assert plan.causes["bond"].known_by == "photo"


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (changed(evidence=[]), "add it there"),
        (changed(causes={"bond": {"known_by": "answer", "tells": "color"}}), "unknown sign color"),
        (changed(causes={"bond": {"known_by": "oracle"}}), "known_by"),
        (changed(causes={"bond": {"known_by": "answer", "days": [1, 4]}}), "both step and days"),
        (
            changed(causes={"bond": {"known_by": "answer", "signs": {"spot": {"side": 1}}}}),
            "name those under signs",
        ),
        (changed(causes={"bond": {"ends": ["refusal"], "known_by": "answer"}}), "fits a remedy"),
        (changed(pictured=["color"]), "name those under signs"),
        (changed(signs={"spot": {"toe": {"marks": ["toe"]}}}), "has two at least"),
        (changed(signs={"spot": {"toe": {"marks": ["Toe"]}, "heel": {"marks": []}}}), "marks"),
    ],
)
def test_a_faulty_incident_is_refused(plan: dict[str, object], says: str) -> None:
    """The error says what to mend."""
    with pytest.raises(SchemaError, match=says):
        checked(IncidentPlan, plan, "issue.yaml")


def test_marks_are_whole_words_or_stems() -> None:
    """`tip*` is a stem, `toe` is a word."""
    assert tells_value("at the tips of both", ("toe", "tip*"))
    assert not tells_value("on tiptoes", ("toe",))


def test_an_incident_needs_its_rules(tmp_path: Path) -> None:
    """A lexicon whose incident has no words is refused with the name of the first missing rule."""
    plan = checked(IncidentPlan, SOLE, "issue.yaml")
    needed = list(needed_rules("sole_separation", plan))
    assert missing_rules("sole_separation", plan, needed) == []
    folder = tmp_path / "shoes"
    folder.mkdir()
    for path in (lexicons_folder() / "shoes").glob("*.yaml"):
        if path.name != "issue_sole_separation.yaml":
            (folder / path.name).write_text(path.read_text())
    own = {"incidents": {"sole_separation": SOLE}}
    (folder / "own.yaml").write_text(yaml.safe_dump(own))
    with pytest.raises(SchemaError, match="there is no rule issue.sole_separation"):
        load_lexicon(folder, lexicons_folder() / "base")


def test_an_incident_is_of_a_known_issue(tmp_path: Path) -> None:
    """The key of an incident is an issue of the same world."""
    folder = tmp_path / "shoes"
    folder.mkdir()
    for path in (lexicons_folder() / "shoes").glob("*.yaml"):
        (folder / path.name).write_text(path.read_text())
    (folder / "own.yaml").write_text(yaml.safe_dump({"incidents": {"no_such_issue": SOLE}}))
    with pytest.raises(SchemaError, match="no_such_issue is of no issue"):
        load_lexicon(folder, lexicons_folder() / "base")


def test_a_contraction_is_told_in_any_of_its_forms() -> None:
    """Whoever writes `will not` tells what whoever writes `won't` does."""
    for text in ("it won't move", "it wont move", "it will not move"):
        assert tells_value(text, ("won't move",))
    assert not tells_value("it moves", ("won't move",))


@pytest.mark.parametrize("company", ["shoes", "bank", "saas", "utility"])
def test_what_was_heard_is_what_was_said(company: str) -> None:
    """Each wording tells the value that it takes up and no other of its sign, or says nothing."""
    lexicon = load_lexicon(lexicons_folder() / company, lexicons_folder() / "base")
    for rule, lines in lexicon.rules.items():
        if ".heard." not in rule:
            continue
        issue, _, told = rule.removeprefix("chat.").removeprefix("issue.").partition(".heard.")
        sign, _, value = told.partition(".")
        plan = plan_for(lexicon.world.incidents, issue)
        assert plan is not None
        for line in lines:
            phrase = parse(line)
            for place in range(wordings(phrase)):
                text = "".join(map(str, chosen(phrase, place))).lower()
                for name, known in plan.signs[sign].items() if text else ():
                    assert tells_value(text, known.marks) is (name == value), text


def test_what_is_behind_any_issue_fits_what_happens_on_one_day() -> None:
    """The generic words ask of a wait or a bill neither for a photo nor since when it is so, and
    each wording of a sign tells its value and no other.
    """
    lexicon = load_lexicon(lexicons_folder() / "generic", lexicons_folder() / "base")
    plan = plan_for(lexicon.world.incidents, "late_start")
    assert plan is not None and set(plan.signs) == {"noticed", "times"}
    assert {cause.known_by for cause in plan.causes.values()} <= {"answer", "record"}
    for sign, values in plan.signs.items():
        for value in values:
            for act in ("issue.any.sign", "chat.issue.any.sign", "issue.any.heard"):
                for text in all_wordings(lexicon.rules[f"{act}.{sign}.{value}"]):
                    told = [name for name in values if tells_value(text, values[name].marks)]
                    assert told == [value], text


def all_wordings(lines: Iterable[str]) -> Iterator[str]:
    """Yields each text of some lines, in small letters."""
    for line in lines:
        phrase = parse(line)
        for place in range(wordings(phrase)):
            yield "".join(map(str, chosen(phrase, place))).lower()


@pytest.mark.parametrize("company", ["shoes", "bank", "saas", "utility"])
def test_what_is_done_at_once_can_be_told(company: str) -> None:
    """Where an option undoes a problem whose cause wants a step at once, that step has words; no
    cure is named that the issue's options can't be.
    """
    lexicon = load_lexicon(lexicons_folder() / company, lexicons_folder() / "base")
    options = {option.key for option in lexicon.world.options}
    for issue in lexicon.world.issues:
        plan = plan_for(lexicon.world.incidents, issue.key)
        for key, cause in plan.causes.items() if plan else ():
            assert {*cause.helped_by, *cause.not_with} <= options, (issue.key, key)
            if cause.more_to_do:
                assert issue.mended_by, (issue.key, key)
                mends = (f"issue.{issue.key}.mend.{key}", f"issue.{issue.key}.mend")
                assert any(rule in lexicon.rules for rule in mends), (issue.key, key)


def test_a_cause_that_may_lead_to_a_refusal_is_always_told() -> None:
    """What a refusal rests on is told; all else as often as the cause or its knower says."""
    ground = IncidentCause(known_by="record", ends=("remedy", "refusal"))
    assert ground.found == {"told": 1}
    logged = IncidentCause(known_by="record", ends=("remedy",))
    assert set(logged.found) == {"told", "hinted", "open"}
    assert IncidentCause(known_by="answer", ends=("remedy",), looked_up=True).found == logged.found
    named = IncidentCause(known_by="record", ends=("remedy",), findings={"told": 1})
    assert named.found == {"told": 1}


@pytest.mark.parametrize("company", ["shoes", "bank", "saas", "utility"])
def test_what_strikes_a_product_has_a_cause_and_signs_of_its_own(company: str) -> None:
    """Whatever an issue strikes, some cause of each ending fits it, with a value for each sign.

    Else a cause or a sign of another product would be drawn: a machine that trips the water.
    """
    world = load_lexicon(lexicons_folder() / company, lexicons_folder() / "base").world
    for issue in world.issues:
        plan = plan_for(world.incidents, issue.key)
        assert plan is not None
        for category in world.categories:
            if issue.fits and category.key not in issue.fits:
                continue
            where = (issue.key, category.key)
            for values in plan.signs.values():
                assert any(_is_of(value.products, category.key) for value in values.values()), where
            for endings in ({"remedy", "either"}, {"refusal", "either"}):
                fitting = [
                    cause
                    for cause in plan.causes.values()
                    if endings & set(cause.ends) and _fits_product(plan, cause, category.key)
                ]
                assert fitting, (*where, sorted(endings))


def _is_of(products: tuple[str, ...], category: str) -> bool:
    return not products or category in products


def _fits_product(plan: IncidentPlan, cause: IncidentCause, category: str) -> bool:
    """Whether a product of a category can have a cause, with all that it shows."""
    if not _is_of(cause.products, category):
        return False
    for sign, weights in cause.signs.items():
        if not any(_is_of(plan.signs[sign][value].products, category) for value in weights):
            return False
    return True
