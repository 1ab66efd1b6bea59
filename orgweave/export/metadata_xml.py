"""Metadata files as XML: custom objects, fields, standard value sets, permission sets.

Knows elements and their order, no folder.

Example: `field_xml(field, "Case_Histories")` for `CaseHistory__c.CaseId__c` is a CustomField of
type Lookup to Case.
"""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from orgweave.crm.field import TEXT_LENGTH, CrmField, CrmObject
from orgweave.export.objects import loaded
from orgweave.export.words import label

NAMESPACE = "http://soap.sforce.com/2006/04/metadata"
SHORTEST_LONG_TEXT = 256
"""Characters; the CRM refuses a shorter long text area."""
LONGEST_LABEL = 40
"""Characters of a field's label."""
XmlElement = tuple[str, "str | bool | int | Sequence[XmlElement]"]
TYPES = {
    "reference": "Lookup",
    "picklist": "Picklist",
    "multipicklist": "MultiselectPicklist",
    "textarea": "LongTextArea",
    "boolean": "Checkbox",
    "currency": "Currency",
    "double": "Number",
    "int": "Number",
    "date": "Date",
    "datetime": "DateTime",
    "email": "Email",
    "phone": "Phone",
    "url": "Url",
    "string": "Text",
}
"""A field's type in `describe` -> its type in metadata."""
PICKLISTS = frozenset({"reference", "picklist", "multipicklist"})
NEVER_REQUIRED = frozenset({"Checkbox", "LongTextArea"})
"""Types that no field metadata can make required."""
UNIQUE = frozenset({"Text", "Email", "Number"})
"""Types whose values may be unique, and stand for a record as an external id."""


def document(kind: str, elements: Sequence[XmlElement]) -> str:
    """A metadata file's text."""
    root = ElementTree.Element(kind, xmlns=NAMESPACE)
    _fill(root, elements)
    ElementTree.indent(root, "    ")
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _fill(parent: ElementTree.Element, elements: Sequence[XmlElement]) -> None:
    for name, content in elements:
        child = ElementTree.SubElement(parent, name)
        if isinstance(content, bool):
            child.text = "true" if content else "false"
        elif isinstance(content, str | int):
            child.text = str(content)
        else:
            _fill(child, content)


def object_xml(crm_object: CrmObject) -> str:
    """A custom object; records without a name of their own are numbered."""
    plain = label(crm_object.table)
    return document(
        "CustomObject",
        [
            ("deploymentStatus", "Deployed"),
            ("description", crm_object.description),
            ("enableBulkApi", True),
            ("enableReports", True),
            ("enableSearch", True),
            ("enableSharing", True),
            ("enableStreamingApi", True),
            ("label", plain),
            ("nameField", _name_field(crm_object, plain)),
            ("pluralLabel", f"{plain[:-1]}ies" if plain.endswith("y") else f"{plain}s"),
            ("sharingModel", "ReadWrite"),
        ],
    )


def _name_field(crm_object: CrmObject, plain: str) -> list[XmlElement]:
    if any(field.name == "Name" for field in loaded(crm_object)):
        return [("label", f"{plain} Name"), ("type", "Text")]
    initials = "".join(word[0] for word in plain.split())
    return [
        ("displayFormat", f"{initials}-{{000000}}"),
        ("label", f"{plain} Number"),
        ("type", "AutoNumber"),
    ]


def field_xml(field: CrmField, children: str) -> str:
    """A custom field; `children` is what a parent calls the records that look it up."""
    kind = _kind(field)
    unique = field.unique and kind in UNIQUE
    elements: list[XmlElement] = [
        ("fullName", field.name),
        ("label", label(field.name)[:LONGEST_LABEL]),
        ("type", kind),
        *_type_elements(field, kind, children),
    ]
    if kind not in NEVER_REQUIRED:
        elements.append(("required", field.required))
    if kind in UNIQUE:
        elements += [("externalId", unique), ("unique", unique)]
    if kind == "Text" and unique:
        elements.append(("caseSensitive", True))
    return document("CustomField", sorted(elements, key=lambda element: element[0]))


def _required(field: CrmField) -> bool:
    return field.required and _kind(field) not in NEVER_REQUIRED


def _kind(field: CrmField) -> str:
    """The field's type in metadata; a text that is too long for its type is a long text area."""
    long = field.length > TEXT_LENGTH and field.type not in PICKLISTS
    return "LongTextArea" if long else TYPES[field.type]


def _type_elements(field: CrmField, kind: str, children: str) -> list[XmlElement]:
    """What only fields of a type have."""
    match kind:
        case "Lookup":
            return [
                ("deleteConstraint", "Restrict" if field.required else "SetNull"),
                ("referenceTo", str(field.target)),
                ("relationshipLabel", label(children)),
                ("relationshipName", children),
            ]
        case "Picklist":
            return [("valueSet", _value_set(field.picklist))]
        case "MultiselectPicklist":
            return [("valueSet", _value_set(field.picklist)), ("visibleLines", 4)]
        case "LongTextArea":
            return [("length", max(field.length, SHORTEST_LONG_TEXT)), ("visibleLines", 3)]
        case "Text":
            return [("length", field.length)]
        case "Checkbox":
            return [("defaultValue", False)]
    if field.precision:
        return [("precision", field.precision), ("scale", field.scale)]
    return []


def _value_set(values: Sequence[str]) -> list[XmlElement]:
    listed: list[XmlElement] = [
        ("value", [("fullName", value), ("default", False), ("label", value)]) for value in values
    ]
    return [("restricted", True), ("valueSetDefinition", [("sorted", False), *listed])]


def value_set_xml(values: Sequence[str], default: str, closing: Sequence[str] = ()) -> str:
    """A standard value set; where some values close a record, each says whether it does."""
    listed: list[XmlElement] = []
    for value in dict.fromkeys(values):
        elements = list(_standard_value(value, default))
        if closing:
            elements.append(("closed", value in closing))
        listed.append(("standardValue", elements))
    return document("StandardValueSet", [("sorted", False), *listed])


def _standard_value(value: str, default: str) -> Iterator[XmlElement]:
    yield "fullName", value
    yield "default", value == default
    yield "label", value


def permission_set_xml(
    name: str,
    objects: Sequence[CrmObject],
    fields: Sequence[tuple[str, CrmField]],
    users: Sequence[str],
) -> str:
    """A permission set: all that a loader does with records, and the custom fields that may be
    hidden (a required one may not).

    `fields` are pairs of an object's name and its field, `users` the user permissions.
    """
    elements: list[XmlElement] = [("description", "Load and read the synthetic org.")]
    for owner, field in fields:
        if not _required(field):
            visible: list[XmlElement] = [
                ("editable", True),
                ("field", f"{owner}.{field.name}"),
                ("readable", True),
            ]
            elements.append(("fieldPermissions", visible))
    elements += [("hasActivationRequired", False), ("label", name.replace("_", " "))]
    for crm_object in objects:
        if crm_object.own_permissions:
            elements.append(("objectPermissions", _object_permissions(crm_object.name)))
    for user in users:
        elements.append(("userPermissions", [("enabled", True), ("name", user)]))
    return document("PermissionSet", elements)


def _object_permissions(name: str) -> list[XmlElement]:
    allowed: list[XmlElement] = [
        (f"allow{what}", True) for what in ("Create", "Delete", "Edit", "Read")
    ]
    return [*allowed, ("modifyAllRecords", False), ("object", name), ("viewAllRecords", False)]
