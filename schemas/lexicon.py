"""Lexicons: what the embedded writer may say, and the facts of an industry's world.

A lexicon is a folder of YAML files. `rules` hold the wordings, each a name with its lines; the
rules of all files are merged, and those of the lexicon `base` lie beneath every other. The other
keys (categories, issues, options, …) are the world. Knows no grammar: a rule's lines stay text
here, and `pipeline.write` compiles them.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as derived
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from schemas.errors import SchemaError
from schemas.files import checked, read_yaml
from schemas.incidents import ANY, IncidentPlan, missing_rules
from schemas.names import check_file_name
from schemas.trade import USUAL_TRADE, trade_of
from schemas.world import WORLD_KEYS, World
from schemas.world_part import WorldPart

BASE = "base"
"""The lexicon beneath every other."""


HEAD = "_lexicon.yaml"


WORLD_FILE = "world.yaml"
"""Where the keys of a world mostly stand; they may stand in any file of the folder."""


RULES = re.compile(rb"^rules:", re.MULTILINE)
"""What a file of rules has, as no profile and no object type does."""


MOST_LAYERS = 5
"""A lexicon may extend one that extends another, and so on: so many in all."""


LONGEST_LINE = 5_000
"""Characters of a rule's line; the longest that ships has 758."""


class LexiconHead(WorldPart):
    """What `_lexicon.yaml` says of a lexicon as a whole."""

    extends: Annotated[
        str,
        Field(
            description=(
                "The lexicon that this one is laid over: one that ships (`generic`), or a folder"
                " beside this one."
            )
        ),
    ] = ""
    without: Annotated[
        tuple[str, ...],
        Field(description="The names of rules of the extended lexicon that stay out."),
    ] = ()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Rules (name -> lines) and the world's facts, with the rules of `base` beneath.

    `files` says in which file each rule stands.
    """

    name: str
    rules: Mapping[str, tuple[str, ...]]
    world: World
    files: Mapping[str, Path] = derived(default_factory=dict, compare=False, repr=False)

    @property
    def version(self) -> str:
        """Eight hexadecimal digits that change with any rule and with the world.

        Words hang on much of the world besides its rules: marks of incidents, and what nobody says
        of a category.
        """
        text = json.dumps([self.rules, self.world.model_dump(mode="json")], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class LexiconLayer:
    """What the files of one folder say: its rules, their files, and the keys of its world."""

    folder: Path
    head: LexiconHead
    rules: Mapping[str, tuple[str, ...]]
    files: Mapping[str, Path]
    facts: Mapping[str, Any]


def load_lexicon(folder: Path, base: Path) -> Lexicon:
    """The lexicon in a folder, laid over those that it extends, and all of them over `base`.

    A rule takes the place of the rule of the same name beneath, and so does a key of the world; of
    the base's world only its incidents are. Raises SchemaError naming the file and the rule, also
    where an incident lacks words.
    """
    lexicon = read_lexicon(folder, base)
    _check_words(folder, lexicon)
    return lexicon


def read_lexicon(folder: Path, base: Path) -> Lexicon:
    """The same for who tells all that it lacks: incidents may be without words."""
    layers = read_layers(folder, base)
    where = str(folder / WORLD_FILE)
    world = checked(World, world_facts(layers), where)
    rules: dict[str, tuple[str, ...]] = {}
    files: dict[str, Path] = {}
    for layer in layers:
        _leave_out(layer, rules)
        rules |= layer.rules
        files |= layer.files
    return Lexicon(folder.name, rules, world, files)


def _check_words(folder: Path, lexicon: Lexicon) -> None:
    """Raises SchemaError for the first incident whose words are not all there."""
    for key, plan in lexicon.world.incidents.items():
        missing = missing_rules(key, plan, lexicon.rules)
        if missing:
            more = f" ({len(missing)} are missing)" if len(missing) > 1 else ""
            raise SchemaError(
                f"{folder}: incidents.{key}: there is no rule {missing[0]}{more}; add it under"
                " rules, or leave out what needs it (`orgweave company check` lists all that is"
                " missing, each with an example)"
            )


def read_layers(folder: Path, base: Path) -> list[LexiconLayer]:
    """The layers of a lexicon: `base` first, then what it extends, then the folder's own.

    A lexicon that it extends ships beside `base`, or lies beside the folder. Raises SchemaError.
    """
    layers = [_read(folder, base.parent)]
    while layers[0].head.extends:
        beneath = layers[0]
        if len(layers) == MOST_LAYERS:
            raise SchemaError(
                f"{beneath.folder / HEAD}: more than {MOST_LAYERS} lexicons extend each other;"
                " break the circle"
            )
        layers.insert(0, _read(_extended(beneath, base.parent), base.parent))
    return [_read(base, base.parent), *layers]


def own_folders(folder: Path, base: Path) -> list[Path]:
    """The folders of a lexicon's layers that don't ship beside `base`."""
    folders = [layer.folder for layer in read_layers(folder, base)]
    return [path for path in folders if path.parent.resolve() != base.parent.resolve()]


def world_facts(layers: Sequence[LexiconLayer]) -> dict[str, Any]:
    """The keys of the world of all layers above `base`, with the trade's figures written out.

    What a layer beneath says of categories that a layer above has replaced is left out.
    """
    facts: dict[str, Any] = {}
    trade: dict[str, Any] | None = None
    for layer in layers[1:]:
        stated = layer.facts.get("trade")
        if stated is not None:
            trade = trade_of(stated, str(layer.folder / WORLD_FILE), trade)
        if isinstance(layer.facts.get("categories"), list):
            facts = _of_categories(facts, layer.facts["categories"])
        facts |= layer.facts
    facts["trade"] = trade or trade_of(USUAL_TRADE, str(layers[-1].folder))
    facts["incidents"] = _incidents(layers, facts.get("issues"), facts.get("categories"))
    return facts


def _incidents(
    layers: Sequence[LexiconLayer],
    issues: object,
    categories: object,
) -> dict[str, IncidentPlan]:
    """The plans of all layers, the base's too, for issues and categories that the world has."""
    sold: set[str] = set()
    if isinstance(categories, list):
        sold = {str(entry.get("key")) for entry in categories if isinstance(entry, dict)}
    known = {ANY}
    if isinstance(issues, list):
        known |= {str(issue.get("key")) for issue in issues if isinstance(issue, dict)}
    plans: dict[str, IncidentPlan] = {}
    for layer in layers:
        for key, plan in layer.facts.get("incidents", {}).items():
            if layer is layers[-1]:
                plans[key] = plan
            elif key in known:
                plans[key] = _striking(plan, sold)
    return plans


def _striking(plan: IncidentPlan, sold: set[str]) -> IncidentPlan:
    """A plan whose causes strike what is sold; those that strike nothing of it are left out."""
    causes = {}
    for name, cause in plan.causes.items():
        products = tuple(product for product in cause.products if product in sold)
        if products or not cause.products:
            causes[name] = cause.model_copy(update={"products": products})
    return plan.model_copy(update={"causes": causes or plan.causes})


def _of_categories(facts: Mapping[str, Any], stated: Sequence[object]) -> dict[str, Any]:
    """A world's lists without what is said of other categories than the stated ones.

    What isn't of the right form stays as it is, and is told when the world is checked.
    """
    keys = {str(entry.get("key")) for entry in stated if isinstance(entry, dict)}
    kept = dict(facts)
    for part, name in (("articles", "category"), ("holidays", "boost"), ("issues", "fits")):
        if isinstance(facts.get(part), list):
            entries = [_of_keys(entry, name, keys) for entry in facts[part]]
            kept[part] = [entry for entry in entries if entry is not None]
    articles = kept.get("articles")
    if isinstance(kept.get("facts"), list) and isinstance(articles, list):
        known = {str(entry.get("key")) for entry in articles if isinstance(entry, dict)}
        stated = [_of_keys(entry, "article", known) for entry in kept["facts"]]
        kept["facts"] = [entry for entry in stated if entry is not None]
    return kept


def _of_keys(entry: object, name: str, keys: set[str]) -> object:
    """An entry with those of the categories that it names which are known; None where none is."""
    named = entry.get(name) if isinstance(entry, dict) else None
    if not named:
        return entry
    if isinstance(named, str):
        return entry if named in keys else None
    if not isinstance(named, list):
        return entry
    known = [key for key in named if str(key) in keys]
    return {**entry, name: known} if known and isinstance(entry, dict) else None


def _extended(layer: LexiconLayer, shipped: Path) -> Path:
    """The folder of the lexicon that a layer is laid over."""
    name = layer.head.extends
    where = str(layer.folder / HEAD)
    check_file_name(name, f"{where}: extends")
    for folder in (shipped / name, layer.folder.parent / name):
        if folder.is_dir() and folder.resolve() != layer.folder.resolve():
            return folder
    raise SchemaError(f"{where}: extends: {no_such_lexicon(name, layer.folder.parent, shipped)}")


def no_such_lexicon(name: str, beside: Path, shipped: Path) -> str:
    """What is said where there is no lexicon of that name: those that ship and those beside."""
    known = set()
    for folder in (shipped, beside):
        for path in folder.glob("*"):
            if path.is_dir() and path.name != BASE and _holds_words(path):
                known.add(path.name)
    named = ", ".join(sorted(known))
    return f"there is no such lexicon {name!r:.60}; use one of {named}, or make the folder"


def _holds_words(folder: Path) -> bool:
    """Whether a folder is a lexicon: YAML files are also in a schema's and a company's folder."""
    for path in folder.glob("*.yaml"):
        if path.name in (HEAD, WORLD_FILE) or RULES.search(path.read_bytes()):
            return True
    return False


def _leave_out(layer: LexiconLayer, rules: dict[str, tuple[str, ...]]) -> None:
    """Takes out of the rules beneath what a layer's `without` names."""
    for name in layer.head.without:
        if name not in rules:
            raise SchemaError(
                f"{layer.folder / HEAD}: without: no lexicon beneath has a rule {name!r:.80}; mend"
                " the name"
            )
        del rules[name]


def _read(folder: Path, shipped: Path) -> LexiconLayer:
    """The rules of all files of a folder, and the keys of the world as they stand there."""
    if not folder.is_dir():
        said = no_such_lexicon(folder.name, folder.parent, shipped)
        raise SchemaError(f"{folder}: {said}")
    head = LexiconHead()
    rules: dict[str, tuple[str, ...]] = {}
    files: dict[str, Path] = {}
    facts: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        data = read_yaml(path)
        if path.name == HEAD:
            head = checked(LexiconHead, data, str(path))
            continue
        own_rules = data.pop("rules", None) or {}
        if not isinstance(own_rules, dict):
            raise SchemaError(f"{path}: rules: must hold names, each with a list of texts")
        for name, lines in own_rules.items():
            rules[name] = _lines(path, name, lines, name in rules)
            files[name] = path
        unknown = [key for key in data if key not in WORLD_KEYS]
        if unknown:
            raise SchemaError(
                f"{path}: unknown key {unknown[0]!r}; use rules or one of {', '.join(WORLD_KEYS)}"
            )
        incidents = data.pop("incidents", None) or {}
        if not isinstance(incidents, dict):
            raise SchemaError(f"{path}: incidents: must hold one plan for each issue's key")
        _put_incidents(path, facts.setdefault("incidents", {}), incidents)
        facts.update(data)
    return LexiconLayer(folder, head, rules, files, facts)


def _put_incidents(path: Path, into: dict[str, Any], plans: dict[str, Any]) -> None:
    """Adds the checked plans of one file; raises SchemaError for a fault, naming the file."""
    for key, plan in plans.items():
        if key in into:
            raise SchemaError(
                f"{path}: incidents.{key}: stands in another file of the folder too; keep one"
            )
        into[key] = checked(IncidentPlan, plan, f"{path}: incidents.{key}")


def _lines(path: Path, name: object, lines: object, seen: bool) -> tuple[str, ...]:
    if not isinstance(name, str):
        raise SchemaError(f"{path}: rules.{name!r:.60}: is no name; put it in quotes")
    if seen:
        raise SchemaError(
            f"{path}: rules.{name}: stands in another file of the folder too; keep one"
        )
    if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
        raise SchemaError(
            f"{path}: rules.{name}: must be a list of texts; quote lines that YAML reads otherwise"
        )
    if max(len(line) for line in lines) > LONGEST_LINE:
        raise SchemaError(
            f"{path}: rules.{name}: a line has more than {LONGEST_LINE:,} characters; make rules of"
            " its parts"
        )
    return tuple(lines)
