"""No real person's data: e-mail addresses only at reserved domains, phones only from fiction.

Card numbers and social security numbers are refused altogether. Reserved domains are those of
RFC 2606 (.example, .test, .invalid, .localhost, example.com/.org/.net); 555-0100 to 555-0199 are
the numbers that the North American plan keeps for fiction, and other countries have ranges of their
own.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain

from schemas.model import Schema
from verifiers.columns import blocks_of, texts_in
from verifiers.material import WrittenText
from verifiers.tongue import Tongue, tongue_of
from verifiers.verdict import PASS, Finding, Verdict, fail, finding_of

EMAIL = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)")
RESERVED = re.compile(
    r"(?:^|\.)(?:example|test|invalid|localhost)$|(?:^|\.)example\.(?:com|org|net)$"
)
# What may be one of the three below, which are sought in such numbers alone. A phone may begin a
# few signs earlier, as in `+1 (555) 010-0123`; the sign behind it tells whether it ends there.
NUMBER = re.compile(r"\d{2}[\d ().-]{4,}\d")
BEFORE = 6
BEHIND = 1
PHONE = re.compile(r"(?<![\d-])(?:\+?1[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d)")
PHONE_OK = re.compile(r"555[ .-]01\d\d$")
CARD = re.compile(r"(?<![\w-])(?:\d[ -]?){13,19}(?![\w-])")
# A card's own groups, which may stand right behind another number.
GROUPED_CARD = re.compile(r"(?<!\d)\d{4}[ -](?:(?:\d{4}[ -]){2}\d{4}|\d{6}[ -]\d{5})(?!\d)")
SSN = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")

# The datetimes of a record, of which no part is any of these: a third of an org's columns.
DATETIMES = re.compile(r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000\+0000(?:\n|\Z))+")

# Texts of an org looked through at once: a column of short ones costs one search, not thousands.
AT_ONCE = 1_000

LEAST_DIGITS = 9
"""Of a number with its area code; what has fewer is a time or a part of a file's name."""

NAME = "privacy"
SAYS = (
    "E-mails only at reserved domains, phones only from ranges kept for fiction, no card or account"
    " numbers."
)


def verify_privacy(written: WrittenText) -> Verdict:
    """Fails at the first address, phone or number that could be a real one's."""
    text, path = written.text, written.path
    for address in _addresses(text):
        if not RESERVED.search(address.group(1).lower()):
            where = f"{address.group(0)!r} is at a domain not reserved for examples"
            return fail(f"privacy: {where}", path)
    # Each once: the days of a thousand datetimes are few.
    numbers = "\n".join(dict.fromkeys(_numbers(text)))
    phone = _real_phone(numbers, written.tongue)
    if phone:
        return fail(f"privacy: {phone!r} is not a number kept for fiction", path)
    cards = chain(CARD.finditer(numbers), GROUPED_CARD.finditer(numbers))
    if any(_passes_luhn(card.group(0)) for card in cards):
        return fail("privacy: holds what may be a card number", path)
    if SSN.search(numbers):
        return fail("privacy: holds what may be a social security number", path)
    return PASS


def verify_org_privacy(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    """One finding on all texts of an org; its examples name the object type and the field."""
    tried = 0
    failed: list[Verdict] = []
    tongue = tongue_of(schema.locale)
    for item in schema.objects:
        for field in item.fields:
            if field.type not in ("string", "array") or field.reference or field.name == "Id":
                continue
            texts = texts_in(db, item.name, field.name, distinct=True)
            for some in blocks_of(texts, AT_ONCE):
                tried += len(some)
                failed += _failed(some, f"{item.name}.{field.name}", tongue)
    yield finding_of(NAME, SAYS, tried, failed)


def _failed(texts: Sequence[str], path: str, tongue: Tongue | None) -> list[Verdict]:
    """The failing verdicts among texts, which are looked through as one where all is well.

    No address and no number reaches over the end of a line.
    """
    if DATETIMES.fullmatch("\n".join(texts)):
        return []
    if not verify_privacy(WrittenText("\n".join(texts), path, tongue=tongue)).failed:
        return []
    verdicts = [verify_privacy(WrittenText(text, path, tongue=tongue)) for text in texts]
    return [verdict for verdict in verdicts if verdict.failed]


def _real_phone(text: str, tongue: Tongue | None) -> str:
    """The first telephone number that may be somebody's; "" where there is none."""
    country = None if tongue is None else tongue.country
    if country is None or not country.phones.found:
        for found in PHONE.finditer(text):
            if not PHONE_OK.search(found.group(0)):
                return found.group(0)
        return ""
    for found in re.finditer(country.phones.found, text):
        digits = sum(sign.isdigit() for sign in found.group(0))
        if digits >= LEAST_DIGITS and not country.is_fictional(found.group(0)):
            return found.group(0)
    return ""


def _addresses(text: str) -> Iterator[re.Match[str]]:
    # The pattern would try every letter; a word without the sign has no address.
    words = text.split() if "@" in text else ()
    for word in words:
        if "@" in word:
            yield from EMAIL.finditer(word)


def _numbers(text: str) -> Iterator[str]:
    """Yields each longer number with the signs around it."""
    for number in NUMBER.finditer(text):
        yield text[max(number.start() - BEFORE, 0) : number.end() + BEHIND]


def _passes_luhn(number: str) -> bool:
    """Luhn's sum, which every card number passes and one in ten other numbers does."""
    digits = [int(sign) for sign in number if sign.isdigit()]
    digits.reverse()
    total = sum(digits[::2])
    for digit in digits[1::2]:
        total += sum(divmod(2 * digit, 10))
    return total % 10 == 0
