"""What the CRM says of its standard objects and a JSON Schema has no word for: names of child
relationships, name fields, long texts.

Knowledge as data; an object type or field that isn't listed follows the general rule in `entities`.
"""

LONG_TEXT = frozenset(
    {
        ("Account", "Description"),
        ("Contact", "Description"),
        ("Order", "Description"),
        ("ProductCategory", "Description"),
        ("Issue__c", "Description__c"),
        ("LiveChatTranscript", "Body"),
        ("EmailMessage", "TextBody"),
        ("Knowledge__kav", "FAQ_Answer__c"),
    }
)
"""Long text areas whose schema gives no length, or one below the bound."""

NAME_FIELDS = {
    "Case": "CaseNumber",
    "EmailMessage": "Subject",
    "Knowledge__kav": "Title",
    "Order": "OrderNumber",
    "OrderItem": "OrderItemNumber",
}
"""The field that names a record where it isn't `Name`."""

SEARCH_NAMES = {"Case": ("CaseNumber", "Subject"), "EmailMessage": ("Subject",)}
"""What SOSL's NAME FIELDS cover where it is more than the name field."""

CHILD_NAMES: dict[tuple[str, str], str | None] = {
    ("CaseHistory__c", "CaseId__c"): "Case_Histories__r",
    ("Account", "OwnerId"): None,
    ("Case", "OwnerId"): None,
    ("Contact", "OwnerId"): None,
    ("LiveChatTranscript", "OwnerId"): None,
    ("Order", "OwnerId"): None,
}
"""(child, field) -> the relationship's name, or None where the CRM gives it none; otherwise it is
the child's plural.
"""

POLYMORPHIC: dict[tuple[str, str], tuple[str, ...]] = {
    ("Case", "OwnerId"): ("Group", "User"),
    ("LiveChatTranscript", "OwnerId"): ("Group", "User"),
    ("Order", "OwnerId"): ("Group", "User"),
}
"""References that may lead to several object types, for TYPEOF and `.Type`; the org itself holds
but one of them.
"""

NEVER_DELETED = frozenset({"User"})
"""Object types without IsDeleted: their records can't be deleted."""
