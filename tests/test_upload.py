"""A finished org goes into a CRM and is there what it was here; what the CRM lacks or refuses is
told and never lost sight of.
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgweave.cli import run
from orgweave.crm.describe import parsed
from orgweave.crm.facts import shipped
from orgweave.export.objects import export_objects
from orgweave.load.bodies import left_out
from orgweave.load.leaks import check_leaks
from orgweave.load.source import UploadSource
from pipeline.config import RunRequest
from pipeline.run import FinishedRun, generate
from schemas.errors import UploadFailed
from tests.server_client import client, only
from tests.server_orgs import USER, make
from tests.tiers import tried_on
from tests.upload_orgs import differences, edited, empty, ids, keys, refused, rows, upload


@pytest.mark.parametrize("external_id", ["Synth_Id__c", ""])
@pytest.mark.parametrize("bulk_from", ["1", "100000"])
def test_every_record_and_value_arrives(
    tiny_shoes: FinishedRun,
    tmp_path: Path,
    external_id: str,
    bulk_from: str,
) -> None:
    """By bulk jobs or collections, with an external id field or without, the CRM then holds every
    record with every value, references as its own ids.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(tiny_shoes.folder, external_id) as server:
        assert upload(server, tiny_shoes.folder, idmap, "--bulk-from", bulk_from) == 0
        assert differences(client(server), tiny_shoes.folder, idmap) == []


@tried_on("company", ["bank", "saas"])
def test_the_records_of_every_trade_arrive(tmp_path: Path, company: str) -> None:
    """A bank's accounts and a subscription's contracts are in the CRM as a shop's orders are."""
    folder, idmap = tmp_path / company, tmp_path / "idmap.jsonl"
    generate(RunRequest(company, scale=0.03), folder)
    with empty(folder) as server:
        assert upload(server, folder, idmap) == 0
        assert differences(client(server), folder, idmap) == []


def test_the_same_command_again_sends_nothing(
    tiny_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A finished upload given again creates and changes no record and leaves the id map as it
    is.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(tiny_shoes.folder) as server:
        assert upload(server, tiny_shoes.folder, idmap) == 0
        before = idmap.read_bytes()
        capsys.readouterr()
        assert upload(server, tiny_shoes.folder, idmap) == 0
    assert idmap.read_bytes() == before
    assert "0 records created" in capsys.readouterr().out


def test_the_id_map_has_a_line_a_record(tiny_shoes: FinishedRun, tmp_path: Path) -> None:
    """The id map opens with the CRM and has, for every record of the org, its type, our id and the
    CRM's, which are never ours.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(tiny_shoes.folder) as server:
        upload(server, tiny_shoes.folder, idmap)
        lines = [json.loads(line) for line in idmap.read_text().splitlines()]
        assert lines[0]["instance_url"] == server.url
        assert re.fullmatch("00D[A-Za-z0-9]{15}", lines[0]["org_id"])
    loaded = [name for name in tiny_shoes.counts if shipped().object(name).createable]
    ours = {row["Id"] for name in loaded for row in rows(tiny_shoes.folder, name)}
    assert ours <= ids(idmap).keys()
    assert not any("zz000" in theirs for theirs in ids(idmap).values())


def test_another_crm_or_another_org_wants_another_id_map(
    tiny_shoes: FinishedRun,
    my_tiny: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An id map is refused with exit code 2 for another CRM and for an org made anew; a second CRM
    takes the org with an id map of its own.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(my_tiny) as server:
        assert upload(server, my_tiny, idmap) == 0
        (my_tiny / "manifest.json").write_text((my_tiny / "manifest.json").read_text() + " ")
        assert upload(server, my_tiny, idmap) == 2
        assert "generated anew" in capsys.readouterr().err
    with empty(tiny_shoes.folder) as other:
        assert upload(other, tiny_shoes.folder, idmap) == 2
        assert "another CRM" in capsys.readouterr().err
        assert upload(other, tiny_shoes.folder, tmp_path / "other.jsonl") == 0


def test_the_standard_book_is_the_crms_own(tiny_shoes: FinishedRun, tmp_path: Path) -> None:
    """Our standard price book stands for the CRM's, which becomes active; no second one is made,
    and retired books are inactive in the end.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(tiny_shoes.folder) as server:
        sf = client(server)
        theirs = only(sf, "SELECT Id FROM Pricebook2 WHERE IsStandard = true")["Id"]
        upload(server, tiny_shoes.folder, idmap)
        assert (
            sf.query("SELECT COUNT() FROM Pricebook2")["totalSize"]
            == tiny_shoes.counts["Pricebook2"]
        )
        assert (
            only(sf, "SELECT Id FROM Pricebook2 WHERE IsStandard = true AND IsActive = true")["Id"]
            == theirs
        )
        inactive = sf.query("SELECT COUNT() FROM Pricebook2 WHERE IsActive = false")["totalSize"]
    standard = next(row["Id"] for row in rows(tiny_shoes.folder, "Pricebook2") if row["IsStandard"])
    assert ids(idmap)[standard] == theirs
    assert inactive == sum(not row["IsActive"] for row in rows(tiny_shoes.folder, "Pricebook2")) > 0


def test_what_the_crm_has_not_got_is_told_and_left_out(
    tiny_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Objects and fields that the CRM lacks are left out with a line and a count each; all else
    arrives, exit code 0.
    """
    lacking = (
        "ProductCatalog",
        "ProductCategory",
        "ProductCategoryProduct",
        "LiveChatTranscript",
        "Case.IssueId__c",
    )
    with empty(tiny_shoes.folder, without=lacking) as server:
        assert upload(server, tiny_shoes.folder, tmp_path / "idmap.jsonl") == 0
        sf = client(server)
        assert sf.query("SELECT COUNT() FROM Case")["totalSize"] == tiny_shoes.counts["Case"]
        assert (
            sf.query("SELECT COUNT() FROM EmailMessage")["totalSize"]
            == tiny_shoes.counts["EmailMessage"]
        )
    said = capsys.readouterr().out
    assert (
        "ProductCategoryProduct: left out, the CRM has no such object;"
        f" {tiny_shoes.counts['ProductCategoryProduct']} records" in said
    )
    assert (
        "LiveChatTranscript: left out, the CRM has no such object;"
        f" {tiny_shoes.counts['LiveChatTranscript']} records" in said
    )
    assert (
        "Case.IssueId__c: left out, the CRM lets nobody set it or hasn't got it;"
        f" {tiny_shoes.counts['Case']} records" in said
    )
    persons = re.search(
        r"Account\.LastName: left out, only person accounts have it, ours are business accounts;"
        r" the contact holds the same; (\d+) records",
        said,
    )
    assert persons and 0 < int(persons[1]) <= tiny_shoes.counts["Account"]


def test_what_cannot_do_without_a_lacking_object_is_left_out_too(tiny_shoes: FinishedRun) -> None:
    """Without catalogs there are no categories, which require one, and so no product in a category;
    products themselves stay.
    """

    def told(name: str, required: str = "") -> dict[str, object]:
        return {
            "name": name,
            "createable": True,
            "fields": (
                [{"name": required, "type": "reference", "createable": True, "nillable": False}]
                if required
                else []
            ),
        }

    source = UploadSource(tiny_shoes.folder)
    infos = {name: parsed(told(name)) for name in source.order if name != "ProductCatalog"}
    infos["ProductCategory"] = parsed(told("ProductCategory", "CatalogId"))
    infos["ProductCategoryProduct"] = parsed(told("ProductCategoryProduct", "ProductCategoryId"))
    found = left_out(source, infos)
    assert found.keys() == {"ProductCatalog", "ProductCategory", "ProductCategoryProduct"}
    assert found["ProductCategoryProduct"] == "can't do without ProductCategory"


def test_a_refused_record_holds_back_what_depends_on_it(
    tiny_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A user whose Username is taken is listed as refused, the records that refer to the user as
    held back; the rest arrives, and once the name is free the same command completes the org.
    """
    idmap = tmp_path / "idmap.jsonl"
    owner = rows(tiny_shoes.folder, "Account")[0]["OwnerId"]
    agent = next(row for row in rows(tiny_shoes.folder, "User") if row["Id"] == owner)
    with empty(tiny_shoes.folder) as server:
        sf = client(server)
        profile = only(sf, "SELECT Id FROM Profile")["Id"]
        other = make(
            sf,
            "User",
            LastName="Other",
            Username=agent["Username"],
            Email="o@crm.example",
            Alias="other",
            ProfileId=profile,
            **USER,
        )
        assert upload(server, tiny_shoes.folder, idmap) == 1
        listed = refused(idmap)
        assert [line["id"] for line in listed if line["errorCode"] == "DUPLICATE_USERNAME"] == [
            agent["Id"]
        ]
        held = {
            line["id"]
            for line in listed
            if line["errorCode"] == "HELD_BACK" and line["type"] == "Account"
        }
        assert (
            held
            == {
                row["Id"]
                for row in rows(tiny_shoes.folder, "Account")
                if row["OwnerId"] == agent["Id"]
            }
            != set()
        )
        assert f"{len(listed)} records weren't taken" in capsys.readouterr().err.replace(",", "")
        sf.User.update(other, {"Username": "other@crm.example"})
        assert upload(server, tiny_shoes.folder, idmap) == 0
        assert refused(idmap) == []
        there = [line for line in differences(sf, tiny_shoes.folder, idmap) if other not in line]
    assert there == []


def test_an_order_with_a_refused_item_stays_a_draft(my_tiny: Path, tmp_path: Path) -> None:
    """An activated order takes no more items: while one of its items is refused, it is held back as
    a draft, and activated once the item is in.
    """
    idmap = tmp_path / "idmap.jsonl"
    right = rows(my_tiny, "OrderItem")[0]
    item = edited(my_tiny, "OrderItem", 0, Quantity="many")
    with empty(my_tiny) as server:
        sf = client(server)
        assert upload(server, my_tiny, idmap) == 1
        order = ids(idmap)[right["OrderId"]]
        assert {line["id"] for line in refused(idmap) if line["errorCode"] != "HELD_BACK"} == {item}
        assert only(sf, f"SELECT Status FROM Order WHERE Id = '{order}'")["Status"] == "Draft"
        edited(my_tiny, "OrderItem", 0, Quantity=right["Quantity"])
        assert upload(server, my_tiny, idmap) == 0
        assert only(sf, f"SELECT Status FROM Order WHERE Id = '{order}'")["Status"] == "Activated"
        assert differences(sf, my_tiny, idmap) == []


def test_an_id_of_our_own_never_leaves(
    my_tiny: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A value that holds one of our ids stops the upload before its batch is sent, by bulk or
    collections, with object and field named.
    """
    edited(my_tiny, "Account", 3, Description=f"see {keys(my_tiny, 'Contact')[0]}.")
    for number, bulk_from in enumerate(("1", "1000")):
        with empty(my_tiny) as server:
            assert (
                upload(server, my_tiny, tmp_path / f"{number}.jsonl", "--bulk-from", bulk_from) == 1
            )
            assert "Account.Description: holds 003zz000" in capsys.readouterr().err
            assert client(server).query("SELECT COUNT() FROM Account")["totalSize"] == 0


@given(
    st.from_regex(r"[A-Za-z0-9]{3}zz000[A-Za-z0-9]{7}([A-Za-z0-9]{3})?", fullmatch=True),
    st.text(" .,:\n(", max_size=5),
)
def test_any_id_of_our_form_is_found_in_any_text(key: str, around: str) -> None:
    """Every id with our marker, of 15 or 18 characters and whatever surrounds it, is a leak, in
    lists too.
    """
    for value in (around + key + around, [around, key]):
        with pytest.raises(UploadFailed, match="Case.Subject"):
            check_leaks("Case", [{"Subject": value}])


@given(st.text(alphabet="zZ0 k5"))
def test_a_text_that_is_no_id_may_leave(text: str) -> None:
    """Text with pieces of the marker, but without a whole id's form, is no leak."""
    check_leaks("Case", [{"Subject": f"zz000 {text[:9]}"}])


def test_a_field_too_long_for_a_cell_goes_by_collections(my_tiny: Path, tmp_path: Path) -> None:
    """An article of 40,000 characters, and one whose text is the sign for null, arrive whole though
    the others go by bulk.
    """
    idmap, long = tmp_path / "idmap.jsonl", "A line.\n" * 5000
    article = edited(my_tiny, "Knowledge__kav", 0, FAQ_Answer__c=long)
    other = edited(my_tiny, "Knowledge__kav", 1, Summary="#N/A")
    with empty(my_tiny) as server:
        assert upload(server, my_tiny, idmap, "--bulk-from", "1") == 0
        sf = client(server)
        assert (
            only(
                sf, f"SELECT FAQ_Answer__c FROM Knowledge__kav WHERE Id = '{ids(idmap)[article]}'"
            )["FAQ_Answer__c"]
            == long
        )
        assert (
            only(sf, f"SELECT Summary FROM Knowledge__kav WHERE Id = '{ids(idmap)[other]}'")[
                "Summary"
            ]
            == "#N/A"
        )


def test_two_uploads_with_one_id_map_do_not_mix(
    tiny_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """While an upload holds an id map, another with the same one is refused with exit code 2."""
    from filelock import FileLock

    with empty(tiny_shoes.folder) as server, FileLock(tmp_path / "idmap.jsonl.lock"):
        assert upload(server, tiny_shoes.folder, tmp_path / "idmap.jsonl") == 2
    assert "another upload is under way" in capsys.readouterr().err


def test_the_order_is_the_crms(tiny_shoes: FinishedRun) -> None:
    """Object types are loaded in the one order that exports have too, each behind all that it
    refers to: users first, what not every org can have last.
    """
    source = UploadSource(tiny_shoes.folder)
    exported = [one.name for one in export_objects(source.schema) if source.schema.has(one.name)]
    loaded = [name for name in source.order if shipped().object(name).createable]
    assert loaded == exported
    assert loaded[0] == "User"
    assert source.order[-1] == "LiveChatTranscript"
    for name in source.order:
        behind = [
            target
            for target in source.references(name).values()
            if target not in ("*", name) and source.order.index(target) >= source.order.index(name)
        ]
        assert behind == []


def test_a_wrong_session_is_one_line(
    tiny_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A session that the CRM refuses ends the upload with exit code 2 and one line that says what
    to do.
    """
    with empty(tiny_shoes.folder) as server:
        assert (
            run(
                [
                    "upload",
                    str(tiny_shoes.folder),
                    "--instance-url",
                    server.url,
                    "--session-id",
                    "wrong",
                    "--idmap",
                    str(tmp_path / "idmap.jsonl"),
                ]
            )
            == 2
        )
    said = capsys.readouterr().err
    assert "log in anew" in said
    assert len(said.splitlines()) == 1
