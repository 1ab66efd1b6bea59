"""Salesforce-shaped record ids: 15 base-62 characters and 3 check characters; and the names that
records have within an upload.

The 15 are the object type's key prefix (3), a marker (5) and a running number (7). The marker tells
a local id from one of a real CRM. Example: `make_ids("001", 1)[0] == "001zz0000000001AAA"`.

Plain Python: whoever serves, reads or uploads an org needs a few ids and no numpy, whose import
takes longer than all of them. `id_column` makes a whole table's.
"""

MARKER = "zz000"
NUMBER_LENGTH = 7
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
CHECKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
"""What each of the 32 sums of a check character is written as."""


def make_ids(prefix: str, count: int, first: int = 1, marker: str = MARKER) -> list[str]:
    """`count` ids of 18 characters, unique and rising; the running numbers begin with `first`."""
    begin = prefix + marker
    return [to_18(begin + _digits(number)) for number in range(first, first + count)]


def to_18(short: str) -> str:
    """A 15-character id with its check characters.

    Example: `to_18("001M000000qfPyS") == "001M000000qfPySIAU"`.
    """
    return short + _check(short[:5]) + _check(short[5:10]) + _check(short[10:])


def reference_id(name: str, row: int) -> str:
    """The name of a record within the upload: `AccountRef12` (rows count from 1)."""
    return f"{name}Ref{row + 1}"


def _digits(number: int) -> str:
    """A running number in base 62, with its leading zeros."""
    text = ""
    for _ in range(NUMBER_LENGTH):
        number, digit = divmod(number, 62)
        text = DIGITS[digit] + text
    return text


def _check(five: str) -> str:
    """The check character of five: a bit is set for every capital letter among them.

    So ids which differ only in capitals differ in their check characters.
    """
    return CHECKS[sum(1 << place for place, sign in enumerate(five) if "A" <= sign <= "Z")]
