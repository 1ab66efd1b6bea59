"""The pages on sources, and on the small language of paths, templates and filters."""

import inspect
from pathlib import Path

import yaml

import schemas
from docs.make_reference.markdown import code, fenced, paragraph, table
from docs.make_reference.models import keys_of, keys_table
from schemas.filters import FILTERS, filtered
from schemas.paths import PROFILE_WORDS
from schemas.sources import SOURCES

FILTERED = {
    "lower": "Dana",
    "upper": "Dana",
    "slug": "Kids' Shoes & More",
    "letters": "O'Neill-Smith",
    "word": "Anna Maria",
    "long_date": "2021-03-03",
    "month": "2021-03-03",
    "money": "129",
    "title": "standard room",
}
"""A text to show each filter by."""
PATHS = {
    "Subject": "a field of the record itself",
    "OrderId.AccountId.Name": "a field behind references, one step for each reference",
    "latent.CaseStory.cases.tone": (
        "a column of a latent table: the variable, its table, the column; row by row"
    ),
    "ParentId.latent.CaseStory.cases.tone": "the same for the record that `ParentId` refers to",
    "latent.CaseStory.messages.agent.Name": (
        "a latent column that refers to records, and a field of these"
    ),
    "company.domain": "a word of the profile",
    "period.start": "the first day of the profile's period",
}


def sources_page() -> str:
    """The page on all kinds of sources, each with an example from a shipped schema."""
    introduction = f"""# Sources

`x-source` says where the value of a field comes from. A source is a mapping, and one key names its
kind. There are {len(SOURCES)} kinds:"""
    kinds = ", ".join(f"[{kind}](#{kind})" for kind in SOURCES)
    examples = shipped_examples()
    sections = [_kind(kind, examples[kind]) for kind in SOURCES]
    return "\n\n".join([introduction, kinds, *sections])


def _kind(kind: str, example: str) -> str:
    model = SOURCES[kind]
    words = paragraph(inspect.getdoc(model) or "")
    keys = keys_table(keys_of(model))
    return "\n\n".join([f"## {kind}", words, keys, fenced("yaml", f"x-source: {example}")])


def shipped_examples() -> dict[str, str]:
    """The shortest example of each kind in the shipped schemas, as one line of YAML."""
    found: dict[str, str] = {}
    for path in sorted(Path(schemas.__file__).parent.glob("*/[A-Z]*.yaml")):
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        # A schema that extends another one may state a few fields, or none, or leave one out.
        stated = [field for field in data.get("properties", {}).values() if field]
        for field in [*stated, *_common(path.parent).values()]:
            source = field["x-source"]
            kind = next(kind for kind in SOURCES if kind in source)
            line = yaml.safe_dump(source, default_flow_style=True, width=10_000, sort_keys=False)
            if kind not in found or len(line) < len(found[kind]):
                found[kind] = line.strip()
    return found


def _common(folder: Path) -> dict[str, dict[str, object]]:
    """The fields that all object types of a schema have."""
    path = folder / "_common.yaml"
    if not path.exists():
        return {}
    return dict(yaml.safe_load(path.read_text(encoding="utf-8"))["properties"])


def paths_page() -> str:
    """The page on paths, templates and filters."""
    words: list[str] = []
    for first, seconds in PROFILE_WORDS.items():
        words.extend(code(f"{first}.{second}") for second in seconds)
    filters = []
    for name in FILTERS:
        result = filtered(name, FILTERED[name])
        filters.append((code(name), code(FILTERED[name]), code(result)))
    filters.append(("a number, such as `3`", code("Running"), code(filtered("3", "Running"))))
    return f"""# Paths, templates and filters

Schema files say with paths and templates where a value comes from.

## Paths

A path is read from a record, and its steps are joined by dots:

{table(("Path", "What it names"), [(code(path), says) for path, says in PATHS.items()])}

The words of the profile are {", ".join(words)}.

A path may not go on behind a field that is no reference. The loader checks every path before
anything is drawn, and names the file and the keyword of a wrong one.

## Templates

A template is text with paths in braces. `template` sources, `x-facts` and `x-label` take one:

```yaml
x-source: {{template: "{{FirstName:letters}}.{{LastName:letters}}@example.com"}}
```

Behind a path, filters may follow, each after a colon. They are applied from left to right:
`{{Family:letters:3}}` keeps the first three letters.

## Filters

{table(("Filter", "Of", "Makes"), filters)}"""
