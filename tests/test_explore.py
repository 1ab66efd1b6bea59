"""`explore` over HTTP: every page that a person clicks to, what is refused, and that the org's own
file stays as it is.
"""

import asyncio
import hashlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orgweave.explore.plugin import full_text
from orgweave.explore.site import Site, opened
from pipeline.run import FinishedRun
from tests.called import called
from tests.explore_orgs import toy_run
from tests.exports_org import copied

Get = Callable[[str], httpx.Response]


@pytest.fixture(scope="module")
def folder(small_shoes: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder of its own, so that nothing else reads its files."""
    return Path(shutil.copytree(small_shoes.folder, tmp_path_factory.mktemp("explored") / "shoes"))


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    """The shoe company's site."""
    with opened(folder) as site:
        yield site


def getter(site: Site) -> Get:
    """Asks a site for a page."""
    return lambda path: asyncio.run(site.client.get(path))


@pytest.fixture
def get(site: Site) -> Get:
    """Asks the shoe company's site for a page."""
    return getter(site)


def one(folder: Path, sql: str) -> tuple[str, ...]:
    """The first row of a query on the org's own file."""
    with sqlite3.connect(f"file:{folder}/org.sqlite?mode=ro", uri=True) as db:
        return tuple(db.execute(sql).fetchone())


def links(page: httpx.Response) -> list[str]:
    """Where the links of a page's content lead."""
    return [unescape(found) for found in re.findall(r'href="([^"]+)"', page.text.split("<main")[1])]


def test_the_start_page_explains_the_company(get: Get, folder: Path) -> None:
    """Name, industry, period, every object type with its count and description, and a map of how
    they refer to one another.
    """
    page = get("/")
    assert page.status_code == 200
    for words in (
        "Tarn &amp; Alder",
        "footwear retail",
        "2020-01-01",
        "2023-12-31",
        "A customer&#39;s inquiry or complaint",
        "<svg",
    ):
        assert words in page.text
    cases = one(folder, 'SELECT count(*) FROM "Case"')[0]
    assert re.search(
        rf'href="/org/Case"><i></i>Cases</a> <code>Case</code></td><td class="amount">{cases}<',
        page.text,
    )


def test_object_types_stand_in_the_order_of_the_plan(get: Get) -> None:
    """Each stands behind what it refers to."""
    table = get("/").text.split('class="objects"')[1]
    at = [
        table.index(f'href="/org/{name}"')
        for name in (
            "User",
            "Product2",
            "PricebookEntry",
            "Account",
            "Order",
            "OrderItem",
            "Case",
            "EmailMessage",
        )
    ]
    assert at == sorted(at)


def test_pages_load_nothing_from_elsewhere(get: Get) -> None:
    """No page has a script, style, font or picture of another host: it works offline."""
    for path in ("/", "/org/Account", "/-/search?q=sole", "/org/best_customers", "/org"):
        loaded = re.findall(r'(?:src|<link[^>]*href)="([^"]+)"', get(path).text)
        assert loaded and [url for url in loaded if not url.startswith(("/assets/", "data:"))] == []
    assert "http" not in get("/assets/explore.css").text


def test_every_beginning_and_question_leads_somewhere(get: Get) -> None:
    """Cards lead to records, questions to tables that have rows."""
    start = get("/").text
    cards = re.findall(r'class="card" href="([^"]+)"', start)
    questions = re.findall(r'<li><a href="(/org/[a-z_]+)"', start)
    assert len(cards) == 6 and len(questions) == 6
    assert [path for path in cards if get(path).status_code != 200] == []
    for path in questions:
        page = get(path)
        assert page.status_code == 200 and "<td" in page.text, path


def test_the_case_that_changed_hands_did(get: Get, folder: Path) -> None:
    """The entry point with a transfer leads to a case whose history has one."""
    path = re.search(
        r'href="/org/Case/(\w+)"[^>]*>\s*<span[^>]*>.*?</span>\s*<b>A case that changed hands',
        get("/").text,
        re.DOTALL,
    )
    assert path
    assert one(
        folder,
        f"SELECT count(*) > 0 FROM CaseHistory__c WHERE CaseId__c = '{path[1]}' AND OldValue__c IS"
        " NOT NULL",
    )[0]


def test_a_question_names_records_and_draws_bars(get: Get, folder: Path) -> None:
    """Ids in an answer are links with the record's label; amounts in the last column have bars, the
    largest the full width.
    """
    page = get("/org/cases_by_issue")
    name, key = one(
        folder, 'SELECT i.Name, i.Id FROM Issue__c i JOIN "Case" c ON c.IssueId__c = i.Id LIMIT 1'
    )
    assert f'<a href="/org/Issue__c/{key}">{name}</a>' in page.text
    assert 'style="width:100.0%"' in page.text
    days = re.findall(
        r'<td class="number">([\d.]+)</td>',
        page.text.replace('<td class="number" >', '<td class="number">'),
    )
    assert any("." in value for value in days)


def test_a_record_is_called_by_its_label_and_refers_by_labels(get: Get, folder: Path) -> None:
    """A case's page is headed by number and subject; its account, owner, issue and order item are
    links with their labels.
    """
    key, number, subject, account, name, owner, item, quantity, product = one(
        folder,
        "SELECT c.Id, c.CaseNumber, c.Subject, a.Id, a.Name, u.Name, i.Id, i.Quantity, p.Name FROM"
        ' "Case" c JOIN Account a ON a.Id = c.AccountId JOIN User u ON u.Id = c.OwnerId JOIN'
        " OrderItem i ON i.Id = c.OrderItemId__c JOIN Product2 p ON p.Id = i.Product2Id LIMIT 1",
    )
    text = unescape(get(f"/org/Case/{key}").text)
    assert f"<h1>{number} · {subject}</h1>" in text
    assert f'<a href="/org/Account/{account}">{name}</a>' in text
    assert f">{owner}</a>" in text
    assert f'<a href="/org/OrderItem/{item}">{quantity} × {product}</a>' in text


def test_a_record_shows_what_refers_to_it(get: Get, folder: Path) -> None:
    """An account's page counts its orders and cases, links to the whole lists, and shows the first
    five, newest first.
    """
    key, orders = one(
        folder, 'SELECT AccountId, count(*) AS n FROM "Order" GROUP BY 1 ORDER BY n DESC'
    )
    page = get(f"/org/Account/{key}")
    assert f"<b>{orders}</b> Orders" in page.text
    assert f"/org/Order?AccountId={key}" in links(page)
    newest = one(
        folder,
        f"SELECT group_concat(Id) FROM (SELECT Id FROM \"Order\" WHERE AccountId = '{key}' ORDER BY"
        " EffectiveDate DESC, rowid LIMIT 5)",
    )[0].split(",")
    shown = re.findall(r'class="self"><a href="/org/Order/(\w+)"', page.text)
    assert shown == newest
    listed = get(f"/org/Order?AccountId={key}")
    assert f'<span class="count">{orders}</span>' in listed.text
    assert "Account is <b>" in listed.text


def test_an_order_shows_all_its_items(get: Get, folder: Path) -> None:
    """Up to ten items of an order stand on its page, with product and price."""
    key, items = one(
        folder,
        "SELECT OrderId, count(*) AS n FROM OrderItem GROUP BY 1 HAVING n <= 10 ORDER BY n DESC",
    )
    page = get(f"/org/Order/{key}")
    assert len(re.findall(r'class="self"><a href="/org/OrderItem/', page.text)) == items > 1


def test_a_thread_is_read_in_time_order(get: Get, folder: Path) -> None:
    """A case's page has all its mails, oldest first, as they were written, and its history in time
    order.
    """
    key, mails = one(
        folder, "SELECT ParentId, count(*) AS n FROM EmailMessage GROUP BY 1 ORDER BY n DESC"
    )
    text = unescape(get(f"/org/Case/{key}").text)
    with sqlite3.connect(folder / "org.sqlite") as db:
        bodies = [
            row[0]
            for row in db.execute(
                "SELECT TextBody FROM EmailMessage WHERE ParentId = ? ORDER BY MessageDate", (key,)
            )
        ]
        history = [
            row[0]
            for row in db.execute(
                "SELECT Id FROM CaseHistory__c WHERE CaseId__c = ? ORDER BY CreatedDate, rowid",
                (key,),
            )
        ]
    thread = text.split('id="EmailMessage-')[1].split("</section>")[0]
    at = [thread.index(f'<div class="prose">{body}</div>') for body in bodies]
    assert at == sorted(at) and len(at) == mails
    assert re.findall(r'class="self"><a href="/org/CaseHistory__c/(\w+)"', text) == history


def test_a_chat_is_shown_turn_by_turn(get: Get, folder: Path) -> None:
    """A transcript's lines become turns of two sides, the customer's and the agents'; what the chat
    window says is on the agents'.
    """
    key, body = one(folder, "SELECT CaseId, Body FROM LiveChatTranscript LIMIT 1")
    text = get(f"/org/Case/{key}").text.split('class="chat"')[1].split("</ol>")[0]
    assert text.count("<li") == len(body.splitlines())
    assert text.count('class="theirs"') == body.count("(Customer):") > 0
    assert body.count("(Agent):") > 0
    assert text.count('class="ours"') == body.count("(Agent):") + body.count("(System):")


def test_ids_in_texts_are_links(get: Get, folder: Path) -> None:
    """Old and new owner in a case's history, and the one a mail goes to, are links with names, and
    lead back.
    """
    key, case, old, name = one(
        folder,
        "SELECT h.Id, h.CaseId__c, h.OldValue__c, u.Name FROM CaseHistory__c h JOIN User u ON u.Id"
        " = h.OldValue__c LIMIT 1",
    )
    assert f'<a href="/org/User/{old}">{name}</a>' in get(f"/org/Case/{case}").text
    assert f"/org/CaseHistory__c?OldValue__c={old}" in links(get(f"/org/User/{old}"))
    mail, to, email = one(
        folder,
        "SELECT Id, json_extract(ToIds, '$[0]'), ToAddress FROM EmailMessage WHERE NOT Incoming"
        " LIMIT 1",
    )
    assert f'<a href="/org/Contact/{to}">' in get(f"/org/EmailMessage/{mail}").text
    back = f"/org/EmailMessage?ToIds__arraycontains={to}"
    assert back in links(get(f"/org/Contact/{to}"))
    sent = one(folder, f"SELECT count(*) FROM EmailMessage WHERE ToAddress = '{email}'")[0]
    assert f'<span class="count">{sent}</span>' in get(back).text


def test_lists_are_narrowed_by_facets_from_the_schema(get: Get, folder: Path) -> None:
    """A case list has facets for its enums and for the references with the fewest values, under
    labels; a facet's link narrows the list.
    """
    page = get("/org/Case")
    assert {"Status", "Priority", "Origin", "Owner"} <= set(
        re.findall(r"<summary>([^<]+)</summary>", page.text)
    )
    owner, key = one(
        folder,
        """
        SELECT u.Name, u.Id
        FROM User u
        JOIN "Case" c ON c.OwnerId = u.Id
        GROUP BY u.Id
        ORDER BY count(*) DESC
        LIMIT 1
        """,
    )
    assert re.search(rf'href="[^"]*OwnerId={key}[^"]*">{escape(owner)}<', page.text)
    chats = one(folder, "SELECT count(*) FROM \"Case\" WHERE Origin = 'Chat'")[0]
    assert f'<span class="count">{chats}</span>' in get("/org/Case?Origin=Chat").text


def test_lists_begin_with_the_newest(get: Get, folder: Path) -> None:
    """Where an object type has a date, the newest record stands first."""
    for name, date in (
        ("Case", "CreatedDate"),
        ("Order", "EffectiveDate"),
        ("EmailMessage", "MessageDate"),
    ):
        first = re.search(rf'class="self"><a href="/org/{name}/(\w+)"', get(f"/org/{name}").text)
        assert first
        newest, of_first = one(
            folder,
            f"SELECT max({date}), (SELECT {date} FROM \"{name}\" WHERE Id = '{first[1]}') FROM"
            f' "{name}"',
        )
        assert of_first == newest


def test_one_search_finds_records_of_all_object_types(get: Get, folder: Path) -> None:
    """A word is found in cases, mails and articles, in any of its forms, and marked; each count is
    that of the list it leads to.
    """
    page = get("/-/search?q=orders")
    assert "<mark>order</mark>" in page.text.lower()
    found = re.findall(r'<h2><i></i>([^<]+?) <span class="count">([\d,]+)</span>', page.text)
    assert {"Cases", "Email Messages", "Knowledge"} <= {name for name, _ in found}
    count = dict(found)["Email Messages"]
    assert f'<span class="count">{count}</span>' in get("/org/EmailMessage?_search=orders").text


def test_a_search_for_an_id_opens_the_record(get: Get, folder: Path) -> None:
    """An id leads straight to its record's page."""
    key = one(folder, "SELECT Id FROM Product2 LIMIT 1")[0]
    assert get(f"/-/search?q={key}").headers["location"] == f"/org/Product2/{key}"


@pytest.mark.parametrize(
    "words",
    [
        '"',
        "a AND",
        "NOT",
        "*",
        "(",
        "col:x",
        "zzzzqqq",
        "",
        "<script>alert(1)</script>",
        "'; DROP TABLE x",
        "x" * 3000,
    ],
)
def test_any_words_can_be_searched(get: Get, words: str) -> None:
    """No text breaks the search, and none comes back as HTML."""
    page = get(f"/-/search?q={quote(words)}")
    assert page.status_code == 200
    assert "<script>alert" not in page.text


@pytest.mark.parametrize(
    "words", ['"', "", 'a"b', 'refund "', '"a\nb"', '\0"', "a AND", "*", "col:x"]
)
def test_any_words_narrow_a_list(get: Get, words: str) -> None:
    """A list's search takes what the search over everything takes;
    what has no words finds nothing.
    """
    page = get(f"/org/Case?_search={quote(words)}")
    assert page.status_code == 200
    if not words.strip('"'):
        assert '<span class="count">0</span>' in page.text


@given(st.text())
def test_the_full_text_index_takes_any_words(words: str) -> None:
    """Whatever is typed is a valid query of the index."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE texts USING fts5(body)")
        assert db.execute(
            "SELECT count(*) FROM texts WHERE texts MATCH ?", (full_text(words),)
        ).fetchone() == (0,)


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/org/Nope", 404, "Table not found"),
        ("/org/Case/500zz000000000000", 404, "Record not found"),
        ("/org/Case?_sort=nope", 400, "Cannot sort table by nope"),
        ("/org/Case?_sort=Id&_sort_desc=Id", 400, "Cannot use _sort and _sort_desc"),
        ("/org/Case.json?_sort=nope", 400, '"error": "Cannot sort table by nope"'),
        ("/org/Case?_facet=%7B%7B7*7%7D%7D", 400, "Expecting property name"),
        ("/org?sql=select+nope", 400, "no such column: nope"),
        ("/org/Case?_search=%22&_searchmode=raw", 400, "unterminated string"),
    ],
)
def test_what_was_asked_wrongly_is_a_page_and_no_more(
    get: Get,
    path: str,
    status: int,
    says: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A page says what was wrong with the address; nothing is printed, neither a traceback nor a
    variable's value.
    """
    page = get(path)
    assert page.status_code == status
    assert says in page.text
    assert capfd.readouterr() == ("", "")


def test_a_fault_of_our_own_is_one_line(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Where the copy can't be read a page says so with status 500, and one line is logged, without
    a traceback.
    """
    with opened(folder) as site:
        get = getter(site)
        assert get("/").status_code == 200
        Path(site.get_database("org").path).write_bytes(b"no database" * 500)
        page = get("/org/Case")
    assert page.status_code == 500
    assert "<h1>" in page.text
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("ERROR", None)]
    assert "\n" not in caplog.text.strip()
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    "path",
    [
        "/latent",
        "/latent/Skill.agents",
        "/org/Skill.agents",
        "/org.db",
        "/org/Case/500zz000000000000",
        "/ledger",
    ],
)
def test_the_hidden_truth_is_nowhere(get: Get, path: str) -> None:
    """There is no database but the org's, no table but its object types',
    and no file to download.
    """
    assert get(path).status_code in (403, 404)


@pytest.mark.parametrize("path", ["/_internal", "/_internal/databases", "/-/permissions"])
def test_whoever_has_the_token_sees_the_org_alone(get: Get, path: str) -> None:
    """What else Datasette holds, its own database and its log of permissions, is nobody's."""
    assert get(path).status_code == 403


def test_a_list_has_the_fields_that_its_address_asks_for(get: Get, folder: Path) -> None:
    """Fields that an address selects or leaves out are the only ones, and none is an empty name."""
    subject, status = one(folder, 'SELECT Subject, Status FROM "Case" ORDER BY CreatedDate DESC')
    page = unescape(get("/org/Case?_all_columns=1&_col=Subject&_facet=Origin").text)
    cells = re.findall(r"<td class=\"(?!self)\w+\">(.*?)</td>", page)
    assert cells[0] == subject and len(cells) == page.count('<td class="self">')
    assert ">Status</a>" not in get("/org/Case?_nocol=Status").text
    assert f">{status}</span>" in get("/org/Case").text


def test_no_name_of_a_table_that_is_not_there_is_kept(site: Site, get: Get) -> None:
    """What is told of tables is kept, as it never changes; of others there would be no end."""
    for number in range(5):
        assert get(f"/org/nowhere{number}").status_code == 404
    told = site.get_database("org").told
    assert ("table_columns", "Case") in told
    assert not [key for key in told if "nowhere" in " ".join(key)]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ('select * from latent."CaseStory.cases"', "no such table"),
        ("ATTACH 'latent.sqlite' AS latent", "must be a SELECT"),
        ("DELETE FROM Account", "must be a SELECT"),
        ("with x as (select 1) delete from Account", "not authorized"),
        ("select load_extension('x')", "not authorized"),
    ],
)
def test_sql_reads_the_org_alone(get: Get, sql: str, says: str) -> None:
    """Another database can't be read or attached, and nothing can be changed; the page says why."""
    page = get(f"/org?sql={quote(sql)}")
    assert page.status_code == 400
    assert says in page.text


def test_no_table_of_the_copy_is_hidden_truth(get: Get, folder: Path) -> None:
    """The copy has the org's tables and their full-text indexes, nothing else."""
    names = {
        row["name"]
        for row in get(
            "/org.json?sql=select+name+from+sqlite_master+where+type%3D%27table%27&_shape=array"
        ).json()
    }
    with sqlite3.connect(folder / "org.sqlite") as db:
        own = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert own <= names
    assert {name for name in names - own if "_fts" not in name} == set()


def test_the_orgs_files_stay_as_they_are(folder: Path) -> None:
    """Exploring changes no byte of the run's folder, adds no file to it, and removes its copy at
    the end.
    """
    before = {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    with opened(folder) as site:
        get = getter(site)
        assert get("/").status_code == get("/org/Case").status_code == 200
        copy = Path(site.get_database("org").path)
        assert copy.is_file() and folder not in copy.parents
    assert not copy.exists()
    assert {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    } == before


def test_the_org_is_explored_without_its_hidden_truth(folder: Path, tmp_path: Path) -> None:
    """The tables, the manifest and what the org was made from are enough: the latent file is never
    asked for.
    """
    alone = copied(folder, tmp_path / "alone")
    with opened(alone) as site:
        assert getter(site)("/").status_code == 200


def test_two_orgs_can_be_explored_at_once(site: Site, get: Get, clinic: Path) -> None:
    """Each site shows its own org: here a clinic, whose schema is no CRM and has no tour, beside
    the shoe company.
    """
    with opened(clinic) as other:
        ask = getter(other)
        start = ask("/").text
        assert "Appointments month by month" in start and "A busy " in start
        assert [
            path
            for path in re.findall(
                r'class="card" href="([^"]+)"|<li><a href="(/org/[a-z_]+)"', start
            )
            if ask(path[0] or path[1]).status_code != 200
        ] == []
        key, number, reason = one(
            clinic, "SELECT Id, AppointmentNumber, Reason FROM Appointment LIMIT 1"
        )
        body = one(clinic, f"SELECT Body FROM VisitNote WHERE AppointmentId = '{key}'")[0]
        page = unescape(ask(f"/org/Appointment/{key}").text)
        assert f"<h1>{number} · {reason}</h1>" in page
        assert f'<div class="prose">{body}</div>' in page
    assert "Tarn &amp; Alder" in get("/").text


def test_a_schema_of_ones_own_needs_nothing(tmp_path: Path) -> None:
    """Labels through references, queries and beginnings follow from the schema, and no value is
    taken for HTML.
    """
    with opened(toy_run(tmp_path)) as site:
        get = getter(site)
        start = get("/").text
        assert "Visits by shop" in start and "A busy shop" in start
        visits = get("/org/Visit").text
        assert re.search(r">(Glad|Sad) visit to Shop &lt;0\d&gt;</a>", visits)
        assert "Shop <0" not in start + visits
        assert {"Shop", "Mood"} <= set(re.findall(r"<summary>([^<]+)</summary>", visits))


def test_what_cannot_be_explored_is_one_clear_line(folder: Path, tmp_path: Path) -> None:
    """A missing folder, an unfinished run, a damaged file and a port in use each end with one line
    that says what to do.
    """
    unfinished, damaged = tmp_path / "unfinished", tmp_path / "damaged"
    unfinished.mkdir()
    shutil.copy(folder / "ledger.sqlite", unfinished)
    copied(folder, damaged)
    (damaged / "org.sqlite").write_bytes(b"not a database" * 100)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = {
            (str(tmp_path / "nowhere"),): (2, "name the folder of a finished run"),
            (str(unfinished),): (2, "isn't finished, so there is no org yet"),
            (str(damaged),): (2, "is not the one that this org was made with"),
            (str(damaged), "--trust"): (1, "is it the org.sqlite of a finished run"),
            (str(folder), "--port", port): (2, "choose another address or port"),
        }
        for words, (code, says) in cases.items():
            ended = called("explore", *words)
            assert ended.returncode == code, ended.stderr
            assert says in ended.stderr and ended.stderr.count("\n") == 1 and ended.stdout == ""


def test_a_missing_extra_is_named() -> None:
    """Without Datasette the command says how to install it; the command line itself doesn't import
    it.
    """
    code = (
        "import sys; import orgweave.cli; assert not {'datasette', 'uvicorn', 'jinja2'} &"
        " set(sys.modules); sys.modules['datasette'] = None; sys.exit(orgweave.cli.run(['explore',"
        " 'nowhere']))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "pip install 'orgweave[explore]'" in ended.stderr and ended.stderr.count("\n") == 1


def test_the_command_says_where_it_listens_and_ends_in_order(folder: Path) -> None:
    """It prints its address first, answers there, and leaves no temp folder when it is ended."""
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", "explore", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout and running.stderr
        url = running.stdout.readline().strip()
        said = running.stdout.readline()
        assert "read-only" in said
        with httpx.Client(base_url=url.partition("?")[0], follow_redirects=True) as client:
            assert "Tarn &amp; Alder" in client.get(url).text
            copy = client.get("/-/databases.json").json()[0]["path"]
        running.terminate()
        assert running.wait(20) == 0
        assert running.stderr.read() == ""
    assert not Path(copy).exists()
