"""What an agent is told: templates from `prompts/`, filled with the instance and the org's schema. The text is a function of these alone."""

from dataclasses import dataclass
from importlib.resources import files
from string import Template

from pipeline.soql.entities import Entity, FieldInfo, entities_of
from schemas.model import Schema

PERSONAS = {
    "manager": "you help a service manager, who looks at how the team of agents works.",
    "agent": "you help a service agent, who looks after customers and their cases.",
    "analyst": "you help an analyst, who looks for patterns across cases, products and regions.",
}
FEW = 6  # values of a picklist that are worth their tokens
ANYBODY = "you help somebody who works with this CRM."


@dataclass(frozen=True, slots=True)
class Briefing:
    """What one instance's agent is told besides its query: whose work it does, what it must know, hints (or an empty text)."""

    persona: str
    required: str
    hints: str = ""


def filled(template: str, **values: object) -> str:
    """The shipped template of that name, its places filled."""
    text = files("pipeline.evaluate").joinpath("prompts", f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(values).strip()


def system_prompt(agent: str, briefing: Briefing, schema: str, actions: int) -> str:
    """An agent's system message; `schema` is the text of `schema_text`, empty for an agent that isn't shown it."""
    parts = {"schema": ("Objects and their fields", schema), "required": ("What you must know", briefing.required), "optional": ("Hints", briefing.hints)}
    sections = {name: f"# {title}\n{text.strip()}\n\n" if text.strip() else "" for name, (title, text) in parts.items()}
    situation = filled("situation", persona=PERSONAS.get(briefing.persona, ANYBODY), **sections)
    return filled(agent, actions=actions, situation=situation)


def schema_text(schema: Schema) -> str:
    """Every object type with its fields, their types, and what references lead to.

    A line of it: `Case: A customer's inquiry or complaint. Id, Subject (string), OwnerId (-> User as Owner), ...`.
    """
    entities = entities_of(schema)
    return "\n".join(_line(item.name, item.description, entities[item.name.lower()]) for item in schema.objects)


def _line(name: str, description: str, entity: Entity) -> str:
    return f"{name}: {description} Fields: {', '.join(_field(field) for field in entity.fields.values() if field.stored)}."


def _field(field: FieldInfo) -> str:
    if field.type == "reference" and field.reference_to:
        through = f" as {field.relationship}" if field.relationship else ""
        return f"{field.name} (-> {' or '.join(field.reference_to)}{through})"
    values = f": {' | '.join(field.values)}" if 0 < len(field.values) <= FEW else ""
    return field.name if field.type == "id" else f"{field.name} ({field.type}{values})"
