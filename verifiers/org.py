"""The list of verifiers of a finished org, and all their findings on one.

Like the text verifiers they take plain things, here a read-only connection to the org's SQLite
file and the schema, and never raise on a damaged org.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator

from schemas.model import Schema
from verifiers.integrity import verify_integrity
from verifiers.privacy import verify_org_privacy
from verifiers.transcript import verify_org_chats
from verifiers.verdict import Finding

OrgVerifier = Callable[[sqlite3.Connection, Schema], Iterable[Finding]]

ORG_VERIFIERS: tuple[OrgVerifier, ...] = (
    verify_integrity,
    verify_org_privacy,
    verify_org_chats,
)


def verify_org(db: sqlite3.Connection, schema: Schema) -> Iterator[Finding]:
    """Yields the findings of every verifier of the list."""
    for verifier in ORG_VERIFIERS:
        yield from verifier(db, schema)
