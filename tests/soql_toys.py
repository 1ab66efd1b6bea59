"""A toy org for the query engine: five object types with every kind of field, and records with
nulls, odd letters and mixed case.
"""

import random
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from orgweave.soql.engine import Engine
from pipeline.sql_tables import create_table
from pipeline.world.ids import make_ids
from schemas.loader import load_schema
from schemas.model import Schema

CLOCK = datetime(2023, 3, 15, 12, 30, tzinfo=UTC)
Rows = dict[str, list[dict[str, object]]]
HEAD = """
$schema: https://json-schema.org/draft/2020-12/schema
title: {name}
description: A toy {name}.
type: object
x-key-prefix: "{prefix}"
x-count: {{number: 3}}
required: [Id]
properties:
  Id: {{type: string, x-createable: false, x-source: {{id: true}}}}
"""
OBJECTS = {
    "User": (
        "005",
        [
            "Name: {type: string}",
            "Email: {type: string, format: email}",
            "IsActive: {type: boolean}",
        ],
    ),
    "Account": (
        "001",
        [
            "Name: {type: string, maxLength: 255}",
            "Number__c: {type: string, x-createable: false, x-source: {sequence: '{:04d}'}}",
            "OwnerId: {type: string, x-source: {reference: User}}",
            "ShippingState: {type: string, maxLength: 80}",
            "Rating: {type: string, enum: [Hot, Warm, Cold]}",
            "Employees: {type: [integer, 'null']}",
            "Score__c: {type: number}",
            "CreditAmount: {type: number}",
            "Since: {type: [string, 'null'], format: date}",
            "CreatedDate: {type: string, format: date-time}",
            "Phone: {type: string}",
            "Site: {type: string, format: uri}",
            "Note: {type: string, maxLength: 1000}",
            "Description: {type: string, maxLength: 32000}",
            "Tags__c: {type: array, items: {type: string, enum: [red, green, blue]}}",
            "LinkIds: {type: array, items: {type: string}}",
        ],
    ),
    "Case": (
        "500",
        [
            "CaseNumber: {type: string, x-createable: false, x-source: {sequence: '{:08d}'}}",
            "Subject: {type: string, maxLength: 255}",
            "AccountId: {type: [string, 'null'], x-source: {reference: Account}}",
            "OwnerId: {type: string, x-source: {reference: User}}",
            "ItemId__c: {type: [string, 'null'], x-source: {reference: OrderItem}}",
            "Status: {type: string, enum: [New, Working, Closed]}",
            "Hours: {type: [integer, 'null']}",
            "CreatedDate: {type: string, format: date-time}",
            "ClosedDate: {type: [string, 'null'], format: date-time}",
            "IsClosed: {type: boolean}",
        ],
    ),
    "Order": (
        "801",
        [
            "AccountId: {type: string, x-source: {reference: Account}}",
            "EffectiveDate: {type: string, format: date}",
            "OwnerId: {type: string, x-source: {copy: AccountId.OwnerId}}",
        ],
    ),
    "OrderItem": (
        "802",
        [
            "OrderId: {type: string, x-source: {reference: Order}}",
            "Quantity: {type: integer}",
            "UnitPrice: {type: number}",
        ],
    ),
}
NAMES = [
    "Alder & Co",
    "alder & co",
    "Bob's Barn",
    "100% Wool",
    "Under_score",
    "Back\\slash",
    "Élan",
    "élan",
    "Zest",
    "Ash",
    "ÅNGSTRÖM",
    "Two\nlines",
    "birch 12",
]


def toy_schema(folder: Path, more: Mapping[str, Sequence[str]] | None = None) -> Schema:
    """The toy schema, written as YAML into the folder and loaded.

    `more` are further fields of an object type.
    """
    for name, (prefix, fields) in OBJECTS.items():
        lines = [
            f"  {field if 'x-source' in field else field[:-1] + ', x-source: {constant: null}}'}"
            for field in [*fields, *(more or {}).get(name, [])]
        ]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.yaml").write_text(
            HEAD.format(name=name, prefix=prefix) + "\n".join(lines) + "\n", encoding="utf-8"
        )
    return load_schema(folder)


def write_toys(path: Path, schema: Schema, rows: Rows) -> None:
    """The records as an org.sqlite."""
    with sqlite3.connect(path) as db:
        for item in schema.objects:
            db.execute(create_table(item))
            for row in rows.get(item.name, []):
                names = ", ".join(f'"{name}"' for name in row)
                db.execute(
                    f'INSERT INTO "{item.name}" ({names}) VALUES ({", ".join("?" * len(row))})',
                    list(row.values()),
                )
    db.close()


def toy_engine(
    folder: Path,
    rows: Rows,
    clock: datetime = CLOCK,
    more: Mapping[str, Sequence[str]] | None = None,
) -> Engine:
    """An engine over these records; `more` are further fields of an object type."""
    schema = toy_schema(folder / "toy", more)
    write_toys(folder / "org.sqlite", schema, rows)
    return Engine(folder / "org.sqlite", schema, clock)


def ids(prefix: str, count: int) -> list[str]:
    """That many ids."""
    return [str(one) for one in make_ids(prefix, count)]


def random_rows(seed: int, size: int = 1) -> Rows:
    """Records drawn at random: about a fifth of what may be null is null."""
    rng = random.Random(seed)
    users, accounts, cases, orders, items = (
        ids("005", 6),
        ids("001", 25 * size),
        ids("500", 90 * size),
        ids("801", 40 * size),
        ids("802", 80 * size),
    )

    def maybe(value: object) -> object:
        return None if rng.random() < 0.2 else value

    def moment() -> str:
        at = CLOCK + timedelta(seconds=rng.randrange(-500 * 86400, 200 * 86400))
        at = rng.choice(
            [
                at,
                at,
                at.replace(hour=0, minute=0, second=0),
                at.replace(day=1, hour=0, minute=0, second=0),
            ]
        )
        return at.strftime("%Y-%m-%dT%H:%M:%S.000+0000")

    def day() -> str:
        return (date(2023, 3, 15) + timedelta(days=rng.randrange(-500, 200))).isoformat()

    def account(one: str) -> dict[str, object]:
        return {
            "Id": one,
            "Name": rng.choice(NAMES),
            "Number__c": one[10:15],
            "OwnerId": maybe(rng.choice(users)),
            "ShippingState": maybe(rng.choice(["CA", "ca", "OR", "TX", "Élan", "élan"])),
            "Rating": maybe(rng.choice(["Hot", "Warm", "Cold"])),
            "Employees": maybe(rng.randrange(-3, 12)),
            "Score__c": maybe(rng.choice([0.1, 0.2, 0.3, 1.5, 2.0, -0.1])),
            "CreditAmount": maybe(rng.choice([10.1, 20.2, 99.99, 0.0])),
            "Since": maybe(day()),
            "CreatedDate": moment(),
            "Phone": maybe("555-0100"),
            "Site": maybe("https://a.example"),
            "Note": maybe(rng.choice(["a note", "A Note", "%"])),
            "Description": "long text",
            "Tags__c": rng.choice(['["red"]', '["green", "blue"]', '["red", "blue"]', "[]"]),
            "LinkIds": f'["{one}"]',
        }

    def case(one: str) -> dict[str, object]:
        closed = rng.random() < 0.6
        return {
            "Id": one,
            "CaseNumber": one[10:15],
            "Subject": maybe(rng.choice(NAMES)),
            "AccountId": maybe(rng.choice(accounts)),
            "OwnerId": rng.choice(users),
            "ItemId__c": maybe(rng.choice(items)),
            "Status": rng.choice(["New", "Working", "Closed"]),
            "Hours": maybe(rng.randrange(0, 40)),
            "CreatedDate": moment(),
            "ClosedDate": moment() if closed else None,
            "IsClosed": int(closed),
        }

    owners: dict[str, object] = {}
    made = [account(one) for one in accounts]
    owners.update({str(row["Id"]): row["OwnerId"] for row in made})
    sold = [(one, rng.choice(accounts)) for one in orders]
    return {
        "User": [
            {
                "Id": one,
                "Name": f"{rng.choice(['Ann', 'ann', 'Ben'])} {at}",
                "Email": f"u{at}@example.com",
                "IsActive": rng.choice([0, 1, 1, None]),
            }
            for at, one in enumerate(users)
        ],
        "Account": made,
        "Case": [case(one) for one in cases],
        "Order": [
            {"Id": one, "AccountId": buyer, "EffectiveDate": day(), "OwnerId": owners[buyer]}
            for one, buyer in sold
        ],
        "OrderItem": [
            {
                "Id": one,
                "OrderId": rng.choice(orders),
                "Quantity": rng.randrange(1, 5),
                "UnitPrice": rng.choice([9.99, 0.1, 0.2, 100.0]),
            }
            for one in items
        ],
    }
