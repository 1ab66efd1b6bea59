"""What an agent is told: templates from `prompts/`, filled with the instance and the org's schema.

The text is a function of these alone.
"""

from dataclasses import dataclass
from importlib.resources import files
from string import Template

PERSONAS = {
    "service manager": "you help a service manager, who looks at how the team of agents works.",
    "service agent": "you help a service agent, who looks after customers and their cases.",
    "service analyst": (
        "you help a service analyst, who looks for patterns across cases, products and regions."
    ),
}
ANYBODY = "you help somebody who works with this CRM."


@dataclass(frozen=True, slots=True)
class Briefing:
    """What one instance's agent is told besides its query: whose work it does, what it must know,
    hints (or an empty text).
    """

    persona: str
    required: str
    hints: str = ""


def filled(template: str, **values: object) -> str:
    """The shipped template of that name, its places filled."""
    text = (
        files("orgweave.benchmark.evaluate")
        .joinpath("prompts", f"{template}.txt")
        .read_text(encoding="utf-8")
    )
    return Template(text).substitute(values).strip()


def system_prompt(
    agent: str,
    briefing: Briefing,
    schema: str,
    actions: int,
) -> str:
    """An agent's system message; `schema` is the text on the org's objects, empty for an agent that
    isn't shown it.
    """
    parts = {
        "schema": ("Objects and their fields", schema),
        "required": ("What you must know", briefing.required),
        "optional": ("Hints", briefing.hints),
    }
    sections = {
        name: f"# {title}\n{text.strip()}\n\n" if text.strip() else ""
        for name, (title, text) in parts.items()
    }
    situation = filled(
        "situation",
        persona=PERSONAS.get(f"service {briefing.persona.removeprefix('service ')}", ANYBODY),
        **sections,
    )
    return filled(agent, actions=actions, situation=situation)
