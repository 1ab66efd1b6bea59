"""What the mail system and the chat window of a service desk add to what people write.

A part of a trade (`contact: {traces: {signed: 0.9, token: "[Case {case_number}]"}}`). The texts are
data, with facts in braces; who gets them is drawn by `latent.system_traces`, and `pipeline.write`
puts them around the words. Knows no company and draws nothing.
"""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from schemas.terms import Share

SLOT = re.compile(r"\{(\w*)\}")
SLOTS = frozenset(
    ["agent", "case_number", "company", "customer", "domain", "email", "extension", "file", "first"]
    + ["hotline", "hours", "order", "order_number", "phone", "product", "team", "title"]
)
"""The facts that the texts may name."""

ChatNotice = Literal[
    "form", "number", "page", "joined", "transferred", "sent", "left", "idle", "closed", "survey"
]
"""What a chat window says of itself."""


class TraceFigures(BaseModel):
    """How mails and chats of a desk look beside their words, and how often."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    signed: Annotated[
        Share, Field(description="The share of agents' mails with the block below the name.")
    ] = 0.94
    signatures: Annotated[
        tuple[str, ...],
        Field(
            min_length=1,
            description=(
                "Such blocks, of which each agent keeps one, the first as a rule. `{title}`,"
                " `{team}`, `{company}`, `{hotline}`, `{phone}` (the agent's site),"
                " `{extension}`, `{hours}`, `{domain}` and `{agent}` stand for facts."
            ),
        ),
    ] = (
        "{company} {team}\n{hotline} | {hours}\nhttps://www.{domain}/help",
        "{agent}\n{title}, {company}\n{phone} ext. {extension} | {hours}",
    )
    disclaimer: Annotated[
        str, Field(description="What stands below every agent's mail, or nothing.")
    ] = ""
    device_lines: Annotated[
        Share, Field(description="The share of customers with a phone whose mails from it say so.")
    ] = 0.6
    quoted: Annotated[
        Share,
        Field(description="The share of customers whose replies mostly quote the mail before."),
    ] = 0.7
    desk_quoted: Annotated[
        Share, Field(description="The share of agents whose replies mostly quote the mail before.")
    ] = 0.22
    token: Annotated[
        str,
        Field(
            description=(
                "What the desk adds to a thread's subject once it has answered, or nothing:"
                " `[Case {case_number}]`."
            )
        ),
    ] = ""
    reference: Annotated[
        str,
        Field(
            description=(
                "What stands below an agent's first mail about something that was sold, or nothing:"
                " `{product}` and `{order_number}` are the order's."
            )
        ),
    ] = "Regarding: {product}, {order_number}"
    acknowledgement: Annotated[
        str, Field(description="What every first mail is answered with at once, or nothing.")
    ] = (
        "Hello {first},\n\nThank you for your message. Your case number is {case_number}. Someone"
        " from our team will write to you soon. There is no need to reply to this e-mail.\n\n"
        "{company} {team}"
    )
    closing: Annotated[
        str, Field(description="What a customer is told when a case is closed, or nothing.")
    ] = (
        "Hello {first},\n\nYour case {case_number} has been closed. If anything is left open, reply"
        " to this e-mail and we will look at it again.\n\nHow did we do? Two questions, one minute:"
        " https://survey.{domain}/{case_number}\n\n{company} {team}"
    )
    copied: Annotated[
        Share, Field(description="The share of customers who send a copy to a second address.")
    ] = 0.05
    form: Annotated[
        Share, Field(description="The share of chats that begin with a form filled in before.")
    ] = 0.75
    surveyed: Annotated[
        Share, Field(description="The share of chats behind which a survey is offered.")
    ] = 0.5
    window: Annotated[
        dict[ChatNotice, str],
        Field(
            description=(
                'What the chat window says, by the occasion: `{joined: "{agent} joined the'
                " chat.\"}`. What isn't named, or is empty, is not said. `number` says how the form"
                " names the order for its slot `{order}`: `order {order_number}` if not named."
            )
        ),
    ] = {
        "form": "Pre-chat form: {customer}, {email}{order}",
        "page": "Started from: {product}",
        "joined": "{agent} has joined the chat.",
        "transferred": "The chat was transferred to {agent}.",
        "sent": "{customer} sent a file: {file}",
        "left": "{customer} has left the chat.",
        "idle": "The chat was closed because {first} did not answer.",
        "closed": "The chat was ended by {agent}.",
        "survey": "A survey was sent to {email}.",
    }

    @field_validator(
        "signatures",
        "disclaimer",
        "token",
        "reference",
        "acknowledgement",
        "closing",
        "window",
    )
    @classmethod
    def _names_facts(
        cls, texts: str | tuple[str, ...] | dict[ChatNotice, str]
    ) -> str | tuple[str, ...] | dict[ChatNotice, str]:
        """Every slot of these texts is a fact that is known there."""
        listed = [texts] if isinstance(texts, str) else [*texts]
        if isinstance(texts, dict):
            listed = list(texts.values())
        for text in listed:
            unknown = [name for name in SLOT.findall(text) if name not in SLOTS]
            if unknown:
                raise ValueError(f"has no fact {unknown[0]!r}; use {', '.join(sorted(SLOTS))}")
        return texts
