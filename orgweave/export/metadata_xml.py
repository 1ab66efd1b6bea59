"""Metadata files as XML: custom objects, fields, standard value sets, permission sets.

Knows elements and their order, no folder.

Example: `field_xml(column, "Case_Histories")` for `CaseHistory__c.CaseId__c` is a CustomField of
type Lookup to Case.
"""

from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree

from orgweave.export.crm import Column, CrmObject
from orgweave.export.standard import NO_OBJECT_PERMISSIONS
from orgweave.export.words import label
from orgweave.soql.entities import TEXT_LENGTH

NAMESPACE = "http://soap.sforce.com/2006/04/metadata"
SHORTEST_LONG_TEXT = 256
NAME_LENGTH = 80
XmlElement = tuple[str, "str | bool | int | Sequence[XmlElement]"]
SIMPLE = {
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
DIGITS: dict[str, Sequence[XmlElement]] = {
    "currency": [("precision", 18), ("scale", 2)],
    "double": [("precision", 18), ("scale", 6)],
    "int": [("precision", 18), ("scale", 0)],
}
NEVER_REQUIRED = frozenset({"Checkbox", "LongTextArea"})
"""Types that no field metadata can make required."""
UNIQUE = frozenset({"Text", "Email", "Number"})
"""Types whose values may be unique, and stand for a record as an external id."""


def document(kind: str, elements: Sequence[XmlElement]) -> str:
    """A metadata file's text."""
    root = ElementTree.Element(kind, xmlns=NAMESPACE)
    _fill(root, elements)
    ElementTree.indent(root, "    ")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def _fill(parent: ElementTree.Element, elements: Sequence[XmlElement]) -> None:
    for name, content in elements:
        child = ElementTree.SubElement(parent, name)
        if isinstance(content, bool):
            child.text = "true" if content else "false"
        elif isinstance(content, str | int):
            child.text = str(content)
        else:
            _fill(child, content)


def object_xml(one: CrmObject) -> str:
    """A custom object; records without a name of their own are numbered."""
    plain = label(one.table)
    return document(
        "CustomObject",
        [
            ("deploymentStatus", "Deployed"),
            ("description", one.item.description),
            ("enableBulkApi", True),
            ("enableReports", True),
            ("enableSearch", True),
            ("enableSharing", True),
            ("enableStreamingApi", True),
            ("label", plain),
            ("nameField", _name_field(one, plain)),
            ("pluralLabel", f"{plain[:-1]}ies" if plain.endswith("y") else f"{plain}s"),
            ("sharingModel", "ReadWrite"),
        ],
    )


def _name_field(one: CrmObject, plain: str) -> list[XmlElement]:
    if any(column.name == "Name" for column in one.loaded):
        return [("label", f"{plain} Name"), ("type", "Text")]
    return [
        ("displayFormat", f"{''.join(word[0] for word in plain.split())}-{{000000}}"),
        ("label", f"{plain} Number"),
        ("type", "AutoNumber"),
    ]


def field_xml(column: Column, children: str) -> str:
    """A custom field; `children` is what a parent calls the records that look it up."""
    access = column.access
    kind = _kind(column)
    unique = access.duplicate is not None and kind in UNIQUE
    elements: list[XmlElement] = [
        ("fullName", column.name),
        ("label", label(column.name)[:40]),
        ("type", kind),
        *_type_elements(column, kind, children),
    ]
    if kind not in NEVER_REQUIRED:
        elements += [("required", access.required)]
    if kind in UNIQUE:
        elements += [("externalId", unique), ("unique", unique)]
    if kind == "Text" and unique:
        elements.append(("caseSensitive", True))
    return document("CustomField", sorted(elements, key=lambda element: element[0]))


def _required(column: Column) -> bool:
    return column.access.required and _kind(column) not in NEVER_REQUIRED


def _kind(column: Column) -> str:
    info = column.access.info
    if info.type in ("reference", "picklist", "multipicklist"):
        return {
            "reference": "Lookup",
            "picklist": "Picklist",
            "multipicklist": "MultiselectPicklist",
        }[info.type]
    return (
        "LongTextArea"
        if info.type == "textarea" or info.length > TEXT_LENGTH
        else SIMPLE[info.type]
    )


def _type_elements(column: Column, kind: str, children: str) -> list[XmlElement]:
    access = column.access
    match kind:
        case "Lookup":
            return [
                ("deleteConstraint", "Restrict" if access.required else "SetNull"),
                ("referenceTo", str(access.info.target)),
                ("relationshipLabel", label(children)),
                ("relationshipName", children),
            ]
        case "Picklist" | "MultiselectPicklist":
            return [
                ("valueSet", _value_set(access.values)),
                *([("visibleLines", 4)] if kind == "MultiselectPicklist" else []),
            ]
        case "LongTextArea":
            return [("length", max(access.length, SHORTEST_LONG_TEXT)), ("visibleLines", 3)]
        case "Text":
            return [("length", access.length)]
        case "Checkbox":
            return [("defaultValue", False)]
    return list(DIGITS.get(access.info.type, ()))


def _value_set(values: Sequence[str]) -> list[XmlElement]:
    listed: list[XmlElement] = [
        ("value", [("fullName", value), ("default", False), ("label", value)]) for value in values
    ]
    return [("restricted", True), ("valueSetDefinition", [("sorted", False), *listed])]


def value_set_xml(values: Mapping[str, bool | None], default: str) -> str:
    """A standard value set; of case statuses each says whether it closes a case."""
    listed: list[XmlElement] = [
        ("standardValue", list(_standard_value(value, closed, default)))
        for value, closed in values.items()
    ]
    return document("StandardValueSet", [("sorted", False), *listed])


def _standard_value(value: str, closed: bool | None, default: str) -> Iterator[XmlElement]:
    yield "fullName", value
    yield "default", value == default
    yield "label", value
    if closed is not None:
        yield "closed", closed


def permission_set_xml(
    name: str,
    objects: Sequence[CrmObject],
    fields: Sequence[tuple[str, Column]],
    users: Sequence[str],
) -> str:
    """A permission set: all that a loader does with records, and the custom fields that may be
    hidden (a required one may not).
    """
    visible: list[XmlElement] = [
        (
            "fieldPermissions",
            [("editable", True), ("field", f"{owner}.{column.name}"), ("readable", True)],
        )
        for owner, column in fields
        if not _required(column)
    ]
    about: list[XmlElement] = [("hasActivationRequired", False), ("label", name.replace("_", " "))]
    allowed: list[XmlElement] = [
        ("objectPermissions", _object_permissions(one.name))
        for one in objects
        if one.name not in NO_OBJECT_PERMISSIONS
    ]
    rights: list[XmlElement] = [
        ("userPermissions", [("enabled", True), ("name", user)]) for user in users
    ]
    return document(
        "PermissionSet",
        [("description", "Load and read the synthetic org."), *visible, *about, *allowed, *rights],
    )


def _object_permissions(name: str) -> list[XmlElement]:
    allowed: list[XmlElement] = [
        (f"allow{what}", True) for what in ("Create", "Delete", "Edit", "Read")
    ]
    return [*allowed, ("modifyAllRecords", False), ("object", name), ("viewAllRecords", False)]
