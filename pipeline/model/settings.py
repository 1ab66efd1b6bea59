"""Which model writes, where, with which key and within which limits: from options, the environment
and a `.env` file.

The key is held as a secret: it has no place in a message, a file or a repr.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from schemas.errors import BadInput

OPENAI = "https://api.openai.com/v1"
CONNECTIONS = 64
JUDGE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What stands on the command line about the model; None where nothing was given."""

    model: str | None = None
    base_url: str | None = None
    judge_model: str | None = None
    judge_share: float | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    max_connections: int | None = None
    rpm: int | None = None
    tpm: int | None = None
    price: str | None = None
    prompt_dir: Path | None = None
    batch: bool = False
    batch_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A checked choice of model."""

    model: str
    base_url: str
    key: SecretStr
    judge_model: str
    judge_share: float
    given: ModelOptions

    @property
    def connections(self) -> int:
        """How many calls may be under way at once."""
        return self.given.max_connections or CONNECTIONS

    @property
    def judged(self) -> bool:
        """Whether texts are judged at all."""
        return self.given.judge_model != "none"

    @property
    def offline(self) -> bool:
        """Whether requests are only written to files, for someone else to answer."""
        return self.given.batch_dir is not None


def choose(
    given: ModelOptions, environment: Mapping[str, str], calls: bool = True
) -> ModelSettings | None:
    """The model to write with, or None for the embedded writer; raises BadInput for options that
    don't fit together.

    A plan calls nobody (`calls` is false) and needs no key.
    """
    _check(given)
    base_url = given.base_url or environment.get("OPENAI_BASE_URL") or ""
    key = _checked_key((environment.get("OPENAI_API_KEY") or "").strip())
    model = given.model
    if model is not None and not model.strip():
        raise BadInput("--model: is empty; give a name, or leave it out for the embedded writer")
    if model is None:
        _needs_model(given, bool(given.base_url))
        return None
    _check_address("--base-url" if given.base_url else "OPENAI_BASE_URL", base_url)
    if calls and not (key or base_url or given.batch_dir):
        raise BadInput(
            f"--model {model}: no key and no endpoint; set OPENAI_API_KEY (in the environment or a"
            " .env file) or give --base-url, or leave --model out for the embedded writer"
        )
    share = JUDGE_SHARE if given.judge_share is None else given.judge_share
    return ModelSettings(
        model,
        base_url or OPENAI,
        SecretStr(key or "none"),
        given.judge_model or model,
        share,
        given,
    )


def environment_with_file(folder: Path) -> dict[str, str]:
    """The environment, completed by the folder's `.env` file; raises BadInput where that can't be
    read.
    """
    from dotenv import dotenv_values

    path = folder / ".env"
    try:
        own = dotenv_values(path) if path.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path}: can't be read ({error}); write lines such as OPENAI_API_KEY=…"
        ) from error
    filled = {name: value for name, value in own.items() if value is not None}
    return {
        **filled,
        **{name: value for name, value in os.environ.items() if value or name not in filled},
    }


def _needs_model(given: ModelOptions, endpoint: bool) -> None:
    """Options that speak of a model are no use to the embedded writer; a person who gives one has
    forgotten --model.
    """
    named = {
        "--base-url": endpoint,
        "--judge-model": given.judge_model,
        "--judge-share": given.judge_share is not None,
        "--max-cost": given.max_cost is not None,
        "--max-tokens": given.max_tokens is not None,
        "--max-connections": given.max_connections,
        "--rpm": given.rpm,
        "--tpm": given.tpm,
        "--price": given.price,
        "--prompt-dir": given.prompt_dir,
        "--batch": given.batch,
        "--batch-dir": given.batch_dir,
    }
    if used := [name for name, there in named.items() if there]:
        raise BadInput(
            f"{', '.join(used)}: needs a model; add --model NAME, or leave"
            f" {'it' if len(used) == 1 else 'them'} out for the embedded writer"
        )


def _check(given: ModelOptions) -> None:
    """Each number within its bounds."""
    bounds: dict[str, tuple[float | None, float, float]] = {
        "--judge-share": (given.judge_share, 0, 1),
        "--max-cost": (given.max_cost, 0, 1e9),
        "--max-tokens": (given.max_tokens, 0, 1e15),
        "--max-connections": (given.max_connections, 1, 10_000),
        "--rpm": (given.rpm, 1, 1e9),
        "--tpm": (given.tpm, 1, 1e12),
    }
    for name, (number, least, most) in bounds.items():
        if number is not None and not least <= number <= most:
            raise BadInput(f"{name} {number:g}: must be from {least:g} to {most:g}")
    if given.batch and given.batch_dir:
        raise BadInput(
            "--batch and --batch-dir: choose one; --batch sends batches to the endpoint,"
            " --batch-dir only writes their files"
        )


def _checked_key(key: str) -> str:
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadInput(
            "OPENAI_API_KEY: holds a sign that no key has (a space, a line break, a letter with an"
            " accent); copy it again"
        )
    return key


def _check_address(name: str, url: str) -> None:
    """An address is scheme, host, maybe port and path: anything secret in it would be printed and
    kept.
    """
    if not url:
        return
    try:
        parts = urlsplit(url)
        right = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        right = False
    if not right:
        raise BadInput(
            f"{name} {url}: write it with http:// or https://, such as http://127.0.0.1:8000/v1"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadInput(
            f"{name}: holds a user, a password or a query; give the address alone, and the key in"
            " OPENAI_API_KEY"
        )
