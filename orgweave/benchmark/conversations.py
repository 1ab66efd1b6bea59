"""What was said in a case, by whom: its mails in order, or its chat, from the org."""

import re
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from orgweave.benchmark.texts import naming
from pipeline.run_folder import RunFolder

LINE = re.compile(r"^\[[^\]]+\] [^:]*\((Customer|Agent)\): (.*)$")


@dataclass(frozen=True, slots=True)
class Said:
    """A message or chat line: the record it stands in, whether an agent's, its words."""

    record: str
    agent: bool
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said in a case, in order."""

    said: tuple[Said, ...]

    @property
    def agents_words(self) -> str:
        """All that agents said."""
        return "\n".join(one.text for one in self.said if one.agent)

    def by_agent(self, forms: Sequence[str]) -> list[tuple[str, str]]:
        """Record and sentence wherever an agent used one of the forms."""
        return [
            (one.record, sentence)
            for one in self.said
            if one.agent
            for sentence in naming(one.text, forms)
        ]


def read_conversations(folder: Path) -> dict[str, Conversation]:
    """Conversations by case id."""
    found: dict[str, list[Said]] = defaultdict(list)
    with closing(RunFolder(folder).open_org()) as db:
        for record, case, incoming, text in db.execute(
            "SELECT Id, ParentId, Incoming, TextBody FROM EmailMessage ORDER BY MessageDate, rowid"
        ):
            found[case].append(Said(record, not incoming, text))
        for record, case, body in db.execute(
            "SELECT Id, CaseId, Body FROM LiveChatTranscript ORDER BY rowid"
        ):
            found[case] += [
                Said(record, match[1] == "Agent", match[2])
                for match in map(LINE.match, body.split("\n"))
                if match
            ]
    return {case: Conversation(tuple(said)) for case, said in found.items()}
