"""A model's answers for the draft of a company, played from a file over real sockets."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from orgweave.testing.chat import ChatServer, ChatTurn
from pipeline.company.draft_prompt import PIECE

INDUSTRIES = Path(__file__).parent / "industries"


def answers_of(industry: str) -> dict[str, Any]:
    """A file's answers, from the name of a piece to the one entry that a model gives."""
    played = yaml.safe_load((INDUSTRIES / f"{industry}.yaml").read_text(encoding="utf-8"))
    answers = {}
    for piece, said in played.items():
        if isinstance(said, list):
            answers[piece] = {piece: said}
        elif piece.startswith("incident "):
            answers[piece] = _incident(said)
        elif " " in piece:
            answers[piece] = {_rule(piece, name): lines for name, lines in said.items()}
        else:
            answers[piece] = said
    return answers


def _incident(said: dict[str, Any]) -> dict[str, Any]:
    """Signs and causes; the file leaves out weights, and what finds a cause out by asking."""
    signs = {}
    for topic, values in said["signs"].items():
        signs[topic] = [{"weight": 1, **value} for value in values]
    causes = [{"weight": 1, "known_by": "answer", **cause} for cause in said["causes"]]
    return {"signs": signs, "causes": causes}


def _rule(piece: str, name: str) -> str:
    """`chat complaint` of the piece `issue noisy` is the rule `chat.issue.noisy.complaint`."""
    kind, key = piece.split(" ")
    chat = "chat." if name.startswith("chat ") else ""
    return f"{chat}{kind}.{key}.{name.removeprefix('chat ').replace(' ', '.')}"


def asked_piece(messages: Sequence[ChatTurn]) -> str:
    """The name of the piece that a prompt asks for."""
    first = str(messages[-1]["content"]).splitlines()[0]
    return first.removeprefix(PIECE)


def playing(answers: dict[str, Any]) -> ChatServer:
    """A server that gives these answers; a list of answers is given one after the other."""
    given: dict[str, int] = {}

    def script(messages: Sequence[ChatTurn], calls: int) -> str:
        piece = asked_piece(messages)
        answer = answers[piece]
        if isinstance(answer, list):
            answer = answer[min(given.get(piece, 0), len(answer) - 1)]
            given[piece] = given.get(piece, 0) + 1
        return answer if isinstance(answer, str) else json.dumps({"entries": [answer]})

    return ChatServer(script)
