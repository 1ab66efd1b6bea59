"""What the CRM demands of its standard objects on writing and a JSON Schema has no word for.

Knowledge as data.

What isn't listed follows the schema: a custom object's required fields are required, custom unique
fields are unique, custom picklists restricted.
"""

REQUIRED: dict[str, tuple[str, ...]] = {
    "User": (
        "LastName",
        "Username",
        "Email",
        "Alias",
        "ProfileId",
        "TimeZoneSidKey",
        "LocaleSidKey",
        "LanguageLocaleKey",
        "EmailEncodingKey",
    ),
    "Account": ("Name",),
    "Contact": ("LastName",),
    "ProductCatalog": ("Name",),
    "ProductCategory": ("Name", "CatalogId"),
    "ProductCategoryProduct": ("ProductId", "ProductCategoryId"),
    "Product2": ("Name",),
    "Pricebook2": ("Name",),
    "PricebookEntry": ("Pricebook2Id", "Product2Id", "UnitPrice"),
    "Order": ("AccountId", "EffectiveDate", "Status"),
    "OrderItem": ("OrderId", "PricebookEntryId", "Quantity", "UnitPrice"),
    "Case": (),
    "EmailMessage": (),
    "LiveChatVisitor": (),
    "LiveChatTranscript": ("LiveChatVisitorId",),
    "Knowledge__kav": ("Title", "UrlName"),
    "Profile": ("Name",),
    "Organization": ("Name",),
}
"""Fields without which a record can't be created, where the object type has them."""

UNIQUE: dict[tuple[str, str], str] = {
    ("User", "Username"): "DUPLICATE_USERNAME",
    ("Knowledge__kav", "UrlName"): "DUPLICATE_VALUE",
}
"""Standard fields that no two records share, and the error where they would; in any case of
letters.
"""

UNIQUE_TOGETHER = {
    "PricebookEntry": (
        ("Pricebook2Id", "Product2Id"),
        "This price definition already exists in this price book",
    ),
    "ProductCategoryProduct": (
        ("ProductCategoryId", "ProductId"),
        "This product is already in this category",
    ),
}

LOOKED_UP = frozenset(
    {
        ("User", "Username"),
        ("User", "Email"),
        ("Contact", "Email"),
        ("Knowledge__kav", "UrlName"),
        ("LiveChatTranscript", "ChatKey"),
        ("Profile", "Name"),
    }
)
"""Standard fields that may stand for a record's id (idLookup)."""

RESTRICTED = frozenset(
    {
        ("User", "LanguageLocaleKey"),
        ("User", "LocaleSidKey"),
        ("User", "EmailEncodingKey"),
        ("EmailMessage", "Status"),
        ("Order", "Status"),
        ("Knowledge__kav", "Language"),
        ("Knowledge__kav", "PublishStatus"),
    }
)
"""Standard picklists that take no other values."""

MORE_VALUES = {("EmailMessage", "Status"): ("4", "5")}
"""Values that the CRM knows and the schema doesn't draw."""

CREATE_ONLY = frozenset(
    {
        ("PricebookEntry", "Pricebook2Id"),
        ("PricebookEntry", "Product2Id"),
        ("OrderItem", "OrderId"),
        ("OrderItem", "PricebookEntryId"),
        ("ProductCategoryProduct", "ProductId"),
        ("ProductCategoryProduct", "ProductCategoryId"),
        ("ProductCategory", "CatalogId"),
        ("Knowledge__kav", "Language"),
    }
)
AUDIT = frozenset({"CreatedDate", "ClosedDate"})
"""Set on insert only, never on update or upsert."""

NOT_CREATEABLE = frozenset({"Profile", "Organization"})
NOT_DELETABLE = frozenset({"User", "Profile", "Organization"})

CASCADES = {
    "Account": ("Contact.AccountId",),
    "Case": ("EmailMessage.ParentId",),
    "Order": ("OrderItem.OrderId",),
    "Product2": ("PricebookEntry.Product2Id", "ProductCategoryProduct.ProductId"),
    "Pricebook2": ("PricebookEntry.Pricebook2Id",),
    "ProductCategory": ("ProductCategoryProduct.ProductCategoryId",),
    "ProductCatalog": ("ProductCategory.CatalogId",),
}
"""Children that are deleted with their parent."""

BLOCKS = frozenset(
    {
        "Case.AccountId",
        "Case.ContactId",
        "Order.AccountId",
        "Order.Pricebook2Id",
        "OrderItem.Product2Id",
        "OrderItem.PricebookEntryId",
    }
)
"""References that keep a parent from being deleted; all others become null."""

LENGTHS = {"City": 40, "State": 80, "PostalCode": 20, "Phone": 40, "Website": 255}
"""Lengths of standard fields by the end of their names, where the schema gives none."""

DEFAULTS: dict[tuple[str, str], str | int] = {
    ("User", "IsActive"): 1,
    ("User", "UserType"): "Standard",
    ("Case", "Status"): "New",
    ("Case", "Priority"): "Medium",
    ("EmailMessage", "Status"): "0",
    ("Knowledge__kav", "PublishStatus"): "Draft",
    ("Knowledge__kav", "Language"): "en_US",
}
