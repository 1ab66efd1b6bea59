"""The files of a new company: a profile, a world and words to begin with, with every key explained.

The comments are the descriptions of the models that read the files, and the entries those of a
company or lexicon that ships. Knows no industry.
"""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import GenericAlias
from typing import Any, get_args

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pipeline.atomic import write_text
from pipeline.company.meanings import MEANINGS
from schemas.country import DEFAULT_LOCALE, load_country
from schemas.errors import BadInput, StorageFailed
from schemas.files import read_yaml
from schemas.lexicon import BASE, HEAD, WORLD_FILE, LexiconLayer, read_layers, world_facts
from schemas.names import check_file_name
from schemas.profile import SHORTEST_NAME, Profile, companies_folder, lexicons_folder
from schemas.world import World

LIKE = ("generic", "goods", "shoes", "bank", "saas", "utility")
"""What a new company may begin like: lexicons that fit anything, or a company that ships."""

LINK = re.compile(r"\[([^]]+)\]\(\S+\.md\)")

WORDS = "words"
"""The folder of a new company's lexicon."""

RULES_FILE = "rules.yaml"

WIDTH = 100

FEW = 4
"""Entries of a list that fits anything: enough to see the form, few enough to be replaced."""

SHOWN_LINES = 3

COUNTS = {
    "User": 20,
    "Account": 60,
    "Product2": 80,
    "Pricebook2": 16,
    "Order": 300,
    "OrderItem": 420,
    "Case": 90,
    "EmailMessage": 260,
    "LiveChatTranscript": 40,
}
"""A company that is made in a few seconds."""

PERIOD = {"start": date(2021, 1, 1), "end": date(2023, 12, 31)}

LEFT_OUT = ("schema", "lexicon", "categories", "issues", "options")
"""Keys of a profile that a new one states anyhow, or that its world states."""

SHOWN_PROMOTIONS = ("seasonal", "extra", "says")
"""What promotions are called, and what their price books say."""

SHOWN_WORDS = ("order_noun", "buy_past")
"""Rules that nearly every industry words in its own way."""

PATTERNS = {
    "categories": ("category.{}.model", "category.{}.feature", "category.{}.for"),
    "issues": ("issue.{}.subject", "issue.{}.complaint", "issue.{}.impact", "issue.{}.ack"),
    "options": ("option.{}.steps",),
}
"""The rules that make an entry of the world specific, by the list that it stands in."""


def new_company(name: str, like: str, folder: Path, locale: str = DEFAULT_LOCALE) -> list[Path]:
    """Writes a new company's files into a folder; the profile comes first.

    Raises BadInput for a name that no file or company can have, for an unknown locale, or where
    the folder isn't empty.
    """
    check_file_name(name, "the company's name")
    if len(_title(name)) < SHORTEST_NAME:
        raise BadInput(f"the company's name: {name!r} is too short; give it two letters or more")
    load_country(locale)
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder}: isn't empty; name another folder with --to, or clear it")
    layers = read_layers(lexicons_folder() / like, lexicons_folder() / BASE)
    files = {
        f"{name}.yaml": profile_text(name, like, locale),
        f"{WORDS}/{HEAD}": head_text(like),
        f"{WORDS}/{WORLD_FILE}": world_text(like, layers),
        f"{WORDS}/{RULES_FILE}": rules_text(like, layers),
    }
    return write_files(folder, files)


def write_files(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Writes texts to files of a folder; raises StorageFailed where that can't be done."""
    written = []
    for name, text in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Moved to its place whole: a draft that is ended goes on from what is there.
            write_text(path, iter([text]))
        except OSError as error:
            raise StorageFailed(
                f"{path}: can't be written ({error.strerror}); check the folder and its rights"
            ) from error
        written.append(path)
    return written


def profile_text(name: str, like: str, locale: str = DEFAULT_LOCALE) -> str:
    """A profile with a comment for each key; those that may be left out are commented out."""
    stated = {**_profile_values(name, like), "locale": locale}
    lines = [f"# {_title(name)}, begun like {like}. Every key is explained; edit what stands here."]
    for key, field in Profile.model_fields.items():
        named = field.alias or key
        if named in stated:
            lines += ["", *_comment(field), *_dumped(named, stated[named])]
        elif named not in LEFT_OUT:
            example = _example(field)
            lines += ["", *_comment(field), f"# {named}: {example}"]
    return "\n".join(lines) + "\n"


def head_text(like: str) -> str:
    """What the new lexicon extends."""
    return (
        "# What isn't said in this folder is said by the lexicon that it extends, rule by rule.\n"
        f"extends: {like}\n"
    )


def world_text(like: str, layers: Sequence[LexiconLayer]) -> str:
    """A world with a comment for each list, and one for each key of its entries."""
    facts = _facts(layers)
    whole = like not in ("generic", "goods")
    lines = [
        "# What the company sells, what goes wrong, and what may be granted. A list that is left",
        f"# out is the one of the lexicon {like}. docs/reference/world.md describes every key.",
    ]
    lines += ["", *_comment(World.model_fields["trade"]), *_trade(layers)]
    chosen = _chosen(facts, whole)
    for part, entries in chosen.items():
        field = World.model_fields[part]
        lines += ["", *_comment(field), *_entry_comments(field), f"{part}:"]
        lines += [f"- {_flow(entry)}" for entry in entries]
    for part in World.model_fields:
        if part not in chosen and part != "trade":
            lines += ["", *_comment(World.model_fields[part])]
            lines.append(f"# {part}: those of {like}, as long as none stand here")
    return "\n".join(lines) + "\n"


def rules_text(like: str, layers: Sequence[LexiconLayer]) -> str:
    """A few rules to begin with, and commented out those that make the words specific."""
    rules: dict[str, tuple[str, ...]] = {}
    for layer in layers:
        rules |= layer.rules
    lines = [
        "# How people speak of it. Each line is one way to say the same; [a|b] chooses, {product}",
        "# is a fact or another rule. docs/reference/lexicon.md names every rule.",
        "rules:",
    ]
    for name in SHOWN_WORDS:
        lines += _rule(name, rules.get(name, ()))
    chosen = _chosen(_facts(layers), whole=like not in ("generic", "goods"))
    for part, names in PATTERNS.items():
        key = chosen[part][0]["key"]
        for name in names:
            lines += _pattern(name, key, rules)
    return "\n".join(lines) + "\n"


def _profile_values(name: str, like: str) -> dict[str, Any]:
    """What the new profile states: what the other company's does, under its own name."""
    path = companies_folder() / f"{like}.yaml"
    like_values = read_yaml(path) if path.is_file() else {}
    title = _title(name)
    says = f"{title} serves private customers and small firms, and answers by e-mail and live chat."
    return {
        "name": title,
        "industry": like_values.get("industry", "services"),
        "description": says,
        "schema": like_values.get("schema", "service_cloud"),
        "lexicon": WORDS,
        "period": like_values.get("period", PERIOD),
        "seed": 1,
        "team": like_values.get("team", "Customer Care"),
        "counts": like_values.get("counts", COUNTS),
    }


def _title(name: str) -> str:
    words = re.split(r"[\s_.-]+", name)
    return " ".join(word[:1].upper() + word[1:] for word in words if word)


def _facts(layers: Sequence[LexiconLayer]) -> dict[str, Any]:
    """The world's keys as they stand in the files, those of upper layers first."""
    facts: dict[str, Any] = {}
    for layer in layers:
        facts |= layer.facts
    return facts


def _chosen(facts: Mapping[str, Any], whole: bool) -> dict[str, list[dict[str, Any]]]:
    """The lists that a new world states: all, or a few categories and issues with their options."""
    if whole:
        lists = [part for part in World.model_fields if isinstance(facts.get(part), list)]
        return {part: list(facts[part]) for part in lists}
    categories = [dict(entry) for entry in facts["categories"][:FEW]]
    keys = {entry["key"] for entry in categories}
    for entry in categories:
        also = {key: weight for key, weight in entry.pop("also", {}).items() if key in keys}
        entry |= {"also": also} if also else {}
    issues = facts["issues"][:FEW]
    named: set[str] = set()
    for issue in issues:
        named.update(issue["options"], issue.get("sometimes", ()))
    options = [option for option in facts["options"] if option["key"] in named]
    chosen = {"categories": categories, "issues": issues, "options": options}
    if any(entry.get("category") for entry in facts["articles"]):
        chosen["articles"] = [entry for entry in facts["articles"] if entry["category"] in keys]
        chosen["holidays"] = [_without_others(entry, keys) for entry in facts["holidays"]]
    return chosen


def _trade(layers: Sequence[LexiconLayer]) -> list[str]:
    """The figures of the trade that differ most from industry to industry, commented out."""
    trade = world_facts(layers)["trade"]
    said = {name: trade["range"]["promotions"].get(name) for name in SHOWN_PROMOTIONS}
    shown = {
        "channels": trade["channels"],
        "desk": trade["desk"],
        "range": {
            "unit": trade["range"].get("unit", "Each"),
            "quantity": trade["range"]["quantity"],
            "promotions": {name: text for name, text in said.items() if text},
        },
    }
    return ["# trade:", *(f"#   {name}: {_flow(value)}" for name, value in shown.items())]


def _without_others(holiday: Mapping[str, Any], keys: set[str]) -> dict[str, Any]:
    """An occasion that is for the chosen categories alone."""
    boost = [key for key in holiday.get("boost", ()) if key in keys]
    return {**holiday, "boost": boost}


def _comment(field: FieldInfo, before: str = "# ") -> list[str]:
    text = _plain(field)
    return [f"{before}{line}" for line in textwrap.wrap(text, WIDTH - len(before))]


def _plain(field: FieldInfo) -> str:
    """A key's description without the marks of Markdown."""
    return LINK.sub(r"\1", (field.description or "").replace("`", ""))


def _entry_comments(field: FieldInfo) -> list[str]:
    """A comment for each key of a list's entries."""
    lines = []
    for model in _models(field.annotation):
        for key, part in model.model_fields.items():
            required = "" if part.is_required() else " (may be left out)"
            text = f"{key}{required}: {_plain(part)}"
            wrapped = textwrap.wrap(text, WIDTH - 6, subsequent_indent="  ")
            lines += [f"#   {line}" for line in wrapped]
    return lines


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    """Yields the models in an annotation such as `tuple[Category, ...]`."""
    plain = isinstance(annotation, type) and not isinstance(annotation, GenericAlias)
    if plain and issubclass(annotation, BaseModel):  # type: ignore[arg-type]
        yield annotation  # type: ignore[misc]
    for part in get_args(annotation):
        yield from _models(part)


def _example(field: FieldInfo) -> str:
    """An example out of a key's description, one that is a mapping before all others."""
    found: list[str] = re.findall(r"`([^`]+)`", field.description or "")
    mappings = [example for example in found if example.startswith("{")]
    return (mappings or found or ["…"])[-1]


def _dumped(key: str, value: object) -> list[str]:
    """`key: value` as YAML."""
    text = value if isinstance(value, str) else None
    shown = _flow(value) if text is None else yaml.safe_dump(text, width=10_000).splitlines()[0]
    return [f"{key}: {shown}"]


def _flow(value: object) -> str:
    """A value as YAML in one line."""
    text: str = yaml.safe_dump(
        value,
        default_flow_style=True,
        sort_keys=False,
        width=10_000,
        allow_unicode=True,
    )
    return text.strip().removesuffix("\n...")


def _rule(name: str, lines: Sequence[str]) -> list[str]:
    """A rule as YAML, with what it says as a comment; a line that counts twice is shown once."""
    meaning = MEANINGS.get(name, "")
    made = [f"  {name}:  # {meaning}" if meaning else f"  {name}:"]
    shown = dict.fromkeys(lines) or ("…",)
    made += [f"  - {json.dumps(line, ensure_ascii=False)}" for line in shown]
    return made


def _pattern(name: str, key: str, rules: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A rule for one key, commented out, with lines as the lexicon has them for it or for any."""
    own, shared = name.format(key), name.format("any")
    lines = rules.get(own) or rules.get(shared) or ("…",)
    meaning = MEANINGS.get(name.replace(".{}", ""), "")
    made = [f"  # {own}:  # {meaning}"]
    made += [f"  # - {json.dumps(line, ensure_ascii=False)}" for line in lines[:SHOWN_LINES]]
    return made
