"""Files of cases: who sends some, by which turn, what they are called, and how large they are."""

import re
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from latent.attachment_habit import LETTER, AttachmentHabit
from latent.file_names import DOCUMENT, PHOTO, SCREENSHOT, Shot, title_of
from pipeline.world.tables import NONE
from schemas.errors import SchemaError
from schemas.lexicon import load_lexicon
from schemas.profile import lexicons_folder
from tests.latent_orgs import SEEDS, drawn, part_of, same, with_columns
from verifiers.privacy import CARD

TAKEN = datetime(2022, 3, 4, 18, 22, 10)


@pytest.mark.parametrize(
    ("form", "platform", "habit", "title"),
    [
        (PHOTO, "iOS", 0.5, "IMG_4821"),
        (PHOTO, "Android", 0.5, "20220304_182210"),
        (PHOTO, "Android", 0.9, "IMG_20220304_182210"),
        (PHOTO, "", 0.5, "DSC04821"),
        (SCREENSHOT, "iOS", 0.5, "IMG_4821"),
        (SCREENSHOT, "Android", 0.5, "Screenshot_20220304-182210"),
        (SCREENSHOT, "macOS", 0.5, "Screenshot 2022-03-04 at 6.22.10 PM"),
        (SCREENSHOT, "macOS", 0.1, "Screenshot 2022-03-04 at 18.22.10"),
        (SCREENSHOT, "Windows", 0.1, "Screenshot (22)"),
        (SCREENSHOT, "Windows", 0.9, "Capture"),
        (SCREENSHOT, "ChromeOS", 0.5, "Screenshot 2022-03-04 at 6.22.10 PM"),
        (SCREENSHOT, "Linux", 0.5, "Screenshot_20220304_182210"),
        (DOCUMENT, "Windows", 0.5, "Scan0022"),
        (DOCUMENT, "Android", 0.5, "Scan 2022-03-04"),
    ],
)
def test_files_are_called_as_devices_call_them(
    form: str,
    platform: str,
    habit: float,
    title: str,
) -> None:
    """A name follows from what made the file, its owner's clock and its owner's habit."""
    assert title_of(Shot(form, platform, TAKEN, 4821, habit, False)) == title


@pytest.mark.parametrize(
    "platform", ["iOS", "Android", "macOS", "Windows", "ChromeOS", "Linux", ""]
)
@pytest.mark.parametrize("form", [PHOTO, SCREENSHOT, DOCUMENT])
def test_no_name_looks_like_the_number_of_a_card(form: str, platform: str) -> None:
    """A name holds no run of digits, blanks and hyphens that is as long as a card's number."""
    for habit in (0.1, 0.5, 0.9):
        for is_bill in (False, True):
            title = title_of(Shot(form, platform, TAKEN, 4821, habit, is_bill))
            assert not CARD.search(title), title


def test_a_bill_is_of_the_month_before() -> None:
    """A paper that proves a payment is the last statement that there was."""
    shot = Shot(DOCUMENT, "Windows", datetime(2022, 1, 9), 4821, 0.5, True)
    assert title_of(shot) == "Statement_2021-12"


@pytest.mark.parametrize("seed", SEEDS)
def test_files_come_with_what_customers_write(seed: int) -> None:
    """A file has the moment of a turn of the same case, and a customer's was made before it."""
    org = drawn(seed)
    files = org.table("AttachmentHabit.files")
    desk = files["form"] == LETTER
    mails, lines = org.table("CaseStory.messages"), org.table("CaseStory.turns")
    chats = org.table("CaseStory.chats")["case"]
    wrote, typed = mails["speaker"] == "Customer", lines["speaker"] == "Customer"
    said = set(zip(mails["case"][wrote].tolist(), mails["at"][wrote].tolist(), strict=True))
    said |= set(zip(chats[lines["chat"][typed]].tolist(), lines["at"][typed].tolist(), strict=True))
    came, sent = zip(files["case"].tolist(), files["at"].tolist(), desk, strict=True), set()
    for case, at, by_desk in came:
        if not by_desk:
            sent.add((case, at))
    assert sent and sent <= said
    assert (files["made"] <= files["at"]).all()
    assert (np.diff(files["at"].astype(int)) >= 0).all()


def test_what_agents_send_goes_with_their_own_mails() -> None:
    """A label goes with a mail that tells the number of a return, and its agent filed it."""
    labels = 0
    for seed in SEEDS:
        org = drawn(seed)
        files, mails = org.table("AttachmentHabit.files"), org.table("CaseStory.messages")
        told = np.array(["a.return" in str(acts).split(",") for acts in mails["beats"]])
        columns = (mails[name][told].tolist() for name in ("case", "at", "agent"))
        wrote = set(zip(*columns, strict=True))
        desk = files["form"] == LETTER
        columns = (files[name][desk].tolist() for name in ("case", "at", "creator"))
        assert set(zip(*columns, strict=True)) <= wrote
        assert all(re.fullmatch(r"Return_Label_\d{10}", title) for title in files["title"][desk])
        labels += int(desk.sum())
    assert labels


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mail_has_an_attachment_where_a_file_came_with_it(seed: int) -> None:
    """HasAttachment is true for the mails at whose moment a file of their case came."""
    org = drawn(seed)
    files, mails = org.table("AttachmentHabit.files"), org.table("CaseStory.messages")
    sent = set(zip(files["case"].tolist(), files["at"].tolist(), strict=True))
    came = [mail in sent for mail in zip(mails["case"].tolist(), mails["at"].tolist(), strict=True)]
    assert org.table("EmailMessage")["HasAttachment"].astype(bool).tolist() == came


@pytest.mark.parametrize("seed", SEEDS)
def test_files_are_made_by_what_the_customer_owns(seed: int) -> None:
    """A platform is one of the customer's devices; only a camera's photo has none."""
    org = drawn(seed)
    files, devices = org.table("AttachmentHabit.files"), org.table("Household.devices")
    owned = set(zip(devices["account"].tolist(), devices["platform"], strict=True))
    for account, platform, form in zip(
        files["account"].tolist(),
        files["platform"],
        files["form"],
        strict=True,
    ):
        assert (account, platform) in owned or (platform == "" and form in (PHOTO, LETTER))


@pytest.mark.parametrize("seed", SEEDS)
def test_who_writes_from_a_phone_shows_the_phones_screen(seed: int) -> None:
    """A mail that was sent from an iPhone brings no screenshot of a Mac."""
    org = drawn(seed)
    files = org.table("AttachmentHabit.files")
    device = org.table("CustomerVoice.cases")["device"][files["case"]]
    seen = (files["form"] == SCREENSHOT) & np.isin(device, ["iOS", "Android"])
    assert (files["platform"][seen] == device[seen]).all()


def test_what_is_broken_is_shown_more_often_than_a_bill() -> None:
    """Shares follow the kind of the issue, and photos are of things, not of bills."""
    shares: dict[str, list[bool]] = {"product": [], "billing": []}
    forms: dict[str, set[str]] = {"product": set(), "billing": set()}
    for seed in SEEDS:
        org = drawn(seed)
        cases, files = org.table("AttachmentHabit.cases"), org.table("AttachmentHabit.files")
        for kind, sent in shares.items():
            sent += (cases["files"][cases["kind"] == kind] > 0).tolist()
            forms[kind] |= set(files["form"][cases["kind"][files["case"]] == kind])
    assert 0.2 < np.mean(shares["product"]) < 0.45
    assert np.mean(shares["billing"]) < np.mean(shares["product"])
    assert PHOTO in forms["product"] and PHOTO not in forms["billing"]


def test_photos_are_larger_than_papers() -> None:
    """Sizes go by the form, are spread, and no size is drawn again and again."""
    sizes: dict[str, list[int]] = {PHOTO: [], SCREENSHOT: [], DOCUMENT: [], LETTER: []}
    for seed in SEEDS:
        files = drawn(seed).table("AttachmentHabit.files")
        for form, size in zip(files["form"], files["bytes"].tolist(), strict=True):
            sizes[form].append(size)
    # Shoes are shown in photos: screens and papers are too few here to be told apart by size.
    others = sizes[SCREENSHOT] + sizes[DOCUMENT]
    assert np.median(sizes[PHOTO]) > 2 * np.median(others)
    assert len(set(sizes[PHOTO])) > 0.99 * len(sizes[PHOTO])


def test_records_are_a_document_a_version_and_a_link_each() -> None:
    """The three objects tell of the same files in the same order."""
    org = drawn(1)
    documents, versions = org.table("ContentDocument"), org.table("ContentVersion")
    links, files = org.table("ContentDocumentLink"), org.table("AttachmentHabit.files")
    assert documents.size == versions.size == links.size == files.size
    assert links["LinkedEntityId"].tolist() == files["case"].tolist()
    assert versions["ContentDocumentId"].tolist() == list(range(files.size))
    for title, path in zip(documents["Title"], versions["PathOnClient"], strict=True):
        assert re.fullmatch(re.escape(title) + r"\.(jpg|png|pdf)", path)


def test_nobody_sends_files_where_nothing_is_said() -> None:
    """Threads without a complaint or an answer carry no file, and an org without files has none."""
    org = drawn(1)
    mails, lines = org.table("CaseStory.messages"), org.table("CaseStory.turns")
    quiet = part_of(
        org,
        with_columns(mails, beats=np.full(mails.size, "c.thanks", dtype=object)),
        with_columns(lines, beats=np.full(lines.size, "c.thanks", dtype=object)),
    )
    cases, files, messages = AttachmentHabit().draw(quiet)
    assert files.size == 0
    assert not cases["files"].any() and not messages["has_file"].any()
    assert NONE not in cases["files"]


def test_files_change_nothing_else() -> None:
    """Files have a stream of their own: drawn anew, the rest of the org stays as it is.

    Only a chat shows the names of the files that were sent in it.
    """
    org, other = drawn(1), drawn(1, "AttachmentHabit")
    assert not same(org.table("AttachmentHabit.files"), other.table("AttachmentHabit.files"))
    for name in ("Case", "CaseComment", "Order"):
        assert same(org.table(name), other.table(name))


def test_a_share_without_a_form_is_refused(tmp_path: Path) -> None:
    """A trade that says how often files come says what they are."""
    (tmp_path / "world.yaml").write_text(
        "trade: {like: goods, contact: {attached: {product: {share: 0.3}}}}"
    )
    with pytest.raises(SchemaError, match="weigh photo, screenshot or document"):
        load_lexicon(tmp_path, lexicons_folder() / "base")
