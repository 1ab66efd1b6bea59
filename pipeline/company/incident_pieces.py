"""What is behind an issue, as a model drafts it: signs, causes, and how both are said.

The signs are the issue's topics, so the agent asks what the issue says they ask. Makes the plan and
the rules of an answer, and finds what is wrong with it. Knows no endpoint and writes no files.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pipeline.company.pieces import NUMBER, TEXT, TEXTS, AnswerForm, one_of, record
from pipeline.company.sign_marks import tell
from schemas.incidents import EVIDENCE, Knower

INCIDENT = "incident"
"""How the names of these pieces and of their files begin."""

LIKELY = 6
"""How much more often a cause shows itself by the values that speak for it than by another."""

VALUES = (2, 4)
CAUSES = (2, 5)
"""How many values a sign may have, and how many causes an issue."""

LEAST = {
    "says": 2,
    "chat": 1,
    "repeated": 1,
    "explains": 2,
    "advice": 1,
}
"""The fewest lines of each kind."""

OF_A_VALUE = ("says", "chat", "repeated")
OF_A_CAUSE = ("explains", "advice")
RULES = {
    "says": "issue.{}.sign.{}",
    "chat": "chat.issue.{}.sign.{}",
    "repeated": "issue.{}.echo.{}",
    "explains": "issue.{}.cause.{}",
    "advice": "issue.{}.advice.{}",
}
"""A kind of lines -> the rules that they stand in, by issue and by value or cause."""

ENDINGS = ("remedy", "refusal", "either")
VALUE = record(
    key=TEXT,
    weight=NUMBER,
    marks=TEXTS,
    says=TEXTS,
    chat=TEXTS,
    repeated=TEXTS,
)

IncidentAnswer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class IncidentPiece:
    """What is behind one issue; `told` is what the issue says of itself."""

    issue: str
    topics: tuple[str, ...]
    told: str

    @property
    def name(self) -> str:
        """What the piece is called in prompts and progress."""
        return f"{INCIDENT} {self.issue}"

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{INCIDENT}_{self.issue}.yaml"

    @property
    def form(self) -> AnswerForm:
        """The form of the answer."""
        cause = record(
            key=TEXT,
            weight=NUMBER,
            ends=one_of(*ENDINGS),
            known_by=one_of(*get_args(Knower)),
            tells=one_of(*self.topics),
            values=TEXTS,
            explains=TEXTS,
            advice=TEXTS,
        )
        values = {"type": "array", "items": VALUE}
        causes = {"type": "array", "items": cause}
        return record(signs=record(**dict.fromkeys(self.topics, values)), causes=causes)

    def plan(self, answer: IncidentAnswer) -> dict[str, Any]:
        """The incident as a world states it."""
        signs: dict[str, dict[str, Any]] = {}
        for topic, values in answer["signs"].items():
            signs[topic] = {}
            for value in values:
                signs[topic][value["key"]] = {
                    "weight": value["weight"],
                    "marks": value["marks"],
                }
        causes = {}
        knowers = set()
        for cause in answer["causes"]:
            knowers.add(cause["known_by"])
            causes[cause["key"]] = _planned(cause, signs)
        return {
            "evidence": [kind for kind in EVIDENCE if kind in knowers],
            "signs": signs,
            "causes": causes,
        }

    def rules(self, answer: IncidentAnswer) -> dict[str, list[str]]:
        """The rules that word it: what customers say of each value, what agents say of a cause."""
        rules: dict[str, list[str]] = {}
        for topic, values in answer["signs"].items():
            for value in values:
                for kind in OF_A_VALUE:
                    name = self.rule(kind, f"{topic}.{value['key']}")
                    rules[name] = value[kind]
        for cause in answer["causes"]:
            for kind in OF_A_CAUSE:
                name = self.rule(kind, cause["key"])
                rules[name] = cause[kind]
        return rules

    def rule(self, kind: str, place: str) -> str:
        """The name of a rule for lines of a kind: of a value, `where.door`, or of a cause."""
        return RULES[kind].format(self.issue, place)

    @property
    def rule_of_kind(self) -> dict[str, str]:
        """A kind of lines -> a rule of that kind, for whatever value or cause."""
        rules = {}
        for kind in OF_A_VALUE:
            rules[kind] = self.rule(kind, f"{self.topics[0]}.any")
        for kind in OF_A_CAUSE:
            rules[kind] = self.rule(kind, "any")
        return rules


def incident_pieces(
    issues: Sequence[IncidentAnswer], told: Sequence[str]
) -> Iterator[IncidentPiece]:
    """Yields a piece for each issue that has topics; `told` is what each says of itself."""
    for issue, said in zip(issues, told, strict=True):
        if issue["topics"]:
            yield IncidentPiece(str(issue["key"]), tuple(issue["topics"]), said)


def incident_faults(answer: IncidentAnswer) -> list[str]:
    """What is wrong with an answer of the right form, its rules' slots aside."""
    faults = []
    for topic, values in answer["signs"].items():
        faults += _number(f"signs.{topic}", values, VALUES)
        faults += _wrong_lines(values, OF_A_VALUE)
        for value in values:
            faults += _wrong_marks(topic, value, values)
    causes = answer["causes"]
    faults += _number("causes", causes, CAUSES)
    faults += _wrong_lines(causes, OF_A_CAUSE)
    for cause in causes:
        sign = cause["tells"]
        known = {value["key"] for value in answer["signs"][sign]}
        unknown = sorted(set(cause["values"]) - known)
        if unknown:
            faults.append(f"cause {cause['key']}: {unknown} are no values of {sign}")
    endings = {cause["ends"] for cause in causes}
    for ending in ("remedy", "refusal"):
        if endings.isdisjoint((ending, "either")):
            faults.append(f"causes: none ends in {ending} or either; one has to")
    return faults


def untold_faults(name: str, lines: Sequence[str], unsaid: Sequence[str]) -> list[str]:
    """The lines of a complaint that tell what a sign tells already, by its marks."""
    if not unsaid:
        return []
    faults = []
    words = ", ".join(unsaid)
    for line in lines:
        if any(tell(line, unsaid)):
            faults.append(
                f"{name}: {line!r:.90} tells what the customer tells in a sentence of its own; use"
                f" none of the words {words}"
            )
    return faults


def marks_of(plan: Mapping[str, Any]) -> tuple[str, ...]:
    """All words by which a text shows that it tells some value of a plan's signs."""
    marks: dict[str, None] = {}
    for values in plan["signs"].values():
        for value in values.values():
            marks |= dict.fromkeys(value["marks"])
    return tuple(marks)


def _planned(cause: IncidentAnswer, signs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A cause as a world states it; the values that speak for it are the likelier ones."""
    sign = cause["tells"]
    planned = {
        "weight": cause["weight"],
        "ends": [cause["ends"]],
        "known_by": cause["known_by"],
        "tells": sign,
    }
    if cause["values"]:
        weights = dict.fromkeys(signs[sign], 1)
        weights |= dict.fromkeys(cause["values"], LIKELY)
        planned["signs"] = {sign: weights}
    return planned


def _number(name: str, entries: Sequence[IncidentAnswer], bounds: tuple[int, int]) -> list[str]:
    least, most = bounds
    faults = []
    if not least <= len(entries) <= most:
        faults.append(f"{name}: state {least} to {most}, not {len(entries)}")
    keys = [entry["key"] for entry in entries]
    if len(set(keys)) < len(keys):
        faults.append(f"{name}: two have the same key")
    return faults


def _wrong_lines(entries: Sequence[IncidentAnswer], kinds: Sequence[str]) -> list[str]:
    faults = []
    for entry in entries:
        for kind in kinds:
            lines = {line for line in entry[kind] if line.strip()}
            if len(lines) < LEAST[kind]:
                faults.append(f"{entry['key']}.{kind}: {LEAST[kind]} different lines at least")
    return faults


def _wrong_marks(topic: str, value: IncidentAnswer, values: Sequence[IncidentAnswer]) -> list[str]:
    """The lines of a value that don't tell it, or tell another one of its sign."""
    faults = []
    marks = ", ".join(value["marks"])
    lines: list[str] = []
    for kind in OF_A_VALUE:
        lines += value[kind]
    for line in lines:
        for other in values:
            told = tell(line, other["marks"])
            if other is value and not all(told):
                wrong = f"has none of the marks {marks} in one of its wordings"
            elif other is not value and any(told):
                wrong = f"has a mark of {other['key']}, which it isn't"
            else:
                continue
            faults.append(f"{topic}.{value['key']}: {line!r:.90} {wrong}")
    return faults
