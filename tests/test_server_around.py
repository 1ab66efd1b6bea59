"""Looking around over HTTP: describe in full, counts, layouts, columns, plans, relationships, and
what changed since.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from simple_salesforce import Salesforce

from orgweave.server.served import ServeOptions, clock_of
from orgweave.soql.engine import TimeSource
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from schemas.errors import BadInput
from tests.server_client import client, only, raw, refused
from tests.server_orgs import make

V = "/services/data/v59.0"
FIELD_KEYS = """
    aggregatable aiPredictionField autoNumber byteLength calculated calculatedFormula cascadeDelete
    caseSensitive compoundFieldName controllerName createable custom defaultValue
    defaultValueFormula defaultedOnCreate dependentPicklist deprecatedAndHidden digits
    displayLocationInDecimal encrypted externalId extraTypeInfo filterable filteredLookupInfo
    formulaTreatNullNumberAsZero groupable highScaleNumber htmlFormatted idLookup inlineHelpText
    label length mask maskType name nameField namePointing nillable permissionable picklistValues
    polymorphicForeignKey precision queryByDistance referenceTargetField referenceTo
    relationshipName relationshipOrder restrictedDelete restrictedPicklist scale
    searchPrefilterable soapType sortable type unique updateable writeRequiresMasterRead
"""
OBJECT_KEYS = """
    actionOverrides activateable associateEntityType associateParentEntity childRelationships
    compactLayoutable createable custom customSetting deepCloneable defaultImplementation deletable
    deprecatedAndHidden extendedBy extendsInterfaces feedEnabled fields hasSubtypes implementedBy
    implementsInterfaces isInterface isSubtype keyPrefix label labelPlural layoutable listviewable
    lookupLayoutable mergeable mruEnabled name namedLayoutInfos networkScopeFieldName queryable
    recordTypeInfos replicateable retrieveable searchLayoutable searchable sobjectDescribeOption
    supportedScopes triggerable undeletable updateable urls
"""
START = datetime(2026, 3, 1, 8, 0, 0, 250_000, tzinfo=UTC)


class SteppingClock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        """Returns now."""
        return self.now

    def pass_by(self, **span: int) -> None:
        """Lets some time pass."""
        self.now += timedelta(**span)


def empty_org(folder: Path, clock: TimeSource) -> OrgServer:
    """A writable server of an empty org with its own clock."""
    return OrgServer(folder, ServeOptions(clock, writable=True, empty=True))


def described(sf: Salesforce, name: str) -> dict[str, dict[str, Any]]:
    """The fields of an object's describe, by name."""
    fields: list[dict[str, Any]] = sf.restful(f"sobjects/{name}/describe")["fields"]
    return {field["name"]: field for field in fields}


def test_describe_has_every_key_that_a_client_reads(sf: Salesforce) -> None:
    """57 of each field and 45 of the object, none more."""
    told = sf.Case.describe()
    assert sorted(told) == sorted(OBJECT_KEYS.split())
    for field in told["fields"]:
        assert sorted(field) == sorted(FIELD_KEYS.split())


def test_describe_tells_defaults_where_the_crm_does(sf: Salesforce) -> None:
    """A boolean's stands as its default value, a picklist's with the value, others' not at all."""
    case, product = described(sf, "Case"), described(sf, "Product2")
    assert product["IsActive"]["defaultValue"] is False
    status = case["Status"]["picklistValues"]
    assert [value["value"] for value in status if value["defaultValue"]] == ["New"]
    assert case["Status"]["defaultValue"] is None and case["Subject"]["defaultValue"] is None


def test_describe_tells_what_a_reference_leads_to(sf: Salesforce) -> None:
    """A reference to several object types is polymorphic; what is deleted with its parent says
    so on both sides.
    """
    task, contact = described(sf, "Task"), described(sf, "Contact")
    assert task["WhoId"]["polymorphicForeignKey"] and task["WhoId"]["namePointing"]
    assert not contact["AccountId"]["polymorphicForeignKey"]
    assert contact["AccountId"]["cascadeDelete"]
    children = sf.Account.describe()["childRelationships"]
    of_contacts = [child for child in children if child["relationshipName"] == "Contacts"]
    assert [child["cascadeDelete"] for child in of_contacts] == [True]


def test_describe_tells_the_digits_of_numbers(sf: Salesforce) -> None:
    """An amount has its precision and scale, an integer its digits."""
    item = described(sf, "OrderItem")["UnitPrice"]
    assert (item["precision"], item["scale"], item["digits"]) == (18, 2, 0)
    seconds = described(sf, "Task")["CallDurationInSeconds"]
    assert (seconds["precision"], seconds["digits"]) == (0, 18)


def test_describe_tells_the_record_types_of_the_org(small_shoes: FinishedRun) -> None:
    """The CRM's own Master comes first, then those that the org has of this object."""
    with OrgServer(small_shoes.folder) as server:
        sf = client(server)
        told = sf.Case.describe()["recordTypeInfos"]
        query = "SELECT Id, Name FROM RecordType WHERE SobjectType = 'Case' ORDER BY Id"
        types = sf.query(query)["records"]
        assert told[0]["master"] and told[0]["recordTypeId"] == "012000000000000AAA"
        assert [info["name"] for info in told[1:]] == [record["Name"] for record in types]
        layouts = sf.Case.describe_layout(types[0]["Id"])
        items = [item for row in layouts["detailLayoutSections"][0]["layoutRows"] for item in [row]]
        assert len(items) == len(sf.Case.describe()["fields"]) - 1


def test_records_are_counted(sf: Salesforce) -> None:
    """Those of the named object types, without the unknown ones, or of all."""
    make(sf, "Contact", LastName="Counted")
    told = sf.restful("limits/recordCount", params={"sObjects": "Contact,Nothing"})["sObjects"]
    wanted = sf.query("SELECT COUNT() FROM Contact")["totalSize"]
    assert told == [{"name": "Contact", "count": wanted}]
    every = sf.restful("limits/recordCount")["sObjects"]
    assert len(every) == len(sf.describe()["sobjects"])


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("recent", []),
        ("tabs", []),
        ("quickActions", []),
        ("theme", {"themeItems": []}),
        ("sobjects/Case/quickActions", []),
        ("sobjects/Case/describe/approvalLayouts", {"approvalLayouts": []}),
    ],
)
def test_what_an_org_without_pages_has_is_empty(
    server: OrgServer,
    path: str,
    answer: object,
) -> None:
    """No tab, no action and no recent record is invented."""
    assert raw(server, "GET", f"{V}/{path}").json() == answer


def test_list_views_and_layouts_have_the_crms_form(sf: Salesforce) -> None:
    """There is no list view; a layout has one section, and a compact one the record's name."""
    assert sf.restful("sobjects/Case/listviews")["size"] == 0
    layouts = sf.restful("sobjects/Contact/describe/layouts")
    assert len(layouts["layouts"]) == 1 and layouts["recordTypeMappings"][0]["master"]
    compact = sf.restful("sobjects/Contact/describe/compactLayouts")["compactLayouts"][0]
    assert [item["label"] for item in compact["fieldItems"]] == ["Name"]
    refused("NOT_FOUND", lambda: sf.restful("sobjects/Nothing/listviews"))


def test_a_query_tells_its_columns(sf: Salesforce) -> None:
    """With columns=true the columns come instead of the rows, parents and children nested."""
    text = "SELECT Id, Account.Name, (SELECT Subject FROM Tasks) FROM Contact"
    told = sf.restful("query", params={"q": text, "columns": "true"})
    names = [column["columnName"] for column in told["columnMetadata"]]
    assert names == ["Id", "Account", "Tasks"]
    parent, children = told["columnMetadata"][1:]
    assert [column["columnName"] for column in parent["joinColumns"]] == ["Name"]
    assert children["aggregate"] and children["joinColumns"][0]["columnName"] == "Subject"
    assert told["entityName"] == "Contact" and told["idSelected"] and not told["groupBy"]


def test_an_aggregate_tells_its_columns(sf: Salesforce) -> None:
    """Groups and their numbers are columns by their names."""
    text = "SELECT Status, COUNT(Id) n FROM Case GROUP BY Status"
    told = sf.restful("query", params={"q": text, "columns": "true"})
    assert [column["columnName"] for column in told["columnMetadata"]] == ["Status", "n"]
    assert told["groupBy"] and told["columnMetadata"][1]["numberType"]


def test_a_query_tells_its_plan(sf: Salesforce) -> None:
    """It has the number of records that are found and that there are."""
    make(sf, "Contact", LastName="Planned")
    text = "SELECT Id FROM Contact WHERE LastName = 'Planned'"
    told = sf.restful("query", params={"explain": text})
    [plan] = told["plans"]
    assert plan["cardinality"] == 1 and plan["sobjectType"] == "Contact"
    assert plan["sobjectCardinality"] == sf.query("SELECT COUNT() FROM Contact")["totalSize"]
    refused("INVALID_TYPE", lambda: sf.restful("query", params={"explain": "SELECT Id FROM X"}))


def test_a_relationship_is_followed_from_a_records_url(sf: Salesforce) -> None:
    """Behind a record's id stand its parent's record and its children's page."""
    account = make(sf, "Account", Name="Hale")
    contact = make(sf, "Contact", LastName="Hale", AccountId=account)
    parent = sf.restful(f"sobjects/Contact/{contact}/Account")
    assert parent["attributes"]["type"] == "Account" and parent["Name"] == "Hale"
    asked = sf.restful(f"sobjects/Contact/{contact}/account", params={"fields": "Name"})
    assert asked["Name"] == "Hale"
    children = sf.restful(f"sobjects/Account/{account}/Contacts", params={"fields": "LastName"})
    assert [record["LastName"] for record in children["records"]] == ["Hale"]
    refused("NOT_FOUND", lambda: sf.restful(f"sobjects/Contact/{contact}/Nothing"))
    alone = make(sf, "Contact", LastName="Alone")
    refused("NOT_FOUND", lambda: sf.restful(f"sobjects/Contact/{alone}/Account"))
    refused("NOT_FOUND", lambda: sf.restful("sobjects/Contact/003000000000000/Account"))


def test_a_batch_runs_requests_that_know_nothing_of_each_other(sf: Salesforce) -> None:
    """Each has its status and result; a failed one ends the rest only where that is asked for."""
    good = {"method": "GET", "url": "v59.0/limits"}
    bad = {"method": "GET", "url": "v59.0/sobjects/Nothing"}
    make_one = {
        "method": "POST",
        "url": "v59.0/sobjects/Contact",
        "richInput": {"LastName": "Batched"},
    }
    body = {"batchRequests": [good, bad, make_one]}
    told = sf.restful("composite/batch", method="POST", json=body)
    assert [result["statusCode"] for result in told["results"]] == [200, 404, 201]
    assert told["hasErrors"]
    halted = {**body, "haltOnError": True}
    told = sf.restful("composite/batch", method="POST", json=halted)
    assert [result["statusCode"] for result in told["results"]] == [200, 404, 400]
    inner = {"batchRequests": [{"method": "POST", "url": "v59.0/composite/batch"}]}
    told = sf.restful("composite/batch", method="POST", json=inner)
    assert told["results"][0]["statusCode"] == 400
    many = {"batchRequests": [good] * 26}
    refused("INVALID_INPUT", lambda: sf.restful("composite/batch", method="POST", json=many))


def test_the_clock_of_an_empty_org_runs(small_shoes: FinishedRun) -> None:
    """A record has the moment of its creation, in whole seconds, and that of its last change."""
    clock = SteppingClock()
    with empty_org(small_shoes.folder, clock) as server:
        sf = client(server)
        key = make(sf, "Contact", LastName="First")
        clock.pass_by(minutes=12)
        sf.Contact.update(key, {"LastName": "Second"})
        later = make(sf, "Contact", LastName="Later")
        text = "SELECT CreatedDate, LastModifiedDate, SystemModstamp FROM Contact WHERE Id = "
        record = only(sf, f"{text}'{key}'")
        assert record["CreatedDate"] == "2026-03-01T08:00:00.000+0000"
        assert record["LastModifiedDate"] == "2026-03-01T08:12:00.000+0000"
        assert record["SystemModstamp"] == record["LastModifiedDate"]
        assert only(sf, f"{text}'{later}'")["CreatedDate"] == "2026-03-01T08:12:00.000+0000"
        changed = "SELECT Id FROM Contact WHERE SystemModstamp > 2026-03-01T08:05:00Z ORDER BY Id"
        found = [record["Id"] for record in sf.query(changed)["records"]]
        assert found == [key, later]


def test_relative_dates_follow_the_clock(small_shoes: FinishedRun) -> None:
    """The same text finds another day's records when the day is over, in SOQL and in SOSL."""
    clock = SteppingClock()
    with empty_org(small_shoes.folder, clock) as server:
        sf = client(server)
        make(sf, "Contact", LastName="Quagga")
        text = "SELECT COUNT() FROM Contact WHERE CreatedDate = TODAY"
        search = "FIND {Quagga} RETURNING Contact(Id WHERE CreatedDate = TODAY)"
        assert sf.query(text)["totalSize"] == 1 and len(sf.search(search)["searchRecords"]) == 1
        clock.pass_by(days=1)
        assert sf.query(text)["totalSize"] == 0 and not sf.search(search)["searchRecords"]


def span(sf: Salesforce, name: str, kind: str, start: str, end: str) -> Any:
    """What changed in a span of time."""
    return sf.restful(f"sobjects/{name}/{kind}/?start={quote(start)}&end={quote(end)}")


def test_what_changed_and_what_went_is_listed_by_time(small_shoes: FinishedRun) -> None:
    """A span holds the records that were changed, and those that were deleted, within it."""
    clock = SteppingClock()
    with empty_org(small_shoes.folder, clock) as server:
        sf = client(server)
        early = make(sf, "Contact", LastName="Early")
        clock.pass_by(hours=2)
        late = make(sf, "Contact", LastName="Late")
        sf.Contact.delete(early)
        first = ("2026-03-01T07:00:00Z", "2026-03-01T09:00:00Z")
        second = ("2026-03-01T09:00:00Z", "2026-03-01T11:00:00+00:00")
        assert span(sf, "Contact", "updated", *first)["ids"] == []
        told = span(sf, "Contact", "updated", *second)
        # Nothing is known of the time to come.
        assert told["ids"] == [late] and told["latestDateCovered"].startswith("2026-03-01T10:00:01")
        assert span(sf, "Contact", "deleted", *first)["deletedRecords"] == []
        gone = span(sf, "Contact", "deleted", *second)["deletedRecords"]
        assert gone == [{"id": early, "deletedDate": "2026-03-01T10:00:00.000+0000"}]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z"),
        ("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("yesterday", "2026-03-01T00:00:00Z"),
        ("0001-01-01T00:00:00+14:00", "2026-03-01T00:00:00Z"),
    ],
)
def test_a_span_that_cant_be_is_refused(small_shoes: FinishedRun, start: str, end: str) -> None:
    """It ends behind its start and begins in the last 30 days, as in the CRM."""
    with empty_org(small_shoes.folder, SteppingClock()) as server:
        sf = client(server)
        refused("INVALID_REPLICATION_DATE", lambda: span(sf, "Contact", "updated", start, end))


def test_a_finished_org_may_have_the_real_time(small_shoes: FinishedRun) -> None:
    """By default its clock stands at the end of its period; asked for, it is the real one."""
    query = f"{V}/query?q=SELECT+COUNT()+FROM+Case+WHERE+CreatedDate+=+LAST_N_YEARS:1"
    counts = {}
    for clock in ("end", "now"):
        with OrgServer(small_shoes.folder, ServeOptions(clock)) as server:  # type: ignore[arg-type]
            counts[clock] = raw(server, "GET", query).json()["totalSize"]
    assert counts["end"] > 0 and counts["now"] == 0


def test_a_clock_is_a_moment_or_a_word() -> None:
    """The command line takes a day, a moment, `now` and `end`, and says so to all else."""
    assert clock_of("now") == "now" and clock_of("end") == "end" and clock_of(None) is None
    assert clock_of("2023-12-31") == datetime(2023, 12, 31, 23, 59, 59, tzinfo=UTC)
    with pytest.raises(BadInput, match="now or end"):
        clock_of("yesterday")


def test_what_isnt_served_says_so(server: OrgServer) -> None:
    """Tooling and metadata are not there, and the answer tells what is."""
    for path in ("tooling/query?q=x", "metadata/deployRequest"):
        answer = raw(server, "GET", f"{V}/{path}")
        assert answer.status_code == 404 and "describe" in answer.json()[0]["message"]
