"""Details of incidents: days, rates and values that a case tells."""

import json
import random
from datetime import date

import pytest
from pydantic import ValidationError

from latent.incident_details import DetailCase, details_text
from schemas.incidents import IncidentDetail, IncidentPlan


def _detail_case(**known: object) -> DetailCase:
    usual: dict[str, object] = {
        "category": "savings",
        "day": date(2022, 5, 20),
        "days": 40,
        "holds": "deposit",
        "rate": 3.25,
        "mends": True,
        "stake": "0.25 points",
    }
    return DetailCase(**{**usual, **known})  # type: ignore[arg-type]


def _details(detail: dict[str, object], case: DetailCase) -> dict[str, str]:
    value = {"marks": ["a"]}
    plan = IncidentPlan.model_validate(
        {
            "details": [detail],
            "signs": {"spot": {"toe": value, "heel": value}},
            "causes": {"bond": {"known_by": "record"}},
        }
    )
    told = details_text(random.Random(3), plan, plan.causes["bond"], [("spot", "toe")], case)
    return dict(json.loads(told or "{}"))


def test_two_rates_are_as_far_apart_as_the_stake_says() -> None:
    """The worse rate is lower where money is saved and higher where it is lent."""
    detail = {"names": ["agreed", "applied"], "rates": True}
    assert _details(detail, _detail_case()) == {"agreed": "3.25%", "applied": "3.00%"}
    lent = _details(detail, _detail_case(holds="loan"))
    assert lent == {"agreed": "3.25%", "applied": "3.50%"}
    kept = _details(detail, _detail_case(mends=False))
    assert kept == {"agreed": "3.50%", "applied": "3.25%"}
    low = _details(detail, _detail_case(rate=0.05))
    assert low["applied"] == "0.05%"
    assert low["agreed"] == "0.30%"
    lowest = _details(detail, _detail_case(rate=0.10, stake="0.05 points"))
    assert lowest == {"agreed": "0.10%", "applied": "0.05%"}


def test_a_day_of_a_case_is_never_before_the_order() -> None:
    """What happened lies between the order and the first mail, on a weekday that was asked for."""
    detail = {"names": ["sent", "sent_day"], "days": [4, 9], "weekdays": ["Monday"]}
    assert _details(detail, _detail_case()) == {"sent": "May 16", "sent_day": "Monday"}
    young = _details(detail, _detail_case(days=1))
    assert young["sent"] == "May 19"


def test_values_that_belong_together_are_drawn_together() -> None:
    """A detail of two names gives both from one row, and a part of a stake is a sum like it."""
    rows = [["11.9 cents", "13.4 cents"], ["12.2 cents", "14.0 cents"]]
    told = _details({"names": ["agreed", "billed"], "values": rows}, _detail_case())
    assert [told["agreed"], told["billed"]] in rows
    usual = _details({"names": ["usual"], "part": [0.5, 0.5]}, _detail_case(stake="$210.00"))
    assert usual == {"usual": "$105.00"}


def test_a_detail_says_one_thing() -> None:
    """A detail that is both a day and a list of values, or neither, is refused with its names."""
    with pytest.raises(ValidationError, match=r"detail \['shop'\] needs one of"):
        IncidentDetail.model_validate({"names": ["shop"]})


def test_a_day_has_another_name_than_today() -> None:
    """What happened a week ago or today is told of another day, where there is one."""
    detail = {"names": ["sent", "sent_day"], "days": [0, 1]}
    assert _details(detail, _detail_case()) == {"sent": "May 19", "sent_day": "Thursday"}
    only = _details({**detail, "days": [0, 0]}, _detail_case())
    assert only["sent"] == "May 20"
