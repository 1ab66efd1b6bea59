"""What a client asks to look around: describe, counts, recent records, actions, layouts, tabs.

The org has no pages, so most of it is truly empty; a layout has one section with every field.
Knows no record. Example: `GET /limits/recordCount?sObjects=Account` answers `{"sObjects": [{"name":
"Account", "count": 196}]}`.
"""

from orgweave.crm.describe import MASTER, RecordTypeInfo, described
from orgweave.crm.field import CrmField, CrmObject
from orgweave.server.call import ApiRequest, ApiResponse, JsonObject
from orgweave.server.records import object_at
from orgweave.server.served import Served
from orgweave.soql.sql import Sql, quoted
from schemas.errors import Refused

MOST_COUNTED = 100
"""Object types that one call may count: the CRM's own bound."""


def describe(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with an object type and its fields."""
    access = object_at(org, name)
    types = record_types(org, access)
    return ApiResponse(200, described(access, call.base, org.store.writable, types))


def record_count(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers with the number of records of the named object types, or of all."""
    wanted = [name for name in call.params.get("sObjects", "").split(",") if name.strip()]
    if len(wanted) > MOST_COUNTED:
        raise Refused("EXCEEDED_ID_LIMIT", f"at most {MOST_COUNTED} object types a call")
    accesses = list(org.objects.values())
    if wanted:
        # An unknown name is left out, as the CRM does.
        known = [org.objects.get(name.strip().lower()) for name in wanted]
        accesses = [access for access in known if access is not None]
    counts = [{"name": access.name, "count": _count(org, access)} for access in accesses]
    return ApiResponse(200, {"sObjects": counts})


def _count(org: Served, access: CrmObject) -> int:
    return org.engine.query(f"SELECT COUNT() FROM {access.name}").total


def nothing(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers with an empty list: nobody looked at a record, and there are no tabs."""
    return ApiResponse(200, [])


def theme(org: Served, call: ApiRequest) -> ApiResponse:
    """Answers with the icons of the org's tabs, which has none."""
    return ApiResponse(200, {"themeItems": []})


def actions(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with the quick actions of an object type, which has none."""
    object_at(org, name)
    return ApiResponse(200, [])


def list_views(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with the list views of an object type, which has none."""
    access = object_at(org, name)
    empty: JsonObject = {
        "done": True,
        "listviews": [],
        "nextRecordsUrl": None,
        "size": 0,
        "sobjectType": access.name,
    }
    return ApiResponse(200, empty)


def layouts(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with the one layout of an object type, which all of its record types have."""
    access = object_at(org, name)
    types = [MASTER, *record_types(org, access)]
    mappings: list[JsonObject] = []
    for info in types:
        mappings.append(
            {
                "active": info.active,
                "available": info.active,
                "defaultRecordTypeMapping": info.master,
                "developerName": info.developer_name,
                "layoutId": None,
                "master": info.master,
                "name": info.name,
                "picklistsForRecordType": [],
                "recordTypeId": info.id,
            }
        )
    answer: JsonObject = {
        "layouts": [_layout(access)],
        "recordTypeMappings": mappings,
        "recordTypeSelectorRequired": [len(types) > 1],
    }
    return ApiResponse(200, answer)


def layout(org: Served, call: ApiRequest, name: str, record_type: str) -> ApiResponse:
    """Answers with the layout of one record type."""
    access = object_at(org, name)
    if record_type not in {info.id for info in (MASTER, *record_types(org, access))}:
        raise Refused("NOT_FOUND", f"{access.name} has no record type {record_type[:60]}")
    return ApiResponse(200, _layout(access))


def compact_layouts(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with the compact layout that the CRM has without anybody's doing: the name."""
    access = object_at(org, name)
    names = [access.field(access.name_field)] if access.name_field else []
    default: JsonObject = {
        "actions": [],
        "fieldItems": [_item(field) for field in names],
        "id": None,
        "imageItems": [],
        "label": "System Default",
        "name": "SYSTEM",
        "objectType": access.name,
    }
    types = [MASTER, *record_types(org, access)]
    mappings = [
        {
            "available": info.active,
            "compactLayoutId": None,
            "compactLayoutName": "SYSTEM",
            "recordTypeId": info.id,
            "recordTypeName": info.name,
        }
        for info in types
    ]
    answer: JsonObject = {
        "compactLayouts": [default],
        "defaultCompactLayoutId": None,
        "recordTypeCompactLayoutMappings": mappings,
    }
    return ApiResponse(200, answer)


def approval_layouts(org: Served, call: ApiRequest, name: str) -> ApiResponse:
    """Answers with the approval layouts of an object type, which has none."""
    object_at(org, name)
    return ApiResponse(200, {"approvalLayouts": []})


def record_types(org: Served, access: CrmObject) -> list[RecordTypeInfo]:
    """Returns the record types that the org has of an object type."""
    found = org.objects.get("recordtype")
    if found is None or not found.has("SobjectType"):
        return []
    text = f"""
        SELECT "Id", "Name", "DeveloperName", "IsActive" FROM {quoted(found.name)}
        WHERE "SobjectType" = ?
        ORDER BY "Id"
    """
    rows = org.store.rows(Sql(text, (access.name,)))
    return [
        RecordTypeInfo(str(key), str(name), str(developer), bool(active))
        for key, name, developer, active in rows
    ]


def _layout(access: CrmObject) -> JsonObject:
    """One section with every field that people may see."""
    shown = [field for field in access.fields.values() if field.type != "id"]
    rows = [{"numItems": 1, "layoutItems": [_item(field)]} for field in shown]
    section: JsonObject = {
        "columns": 1,
        "heading": access.label,
        "layoutRows": rows,
        "parentLayoutId": None,
        "rows": len(rows),
        "tabOrder": "LeftToRight",
        "useCollapsibleSection": False,
        "useHeading": False,
    }
    return {
        "buttonLayoutSection": None,
        "detailLayoutSections": [section],
        "editLayoutSections": [section],
        "feedView": None,
        "highlightsPanelLayoutSection": None,
        "id": None,
        "multirowEditLayoutSections": [],
        "offlineLinks": [],
        "quickActionList": {"quickActionListItems": []},
        "relatedContent": None,
        "relatedLists": [],
        "saveOptions": [],
    }


def _item(field: CrmField) -> JsonObject:
    """A field's place on a layout."""
    component = {"type": "Field", "value": field.name, "displayLines": 1, "tabOrder": 0}
    return {
        "editableForNew": field.createable,
        "editableForUpdate": field.updateable,
        "label": field.label,
        "layoutComponents": [component],
        "placeholder": False,
        "required": field.required,
    }
