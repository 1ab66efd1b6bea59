"""A turn's plan is read back into the acts that it was made from."""

import json
import re

from orgweave.testing.asked import Prompt, unit_of
from orgweave.testing.plans import PLACE, act_reader
from orgweave.testing.words import Words
from pipeline.config import RunRequest, load_job
from pipeline.write.senses import NO_SENSES, senses_of
from pipeline.write.telling import UnitTelling
from schemas.model import Beat
from schemas.world import World
from verifiers.material import Facts, Unit

BEATS = {
    "c.thanks": Beat("c.thanks", says="says thanks"),
    "a.return": Beat("a.return", says="tells the return's number, {return_number}"),
    "a.refund": Beat("a.refund", says="tells that {back} goes back and is there by {due_date}"),
    "c.sign": Beat("c.sign", says="tells of the {1} that it is {2}"),
    "a.deny": Beat(
        "a.deny",
        says="can't give {wish} after {limit} days",
        uses={"limit": "deny_limit"},
    ),
    "a.term_1": Beat(
        "a.term_1",
        says="says that {term_1}",
        must=("shown_1",),
        uses={"term": "term_1"},
    ),
    "a.term_2": Beat(
        "a.term_2",
        says="says that {term_2}",
        must=("shown_2",),
        uses={"term": "term_2"},
    ),
}
TERMS = {"term_1": "it takes 12 days", "term_2": "the label is free"}


def acts(*says: str, **facts: str) -> dict[str, object]:
    """What a turn with this plan is read as, in a unit with these facts."""
    turn = {"speaker": "agent", "to_say": list(says)}
    unit = Unit(0, dict(facts), (turn,))  # type: ignore[arg-type]
    (part,) = act_reader(BEATS, World()).unit(unit).parts
    return dict(part)


def test_an_intention_tells_its_act_and_its_arguments() -> None:
    """Acts stand in the order of the plan, with what was said of the sign behind their name."""
    read = acts("tells of the spot that it is left toe", "says thanks")
    assert read["beats"] == "c.sign.spot.left_toe,c.thanks"


def test_a_span_in_a_days_place_is_read_back_as_it_stands() -> None:
    """A plan tells how long a refund takes where its agent does; no year belongs to that."""
    says = "tells that $20.00 goes back and is there within 3 business days"
    read = acts(says, order_date="March 1, 2021")
    assert read["beats"] == "a.refund"
    assert read["due_date"] == "3 business days"


def test_each_act_of_the_schema_is_read_back() -> None:
    """No intention is taken for another act's, nor a fact in it for another one, whatever commas
    stand in it.
    """
    beats = load_job(RunRequest("shoes")).setting.schema.beats or {}
    reader = act_reader(beats, World())
    facts: Facts = {
        "order_noun": "order",
        "order_date": "June 8, 2021",
        "due_date": "June 19, 2021",
        "due_day": "Saturday",
        "back_date": "June 20, 2021",
        "thing": "my boots, the blue ones",
        "product": "Brindle Boot",
    }
    telling = UnitTelling(beats, NO_SENSES)
    for name, beat in beats.items():
        act = f"{name}.spot.toe" if "{1}" in beat.says else name
        places = PLACE.findall(re.escape(beat.says))
        named = {beat.uses.get(place, place) for place in places} - {"phone_end"}
        held: Facts = {**{fact: f"any {fact}" for fact in named}, **facts}
        part = {"speaker": "Agent", "beats": act}
        told = unit_of(json.loads(json.dumps(telling.unit(Unit(0, held, (part,))))))
        (read,) = reader.unit(told).parts
        known = beats[str(read["beats"]).partition(".spot")[0]]
        assert known.says == beat.says, name
        assert all(read.get(fact, value) == value for fact, value in held.items()), name


def test_a_cases_details_and_ways_are_given_back() -> None:
    """What a prompt lays open is JSON again, and a remedy has all of its ways again."""
    world = load_job(RunRequest("bank")).lexicon.world
    option = world.options[0]
    facts = {"option": option.phrase, "option_ways": "few", "details": {"shop": "Elm"}}
    part = {"speaker": "agent", "to_say": ("says thanks",)}
    unit = Unit(0, facts, (part,))  # type: ignore[arg-type]
    read = act_reader(BEATS, world).unit(unit).facts
    assert read["option_ways"] == "|".join(option.ways)
    assert read["details"] == '{"shop": "Elm"}'


def test_facts_of_an_intention_get_their_own_names_back() -> None:
    """A place that stands for another fact gives that fact."""
    read = acts("can't give a refund after 30 days")
    assert (read["beats"], read["wish"], read["deny_limit"]) == ("a.deny", "a refund", "30")


def test_of_two_acts_that_say_the_same_the_facts_decide() -> None:
    """The first term and the second are told by the same words; the facts tell which."""
    both = acts("says that it takes 12 days", "says that the label is free", **TERMS)
    assert both["beats"] == "a.term_1,a.term_2"
    assert (both["term_1"], both["term_2"]) == ("it takes 12 days", "the label is free")
    assert acts("says that the label is free", **TERMS)["beats"] == "a.term_2"


def test_a_turn_without_a_plan_stays_as_it_is() -> None:
    """What stands already has no acts."""
    unit = Unit(0, {"tone": "calm"}, ({"speaker": "agent", "given": "Hello."},))
    assert act_reader(BEATS, World()).unit(unit) == unit


def test_the_number_of_a_return_is_known_in_the_whole_conversation() -> None:
    """One turn's plan tells it, and no other turn may be held for naming a strange number."""
    turns = ({"to_say": ["tells the return's number, RO-77"]}, {"to_say": ["says thanks"]})
    read = act_reader(BEATS, World()).unit(Unit(0, {}, turns))  # type: ignore[arg-type]
    assert read.facts["return_number"] == "RO-77"


def test_what_is_arranged_in_a_turn_holds_for_the_whole_conversation() -> None:
    """A sum and a day that its plan tells are the case's: a text that says them is right."""
    turns = ({"to_say": ["tells that $45.00 goes back and is there by May 10"]},)
    read = act_reader(BEATS, World()).unit(Unit(0, {}, turns))  # type: ignore[arg-type]
    assert (read.facts["back"], read.facts["due_date"]) == ("$45.00", "May 10")


def test_a_day_ahead_gets_its_year_back() -> None:
    """A plan leaves the year out: it is the order's, or the next one for a day before that."""
    told = "tells that $45.00 goes back and is there by {}"
    for day, whole in (("December 30", "December 30, 2021"), ("January 9", "January 9, 2022")):
        read = acts(told.format(day), order_date="December 12, 2021")
        assert read["due_date"] == whole


def test_facts_have_the_names_of_the_rules_again() -> None:
    """What a prompt names for its reader is known by its own name, without what explains it."""
    told = {"customer_calls_it": "my boots", "figures": {"wash_fee": '9 (in the sense of: "$9.")'}}
    read = act_reader(BEATS, World()).unit(unit_of({"unit": 0, "facts": told})).facts
    assert (read["thing"], read["figures"]) == ("my boots", '{"wash_fee": 9}')


def test_a_fact_that_a_prompt_leaves_out_is_empty() -> None:
    """A stranger's case is about no product: its words name none, and none is missed."""
    job = load_job(RunRequest("saas", scale=0.05))
    facts: Facts = {
        "channel": "email",
        "customer": "Rosa Lindgren",
        "issue": job.lexicon.world.trade.contact.enquiries["spam"].reason,
        "issue_key": "enquiry_spam_meeting",
        "product": None,
        "product_short": "file storage",
        "thing": "my storage",
        "beats": "issue.request,c.sign.stranger",
    }
    telling = UnitTelling(job.setting.schema.beats or {}, senses_of(job.lexicon))
    words = Words(job)
    for number in range(20):
        told = json.loads(json.dumps(telling.unit(Unit(number, facts))))
        (entry,) = words.entries(Prompt("Case", (unit_of(told),), ()))
        assert entry["Description"]


def test_only_what_may_not_stand_twice_is_repeated_by_fault() -> None:
    """A repeated text is a fault where it must be new: a product's name is, a case's short subject
    isn't, and whoever repeats that one is right.
    """
    words = Words(load_job(RunRequest("shoes", scale=0.02)))
    earlier = ("Not comfortable", "Soles falling off", "Can't close: the Cinderford safety shoes")
    assert words.taken(Prompt("Case", (), earlier)) == earlier[-1:]
    assert words.taken(Prompt("Product2", (), earlier)) == earlier
