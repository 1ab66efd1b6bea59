"""Which latent variable has which name. A new one is one file with one class and one line here.

A variable is imported when something asks for it: the first texts of a run are asked for while most
of them are not known yet.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import cast

from latent.variable import LatentVariable

MODULES: dict[str, str] = {
    "Assortment": "latent.assortment",
    "AttachmentHabit": "latent.attachment_habit",
    "AuditTrail": "latent.audit_trail",
    "CaseLinks": "latent.case_links",
    "CaseStory": "latent.case_story",
    "CaseTrail": "latent.case_trail",
    "ChatDesk": "latent.chat_desk",
    "ChatVisit": "latent.chat_visit",
    "ClosedDays": "latent.closed_days",
    "ComplaintHabit": "latent.complaint_habit",
    "Contentment": "latent.contentment",
    "Holding": "latent.holding",
    "CustomerFile": "latent.customer_file",
    "CustomerVoice": "latent.customer_voice",
    "DeskWork": "latent.desk_work",
    "Household": "latent.household",
    "Incident": "latent.incident",
    "IssueSolution": "latent.issue_solution",
    "PolicyViolation": "latent.policy_violation",
    "Pricing": "latent.pricing",
    "ProductDefect": "latent.product_defect",
    "ProductNaming": "latent.product_naming",
    "RecordTypes": "latent.record_types",
    "Reopening": "latent.reopening",
    "ResponseTime": "latent.response_time",
    "ReturnHabit": "latent.return_habit",
    "Routing": "latent.routing",
    "Season": "latent.season",
    "ShoppingHabit": "latent.shopping_habit",
    "Skill": "latent.skill",
    "Solution": "latent.solution",
    "Subscription": "latent.subscription",
    "SystemTraces": "latent.system_traces",
    "Wearer": "latent.wearer",
    "Urgency": "latent.urgency",
    "Workforce": "latent.workforce",
}
"""Each variable's name, which is that of its class, and the module that holds it."""

READ_WHERE_MADE: dict[str, tuple[str, ...]] = {
    "Incident": ("Holding",),
}
"""What a variable reads only where the schema's object types show it: a bank's accounts."""


class LatentVariables(Mapping[str, LatentVariable]):
    """The variables by their names, each imported at the first look."""

    def __getitem__(self, name: str) -> LatentVariable:
        return _variable(name, MODULES[name])

    def __contains__(self, name: object) -> bool:
        return name in MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


LATENT = LatentVariables()


@cache
def _variable(name: str, module: str) -> LatentVariable:
    return cast(LatentVariable, getattr(import_module(module), name)())
