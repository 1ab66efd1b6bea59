"""Vague names of what somebody bought: what a customer says instead of a product's name, which
product of a day it means, and on which day it is said.

A vague name shares words with its product's name or family and fits no other product of that day
nearly as well (rapidfuzz). Knows no questions.

Example: the `trainers` of May 3 are the Brindle Trail Trainer, those of May 10 another product.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from random import Random

from rapidfuzz import fuzz, utils

from orgweave.benchmark.story import Product, PurchasedItem, Story
from orgweave.benchmark.windows import LAST_SAFE_DAY, before

CLOSE = 70.0
"""How close a vague name is to its own product at least, from 0 to 100."""
APART = 12.0
"""How much closer it is to its own product than to any other of that day."""
BARE = 0.75
"""How often the vague name is a noun alone, without the first word of the product's name."""
LOOSE = {
    "sneaker": {"shoe", "trainer", "runner", "sneaker", "volley"},
    "boot": {"boot"},
    "slip-on": {"loafer", "slip", "clog", "slipper", "mule", "moc"},
}
"""Nouns that people use loosely, each with words of product names that they may well mean: nothing
is asked about them where they could mean something else too.
"""
SPANS = {"day": (5, 150), "week": (2, 26), "month": (1, 18)}
"""How long ago the order was, at least and at most, in each unit."""


@dataclass(frozen=True, slots=True)
class Buyer:
    """A contact with all that its account bought."""

    story: Story
    contact: str
    own: Sequence[PurchasedItem]

    def of_day(self, day: date) -> list[Product]:
        """The products of a day's orders, each as often as it was ordered."""
        return [self.story.products[item.product] for item in self.own if item.day == day]

    def vague_name(self, rng: Random, meant: PurchasedItem) -> str | None:
        """A vague name of what was bought that fits nothing else of its day; None where there is
        none.
        """
        product = self.story.products[meant.product]
        of_day = self.of_day(meant.day)
        if of_day.count(product) != 1:
            return None
        others = [other for other in of_day if other != product]
        return _vague_name(rng, product, others)

    def meant_of(self, vague: str, of_day: Sequence[Product]) -> str | None:
        """The product of a day that a vague name clearly means, an empty text where it means none;
        None where that is not clear.
        """
        near = [product for product in of_day if closeness(vague, product) > CLOSE - APART]
        if not near:
            return "" if not any(_could_mean(vague, product) for product in of_day) else None
        product = near[0]
        others = [other for other in of_day if other != product]
        clear = len(near) == 1 and is_vague(vague, product, others)
        return product.id if clear else None

    def days(self) -> dict[date, list[Product]]:
        """The days of its orders, the earliest first, with the products of each, each as often as
        it was ordered.
        """
        found: dict[date, list[Product]] = {}
        for item in sorted(self.own, key=lambda item: item.day):
            found.setdefault(item.day, []).append(self.story.products[item.product])
        return found

    def vague_names(self) -> list["VagueName"]:
        """All vague names of what it bought, in the order of the alphabet."""
        words: set[str] = set()
        for item in self.own:
            words.update(_forms(self.story.products[item.product]))
        days = self.days()
        return [self._called(vague, days) for vague in sorted(words)]

    def _called(self, vague: str, days: Mapping[date, Sequence[Product]]) -> "VagueName":
        """What a name means on each of the days."""
        meant, nothing, hidden = {}, [], set()
        for day, of_day in days.items():
            product = self.meant_of(vague, of_day)
            if product:
                meant[day] = product
                if product != min(other.id for other in of_day):
                    hidden.add(day)
            elif product is not None:
                nothing.append(day)
        return VagueName(self, vague, meant, tuple(nothing), frozenset(hidden))


@dataclass(frozen=True, slots=True)
class VagueName:
    """A vague name and what it means to a buyer: the product of each day on which it means one, the
    days on which it means nothing; `hidden` are those on which the product is not the first that
    somebody finds who takes any of the day.
    """

    buyer: Buyer
    words: str
    meant: Mapping[date, str]
    nothing: tuple[date, ...]
    hidden: frozenset[date]

    def rivals(self, day: date) -> list[date]:
        """The other days on which it means another product, the earliest first."""
        product = self.meant[day]
        return sorted(other for other, meant in self.meant.items() if meant != product)

    def outlived(self, day: date) -> date:
        """The first later day on which it means another product; the day itself where there is
        none.
        """
        return min((rival for rival in self.rivals(day) if rival > day), default=day)

    def hardness(self, day: date) -> int:
        """How many ways to skip a part of the question lead to another product: any item of the
        day, the first that fits of any day, the last that fits.
        """
        later = any(rival > day for rival in self.rivals(day))
        return (day in self.hidden) + self.is_behind(day) + later

    def is_behind(self, day: date) -> bool:
        """Whether it means a product on another day that comes before that of the day: somebody
        who skips the day finds that one.
        """
        return any(self.meant[rival] < self.meant[day] for rival in self.rivals(day))


@lru_cache(maxsize=100_000)  # an org has some hundred products, and as many names for them
def closeness(vague: str, product: Product) -> float:
    """From 0 to 100: how many of the vague name's words the product's name and family share,
    plurals aside.
    """
    return fuzz.token_set_ratio(stems(vague), stems(f"{product.name} {product.family}"))


@lru_cache(maxsize=10_000)
def stems(text: str) -> str:
    """The text in small letters, without marks, plural endings cut."""
    words = utils.default_process(text).split()
    return " ".join(word.removesuffix("s") if len(word) > 3 else word for word in words)


def asked_on(
    story: Story,
    rng: Random,
    day: date,
    after: date | None = None,
) -> tuple[str, date] | None:
    """An interval and the day on which that much earlier is `day`, later than `after`; None where
    there is none in the period.
    """
    if day.day > LAST_SAFE_DAY:
        return None
    units = sorted(SPANS)
    rng.shuffle(units)
    for unit in units:
        low, high = SPANS[unit]
        found = []
        for count in range(low, high + 1):
            today = before(day, unit, -count)
            if (after or day) < today <= story.last:
                found.append((interval_of(count, unit), today))
        if found:
            return rng.choice(found)
    return None


def asked_like(
    story: Story,
    rng: Random,
    day: date,
    asked: tuple[str, date],
) -> tuple[str, date] | None:
    """The interval from another day to the day on which it was asked, or the same interval with
    the day on which it leads to that day; None where neither is possible.
    """
    interval, today = asked
    units = sorted(SPANS)
    rng.shuffle(units)
    for unit in units:
        low, high = SPANS[unit]
        for count in range(low, high + 1):
            if before(today, unit, count) == day:
                return interval_of(count, unit), today
    number, unit = interval.removesuffix("s").split(" ")
    later = before(day, unit, -int(number))
    leads_back = before(later, unit, int(number)) == day and later.day <= LAST_SAFE_DAY
    return (interval, later) if leads_back and later <= story.last else None


def interval_of(count: int, unit: str) -> str:
    """`1 week`, `3 weeks`."""
    plural = "s" if count > 1 else ""
    return f"{count} {unit}{plural}"


def is_vague(
    vague: str,
    meant: Product,
    others: Sequence[Product],
) -> bool:
    """Whether it is not the product's name, fits it, and means none of the others even to somebody
    who speaks loosely.
    """
    named = vague.casefold() in meant.name.casefold()
    loosely = any(_could_mean(vague, other) for other in others)
    return not named and not loosely and _fits(vague, meant, others)


def _vague_name(
    rng: Random,
    meant: Product,
    others: Sequence[Product],
) -> str | None:
    """A way to speak of the product that is not its name, close to it and clearly less so to every
    other one; most often a noun alone.
    """
    forms = _forms(meant)
    rng.shuffle(forms)
    bare = rng.random() < BARE
    forms.sort(key=lambda form: (form in meant.shorts) != bare)
    fitting = (form for form in forms if is_vague(form, meant, others))
    return next(fitting, None)


def _fits(
    vague: str,
    meant: Product,
    others: Sequence[Product],
) -> bool:
    """Whether the name is close to the product, and clearly less so to every other one."""
    own = closeness(vague, meant)
    rivals = [closeness(vague, other) for other in others]
    apart = own - max(rivals, default=0.0) >= APART
    return own >= CLOSE and apart and _most_words(vague, meant, others)


def _could_mean(vague: str, product: Product) -> bool:
    """Whether somebody who speaks loosely could mean the product."""
    loose = _loose_words(vague)
    return bool(loose) and not loose.isdisjoint(_stems_of(product))


@lru_cache(maxsize=10_000)
def _loose_words(vague: str) -> set[str]:
    """The words of product names that somebody may mean who says it loosely."""
    noun = vague.casefold().split()[-1].removesuffix("s")
    return LOOSE.get(noun, set())


def _most_words(
    vague: str,
    meant: Product,
    others: Sequence[Product],
) -> bool:
    """Whether more than half of its words stand in the product's name or family, and fewer of them
    in every other one's.
    """
    words = set(stems(vague).split())
    own = len(words & _stems_of(meant))
    if 2 * own <= len(words):
        return False
    rivals = [other for other in others if other.id != meant.id]
    return all(len(words & _stems_of(rival)) < own for rival in rivals)


@lru_cache(maxsize=10_000)  # of each product it is asked for every name and day
def _stems_of(product: Product) -> frozenset[str]:
    return frozenset(stems(f"{product.name} {product.family}").split())


def _forms(product: Product) -> list[str]:
    """The vague noun alone, or with the first word of the name before it.

    A noun that has little to do with name and family is left out.
    """
    series = product.name.split()[0]
    known = _stems_of(product)
    nouns = list(_fitting_nouns(product, known))
    if not series.isalpha():
        return nouns
    return [*nouns, *(f"{series} {noun}" for noun in nouns)]


def _fitting_nouns(product: Product, known: frozenset[str]) -> Iterator[str]:
    for noun in product.shorts:
        words = stems(noun).split()
        if 2 * len(set(words) & known) > len(words):
            yield noun
