"""The list of verifiers of a finished org.

Like the text verifiers they take plain things, here a read-only connection to the org's SQLite
file and the schema, and never raise on a damaged org.
"""

import sqlite3
from collections.abc import Callable, Iterable

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
