"""Options checked before anything runs: numbers, URLs, models as Inspect names them.

Calls no model and no server.
"""

import re
from urllib.parse import urlsplit

from dotenv import find_dotenv, load_dotenv
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import get_model

from schemas.errors import BadInput

MARKUP = re.compile(r"\[/?[a-z ]+\]")
VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)\b")
EXAMPLE = "such as openai/gpt-4o-mini"


def check_positive(option: str, number: int | None) -> None:
    """Raises BadInput for a number below 1; None is no number given."""
    if number is not None and number < 1:
        raise BadInput(f"{option} {number}: must be at least 1")


def check_url(option: str, url: str | None) -> None:
    """Raises BadInput for what isn't http or https with a host; None is no URL given."""
    if url is not None and not _is_url(url):
        raise BadInput(
            f"{option} {url}: is no URL; write one with http:// or https:// and a host, such as"
            " http://127.0.0.1:8080"
        )


def check_model(
    option: str,
    name: str,
    base_url: str | None = None,
) -> None:
    """Raises BadInput for a model that Inspect doesn't know, or can't make ready: no key, no
    package. A `.env` file counts, as it does for Inspect.
    """
    provider, _, model = name.partition("/")
    if not provider or not model:
        raise BadInput(f"{option} {name}: write PROVIDER/NAME, {EXAMPLE}")
    load_dotenv(find_dotenv(usecwd=True))
    try:
        get_model(name, base_url=base_url, memoize=False)
    except PrerequisiteError as error:
        reason = _plain(str(error.message))
        raise BadInput(f"{option} {name}: {_mend(reason)}") from error
    except (ValueError, ImportError) as error:
        raise BadInput(
            f"{option} {name}: {_plain(str(error))} Write PROVIDER/NAME with a provider of"
            f" Inspect's, {EXAMPLE}"
        ) from error


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and bool(parts.hostname)
        # The port is read only here: urlsplit takes any, and a wrong one raises.
        return named and parts.port != 0 and not re.search(r"\s", url)
    except ValueError:
        return False


def _plain(message: str) -> str:
    """Inspect's message as one line without markup."""
    text = MARKUP.sub("", message).strip().removeprefix("ERROR:")
    lines = []
    for part in text.split("\n\n"):
        line = " ".join(part.split())
        lines.append(line.rstrip(":"))
    return ": ".join(lines)


def _mend(message: str) -> str:
    """The message with what to do, where it names an environment variable and no more."""
    variable = VARIABLE.search(message)
    return f"{message} Set {variable[0]} there or in a .env file" if variable else message
