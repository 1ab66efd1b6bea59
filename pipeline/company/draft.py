"""A company drafted by a model: profile, world and words, piece by piece, each piece checked.

A piece that fails is asked for again with its faults, and what is right is written to its file at
once: the same command goes on where it stopped, and what was paid for is not paid again. Knows no
endpoint; it is given a way to ask.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from pydantic import ValidationError

from pipeline.company.check import company_faults
from pipeline.company.draft_prompt import (
    DraftAsk,
    incident_prompt,
    list_prompt,
    profile_prompt,
    word_prompt,
)
from pipeline.company.faults import FileFault
from pipeline.company.incident_pieces import (
    IncidentPiece,
    incident_faults,
    incident_pieces,
    marks_of,
    untold_faults,
)
from pipeline.company.lexicon_map import LexiconMap, LineLibrary
from pipeline.company.line_facts import LineFacts, line_facts, with_rules
from pipeline.company.needs import WordWalk
from pipeline.company.pieces import (
    LISTS,
    PROFILE_PIECE,
    TRADES,
    AnswerForm,
    DraftedList,
    WordPiece,
    told_of,
    word_pieces,
)
from pipeline.company.starter import COUNTS, PERIOD, WORDS, write_files
from pipeline.config import PreparedRun, RunRequest, load_job
from schemas.errors import BadInput, SchemaError, WritingFailed
from schemas.files import read_yaml, said
from schemas.lexicon import HEAD
from schemas.names import check_file_name
from schemas.profile import Profile, load_profile
from schemas.trade import trade_of
from schemas.world import World

TRIES = 4
"""How often a piece is asked for. What a model doesn't mend in three tries, it mends in none."""

SHOWN_FAULTS = 20
"""Faults that a prompt tells of; more would bury the piece itself."""

SHOWN_LINE = 90
"""So many characters of a line say which one it is."""

KEY = re.compile(r"[a-z][a-z0-9_]{0,30}")
"""A key becomes part of a rule's name and of a file's name."""

UNREAD = ".part"
"""The end of the name of an incident's file until the words of its issue are there: a lexicon that
states an incident without them can't be read."""

COMPLAINTS = ("complaint", "complaint@angry", "impact")
"""How the names of rules end that leave it to signs what exactly the customer sees."""

AskModel = Callable[[DraftAsk], Awaitable[object]]
"""Puts a question to the model and gives back the entry that it answered with, or None."""


@dataclass(slots=True)
class CompanyDraft:
    """A company that comes about in a folder.

    `told` is what a person said of it; `progress` hears the name of each piece that is done.
    """

    told: str
    name: str
    folder: Path
    ask: AskModel
    progress: Callable[[str], None] = lambda piece: None
    _world: dict[str, Any] = field(default_factory=dict)
    _plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    _library: LineLibrary = field(default_factory=LineLibrary)

    @property
    def profile_file(self) -> Path:
        """Where the profile is written."""
        return self.folder / f"{self.name}.yaml"

    @property
    def _head_file(self) -> Path:
        """Where it is said what the words extend."""
        return self.folder / WORDS / HEAD

    async def write(self) -> Path:
        """Drafts all that isn't there yet, and gives back the profile's file.

        Raises BadInput for a folder that holds something else, WritingFailed for a piece that the
        model doesn't get right, SchemaError for a file that is there and can't be used, and what
        the endpoint raises.
        """
        check_file_name(self.name, "the company's name")
        self._require_own()
        await self._profile()
        if not self._head_file.is_file():
            write_files(self._head_file.parent, {HEAD: "extends: generic\n"})
        for drafted in LISTS:
            await self._list(drafted)
        self._set_aside()
        job = load_job(RunRequest(str(self.profile_file)))
        await self._incidents(job)
        await self._all_words(job)
        for path in self._head_file.parent.glob(f"*{UNREAD}"):
            path.rename(path.with_suffix(".yaml"))
        self._require_whole()
        return self.profile_file

    def _set_aside(self) -> None:
        """Hides the incidents whose issues have no words, so that the lexicon can be read."""
        words = self._head_file.parent
        for issue in self._world["issues"]:
            incident = words / f"incident_{issue['key']}.yaml"
            if incident.is_file() and not (words / f"issue_{issue['key']}.yaml").is_file():
                incident.rename(incident.with_suffix(UNREAD))

    async def _incidents(self, job: PreparedRun) -> None:
        """What is behind each issue."""
        issues = self._world["issues"]
        pieces = list(incident_pieces(issues, [told_of(issue) for issue in issues]))
        if not pieces:
            return
        rules = [*pieces[0].rule_of_kind.values()]
        file = self._head_file.parent / pieces[0].file
        facts = line_facts(job, rules, file, self._library)
        of_kind = dict(zip(pieces[0].rule_of_kind, facts.values(), strict=True))
        await _all_of([self._incident(piece, job, of_kind) for piece in pieces])

    async def _incident(
        self, piece: IncidentPiece, job: PreparedRun, of_kind: Mapping[str, LineFacts]
    ) -> None:
        """What is behind one issue, and the words of it."""
        path = self._head_file.parent / piece.file
        unread = path.with_suffix(UNREAD)
        for there in (path, unread):
            if there.is_file():
                stated = read_yaml(there).get("incidents", {})
                self._plans[piece.issue] = stated.get(piece.issue, {"signs": {}})
                return

        def faults(answer: Mapping[str, Any]) -> list[str]:
            return self._incident_faults(piece, answer, job)

        facts = {name: of_kind[kind] for kind, name in piece.rule_of_kind.items()}
        answer = await self._right(
            incident_prompt(
                self.told,
                piece,
                job,
                facts,
            ),
            faults,
        )
        plan = piece.plan(answer)
        self._plans[piece.issue] = plan
        stated = {"incidents": {piece.issue: plan}}
        text = yaml.safe_dump(
            stated,
            sort_keys=False,
            allow_unicode=True,
            width=100,
        )
        worded = _rules_text(f"what is behind {piece.issue}", piece.rules(answer))
        write_files(path.parent, {unread.name: text + worded})
        self.progress(piece.name)

    def _incident_faults(
        self, piece: IncidentPiece, answer: Mapping[str, Any], job: PreparedRun
    ) -> list[str]:
        """What is wrong with signs and causes: their keys, their form, their lines."""
        keys = [str(cause["key"]) for cause in answer["causes"]]
        for values in answer["signs"].values():
            keys += [str(value["key"]) for value in values]
        wrong = _wrong_keys(keys) or self._world_faults(
            {"incidents": {piece.issue: piece.plan(answer)}}
        )
        if wrong:
            return wrong
        path = self._head_file.parent / piece.file
        rules = piece.rules(answer)
        return incident_faults(answer) + rule_faults(
            rules,
            job,
            path,
            self._library,
        )

    async def _all_words(self, job: PreparedRun) -> None:
        """The rules of all pieces that aren't there yet."""
        unsaid = {issue: marks_of(plan) for issue, plan in self._plans.items()}
        pieces = [piece for piece in word_pieces(self._world, unsaid) if not self._has(piece)]
        facts = self._facts(pieces, job) if pieces else {}
        await _all_of([self._words(piece, job, facts) for piece in pieces])

    def _require_own(self) -> None:
        """Raises BadInput for a folder that holds something else, before a model is paid."""
        begun = self.profile_file.is_file() or self._head_file.is_file()
        if begun or not self.folder.exists():
            return
        if not self.folder.is_dir():
            raise BadInput(f"{self.folder}: is no folder; name one with --to")
        if any(self.folder.iterdir()):
            raise BadInput(
                f"{self.folder}: isn't empty and holds no {self.profile_file.name} to go on from;"
                " name another folder with --to"
            )

    async def _profile(self) -> None:
        """The profile, and with it the trade."""
        if not self.profile_file.is_file():
            answer = await self._right(profile_prompt(self.told), _profile_faults)
            write_files(self.folder, {self.profile_file.name: self._profile_text(answer)})
        profile = load_profile(self.profile_file)
        self.told = f"{profile.name}, {profile.industry}. {profile.description}"
        self._world = {"trade": profile.trade}
        self.progress(PROFILE_PIECE)

    def _profile_text(self, answer: Mapping[str, Any]) -> str:
        stated = {
            **_profile_of(answer),
            "lexicon": WORDS,
            "period": PERIOD,
            "seed": 1,
            "counts": COUNTS,
        }
        said_of = f"# Drafted by a model from: {' '.join(self.told.split())}\n"
        return said_of + yaml.safe_dump(
            stated,
            sort_keys=False,
            allow_unicode=True,
            width=100,
        )

    async def _list(self, drafted: DraftedList) -> None:
        """One list of the world."""
        path = self.folder / WORDS / f"world_{drafted.part}.yaml"
        if path.is_file():
            self._world[drafted.part] = read_yaml(path).get(drafted.part, [])
            return

        def faults(answer: Mapping[str, Any]) -> list[str]:
            return self._list_faults(drafted, answer[drafted.part])

        asked = list_prompt(self.told, drafted, self._world)
        answer = await self._right(asked, faults)
        entries = _entries(drafted, answer[drafted.part])
        self._world[drafted.part] = entries
        text = yaml.safe_dump({drafted.part: entries}, sort_keys=False, allow_unicode=True)
        write_files(path.parent, {path.name: text})
        self.progress(drafted.part)

    def _list_faults(self, drafted: DraftedList, answer: Sequence[Mapping[str, Any]]) -> list[str]:
        """What is wrong with a list: its length, its keys, and what the world's model says."""
        if not drafted.least <= len(answer) <= drafted.most:
            return [f"state {drafted.least} to {drafted.most} of them, not {len(answer)}"]
        entries = _entries(drafted, answer)
        wrong = _wrong_keys(_names(entries))
        for entry in entries:
            if drafted.part == "issues" and not entry["topics"]:
                wrong.append(f"{entry['key']}: state one topic at least")
        return wrong + self._world_faults({drafted.part: entries})

    def _world_faults(self, more: Mapping[str, Any]) -> list[str]:
        """What the world's model says of what stands already, and of some more."""
        try:
            trade = trade_of(self._world["trade"], str(self.profile_file))
            World.model_validate({**self._world, **more, "trade": trade})
        except ValidationError as error:
            return [said(error, fault) for fault in error.errors()]
        return []

    def _has(self, piece: WordPiece) -> bool:
        """Whether a piece's file is there, by a draft before this one or by hand."""
        return (self.folder / WORDS / piece.file).is_file()

    def _facts(self, pieces: Sequence[WordPiece], job: PreparedRun) -> dict[str, LineFacts]:
        """The facts of all rules of the pieces."""
        rules: list[str] = []
        for piece in pieces:
            rules += piece.rules
        return line_facts(
            job,
            rules,
            self.folder / WORDS / pieces[0].file,
            self._library,
        )

    async def _words(
        self, piece: WordPiece, job: PreparedRun, facts: Mapping[str, LineFacts]
    ) -> None:
        """The rules of one piece."""
        path = self.folder / WORDS / piece.file

        def faults(answer: Mapping[str, Any]) -> list[str]:
            return word_piece_faults(piece, answer, job, path, self._library)

        answer = await self._right(
            word_prompt(
                self.told,
                piece,
                job,
                facts,
            ),
            faults,
        )
        write_files(path.parent, {path.name: _rules_text(piece.name, answer)})
        self.progress(piece.name)

    async def _right(
        self,
        asked: DraftAsk,
        faults_of: Callable[[Mapping[str, Any]], list[str]],
    ) -> dict[str, Any]:
        """An answer without a fault; the model is told what was wrong with the ones before."""
        faults: list[str] = []
        for _ in range(TRIES):
            answer = await self.ask(asked.again(faults[:SHOWN_FAULTS]))
            if isinstance(answer, dict):
                answer.pop("unit", None)
            faults = form_faults(answer, asked.form) or faults_of(answer)  # type: ignore[arg-type]
            if not faults:
                return answer  # type: ignore[return-value]
        raise WritingFailed(
            f"{asked.piece}: the model's answer was refused {TRIES} times ({faults[0]}); what was"
            f" right is kept in {self.folder}, and the same command goes on"
        )

    def _require_whole(self) -> None:
        """Raises WritingFailed where the files lack something all the same."""
        wrong = [fault for fault in company_faults(self.profile_file) if not fault.remark]
        if wrong:
            raise WritingFailed(
                f"{wrong[0].file}: line {wrong[0].line}: {wrong[0].says}; mend it, or delete the"
                " file and run the same command again"
            )


def form_faults(answer: object, form: AnswerForm) -> list[str]:
    """How an answer differs from its form, one line a fault."""
    faults = []
    for error in jsonschema.Draft202012Validator(form).iter_errors(answer):
        place = ".".join(str(step) for step in error.absolute_path)
        faults.append(f"{place or 'the answer'}: {error.message:.200}")
    return faults


def word_piece_faults(
    piece: WordPiece,
    answer: Mapping[str, Sequence[str]],
    job: PreparedRun,
    file: Path,
    library: LineLibrary,
) -> list[str]:
    """What is wrong with the rules of a piece, as the check of a whole company finds it."""
    faults = []
    for name, least in piece.rules.items():
        lines = [line for line in answer[name] if line.strip()]
        if len(set(lines)) < least:
            faults.append(f"{name}: {least} different lines at least, not {len(set(lines))}")
        if name.endswith(COMPLAINTS):
            faults += untold_faults(name, lines, piece.unsaid)
    return faults + rule_faults(answer, job, file, library)


def rule_faults(
    rules: Mapping[str, Sequence[str]],
    job: PreparedRun,
    file: Path,
    library: LineLibrary,
) -> list[str]:
    """What the check of a whole company finds in some rules, as if they stood in the file."""
    lexicon = with_rules(job.lexicon, rules, file)
    words = LexiconMap(lexicon, [file.parent], library)
    walk = WordWalk(job.setting, words, job.sources.profile)
    return [_of_line(fault) for fault in walk.faults() if _is_about(fault, file)]


async def _all_of(asked: Sequence[Awaitable[None]]) -> None:
    """Waits for all, then raises what the first of them raised.

    A piece that fails must not cost the answers that are under way.
    """
    for failure in await asyncio.gather(*asked, return_exceptions=True):
        if failure is not None:
            raise failure


def _rules_text(name: str, rules: Mapping[str, Sequence[str]]) -> str:
    """The rules of a piece as they stand in its file."""
    lines = [f"# Drafted by a model: {name}.", "rules:"]
    for rule, texts in rules.items():
        lines.append(f"  {rule}:")
        lines += [f"  - {json.dumps(text, ensure_ascii=False)}" for text in texts]
    return "\n".join(lines) + "\n"


def _wrong_keys(names: Sequence[str]) -> list[str]:
    """Of these, what can't be part of a rule's name."""
    wrong = []
    for name in names:
        if not KEY.fullmatch(name):
            wrong.append(f"{name!r}: use small letters, digits and _ alone")
    return wrong


def _of_line(fault: FileFault) -> str:
    """A fault with the line that it is one of, as there is no file yet to look it up in."""
    return f"{fault.says}: {fault.text!r:.{SHOWN_LINE}}" if fault.text else fault.says


def _is_about(fault: FileFault, file: Path) -> bool:
    """Whether a fault is one of the piece's; that nothing asks for a rule is none of a model's."""
    return fault.file == file and not fault.remark


def _profile_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a profile in a model's answer, with the schema that fits the trade."""
    kept = {name: answer[name] for name in ("name", "industry", "description")}
    trade = str(answer["trade"])
    return {**kept, "schema": TRADES[trade], "team": answer["team"], "trade": trade}


def _profile_faults(answer: Mapping[str, Any]) -> list[str]:
    try:
        Profile.model_validate({**_profile_of(answer), "period": PERIOD})
    except ValidationError as error:
        return [said(error, fault) for fault in error.errors()]
    except SchemaError as error:
        return [str(error)]
    return []


def _names(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """What becomes part of the names of rules: keys, topics and the names of figures."""
    names = []
    for entry in entries:
        names += [str(entry["key"])] if "key" in entry else []
        names += [*entry.get("topics", ()), *entry.get("figures", ())]
    return names


def _entries(drafted: DraftedList, answer: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The entries of a list as a world states them."""
    entries = [dict(entry) for entry in answer]
    for entry in entries:
        if drafted.part == "policies":
            figures = entry["figures"]
            entry["figures"] = {figure["name"]: figure["values"] for figure in figures}
    return entries
