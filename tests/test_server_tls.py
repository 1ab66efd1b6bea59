"""`serve --tls`: a certificate of the server's own, and clients that speak nothing but https."""

import ssl
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO

import pytest
import requests
from requests.adapters import HTTPAdapter
from simple_salesforce import Salesforce

import orgweave
from orgweave.crm.simple_client import PlainHttp
from orgweave.server.certificate import own_certificate
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from schemas.errors import BadInput
from tests.doc_pages import page

PATH = "/services/data/v59.0/limits"


@pytest.fixture(scope="module")
def secure(small_shoes: FinishedRun) -> Iterator[OrgServer]:
    """A read-only server of https."""
    with OrgServer(small_shoes.folder, tls=True) as running:
        yield running


def test_the_unmodified_client_needs_nothing_but_the_certificate(secure: OrgServer) -> None:
    """simple-salesforce speaks https by itself; its session is told whom to trust."""
    session = requests.Session()
    session.trust_env = False
    session.verify = str(secure.certificate)
    sf = Salesforce(instance_url=secure.url, session_id=secure.token, session=session)
    assert sf.query("SELECT COUNT() FROM Case")["totalSize"] > 0


def test_nobody_else_trusts_the_server(secure: OrgServer) -> None:
    """A client that wasn't given the certificate doesn't send its token."""
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(secure.url + PATH, timeout=60)


def test_plain_http_is_not_spoken_beside_it(secure: OrgServer) -> None:
    """No token goes over the wire in the clear by mistake."""
    with pytest.raises(requests.exceptions.ConnectionError):
        requests.get(secure.url.replace("https://", "http://") + PATH, timeout=60)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "::1", "crm.example"])
def test_the_certificate_is_good_for_this_machines_names(name: str) -> None:
    """And for the address that is listened on; for others it isn't."""
    with own_certificate("crm.example") as made:
        context = ssl.create_default_context(cafile=str(made.certificate))
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(made.certificate, made.key)
        assert shaken(context, server, name)
        with pytest.raises(ssl.SSLCertVerificationError):
            shaken(context, server, "other.example")


def shaken(context: ssl.SSLContext, server: ssl.SSLContext, name: str) -> bool:
    """Whether a client that asks for a name and a server shake hands, without a network."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        context.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for _ in range(10):
        waiting = [end for end in ends if not met(end)]
        if not waiting:
            return True
    return False


def met(end: ssl.SSLObject) -> bool:
    """Whether one side of a handshake is done."""
    try:
        end.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True


def test_the_files_are_nobody_elses_and_go() -> None:
    """The key can be read by its owner alone; both files go with the server."""
    with own_certificate("127.0.0.1") as made:
        assert made.key.stat().st_mode & 0o077 == 0
    assert not made.key.exists() and not made.certificate.exists()


def test_a_client_is_had_in_a_line(small_shoes: FinishedRun, secure: OrgServer) -> None:
    """orgweave.connect gives a client of plain http as well as of https."""
    wanted = small_shoes.counts["Case"]
    trusting = orgweave.connect(secure.url, secure.token, certificate=secure.certificate)
    assert trusting.query("SELECT COUNT() FROM Case")["totalSize"] == wanted
    with OrgServer(small_shoes.folder) as plain:
        sf = orgweave.connect(plain.url, plain.token)
        assert sf.query("SELECT COUNT() FROM Case")["totalSize"] == wanted
        assert sf.Case.describe()["name"] == "Case"
        assert sf.describe()["sobjects"]


def test_the_lines_of_the_readme_work(small_shoes: FinishedRun) -> None:
    """Whoever puts the printed URL and token into them gets records."""
    blocks = [block.text for block in page("README.md").blocks() if block.language == "python"]
    [text] = [block for block in blocks if "orgweave.connect" in block]
    with OrgServer(small_shoes.folder) as server:
        text = text.replace("http://127.0.0.1:8080", server.url)
        text = text.replace("the token that serve printed", server.token)
        with redirect_stdout(StringIO()) as out:
            exec(text, {})
    assert out.getvalue().count("'Subject'") == 3


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://127.0.0.1", "http://"])
def test_what_is_no_url_is_refused(url: str) -> None:
    """The message says what is."""
    with pytest.raises(BadInput, match=r"http://127\.0\.0\.1:8080"):
        orgweave.connect(url, "token")


def test_a_token_goes_to_the_server_alone(small_shoes: FinishedRun) -> None:
    """Other addresses keep their https; only the server's own is spoken to without."""
    with OrgServer(small_shoes.folder) as plain:
        sf = orgweave.connect(plain.url, plain.token)
        own = plain.url.replace("http://", "https://")
        assert type(sf.session.get_adapter(f"{own}/services/data")) is PlainHttp
        for other in (f"{own}0/services/data", "https://crm.example/services/data"):
            assert type(sf.session.get_adapter(other)) is HTTPAdapter
