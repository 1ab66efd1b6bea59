"""Which facts the lines of drafted rules may use and must name, and how long they have to be.

Found by trial: rules of one line each are laid over the lexicon and followed as the check of a
whole company follows them, so that what a prompt allows is what the check lets pass. Knows no
prompts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.company.lexicon_map import CHAT, LexiconMap, LineLibrary, general_name
from pipeline.company.meanings import FACTS, SAME_FACT, SENSIBLE
from pipeline.company.needs import WordWalk
from pipeline.config import PreparedRun
from schemas.lexicon import Lexicon

NOTHING_NAMED = "-"
"""A line that names nothing: what is missed in it is what a line must name."""
EVERY_FACT = " ".join(f"{{{fact}}}" for fact in FACTS)
"""A line that names each fact: what is unfilled in it is what a line may not use."""


@dataclass(frozen=True, slots=True)
class LineFacts:
    """The facts that each line of a rule may use, and those that each must name.

    `least` is how many characters each has at least, 0 where any number will do.
    """

    may: tuple[str, ...]
    must: tuple[str, ...]
    least: int = 0


def line_facts(
    job: PreparedRun,
    rules: Sequence[str],
    file: Path,
    library: LineLibrary,
) -> dict[str, LineFacts]:
    """The facts of each of the rules; `file` is one in the folder that they will stand in."""
    plain = _walked(job, rules, NOTHING_NAMED, file, library)
    musts: dict[str, list[str]] = {name: [] for name in rules}
    for name, fact in sorted(plain.unnamed):
        musts.setdefault(name, []).append(SAME_FACT.get(fact, fact))
    usable: dict[str, list[str]] = {name: [] for name in rules}
    # A rule that words a fact is tried apart: where it names others, lines that use it lack these.
    wording = [name for name in rules if name in FACTS]
    others = [name for name in rules if name not in FACTS]
    for tried in filter(None, (others, wording)):
        walk = _walked(job, tried, EVERY_FACT, file, library, rules)
        for fact in FACTS:
            for name in _fitting(walk, fact, tried):
                if fact in _sensible(name):
                    usable[name].append(fact)
    found = {}
    for name in rules:
        least = plain.too_short.get(name, 0)
        found[name] = LineFacts(tuple(usable[name]), tuple(musts[name]), least)
    return found


def _sensible(name: str) -> tuple[str, ...]:
    """The facts that make sense in a rule, whether its texts have them or not."""
    plain = general_name(name).replace("*.", "").partition("@")[0].removeprefix(CHAT)
    for key in (plain, plain.partition(".")[0]):
        if key in SENSIBLE:
            return SENSIBLE[key]
    return ()


def _walked(
    job: PreparedRun,
    rules: Iterable[str],
    line: str,
    file: Path,
    library: LineLibrary,
    there: Iterable[str] = (),
) -> WordWalk:
    """A walk through the lexicon in which each of the rules has this one line, and what else is to
    be `there` one that names nothing.
    """
    plain = dict.fromkeys(there, (NOTHING_NAMED,))
    lexicon = with_rules(job.lexicon, plain | dict.fromkeys(rules, (line,)), file)
    words = LexiconMap(lexicon, [file.parent], library)
    walk = WordWalk(job.setting, words, job.sources.profile)
    walk.faults()
    return walk


def _fitting(
    walk: WordWalk,
    fact: str,
    rules: Sequence[str],
) -> list[str]:
    """The rules that are asked for, and whose every scene has the fact."""
    own = {(name, scene) for name, slot, scene in walk.unfilled if slot == fact}
    # Where a rule words the fact, that rule's own slots may be what a scene doesn't fill.
    lacking = {scene for name, _, scene in walk.unfilled if name == fact}
    scenes: dict[str, set[str]] = {}
    for name, scene in walk.visited:
        scenes.setdefault(name, set()).add(scene)
    found = []
    for name in rules:
        met = scenes.get(name, set())
        if met and not met & lacking and not any((name, scene) in own for scene in met):
            found.append(name)
    return found


def with_rules(
    lexicon: Lexicon,
    rules: Mapping[str, Sequence[str]],
    file: Path,
) -> Lexicon:
    """The lexicon with some more rules, as if they stood in the file."""
    added = {name: tuple(lines) for name, lines in rules.items()}
    files = {**lexicon.files, **dict.fromkeys(added, file)}
    return Lexicon(
        lexicon.name,
        {**lexicon.rules, **added},
        lexicon.world,
        files,
    )
