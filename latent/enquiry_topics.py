"""What exactly each contact is about that is no complaint: one of its trade's topics.

A part of CaseStory. Knows no course and no words.
"""

from latent.contacts import COMPLAINT
from pipeline.world.org import Org
from pipeline.world.tables import Array, Table, strings


def topics_of(org: Org, cases: Table) -> Array:
    """The topic of each case among those that fit its product, "" where there is none."""
    products = org.table("Assortment.products")
    product = org.table("ShoppingHabit.items")["product"][cases["item"]]
    category = products["category_key"][product]
    points = org.setting.stream("CaseStory", "topics").random(cases.size)
    enquiries = org.setting.world.trade.contact.enquiries
    found = []
    for intent, key, point in zip(cases["intent"], category, points, strict=True):
        enquiry = enquiries.get(intent) if intent != COMPLAINT else None
        known = enquiry.topics.items() if enquiry else ()
        topics = [topic for topic, fits in known if not fits or key in fits]
        found.append(topics[int(point * len(topics))] if topics else "")
    return strings(found)
