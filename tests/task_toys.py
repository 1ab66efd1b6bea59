"""A toy story: a few agents, cases and purchases with round numbers, so that truths can be worked
out by hand.
"""

from datetime import date, datetime, timedelta

from orgweave.benchmark.org_facts import OrgFacts
from orgweave.benchmark.story import (
    Article,
    Assignment,
    HiddenCase,
    Product,
    PurchasedItem,
    Story,
)
from orgweave.benchmark.windows import Timeline

NOON = 12
TEXT = "Full Refund ends after 30 days. Replacement Pair ends after 60 days."


def no_facts() -> OrgFacts:
    """What reduced solvers read of an org that has nothing."""
    return OrgFacts(
        cases=Timeline((), lambda case: case.created),
        of_product={},
        every_case=(),
        assignments=Timeline((), lambda step: step.moment),
        transferred=frozenset(),
        purchases={},
        accounts={},
        products={},
        issues={},
        articles={},
        said={},
        article_of_issue={},
    )


def case(
    number: int, owner: str, created: str, hours: float | None = 24.0, **more: object
) -> HiddenCase:
    """Case `c<number>` of an owner, created at noon of a day, closed so many hours later (None:
    open).
    """
    start = datetime.fromisoformat(created).replace(hour=NOON)
    facts: dict[str, object] = {
        "id": f"c{number}",
        "account": "a1",
        "owner": owner,
        "issue": "i1",
        "issue_key": "leaking",
        "product": "p1",
        "state": "OR",
        "channel": "email",
        "created": start,
        "closed": None if hours is None else start + timedelta(hours=hours),
        "ordered": start.date() - timedelta(days=10),
        "ending": "granted",
        "violated": False,
        "days": 10,
        "wish": "",
        "granted": "refund",
        "limit": 30,
    }
    return HiddenCase(**{**facts, **more})  # type: ignore[arg-type]


def story(
    cases: list[HiddenCase],
    moves: dict[str, tuple[str, ...]] | None = None,
    bought: list[PurchasedItem] | None = None,
    products: dict[str, Product] | None = None,
) -> Story:
    """A story of these cases.

    `moves` names the owners before the last one, each an hour apart from creation on.
    """
    return Story(
        cases=tuple(sorted(cases, key=lambda one: one.created)),
        assignments=tuple(
            one for item in cases for one in _assignments(item, (moves or {}).get(item.id, ()))
        ),
        bought=tuple(bought or ()),
        products=products
        or {
            "p1": Product("p1", "Brindle Trail Runner", "Running Shoes", ("runners",)),
            "p2": Product("p2", "Harrow Wool Slipper", "Slippers", ("slippers",)),
        },
        contacts={"a1": "t1"},
        issues={"i1": "Water Leakage"},
        articles=(
            Article(
                "k1",
                "solution",
                "leaking",
                "leaking",
                "Leaking",
                "Full Refund ends after 30 days. Replacement Pair ends after 60 days.",
                (("refund", "Full Refund", 30), ("replacement", "Replacement Pair", 60)),
                {},
            ),
            Article(
                "k2",
                "policy",
                "gift_cards",
                "",
                "Gift Cards",
                "The smallest card is $25. Cards don't expire.",
                (),
                {"minimum": 25.0},
            ),
        ),
        options={
            "refund": ("Full Refund", "a full refund"),
            "replacement": ("Replacement Pair", "a replacement pair"),
            "repair": ("Workshop Repair", "a free workshop repair"),
        },
        first=date(2021, 1, 1),
        last=date(2022, 12, 31),
    )


def _assignments(item: HiddenCase, before: tuple[str, ...]) -> list[Assignment]:
    owners = (*before, item.owner)
    return [
        Assignment(
            item.id,
            owners[at - 1] if at else None,
            owner,
            item.created + timedelta(hours=at),
        )
        for at, owner in enumerate(owners)
    ]
