"""Archives of a bundle: the same bytes each time, and nothing hostile gets out of one."""

import hashlib
import io
import json
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from orgweave.bundle.archive import ARCHIVES, members, unpack
from orgweave.bundle.layout import is_bundle
from orgweave.bundle.open import run_in
from orgweave.bundle.proof import prove
from schemas.errors import BadInput, StorageFailed

pytestmark = pytest.mark.quick

FILES = {"data/Case.csv": "Id\n1\n", "run/org.sqlite": "org", "run/tasks/tasks.jsonl": "{}\n"}
KINDS = sorted(ARCHIVES)


def account_of(files: dict[str, str], **more: object) -> str:
    """What `export.json` says of files."""
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    return json.dumps({"format": "bundle", "company": "toy", "files": digests, **more})


def folder_of(folder: Path, files: dict[str, str], account: str = "") -> Path:
    """A folder with files, and their account where there is one."""
    whole = {**files, "export.json": account} if account else files
    for name, text in whole.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def packed(kind: str, folder: Path, place: Path) -> Path:
    """A folder as an archive of a kind."""
    ARCHIVES[kind](folder, "toy", place)
    return place


def contents(path: Path) -> dict[str, str]:
    """What a bundle holds, by the paths within it."""
    with members(path) as files:
        return {name: read.read().decode() for name, read in files}


def contents_of_zip(path: Path) -> list[str]:
    """The names in a zip file, as the standard library reads them."""
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def contents_of_tar(path: Path) -> list[str]:
    """The names in a tar file, as the standard library reads them."""
    with tarfile.open(path) as archive:
        return archive.getnames()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A toy bundle as a folder."""
    return folder_of(tmp_path / "bundle", FILES, account_of(FILES, org_sha256="ab12"))


@pytest.fixture(params=[*KINDS, "folder"])
def form(request: pytest.FixtureRequest, bundle: Path, tmp_path: Path) -> Path:
    """The toy bundle in each of its forms."""
    if request.param == "folder":
        return bundle
    return packed(request.param, bundle, tmp_path / f"toy.{request.param}")


@pytest.mark.parametrize("kind", KINDS)
def test_times_and_owners_of_files_stay_out(kind: str, bundle: Path, tmp_path: Path) -> None:
    """The same content at another time, with other rights, gives the same bytes."""
    first = packed(kind, bundle, tmp_path / "first")
    for path in bundle.rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            os.utime(path, (1, 1))
    assert packed(kind, bundle, tmp_path / "second").read_bytes() == first.read_bytes()


def test_a_packed_tar_names_no_time_of_its_own(bundle: Path, tmp_path: Path) -> None:
    """The head of a gzip file has four bytes for the moment of packing; they are empty."""
    path = packed("tar.gz", bundle, tmp_path / "toy")
    assert path.read_bytes()[4:8] == bytes(4)


@pytest.mark.parametrize("kind", KINDS)
def test_members_are_sorted_under_the_bundles_name(kind: str, bundle: Path, tmp_path: Path) -> None:
    """Whoever unpacks it gets a single folder."""
    path = packed(kind, bundle, tmp_path / "toy")
    names = contents_of_zip(path) if kind == "zip" else contents_of_tar(path)
    assert names == sorted(f"toy/{name}" for name in (*FILES, "export.json"))


def test_every_form_holds_the_same_files(form: Path) -> None:
    """A folder and its archives are read alike."""
    found = contents(form)
    assert found.pop("export.json")
    assert found == FILES


def test_a_whole_bundle_is_proved(form: Path) -> None:
    """Its files are counted, and its company and org are those of the account."""
    proof = prove(form)
    assert proof.faults == ()
    assert (proof.company, proof.org_sha256, proof.files) == ("toy", "ab12", len(FILES))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"data/Case.csv": "Id\n2\n"}, "data/Case.csv: was changed"),
        ({"data/Lead.csv": "Id\n"}, "data/Lead.csv: was added"),
        ({"run/org.sqlite": ""}, "run/org.sqlite: was changed"),
    ],
)
@pytest.mark.parametrize("kind", ["", *KINDS])
def test_each_file_that_is_another_is_named(
    kind: str,
    change: dict[str, str],
    fault: str,
    bundle: Path,
    tmp_path: Path,
) -> None:
    """Changed and added files are told apart, in every form of a bundle."""
    folder_of(bundle, change)
    path = packed(kind, bundle, tmp_path / "toy") if kind else bundle
    assert prove(path).faults == (fault,)


def test_faults_stand_in_the_order_of_the_paths(bundle: Path) -> None:
    """All of them are told, missing files among them."""
    folder_of(bundle, {"data/Case.csv": "other", "data/A.csv": "new"})
    (bundle / "run/org.sqlite").unlink()
    assert prove(bundle).faults == (
        "data/A.csv: was added",
        "data/Case.csv: was changed",
        "run/org.sqlite: is missing",
    )


@pytest.mark.parametrize(
    ("account", "told"),
    [
        ("", "holds no export.json of a bundle"),
        ("{}", "holds no export.json of a bundle"),
        ("[1]", "holds no export.json of a bundle"),
        ('{"format": "csv", "files": {}}', "holds no export.json of a bundle"),
        ('{"format": "bundle", "files": []}', "holds no export.json of a bundle"),
        ('{"format": "bundle", "files": {}}', "holds no export.json of a bundle"),
        ("{", "its export.json is damaged"),
        ("[" * 100_000, "its export.json is damaged"),
    ],
)
def test_what_has_no_account_of_a_bundle_is_none(account: str, told: str, tmp_path: Path) -> None:
    """Nothing, another format's and a broken one each get a line that names the path."""
    folder = folder_of(tmp_path / "bundle", FILES, account)
    with pytest.raises(BadInput, match=told) as error:
        prove(folder)
    assert str(folder) in str(error.value)


@pytest.mark.parametrize(
    ("account", "right"),
    [({"format": "bundle"}, True), ({"format": "csv"}, False), ([], False), (None, False)],
)
def test_an_account_names_its_format(account: object, right: bool) -> None:
    """Only a mapping with the format's name is the account of a bundle."""
    assert is_bundle(account) is right


OUTSIDE = ["/etc/x", "../x/y", "toy/../../x", "toy\\..\\x", "C:/x/y", "x"]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("kind", KINDS)
def test_no_member_leads_out_of_its_folder(kind: str, name: str, tmp_path: Path) -> None:
    """Nothing is written for a name that is absolute, climbs up, or is one of Windows's."""
    path = tmp_path / "hostile"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, "x")
    else:
        with tarfile.open(path, "w:gz") as archive_of_tar:
            member = tarfile.TarInfo(name)
            member.size = 1
            archive_of_tar.addfile(member, io.BytesIO(b"x"))
    place = tmp_path / "out"
    place.mkdir()
    with pytest.raises(BadInput, match="lies in no folder; don't use this archive"):
        unpack(path, "run", place)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_no_link_and_no_device_is_unpacked(kind: bytes, tmp_path: Path) -> None:
    """A link could lead anywhere, and a pipe would be waited for."""
    path = tmp_path / "hostile"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("toy/run/org.sqlite")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(BadInput, match="is a link or a device"):
        unpack(path, "run", tmp_path)


def test_a_folder_with_a_link_is_refused(bundle: Path, tmp_path: Path) -> None:
    """What the link leads to is no file of the bundle."""
    (tmp_path / "own").write_text("secret")
    (bundle / "data/Own.csv").symlink_to(tmp_path / "own")
    with pytest.raises(BadInput, match=r"Own\.csv: is a link or a device"):
        contents(bundle)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_archive_is_told_in_a_line(kind: str, bundle: Path, tmp_path: Path) -> None:
    """Half of a download is refused as damaged, and not as a fault of ours."""
    whole = packed(kind, bundle, tmp_path / "toy").read_bytes()
    half = tmp_path / "half"
    half.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match="is no folder, zip or tar.gz of a bundle"):
        contents(half)


def test_a_zip_that_is_packed_in_another_way_is_refused(tmp_path: Path) -> None:
    """Stored and deflated files are read; no library that knows more ways is asked."""
    path = tmp_path / "toy.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("toy/README.md", "a bundle")
    with pytest.raises(BadInput, match="packed in an unknown way"):
        contents(path)


@pytest.mark.parametrize("kind", KINDS)
def test_no_damaged_byte_of_an_archive_is_a_traceback(
    kind: str, bundle: Path, tmp_path: Path
) -> None:
    """Whichever byte is another, it is told in a line, or the files are as they were made."""
    content = packed(kind, bundle, tmp_path / "toy").read_bytes()
    path = tmp_path / "damaged"
    told = 0
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        try:
            told += bool(prove(path).faults)
        except (BadInput, StorageFailed):
            told += 1
    assert told > len(content) / 3


def test_an_archive_with_a_password_is_told_in_a_line(bundle: Path, tmp_path: Path) -> None:
    """The bit that says so is set in each member's head and in the list at the end."""
    path = packed("zip", bundle, tmp_path / "toy")
    content = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = content.find(mark)
        while place >= 0:
            content[place + flags] |= 1
            place = content.find(mark, place + 1)
    path.write_bytes(content)
    with pytest.raises(BadInput, match="password required"):
        contents(path)


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_hides_behind_another_of_its_name(kind: str, bundle: Path, tmp_path: Path) -> None:
    """Of two members with one name each program takes another, so that none of them is proved."""
    path = packed(kind, bundle, tmp_path / "toy")
    if kind == "zip":
        with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("toy/run/org.sqlite", FILES["run/org.sqlite"])
    else:
        with tarfile.open(path, "w:gz") as twice:
            for _ in range(2):
                twice.addfile(tarfile.TarInfo("toy/run/org.sqlite"))
    with pytest.raises(BadInput, match=r"holds 'run/org\.sqlite' twice; don't use this archive"):
        prove(path)


def test_nothing_waits_for_a_pipe_in_the_place_of_an_archive(tmp_path: Path) -> None:
    """It isn't opened, nor is a device, which has no end."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(StorageFailed, match="is a pipe or a device, and no file"):
            contents(path)


def test_an_archive_that_is_not_there_cant_be_read(tmp_path: Path) -> None:
    """The line says what to name instead."""
    with pytest.raises(BadInput, match="none: is not there; name what `bundle` wrote"):
        contents(tmp_path / "none")


@pytest.mark.parametrize("kind", KINDS)
def test_only_what_is_asked_for_is_unpacked(kind: str, bundle: Path, tmp_path: Path) -> None:
    """The run's folder comes out whole, and no other file."""
    place = tmp_path / "out"
    place.mkdir()
    unpack(packed(kind, bundle, tmp_path / "toy"), "run", place)
    found = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    assert found == {"run/org.sqlite", "run/tasks/tasks.jsonl"}


def test_a_run_is_opened_where_it_lies(bundle: Path, tmp_path: Path) -> None:
    """A bundle's folder leads to its run, and any other folder is taken as a run's own."""
    with run_in(bundle) as folder:
        assert folder == bundle / "run"
    with run_in(tmp_path) as folder:
        assert folder == tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_an_archives_run_is_gone_afterwards(kind: str, bundle: Path, tmp_path: Path) -> None:
    """It is unpacked where nobody else may read, also where the work with it fails."""
    path = packed(kind, bundle, tmp_path / "toy")
    with pytest.raises(ValueError, match="work"), run_in(path) as folder:
        assert (folder / "org.sqlite").read_text() == "org"
        assert folder.parent.stat().st_mode & 0o077 == 0
        raise ValueError("work")
    assert not folder.exists()


def test_a_changed_archive_is_not_unpacked(bundle: Path, tmp_path: Path) -> None:
    """The first fault is told, and that the archive is to be got anew."""
    folder_of(bundle, {"run/org.sqlite": "other"})
    path = packed("zip", bundle, tmp_path / "toy")
    told = "run/org.sqlite: was changed; get the archive anew"
    with pytest.raises(BadInput, match=told), run_in(path):
        pass


def test_an_archive_without_a_run_is_no_bundle(tmp_path: Path) -> None:
    """An account alone opens nothing."""
    files = {"data/Case.csv": "Id\n"}
    folder = folder_of(tmp_path / "bundle", files, account_of(files))
    path = packed("zip", folder, tmp_path / "toy")
    with pytest.raises(BadInput, match="holds no export.json of a bundle"), run_in(path):
        pass
