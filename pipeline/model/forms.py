"""How an endpoint is made to answer in JSON, found out once and then remembered.

The forms are a strict schema where the endpoint takes one, else JSON mode, else plain text. The
strict projection of a JSON Schema keeps what every endpoint knows; lengths and patterns are the
format verifier's business.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

SCHEMA_FORM = "json_schema"
JSON_FORM = "json_object"
TEXT_FORM = "text"
FORMS = (SCHEMA_FORM, JSON_FORM, TEXT_FORM)
# The keywords of OpenAI's strict mode that other servers know, too.
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
    """The form in use with one model at one endpoint; `remember` is told when it changes.

    What goes into the body is the same for nearly all calls of an object type and made once.
    """

    form: str = FORMS[0]
    remember: Callable[[str], None] = lambda form: None
    _made: dict[str, tuple[Mapping[str, object], dict[str, object]]] = field(default_factory=dict)

    def response_format(
        self,
        name: str,
        entry: Mapping[str, object],
    ) -> dict[str, object]:
        """What goes into the body: nothing for plain text."""
        if self.form == TEXT_FORM:
            return {}
        if self.form == JSON_FORM:
            return {"response_format": {"type": JSON_FORM}}
        known = self._made.get(name)
        if known is None or known[0] != entry:
            schema = {"name": name, "strict": True, "schema": answer_of(entry)}
            known = (entry, {"response_format": {"type": SCHEMA_FORM, SCHEMA_FORM: schema}})
            self._made[name] = known
        return known[1]

    def refused(self, form: str) -> bool:
        """Goes on to the next form where the endpoint doesn't take this one.

        Another call may have done so already. False where there is no other form.
        """
        if form == FORMS[-1]:
            return False
        if form == self.form:
            self.form = FORMS[FORMS.index(form) + 1]
            self.remember(self.form)
        return True


def answer_of(entry: Mapping[str, object]) -> dict[str, object]:
    """The JSON Schema of a whole answer, in the strict projection."""
    return {
        "type": "object",
        "properties": {"entries": {"type": "array", "items": strict(entry)}},
        "required": ["entries"],
        "additionalProperties": False,
    }


def strict(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema with the keywords that strict mode knows, at every depth."""
    kept = {name: value for name, value in schema.items() if name in KEPT}
    properties = kept.get("properties")
    if isinstance(properties, Mapping):
        kept["properties"] = {name: strict(value) for name, value in properties.items()}
    items = kept.get("items")
    if isinstance(items, Mapping):
        kept["items"] = strict(items)
    return kept
