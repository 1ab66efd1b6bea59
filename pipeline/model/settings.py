"""Which model writes, where, with which key and within which limits.

The choice comes from options, the environment and a `.env` file. The key is held as a secret: it
has no place in a message, a file or a repr.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    SecretStr,
    ValidationError,
)

from pipeline.model.prices import Price, dearest, price_of
from schemas.errors import BadInput

OPENAI = "https://api.openai.com/v1"
# Enough to keep a hosted model busy; the limiter halves it where the endpoint says it is too much.
CONNECTIONS = 64
# A second reader for one text in twenty tells how good a writer is, at a twentieth of the price.
JUDGE_SHARE = 0.05
# Seconds without any answer before a run that had some ends: gateways are restarted within minutes.
PATIENCE = 300.0
EMBEDDED = "embedded"  # the writer that composes from a lexicon, as a fallback's name
OPENAI_CLIENT, AIOHTTP_CLIENT = "openai", "aiohttp"  # the clients' names
NOBODY = "none"  # the judge's name where nobody judges
NO_KEY = "none"  # what a local server is sent in place of a key: the client insists on one


def _within(least: float, most: float) -> AfterValidator:
    """A check that a number lies between two bounds, both included."""

    def check(number: float) -> float:
        if not least <= number <= most:  # nor does a NaN
            raise ValueError(f" {number:g}: must be from {least:g} to {most:g}")
        return number

    return AfterValidator(check)


def _check_address(url: str) -> str:
    """Lets scheme, host, port and path pass: anything secret in it would be printed and kept."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = None
    if not usable:
        example = "write it with http:// or https://, such as http://127.0.0.1:8000/v1"
        raise ValueError(f" {url}: {example}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            ": holds a user, a password or a query; give the address alone, and the key in"
            " OPENAI_API_KEY"
        )
    return url


def _listed(given: object) -> object:
    """One address as a list of one; an address that is given twice counts once."""
    if isinstance(given, str):
        return (given,)
    return tuple(dict.fromkeys(given)) if isinstance(given, list) else given


def _check_named(model: str) -> str:
    if not model.strip():
        raise ValueError(": is empty; give a name, or leave it out for the embedded writer")
    return model


def _check_fallback(name: str) -> str:
    if name != EMBEDDED:
        raise ValueError(f" {name}: there is one, {EMBEDDED}")
    return name


def _check_client(name: str) -> str:
    if name not in (AIOHTTP_CLIENT, OPENAI_CLIENT):
        raise ValueError(f" {name}: there are two, {AIOHTTP_CLIENT} and {OPENAI_CLIENT}")
    return name


CheckedAddress = Annotated[str, AfterValidator(_check_address)]


class ModelSettings(BaseModel):
    """A checked choice of model; its fields have the names of the options.

    Several addresses in `base_url` are endpoints of the same model.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        protected_namespaces=(),
    )

    model: Annotated[str, AfterValidator(_check_named)]
    base_url: Annotated[tuple[CheckedAddress, ...], BeforeValidator(_listed)] = (OPENAI,)
    judge_model: str
    judge_share: Annotated[float, _within(0, 1)] = JUDGE_SHARE
    max_cost: Annotated[float, _within(0, 1e9)] | None = None
    max_tokens: Annotated[int, _within(0, 1e15)] | None = None
    max_connections: Annotated[int, _within(1, 10_000)] = CONNECTIONS
    rpm: Annotated[int, _within(1, 1e9)] | None = None
    tpm: Annotated[int, _within(1, 1e12)] | None = None
    patience: Annotated[float, _within(0, 86_400)] = PATIENCE
    fallback: Annotated[str, AfterValidator(_check_fallback)] | None = None
    client: Annotated[str, AfterValidator(_check_client)] = AIOHTTP_CLIENT
    price: str | None = None
    prompt_dir: Path | None = None
    batch: bool = False
    batch_dir: Path | None = None
    key: SecretStr = SecretStr(NO_KEY)

    @property
    def judged_share(self) -> float | None:
        """As `judge_share`, None where nobody judges."""
        return None if self.judge_model == NOBODY else self.judge_share

    @property
    def offline(self) -> bool:
        """Whether requests are only written to files, for someone else to answer."""
        return self.batch_dir is not None

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models that are called: the writer's and, where it is another, the
        judge's.
        """
        names = [self.model] if self.judged_share is None else [self.model, self.judge_model]
        return tuple(dict.fromkeys(names))

    def price_of(self, name: str) -> Price:
        """What a model's tokens cost in this run: half in batches.

        Of several endpoints the dearest counts, so that no limit of cost is overrun.
        """
        prices = [price_of(name, address, self.price) for address in self.base_url]
        price = dearest(prices)
        return price.halved() if self.batch else price


OPTIONS = tuple(name for name in ModelSettings.model_fields if name not in ("model", "key"))


def choose(
    options: Mapping[str, object],
    environment: Mapping[str, str],
    calls: bool = True,
) -> ModelSettings | None:
    """The model to write with, or None for the embedded writer.

    `options` holds what stands on the command line by the fields' names, None or False where
    nothing was given; names of other options are passed over. Raises BadInput for options that are
    out of bounds or don't fit together. A plan calls nobody (`calls` is false) and needs no key.
    """
    given = {name: options[name] for name in OPTIONS if _is_given(options.get(name))}
    key = _checked_key((environment.get("OPENAI_API_KEY") or "").strip())
    model = options.get("model")
    if model is None:
        _refuse_without_model(list(given))
        return None
    address_name = "--base-url"
    if "base_url" not in given and environment.get("OPENAI_BASE_URL"):
        address_name = "OPENAI_BASE_URL"
        given["base_url"] = environment["OPENAI_BASE_URL"]
    given = {"judge_model": model, "key": key or NO_KEY, **given, "model": model}
    try:
        settings = ModelSettings.model_validate(given)
    except ValidationError as error:
        raise BadInput(_first_fault(error, address_name)) from None  # the error may hold the key
    if settings.batch and settings.offline:
        raise BadInput(
            "--batch and --batch-dir: choose one; --batch sends batches to the endpoint,"
            " --batch-dir only writes their files"
        )
    if settings.batch and len(settings.base_url) > 1:
        raise BadInput(
            "--batch: takes one --base-url, since a batch lies at one endpoint; leave the others or"
            " --batch out"
        )
    if calls and not (key or "base_url" in given or settings.offline):
        raise BadInput(
            f"--model {model}: no key and no endpoint; set OPENAI_API_KEY (in the environment or a"
            " .env file) or give --base-url, or leave --model out for the embedded writer"
        )
    return settings


def environment_with_file(folder: Path) -> dict[str, str]:
    """The environment, completed by the folder's `.env` file.

    Raises BadInput where that file can't be read.
    """
    from dotenv import dotenv_values

    path = folder / ".env"
    try:
        own = dotenv_values(path) if path.is_file() else {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path}: can't be read ({error}); write lines such as OPENAI_API_KEY=…"
        ) from error
    found = {name: value for name, value in own.items() if value is not None}
    for name, value in os.environ.items():
        if value or name not in found:
            found[name] = value
    return found


def _is_given(value: object) -> bool:
    """Whether an option stands on the command line; 0 and 0.0 do."""
    return value is not None and value is not False and value != ""


def _refuse_without_model(given: list[str]) -> None:
    """Raises BadInput for options that speak of a model: without --model they have no use.

    A person who gives one has forgotten --model.
    """
    if not given:
        return
    names = ", ".join(_option(name) for name in given)
    what = "it" if len(given) == 1 else "them"
    raise BadInput(
        f"{names}: needs a model; add --model NAME, or leave {what} out for the embedded writer"
    )


def _first_fault(error: ValidationError, address_name: str) -> str:
    """The first fault as a line: the option as it was given, and what its check says of it."""
    fault = error.errors(include_url=False)[0]
    field = str(fault["loc"][0])
    name = address_name if field == "base_url" else _option(field)
    cause = fault.get("ctx", {}).get("error")
    return f"{name}{cause}" if cause else f"{name}: {fault['msg']}"


def _option(field: str) -> str:
    return f"--{field.replace('_', '-')}"


def _checked_key(key: str) -> str:
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadInput(
            "OPENAI_API_KEY: holds a sign that no key has (a space, a line break, a letter with an"
            " accent); copy it again"
        )
    return key
