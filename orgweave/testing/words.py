"""The embedded writer's words for a prompt, and a reader's choices for a judge's.

The words of a unit depend on its facts, not on how often it was asked: after a fault the same
words come again, and of a conversation that is asked in part those that were written with the
whole. Only a text that was refused (its note quotes it), or that the rules would refuse, is
replaced by the next one. Knows no HTTP.

Example: `Words(job).entries(prompt)` is `[{"unit": 3, "Name": "Alder Trail Boot", ...}, ...]`.
"""

import hashlib
import json
import random
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from orgweave.testing.asked import JudgedText, Prompt
from orgweave.testing.foreign import (
    SYLLABLES,
    as_stated,
    demanded_abroad,
    foreign_entry,
    phrases_of,
)
from orgweave.testing.plans import ActReader, act_reader
from pipeline.config import PreparedRun
from pipeline.world.streams import text_stream
from pipeline.write.embedded import EmbeddedWriter, first_texts
from pipeline.write.queries import QUERY, query_field
from pipeline.write.questions import NOT_SAID, text_of
from pipeline.write.request import WriteRequest
from pipeline.write.telling import UNSAID, UNSAID_BY_PLAN
from pipeline.write.work import whole_parts, written_fields
from schemas.beats import beat_named
from schemas.errors import BadInput
from schemas.incidents import plan_for
from verifiers.answer import AnswerRules
from verifiers.material import Fact, Unit

AnswerEntry = dict[str, object]
REMEMBERED = 50_000
"""Texts whose meaning is kept for a judge's questions: more than one org has."""
CANDIDATES = 60
"""Texts tried before one that the rules refuse goes out all the same."""
NAMED_FROM = 90
"""Likeness, of 100, from which a candidate counts as named in a text."""
OF_TURN = re.compile(r"text \d+ was ")
"""With this begins a note on one turn of a conversation, which quotes its text."""
MISSED = re.compile(r": content: does not name \w+ \((?P<value>.*)\)$", re.DOTALL)
"""So ends a note on a text that lacks a fact; a text that has it was not the refused one."""
QUOTED = 40
"""Characters of a text by which a note's quotation is known."""


NOT_SHOWN = UNSAID | UNSAID_BY_PLAN
"""Facts that a prompt may leave out although they aren't empty."""
BEATS = "beats"
"""The fact that holds the names of what a text has to say, with commas between."""
DETAIL = re.compile(r"issue\.\w+\..+")
"""An act that tells a detail of one issue, such as a sign or a cause of it."""
NOTICED = re.compile(r"A reader finds|does not name")
"""What a note says of a text about another issue: it reads so, or lacks a sign of this one."""


ANY_DETAIL = ("May 4", "Wednesday", "May")
"""A day, or whatever else a detail without stated values is."""


@dataclass(frozen=True, slots=True)
class WrittenTalk:
    """A conversation as it was last written: the texts of all turns, and how many were open."""

    texts: tuple[str, ...]
    written: int


@dataclass(slots=True)
class Words:
    """Answers prompts about one company.

    `misread` is the share of single records that are first written about another issue.

    `plain` gives words without meaning, which cost next to nothing to make (single records only).
    """

    job: PreparedRun
    plain: bool = False
    misread: float = 0.0
    _meant: OrderedDict[str, frozenset[str]] = field(default_factory=OrderedDict)
    _talks: OrderedDict[tuple[str, int], WrittenTalk] = field(default_factory=OrderedDict)
    _writer: EmbeddedWriter = field(init=False)
    _acts: ActReader = field(init=False)

    def __post_init__(self) -> None:
        beats = self.job.setting.schema.beats or {}
        self._writer = EmbeddedWriter(self.job.lexicon, beats, self.job.setting.country.english)
        self._acts = act_reader(beats, self.job.lexicon.world)

    def knows(self, prompt: Prompt) -> bool:
        """Whether it is a prompt of this company: a judge's, a query's or an object type's."""
        name = prompt.object
        return bool(prompt.reads) or name.startswith(QUERY) or self.job.setting.schema.has(name)

    def entries(self, prompt: Prompt) -> list[AnswerEntry]:
        """An entry for each unit, or for each text of a judge's prompt."""
        if prompt.reads:
            return [self._choices(read) for read in prompt.reads]
        if prompt.language:
            return self._foreign(prompt)
        prompt = self._read(prompt)
        request, earlier = self._request(prompt), list(prompt.earlier)
        made: list[AnswerEntry] = []
        for unit in prompt.units:
            entry = self._rest_of_talk(request, unit) or self._entry(request, unit, earlier)
            self._keep_talk(request, unit, entry)
            made.append(entry)
            earlier += first_texts(entry)
        return made

    def _foreign(self, prompt: Prompt) -> list[AnswerEntry]:
        """Entries in the language that the prompt asks for."""
        phrases = phrases_of(prompt.language)
        if phrases is None:
            raise BadInput(f"no words are known in {prompt.language}; add it to foreign.yaml")
        request = self._request(prompt)
        made = []
        for unit in prompt.units:
            entry = self._rest_of_talk(request, unit)
            if entry is None:
                entry = foreign_entry(request.fields, unit, phrases, len(unit.notes))
            self._keep_talk(request, unit, entry)
            facts = as_stated(unit.facts, self.job.setting.profile.locale)
            self._remember(prompt.object, replace(unit, facts=facts), entry)
            made.append(entry)
        return made

    def _rest_of_talk(self, request: WriteRequest, unit: Unit) -> AnswerEntry | None:
        """The open texts of a conversation as they were written with all of it.

        None where the turns that are given are not those of a conversation written here, or where
        it was these very texts that were refused.
        """
        talk = self._talks.get((request.object, unit.id))
        if talk is None or len(unit.open_parts) >= talk.written:
            return None
        if len(talk.texts) != len(unit.parts):
            return None
        texts: list[str] = []
        for part, text in zip(unit.parts, talk.texts, strict=True):
            if not part.get("given"):
                texts.append(text)
            elif part["given"] != text:
                return None
        entry: AnswerEntry = {"unit": unit.id, request.fields[0].name: texts}
        return None if _quoted(entry, unit.notes) else entry

    def _keep_talk(self, request: WriteRequest, unit: Unit, entry: AnswerEntry) -> None:
        """Keeps a conversation's texts, for when only some of them are asked again."""
        texts = entry.get(request.fields[0].name)
        key = (request.object, unit.id)
        if not unit.parts or len(request.fields) != 1 or not isinstance(texts, list):
            return
        before = self._talks.get(key)
        whole = tuple(whole_parts(unit, texts))
        if before is None or before.texts != whole:
            self._talks[key] = WrittenTalk(whole, len(texts))
        if len(self._talks) > REMEMBERED:
            self._talks.popitem(last=False)

    def demanded(self, prompt: Prompt, unit: Unit) -> list[str]:
        """The facts that the unit's texts must name, as they stand in its prompt: what a
        contradiction is made of.
        """
        if prompt.language:
            return demanded_abroad(unit)
        unit = self._acts.unit(unit)
        names: set[str] = set()
        for written in self._request(prompt).fields:
            names.update(written.must)
        names.discard("must")
        for facts in (unit.facts, *unit.parts):
            names |= self._named_by_acts(str(facts.get(BEATS) or ""))
        values: set[str] = set()
        for facts in (unit.facts, *unit.parts):
            values.update(str(facts.get(name) or "") for name in names)
        for forms in json.loads(str(unit.facts.get("must") or "[]")):
            values.update(forms)
        long = [value for value in values if len(value) > 2]
        return sorted(long, key=lambda value: (-len(value), value))

    def taken(self, prompt: Prompt) -> tuple[str, ...]:
        """The texts that the prompt shows as earlier and that may not stand twice: what a repeated
        text is made of. A short line may be anybody's, so that one who repeats it is right.
        """
        if not self.job.setting.schema.has(prompt.object):
            return prompt.earlier
        item = self.job.setting.schema.object(prompt.object)
        least = 1 if item.key_fields else written_fields(item)[0].new_from
        return tuple(text for text in prompt.earlier if len(text.split()) >= least)

    def _named_by_acts(self, acts: str) -> set[str]:
        """The facts that the dialogue acts of a text, joined by commas, must name."""
        beats = self.job.setting.schema.beats or {}
        names: set[str] = set()
        for act in acts.split(","):
            beat, _ = beat_named(beats, act)
            if beat is not None:
                uses = beat.uses or {}
                names.update(uses.get(name, name) for name in beat.must)
        return names

    def _read(self, prompt: Prompt) -> Prompt:
        """The prompt with acts in place of its units' plans, and the empty facts, which it leaves
        out.
        """
        units = [self._acts.unit(unit) for unit in prompt.units]
        if not self.job.setting.schema.has(prompt.object):
            return replace(prompt, units=tuple(units))
        shown = self.job.setting.schema.object(prompt.object).facts.keys() - NOT_SHOWN
        empty: dict[str, Fact] = dict.fromkeys(sorted(shown))
        filled = [replace(unit, facts={**empty, **unit.facts}) for unit in units]
        return replace(prompt, units=tuple(filled))

    def _request(self, prompt: Prompt) -> WriteRequest:
        setting, name = self.job.setting, prompt.object
        fields = (
            (query_field(name),)
            if name.startswith(QUERY)
            else written_fields(setting.schema.object(name))
        )
        return WriteRequest(name, setting.company, fields, prompt.units, prompt.earlier)

    def _entry(self, request: WriteRequest, unit: Unit, earlier: list[str]) -> AnswerEntry:
        if self.plain:
            plain: AnswerEntry = {"unit": unit.id}
            for written in request.fields:
                plain[written.name] = _plain(written.name, unit.id, written.words)
            return plain
        asked = self._confused(unit) if self.misread else replace(unit, notes=())
        seed = hashlib.sha256(
            json.dumps(
                [request.object, unit.id, asked.facts, asked.parts],
                sort_keys=True,
                default=str,
            ).encode()
        ).hexdigest()
        beats = self.job.setting.schema.beats or {}
        incidents = self.job.lexicon.world.incidents
        rules = AnswerRules(request.fields, beats, incidents=incidents)
        entry: AnswerEntry = {}
        for candidate in range(CANDIDATES):
            # Who is told what was wrong with a text writes another one.
            again = replace(request, attempt=len(unit.notes) + candidate)
            tried = self._writer.entry(
                again,
                asked,
                earlier,
                text_stream(0, seed, str(candidate)),
            )
            if _quoted(tried, unit.notes):
                continue
            entry = tried
            if not rules.verify_entry(asked, entry).failed:
                break
        entry = entry or tried
        self._remember(request.object, asked, entry)
        return entry

    def _confused(self, unit: Unit) -> Unit:
        """The unit, or until a reader complained the same with the next issue: words that no rule
        can tell from right ones. Details of the true issue are left out.
        """
        issues = [
            issue
            for issue in self.job.lexicon.world.issues
            if issue.key != unit.facts.get("issue_key")
        ]
        astray = random.Random(f"astray {unit.id}").random() < self.misread
        if (
            unit.parts
            or not astray
            or not issues
            or "issue_key" not in unit.facts
            or any(NOTICED.search(note) for note in unit.notes)
        ):
            return replace(unit, notes=())
        other = issues[unit.id % len(issues)]
        facts = {**unit.facts, "issue": other.name, "issue_key": other.key}
        facts["details"] = json.dumps(self._any_details(other.key))
        acts = str(facts.get(BEATS) or "").split(",")
        if BEATS in facts:
            facts[BEATS] = ",".join(act for act in acts if not DETAIL.fullmatch(act))
        return replace(unit, notes=(), facts=facts)

    def _any_details(self, issue: str) -> dict[str, str]:
        """Something for each detail that the words of an issue may name."""
        plan = plan_for(self.job.lexicon.world.incidents, issue)
        found: dict[str, str] = {}
        for detail in plan.every_detail() if plan else ():
            told = detail.values[0] if detail.values else ANY_DETAIL
            found |= dict(zip(detail.names, told, strict=False))
        return found

    def _remember(self, name: str, unit: Unit, entry: AnswerEntry) -> None:
        """Keeps what the text means: the facts that a judge is asked about."""
        if name.startswith(QUERY):
            return
        questions = self.job.setting.schema.object(name).judging.questions
        answers = [unit.facts.get(question.answer) for question in questions]
        self._meant[_digest(text_of(unit, entry))] = frozenset(
            str(answer) for answer in answers if answer
        )
        if len(self._meant) > REMEMBERED:
            self._meant.popitem(last=False)

    def _choices(self, read: JudgedText) -> AnswerEntry:
        answers = [self._choice(read, shown) for shown in read.candidates]
        return {"unit": read.unit, "answers": answers}

    def _choice(self, read: JudgedText, candidates: Sequence[str]) -> str:
        """The letter of what the text was written from, where these words wrote it; else of the
        candidate that it names, or nearly.
        """
        meant = self._meant.get(_digest(read.text), frozenset())
        for place, candidate in enumerate(candidates):
            if candidate in meant:
                return chr(ord("A") + place)
        text = read.text.casefold()
        # The last two candidates are not things that a text could name.
        named = candidates[:-2]
        scores = [fuzz.partial_ratio(candidate.casefold(), text) for candidate in named]
        best = max(range(len(scores)), key=scores.__getitem__, default=-1)
        if best < 0 or scores[best] < NAMED_FROM:
            best = list(candidates).index(NOT_SAID)
        return chr(ord("A") + best)


def _plain(name: str, unit: int, words: int) -> str:
    """So many syllables that mean nothing and are unlike every other unit's."""
    syllables = random.Random(f"{name} {unit}").choices(SYLLABLES, k=words)
    return f"{' '.join(syllables).capitalize()}."


def _quoted(entry: Mapping[str, object], notes: Sequence[str]) -> bool:
    """Whether a note quotes one of the entry's texts, as those about likeness and turns do."""
    texts: list[str] = []
    for value in entry.values():
        if isinstance(value, list):
            texts.extend(str(text) for text in value)
        elif not isinstance(value, int):
            texts.append(str(value))
    shown = [repr(text[:300])[1:QUOTED] for text in (*texts, " ".join(texts)) if text]
    for note in notes:
        likeness = " is too like " in note or " is taken already" in note
        if OF_TURN.match(note) and any(_is_quoted_turn(text, note) for text in texts):
            return True
        quoting = note.split(" is too like ")[0]
        if likeness and any(text in quoting for text in shown):
            return True
    return False


def _is_quoted_turn(text: str, note: str) -> bool:
    """Whether a note on a turn is on this text.

    A note quotes a text's beginning, and a spoiled text may differ from the right one behind it.
    """
    missed = MISSED.search(note)
    return repr(text[:300]) in note and not (missed and missed["value"] in text)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
