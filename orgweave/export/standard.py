"""What the CRM says on loading and a schema has no word for: which object types are its own, which
fields stay out, which packages they need.

Knowledge as data; what isn't listed follows the schema.
"""

from orgweave.server.standard import REQUIRED

EXTERNAL_ID = "Synth_Id__c"
"""The field that holds our id in the CRM: the key of relationship columns, upserts and the way
back.
"""

STANDARD = frozenset(REQUIRED) | {
    "Campaign",
    "Contract",
    "Event",
    "Lead",
    "Opportunity",
    "OpportunityLineItem",
    "Quote",
    "QuoteLineItem",
    "Task",
}
"""Object types of the CRM's own; others become custom ones: `Patient` is loaded as `Patient__c`."""

SYSTEM_FIELDS = frozenset({"Id", "Name", "OwnerId", "CreatedDate", "LastModifiedDate"})
"""Fields that a custom object has without a `__c`."""

NO_EXTERNAL_ID = {"Knowledge__kav": "UrlName", "Profile": "Name"}
"""Object types that take no external id, with their natural key; no record refers to one."""

NO_LOOKUP = frozenset({"PricebookEntry"})
"""Object types that a custom field can't look up: the field becomes a text that holds the id."""

PERSON_ACCOUNT = frozenset(
    {("Account", "FirstName"), ("Account", "LastName"), ("Account", "PersonEmail")}
)
"""Fields that an account has only where person accounts are switched on, for good; ours are
business accounts, whose contact holds the same.
"""

PACKAGES = {
    "commerce": ("ProductCatalog", "ProductCategory", "ProductCategoryProduct"),
    "legacy-chat": ("LiveChatVisitor", "LiveChatTranscript"),
}
"""Object types that not every org has: catalogs need a Commerce licence, and chat was retired in
February 2026.
"""

BASE = "force-app"
STANDARD_BOOK = "STANDARD_PRICEBOOK_ID"
PROFILE = "STANDARD_PROFILE_ID"
"""Placeholders for what an org has already and nobody can create."""


def package(name: str) -> str:
    """The package that an object type's metadata is in."""
    return next((package for package, names in PACKAGES.items() if name in names), BASE)


NO_OBJECT_PERMISSIONS = frozenset({"EmailMessage", "OrderItem", "PricebookEntry", "User"})
"""Object types whose permissions follow from others: the case's, the order's, the price book's, a
user permission.
"""

VALUE_SETS: dict[tuple[str, str], str] = {
    ("Account", "AccountSource"): "LeadSource",
    ("Account", "Type"): "AccountType",
    ("Case", "Origin"): "CaseOrigin",
    ("Case", "Priority"): "CasePriority",
    ("Case", "Reason"): "CaseReason",
    ("Case", "Status"): "CaseStatus",
    ("Case", "Type"): "CaseType",
    ("Contact", "LeadSource"): "LeadSource",
    ("Order", "Type"): "OrderType",
    ("Product2", "Family"): "Product2Family",
}
"""Standard picklists and the value set that each shares with others."""

CLOSING = frozenset({"Closed"})
"""Case statuses that close a case."""


def permission_set(package: str) -> str:
    """What a package's permission set is called."""
    return "Synth_Load" if package == BASE else f"Synth_Load_{package.title().replace('-', '_')}"
