"""Household: who the customers are, where they live and have lived, and what they own.

It draws `customers` (person, household, present addresses, telephones, mail address), `addresses`
(each home with its first day, and another address where there is one) and `devices` (one or two a
customer, each with a platform and a browser that runs on it).
It is drawn from the number of accounts, the trade's ages, and the places and the names of the
country.
It drives names, addresses, telephones and birth dates of accounts and contacts, where orders go,
and from what customers chat.
It knows nothing of what they buy.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.draws import labels
from latent.elapsed import DAYS_A_YEAR
from latent.people import draw_people
from latent.postal_codes import postal_codes
from latent.statistics import difference, shares
from latent.streets import boxes, street_lines
from latent.telephones import Directory, most_numbers
from latent.territory import place_weights
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table
from schemas.gazetteer import City

YOUNGEST = 18
OLDEST = 88

# Kinds of households by the customer's age (US Census, America's Families and Living Arrangements
# 2022, rounded): children are commonest from 28 to 52, and from 67 most people are retired.
FAMILY_AGES = (28, 52)
RETIRED_FROM = 67
FAMILY_SHARE = 0.52
FAMILY_OTHERWISE = 0.12
SINGLE_SHARE = 0.42
CHILDREN = {1: 0.4, 2: 0.38, 3: 0.15, 4: 0.07}

# Nine in a hundred Americans move in a year (US Census, Current Population Survey 2021): six of ten
# within their county, two within the state, two to another state.
MOVES_A_YEAR = 0.09
MOVES = {"city": 0.6, "state": 0.2, "country": 0.2}

# Of a hundred customers three live with another one whose name they share: couples, and grown-up
# children. Chosen by eye.
SAME_HOME = 0.03

# One customer in ten has things sent elsewhere: to work, or to somebody else. Three in a hundred
# have their bills sent to a post office box. Chosen by eye.
ELSEWHERE = 0.1
AT_WORK = 0.6
BOX = 0.03

# People keep their number when they move (Pew Research Center 2016: one mobile number in ten is of
# another state, one in four of another place). Who came from another state mostly has one from
# there; a second number is of the same place with 17 in 20.
FOREIGN_CODE = 0.19
FOREIGN_AFTER_MOVE = 0.75
OWN_CODE = 0.85

# What people own, by eye after StatCounter's shares of platforms and browsers in the US, 2022.
PHONES = {"iOS": 0.57, "Android": 0.43}
COMPUTERS = {"Windows": 0.64, "macOS": 0.29, "ChromeOS": 0.05, "Linux": 0.02}
BROWSERS = {
    "iOS": {"Safari": 0.91, "Chrome": 0.09},
    "Android": {"Chrome": 0.87, "Samsung Internet": 0.11, "Firefox": 0.02},
    "Windows": {"Chrome": 0.66, "Edge": 0.23, "Firefox": 0.11},
    "macOS": {"Safari": 0.52, "Chrome": 0.4, "Firefox": 0.08},
    "ChromeOS": {"Chrome": 1.0},
    "Linux": {"Firefox": 0.55, "Chrome": 0.45},
}
# How much of what somebody does on the web is done by phone: nine tenths at twenty, a fifth at
# seventy-five. Who does nearly all on one kind of device has no other here.
PHONE_AT_TWENTY = 0.88
PHONE_LOST_A_YEAR = 0.0125
PHONE_SPREAD = 0.16
PHONE_SHARES = (0.02, 0.98)
# Who writes for a firm mostly sits at a desk, at any age: a third of the visits of business
# software are by phone, against six in ten of all (StatCounter, 2023; the third by eye).
LESS_AT_WORK = 0.28
ONE_DEVICE = 0.2

ORDERS_OF_MOVERS = """
    SELECT o.EffectiveDate < h.moved, o.BillingPostalCode || o.BillingStreet
        <> a.BillingPostalCode || a.BillingStreet
    FROM "Order" o
    JOIN Account a ON a.Id = o.AccountId
    JOIN latent."Household.customers" h ON h.Id = o.AccountId
    WHERE h.moved IS NOT NULL AND NOT h.box
"""
AGES_AND_PHONES = """
    SELECT t.Phone IS NOT NULL, -substr(h.born, 1, 4)
    FROM Contact t
    JOIN latent."Household.customers" h ON h.Id = t.AccountId
"""


class Household:
    """The customers as people."""

    name = "Household"
    reads: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": (
            "Id",
            "given",
            "surname",
            "gender",
            "culture",
            "born",
            "household",
            "size",
            "email",
            "phone",
            "mobile",
            "street",
            "city",
            "state",
            "postal",
            "zone",
            "moved",
            "box",
            "billing_street",
            "elsewhere",
            "ship_street",
            "ship_city",
            "ship_state",
            "ship_postal",
            "by_phone",
        ),
        "addresses": ("account", "since", "street", "city", "state", "postal"),
        "devices": ("account", "device", "platform", "browser", "use"),
    }
    drives = ("Account", "Contact", "Order.ShippingStreet", "LiveChatTranscript.Platform")
    references: Mapping[str, str] = {}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """People with a home each; as many as there are accounts."""
        setting = org.setting
        size = setting.some("Account")
        rng = setting.stream("Household", "people")
        age = _ages(rng, setting, size)
        born = setting.last_day - np.round(age * DAYS_A_YEAR).astype("timedelta64[D]")
        years = born.astype("datetime64[Y]").astype(int) + 1970
        family = _families(setting, size)
        names = setting.own_stream("Household", "names")
        people = draw_people(
            names,
            setting.country,
            years,
            family,
        )
        by_phone = _phone_share(rng, setting, age)
        homes = _Homes(setting, size, family)
        customers = table(
            "Household.customers",
            {"Id": "Account"},
            Id=np.arange(size),
            given=people.given,
            surname=people.surname,
            gender=people.gender,
            culture=people.culture,
            born=born,
            **_kinds(rng, age),
            email=strings([setting.mailbox(address) for address in people.email.tolist()]),
            **homes.columns(),
            by_phone=by_phone,
        )
        return customers, homes.addresses(), _devices(setting, by_phone)

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Movers' earlier orders, and who has a telephone at home."""
        moved = org.execute(ORDERS_OF_MOVERS).fetchall()
        phones = org.execute(AGES_AND_PHONES).fetchall()
        says = "orders from before a move have an earlier address"
        phones_say = "older customers have a telephone at home on file"
        return (
            shares(self.name, says, moved),
            difference(self.name, phones_say, "years", phones),
        )


def _families(setting: RunContext, size: int) -> Array:
    """The row of the customer with whom each one lives; the own row for most, and for firms."""
    family = np.arange(size)
    if setting.world.trade.buying.roles:
        return family
    rng = setting.stream("Household", "families")
    places = rng.permutation(size)
    pairs = round(size * SAME_HOME / 2)
    family[places[:pairs]] = places[pairs : 2 * pairs]
    return np.asarray(family)


class _Homes:
    """Where customers live, lived and have things sent: row numbers of places, and streets."""

    def __init__(
        self,
        setting: RunContext,
        size: int,
        family: Array,
    ) -> None:
        known = setting.country
        rng = setting.stream("Household", "homes")
        self.size = size
        self.setting = setting
        self.cities = known.places
        weights = place_weights(setting)
        self.home = _cities(rng, weights, size)[family]
        self.moved = _moves(rng, setting, size)[family]
        before = _before(
            rng,
            self.cities,
            weights,
            self.home,
            ~np.isnat(self.moved),
        )
        self.before = before[family]
        self.elsewhere = rng.random(size) < ELSEWHERE
        at_work = rng.random(size) < AT_WORK
        self.other = np.where(at_work, self.home, _cities(rng, weights, size))
        self.street = strings(street_lines(rng, known.streets, size))[family]
        self.street_before = strings(street_lines(rng, known.streets, size))[family]
        self.street_other = strings(street_lines(rng, known.streets, size))
        self.box = rng.random(size) < BOX
        self.boxes = strings(boxes(rng, known.streets, size))
        self.postal = postal_codes(rng, known, self.home)[family]
        self.postal_before = postal_codes(rng, known, self.before)[family]
        self.postal_other = postal_codes(rng, known, self.other)

    def columns(self) -> dict[str, Array]:
        """The present addresses and the telephones of each customer."""
        phone, mobile = _telephones(self.setting, self.home, self.before)
        city = self._named("city", self.home)
        state = self._named("state", self.home)
        away = self.elsewhere
        return {
            "phone": phone,
            "mobile": mobile,
            "street": self.street,
            "city": city,
            "state": state,
            "postal": self.postal,
            "zone": self._named("time_zone", self.home),
            "moved": self.moved,
            "box": self.box,
            "billing_street": np.where(self.box, self.boxes, self.street),
            "elsewhere": away,
            "ship_street": np.where(away, self.street_other, self.street),
            "ship_city": np.where(away, self._named("city", self.other), city),
            "ship_state": np.where(away, self._named("state", self.other), state),
            "ship_postal": np.where(away, self.postal_other, self.postal),
        }

    def addresses(self) -> Table:
        """Every home with its first day; the one before a move since the period's first day."""
        first = np.full(self.size, self.setting.first_day)
        movers = np.flatnonzero(~np.isnat(self.moved))
        since = np.where(np.isnat(self.moved), first, self.moved)
        place = np.concatenate([self.home, self.before[movers]])
        account = np.concatenate([np.arange(self.size), movers])
        order = np.lexsort((np.concatenate([since, first[movers]]), account))
        return table(
            "Household.addresses",
            {"account": "Account"},
            account=account[order],
            since=np.concatenate([since, first[movers]])[order],
            street=np.concatenate([self.street, self.street_before[movers]])[order],
            city=self._named("city", place)[order],
            state=self._named("state", place)[order],
            postal=np.concatenate([self.postal, self.postal_before[movers]])[order],
        )

    def _named(self, part: str, places: Array) -> Array:
        known = strings([getattr(city, part) for city in self.cities])
        return known[places]


def _ages(rng: Stream, setting: RunContext, size: int) -> Array:
    """The customers' ages on the period's last day, in years."""
    mean, spread = setting.world.trade.buying.born
    # A gamma distribution above the youngest age: a hump and a tail of old people.
    above = max(mean - YOUNGEST, 1.0)
    shape = (above / spread) ** 2
    drawn = YOUNGEST + rng.gamma(shape, above / shape, size=size)
    # Who would be older than the oldest is as much younger: cut off, they all had one birthday.
    return np.asarray(np.maximum(OLDEST - np.abs(OLDEST - drawn), YOUNGEST))


def _kinds(rng: Stream, age: Array) -> dict[str, Array]:
    """The kind of each household and how many people live in it."""
    youngest, oldest = FAMILY_AGES
    of_age = (age >= youngest) & (age <= oldest)
    has_children = rng.random(len(age)) < np.where(of_age, FAMILY_SHARE, FAMILY_OTHERWISE)
    alone = rng.random(len(age)) < SINGLE_SHARE
    retired = age >= RETIRED_FROM
    kind = np.where(alone, "single", "couple")
    kind = np.where(retired, "retired", np.where(has_children, "family", kind))
    children = labels(rng, {str(number): share for number, share in CHILDREN.items()}, len(age))
    adults = 2 - alone.astype(int)
    family = kind == "family"
    size = adults + np.where(family, children.astype(int), 0)
    return {"household": kind.astype(object), "size": size}


def _cities(rng: Stream, weights: Array, size: int) -> Array:
    return np.asarray(rng.choice(len(weights), size=size, p=weights / weights.sum()))


def _moves(rng: Stream, setting: RunContext, size: int) -> Array:
    """The day of each customer's move within the period, or none (NaT)."""
    days = int((setting.last_day - setting.first_day).astype(int))
    share = 1 - np.exp(-MOVES_A_YEAR * days / DAYS_A_YEAR)
    moves = rng.random(size) < share
    day = setting.first_day + rng.integers(1, max(days, 2), size=size).astype("timedelta64[D]")
    return np.where(moves, day, np.datetime64("NaT", "D"))


def _before(
    rng: Stream,
    cities: tuple[City, ...],
    weights: Array,
    home: Array,
    moved: Array,
) -> Array:
    """The city that each customer moved from; the present one for who never moved."""
    reach = labels(rng, MOVES, len(home))
    anywhere = _cities(rng, weights, len(home))
    states = np.array([city.state for city in cities])
    points = rng.random(len(home))
    before = home.copy()
    for row in np.flatnonzero(moved & (reach == "state")):
        near = np.flatnonzero(states == states[home[row]])
        before[row] = near[int(points[row] * len(near))]
    return np.where(moved & (reach == "country"), anywhere, before)


def _telephones(setting: RunContext, home: Array, before: Array) -> tuple[Array, Array]:
    """A telephone at home and a mobile one, each with the area code of some city."""
    rng = setting.own_stream("Household", "telephones")
    country = setting.country
    cities = country.places
    size = len(home)
    states = np.array([city.state for city in cities])
    crossed = states[home] != states[before]
    foreign = rng.random(size) < np.where(crossed, FOREIGN_AFTER_MOVE, FOREIGN_CODE)
    everywhere = np.array([city.weight for city in cities])
    origin = np.where(crossed, before, _cities(rng, everywhere, size))
    mobile_place = np.where(foreign, origin, home)
    home_place = np.where(rng.random(size) < OWN_CODE, mobile_place, home)
    points = rng.random((2, size))
    numbers = rng.integers(most_numbers(country), size=(2, size))
    kinds = ((country.phones.home, home_place), (country.phones.mobile, mobile_place))
    phones = []
    directory = Directory(most_numbers(country))
    for row, (forms, places) in enumerate(kinds):
        # Most people with two numbers have both of one area code, as the same point gives.
        texts = []
        for place, point, number in zip(places, points[0], numbers[row], strict=True):
            texts.append(
                directory.own(
                    forms,
                    cities[place].area_codes,
                    float(point),
                    int(number),
                )
            )
        phones.append(strings(texts))
    return phones[0], phones[1]


def _phone_share(rng: Stream, setting: RunContext, age: Array) -> Array:
    usual = PHONE_AT_TWENTY - PHONE_LOST_A_YEAR * (age - 20)
    if setting.world.trade.buying.roles:
        usual = usual - LESS_AT_WORK
    drawn = usual + rng.normal(0, PHONE_SPREAD, size=len(age))
    return np.round(np.clip(drawn, *PHONE_SHARES), 3)


def _devices(setting: RunContext, by_phone: Array) -> Table:
    """A phone, a computer or both for each customer, with how much each is used."""
    rng = setting.stream("Household", "devices")
    size = len(by_phone)
    use = np.stack([by_phone, 1 - by_phone])
    owned = use > ONE_DEVICE
    kinds = (("phone", PHONES), ("computer", COMPUTERS))
    parts: list[dict[str, Array]] = []
    for row, (kind, platforms) in enumerate(kinds):
        platform = labels(rng, platforms, size)
        browser = np.full(size, None, dtype=object)
        for name, browsers in BROWSERS.items():
            rows = np.flatnonzero(platform == name)
            browser[rows] = labels(rng, browsers, len(rows))
        has = np.flatnonzero(owned[row])
        parts.append(
            {
                "account": has,
                "device": np.full(len(has), kind, dtype=object),
                "platform": platform[has],
                "browser": browser[has],
                "use": use[row][has],
            }
        )
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(columns["account"], kind="stable")
    sorted_columns = {name: values[order] for name, values in columns.items()}
    return table("Household.devices", {"account": "Account"}, **sorted_columns)
