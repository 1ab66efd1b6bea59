"""The seed queries: 14 of the eight tasks that have them, and those of knowledge questions; and
what an agent is told beside the query.

They stand in `told.yaml`. `required` is what nobody could know otherwise (today's date, ids in
play, definitions, policy); `optional` says
where things are. The paper has as many seeds (appendix B); these are worded anew.
"""

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from orgweave.benchmark.instance import Candidate, Parameter
from orgweave.benchmark.windows import kind_of
from schemas.files import checked, read_yaml

WINDOWED = (
    "handle_time",
    "transfer_count",
    "top_issue_identification",
    "monthly_trend_analysis",
    "best_region_identification",
)


class ToldOfTask(BaseModel):
    """A task's seed queries by name, its definitions and its hints."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    seeds: dict[str, str]
    required: str
    optional: str


class Told(BaseModel):
    """All of `told.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    named: str
    rolling: str
    seasons: str
    figure: str
    tasks: dict[str, ToldOfTask]

    def seed_query(self, task: str, candidate: Candidate) -> str:
        """The seed, filled in."""
        if candidate.seed.startswith("policy."):
            return self.figure.format(
                figure=candidate.seed.rpartition(".")[2].replace("_", " "), **candidate.slots
            )
        return self.tasks[task].seeds[candidate.seed].format(**candidate.slots)

    def metadata(self, task: str, parameters: Mapping[str, Parameter]) -> dict[str, str]:
        """`required` and `optional`, as the agent is told."""
        time = (
            [self.rolling if "interval" in parameters else self.named] if task in WINDOWED else []
        )
        time += [self.seasons] if kind_of(str(parameters.get("period", ""))) == "season" else []
        return {
            "required": " ".join([*_in_play(parameters), *time, self.tasks[task].required]),
            "optional": self.tasks[task].optional,
        }


def load_told() -> Told:
    """The shipped texts."""
    path = Path(__file__).parent / "told.yaml"
    return checked(Told, read_yaml(path), str(path))


def with_case(text: str, parameters: Mapping[str, Parameter]) -> str:
    """The query with the new case behind it, word for word, where it is about one."""
    if "subject" not in parameters:
        return text
    return f"{text}\n\nSubject: {parameters['subject']}\nDescription: {parameters['description']}"


def _in_play(parameters: Mapping[str, Parameter]) -> list[str]:
    """Today's date, and whom or what the conversation is about; never what is to be found out."""
    told = []
    if today := parameters.get("today"):
        told.append(f"Today's date: {today}.")
    if contact := parameters.get("contact"):
        told.append(f"You are speaking with the contact whose Id is {contact}.")
    if "start" in parameters and (product := parameters.get("product")):
        told.append(f"The product's Id is {product}.")
    return told
