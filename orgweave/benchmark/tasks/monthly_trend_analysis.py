"""Monthly trend: in which month of a window a product's cases stand out.

A window of a year that begins in mid-month holds two halves of one month's name; instances are
drawn only where counting by name and counting by month of the year agree.
"""

from calendar import month_name
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import chain
from random import Random

from orgweave.benchmark.choice import agreed, best
from orgweave.benchmark.instance import NOTHING, Answer, OrgTruth, Parameters
from orgweave.benchmark.org_facts import OrgCase, OrgFacts
from orgweave.benchmark.product_questions import CaseSpan, CaseSpans, ProductCases, ProductQuestion
from orgweave.benchmark.scripts.script import (
    CallTool,
    ScriptInput,
    first_record_of,
    ids_of,
    pairs,
    said,
)
from orgweave.benchmark.scripts.windows import window_of
from orgweave.benchmark.shortcuts import (
    answer_of_case,
    in_other_windows,
    product_cases,
    top,
)
from orgweave.benchmark.soql_truth import SoqlAsker, extreme_in_window, moment, within
from orgweave.benchmark.task import Draws, TaskDefinition, TaskSources, TaskTexts
from orgweave.benchmark.verify_sql import CREATED_IN_WINDOW, OF_PRODUCT
from orgweave.benchmark.windows import TimeWindow
from orgweave.crm.seam import Crm

TREND_MONTHS = {"month": (3, 11)}
"""A window has so many months at least and at most: fewer show no trend, and a solver that doesn't
read how many are asked about takes twelve.
"""
MONTHS = tuple(month_name)
"""The names of the months, with nothing in front; looked up at once, `month_name` formats anew."""
STANDS_OUT = 2
"""By how many cases a month must be ahead: one case more is chance."""


def draws(
    sources: TaskSources,
    rng: Random,
    nothing: bool,
) -> Draws:
    """Endless draws of twins; there is always an answer."""
    question = ProductQuestion(
        seeds=("rolling",),
        label=lambda case: MONTHS[case.created.month],
        readings=_readings,
        counts=_by_month,
        choose=_standing_out,
        spans=TREND_MONTHS,
        fact=_month_of_a_year,
    )
    return question.draws(sources.story, rng, nothing=False)


def _standing_out(counts: Iterator[Counter[str]]) -> Answer:
    """The month that is ahead on every reading, and clearly so on the first."""
    plain = next(counts)
    if len(plain) < 2 or _margin(plain) < STANDS_OUT:
        return NOTHING
    return agreed(best(count, largest=True) for count in chain([plain], counts)) or NOTHING


def _readings(own: ProductCases, window: TimeWindow) -> CaseSpans:
    """The window's cases on every reading: of its end, and with whole months only."""
    spans = [*own.edge_spans(window), own.span(_whole_months(window))]
    return tuple(dict.fromkeys(spans))


def _by_month(own: ProductCases, span: CaseSpan) -> Iterator[Counter[str]]:
    """The cases by month, on both readings of a month that comes twice."""
    yield own.counted(span)
    yield _larger_halves(own, span)


def _whole_months(window: TimeWindow) -> TimeWindow:
    """The reading in which the past months are whole ones: from the first of the month that the
    window starts in, to the first of today's.
    """
    start, end = window.start.replace(day=1), window.end.replace(day=1)
    return TimeWindow(start, end, interval=window.interval)


def _larger_halves(own: ProductCases, span: CaseSpan) -> Counter[str]:
    """The cases by month and year, under the month's name; of two halves the larger one counts."""
    years = [created.year for created in own.moments[slice(*span)]]
    halves = Counter(zip(own.labels[slice(*span)], years, strict=True))
    larger: Counter[str] = Counter()
    for (name, _), number in halves.items():
        larger[name] = max(larger[name], number)
    return larger


def _margin(counts: Counter[str]) -> int:
    """By how much the first is ahead of the second."""
    (_, first), (_, second) = counts.most_common(2)
    return first - second


def _month_of_a_year(own: ProductCases, window: TimeWindow, answer: Answer) -> str:
    """The product with the month of the year that the answer names: the same month of another year
    is another fact.
    """
    begin, end = own.span(window)
    years: Counter[int] = Counter()
    for created, label in zip(own.moments[begin:end], own.labels[begin:end], strict=True):
        years[created.year] += label in answer
    return f"{own.product}|{answer[0]} {max(years, key=lambda year: years[year])}"


def soql_truth(crm: Crm, wanted: Parameters) -> OrgTruth:
    """The product's cases in the window, by month."""
    return extreme_in_window(crm, wanted, _by_soql)


def _by_soql(
    asker: SoqlAsker,
    wanted: Parameters,
    end: str,
) -> Mapping[str, float]:
    rows = asker.ask(f"""
        SELECT CreatedDate
        FROM Case
        WHERE OrderItemId__r.Product2Id = '{wanted["product"]}'
        AND {within("CreatedDate", wanted, end)}
    """)
    return Counter(f"{moment(row['CreatedDate']):%B}" for row in rows)


async def oracle(given: ScriptInput, call: CallTool) -> str:
    """The month with most cases for the product's order items."""
    start, end = await window_of(given, call)
    items = await call("get_order_item_ids_by_product", product_id=given.parameters["product"])
    cases = await call(
        "get_cases",
        start_date=start,
        end_date=end,
        order_item_ids=items,
    )
    counts = await call("get_month_to_case_count", cases=ids_of(cases))
    return said(await call("find_id_with_max_value", values_by_id=pairs(counts)))


def _month_of(created: object) -> str:
    return MONTHS[datetime.fromisoformat(str(created)).month]


def _guess(
    facts: OrgFacts,
    wanted: Parameters,
    any_product: bool = False,
) -> Answer:
    """The rule; with `any_product` over the cases of all products."""
    own = product_cases(facts, wanted, any_product)
    return top(Counter(map(_name_of_month, own)))


def _name_of_month(case: OrgCase) -> str:
    return MONTHS[case.created.month]


TASK = TaskDefinition(
    short="MTA",
    persona="service analyst",
    answers="month",
    reward_metric="exact_match",
    # There are twelve months only.
    largest_share=0.2,
    has_window=True,
    has_extreme=True,
    texts=TaskTexts(
        seeds={
            "rolling": (
                "In which month of the past {window} did the cases for {product} stand out?"
            ),
        },
        required=(
            "A case is about the product of its order item and counts in the month in which it was"
            " created. Answer with the month's name."
        ),
        optional="A case's product is OrderItemId__r.Product2Id.",
    ),
    draws=draws,
    soql_truth=soql_truth,
    verify_sql=f"""
SELECT month(c.CreatedDate), count(*)
FROM {OF_PRODUCT} AND {CREATED_IN_WINDOW}
GROUP BY 1
""",
    oracle=oracle,
    reduced={
        **in_other_windows(_guess),
        "product: any": partial(_guess, any_product=True),
        "counting: its first case": answer_of_case(0, _name_of_month),
        "counting: its middle case": answer_of_case(0.5, _name_of_month),
        "counting: its last case": answer_of_case(1, _name_of_month),
    },
    first_record=first_record_of(
        "SELECT CreatedDate FROM Case WHERE OrderItemId__r.Product2Id = '{product}'"
        " AND CreatedDate >= {start} AND CreatedDate < {end} LIMIT 1",
        "CreatedDate",
        _month_of,
    ),
)
