"""`python -m tests.soql_corpus FOLDER`: statements of public code, and which of them we refuse.

A folder holds checkouts of anything that writes SOQL or SOSL: test cases of parsers, Apex classes,
clients. Nothing of them is kept here, for their licences are their own. Each statement is made to
fit our schema first: an object or a field that we lack gives way to one of ours, by trial, and an
Apex bind to a value. What is refused then is refused for its form or its function; it is printed,
grouped by what the refusal says. Ends with exit code 1 where a refusal isn't among `JUSTIFIED`, the
reasons for which a CRM refuses as well.

Example: `git clone https://github.com/jetstreamapp/soql-parser-js /tmp/corpora/parser`, then
`python -m tests.soql_corpus /tmp/corpora`.
"""

import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from orgweave.crm.field import CrmObject
from orgweave.soql.engine import Engine
from pipeline.config import RunRequest, load_job
from schemas.errors import QueryRefused
from schemas.field import Field
from schemas.model import Schema
from schemas.sources import ConstantSource
from tests.soql_toys import CLOCK, write_toys

SOURCES = frozenset(
    {".apex", ".cls", ".java", ".js", ".py", ".rb", ".robot", ".rst", ".soql", ".sosl", ".ts"}
    | {".txt", ".yml", ".yaml"}
)
LARGEST = 2_000_000
"""Bytes of a file that is looked through: a larger one is data."""
QUOTED = re.compile(
    r'"""(?P<long>.*?)"""'
    r"|`(?P<tick>(?:[^`\\]|\\.)*)`"
    r'|"(?P<double>(?:[^"\\\n]|\\.)*)"'
    r"|'(?P<single>(?:[^'\\\n]|\\.)*)'"
    r"|\[(?P<apex>\s*(?:select|find)\s[^\]]*)\]",
    re.DOTALL | re.IGNORECASE,
)
STATEMENT = re.compile(r"\s*(?:select\s.*\bfrom\s+\w.*|find\s*[{'].*)", re.DOTALL | re.IGNORECASE)
HOLE = re.compile(
    r"\$\{|%[sd]\b|(?i:geolocation|distance)\([^)]*:|\{\w+\[|\{\d*\}|\{[a-z_.]+\}|\.\.\.|#\{"
)
"""What says that a text is only a part of a statement, which a program fills in."""
BIND = re.compile(r":\s*[A-Za-z_][\w.]*(?:\([^)]*\))?(?:\.\w+(?:\([^)]*\))?)*")
PLACE = re.compile(r"ERROR at Row:(\d+):Column:(\d+)")
WORD = re.compile(r"[A-Za-z]\w*")
MOST_TRIALS = 2000
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
AFTER_IN = re.compile(r"(\b(?:in|includes|excludes)\s*)'x'", re.IGNORECASE)
AFTER_LIMIT = re.compile(r"(\b(?:limit|offset)\s*)'x'", re.IGNORECASE)
NAME = re.compile(r"[A-Za-z]\w*(?:\s*\.\s*\w+)*")
NO_FIELD = re.compile(r"\w+\s*\(|(?:select|from|where|typeof|when|then)\b", re.IGNORECASE)
"""What is called, or a word of the language."""
VALUE = re.compile(r"'(?:[^'\\]|\\.)*'|[^\s,)]+")
COMPARED = re.compile(
    r"[A-Za-z][\w.]*(?=\)?\s*(?:=|!=|<|>|\bnot\b|\bin\b|\blike\b|\bincludes\b))", re.IGNORECASE
)
ROOT = re.compile(r"\bfrom\s+([A-Za-z]\w*)", re.IGNORECASE)
VALUES = (
    *("'x'", "('x')", "1", "true", "2024-01-01", "2024-01-01T00:00:00Z"),
    *("'001zz0000000001'", "('001zz0000000001')"),
)
"""What a bind may stand for."""
UNKNOWN = "No such column"
NAMED = re.compile(
    r"No such column|Didn't understand relationship|is not supported|must be of type|duplicate"
    r"|can not be (?:grouped|sorted|filtered)|does not support aggregate|invalid operator"
    r"|invalid ID|takes a |TYPEOF takes|leads to|types of a semi join|should not be on the same"
    r"|left side of a semi join|selects an id|has no owner|should not be aggregated|must be grouped"
)
"""Refusals of a name: another one may do."""
JUSTIFIED: dict[str, re.Pattern[str]] = {
    "only a part of a statement": re.compile(r"breaks off|has no end"),
    "SQL": re.compile(r"SOQL has no|unexpected character: '[\"?$;]'|a query has no ;"),
    "comments": re.compile(r"unexpected character: '/'"),
    "Apex around the statement": re.compile(r"unexpected (?:token|character): '?(?::|Map|INVALID)"),
    "AND, OR and NOT without parentheses": re.compile(r"put parentheses"),
    "an amount with a currency, in an org that has one": re.compile(
        r"token: '(?:[Uu][Ss][Dd]|-?[\d.]+'$)"
    ),
    "an alias of a field without a group": re.compile(r"use field aliasing"),
    "the same field twice": re.compile(r"duplicate field selected"),
    "a datetime without its zone, or that no clock tells": re.compile(r"write a date as"),
    "an aggregate beside a field that isn't grouped": re.compile(r"must be grouped"),
    "GROUPING() or HAVING of two fields": re.compile(r"takes one grouped field|exactly one field"),
    "records and groups at once": re.compile(r"a grouped query takes no"),
    "a bind where only Apex takes one": re.compile(r"takes GEOLOCATION"),
    "a scoping rule of somebody's org": re.compile(r"scope 'myrule'", re.IGNORECASE),
    "no value or operator": re.compile(
        r"unexpected token: '(?:foo|LIK|X|but|this|where|[)5]|BY|ORDER|LIMIT|10|id|IsPerson)"
    ),
    "a program's text around it": re.compile(r"unexpected (?:token|character): '[{^+~\[?]"),
    "not set up in the org": re.compile(r"FUNCTIONALITY_NOT_ENABLED|scope 'my_\w*territory'", re.I),
    "COUNT() beside something": re.compile(r"COUNT\(\) (?:alone )?stands"),
    "FIELDS() without its LIMIT": re.compile(r"FIELDS\(\w+\) must have a LIMIT"),
    "semi-joins where none may stand": re.compile(r"[Ss]emi join|semi joins and anti joins"),
    "a function that isn't released": re.compile(r"'FORMULA\('"),
    "quotes around a search in REST": re.compile(r"enclosed in braces"),
}
"""Why a CRM refuses as well -> what the refusal says."""


@dataclass(frozen=True, slots=True)
class Found:
    """A statement, the file it stands in, and whether that file itself says that it is wrong."""

    text: str
    path: Path
    wrong: bool


def found_in(folder: Path) -> list[Found]:
    """Every statement in the files of a folder, each once."""
    seen: dict[str, Found] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SOURCES and path.is_file() and path.stat().st_size < LARGEST:
            source = path.read_text(encoding="utf-8", errors="replace")
            for found in _statements(source, path):
                seen.setdefault(" ".join(found.text.split()), found)
    return list(seen.values())


def _statements(source: str, path: Path) -> Iterator[Found]:
    if path.suffix in (".soql", ".sosl"):
        if STATEMENT.fullmatch(source):
            yield Found(source.strip(), path, wrong=False)
        return
    for match in QUOTED.finditer(source):
        text = next(part for part in match.groups() if part is not None)
        if match["apex"] is None:
            text = _plain(text)
        if STATEMENT.fullmatch(text) and not HOLE.search(text):
            behind = source[match.end() : match.end() + 60]
            yield Found(text.strip(), path, "isValid: false" in behind)


def _plain(text: str) -> str:
    """A literal's text without its own language's escapes."""
    return ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), text)


class Fitter:
    """Makes statements fit the engine's schema, by trial."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.trials = 0

    def fitted(self, text: str) -> tuple[str, str]:
        """The statement with our names, and why it is refused then; "" where it is answered.

        Where a name leads nowhere, the one before it is chosen anew.
        """
        self.trials = 0
        text = _without_binds(text)
        refusal = self._refusal(text)
        last = text, refusal
        seen = {text, ""}
        ways = [self._others(text, refusal, seen)]
        while refusal and ways and self.trials < MOST_TRIALS:
            found = next(ways[-1], None)
            if found is None:
                ways.pop()
                continue
            last = found
            text, refusal = found
            if refusal and not NAMED.search(refusal):
                break
            ways.append(self._others(text, refusal, seen))
        return last

    def _others(self, text: str, refusal: str, seen: set[str]) -> Iterator[tuple[str, str]]:
        """The statement with another name at the refusal's place, where the refusal moves."""
        if not NAMED.search(refusal):
            return
        place = _place(text, refusal)
        for start, end, others in self._choices(text, place, refusal):
            for tried in _rewritten(text, start, end, others):
                if tried in seen:
                    continue
                seen.add(tried)
                outcome = self._refusal(tried)
                shift = len(tried) - len(text) if start < place else 0
                moved = not outcome or _place(tried, outcome) not in (place, place + shift, start)
                found = (
                    UNKNOWN in refusal and UNKNOWN not in outcome and bool(NAMED.search(outcome))
                )
                if moved or found:
                    yield tried, outcome

    def _choices(self, text: str, place: int, refusal: str) -> Iterator[tuple[int, int, list[str]]]:
        """Parts of the statement that may give way, and to what."""
        fields = self._fields(text)
        if "must be of type" in refusal or "invalid ID" in refusal:
            value = VALUE.match(text, place)
            before = list(COMPARED.finditer(text[:place]))
            for match in before[-1:]:
                yield match.start(), match.end(), fields
            if value:
                yield value.start(), value.end(), list(VALUES)
        elif "is not supported" in refusal or "in FROM part" in refusal:
            names = NAME.match(text, place)
            if names:
                yield names.start(), names.end(), self._sources(text, refusal)
        else:
            known = re.search(r"leads to (.*), not to", refusal)
            others = known[1].split(" or ") if known else fields
            names = (
                match
                for match in NAME.finditer(text, place)
                if not NO_FIELD.match(text, match.start())
            )
            for match in islice(names, 1):
                yield match.start(), match.end(), others
        root = ROOT.search(text)
        if root and "unexpected" not in refusal:
            yield root.start(1), root.end(1), self._sources(text, "")

    def _fields(self, text: str) -> list[str]:
        """Fields of the statement's object types, the types of field in turn."""
        found: list[str] = []
        words = {word.lower() for word in WORD.findall(text)}
        for entity in self.engine.entities.values():
            if entity.name.lower() in words or self._is_child(entity, words):
                found += _by_turns(entity)
        return found

    def _is_child(self, entity: CrmObject, words: set[str]) -> bool:
        """Whether a child relationship that leads to it is named."""
        for parent in self.engine.entities.values():
            for name, child in parent.children.items():
                if name in words and child.entity == entity.name:
                    return True
        return False

    def _sources(self, text: str, refusal: str) -> list[str]:
        """Object types or child relationships, those with most of the statement's words first."""
        words = {word.lower() for word in WORD.findall(text)}
        if "in FROM part" in refusal:
            known = re.search(r"Child relationships of \w+: (.*)\.", refusal)
            return known[1].split(", ") if known else []

        def shared(entity: CrmObject) -> int:
            return -len(words & (set(entity.fields) | set(entity.parents) | set(entity.children)))

        tables = [entity for entity in self.engine.entities.values() if not entity.rows]
        return [entity.name for entity in sorted(tables, key=shared)]

    def _refusal(self, text: str) -> str:
        self.trials += 1
        try:
            if text.lstrip()[:4].upper() == "FIND":
                self.engine.search(text)
            else:
                self.engine.query(text)
        except QueryRefused as refused:
            return f"{refused.code} {refused}"
        return ""


def _rewritten(text: str, start: int, end: int, others: list[str]) -> Iterator[str]:
    """The statement with other words in the place of one: wherever it stands, then there alone."""
    everywhere = re.compile(rf"(?<![\w.']){re.escape(text[start:end])}(?![\w.'(])")
    words = set(WORD.findall(text))
    if NAME.match(text, start):
        for other in others:
            if other not in words:
                yield everywhere.sub(other, text)
    for other in others:
        yield text[:start] + other + text[end:]


def _by_turns(entity: CrmObject) -> list[str]:
    """The fields of an object type: one of each type, then another one of each."""
    of_type: defaultdict[str, list[str]] = defaultdict(list)
    for field in entity.fields.values():
        of_type[field.type].append(field.name)
    longest = max(len(names) for names in of_type.values())
    turns = range(min(longest, 4))
    return [names[turn] for turn in turns for names in of_type.values() if turn < len(names)]


def _place(text: str, refusal: str) -> int:
    """Where in the statement a refusal points."""
    found = PLACE.search(refusal)
    if found is None:
        return 0
    row, column = int(found[1]), int(found[2])
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: row - 1]) + column - 1


def _reason(refusal: str) -> str:
    """A refusal without the place and what is named in it."""
    code = refusal.partition(" ")[0]
    said = PLACE.split(refusal)[-1].strip()
    return f"{code}: {re.sub(r'[^ ]*[0-9_.][^ ]*', '…', said)[:90]}"


def _without_binds(text: str) -> str:
    """A statement with values in the place of Apex's binds."""
    parts = re.split(r"('(?:[^'\\]|\\.)*')", text)
    parts[::2] = [part if "_N_" in part.upper() else BIND.sub("'x'", part) for part in parts[::2]]
    text = "".join(parts)
    return AFTER_LIMIT.sub(r"\g<1>5", AFTER_IN.sub(r"\g<1>('x')", text))


def _why(refusal: str) -> str:
    """Why a CRM refuses as well, or ""."""
    for why, says in JUSTIFIED.items():
        if says.search(refusal):
            return why
    return ""


def _schema() -> Schema:
    """Ours, with a field of each type that it lacks on every object."""
    schema = load_job(RunRequest("shoes")).setting.schema
    choices = {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    more = {
        "Choices__c": choices,
        "Amount__c": {"type": "number"},
        "Size__c": {"type": "integer"},
        "Choice__c": {"type": "string", "enum": ["a", "b"]},
        "Day__c": {"type": "string", "format": "date"},
    }
    extended = []
    for item in schema.objects:
        added = [
            Field(name, form, ConstantSource(constant=None), required=False)
            for name, form in more.items()
            if not item.has(name)
        ]
        extended.append(replace(item, fields=(*item.fields, *added)))
    return replace(schema, objects=tuple(extended))


def main() -> None:
    """Prints what became of the statements; exits 1 where a refusal isn't justified."""
    statements = found_in(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="orgweave-corpus-") as folder:
        schema = _schema()
        write_toys(Path(folder) / "org.sqlite", schema, {})
        engine = Engine(Path(folder) / "org.sqlite", schema, CLOCK)
        outcomes, left = _tried(Fitter(engine), statements)
        engine.close()
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:6,}  {outcome}")
    for reason, texts in sorted(left.items(), key=lambda item: -len(item[1])):
        print(f"\n{len(texts)}  {reason}")
        for text in texts:
            print(f"    {text[:300]}")
    sys.exit(1 if left else 0)


def _tried(fitter: Fitter, statements: list[Found]) -> tuple[Counter[str], dict[str, list[str]]]:
    """How many statements had which outcome, and those whose refusal isn't justified."""
    outcomes: Counter[str] = Counter()
    left: defaultdict[str, list[str]] = defaultdict(list)
    for found in statements:
        text, refusal = fitter.fitted(found.text)
        why = _why(refusal)
        if not refusal:
            outcomes[
                "answered, though its own source calls it wrong" * found.wrong or "answered"
            ] += 1
        elif found.wrong or why:
            outcomes[f"refused: {why or 'its own source calls it wrong'}"] += 1
        else:
            outcomes["refused, and nobody says why"] += 1
            left[_reason(refusal)].append(f"{found.path.name}: {' '.join(text.split())}")
    return outcomes, left


if __name__ == "__main__":
    main()
