"""Named entity disambiguation: which product a contact means by a vague name, ordered so long ago.

Drawn and answered from the hidden story.

A vague name shares words with its product's name or family and fits no other product of that
customer nearly as well (rapidfuzz).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from random import Random

from rapidfuzz import fuzz, utils

from orgweave.benchmark.instance import NOTHING, Answer, Candidate, Dropped
from orgweave.benchmark.story import Bought, Product, Story
from orgweave.benchmark.windows import LAST_SAFE_DAY, before, interval_forms

CLOSE, APART = 70.0, 12.0
FEW_ITEMS, WITHOUT_ORDER = 2, 1 / 3
SPANS = {"day": (5, 90), "week": (2, 12), "month": (1, 9)}
NOT_CLEAR = Dropped("no vague name fits its product and no other of the customer's")
NO_DAY = Dropped("no such day in the period")
STILL_FITS = Dropped("something that the contact ordered fits the name after all")


def named_entity(story: Story, rng: Random, answerable: bool) -> Iterator[Candidate | Dropped]:
    """Endless draws.

    Nothing answers where the contact ordered nothing on that day, or nothing on it that the name
    could mean.
    """
    purchases = story.purchases()
    accounts = sorted(account for account in purchases if account in story.contacts)
    while True:
        own = purchases[rng.choice(accounts)]
        meant = rng.choice(own)
        yield (
            _answerable(story, rng, own, meant)
            if answerable
            else _unanswerable(story, rng, own, meant)
        )


def closeness(vague: str, product: Product) -> float:
    """0 to 100: how many of the vague name's words the product's name and family share, plurals
    aside.
    """
    return fuzz.token_set_ratio(stems(vague), stems(f"{product.name} {product.family}"))


def stems(text: str) -> str:
    """Lower case, no marks, plural endings cut."""
    return " ".join(
        word.removesuffix("s") if len(word) > 3 else word
        for word in utils.default_process(text).split()
    )


def _answerable(
    story: Story, rng: Random, own: Sequence[Bought], meant: Bought
) -> Candidate | Dropped:
    of_day = [one for one in own if one.day == meant.day]
    asked = _asked_on(story, rng, meant.day)
    vague = _vague_name(
        rng, story.products[meant.product], [story.products[one.product] for one in own]
    )
    if (
        vague is None
        or len(of_day) <= FEW_ITEMS
        or sum(one.product == meant.product for one in of_day) != 1
    ):
        return NOT_CLEAR
    families = [story.products[one.product].family for one in of_day]
    if (
        vague in story.products[meant.product].shorts
        and families.count(story.products[meant.product].family) > 1
    ):
        return NOT_CLEAR
    return (
        NO_DAY
        if asked is None
        else _candidate(story, own[0].account, vague, meant.day, *asked, answer=(meant.product,))
    )


def _unanswerable(
    story: Story, rng: Random, own: Sequence[Bought], meant: Bought
) -> Candidate | Dropped:
    """A third of them: the right name and a day without an order, none on either side of it; the
    others: a day's order of some items, and a name of something else.
    """
    days = {one.day for one in own}
    if rng.random() < WITHOUT_ORDER:
        day, product = (
            meant.day + timedelta(days=rng.randint(-60, 60)),
            story.products[meant.product],
        )
        if days & {day + timedelta(days=step) for step in (-1, 0, 1)}:
            return STILL_FITS
    else:
        day, product = (
            meant.day,
            story.products[
                (
                    rng.choice(own).product
                    if rng.random() < 0.5
                    else rng.choice(sorted(story.products))
                )
            ],
        )
        near = {one.product for one in own if abs((one.day - day).days) <= 1}
        if (
            any(story.products[one].family == product.family for one in near)
            or sum(one.day == day for one in own) <= FEW_ITEMS
        ):
            return STILL_FITS
    asked = _asked_on(story, rng, day)
    vague = _vague_name(rng, product, [product])
    if asked is None or not story.first <= day <= story.last:
        return NO_DAY
    if vague is None or any(
        closeness(vague, story.products[one.product]) > CLOSE - APART
        for one in own
        if one.day == day
    ):
        return STILL_FITS
    return _candidate(story, own[0].account, vague, day, *asked, answer=NOTHING)


def _asked_on(story: Story, rng: Random, day: date) -> tuple[str, date] | None:
    """An interval and the day on which that much earlier is `day`; None where it is not in the
    period.
    """
    unit = rng.choice(sorted(SPANS))
    count = rng.randint(*SPANS[unit])
    today = before(day, unit, -count)
    if day.day > LAST_SAFE_DAY or not today <= story.last:
        return None
    return f"{count} {unit}{'s' if count > 1 else ''}", today


def _vague_name(rng: Random, meant: Product, others: Sequence[Product]) -> str | None:
    """A way to speak of the product that is not its name, close to it and clearly less so to every
    other one.
    """
    forms = _forms(meant)
    rng.shuffle(forms)
    for form in forms:
        own = closeness(form, meant)
        rivals = [closeness(form, other) for other in others if other.id != meant.id]
        apart = own - max(rivals, default=0.0) >= APART and _most_words(form, meant, others)
        if own >= CLOSE and apart and form.casefold() not in meant.name.casefold():
            return form
    return None


def _most_words(vague: str, meant: Product, others: Sequence[Product]) -> bool:
    """Whether more than half of its words stand in the product's name or family, and fewer of them
    in every other one's.
    """
    words = set(stems(vague).split())
    shared = {
        one.id: len(words & set(stems(f"{one.name} {one.family}").split()))
        for one in (*others, meant)
    }
    return 2 * shared[meant.id] > len(words) and all(
        count < shared[meant.id] for product, count in shared.items() if product != meant.id
    )


def _forms(product: Product) -> list[str]:
    """The vague noun alone; or with the series before it.

    A noun that has little to do with name and family is left out.
    """
    words, known = product.name.split(), set(stems(f"{product.name} {product.family}").split())
    nouns = [
        noun
        for noun in product.shorts
        if 2 * len(set(stems(noun).split()) & known) > len(stems(noun).split())
    ]
    return [*nouns, *(f"{words[0]} {noun}" for noun in nouns if words[0].isalpha())]


def _candidate(
    story: Story, account: str, vague: str, day: date, interval: str, today: date, answer: Answer
) -> Candidate:
    parameters: Mapping[str, str | int | None] = {
        "contact": story.contacts[account],
        "vague_name": vague,
        "interval": interval,
        "today": today.isoformat(),
        "date": day.isoformat(),
        "product": answer[0] if answer else None,
    }
    return Candidate(
        "ordered_ago",
        parameters,
        {"vague_name": vague, "window": interval},
        ((vague,), interval_forms(interval)),
        answer,
    )
