"""One SOQL or SOSL text about a finished org, from the command line."""

from datetime import UTC, datetime, time
from pathlib import Path

from orgweave.server.call import JsonObject
from orgweave.server.served import ServeOptions, served
from schemas.errors import BadInput, QueryRefused


def ask(folder: Path, text: str, clock: datetime | None) -> JsonObject:
    """The answer as REST gives it; raises BadInput with the error code where it is refused."""
    with served(folder, ServeOptions(clock)) as org:
        try:
            if text.lstrip().upper().startswith("FIND"):
                return {"searchRecords": org.engine.search(text)}
            return org.engine.query(text).as_json()
        except QueryRefused as error:
            raise BadInput(f"{error.code}: {error}") from error


def clock_of(text: str | None) -> datetime | None:
    """`2023-12-31` is that day's last second, `2023-12-31T08:00:00` a moment in UTC; raises
    BadInput.
    """
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput(
            f"--clock {text}: write a date such as 2023-12-31 or a datetime such as"
            " 2023-12-31T08:00:00Z"
        ) from error
    if len(text) == len("2023-12-31"):
        found = datetime.combine(found.date(), time(23, 59, 59))
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
