"""No real person's data: e-mail addresses only at reserved domains, phones only 555-01xx, no card
or account numbers.

Works on any text; reserved domains are those of RFC 2606 (.example, .test, .invalid,
example.com/.org/.net).
"""

import re

from verifiers.verdict import PASS, Verdict, fail

EMAIL = re.compile(r"[\w.+-]+@([\w-]+(?:\.[\w-]+)+)")
PHONE = re.compile(r"(?<![\d-])(?:\+?1[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]\d{4}(?!\d)")
PHONE_OK = re.compile(r"555[ .-]01\d\d$")
CARD = re.compile(r"(?<![\w-])(?:\d[ -]?){13,19}(?![\w-])")
RESERVED = re.compile(
    r"(?:^|\.)(?:example|test|invalid|localhost)$|(?:^|\.)example\.(?:com|org|net)$"
)
NUMBER = re.compile(r"\d{2}[\d ().-]{4,}\d")
SSN = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")


def verify_privacy(text: str, path: str = "") -> Verdict:
    """Fails at the first address, phone or number that could be a real one's."""
    for found in EMAIL.finditer(text) if "@" in text else ():
        if not RESERVED.search(found.group(1).lower()):
            return fail(
                f"privacy: {found.group(0)!r} is at a domain not reserved for examples", path
            )
    if not NUMBER.search(text):
        return PASS
    for found in PHONE.finditer(text):
        if not PHONE_OK.search(found.group(0)):
            return fail(f"privacy: {found.group(0)!r} is not a 555-01xx number", path)
    if any(_luhn(card.group(0)) for card in CARD.finditer(text)):
        return fail("privacy: holds what may be a card number", path)
    if SSN.search(text):
        return fail("privacy: holds what may be a social security number", path)
    return PASS


def _luhn(number: str) -> bool:
    digits = [int(sign) for sign in number if sign.isdigit()][::-1]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + doubled) % 10 == 0
