"""Conversations written by hand to our own prompts: are right ones taken, and wrong ones found?

    python -m tests.played                                  the figures of those kept here
    python -m tests.played ask shoes FOLDER --count 25      prompts, to be answered by a writer
    python -m tests.played judge FOLDER                     which answers are refused, and why
    python -m tests.played keep FOLDER                      adds the answers to those kept here

`ask` makes a company with the embedded writer and notes what a model would have been asked for
conversations: `NN.prompt.txt` to be read, `NN.answer.json` to be written (`{"entries": [...]}`, as
the prompt says), and `NN.unit.json`, by which the answer is judged. Unit and answer are kept, so
that both can be judged again whatever the companies become. Knows no model and sends nothing.

Then wrong facts are planted: in each text one demanded number, day or amount becomes another one,
and a placeholder is left. Ends with exit code 1 where more than 3 in 100 conversations are refused,
or fewer than 99 in 100 wrong facts found, or where more than 1 grant in 100 would pass for another
remedy, or where more than 1 in 100 of the acts that they were asked for are no longer known, so
that they tell nothing of today's prompts. How a remedy may be worded is judged by today's ways.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.config import PreparedRun, RunRequest, load_job
from pipeline.ledger import Ledger
from pipeline.run import embedded_writers, generate
from pipeline.run_folder import RunFolder
from pipeline.write.prompt import load_prompts, messages
from pipeline.write.request import WriterAnswer, WriteRequest
from pipeline.write.senses import senses_of
from pipeline.write.writer import Writer, Writers
from schemas.beats import beat_named
from schemas.errors import BadInput
from schemas.issues import Option
from schemas.regular import json_of, regular_text
from verifiers.answer import AnswerRules
from verifiers.content import names_fact
from verifiers.material import (
    WAYS_END,
    Demand,
    Entry,
    Fact,
    Facts,
    Unit,
    WrittenField,
    WrittenText,
    roster_of,
)
from verifiers.verdict import Verdict
from verifiers.ways import remedies_of
from verifiers.wording import plain

KEPT = Path(__file__).parent / "played"
MOST_REFUSED, LEAST_FOUND, MOST_STALE, MOST_PASSED = 0.03, 0.99, 0.01, 0.01
REMEDIES = ("option", "wish")
"""The facts that are remedies: what is granted, and what was asked for."""
DIGIT = re.compile(r"\d")
PLACEHOLDER = "[tracking number]"
"""What models leave where they miss a fact; it is planted once a conversation."""
SEED = 11
FAULTS = (OSError, ValueError, TypeError, LookupError)
"""The errors by which a file that was written by hand is known."""


@dataclass(frozen=True, slots=True)
class Played:
    """A conversation written by hand: who for, what was asked, and the answer."""

    company: str
    fields: tuple[WrittenField, ...]
    unit: Unit
    names: tuple[str, ...]
    entry: Entry

    def of_today(self, jobs: Mapping[str, PreparedRun]) -> "Played":
        """The same with the ways in which its remedies are worded today."""
        facts = dict(self.unit.facts)
        known = {option.key: option for option in jobs[self.company].lexicon.world.options}
        for fact in REMEDIES:
            option = known.get(str(facts.get(f"{fact}_key") or ""))
            if option is not None:
                facts[f"{fact}{WAYS_END}"] = "|".join(option.ways)
        return replace(self, unit=replace(self.unit, facts=facts))

    def rules(self, jobs: Mapping[str, PreparedRun]) -> AnswerRules:
        """What the answer is held against."""
        job = jobs[self.company]
        return AnswerRules(
            fields=self.fields,
            beats=job.setting.schema.beats or {},
            roster=roster_of(self.names),
            incidents=job.lexicon.world.incidents,
            remedies=remedies_of(job.lexicon.world.issues, job.lexicon.world.options),
        )


@dataclass(slots=True)
class NotingWriter:
    """A Writer that notes what it is asked for conversations, and lets another one write them."""

    writer: Writer
    asked: list[WriteRequest] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The other writer's name."""
        return self.writer.name

    @property
    def at_once(self) -> int:
        """As many lanes as the other writer walks."""
        return self.writer.at_once

    def parameters(self, request: WriteRequest) -> Mapping[str, Fact]:
        """What the other writer's answer depends on."""
        return self.writer.parameters(request)

    async def write(self, request: WriteRequest) -> WriterAnswer:
        """The other writer's answer; the request is noted where it is for whole conversations."""
        if request.attempt == 0:
            self.asked += [replace(request, units=(unit,)) for unit in request.units if unit.parts]
        return await self.writer.write(request)


def ask(company: str, folder: Path, count: int, seed: int) -> int:
    """Writes so many prompts for conversations of a company into a folder; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    noted: list[NotingWriter] = []

    @asynccontextmanager
    async def noting(job: PreparedRun, ledger: Ledger) -> AsyncIterator[Writers]:
        async with embedded_writers(job, ledger) as writers:
            noted.append(NotingWriter(writers.writer))
            yield Writers(noted[0])

    request = RunRequest(company, seed=seed)
    generate(request, folder / "org", writers_of=noting)
    job = load_job(request)
    chosen = random.Random(seed).sample(noted[0].asked, count)
    for number, asked in enumerate(chosen):
        _write_prompt(folder, number, asked, job, company)
    return len(chosen)


def _write_prompt(
    folder: Path,
    number: int,
    asked: WriteRequest,
    job: PreparedRun,
    company: str,
) -> None:
    """One conversation's prompt for the writer, and its unit for the judge."""
    beats, senses = job.setting.schema.beats or {}, senses_of(job.lexicon)
    sent = messages(asked, beats, load_prompts(), senses)
    text = "\n\n".join(f"=== {message['role']}\n{message['content']}" for message in sent)
    (folder / f"{number:02}.prompt.txt").write_text(text, encoding="utf-8")
    kept = json.loads(asked.canonical())
    kept |= {"company_key": company, "names": _names(folder / "org")}
    unit = json.dumps(kept, ensure_ascii=False)
    (folder / f"{number:02}.unit.json").write_text(unit, encoding="utf-8")


def _names(org: Path) -> list[str]:
    """The people and products of an org, whom no text may name but where they are its facts."""
    names: list[str] = []
    with closing(RunFolder(org).open_org()) as db:
        for table in ("User", "Contact", "Product2"):
            names += [str(name) for (name,) in db.execute(f"SELECT Name FROM {table}")]
    return names


def answered(folder: Path) -> Iterator[Played]:
    """Yields the conversations of a folder that have an answer; raises BadInput for a file that
    can't be read.
    """
    for file in sorted(folder.glob("*.answer.json")):
        unit, entry = _answered(file)
        try:
            yield _read({**unit, "entry": entry})
        except FAULTS as error:
            raise BadInput(f"{_unit_file(file)}: is no unit of `ask` ({error!r})") from error


def _answered(file: Path) -> tuple[dict[str, object], dict[str, object]]:
    """The unit of an answer, and its one entry; raises BadInput."""
    unit_file = _unit_file(file)
    try:
        unit = dict(json_of(regular_text(unit_file)))
    except FAULTS as error:
        raise BadInput(f"{unit_file}: is no unit of `ask` ({error!r})") from error
    try:
        return unit, dict(json_of(regular_text(file))["entries"][0])
    except FAULTS as error:
        raise BadInput(
            f'{file}: is no answer ({error!r}); write {{"entries": [...]}}, as the prompt says'
        ) from error


def _unit_file(answer: Path) -> Path:
    return answer.with_name(f"{answer.name[:2]}.unit.json")


def kept() -> Iterator[Played]:
    """Yields the conversations that are kept here."""
    for file in sorted(KEPT.glob("*.jsonl")):
        names: list[str] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            # The names of a company stand once, in a line of their own.
            names = record.get("names", names)
            if "entry" in record:
                yield _read({**record, "names": names})


def _read(record: Mapping[str, object]) -> Played:
    data = json.loads(json.dumps(record))
    (unit,) = data["units"]
    fields = [
        WrittenField(
            name=written["name"],
            instruction=written["instruction"],
            must=tuple(written["must"]),
            json_schema=written["schema"],
            rule=written["rule"],
            beats=written["beats"],
            words=written["words"],
        )
        for written in data["fields"]
    ]
    return Played(
        company=data["company_key"],
        fields=tuple(fields),
        unit=Unit(unit["id"], unit["facts"], tuple(unit["parts"]), tuple(unit["avoid"])),
        names=tuple(data["names"]),
        entry=data["entry"],
    )


def keep(folder: Path) -> int:
    """Adds a folder's answers to those kept here, one file a company; returns how many."""
    KEPT.mkdir(exist_ok=True)
    # All are read before the first is kept: none is kept twice where one can't be read.
    answers = [_answered(file) for file in sorted(folder.glob("*.answer.json"))]
    for unit, entry in answers:
        names = unit.pop("names")
        target = KEPT / f"{unit['company_key']}.jsonl"
        if _names_in(target) != names:
            _add(target, {"names": names})
        for name in ("earlier", "attempt", "seed", "node", "model", "parameters"):
            unit.pop(name, None)
        _add(target, {**unit, "entry": entry})
    return len(answers)


def _names_in(file: Path) -> object:
    """The names that hold for what is added to a file of kept conversations."""
    names: object = None
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        names = json.loads(line).get("names", names)
    return names


def _add(file: Path, record: Mapping[str, object]) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(record, ensure_ascii=False) + "\n")


def jobs_of(played: Sequence[Played]) -> dict[str, PreparedRun]:
    """The companies of these conversations, whose beats and incidents judge them."""
    names = sorted({talk.company for talk in played})
    return {name: load_job(RunRequest(name)) for name in names}


def refused(played: Sequence[Played], jobs: Mapping[str, PreparedRun]) -> dict[int, Verdict]:
    """The verdicts on the conversations that are refused, by their places."""
    found: dict[int, Verdict] = {}
    for place, talk in enumerate(played):
        verdict = talk.rules(jobs).verify_entry(talk.of_today(jobs).unit, talk.entry)
        if verdict.failed:
            found[place] = verdict
    return found


def wrong_entries(talk: Played, rules: AnswerRules, rng: random.Random) -> Iterator[Entry]:
    """Yields copies of an entry, in each of which one fact is wrong.

    In each text that must name a number, a day or an amount, a digit of it becomes another one
    wherever it stands in that text; and in one text of the conversation a placeholder is left.
    """
    (written,) = talk.fields[:1]
    texts = list(_texts(talk, written))
    for place, demanded in enumerate(rules.texts(talk.unit, talk.entry)):
        for demand in demanded.demands:
            wrong = _with_another_number(demanded, demand, rng)
            if wrong:
                yield {**talk.entry, written.name: [*texts[:place], wrong, *texts[place + 1 :]]}
    place = rng.randrange(len(texts))
    left = f"{texts[place]} {PLACEHOLDER}"
    yield {**talk.entry, written.name: [*texts[:place], left, *texts[place + 1 :]]}


def _texts(talk: Played, written: WrittenField) -> Iterator[str]:
    value = talk.entry[written.name]
    assert isinstance(value, list)
    for text in value:
        yield str(text)


def _with_another_number(written: WrittenText, demand: Demand, rng: random.Random) -> str:
    """The text with another digit in the number that it must name; empty where it has none."""
    for form in sorted(demand.forms, key=len, reverse=True):
        if not DIGIT.search(form) or form not in written.text:
            continue
        places = [match.start() for match in DIGIT.finditer(form)]
        place = rng.choice(places)
        others = [digit for digit in "123456789" if digit != form[place]]
        other = form[:place] + rng.choice(others) + form[place + 1 :]
        text = written.text.replace(form, other)
        if not names_fact(demand, plain(text)):
            return text
    return ""


def measure(played: Sequence[Played]) -> tuple[int, int, int]:
    """How many conversations are refused, wrong facts planted, and wrong facts found."""
    jobs = jobs_of(played)
    rng = random.Random(SEED)
    wrong = found = 0
    bad = refused(played, jobs)
    for place, talk in enumerate(played):
        if place in bad:
            continue
        rules, today = talk.rules(jobs), talk.of_today(jobs)
        for entry in wrong_entries(today, rules, rng):
            wrong += 1
            found += rules.verify_entry(today.unit, entry).failed
    return len(bad), wrong, found


def other_remedies(played: Sequence[Played]) -> tuple[int, int]:
    """How often another remedy of the issue could have been granted in the place of the one that a
    text grants, and how often the text would have passed for that one.
    """
    jobs = jobs_of(played)
    others = passed = 0
    for talk in played:
        rules, job = talk.rules(jobs), jobs[talk.company]
        for option in _not_meant(talk.unit.facts, job):
            named = {"option": option.phrase, "option_key": option.key}
            named[f"option{WAYS_END}"] = "|".join(option.ways)
            unit = replace(talk.unit, facts={**talk.unit.facts, **named})
            for text in rules.texts(unit, talk.entry):
                for demand in text.demands:
                    if demand.fact == "option":
                        others += 1
                        passed += names_fact(demand, plain(text.text))
    return others, passed


def _not_meant(facts: Facts, job: PreparedRun) -> Iterator[Option]:
    """Yields the remedies of an issue that a conversation has no reason to speak of.

    What the customer asked for, and what puts the problem right, it may name besides.
    """
    world = job.lexicon.world
    for issue in world.issues:
        if issue.key == facts.get("issue_key"):
            granted = {*issue.options, *issue.sometimes, *issue.lenient}
            granted -= {*(issue.mended_by or ()), *(facts.get(f"{name}_key") for name in REMEDIES)}
            yield from (option for option in world.options if option.key in granted)


def stale_acts(played: Sequence[Played]) -> tuple[int, int]:
    """How many dialogue acts the conversations were asked to say, and how many of them the schemas
    no longer know: what is demanded by those is not tried any more.
    """
    jobs = jobs_of(played)
    acts = stale = 0
    for talk in played:
        beats = jobs[talk.company].setting.schema.beats or {}
        for part in talk.unit.parts:
            for name in filter(None, str(part.get("beats") or "").split(",")):
                acts += 1
                stale += beat_named(beats, name)[0] is None
    return acts, stale


def _tell(played: Sequence[Played]) -> int:
    if not played:
        sys.stderr.write(
            "there is no answered conversation; begin with: python -m tests.played ask\n"
        )
        return 2
    for place, verdict in refused(played, jobs_of(played)).items():
        talk = played[place]
        print(f"  {talk.company}, unit {talk.unit.id}: {verdict.path}: {verdict.reason}")
    bad, wrong, found = measure(played)
    right = bad <= MOST_REFUSED * len(played) and found >= LEAST_FOUND * wrong
    print(f"{len(played)} conversations written by hand, {bad} of them refused (at most 3 %)")
    print(f"{wrong} wrong facts planted, {found} found (at least 99 %)")
    acts, stale = stale_acts(played)
    others, passed = other_remedies(played)
    print(f"{others} times another remedy was open, {passed} texts pass for it (at most 1 %)")
    print(f"{acts} acts were to be said, {stale} of them are no longer known (at most 1 %)")
    right = right and passed <= MOST_PASSED * others
    return 0 if right and stale <= MOST_STALE * acts else 1


def main(arguments: Sequence[str]) -> int:
    """Does what the arguments say; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.played", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("ask", "judge", "keep"))
    parser.add_argument("names", nargs="*", help="the company and the folder, or the folder")
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args(arguments)
    if given.what == "ask":
        company, folder = given.names
        print(f"{ask(company, Path(folder), given.count, given.seed)} prompts in {folder}")
        return 0
    if given.what == "keep":
        print(f"{keep(Path(given.names[0]))} conversations kept in {KEPT}")
        return 0
    return _tell(list(answered(Path(given.names[0])) if given.what else kept()))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BadInput as fault:
        sys.exit(str(fault))
