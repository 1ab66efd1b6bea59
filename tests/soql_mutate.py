"""Broken SOQL for tests: drawn queries (see `soql_draw`) with tokens dropped, doubled, swapped or
replaced.
"""

import random
import re

from tests.soql_draw import draw_query
from tests.soql_model import PARENTS, TYPES, Rows
from tests.soql_spell import spelled

TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\w+|\s+|.", re.DOTALL)
WORDS = r"""
' " \ ( ) (( )) [ ] , ; : . .. * + - / = != <> < <= >= == % & | { } -- /* # @ é 漢 ٣ null NULL true
TODAY LAST_N_DAYS:3 LAST_N_DAYS:0 LAST_N_YEARS:999999 2023-02-30 2023-01-01 2023-01-01T00:00:00Z
2023-01-01T00:00:00 0000-01-01 9999-12-31T23:59:59+14:00 1 -1 1.5 99999999999999999999 1e5 0x10
'a' 'x\'y' 'bad\q' '\ud800' '' '%' '001zz0000000001AAA' SELECT FROM WHERE AND OR NOT IN LIKE
INCLUDES GROUP ORDER BY HAVING LIMIT OFFSET ASC DESC NULLS FIRST LAST COUNT COUNT() COUNT(Id)
SUM(Id) AVG(Employees) MAX(Description) FIELDS(ALL) CALENDAR_YEAR(CreatedDate) DAY_ONLY(Since)
TYPEOF WHEN THEN ELSE END USING SCOPE WITH FOR VIEW ALL ROWS Id Name Account Case Owner.Name
Account.Owner.Name Account.Account.Name Foo Description Tags__c LinkIds IsDeleted sqlite_master
rowid CreatedDate DISTINCT AS JOIN ROLLUP(Name) CUBE(Rating) ROLLUP CUBE GROUPING(Name) GROUPING
FORMAT(Since) FORMAT(MAX(Employees)) FORMAT toLabel(Rating) toLabel convertCurrency(CreditAmount)
DISTANCE(ShippingAddress,GEOLOCATION(1,-2.5),'mi') DISTANCE(Name,GEOLOCATION(91,x),'m') GEOLOCATION(
mine mine_and_my_groups delegated my_territory USING SCOPE mine DATA CATEGORY a__c AT b__c ABOVE
SECURITY_ENFORCED SNIPPET TRACKING VIEWSTAT UPDATE a.Name c.Account EntityDefinition FieldDefinition
Organization CreatedBy.Name LastModifiedById
"""
NAMES = [
    *(name for fields in TYPES.values() for name in fields),
    *TYPES,
    *(name for parents in PARENTS.values() for name in parents),
    "LinkIds",
    "Owner.Name",
    "Account.Owner.IsActive",
    "Type",
]
VALUES = [
    "'a'",
    "'%'",
    "''",
    "1",
    "0.5",
    "-3",
    "true",
    "null",
    "TODAY",
    "LAST_N_WEEKS:2",
    "2023-01-01",
    "2023-01-01T00:00:00Z",
    "'001zz0000000001AAA'",
    "'001zz0000000001'",
]
OPERATORS = ["=", "!=", "<", "<=", ">", ">=", " LIKE "]
STRANGE = [*WORDS.split(), "\x00", "\n", "\u2028", "\ud800", "\ufeff"]


def broken_query(rng: random.Random, rows: Rows) -> str:
    """A text that is SOQL, or nearly, or no longer."""
    tokens = TOKEN.findall(spelled(draw_query(rng, rows)))
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(tokens)) if tokens else 0
        match rng.randrange(8):
            case 0:
                del tokens[at : at + rng.choice([1, 1, 2, 9])]
            case 1:
                tokens[at:at] = tokens[at : at + rng.choice([1, 3, 20])]
            case 2:
                tokens[at : at + 1] = [rng.choice(STRANGE)]
            case 3:
                tokens.insert(at, " " + rng.choice(STRANGE) + " ")
            case 4 if tokens:
                other = rng.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 5 | 6 | 7 if tokens:
                _replace_in_kind(rng, tokens)
    return "".join(tokens)


def _replace_in_kind(rng: random.Random, tokens: list[str]) -> None:
    """A name for a name, a value for a value, an operator for an operator: still in form, and often
    still right.
    """
    for at in rng.sample(range(len(tokens)), min(12, len(tokens))):
        token = tokens[at]
        pool = (
            NAMES
            if token in NAMES
            else OPERATORS
            if token in OPERATORS
            else VALUES
            if token[0] in "'0123456789"
            else None
        )
        if pool is not None:
            tokens[at] = rng.choice(pool)
            return
