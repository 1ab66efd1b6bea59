"""Creates, changes and deletes records of the served copy under the CRM's rules.

Knows nothing of HTTP. What must hold of single object types stands in `rules`, what may be written
in each field in `access`.

Example: `writer.insert(writer.access("Contact"), {"LastName": "Hale"})` gives the new id or raises
Refused, such as REQUIRED_FIELD_MISSING.
"""

import json
from collections.abc import Callable, Mapping
from typing import Literal

from orgweave.crm.field import CrmField, CrmObject
from orgweave.crm.person_accounts import CONTACT, CONTACT_ID, IS_PERSON
from orgweave.server.store import Changing, Store, StoreRow
from orgweave.server.writing.filling import Filler
from orgweave.server.writing.persons import is_person, shown_of
from orgweave.server.writing.rules import AFTER, AFTER_DELETE, BEFORE, BEFORE_DELETE, DRAFT, GIVEN
from orgweave.server.writing.values import stored_value, whole_id
from orgweave.soql.sql import Sql, SqlValue, in_any_case, quoted
from schemas.errors import Refused

Verb = Literal["insert", "update", "upsert"]
NO_ACCESS = (
    "Please check the security settings of this field and verify that it is read/write for your"
    " profile or permission set."
)


class RecordWriter:
    """Writes an org's records; `now` tells the time in the org's form.

    Every call is a change of its own, or part of the one around it.
    """

    def __init__(
        self,
        accesses: Mapping[str, CrmObject],
        store: Store,
        filler: Filler,
        now: Callable[[], str],
    ) -> None:
        self._accesses = accesses
        self._prefixes = {access.key_prefix: access for access in accesses.values()}
        self.store = store
        self._filler = filler
        self._now = now
        self._deleted: dict[str, str] = {}

    def time(self) -> str:
        """Returns the time in the org's form."""
        return self._now()

    def publish(self, access: CrmObject, key: str) -> None:
        """Puts an article online as its first version; raises Refused for any but a draft."""
        with self.store.change() as change:
            row = change.row(access.name, whole_id(key))
            if row is None:
                raise Refused(
                    "INVALID_CROSS_REFERENCE_KEY", f"invalid cross reference id: {key[:60]}"
                )
            if row["PublishStatus"] != DRAFT:
                raise Refused(
                    "INVALID_INPUT",
                    f"The article {key} is {row['PublishStatus']}; only drafts can be published",
                )
            now = self._now()
            told: StoreRow = {"LastPublishedDate": now, "VersionNumber": 1}
            if row.get("FirstPublishedDate") is None:
                told["FirstPublishedDate"] = now
            kept = {name: value for name, value in told.items() if name in row}
            status: StoreRow = {"PublishStatus": "Online"}
            changed = status | kept | self._filler.changed(access, now)
            change.update(access.name, row["Id"], changed)

    def deleted_of(self, access: CrmObject) -> list[tuple[str, str]]:
        """Returns the ids of an object type's deleted records, and when each was deleted.

        What was deleted by a change that was undone is there and counts as not deleted.
        """
        found = []
        for key, when in list(self._deleted.items()):
            if key[:3] != access.key_prefix:
                continue
            sql = f'SELECT 1 FROM {quoted(access.name)} WHERE "Id" = ?'
            if not self.store.rows(Sql(sql, (key,))):
                found.append((key, when))
        return found

    def access(self, name: object) -> CrmObject:
        """Returns an object type by its name in any case; raises INVALID_TYPE."""
        access = self._accesses.get(str(name).lower())
        if access is None:
            raise Refused(
                "INVALID_TYPE",
                f"sObject type '{str(name)[:80]}' is not supported; GET sobjects lists those"
                " that are",
            )
        return access

    def of_id(self, key: object) -> CrmObject | None:
        """Returns the object type that an id belongs to, by its prefix, or None."""
        return self._prefixes.get(str(key)[:3])

    def insert(self, access: CrmObject, given: Mapping[str, object], verb: Verb = "insert") -> str:
        """Creates a record and returns its id."""
        if not access.createable:
            raise Refused(
                "INVALID_TYPE_FOR_OPERATION", f"entity type {access.name} does not support create"
            )
        with self.store.change() as change:
            values = self._values(change, access, given, verb)
            now = self._now()
            row = self._filler.filled(change, access, values, now)
            if access.name in GIVEN:
                GIVEN[access.name](values, row, None)
            self._check_required(access, row)
            self._write(change, access, row, None, now)
            change.insert(access.name, row)
            if access.name in AFTER:
                AFTER[access.name](change, now, row, None)
            if is_person(row):
                self._with_contact(change, access, row)
        return str(row["Id"])

    def _with_contact(self, change: Changing, access: CrmObject, row: StoreRow) -> None:
        """Makes the contact of a new person account, as the CRM does by itself."""
        contact = self.access(CONTACT)
        key = self.insert(contact, {**shown_of(contact, row), "AccountId": row["Id"]})
        change.update(access.name, row["Id"], {IS_PERSON: 1, CONTACT_ID: key})

    def _change_contact(self, key: str, changed: StoreRow) -> None:
        """Changes what the contact of a person account shows of it."""
        contact = self.access(CONTACT)
        shown = shown_of(contact, changed)
        if shown:
            self.update(contact, key, shown)

    def update(
        self,
        access: CrmObject,
        key: str,
        given: Mapping[str, object],
        verb: Verb = "update",
    ) -> None:
        """Changes a record; raises NOT_FOUND or ENTITY_IS_DELETED where there is none."""
        _check_changeable(access, verb)
        with self.store.change() as change:
            old = self._existing(change, access, key)
            values = self._values(change, access, given, verb)
            new = {**old, **values}
            now = self._now()
            if access.name in GIVEN:
                GIVEN[access.name](values, new, old)
            self._check_required(access, {name: new[name] for name in values})
            self._write(change, access, new, old, now)
            new |= self._filler.changed(access, now)
            changed = {name: value for name, value in new.items() if value != old[name]}
            change.update(access.name, old["Id"], changed)
            if access.name in AFTER:
                AFTER[access.name](change, now, new, old)
            if new.get(CONTACT_ID):
                self._change_contact(str(new[CONTACT_ID]), changed)

    def delete(self, access: CrmObject, key: str) -> None:
        """Deletes a record and what goes with it; raises DELETE_FAILED where others hold it."""
        if not access.deletable:
            raise Refused(
                "INVALID_TYPE_FOR_OPERATION", f"entity type {access.name} does not support delete"
            )
        with self.store.change() as change:
            self._delete(
                change,
                access,
                self._existing(change, access, key),
            )

    def upsert(
        self,
        access: CrmObject,
        field: str,
        value: object,
        given: Mapping[str, object],
    ) -> tuple[str, bool]:
        """Changes the record that has this value in an external id field, else creates one.

        Returns its id and whether it is new.
        """
        by = self.key_field(access, field)
        _check_changeable(access, "upsert")
        with self.store.change() as change:
            wanted = None if value in (None, "") else stored_value(by, str(value))
            found = None if wanted is None else self.find(change, access, by, wanted)
            if found is not None:
                self.update(access, found, given, "upsert")
                return found, False
            if by.name == "Id":
                if wanted is None:
                    return self.insert(access, given, "upsert"), True
                raise Refused(
                    "NOT_FOUND",
                    "The requested resource does not exist",
                    ("Id",),
                )
            return self.insert(access, {**given, by.name: value}, "upsert"), True

    def key_field(self, access: CrmObject, name: str) -> CrmField:
        """Returns a field that may stand for the id; raises NOT_FOUND for any other."""
        by = access.fields.get(name.lower())
        if by is None or not by.id_lookup:
            raise Refused(
                "NOT_FOUND",
                f"Provided external ID field does not exist or is not accessible: {name[:80]}",
            )
        return by

    def find(
        self,
        change: Changing,
        access: CrmObject,
        by: CrmField,
        value: SqlValue,
    ) -> str | None:
        """Returns the id of the one record with that value, or None.

        Raises DUPLICATE_EXTERNAL_ID where there are several.
        """
        sql = f'SELECT "Id" FROM {quoted(access.name)} WHERE {quoted(by.name)} = ? LIMIT 2'
        rows = change.rows(sql, value)
        if len(rows) > 1:
            raise Refused(
                "DUPLICATE_EXTERNAL_ID",
                f"{by.name}: more than one record found for external id field: {value}",
                (by.name,),
            )
        return str(rows[0]["Id"]) if rows else None

    def _existing(
        self,
        change: Changing,
        access: CrmObject,
        key: str,
    ) -> StoreRow:
        """A record's stored values; raises NOT_FOUND or ENTITY_IS_DELETED."""
        whole = whole_id(key)
        row = change.row(access.name, whole) if whole else None
        if row is None and whole in self._deleted:
            raise Refused("ENTITY_IS_DELETED", "entity is deleted")
        if row is None:
            raise Refused(
                "NOT_FOUND",
                f"The requested resource does not exist: no {access.name} has the id {key[:60]}",
            )
        return row

    def _values(
        self,
        change: Changing,
        access: CrmObject,
        given: Mapping[str, object],
        verb: Verb,
    ) -> StoreRow:
        """The given fields as stored values; relationships by external id become ids."""
        values: StoreRow = {}
        closed: list[str] = []
        for name, given_value in given.items():
            field, value = self._resolved(change, access, name, given_value)
            if field is None:
                continue
            if _open(field, verb):
                values[field.name] = stored_value(field, value)
            else:
                closed.append(field.name)
        if closed:
            raise Refused(
                "INVALID_FIELD_FOR_INSERT_UPDATE",
                f"Unable to create/update fields: {', '.join(closed)}. {NO_ACCESS}",
                tuple(closed),
            )
        return values

    def _resolved(
        self,
        change: Changing,
        access: CrmObject,
        name: str,
        value: object,
    ) -> tuple[CrmField | None, object]:
        """The field that a name means, and its value; no field for the record's attributes."""
        if name == "attributes":
            return None, None
        field = access.fields.get(name.lower())
        parent = access.parents.get(name.lower())
        if parent is not None and value is None:
            return access.fields[parent.name.lower()], None
        if parent is not None and isinstance(value, dict):
            key = self._by_external_id(change, str(parent.target), value)
            return access.fields[parent.name.lower()], key
        if field is None:
            raise Refused(
                "INVALID_FIELD",
                f"No such column '{name[:80]}' on sobject of type {access.name}",
                (name[:80],),
            )
        if field.name == "Id":
            raise Refused(
                "INVALID_FIELD",
                "The Id field should not be specified in the sobject data.",
                ("Id",),
            )
        return field, value

    def _by_external_id(
        self,
        change: Changing,
        target: str,
        value: Mapping[str, object],
    ) -> str:
        """The id of a parent that is named by one of its external id fields."""
        names = [name for name in value if name != "attributes"]
        if len(names) != 1:
            raise Refused(
                "INVALID_FIELD",
                f"A {target} is named by exactly one external id field, not by {len(names)}",
            )
        access, external = self.access(target), value[names[0]]
        by = self.key_field(access, names[0])
        found = self.find(
            change,
            access,
            by,
            stored_value(by, external),
        )
        if found is None:
            raise Refused(
                "INVALID_FIELD",
                f"Foreign key external ID: {str(external)[:60]} not found for field {by.name} in"
                f" entity {target}",
            )
        return found

    def _check_required(self, access: CrmObject, row: StoreRow) -> None:
        empty = [name for name, value in row.items() if value is None]
        missing = [name for name in empty if access.fields[name.lower()].required]
        if missing:
            raise Refused(
                "REQUIRED_FIELD_MISSING",
                f"Required fields are missing: [{', '.join(missing)}]",
                tuple(missing),
            )

    def _write(
        self,
        change: Changing,
        access: CrmObject,
        new: StoreRow,
        old: StoreRow | None,
        now: str,
    ) -> None:
        """Checks all that must hold before a row is written, and completes the row."""
        for name, value in new.items():
            field = access.fields[name.lower()]
            if value is not None and (old is None or old[name] != value):
                self._check_reference(change, field, value)
                self._check_unique(change, access, field, new)
        self._check_unique_together(change, access, new)
        if access.name in BEFORE:
            BEFORE[access.name](change, now, new, old)
        self._filler.name_person(access.name, new)

    def _check_reference(
        self,
        change: Changing,
        field: CrmField,
        value: SqlValue,
    ) -> None:
        """Refuses the id of another object type, and of a record that isn't there."""
        keys: list[str] = []
        if field.type == "reference":
            keys = [str(value)]
        elif field.type == "idlist":
            keys = stored_ids(value)
        for key in keys:
            listed = field.type == "idlist"
            target = self.of_id(key) if listed else self.access(field.target)
            if target is None or target.key_prefix != key[:3]:
                raise Refused(
                    "MALFORMED_ID",
                    f"{field.name}: id value of incorrect type: {key}",
                    (field.name,),
                )
            if change.row(target.name, key) is None:
                raise Refused(
                    "INVALID_CROSS_REFERENCE_KEY",
                    f"invalid cross reference id: {key}",
                    (field.name,),
                )

    def _check_unique(
        self,
        change: Changing,
        access: CrmObject,
        field: CrmField,
        new: StoreRow,
    ) -> None:
        if not field.unique:
            return
        column, value = quoted(field.name), new[field.name]
        if isinstance(value, str) and not field.case_sensitive:
            # As SOQL compares: one org must not hold two texts that a query takes for the same.
            column, (value,) = in_any_case(column, [value])
        sql = f"""
            SELECT "Id" FROM {quoted(access.name)}
            WHERE {column} = ? AND "Id" != ?
        """
        other = change.one(sql, value, new["Id"])
        if other is not None:
            raise Refused(
                field.duplicate_code,
                f"duplicate value found: {field.name} duplicates value on record with id: {other}",
                (field.name,),
            )

    def _check_unique_together(
        self,
        change: Changing,
        access: CrmObject,
        new: StoreRow,
    ) -> None:
        names = access.unique_together
        if not names or any(name not in new for name in names):
            return
        wanted = " AND ".join(f"{quoted(name)} = ?" for name in names)
        sql = f'SELECT "Id" FROM {quoted(access.name)} WHERE {wanted} AND "Id" != ?'
        values = [new[name] for name in names]
        if change.one(sql, *values, new["Id"]) is not None:
            raise Refused("DUPLICATE_VALUE", access.duplicate_message, names)

    def _delete(
        self,
        change: Changing,
        access: CrmObject,
        row: StoreRow,
    ) -> None:
        if access.name in BEFORE_DELETE:
            BEFORE_DELETE[access.name](change, row)
        for child in access.child_relationships:
            self._release(
                change,
                access,
                row,
                self.access(child.entity),
                child.field,
            )
        change.delete(access.name, row["Id"])
        self._deleted[str(row["Id"])] = self._now()
        if access.name in AFTER_DELETE:
            AFTER_DELETE[access.name](change, row)

    def _release(
        self,
        change: Changing,
        access: CrmObject,
        row: StoreRow,
        child: CrmObject,
        field: str,
    ) -> None:
        """Children go with their parent, hold it, or lose it."""
        on_delete = child.field(field).on_delete
        sql = f"SELECT * FROM {quoted(child.name)} WHERE {quoted(field)} = ?"
        children = change.rows(sql, row["Id"])
        if children and on_delete == "restrict":
            message = (
                f"Your attempt to delete {row['Id']} could not be completed because it is"
                f" associated with {len(children)} {child.name} such as {children[0]['Id']}"
            )
            raise Refused("DELETE_FAILED", message)
        for child_row in children:
            if on_delete == "cascade":
                self._delete(change, child, child_row)
            else:
                change.update(child.name, child_row["Id"], {field: None})


def stored_ids(value: SqlValue) -> list[str]:
    """Returns the ids of a stored list."""
    return [str(whole_id(str(key))) for key in json.loads(str(value))]


def _check_changeable(access: CrmObject, verb: Verb) -> None:
    """Refuses to change what only the CRM or its administrator sets up."""
    if not access.createable:
        raise Refused(
            "INVALID_TYPE_FOR_OPERATION", f"entity type {access.name} does not support {verb}"
        )


def _open(field: CrmField, verb: Verb) -> bool:
    """Whether a field may be written.

    An upsert that changes a record takes what may only be given on creation too, but for the audit
    fields: it can't know beforehand which of the two it does.
    """
    if verb == "insert":
        return field.createable
    upserted = verb == "upsert" and field.createable and not field.insert_only
    return field.updateable or upserted
