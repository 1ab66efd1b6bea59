"""How an endpoint is made to answer in JSON: a strict schema where it takes one, else JSON mode,
else plain text. Found out once, then remembered.

The strict projection of a JSON Schema keeps what every endpoint knows; lengths and patterns are the
format verifier's business.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

FORMS = ("json_schema", "json_object", "text")
KEPT = (
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "description",
)


@dataclass(slots=True)
class Forms:
    """The form in use with one model at one endpoint; `remember` is told when it changes."""

    form: str = FORMS[0]
    remember: Callable[[str], None] = lambda form: None

    def response_format(self, name: str, entry: Mapping[str, object]) -> dict[str, object]:
        """What goes into the body: nothing for plain text."""
        if self.form == "json_schema":
            return {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": name, "strict": True, "schema": answer_of(entry)},
                }
            }
        return {"response_format": {"type": "json_object"}} if self.form == "json_object" else {}

    def refused(self, form: str) -> bool:
        """The endpoint doesn't take that form: goes on to the next one, if another call hasn't
        already; False where there is none.
        """
        if form == FORMS[-1]:
            return False
        if form == self.form:
            self.form = FORMS[FORMS.index(form) + 1]
            self.remember(self.form)
        return True


def answer_of(entry: Mapping[str, object]) -> dict[str, object]:
    """The JSON Schema of a whole answer, in the strict projection."""
    listed = {"type": "array", "items": strict(entry)}
    return {
        "type": "object",
        "properties": {"entries": listed},
        "required": ["entries"],
        "additionalProperties": False,
    }


def strict(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema with the keywords that strict mode knows, at every depth."""
    kept = {name: value for name, value in schema.items() if name in KEPT}
    if isinstance(properties := kept.get("properties"), Mapping):
        kept["properties"] = {name: strict(value) for name, value in properties.items()}
    if isinstance(items := kept.get("items"), Mapping):
        kept["items"] = strict(items)
    return kept
