"""Which CRM, and as whom: from options, the environment and a `.env` file. Opens no connection.

Password, security token and session id are held as secrets: they have no place in a message, a file
or a repr.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

from pydantic import SecretStr

from schemas.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost")
HOW = (
    "give --instance-url and --session-id, or set SALESFORCE_USERNAME, SALESFORCE_PASSWORD and"
    " SALESFORCE_SECURITY_TOKEN (in the environment or a .env file)"
)


@dataclass(frozen=True, slots=True)
class Login:
    """A session of one instance or, where `username` isn't empty, name, password and token of a
    user.
    """

    instance_url: str = ""
    session_id: SecretStr = SecretStr("")
    username: str = ""
    password: SecretStr = SecretStr("")
    security_token: SecretStr = SecretStr("")
    domain: str = "login"

    @property
    def plain(self) -> bool:
        """Whether it goes by http, which only this machine's own servers may."""
        return self.instance_url.startswith("http://")


def login_of(
    instance_url: str | None,
    session_id: str | None,
    environment: Mapping[str, str],
    folder: Path = Path("outputs/shoes"),
) -> Login:
    """The login that was given; options come before the environment.

    Raises BadInput where nothing whole was given, and says how the run in `folder` can be loaded
    for practice.
    """

    def set_to(name: str) -> str:
        return environment.get(f"SALESFORCE_{name}", "").strip()

    url, session = (
        (instance_url or set_to("INSTANCE_URL")).rstrip("/"),
        session_id or set_to("SESSION_ID"),
    )
    if session:
        _check_address(url)
        return Login(url, SecretStr(session))
    if instance_url:
        raise BadInput(f"--instance-url {instance_url}: no session; {HOW}")
    user, password = set_to("USERNAME"), set_to("PASSWORD")
    if not user or not password:
        raise BadInput(
            f"no CRM to load into; {HOW}; to practise, start an empty one: orgweave serve"
            f" {quote(str(folder))} --empty --writable"
        )
    return Login(
        username=user,
        password=SecretStr(password),
        security_token=SecretStr(set_to("SECURITY_TOKEN")),
        domain=set_to("DOMAIN") or "login",
    )


def _check_address(url: str) -> None:
    """An instance URL is scheme, host and maybe a port."""
    try:
        parts = urlsplit(url)
        right = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
            and not (parts.path or parts.query or parts.fragment or parts.username)
        )
    except ValueError:
        right = False
    if not right:
        raise BadInput(
            f"--instance-url {url}: write scheme and host alone, such as"
            " https://mycompany.my.salesforce.com or http://127.0.0.1:8600"
        )
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise BadInput(
            f"--instance-url {url}: http would send the session id readable for all; write https://"
            " (http is for servers on 127.0.0.1)"
        )
