"""Which latent variable has which name. A new one is one file with one class and one line here."""

from latent.assortment import Assortment
from latent.case_story import CaseStory
from latent.complaint_habit import ComplaintHabit
from latent.holding import Holding
from latent.issue_solution import IssueSolution
from latent.policy_violation import PolicyViolation
from latent.pricing import Pricing
from latent.product_defect import ProductDefect
from latent.response_time import ResponseTime
from latent.routing import Routing
from latent.season import Season
from latent.shopping_habit import ShoppingHabit
from latent.skill import Skill
from latent.solution import Solution
from latent.subscription import Subscription
from latent.variable import LatentVariable

LATENT: dict[str, LatentVariable] = {
    "Assortment": Assortment(),
    "CaseStory": CaseStory(),
    "ComplaintHabit": ComplaintHabit(),
    "Holding": Holding(),
    "IssueSolution": IssueSolution(),
    "PolicyViolation": PolicyViolation(),
    "Pricing": Pricing(),
    "ProductDefect": ProductDefect(),
    "ResponseTime": ResponseTime(),
    "Routing": Routing(),
    "Season": Season(),
    "ShoppingHabit": ShoppingHabit(),
    "Skill": Skill(),
    "Solution": Solution(),
    "Subscription": Subscription(),
}
