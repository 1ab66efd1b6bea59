"""The pieces that a model drafts a company from: what is asked for, in which form, and how many.

A piece is small enough for one answer, and each has a file of its own, so that a draft goes on
where it stopped. Knows no endpoint and writes no files.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

AnswerForm = dict[str, Any]

TEXT: AnswerForm = {"type": "string"}
NUMBER: AnswerForm = {"type": "number"}
WHOLE: AnswerForm = {"type": "integer"}
FLAG: AnswerForm = {"type": "boolean"}
TEXTS: AnswerForm = {"type": "array", "items": TEXT}
WHOLES: AnswerForm = {"type": "array", "items": WHOLE}
NUMBERS: AnswerForm = {"type": "array", "items": NUMBER}


def one_of(*values: str) -> AnswerForm:
    """The form of a text that is one of these."""
    return {"type": "string", "enum": list(values)}


def record(**keys: AnswerForm) -> AnswerForm:
    """The form of a mapping with exactly these keys."""
    return {
        "type": "object",
        "properties": keys,
        "required": list(keys),
        "additionalProperties": False,
    }


TRADES = {
    "goods": "service_cloud",
    "services": "service_cloud",
    "subscriptions": "subscription_services",
    "accounts": "financial_services",
}
"""What kind of thing is sold -> the schema that fits it."""


@dataclass(frozen=True, slots=True)
class DraftedList:
    """A list of the world that a model states: the form of an entry, and how many there may be."""

    part: str
    entry: AnswerForm
    least: int
    most: int
    asks: str


LISTS = (
    DraftedList(
        "categories",
        record(
            key=TEXT,
            name=TEXT,
            description=TEXT,
            peak=WHOLES,
            price=NUMBERS,
            weight=NUMBER,
            short=TEXTS,
            plural=FLAG,
        ),
        3,
        12,
        "What this company sells, by category. `key` is one short word in small letters, `name` the"
        " heading in its catalog, `description` a sentence, `peak` the months in which it sells"
        " most (1 to 12), `price` the lowest and the highest price of one in dollars, `weight` how"
        " much of it is sold (1 is usual, 2 twice as much), `short` what customers call one such"
        " thing, without an article, `plural` whether these words are plural.",
    ),
    DraftedList(
        "options",
        record(key=TEXT, name=TEXT, phrase=TEXT, days=WHOLES, refunded=FLAG),
        3,
        8,
        "Which remedies its service team may grant. `name` stands in articles (Late Checkout),"
        " `phrase` in a sentence with its article (a late checkout), `days` holds one to three"
        " limits in days since the purchase of which one is chosen; `refunded` is true where all"
        " that was paid is paid back.",
    ),
    DraftedList(
        "issues",
        record(
            key=TEXT,
            name=TEXT,
            description=TEXT,
            kind=one_of("product", "delivery", "service", "billing"),
            weight=NUMBER,
            options=TEXTS,
            topics=TEXTS,
            fits=TEXTS,
            urgency=NUMBER,
        ),
        4,
        12,
        "What goes wrong for its customers. `kind` is what the problem is with: `product` is what"
        " was bought itself, `delivery` how and when the customer got it, `service` how somebody"
        " dealt with them, `billing` what was charged. Two in three complaints are of kind"
        " `product`, so state several of these, one at least for each category. `weight` is how"
        " often it comes (1 is usual), `options` are keys of the remedies that may be granted for"
        " it, `topics` one or two keys, in words of your own, of what an agent asks the customer"
        " about (where, since_when), each with a few answers that exclude each other, `fits`"
        " the keys of the categories that can have it (none for all), `urgency` from 0 to 1.",
    ),
    DraftedList(
        "policies",
        record(
            key=TEXT,
            title=TEXT,
            figures={"type": "array", "items": record(name=TEXT, values=NUMBERS)},
        ),
        2,
        8,
        "Its written policies, each with one or two figures: a `name` in small letters with _ that"
        " says the unit, such as notice_days, and two or three numbers of which one is chosen.",
    ),
    DraftedList(
        "articles",
        record(key=TEXT, category=TEXT, topic=TEXT),
        3,
        20,
        "Articles for its customers on what it sells: the `category` by its key, and the topic as a"
        " heading.",
    ),
    DraftedList(
        "holidays",
        record(name=TEXT, month=WHOLE, day=WHOLE, length=WHOLE, discount=WHOLES),
        2,
        8,
        "The occasions of a year on which its prices are lower: the first day, the length in days,"
        " and the lowest and highest discount in percent.",
    ),
)
"""The lists of the world, in the order in which one names the keys of another."""

PROFILE_PIECE = "profile"
PROFILE = record(
    name=TEXT,
    industry=TEXT,
    description=TEXT,
    team=TEXT,
    trade=one_of(*TRADES),
)
PROFILE_ASKS = (
    "The company itself: an invented name that no real company has, its industry in a few words, a"
    " sentence or two on what it does and for whom, what its service team is called, and what it"
    " sells: `goods` (things, handed over or sent), `services` (something done or kept ready, each"
    " time at a price), `subscriptions` (a plan that runs for a term and is billed by the month or"
    " year) or `accounts` (opened after an application, as a bank or an insurer does). Where it"
    " sells several of these, name the one that most of its purchases are."
)

COMMON_WORDS = {
    "order_noun": 1,
    "buy_past": 1,
    "series": 12,
    "variant": 6,
    "Product2.Description.lead": 5,
}
"""The rules that the whole company shares -> the fewest lines of each."""

WORDS_OF = {
    "categories": {
        "category.{}.model": 4,
        "category.{}.feature": 5,
        "category.{}.for": 3,
    },
    "issues": {
        "issue.{}.subject": 3,
        "issue.{}.complaint": 5,
        "issue.{}.complaint@angry": 2,
        "chat.issue.{}.complaint": 3,
        "issue.{}.summary": 3,
        "issue.{}.impact": 2,
        "issue.{}.article.title": 2,
        "issue.{}.article.intro": 2,
        "issue.{}.article.steps": 2,
    },
    "options": {"option.{}.steps": 2, "chat.option.{}.steps": 2},
    "policies": {"policy.{}.title": 2, "policy.{}.summary": 2, "policy.{}.body": 2},
    "articles": {"article.{}.title": 2, "article.{}.summary": 2, "article.{}.body": 1},
}
"""The rules that an entry of a list needs -> the fewest lines of each."""

TOPIC_WORDS = {"issue.{}.ask.{}": 2}
"""The rules that each topic of an issue needs."""

QUESTION_LINES = 2
"""Lines of a question on a policy's figure."""


@dataclass(frozen=True, slots=True)
class WordPiece:
    """The rules that are drafted in one answer, with the fewest lines of each.

    `unsaid` are words that stand in no complaint of it, as a customer tells those elsewhere.
    """

    name: str
    file: str
    asks: str
    rules: Mapping[str, int]
    unsaid: tuple[str, ...] = ()

    @property
    def form(self) -> AnswerForm:
        """The form of the answer: a list of lines for each rule."""
        return record(**dict.fromkeys(self.rules, TEXTS))


def list_form(drafted: DraftedList) -> AnswerForm:
    """The form of an answer that states a list."""
    return record(**{drafted.part: {"type": "array", "items": drafted.entry}})


def word_pieces(
    world: Mapping[str, Sequence[Mapping[str, Any]]], unsaid_of: Mapping[str, Sequence[str]]
) -> Iterator[WordPiece]:
    """Yields the pieces that word a world: what all share, then one for each entry of its lists.

    `unsaid_of` holds the words that the complaints of an issue leave to its signs, by its key.
    """
    headings = ", ".join(str(entry["name"]) for entry in world["categories"])
    asks = (
        "How this company and its customers name what it sells. A product's name is put together"
        " by chance of three words: one of `series`, the noun of its category, and sometimes one"
        " of `variant` (Calvane Trail Runner Mid). Write such as go with the nouns of all"
        f" categories: {headings}."
    )
    yield WordPiece("words", "words.yaml", asks, COMMON_WORDS)
    for part, names in WORDS_OF.items():
        for entry in world[part]:
            key = str(entry["key"])
            rules = {name.format(key): least for name, least in names.items()}
            rules |= _more(part, key, entry)
            singular = {"categories": "category", "policies": "policy"}.get(part, part[:-1])
            name = f"{singular} {key}"
            asks = f"The words of the {singular} {key}: {told_of(entry)}."
            unsaid = tuple(unsaid_of.get(key, ())) if part == "issues" else ()
            yield WordPiece(
                name,
                f"{singular}_{key}.yaml",
                asks,
                rules,
                unsaid,
            )


def _more(part: str, key: str, entry: Mapping[str, Any]) -> dict[str, int]:
    """The rules of an issue's topics, or of a policy's figures."""
    rules: dict[str, int] = {}
    if part == "issues":
        for topic in entry["topics"]:
            rules |= {name.format(key, topic): least for name, least in TOPIC_WORDS.items()}
    if part == "policies":
        for figure in entry["figures"]:
            rules[f"policy.{key}.question.{figure}"] = QUESTION_LINES
    return rules


def told_of(entry: Mapping[str, Any]) -> str:
    """What an entry says of itself, for the prompt."""
    said = []
    for name, value in entry.items():
        if name not in ("key", "weight", "plural", "peak", "days", "urgency", "refunded"):
            said.append(f"{name} {_plainly(value)}".rstrip("."))
    return "; ".join(said)


def _plainly(value: object) -> str:
    """A value as a person writes it, lists and mappings too."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} ({_plainly(part)})" for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "all"
    return str(value)
