"""In whose hands a case is at a moment: what its assignments say.

Knows the history of cases and nothing of what is done with them.
"""

import numpy as np

from pipeline.world.org import Org
from pipeline.world.tables import Array


def in_hand(
    org: Org,
    case: Array,
    moment: Array,
) -> tuple[Array, Array]:
    """Who has each case at a moment, and since when: the new owner of the last assignment by then.

    `case` and `moment` are those of an assignment or of something later.
    """
    history = org.table("CaseStory.history")
    owned = np.flatnonzero(history["event"] == "Owner Assignment")
    cases, times = history["case"][owned], history["at"][owned]
    in_order = np.lexsort((times, cases))
    by_case = owned[in_order]
    known = cases[in_order]
    assigned = times[in_order].astype(np.int64)
    until = moment.astype("datetime64[s]").astype(np.int64)
    # One number for case and moment: no assignment comes behind the moment of a later case.
    span = int(max(assigned.max(initial=0), until.max(initial=0))) + 1
    asked = case * span + until
    last = np.searchsorted(known * span + assigned, asked, "right")
    row = by_case[last - 1]
    return history["new"][row], history["at"][row]
