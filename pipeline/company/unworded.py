"""The written fields for which a company's lexicon has no rule at all.

Asked before anything is made: who writes with the embedded writer must have a rule for each field.
Follows no slots; those are `pipeline.company.needs`'s. Draws nothing and writes nothing.
"""

from collections.abc import Iterator
from pathlib import Path

from pipeline.company.faults import FileFault
from pipeline.company.lexicon_map import LexiconMap
from pipeline.company.scenes import note_lines
from pipeline.world.org import RunContext
from pipeline.write.rules import KEYED, candidates
from schemas.errors import BadInput
from schemas.lexicon import Lexicon
from schemas.positions import line_of


def unworded(setting: RunContext, lexicon: Lexicon) -> list[FileFault]:
    """The written fields for which the lexicon has no rule, with the rule to write."""
    words = LexiconMap(lexicon, ())
    found = []
    for item in setting.schema.objects:
        for written in item.written:
            source = written.written
            if source is None or source.beats:
                continue
            name = f"{item.name}.{written.name}"
            rule = source.rule or name
            if _is_worded(rule, words):
                continue
            file = Path(item.file)
            lines = note_lines(item, source)
            says = (
                f"{name} is written, and no rule words it; add the rule {rule} to the lexicon, with"
                f" lines such as {lines[0]}"
            )
            items = [f"  - {line}" for line in lines]
            example = ("rules:", f"  {rule}:", *items)
            number = line_of(file, ("properties", written.name))
            found.append(FileFault(file, number, says, example))
    return found


def _is_worded(rule: str, words: LexiconMap) -> bool:
    """Whether a rule words it, for some key at least."""
    return any(words.variants(name) for name in _anyhow(rule, words))


def require_words(setting: RunContext, lexicon: Lexicon) -> None:
    """Raises BadInput, with the rule to write, where a written field has none."""
    lacking = unworded(setting, lexicon)
    if not lacking:
        return
    first, *others = lacking
    more = f"; {len(others)} more fields lack one" if others else ""
    place = f"{first.file}: line {first.line}"
    raise BadInput(f"{place}: {first.says}{more}, or use --model")


def _anyhow(rule: str, words: LexiconMap) -> Iterator[str]:
    """Yields the names of rules that may word it for some key."""
    yield from candidates(rule, {})
    head, _, rest = rule.partition(".")
    if head not in KEYED:
        return
    begin = f"{head}."
    end = f".{rest}"
    for name in words.plain_names():
        if name.startswith(begin) and name.endswith(end):
            yield name
