"""Lexicons: what an embedded writer may say (rules) and the facts of an industry's world
(categories, issues, options, …).

A lexicon is a folder of YAML files whose `rules` are merged; `base` lies beneath every other. Knows
no grammar:
lines stay text here, `pipeline.write` compiles them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml


class WorldPart(BaseModel):
    """Base of the parts of a world: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Category(WorldPart):
    """A product category: when it sells (months 1-12), what it costs (lowest, highest list price in
    dollars).
    """

    key: str
    name: str
    description: str = ""
    peak: tuple[Annotated[int, Field(ge=1, le=12)], ...] = ()
    price: tuple[
        Annotated[float, Field(gt=0, allow_inf_nan=False)],
        Annotated[float, Field(gt=0, allow_inf_nan=False)],
    ]
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    short: tuple[str, ...] = Field(min_length=1)
    plural: bool = False


class Issue(WorldPart):
    """A kind of problem, the options listed for it, and the topics an agent asks about."""

    key: str
    name: str
    description: str
    kind: Literal["product", "delivery", "service", "billing"]
    weight: float = Field(default=1.0, gt=0)
    options: tuple[str, ...] = Field(min_length=1)
    topics: tuple[str, ...] = Field(min_length=1)


class Option(WorldPart):
    """A remedy an agent may grant; `days` are candidate limits, counted from the order's
    EffectiveDate.
    """

    key: str
    name: str
    phrase: str
    days: tuple[Annotated[int, Field(ge=1, le=3650)], ...] = Field(min_length=1)


class Policy(WorldPart):
    """A company policy; each figure is drawn from its candidates."""

    key: str
    title: str
    figures: dict[str, tuple[int | float, ...]]


class ProductArticle(WorldPart):
    """A product article: which category, what about."""

    key: str
    category: str
    topic: str


class Holiday(WorldPart):
    """A sales occasion: start (month, day), length in days, discount in percent (low, high),
    categories that sell more.
    """

    name: str
    month: int = Field(ge=1, le=12)
    day: int = Field(ge=1, le=31)
    length: int = Field(ge=1, le=60)
    discount: tuple[int, int]
    boost: tuple[str, ...] = ()


class World(WorldPart):
    """The facts of an industry's world; every key that one part names exists in the other."""

    categories: tuple[Category, ...] = ()
    issues: tuple[Issue, ...] = ()
    options: tuple[Option, ...] = ()
    policies: tuple[Policy, ...] = ()
    articles: tuple[ProductArticle, ...] = ()
    holidays: tuple[Holiday, ...] = ()

    @model_validator(mode="after")
    def _keys_resolve(self) -> "World":
        options = {option.key for option in self.options}
        categories = {category.key for category in self.categories}
        for issue in self.issues:
            if missing := set(issue.options) - options:
                raise ValueError(
                    f"issue {issue.key} lists unknown options {sorted(missing)}; add them to"
                    " options"
                )
        for article in self.articles:
            if article.category not in categories:
                raise ValueError(f"article {article.key} names unknown category {article.category}")
        for holiday in self.holidays:
            if missing := set(holiday.boost) - categories:
                raise ValueError(
                    f"holiday {holiday.name} boosts unknown categories {sorted(missing)}"
                )
        return self


WORLD_KEYS = tuple(World.model_fields)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Rules (name -> lines) and the world's facts, all layers merged."""

    name: str
    rules: Mapping[str, tuple[str, ...]]
    world: World

    @property
    def version(self) -> str:
        """Eight hexadecimal digits that change with any rule."""
        return hashlib.sha256(json.dumps(self.rules, sort_keys=True).encode()).hexdigest()[:8]


def load_lexicon(folder: Path, base: Path) -> Lexicon:
    """The lexicon in a folder, laid over `base`;
    raises SchemaError naming the file and the rule.
    """
    rules, _ = _read(base)
    own, facts = _read(folder)
    return Lexicon(
        name=folder.name,
        rules={**rules, **own},
        world=checked(World, facts, str(folder / "world.yaml")),
    )


def _read(folder: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, Any]]:
    if not folder.is_dir():
        known = ", ".join(sorted(path.name for path in folder.parent.glob("*") if path.is_dir()))
        raise SchemaError(f"{folder}: no such lexicon; use one of {known}, or make the folder")
    rules: dict[str, tuple[str, ...]] = {}
    facts: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        data = read_yaml(path)
        for name, lines in (data.pop("rules", None) or {}).items():
            rules[name] = _lines(path, name, lines, name in rules)
        if unknown := set(data) - set(WORLD_KEYS):
            raise SchemaError(
                f"{path}: unknown key {sorted(unknown)[0]!r}; use rules or one of"
                f" {', '.join(WORLD_KEYS)}"
            )
        facts.update(data)
    return rules, facts


def _lines(path: Path, name: str, lines: object, seen: bool) -> tuple[str, ...]:
    if seen:
        raise SchemaError(
            f"{path}: rules.{name}: stands in another file of the folder too; keep one"
        )
    if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
        raise SchemaError(
            f"{path}: rules.{name}: must be a list of texts; quote lines that YAML reads otherwise"
        )
    return tuple(lines)
