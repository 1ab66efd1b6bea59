"""What only some customers have a use for: a business account is for who runs a business.

A part of ShoppingHabit. The world says which share of the customers that is, and what the CRM calls
them (`only` of a category). Knows no orders.
"""

import numpy as np

from latent.assortment import stated_categories
from pipeline.world.org import RunContext
from pipeline.world.tables import Array


def needed_by(setting: RunContext, customers: int) -> Array:
    """Customers × categories: 0 where a customer has no use for a category.

    Of a category that few have a use for these buy the more: as much is bought of it as its weight
    says.
    """
    stated = stated_categories(setting)
    rng = setting.stream("ShoppingHabit", "callings")
    needed = np.ones((customers, len(stated)))
    for column, category in enumerate(stated):
        if category.only is not None:
            has_use = rng.random(customers) < category.only.share
            needed[:, column] = has_use / category.only.share
    return needed


def called(setting: RunContext, types: Array, needed: Array) -> Array:
    """The customers' types, of whom some are called after what they have a use for."""
    found = types.copy()
    for column, category in enumerate(stated_categories(setting)):
        if category.only is not None:
            found[needed[:, column] > 0] = category.only.label
    return found
