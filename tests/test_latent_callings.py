"""What only some customers have a use for."""

import numpy as np

from latent.callings import called, needed_by
from tests.latent_orgs import setting_with
from tests.trade_orgs import drawn_company


def test_a_business_account_is_held_by_who_runs_a_business() -> None:
    """Nobody else has one, and the CRM calls them so."""
    org = drawn_company("bank")
    items, orders = org.table("ShoppingHabit.items"), org.table("ShoppingHabit.orders")
    keys = org.table("Assortment.products")["category_key"][items["product"]]
    holders = orders["account"][items["order"][keys == "business"]]
    customers = org.table("ShoppingHabit.customers")
    assert len(holders)
    assert set(customers["label"][holders].tolist()) == {"Business Owner"}
    assert set(customers["label"].tolist()) == {"Business Owner", "Customer", "Prospect"}


def test_as_much_is_bought_of_it_as_its_weight_says() -> None:
    """Few buy it, and they want it the more; the others not at all."""
    setting = drawn_company("bank").setting
    needed = needed_by(setting, 20_000)
    keys = [category.key for category in setting.world.categories]
    column = needed[:, keys.index("business")]
    assert abs(column.mean() - 1) < 0.05
    assert (column == 0).mean() > 0.7
    others = np.delete(needed, keys.index("business"), axis=1)
    assert (others == 1).all()


def test_who_needs_as_much_as_anybody_is_called_after_it() -> None:
    """Where all have a use for something nobody needs more of it than 1, and all are called so."""
    setting = drawn_company("bank").setting
    keys = [category.key for category in setting.world.categories]
    needed = np.zeros((2, len(keys)))
    needed[1, keys.index("business")] = 1.0
    types = np.array(["Customer", "Customer"], dtype=object)
    assert called(setting, types, needed).tolist() == ["Customer", "Business Owner"]


def test_where_everybody_buys_everything_types_stay() -> None:
    """A shoe shop has no such category."""
    setting = setting_with()
    types = np.array(["Customer", "Club"], dtype=object)
    assert called(setting, types, needed_by(setting, 2)).tolist() == ["Customer", "Club"]
