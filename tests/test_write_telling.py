"""How units are told to a model: what keys mean, what stands out of a prompt, how turns count."""

import re

import pytest

from pipeline.company.lexicon_map import LexiconMap
from pipeline.config import RunRequest, load_job
from pipeline.write.rules import Rules
from pipeline.write.senses import NO_SENSES, Senses, rule_of
from pipeline.write.telling import UNSAID_BY_PLAN, UnitTelling
from schemas.incidents import IncidentPlan
from schemas.lexicon import Lexicon
from schemas.model import Beat
from schemas.world import World
from verifiers.material import Facts, Unit

PLACE = re.compile(r"\{(\w+)\}")
BEATS = {
    "issue.ask": Beat("issue.ask", says="asks about the {1}"),
    "issue.sign": Beat("issue.sign", says="tells of the {1}: {2}"),
    "issue.cause": Beat("issue.cause", says="explains '{1}'"),
    "a.deny": Beat(
        "a.deny",
        says="can't, after {limit} days",
        must=("limit",),
        uses={"limit": "deny_limit"},
    ),
    "issue.mend": Beat("issue.mend", says="mends it"),
    "issue.resolve": Beat("issue.resolve", says="answers it"),
    "a.found": Beat("a.found", says="has found the {order_noun}"),
    "c.identify": Beat("c.identify", says="gives the phone's end, {phone_end}"),
    "c.thanks": Beat("c.thanks", says="says thanks"),
    "c.wish": Beat("c.wish", says="would like {wish}"),
    "c.stake": Beat("c.stake", says="says that it is about {stake}", must=("stake",)),
    "a.stake": Beat("a.stake", says="names {stake}", must=("stake",)),
    "a.late": Beat("a.late", says="is sorry for {waited}"),
    "a.grant": Beat("a.grant", says="gives {option}", must=("option",)),
    "a.test": Beat("a.test", says="asks to try {1}"),
    "option.steps": Beat("option.steps", says="says what comes next"),
    "a.line": Beat("a.line", says="mentions {order_date}", must=("order_date",)),
    "ships": Beat("ships", says="ships on {due_date}", must=("due_date",)),
    "option.tell.done": Beat("option.tell.done", "is done by {due_date}", must=("due_date",)),
}
RULES = {
    "issue.sole.ask.spot": ("Where does [it|the sole] open?",),
    "issue.sole.cause.bond": ("[The glue|It] let go of {thing}.", "Ask {nobody}."),
    "issue.sole.cause.wear": ("It went at the toe.", "It went at the heel."),
    "issue.sole.resolve": ("Ask {w.who} at the counter.",),
    "issue.sole.mend": ("We glue it.",),
    "issue.sole.ask.use": ("Do {it} get worn in {place}?",),
    "option.refund.lay": ("my money back",),
    "option.refund.steps": ("The bank shows it in two lines.",),
    "a.test.private": ("Try it in a private window.",),
    "w.who": ("[the cobbler|anyone]",),
    "order_noun": ("purchase",),
    "article.wash.facts": ("Come in. A wash by hand costs ${wash_fee}. It takes a day.",),
    "policy.price.body": ("No discount is above {max_discount} percent of {company}'s price.",),
}
PLAN = IncidentPlan.model_validate(
    {
        "evidence": ["photo"],
        "signs": {"spot": {"toe": {"marks": ["toe"]}, "heel": {"marks": ["heel"]}}},
        "causes": {"bond": {"ends": ["either"], "known_by": "photo", "tells": "spot"}},
    }
)
FACTS: Facts = {
    "issue_key": "sole",
    "thing": "my boots",
    "customer": "Rosa Lindgren",
    "limit": 0,
    "deny_limit": 30,
    "wish": "a refund",
    "cause": "bond",
}


@pytest.fixture(scope="module")
def telling() -> UnitTelling:
    """The telling of toy acts by a toy lexicon."""
    world = World().model_copy(update={"incidents": {"sole": PLAN}})
    return UnitTelling(BEATS, Senses(Rules(Lexicon("toy", RULES, world))))


def said(telling: UnitTelling, *acts: str, facts: Facts = FACTS) -> list[list[str]]:
    """What each turn of a conversation with these acts is to say."""
    parts = tuple({"speaker": "Agent", "beats": act} for act in acts)
    turns = telling.unit(Unit(0, facts, parts))["turns"]
    assert isinstance(turns, list)
    return [turn["to_say"] for turn in turns]


def test_a_cause_is_told_with_its_meaning(telling: UnitTelling) -> None:
    """A key of the desk stands with a sentence of the lexicon that says what it stands for."""
    told = "explains 'bond' (in the sense of: \"The glue let go of my boots.\")"
    assert said(telling, "issue.cause.bond") == [[told]]


def test_a_line_that_needs_unknown_facts_is_no_meaning(telling: UnitTelling) -> None:
    """Of a rule's lines the next one is taken where the first has a place that no fact fills."""
    assert telling.senses.of_rule("issue.cause.bond", FACTS, 1) == "It let go of my boots."


@pytest.mark.parametrize(("seen", "spot"), [("heel", "heel"), ("toe", "toe")])
def test_a_meaning_is_one_of_this_case(seen: str, spot: str, telling: UnitTelling) -> None:
    """A sentence that shows another sign than the case's own is no meaning in it."""
    facts = {**FACTS, "seen": f"spot: {seen} ({seen})"}
    for number in (0, 1):
        assert (
            telling.senses.of_rule("issue.cause.wear", facts, number) == f"It went at the {spot}."
        )


def test_a_sense_names_the_details_of_its_case() -> None:
    """What a case tells besides, such as a shop, fills a wording as its other facts do."""
    rules = {"issue.sole.cause.bond": ("The glue of {shop} let go.",)}
    senses = Senses(Rules(Lexicon("toy", rules, World())))
    facts: Facts = {**FACTS, "details": '{"shop": "Elm"}'}
    assert senses.of_rule("issue.cause.bond", FACTS, 1) == ""
    assert senses.of_rule("issue.cause.bond", facts, 1) == "The glue of Elm let go."


def test_a_question_is_told_with_the_product_that_it_is_about() -> None:
    """A request that names the product, as the catalog has it, is no mere "I have a question"."""
    rules = {
        "issue.any.request": ("I have a question.",),
        "issue.sole.request": ("My {products}?",),
    }
    senses = Senses(Rules(Lexicon("toy", rules, World())))
    facts: Facts = {**FACTS, "product": "Skerrin Hiker", "plural": True}
    assert senses.of_rule("issue.request", facts, 1) == "My Skerrin Hiker?"


def test_a_meaning_speaks_of_one_or_many_and_of_what_else_the_case_tells(
    telling: UnitTelling,
) -> None:
    """A wording's pronouns and a case's details are filled in as they are in texts."""
    facts = {**FACTS, "plural": True, "details": '{"place": "the rain"}'}
    assert telling.senses.of_rule("issue.ask.use", facts, 0) == "Do they get worn in the rain?"


def test_what_the_desk_alone_knows_is_told_with_its_rules_filled_in(telling: UnitTelling) -> None:
    """The answer to a question stands in the lexicon only; a rule in it is worded, too."""
    told = 'answers it (in the sense of: "Ask the cobbler at the counter.")'
    assert said(telling, "issue.resolve") == [[told]]


def test_what_is_done_is_told_for_any_cause_where_none_has_its_own(telling: UnitTelling) -> None:
    """A problem is mended in the same way whatever its cause, unless a rule says otherwise."""
    assert said(telling, "issue.mend.bond") == [['mends it (in the sense of: "We glue it.")']]


def test_a_day_ahead_is_told_without_its_year(telling: UnitTelling) -> None:
    """Nobody says the year of a day that is a week away, so a plan doesn't either."""
    part = {"speaker": "Agent", "beats": "ships"}
    turns = telling.unit(Unit(0, {**FACTS, "due_date": "August 17, 2021"}, (part,)))["turns"]
    assert isinstance(turns, list)
    assert turns[0]["to_say"] == ["ships on August 17"]
    assert turns[0]["must_contain"] == ["August 17"]


@pytest.mark.parametrize(
    ("agent", "says", "must"),
    [
        ("Ann Lee", "is done within 3 business days", "3 business days"),
        ("Max Stone", "is done by August 17", "August 17"),
    ],
)
def test_a_plan_tells_how_long_it_takes_or_the_day_as_its_agent_does(
    agent: str, says: str, must: str, telling: UnitTelling
) -> None:
    """A model that is told a date each time writes one each time, as no desk does."""
    facts = {**FACTS, "due_date": "August 17, 2023", "zone": "UTC", "agent": agent}
    part = {"speaker": "Agent", "beats": "option.tell.done", "at": "2023-08-14T15:00:00"}
    turns = telling.unit(Unit(0, facts, (part,)))["turns"]
    assert isinstance(turns, list)
    assert turns[0]["to_say"] == [says]
    assert turns[0]["must_contain"] == [must]


def test_a_plan_speaks_the_companys_words(telling: UnitTelling) -> None:
    """What a purchase is called stands in the lexicon, and plans call it so."""
    assert said(telling, "a.found") == [["has found the purchase"]]
    assert said(UnitTelling(BEATS, NO_SENSES), "a.found") == [["has found the order"]]


@pytest.mark.parametrize(
    ("channel", "device", "told"),
    [
        ("email", "Windows", "typing errors"),
        ("email", "iOS", "small letters, typing errors"),
        ("chat", "Windows", "small letters, no final stops, typing errors"),
    ],
)
def test_a_mail_is_told_the_habits_that_mails_show(
    channel: str, device: str, told: str, telling: UnitTelling
) -> None:
    """Who types small letters in chats writes mails at a desk as others do, the first one, too."""
    manner = "small letters, no final stops, typing errors"
    facts = {"channel": channel, "device": device, "manner": manner}
    told_facts = telling.unit(Unit(0, facts, ({"beats": "c.thanks"},)))["facts"]
    assert isinstance(told_facts, dict)
    assert told_facts["customer_types_with"] == told


def test_a_customer_is_not_told_how_long_they_waited(telling: UnitTelling) -> None:
    """The time before a text is a wait in an agent's text, a pause in a customer's."""
    turns = tuple(
        {"speaker": speaker, "waited": waited, "beats": "c.thanks"}
        for speaker, waited in (("Agent", "a day"), ("Customer", "two days"))
    )
    agent, customer = telling.unit(Unit(0, FACTS, turns))["turns"]  # type: ignore[misc]
    assert agent["customer_waited"] == "a day"
    assert customer["since_the_message_before"] == "two days"
    assert "customer_waited" not in customer


def test_a_sign_means_what_is_asked_for_and_is_explained_once(telling: UnitTelling) -> None:
    """Who tells a sign unasked is told the question; behind the question nobody needs it again."""
    sense = ' (in the sense of: "Where does it open?")'
    assert said(telling, "issue.sign.spot.toe") == [["tells of the spot: toe" + sense]]
    both = said(telling, "issue.ask.spot", "issue.sign.spot.toe")
    assert both == [["asks about the spot" + sense], ["tells of the spot: toe"]]
    assert rule_of("issue.sign.spot.toe") == "issue.ask.spot"


def test_without_a_lexicon_keys_stand_alone() -> None:
    """A schema without a lexicon has prompts all the same."""
    assert said(UnitTelling(BEATS, NO_SENSES), "issue.cause.bond") == [["explains 'bond'"]]


@pytest.mark.parametrize(
    ("kind", "key", "figures", "told"),
    [
        ("product", "wash", '{"wash_fee": 9}', "A wash by hand costs $9."),
        (
            "policy",
            "price",
            '{"max_discount": 30}',
            "No discount is above 30 percent of Moor's price.",
        ),
    ],
)
def test_a_figure_is_told_with_its_unit(
    kind: str,
    key: str,
    figures: str,
    told: str,
    telling: UnitTelling,
) -> None:
    """A figure of an article stands with the one sentence that says what it counts."""
    facts = {"kind": kind, "article_key": key, "figures": figures, "company": "Moor"}
    shown = telling.unit(Unit(0, facts))["facts"]
    assert isinstance(shown, dict)
    ((name, figure),) = shown["figures"].items()
    number = figures.split(": ")[1].rstrip("}")
    assert name in figures and figure == f'{number} (in the sense of: "{told}")'


def test_what_no_text_needs_stays_out(telling: UnitTelling) -> None:
    """Keys, and facts that stand in the plan where it needs them, are not told besides."""
    told = telling.unit(Unit(0, FACTS, ({"speaker": "Agent", "beats": "a.deny"},)))
    assert told["facts"] == {
        "customer_calls_it": "my boots",
        "customer": "Rosa Lindgren",
        "wanted_remedy": "a refund",
    }
    assert said(telling, "a.deny") == [["can't, after 30 days"]]


def test_texts_to_write_are_numbered(telling: UnitTelling) -> None:
    """Open turns have the number of their text; what is given has none."""
    given = {"speaker": "Customer", "given": "Hello."}
    thanks = {"speaker": "Customer", "beats": "c.thanks"}
    told = telling.unit(Unit(0, FACTS, (given, thanks, thanks)))
    turns = told["turns"]
    assert isinstance(turns, list)
    assert [turn.get("text") for turn in turns] == [None, 1, 2]
    assert told["texts_to_write"] == 2


def test_a_customer_without_a_phone_has_digits_all_the_same(telling: UnitTelling) -> None:
    """Who has no number on file identifies by four digits that follow from the name."""
    ((told,),) = said(telling, "c.identify")
    assert told.removeprefix("gives the phone's end, ").isdecimal()
    ((known,),) = said(telling, "c.identify", facts={**FACTS, "phone": "(305) 555-0148"})
    assert known.endswith(", 0148")


def test_a_turn_is_told_with_its_day_and_hour(telling: UnitTelling) -> None:
    """Whoever writes knows the day of the week, by the customer's clock."""
    parts = tuple(
        {"speaker": "Customer", "beats": "c.thanks", "at": f"2021-03-0{day}T15:05:00"}
        for day in (2, 4)
    )
    turns = telling.unit(Unit(0, {**FACTS, "zone": "America/Chicago"}, parts))["turns"]
    assert isinstance(turns, list)
    assert [turn["when"] for turn in turns] == [
        "Tuesday, March 2, 2021, 9:05 AM",
        "Thursday, March 4, 2021, 9:05 AM",
    ]


def test_a_long_wait_stands_in_the_plan_to_the_day(telling: UnitTelling) -> None:
    """Who is sorry for eleven days does not speak of two weeks."""
    asked = {"speaker": "Customer", "beats": "c.thanks", "at": "2021-03-02T15:05:00"}
    late = {"speaker": "Agent", "beats": "a.late", "at": "2021-03-13T16:00:00"}
    turns = telling.unit(Unit(0, FACTS, (asked, {**late, "waited": "two weeks"})))["turns"]
    assert isinstance(turns, list)
    assert turns[1]["to_say"] == ["is sorry for 11 days"]


def test_a_chat_is_told_what_its_window_shows(telling: UnitTelling) -> None:
    """Who is signed in by e-mail is not asked who they are; the address itself is not told."""
    window = "form={customer}, signed in by e-mail {email}{order}\npage=Topic: {product}"
    facts = {**FACTS, "company": "Corvid", "product": "Brindle", "chat_window": window}
    parts = ({"speaker": "Customer", "beats": "c.thanks"},)
    known = {**facts, "chat_form": True, "chat_order": "00000417"}
    told = telling.unit(Unit(0, known, parts))
    assert told["window_shows_first"] == [
        "Rosa Lindgren, signed in by e-mail (address), order 417",
        "Topic: Brindle",
    ]
    assert telling.unit(Unit(0, facts, parts))["window_shows_first"] == ["Topic: Brindle"]


def test_a_remedy_is_told_by_its_everyday_words(telling: UnitTelling) -> None:
    """What people have words for need not be called by its name; what they haven't must be."""
    part = {"speaker": "Agent", "beats": "a.grant"}
    ways = "money back|refund you|refunded ... in full|a refund|refund it"
    facts = {**FACTS, "option": "a full refund"}
    named = telling.unit(Unit(0, facts, (part,)))
    worded = telling.unit(Unit(0, {**facts, "option_ways": ways}, (part,)))
    shown, turns = worded["facts"], worded["turns"]
    assert isinstance(named["turns"], list) and isinstance(turns, list) and isinstance(shown, dict)
    assert named["turns"][0]["must_contain"] == ["a full refund"]
    assert "must_contain" not in turns[0]
    assert shown["people_say_granted"].split("; ")[0] == "money back"
    assert len(shown["people_say_granted"].split("; ")) == 4


@pytest.mark.parametrize(("act", "told"), [("c.stake", ["Where does it open?"]), ("a.stake", None)])
def test_a_first_mail_leaves_open_what_will_be_asked(
    act: str, told: list[str] | None, telling: UnitTelling
) -> None:
    """Whoever answers a customer asks for a sign that their mail must not tell yet."""
    unit = telling.unit(Unit(0, {**FACTS, "asks": "spot,unknown", "beats": act}))
    assert unit.get("asked_later") == told


@pytest.mark.parametrize(
    ("details", "demanded"),
    [
        ('{"agreed": "12.97 percent", "billed": "13.66 percent"}', None),
        ('{"agreed": "12.97 percent"}', ["0.69 points"]),
        ("", ["0.69 points"]),
    ],
)
def test_nobody_has_to_reckon_a_difference(
    details: str, demanded: list[str] | None, telling: UnitTelling
) -> None:
    """Who can tell both figures of a case need not say what lies between them."""
    facts = {**FACTS, "stake": "0.69 points", "details": details, "beats": "c.stake"}
    assert telling.unit(Unit(0, facts)).get("must_contain") == demanded


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("a.test.private", 'asks to try private (in the sense of: "Try it in a private window.")'),
        (
            "option.steps",
            'says what comes next (in the sense of: "The bank shows it in two lines.")',
        ),
    ],
)
def test_what_only_the_lexicon_knows_is_told(act: str, told: str, telling: UnitTelling) -> None:
    """A key of a trial, and how a remedy goes on, mean nothing to who has no lexicon."""
    assert said(telling, act, facts={**FACTS, "option_key": "refund"}) == [[told]]


@pytest.mark.parametrize(
    ("moment", "day"),
    [("2021-08-02T12:00:00", "May 2"), ("2022-08-02T12:00:00", "May 2, 2021")],
)
def test_a_day_of_the_last_months_is_told_without_its_year(
    moment: str, day: str, telling: UnitTelling
) -> None:
    """Whoever is told a year writes it: `since you ordered on May 2, 2021`."""
    facts = {**FACTS, "order_date": "May 2, 2021", "zone": "UTC"}
    part = {"speaker": "Agent", "beats": "a.line", "at": moment}
    turns = telling.unit(Unit(0, facts, (part,)))["turns"]
    assert isinstance(turns, list)
    assert turns[0]["to_say"] == [f"mentions {day}"]
    assert turns[0]["must_contain"] == [day]


def test_a_cases_details_are_laid_open(telling: UnitTelling) -> None:
    """No JSON stands in a text of the prompt's JSON."""
    shown = telling.unit(Unit(0, {**FACTS, "details": '{"shop": "Elm"}', "beats": "c.stake"}))
    assert isinstance(shown["facts"], dict)
    assert shown["facts"]["details"] == {"shop": "Elm"}


def test_a_wish_is_told_as_customers_word_it(telling: UnitTelling) -> None:
    """A remedy's lay name stands behind a wish; how agents call it, where they refuse it."""
    facts = {**FACTS, "wish_key": "refund", "wish_ways": "refund you"}
    told = 'would like a refund (in the sense of: "my money back")'
    assert said(telling, "c.wish", facts=facts) == [[told]]
    for act, shown in (("c.wish", False), ("a.deny", True)):
        unit = telling.unit(Unit(0, facts, ({"speaker": "Agent", "beats": act},)))
        assert isinstance(unit["facts"], dict)
        assert ("people_say_wanted" in unit["facts"]) is shown


IN_OTHER_FACTS = {"company", "first", "last", "agent_first"}
"""What a model is told by another name: the company stands above all, the others are parts."""


def test_a_model_is_told_whatever_the_lexicon_may_say_of_an_act() -> None:
    """A fact that stands in a plan alone is named by each act whose wordings name it."""
    job = load_job(RunRequest("shoes"))
    words = LexiconMap(job.lexicon, ())
    for name, beat in (job.setting.schema.beats or {}).items():
        facts = {*beat.must, *beat.uses, *PLACE.findall(beat.says), *IN_OTHER_FACTS}
        for rule in beat.rules or (name,):
            assert named_by(words, rule, set()) & UNSAID_BY_PLAN <= facts, name


def named_by(words: LexiconMap, rule: str, passed: set[str]) -> set[str]:
    """The slots of a rule's wordings and of the rules in them."""
    found: set[str] = set()
    passed.add(rule)
    for variant in words.variants(rule):
        found |= set().union(*words.slots(variant))
    for slot in sorted(found - passed):
        found |= named_by(words, slot, passed)
    return found
