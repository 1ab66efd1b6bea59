"""CustomerFile: what the company has on file of its customers, and in whose name.

It draws `customers`: how openly each one tells of themselves, which of their telephones, birth
date, profession and addresses the CRM holds, how it says they came, notes of the staff, and the
user who owns the record; `contacts`: the person behind each customer and, at firms, their
colleagues; and `orders`: the user who owns each. What is missing is missing for a reason: a shop
asks for less than a checkout on the web, and some people leave out what they may.
It is drawn from Household (what there is to know), ShoppingHabit (the channel), ComplaintHabit
(who has written in has a mail address) and Workforce (the users).
It drives the optional fields of accounts and contacts, and who owns accounts and orders.
It changes nothing that customers do.
"""

import sqlite3
from collections.abc import Mapping

import numpy as np

from latent.colleagues import ADDRESS_PARTS, COPIED, contacts_table
from latent.draws import only
from latent.elapsed import DAYS_A_YEAR
from latent.firms import firms as all_firms
from latent.notes import noted
from latent.organizations import Organizations, organizations
from latent.record_owners import account_creators, account_owners, order_owners
from latent.statistics import correlation
from latent.variable import Effect
from pipeline.world.org import Org, RunContext
from pipeline.world.streams import Stream
from pipeline.world.tables import Array, Table, strings, table

# How openly people tell of themselves: beta(2, 2), most of them so-so.
OPENNESS_SHAPE = (2.0, 2.0)

# A telephone at home: one in two has one at 52, hardly anybody at 30 (National Center for Health
# Statistics, Wireless Substitution 2022: 29 % of adults).
HALF_AT = 56
AGE_SPREAD = 9.0

# Chances that a field is filled: the least, and what openness adds. Chosen by eye, so that optional
# fields are 20 to 90 % full, as in customer data that several channels feed.
HOME_PHONE = (0.45, 0.5)
MOBILE = (0.35, 0.5)
MAILING = (0.45, 0.5)
LEAD_SOURCE = (0.75, 0.4)
# In person less is asked for: fields are filled with these shares of the chances above, a billing
# address with this one, and who never wrote in may have left no mail address.
IN_PERSON = 0.6
BILLING_IN_PERSON = 0.55
EMAIL_IN_PERSON = 0.6

# Staff write a note on one customer in ten, on a contact less often.
NOTED = 0.09
CONTACT_NOTED = 0.04

OPENNESS_AND_FIELDS = """
    SELECT f.openness, (t.Phone IS NOT NULL) + (t.MobilePhone IS NOT NULL)
        + (t.MailingStreet IS NOT NULL) + (t.LeadSource IS NOT NULL)
    FROM Contact t
    JOIN latent."CustomerFile.customers" f ON f.Id = t.AccountId
"""


class CustomerFile:
    """What is on file of each customer."""

    name = "CustomerFile"
    reads: tuple[str, ...] = ("Household", "ShoppingHabit", "ComplaintHabit", "Workforce")
    tables: Mapping[str, tuple[str, ...]] = {
        "customers": (
            "Id",
            "openness",
            "in_person",
            "source",
            "lead_source",
            "given",
            "surname",
            "name",
            "email",
            "person_email",
            "phone",
            "home_phone",
            "mobile",
            "birthdate",
            "title",
            "billing_street",
            "billing_city",
            "billing_state",
            "billing_postal",
            "billing_country",
            "mailing_street",
            "mailing_city",
            "mailing_state",
            "mailing_postal",
            "mailing_country",
            "private",
            "line",
            "industry",
            "note",
            "contact_note",
            "owner",
            "creator",
        ),
        "contacts": (
            "Id",
            "account",
            "since",
            *COPIED,
            *(f"mailing_{part}" for part in ADDRESS_PARTS),
            "note",
        ),
        "orders": ("Id", "owner"),
    }
    drives = ("Account", "Contact", "Order.OwnerId")
    references: Mapping[str, str] = {"owner": "User"}

    def draw(self, org: Org) -> tuple[Table, ...]:
        """One row a customer; nothing of it is blank that a case needs."""
        setting = org.setting
        rng = setting.stream("CustomerFile", "fields")
        people = org.table("Household.customers")
        habits = org.table("ShoppingHabit.customers")
        size = people.size
        openness = rng.beta(*OPENNESS_SHAPE, size=size)
        in_person = _in_person(setting, habits["channel"])
        filled = _Filling(rng, openness, in_person)
        source = _sources(rng, setting, habits["channel"])
        wrote = np.bincount(org.table("ComplaintHabit.cases")["account"], minlength=size) > 0
        has_email = wrote | ~in_person | (rng.random(size) < EMAIL_IN_PERSON)
        firms = _firms_among(setting, people, habits["segment"])
        private = firms.private
        has_line = np.array([line is not None for line in firms.line], dtype=bool)
        born = _birthdates(rng, setting, people["born"])
        columns = table(
            "CustomerFile.customers",
            {"Id": "Account", "owner": "User", "creator": "User"},
            Id=np.arange(size),
            openness=np.round(openness, 3),
            in_person=in_person,
            source=source,
            lead_source=filled(source, LEAD_SOURCE),
            given=only(private, people["given"]),
            surname=only(private, people["surname"]),
            name=np.where(private, _full_names(setting, people), firms.name),
            email=only(has_email, _mailboxes(firms, people)),
            person_email=only(has_email & private, people["email"]),
            **_telephones_on_file(rng, setting, people, filled),
            birthdate=np.where(private, born, np.datetime64("NaT", "D")),
            title=np.where(private, _titles(rng, setting, people["household"]), firms.title),
            **_addresses_on_file(rng, setting, people, in_person, filled),
            private=private,
            line=firms.line,
            industry=firms.industry,
            note=np.where(private, _notes(rng, setting, size, NOTED), firms.note),
            contact_note=only(private | has_line, _notes(rng, setting, size, CONTACT_NOTED)),
            owner=account_owners(rng, org, size),
            creator=account_creators(org),
        )
        return columns, contacts_table(org, columns), _orders(org, columns["owner"])

    def effects(self, org: sqlite3.Connection) -> tuple[Effect, ...]:
        """Openness against the number of filled fields."""
        rows = org.execute(OPENNESS_AND_FIELDS).fetchall()
        says = "customers who tell more of themselves have more fields filled"
        return (correlation(self.name, says, rows),)


def _orders(org: Org, accounts: Array) -> Table:
    """`CustomerFile.orders`: who owns each; `accounts` says who owns the accounts."""
    owners = order_owners(org, accounts)
    return table(
        "CustomerFile.orders",
        {"Id": "Order", "owner": "User"},
        Id=np.arange(len(owners)),
        owner=owners,
    )


class _Filling:
    """Leaves values out, by how open a customer is and how they came."""

    def __init__(self, rng: Stream, openness: Array, in_person: Array) -> None:
        self._rng = rng
        self._openness = openness
        self._asked = np.where(in_person, IN_PERSON, 1.0)

    def __call__(self, values: Array, chances: tuple[float, float]) -> Array:
        """The values that are on file, None for the others."""
        return only(self.known(chances), values)

    def known(self, chances: tuple[float, float]) -> Array:
        """Whether a value is on file, for each customer."""
        least, more = chances
        chance = (least + more * self._openness) * self._asked
        return np.asarray(self._rng.random(len(chance)) < chance)


def _firms_among(setting: RunContext, people: Table, segments: Array) -> Organizations:
    """Who is a firm or a club: all customers of a trade that sells to firms, else some of them."""
    rng = setting.stream("CustomerFile", "firms")
    if setting.world.trade.buying.firms is None:
        return organizations(rng, setting, people, segments, NOTED)
    return all_firms(rng, setting, people, NOTED)


def _in_person(setting: RunContext, channels: Array) -> Array:
    """Whether customers came to a shop, branch or counter."""
    in_person = np.zeros(len(channels), dtype=bool)
    for channel in setting.world.trade.channels:
        if channel.in_person:
            in_person |= channels == channel.name
    return in_person


def _sources(rng: Stream, setting: RunContext, channels: Array) -> Array:
    """What the CRM says of how each customer came."""
    listed = setting.world.trade.buying.sources
    sources = channels.copy()
    for channel in np.unique(channels.astype(str)):
        weights = listed.get(channel)
        rows = np.flatnonzero(channels == channel)
        if weights:
            shares = np.array(list(weights.values()))
            drawn = rng.choice(len(shares), size=len(rows), p=shares / shares.sum())
            sources[rows] = strings(list(weights))[drawn]
    return sources


def _telephones_on_file(
    rng: Stream,
    setting: RunContext,
    people: Table,
    filled: _Filling,
) -> dict[str, Array]:
    """Home and mobile telephone of the contact; the account has the first of them."""
    age = (setting.last_day - people["born"]).astype(float) / DAYS_A_YEAR
    has_home = rng.random(people.size) < 1 / (1 + np.exp((HALF_AT - age) / AGE_SPREAD))
    home_known = has_home & filled.known(HOME_PHONE)
    mobile_known = filled.known(MOBILE)
    if setting.world.trade.contact.identifies:
        # A desk that asks for the digits of the telephone on file has one of everybody.
        mobile_known |= ~home_known
    # The young are called on the mobile telephone, the others at home, if both are on file.
    by_mobile = mobile_known & ((age < HALF_AT) | ~home_known)
    main = np.where(by_mobile, people["mobile"], people["phone"])
    return {
        "phone": only(home_known | mobile_known, main),
        "home_phone": only(home_known, people["phone"]),
        "mobile": only(mobile_known, people["mobile"]),
    }


def _mailboxes(firms: Organizations, people: Table) -> Array:
    """The firm's address where it has one, else that of the person who acts for it."""
    personal = np.array([address is None for address in firms.email], dtype=bool)
    return np.where(personal, people["email"], firms.email)


def _birthdates(rng: Stream, setting: RunContext, born: Array) -> Array:
    known = rng.random(len(born)) < setting.world.trade.buying.birthdates
    return np.where(known, born, np.datetime64("NaT", "D"))


def _full_names(setting: RunContext, people: Table) -> Array:
    form = setting.country.full_name
    names = zip(people["given"], people["surname"], strict=True)
    return strings([form.format(FirstName=given, LastName=surname) for given, surname in names])


def _titles(rng: Stream, setting: RunContext, households: Array) -> Array:
    """What customers are: as the trade says where they act for firms, else any profession."""
    roles = setting.world.trade.buying.roles
    professions = strings(list(roles or setting.country.people.professions))
    drawn = professions[rng.integers(0, len(professions), size=len(households))]
    if not roles:
        drawn = np.where(households == "retired", setting.country.people.retired, drawn)
    known = rng.random(len(households)) < setting.world.trade.buying.titles
    return only(known, drawn)


def _addresses_on_file(
    rng: Stream,
    setting: RunContext,
    people: Table,
    in_person: Array,
    filled: _Filling,
) -> dict[str, Array]:
    """The billing address, which a shop may not ask for, and the mailing address of the contact."""
    billed = ~in_person | (rng.random(people.size) < BILLING_IN_PERSON)
    mailed = filled.known(MAILING)
    country = np.full(people.size, setting.country.country, dtype=object)
    columns = {}
    for part in ("street", "city", "state", "postal"):
        billing = people["billing_street"] if part == "street" else people[part]
        columns[f"billing_{part}"] = only(billed, billing)
        columns[f"mailing_{part}"] = only(mailed, people[part])
    columns["billing_country"] = only(billed, country)
    columns["mailing_country"] = only(mailed, country)
    return columns


def _notes(rng: Stream, setting: RunContext, size: int, share: float) -> Array:
    """A note of the staff for so many customers, None for the others."""
    return noted(rng, setting.world.trade.buying.notes, size, share)
