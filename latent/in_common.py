"""What all shards of a very large org have in common of the hidden causes, and how the rows of
their tables are counted on.

Knows no shard: it names streams, tables and columns. `pipeline.world.shard` says what a shard is.
"""

from collections.abc import Mapping

COMMON_STREAMS = (
    "ClosedDays",
    "Holding/market",
    "IssueSolution",
    "Org/imported",
    "ResponseTime.common",
    "Season",
    "Solution",
    "Territory",
    "Workforce/lines",
    "Workforce/sites",
)
"""Variables, and parts of variables, that are drawn once for a company, however large it is: what
goes wrong and is done about it, what articles say, where it has sites, when records were loaded.
"""

COMMON_TABLES = frozenset(
    {
        "Assortment.categories",
        "ClosedDays.days",
        "Holding.market",
        "Incident.marks",
        "IssueSolution.articles",
        "IssueSolution.by_issue",
        "RecordTypes.types",
        "ResponseTime.issues",
        "ResponseTime.states",
        "Season.books",
        "Season.days",
        "Solution.issues",
        "Solution.listed",
        "Solution.options",
        "Wearer.sizes",
        "Workforce.groups",
        "Workforce.hours",
        "Workforce.profiles",
        "Workforce.queues",
        "Workforce.roles",
        "Workforce.sites",
    }
)
"""The tables whose rows are the same in all shards; of states each has those of its customers."""

ROW_NUMBERS: Mapping[tuple[str, str], str] = {
    ("CaseStory.turns", "chat"): "CaseStory.chats",
    ("ChatDesk.turns", "chat"): "ChatDesk.chats",
    ("ComplaintHabit.cases", "outage"): "ComplaintHabit.cases",
    ("ReturnHabit.lines", "return"): "ReturnHabit.returns",
    ("ShoppingHabit.items", "wearer"): "Wearer.wearers",
    ("Wearer.wearers", "Id"): "Wearer.wearers",
}
"""A column that holds row numbers (or numbers below them) -> the table whose rows these are."""
