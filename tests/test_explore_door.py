"""Who may ask the site of `explore`, and how little a statement of SQL can do there: the command
itself, in a process of its own, asked over a socket.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from orgweave.explore.limits import LARGEST_ANSWER
from orgweave.server.listen import bound
from pipeline.run import FinishedRun
from schemas.errors import BadInput

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Door:
    """The running command: its address without the token, the token, its process."""

    url: str
    token: str
    process: int

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Asks for a page, with these headers and no others of ours."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        # Nothing is verified over plain HTTP, and reading certificates takes longer than a page.
        return httpx.get(self.url + path, headers=sent, timeout=60, trust_env=False, verify=False)

    def sql(self, text: str) -> httpx.Response:
        """Asks with a statement, by the token."""
        asked = urlencode({"sql": text})
        return self.get(f"/org.json?{asked}", authorization=f"Bearer {self.token}")

    def memory(self) -> int:
        """The most bytes that the process has ever had in memory."""
        for line in Path(f"/proc/{self.process}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
        return 0


def started(folder: Path, stack: ExitStack, *words: str) -> Door:
    """Starts the command and reads where it listens."""
    running = stack.enter_context(
        subprocess.Popen(
            [sys.executable, "-m", "pipeline", "explore", str(folder), *words],
            stdout=subprocess.PIPE,
            text=True,
        )
    )
    stack.callback(running.terminate)
    assert running.stdout
    printed = urlsplit(running.stdout.readline().strip())
    return Door(f"http://{printed.netloc}", parse_qs(printed.query)["token"][0], running.pid)


@pytest.fixture(scope="module")
def door(small_shoes: FinishedRun) -> Iterator[Door]:
    """The shoe company, explored."""
    with ExitStack() as stack:
        yield started(small_shoes.folder, stack)


@pytest.mark.parametrize(
    "path", ["/", "/org/Case", "/org.json?sql=select+1", "/assets/explore.css"]
)
@pytest.mark.parametrize("key", ["", "?token=wrong", "?token="])
def test_nobody_is_let_in_without_the_token(door: Door, path: str, key: str) -> None:
    """No page, no answer and no file without it; the refusal says where it stands."""
    asked = path + (key.replace("?", "&") if "?" in path else key)
    answer = door.get(asked)
    assert answer.status_code == 401
    assert "the address that `orgweave explore` printed" in answer.text


def test_the_printed_address_opens_the_site_and_a_cookie_keeps_it_open(door: Door) -> None:
    """The token leaves the address at once; the cookie is none that other sites or scripts have."""
    first = door.get(f"/org/Case?_size=3&token={door.token}")
    assert (first.status_code, first.headers["location"]) == (303, "/org/Case?_size=3")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    value = cookie.partition(";")[0]
    beside = f'theme={{"a": [1]}}; {value}'
    assert [door.get("/", cookie=sent).status_code for sent in (value, beside)] == [200, 200]
    assert door.get("/", cookie=value[:-1]).status_code == 401


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/"])
def test_letting_in_leads_to_no_other_host(door: Door, path: str) -> None:
    """An address that begins with two slashes is a path here, and not another server."""
    place = door.get(f"{path}?token={door.token}").headers["location"]
    assert not place.startswith(("//", "/\\", "http"))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "["}, 421),
        ({"host": "localhost"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
    ],
)
def test_no_foreign_page_or_name_gets_in_even_with_the_token(
    door: Door,
    headers: dict[str, str],
    status: int,
) -> None:
    """Another site's page is refused, another port's, too, and a name that is made to lead
    here.
    """
    answer = door.get("/org.json", authorization=f"Bearer {door.token}", **headers)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("select zeroblob(300000000)", "not authorized to use function: zeroblob"),
        ("select printf('%.*c', 300000000, 'x')", "not authorized to use function: printf"),
        ("select hex(randomblob(300000000))", "not authorized to use function"),
        ("select replace(Name, 'a', Name) from Account", "not authorized to use function"),
        ("select * from pragma_cache_size", "disallowed PRAGMA"),
        (
            "with recursive t(x) as (select 'abcdefgh' union all select x || x from t)"
            " select max(length(x)) from t",
            "too big",
        ),
        (
            "with recursive t(n, x) as (select 1, 'abcdefgh' union all select n + 1,"
            " x || x from t where n < 17) select a.x from t a, t b, t c where a.n = 17",
            f"more than {LARGEST_ANSWER:,} bytes",
        ),
        (
            "with recursive t(n, x) as (select 1, 'abcdefgh' union all select n + 1,"
            " x || x from t where n < 17) select "
            + ", ".join(["x || 'a'"] * 400)
            + " from t where n = 17",
            "bytes of memory",
        ),
        (
            "with recursive t(x) as (select 1 union all select x + 1 from t) select max(x) from t",
            "time limit",
        ),
        ("select " + "(" * 300 + "1" + ")" * 300, "stack overflow"),
        ("select '" + "a" * 60_000 + "'", "too large"),
        ("select Name like '" + "%a" * 200 + "' from Account", "pattern too complex"),
    ],
)
def test_no_statement_takes_the_machine(door: Door, sql: str, says: str) -> None:
    """Each ends as a refusal of one line, and the process has never grown by 300 MB; the site
    answers afterwards.
    """
    assert door.sql("select count(*) from Account").status_code == 200
    before = door.memory()
    answer = door.sql(sql)
    assert answer.status_code == 400, answer.text[:300]
    assert says in answer.json()["error"]
    assert door.memory() - before < 300 * MEGABYTE
    assert door.sql("select count(*) from Account").status_code == 200


def test_usual_statements_are_answered(door: Door) -> None:
    """What people ask works: joins, groups, windows, dates, JSON, LIKE."""
    for sql in (
        'select Status, count(*) from "Case" group by 1 having count(*) > 1 order by 2 desc',
        "select strftime('%Y', CreatedDate), row_number() over (order by Id) from \"Case\" limit 3",
        "select value from EmailMessage, json_each(ToIds) limit 3",
        "select upper(substr(Name, 1, 3)) from Account where Name like '%a%' limit 3",
    ):
        assert door.sql(sql).status_code == 200, sql


def test_sql_of_ones_own_can_be_switched_off(small_shoes: FinishedRun) -> None:
    """With --no-sql statements are refused, by the list's `_where`, too; lists stay."""
    with ExitStack() as stack:
        door = started(small_shoes.folder, stack, "--no-sql")
        key = f"Bearer {door.token}"
        assert door.sql("select 1").status_code == 403
        assert door.get("/org/Case.json?_where=1", authorization=key).status_code == 403
        assert door.get("/org/Case", authorization=key).status_code == 200
        assert door.get("/org/cases_by_issue", authorization=key).status_code == 200


@pytest.mark.parametrize("host", ["", " "])
def test_no_host_is_not_every_host(host: str) -> None:
    """An empty --host, such as an unset variable makes, is refused: to the system it would mean
    every address of the machine.
    """
    with pytest.raises(BadInput, match="--host: is empty"):
        bound(host, 0)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/org/Case", 405),
        ("BREW", "/org", 405),
        ("GET", "/org/Case.json?_where=%00", 400),
        ("GET", "/org/%00", 400),
        ("GET", "/org/Case?_searchName=a", 400),
        ("GET", "/org/Case?_search=a&_searchmode=raw", 200),
        ("GET", "/org/Case?_search_Subject=a", 200),
        ("GET", "/-/static/" + "a" * 300, 404),
        ("HEAD", "/", 200),
    ],
)
def test_what_no_page_can_be_asked_for_is_refused_at_the_door(
    door: Door,
    method: str,
    path: str,
    status: int,
) -> None:
    """The site would answer with an error page of its own: other methods than reading, a NUL, a
    search without a field's name, a name longer than any.
    """
    headers = {"authorization": f"Bearer {door.token}"}
    found = httpx.request(method, door.url + path, headers=headers, timeout=60, trust_env=False)
    assert found.status_code == status
