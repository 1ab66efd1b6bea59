"""Which latent variable has which name. A new one is one file with one class and one line here."""

from latent.assortment import Assortment
from latent.attachment_habit import AttachmentHabit
from latent.audit_trail import AuditTrail
from latent.case_links import CaseLinks
from latent.case_story import CaseStory
from latent.case_trail import CaseTrail
from latent.chat_desk import ChatDesk
from latent.chat_visit import ChatVisit
from latent.closed_days import ClosedDays
from latent.complaint_habit import ComplaintHabit
from latent.contentment import Contentment
from latent.customer_file import CustomerFile
from latent.customer_voice import CustomerVoice
from latent.desk_work import DeskWork
from latent.holding import Holding
from latent.household import Household
from latent.incident import Incident
from latent.issue_solution import IssueSolution
from latent.policy_violation import PolicyViolation
from latent.pricing import Pricing
from latent.product_defect import ProductDefect
from latent.product_naming import ProductNaming
from latent.record_types import RecordTypes
from latent.reopening import Reopening
from latent.response_time import ResponseTime
from latent.return_habit import ReturnHabit
from latent.routing import Routing
from latent.season import Season
from latent.shopping_habit import ShoppingHabit
from latent.skill import Skill
from latent.solution import Solution
from latent.subscription import Subscription
from latent.system_traces import SystemTraces
from latent.urgency import Urgency
from latent.variable import LatentVariable
from latent.wearer import Wearer
from latent.workforce import Workforce

LATENT: dict[str, LatentVariable] = {
    "Assortment": Assortment(),
    "AttachmentHabit": AttachmentHabit(),
    "AuditTrail": AuditTrail(),
    "CaseLinks": CaseLinks(),
    "CaseStory": CaseStory(),
    "CaseTrail": CaseTrail(),
    "ChatDesk": ChatDesk(),
    "ChatVisit": ChatVisit(),
    "ClosedDays": ClosedDays(),
    "ComplaintHabit": ComplaintHabit(),
    "Contentment": Contentment(),
    "Holding": Holding(),
    "CustomerFile": CustomerFile(),
    "CustomerVoice": CustomerVoice(),
    "DeskWork": DeskWork(),
    "Household": Household(),
    "Incident": Incident(),
    "IssueSolution": IssueSolution(),
    "PolicyViolation": PolicyViolation(),
    "Pricing": Pricing(),
    "ProductDefect": ProductDefect(),
    "ProductNaming": ProductNaming(),
    "RecordTypes": RecordTypes(),
    "Reopening": Reopening(),
    "ResponseTime": ResponseTime(),
    "ReturnHabit": ReturnHabit(),
    "Routing": Routing(),
    "Season": Season(),
    "ShoppingHabit": ShoppingHabit(),
    "Skill": Skill(),
    "Solution": Solution(),
    "Subscription": Subscription(),
    "SystemTraces": SystemTraces(),
    "Wearer": Wearer(),
    "Urgency": Urgency(),
    "Workforce": Workforce(),
}

READ_WHERE_MADE: dict[str, tuple[str, ...]] = {
    "Incident": ("Holding",),
}
"""What a variable reads only where the schema's object types show it: a bank's accounts."""
