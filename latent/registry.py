"""Which latent variable has which name. A new one is one file with one class and one line here."""

from latent.assortment import Assortment
from latent.case_links import CaseLinks
from latent.case_story import CaseStory
from latent.chat_visit import ChatVisit
from latent.complaint_habit import ComplaintHabit
from latent.customer_file import CustomerFile
from latent.desk_work import DeskWork
from latent.household import Household
from latent.issue_solution import IssueSolution
from latent.policy_violation import PolicyViolation
from latent.pricing import Pricing
from latent.product_defect import ProductDefect
from latent.reopening import Reopening
from latent.response_time import ResponseTime
from latent.returns import Returns
from latent.routing import Routing
from latent.satisfaction import Satisfaction
from latent.season import Season
from latent.shopping_habit import ShoppingHabit
from latent.skill import Skill
from latent.solution import Solution
from latent.urgency import Urgency
from latent.variable import LatentVariable
from latent.workforce import Workforce

LATENT: dict[str, LatentVariable] = {
    "Assortment": Assortment(),
    "CaseLinks": CaseLinks(),
    "CaseStory": CaseStory(),
    "ChatVisit": ChatVisit(),
    "ComplaintHabit": ComplaintHabit(),
    "DeskWork": DeskWork(),
    "CustomerFile": CustomerFile(),
    "Household": Household(),
    "IssueSolution": IssueSolution(),
    "PolicyViolation": PolicyViolation(),
    "Pricing": Pricing(),
    "ProductDefect": ProductDefect(),
    "Reopening": Reopening(),
    "ResponseTime": ResponseTime(),
    "Returns": Returns(),
    "Routing": Routing(),
    "Satisfaction": Satisfaction(),
    "Season": Season(),
    "ShoppingHabit": ShoppingHabit(),
    "Skill": Skill(),
    "Solution": Solution(),
    "Workforce": Workforce(),
    "Urgency": Urgency(),
}
