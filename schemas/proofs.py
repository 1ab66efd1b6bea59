"""What `check` proves of an org, as a schema states it: invariants, statistics and conversations.

Reads no file and measures nothing.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict
from pydantic import Field as Key

from schemas.field import ONLY_KNOWN_KEYS


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule in `_invariants.yaml` that holds for every record of a finished org."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[
        str, Key(description="The rule's name in check.json: `case_contact_of_account`.")
    ]
    says: Annotated[str, Key(description="The rule in a sentence.")]
    tried: Annotated[
        str,
        Key(description='SQL on the org that counts the records: `SELECT count(*) FROM "Case"`.'),
    ]
    broken: Annotated[
        str, Key(description="SQL on the org that selects the Id of each record that breaks it.")
    ]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure in `_realism.yaml`, and the band in which the orgs of real companies have it."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[str, Key(description="The figure's name: `one_time_buyers`.")]
    topic: Annotated[str, Key(description="What it is about, as a heading: `Customers`.")]
    says: Annotated[str, Key(description="What is measured, in a phrase.")]
    measure: Annotated[
        str,
        Key(
            description=(
                "SQL on the org that selects one number, or NULL where there is nothing to measure."
                " Beside SQLite's functions it may use `median`, `percentile`, `deviation`,"
                " `skewness`, `correlation`, `association`, `explained`, `gini`, `top_share`,"
                " `recurring`, `natural_log` and `local_hour`."
            )
        ),
    ]
    band: Annotated[
        tuple[float, float],
        Key(
            description=(
                "The lowest and the highest value that real orgs show: `[0.4, 0.75]`. A trade may"
                " state another one under `bands`."
            )
        ),
    ]
    source: Annotated[str, Key(description="Where the band comes from.")]


ConversationMeasure = Literal[
    "shared_runs",
    "repeated_sentences",
    "strict_alternation",
    "pause_and_length",
    "shortest_chats",
    "longest_chats",
    "same_side",
    "mail_traces",
    "exact_openings",
    "decided_by_talk",
    "contradictions",
]
"""What can be measured of an org's conversations; each has a function in `verifiers`."""


@dataclass(frozen=True, slots=True)
class ConversationFigure:
    """A figure in `_conversations.yaml`, and the bounds within which talk reads as people's."""

    __pydantic_config__: ClassVar[ConfigDict] = ONLY_KNOWN_KEYS
    name: Annotated[ConversationMeasure, Key(description="What is measured: `shared_runs`.")]
    says: Annotated[str, Key(description="What is measured, in a phrase.")]
    band: Annotated[
        tuple[float, float],
        Key(
            description=(
                "The lowest and the highest value that people's conversations show: `[0, 0.25]`. A"
                " trade may state another one under `bands`."
            )
        ),
    ]
    source: Annotated[str, Key(description="Where the bounds come from.")]
