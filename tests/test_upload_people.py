"""Who the agents are in the CRM: new users, or those that it has; and as whom one loads."""

from pathlib import Path

import pytest

from orgweave.cli import parsed, run
from orgweave.load.settings import login_of
from orgweave.testing.org_server import OrgServer
from pipeline.run import FinishedRun
from schemas.errors import BadInput
from tests.server_client import client, only
from tests.server_orgs import USER, make
from tests.upload_orgs import empty, ids, keys, rows, upload


def add_user(server: OrgServer, username: str, **values: object) -> str:
    """A user that the CRM has before the upload."""
    sf = client(server)
    profile = only(sf, "SELECT Id FROM Profile WHERE Name = 'Standard User'")["Id"]
    return make(
        sf,
        "User",
        LastName="Here",
        Username=username,
        Email="here@crm.example",
        Alias="here",
        ProfileId=profile,
        **{**USER, **values},
    )


def test_agents_are_mapped_in_turn(
    few_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With --map-users no user is made: agents stand for the active users in the order of their
    Username, in turn; inactive ones and those of another type are passed over.
    """
    idmap = tmp_path / "idmap.jsonl"
    with empty(few_shoes.folder) as server:
        second, first = add_user(server, "b@here.example"), add_user(server, "a@here.example")
        add_user(server, "0@here.example", IsActive=False)
        robot = add_user(server, "1@here.example")
        with server.org.store.change() as change:
            change.update("User", robot, {"UserType": "AutomatedProcess"})
        sf = client(server)
        loader = only(sf, "SELECT Id FROM User WHERE LastName = 'Loader'")["Id"]
        assert upload(server, few_shoes.folder, idmap, "--map-users") == 0
        assert sf.query("SELECT COUNT() FROM User")["totalSize"] == 5
        owners = {
            record["OwnerId"] for record in sf.query_all("SELECT OwnerId FROM Account")["records"]
        }
    found = [ids(idmap)[key] for key in keys(few_shoes.folder, "User")]
    assert found == [(first, second, loader)[place % 3] for place in range(len(found))]
    assert owners <= {first, second, loader}
    assert f"{len(found)} agents stand for 3 users that the CRM has" in capsys.readouterr().out


def test_a_file_says_who_is_who(
    few_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """--map-users FILE maps each agent as the file says; an agent without a line, a user that isn't
    there and a line of three cells are refused by name.
    """
    idmap, file = tmp_path / "idmap.jsonl", tmp_path / "users.csv"
    agents = [row["Username"] for row in rows(few_shoes.folder, "User")]
    with empty(few_shoes.folder) as server:
        here = add_user(server, "here@crm.example")
        for lines, says in (
            (
                [f"{agents[0]},here@crm.example"],
                f"has no line for {agents[1]} and {len(agents) - 2} more",
            ),
            (
                [f"{one},nobody@crm.example" for one in agents],
                "no such active user, nobody@crm.example",
            ),
            (["a@b.example,c@d.example,e"], "isn't two cells"),
        ):
            file.write_text("\n".join(lines))
            assert upload(server, few_shoes.folder, idmap, "--map-users", str(file)) == 2
            assert says in capsys.readouterr().err
        file.write_text("ours,theirs\n" + "\n".join(f"{one}, here@crm.example" for one in agents))
        assert upload(server, few_shoes.folder, idmap, "--map-users", str(file)) == 0
    assert {ids(idmap)[key] for key in keys(few_shoes.folder, "User")} == {here}


def test_new_users_get_the_profile_and_the_suffix(
    few_shoes: FinishedRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """New users have the profile that --profile names and the suffix behind their Username; an
    unknown profile is refused with those that there are.
    """
    with empty(few_shoes.folder) as server:
        sf, idmap = client(server), tmp_path / "idmap.jsonl"
        assert upload(server, few_shoes.folder, idmap, "--profile", "Nobody") == 2
        assert "it has Standard User, System Administrator" in capsys.readouterr().err
        assert (
            upload(
                server,
                few_shoes.folder,
                tmp_path / "idmap.jsonl",
                "--profile",
                "System Administrator",
                "--username-suffix",
                ".run7",
            )
            == 0
        )
        found = sf.query_all("SELECT Username, Profile.Name FROM User WHERE LastName != 'Loader'")[
            "records"
        ]
    assert {record["Username"] for record in found} == {
        row["Username"] + ".run7" for row in rows(few_shoes.folder, "User")
    }
    assert {record["Profile"]["Name"] for record in found} == {"System Administrator"}


def test_a_password_never_stands_on_the_command_line(
    few_shoes: FinishedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no option for a password or token, and a login holds its secrets so that its repr
    doesn't show them.
    """
    for option in ("--password", "--security-token"):
        with pytest.raises(BadInput, match="unrecognized arguments"):
            parsed(["upload", "x", option, "hush"])
    login = login_of(
        None,
        None,
        {
            "SALESFORCE_USERNAME": "a@b.example",
            "SALESFORCE_PASSWORD": "hush",
            "SALESFORCE_SECURITY_TOKEN": "hushhush",
        },
    )
    assert (login.username, login.domain) == ("a@b.example", "login")
    assert "hush" not in repr(login)
    assert run(["upload", str(few_shoes.folder), "--instance-url", "https://x.example"]) == 2
    assert "--session-id" in capsys.readouterr().err


@pytest.mark.parametrize(
    "url",
    [
        "http://crm.example",
        "crm.example",
        "https://crm.example/path",
        "https://user:pw@crm.example",
        "ftp://127.0.0.1",
        "http://127.0.0.1:x",
    ],
)
def test_an_address_that_would_not_do_is_refused(url: str) -> None:
    """An instance URL is https and a host alone; plain http only for this machine."""
    with pytest.raises(BadInput, match="--instance-url"):
        login_of(url, "s", {})


def test_who_has_no_crm_is_told_how_to_practise() -> None:
    """Without any CRM the one line says what names one, and how to start an empty one here."""
    with pytest.raises(
        BadInput, match="give --instance-url .*; to practise, .* serve 'a b' --empty"
    ):
        login_of(None, None, {}, Path("a b"))


def test_options_come_before_the_environment() -> None:
    """URL and session of the command line come before those of the environment, and both before
    name and password.
    """
    there = {
        "SALESFORCE_INSTANCE_URL": "https://there.example",
        "SALESFORCE_SESSION_ID": "s",
        "SALESFORCE_USERNAME": "u",
        "SALESFORCE_PASSWORD": "p",
    }
    assert login_of(None, None, there).instance_url == "https://there.example"
    assert login_of("http://127.0.0.1:9/", "t", there).instance_url == "http://127.0.0.1:9"
    assert login_of("http://127.0.0.1:9", "t", there).session_id.get_secret_value() == "t"
