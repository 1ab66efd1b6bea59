"""No real person's data: e-mail addresses only at reserved domains, phones only 555-01xx.

Card numbers and social security numbers are refused altogether. Reserved domains are those of
RFC 2606 (.example, .test, .invalid, .localhost, example.com/.org/.net); 555-0100 to 555-0199 are
the numbers that the North American plan keeps for fiction.
"""

import re
import sqlite3
from collections.abc import Iterator

from schemas.model import Schema
from verifiers.columns import texts_in
from verifiers.material import WrittenText
from verifiers.verdict import PASS, Finding, Verdict, fail, finding_of

EMAIL = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)")
RESERVED = re.compile(
    r"(?:^|\.)(?:example|test|invalid|localhost)$|(?:^|\.)example\.(?:com|org|net)$"
)
# Most texts hold no number this long: they need none of the three searches below.
NUMBER = re.compile(r"\d{2}[\d ().-]{4,}\d")
PHONE = re.compile(r"(?<![\d-])(?:\+?1[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d)")
PHONE_OK = re.compile(r"555[ .-]01\d\d$")
CARD = re.compile(r"(?<![\w-])(?:\d[ -]?){13,19}(?![\w-])")
SSN = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")

NAME = "privacy"
SAYS = "E-mails only at reserved domains, phones only 555-01xx, no card or account numbers."


def verify_privacy(written: WrittenText) -> Verdict:
    """Fails at the first address, phone or number that could be a real one's."""
    text, path = written.text, written.path
    for address in _addresses(text):
        if not RESERVED.search(address.group(1).lower()):
            where = f"{address.group(0)!r} is at a domain not reserved for examples"
            return fail(f"privacy: {where}", path)
    if not NUMBER.search(text):
        return PASS
    for phone in PHONE.finditer(text):
        if not PHONE_OK.search(phone.group(0)):
            return fail(f"privacy: {phone.group(0)!r} is not a 555-01xx number", path)
    if any(_passes_luhn(card.group(0)) for card in CARD.finditer(text)):
        return fail("privacy: holds what may be a card number", path)
    if SSN.search(text):
        return fail("privacy: holds what may be a social security number", path)
    return PASS


def verify_org_privacy(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    """One finding on all texts of an org; its examples name the object type and the field."""
    tried = 0
    failed: list[Verdict] = []
    for item in schema.objects:
        for field in item.fields:
            if field.type not in ("string", "array") or field.reference or field.name == "Id":
                continue
            for text in texts_in(db, item.name, field.name, distinct=True):
                tried += 1
                verdict = verify_privacy(WrittenText(text, f"{item.name}.{field.name}"))
                if verdict.failed:
                    failed.append(verdict)
    yield finding_of(NAME, SAYS, tried, failed)


def _addresses(text: str) -> Iterator[re.Match[str]]:
    # The pattern tries every word; a text without the sign has no address.
    if "@" in text:
        yield from EMAIL.finditer(text)


def _passes_luhn(number: str) -> bool:
    """Luhn's sum, which every card number passes and one in ten other numbers does."""
    digits = [int(sign) for sign in number if sign.isdigit()]
    digits.reverse()
    total = sum(digits[::2])
    for digit in digits[1::2]:
        total += sum(divmod(2 * digit, 10))
    return total % 10 == 0
