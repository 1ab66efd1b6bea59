"""A schema in memory: object types with their fields, dialogue acts and invariants.

One frozen dataclass a thing, whose annotations say how YAML writes it: pydantic checks what comes
from a file by them (`schemas.loader`), and Python's own code makes them directly. Reads no file and
draws nothing.

Example: `schema.object("Case").field("Status").source` is a `ChoiceSource`.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import ConfigDict
from pydantic import Field as Key

from schemas.country import DEFAULT_LOCALE
from schemas.errors import SchemaError
from schemas.field import ONLY_KNOWN_KEYS, Field
from schemas.object_type import ObjectType
from schemas.proofs import ConversationFigure, Invariant, Statistic
from schemas.sources import CopySource


@dataclass(frozen=True, slots=True)
class Beat:
    """A dialogue act in `_beats.yaml`, under its name: `c.sign: {says: ..., must: [customer]}`."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[str, Key(description="The act's name, its key in the file.")]
    says: Annotated[
        str,
        Key(
            description=(
                'What the act says, for a model\'s prompt: `"asks for {wish}"`. Facts stand in'
                " braces."
            )
        ),
    ]
    must: Annotated[
        tuple[str, ...], Key(description="The facts that the act's text must name: `[wish]`.")
    ] = ()
    uses: Annotated[
        Mapping[str, str],
        Key(
            description=(
                "Facts that go by another name in this act: with `{limit: deny_limit}` the act"
                " says `limit` and means the fact `deny_limit`."
            )
        ),
    ] = dataclasses.field(default_factory=dict)
    rules: Annotated[
        tuple[str, ...],
        Key(
            description=(
                "The lexicon's rules that the embedded writer may word the act by; the rule with"
                " the act's own name where there are none."
            )
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """All object types of one CRM, the dialogue acts of its conversations, its invariants, the
    statistics by which its realism is measured, and the figures of its conversations.

    `locale` is the one for which its fields were read.
    """

    name: str
    objects: tuple[ObjectType, ...]
    beats: Mapping[str, Beat] = dataclasses.field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()
    description: str = ""
    statistics: tuple[Statistic, ...] = ()
    conversations: tuple[ConversationFigure, ...] = ()
    locale: str = DEFAULT_LOCALE
    _by_name: Mapping[str, ObjectType] = dataclasses.field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # A frozen dataclass lets nothing else set what it derives from its own fields.
        object.__setattr__(self, "_by_name", {item.name: item for item in reversed(self.objects)})

    @property
    def latents(self) -> tuple[str, ...]:
        """The names of the latent variables that the object types are made from, in order."""
        named: set[str] = set()
        for item in self.objects:
            named.update(path.variable for path in item.latents)
        return tuple(sorted(named))

    def object(self, name: str) -> ObjectType:
        """The object type of that name; raises SchemaError if there is none."""
        if name in self._by_name:
            return self._by_name[name]
        known = ", ".join(item.name for item in self.objects)
        raise SchemaError(f"schema {self.name} has no object type {name}; it has {known}")

    def has(self, name: str) -> bool:
        """Whether there is an object type of that name."""
        return name in self._by_name

    def target(self, item: ObjectType, field: Field) -> str | None:
        """The object type whose ids a field holds, or None.

        A field holds ids by its own source, or because it is copied from a field that does.
        """
        if field.reference or not isinstance(field.source, CopySource):
            return field.reference
        *steps, last = field.source.path.steps
        for step in steps:
            reference = item.field(step).reference if item.has(step) else None
            if reference is None:
                return None
            item = self.object(reference)
        return self.target(item, item.field(last)) if item.has(last) else None
