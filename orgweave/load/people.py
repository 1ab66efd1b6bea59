"""The agents in the CRM: new users with a profile, or users that it has already, one after the
other. Decides; sends nothing.

A new user takes a licence and can't be deleted again; where there are few licences, mapping is the
way.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from orgweave.crm.field import CrmObject
from orgweave.crm.seam import Target
from orgweave.load.source import UploadRecord
from orgweave.load.values import literal
from schemas.errors import BadInput
from schemas.regular import check_regular

LONGEST_USERNAME = 80
"""Characters; the CRM refuses longer ones."""
STANDARD = "Standard"
"""The type of users who can own records; the CRM has others,
such as those of automated processes.
"""


def new_users(
    target: Target,
    info: CrmObject,
    users: Sequence[UploadRecord],
    profile: str,
    suffix: str,
) -> dict[str, dict[str, object]]:
    """What a new user needs besides our fields, by key: the profile, and a Username that no other
    org has.
    """
    more: dict[str, object] = {}
    if info.takes("ProfileId"):
        more["ProfileId"] = _profile_id(target, profile)
    names = {user.key: f"{user.values['Username']}{suffix}" for user in users}
    for name in names.values():
        if len(name) > LONGEST_USERNAME:
            raise BadInput(
                f"--username-suffix {suffix}: makes {name} longer than {LONGEST_USERNAME}"
                " characters; give a shorter one"
            )
    return {key: {**more, "Username": name} for key, name in names.items()}


def mapped_users(
    target: Target,
    info: CrmObject,
    users: Sequence[UploadRecord],
    file: Path | None,
) -> dict[str, str]:
    """The CRM's user for each agent, by key: as the file says, else all active users in the order
    of their Username, round robin.
    """
    condition = f" AND UserType = '{STANDARD}'" if info.has("UserType") else ""
    found = target.query(
        f"SELECT Id, Username FROM User WHERE IsActive = true{condition} ORDER BY Username"
    )
    there = {str(user["Username"]): str(user["Id"]) for user in found}
    if not there:
        raise BadInput("--map-users: the CRM has no active user; leave it out to create users")
    if file is None:
        ids = list(there.values())
        return {user.key: ids[place % len(ids)] for place, user in enumerate(users)}
    wanted = _read(file)
    ours = {user.key: str(user.values["Username"]) for user in users}
    _check(file, "has no line for", ours.values(), wanted)
    _check(file, "names, though the CRM has no such active user,", wanted.values(), there)
    return {key: there[wanted[name]] for key, name in ours.items()}


def _read(file: Path) -> dict[str, str]:
    """Our Username -> theirs; a first line without an @ is a header."""
    try:
        check_regular(file)
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = [list(map(str.strip, row)) for row in csv.reader(lines) if row]
    except (OSError, ValueError) as error:
        raise BadInput(
            f"--map-users {file}: can't be read ({error}); write lines of our Username, their"
            " Username"
        ) from error
    rows = rows[1:] if rows and "@" not in rows[0][0] else rows
    for row in rows:
        if len(row) != 2:
            raise BadInput(
                f"--map-users {file}: {row} isn't two cells; write lines of our Username, their"
                " Username"
            )
    return dict(rows)


def _check(file: Path, says: str, names: Iterable[str], there: Mapping[str, str]) -> None:
    missing = [name for name in names if name not in there]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise BadInput(f"--map-users {file}: {says} {missing[0]}{more}; mend the file")


def _profile_id(target: Target, name: str) -> str:
    found = target.query(f"SELECT Id FROM Profile WHERE Name = {literal(name)}")
    if not found:
        profiles = target.query("SELECT Name FROM Profile ORDER BY Name")
        names = ", ".join(str(profile["Name"]) for profile in profiles)
        raise BadInput(f"--profile {name}: the CRM has no such profile; it has {names or 'none'}")
    return str(found[0]["Id"])
