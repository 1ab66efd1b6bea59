"""The page on a lexicon's rules: the grammar, and every rule name that the program asks for.

Reads the shipped lexicons and the Service Cloud schema. Composes no text.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from docs.make_reference.markdown import code, table
from pipeline.company.lexicon_map import EXAMPLES_FROM, general_name
from pipeline.company.meanings import MEANINGS
from pipeline.write.grammar import parse, slots
from pipeline.write.rules import KEYED
from schemas.lexicon import BASE, load_lexicon, read_layers
from schemas.loader import load_schema
from schemas.model import Schema
from schemas.profile import companies_folder, lexicons_folder
from schemas.world import KEYED_PARTS

Rules = Mapping[str, tuple[str, ...]]
ENQUIRY = ".enquiry_"
"""How rules on what people only ask name it: their words come with each industry's own."""
FIGURED = "policy"
"""How rules begin whose facts are figures of their own policy."""
NAMED = frozenset(["product", "company", "order_noun", "team", "category.for"])
"""Rules that a line may use like facts."""
OF_ANY_ISSUE = frozenset(["product", "product_short", "order_noun"])
"""What everything may use that people say about an issue."""
INDUSTRY = "goods"
"""The lexicon whose rules show what an industry's lexicon has to say."""

GRAMMAR = """# The rules of a lexicon

The embedded writer composes every text from rules. A rule has a name and a list of lines; each line
is one way to say the same thing. You need rules only for the embedded writer: a model writes
without them.

## The grammar

| In a line | Meaning |
|---|---|
| `[good\\|fine\\|]` | One of the alternatives, each as likely. An empty one means: nothing. |
| `{product}` | The fact of that name. If there is no such fact, a line of the rule of that name. |
| everything else | Stands as it is. |

Write a line in quotes, because `[`, `{` and `:` mean something in YAML. White space, capitals at
the beginning of a sentence and doubled full stops are mended afterwards, so you need not care about
them. Rules may refer to each other twelve deep.

## Which rule is taken

A slot such as `{issue.complaint}` asks for a rule by a *general name*. The writer tries these names
in order, and takes the first that has lines:

1. In a chat, `chat.` before each of the names below.
2. The name with the key of the case: `issue.sole_separation.complaint`.
3. The name with `any`: `issue.any.complaint`.
4. The general name itself: `issue.complaint`.

A remedy may have a rule beside one problem, which comes first:
`option.refund.late_delivery.steps`.

For `ask` and `answer` the topic of the question follows: `issue.sole_separation.ask.wear`, then
`issue.any.ask.any`.

A rule name may end in `@` and a *trait*: `c.open@angry` holds lines for an angry customer,
`a.greet@formal` for a formal agent. Where there are lines for the trait, they are taken two times
in three.

A lexicon lies over the lexicon `base`, and may extend another one between both. Its file
`_lexicon.yaml` says so:

```yaml
extends: generic
without: [category.any.use]
```

A rule takes the place of the rule of the same name beneath, and so does a key of the world;
`without` leaves rules of the extended lexicon out. `generic` fits whatever is sold, and `goods`
things that are shipped in boxes. Each line counts: the more lines a rule has, the more varied the
texts are."""


def lexicon_page() -> str:
    """The whole page."""
    layers = read_layers(lexicons_folder() / INDUSTRY, lexicons_folder() / BASE)
    base = layers[0].rules
    industry: dict[str, tuple[str, ...]] = {}
    for layer in layers[1:]:
        industry |= layer.rules
    schema = load_schema(companies_folder().parent / "service_cloud")
    askers = _askers(base, schema)
    return "\n\n".join(
        [
            GRAMMAR,
            _general_names(),
            _fields(schema),
            _beats(schema),
            _facts(schema),
            _industry(industry, askers),
            _base(base, askers),
        ]
    )


def _general_names() -> str:
    rows = [(code(f"{head}.…"), code(fact)) for head, fact in KEYED.items()]
    words = "A general name takes its key from a fact of the record:"
    return f"{words}\n\n{table(('Name', 'Key'), rows)}"


def _fields(schema: Schema) -> str:
    rows = []
    for item in schema.objects:
        for field in item.written:
            source = field.written
            if source:
                name = f"{item.name}.{field.name}"
                beats = f"the rules of the beats in {code(source.beats)}" if source.beats else ""
                asks = beats or code(source.rule or name)
                rows.append((code(name), asks, ", ".join(map(code, source.must))))
    header = ("Written field", "Asks for", "Its text must name")
    words = """## What written fields ask for

A written field asks for the rule in its `rule`, or for the rule that is named after it. A field
with `beats` asks for a rule for each dialogue act. These are the written fields of the Service
Cloud schema:"""
    return f"{words}\n\n{table(header, rows)}"


def _beats(schema: Schema) -> str:
    rows = []
    for name, beat in (schema.beats or {}).items():
        asks = ", ".join(code(rule) for rule in beat.rules or (name,))
        rows.append((code(name), beat.says, asks, ", ".join(map(code, beat.must))))
    header = ("Beat", "What the speaker does", "Asks for", "Must name")
    words = """## What dialogue acts ask for

An e-mail or a line of a chat says one or more *beats*. A beat that begins with `c.` is the
customer's, one with `a.` the agent's. `schemas/service_cloud/_beats.yaml` defines them."""
    return f"{words}\n\n{table(header, rows)}"


def _facts(schema: Schema) -> str:
    rows = []
    for item in schema.objects:
        names = [*(item.facts or {}), *(item.part_facts or {})]
        if names:
            rows.append((code(item.name), ", ".join(map(code, dict.fromkeys(names)))))
    words = """## Facts

A line may use every fact of its record. The `x-facts` and `x-part-facts` of the object type name
them:"""
    return f"{words}\n\n{table(('Object type', 'Facts'), rows)}"


def _industry(rules: Rules, askers: Mapping[str, set[str]]) -> str:
    keys = _world_keys()
    counted: dict[str, list[int]] = defaultdict(list)
    for name, lines in rules.items():
        counted[_general(name, keys)].append(len(lines))
    rows = []
    for name in sorted(counted):
        plain = name.removeprefix("chat.")
        asked = ", ".join(code(asker) for asker in sorted(askers.get(plain, ()))[:3])
        counts = (str(len(counted[name])), str(sum(counted[name])))
        facts = ", ".join(code(fact) for fact in _facts_of(name))
        rows.append((code(name), MEANINGS[plain], asked or "rules beside it", facts, *counts))
    header = ("General name", "What it says", "Asked for by", "Facts", "Rules", "Lines")
    words = f"""## What an industry's lexicon supplies

`base` holds everything that people say whatever a company sells. An industry's lexicon adds these
rules, by key or with `any`. The facts are those that lines of the shipped lexicons use there;
`company check` tells which others there are. The last columns count the rules and lines of the
lexicon `{INDUSTRY}`, traits included, as a measure for your own."""
    return f"{words}\n\n{table(header, rows)}"


def _facts_of(name: str) -> tuple[str, ...]:
    """The facts that lines of a rule may use: `issue.complaint` is `issue.*.complaint` there."""
    chat = "chat." if name.startswith("chat.") else ""
    head, _, rest = name.removeprefix("chat.").partition(".")
    keyed = f"{chat}{head}.*.{rest}" if head in KEYED else name
    used = _facts_used().get(keyed, frozenset())
    if head == FIGURED:
        used &= NAMED
    elif head == "issue" and not rest.startswith("article."):
        used |= OF_ANY_ISSUE
    return tuple(sorted(used))


@lru_cache(maxsize=1)  # every row of the table asks for it
def _facts_used() -> Mapping[str, frozenset[str]]:
    """General name of a rule -> the facts that lines of its like use in lexicons that ship."""
    base = lexicons_folder() / BASE
    facts: dict[str, set[str]] = defaultdict(set)
    for shipped in EXAMPLES_FROM:
        rules = load_lexicon(base.parent / shipped, base).rules
        known = {name.partition("@")[0] for name in rules}
        for name, lines in rules.items():
            if ENQUIRY in name:
                continue
            for line in lines:
                used = {slot for slot in slots(parse(line)) if "." not in slot or slot in NAMED}
                facts[general_name(name)] |= used - known | used & NAMED
    return {name: frozenset(found) for name, found in facts.items()}


def _world_keys() -> frozenset[str]:
    keys = {"any"}
    for layer in read_layers(lexicons_folder() / INDUSTRY, lexicons_folder() / BASE):
        for part in KEYED_PARTS:
            keys.update(entry["key"] for entry in layer.facts.get(part, ()))
    return frozenset(keys)


def _general(name: str, keys: Iterable[str]) -> str:
    """A rule's general name: `chat.issue.leaking.complaint@angry` is `chat.issue.complaint`."""
    plain = name.partition("@")[0]
    chat = "chat." if plain.startswith("chat.") else ""
    steps = plain.removeprefix("chat.").split(".")
    if steps[0] in KEYED and len(steps) > 2 and steps[1] in keys:
        del steps[1]
        if len(steps) > 2 and steps[1] in keys:
            # A remedy may have words of its own beside one problem.
            del steps[1]
        # Behind the general name a topic or a figure may stand: `issue.ask.wear`.
        steps = steps[: 3 if steps[1] == "article" else 2]
    return chat + ".".join(steps)


def _askers(base: Rules, schema: Schema) -> dict[str, set[str]]:
    """General name -> the fields, beats and rules of base that ask for it."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in schema.objects:
        for field in item.written:
            if field.written and not field.written.beats:
                name = f"{item.name}.{field.name}"
                found[field.written.rule or name].add(name)
    for name, beat in (schema.beats or {}).items():
        for rule in beat.rules or (name,):
            found[rule].add(f"beat {name}")
    for name, lines in base.items():
        for line in lines:
            for slot in slots(parse(line)):
                found[slot].add(name.partition("@")[0])
    found["option.article"].add("options_block")
    found["policy.question"].add("task knowledge_qa")
    return found


def _base(base: Rules, askers: Mapping[str, set[str]]) -> str:
    traits: dict[str, list[str]] = defaultdict(list)
    lines: dict[str, int] = defaultdict(int)
    facts: dict[str, set[str]] = defaultdict(set)
    for name, texts in base.items():
        plain, _, trait = name.partition("@")
        lines[plain] += len(texts)
        if trait:
            traits[plain].append(trait)
        for text in texts:
            facts[plain] |= slots(parse(text))
    rows = []
    for name in sorted(lines):
        used = ", ".join(code(slot) for slot in sorted(facts[name]))
        rows.append((code(name), ", ".join(traits[name]), str(lines[name]), used))
    words = f"""## The rules of `base`

The lexicon `base` has {len(base)} rules under {len(lines)} names. Your lexicon may replace any of
them. The last column says which facts and rules its lines use."""
    return f"{words}\n\n{table(('Rule', 'Traits', 'Lines', 'Slots'), rows)}"
