"""The writable server against a plain dictionary, over its own HTTP, by random histories of three
clients: one after the other, and all at once.

What is checked is every answer and not the end alone: where calls overlap, there must be an order
of them in which each answer is right (`server_model.linearized`).
"""

import json
from collections.abc import Sequence
from itertools import count
from threading import Barrier, Thread
from typing import Any
from urllib.parse import quote

import requests
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from orgweave.testing.org_server import OrgServer
from pipeline.world.ids import make_ids
from tests.server_model import (
    NAME,
    Answer,
    Happened,
    Kind,
    Operation,
    Records,
    Values,
    apply,
    linearized,
)

CLIENTS = 3
BASE = "/services/data/v59.0"
FIELDS: dict[Kind, tuple[str, ...]] = {
    "Account": ("Name", "Phone", "Synth_Id__c"),
    "Contact": ("LastName", "Phone", "AccountId", "Synth_Id__c"),
}
GHOSTS: dict[Kind, str] = {
    "Account": str(make_ids("001", 1)[0]),
    "Contact": str(make_ids("003", 1)[0]),
}
"""Ids of records that there never were."""
NAMES = st.sampled_from(["Hale", "Élan", "x' OR Name != '", ""])
PHONES = st.sampled_from(["1", "é", "É", ""])
EXTERNALS = st.sampled_from(["k", "K", "l/é?"])
KINDS: st.SearchStrategy[Kind] = st.sampled_from(["Account", "Contact"])


class CrmClient:
    """One session with the server: an operation becomes a request, a response an answer."""

    def __init__(self, server: OrgServer) -> None:
        self._url = server.url + BASE
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {server.token}"

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    def call(self, operation: Operation) -> Answer:
        """Does one thing."""
        kind, key = operation.kind, operation.key
        record = f"/sobjects/{kind}/{key}"
        match operation.verb:
            case "create":
                found = self.send("POST", f"/sobjects/{kind}", body_of(operation.values))
                return _fault(found) or ("ok", found.json()["id"])
            case "read":
                found = self.send("GET", f"{record}?fields={','.join(FIELDS[kind])}")
                return _fault(found) or ("ok", _fields(found.json()))
            case "update":
                found = self.send("PATCH", record, body_of(operation.values))
                return _fault(found) or ("ok",)
            case "delete":
                return _fault(self.send("DELETE", record)) or ("ok",)
            case "upsert":
                path = f"/sobjects/{kind}/Synth_Id__c/{quote(key, safe='')}"
                found = self.send("PATCH", path, body_of(operation.values))
                return _fault(found) or ("ok", found.json()["id"], found.json()["created"])
            case "query":
                phone = dict(operation.values)["Phone"]
                where = f"Phone = '{phone}'" if phone else "Phone = null"
                records = self.query(f"SELECT Id FROM {kind} WHERE {where}")["records"]
                return ("ok", frozenset(record["Id"] for record in records))
            case "count":
                return ("ok", self.query(f"SELECT COUNT() FROM {kind}")["totalSize"])
            case "all":
                text = f"SELECT Id, {', '.join(FIELDS[kind])} FROM {kind}"
                records = self.query(text)["records"]
                return ("ok", frozenset((record.pop("Id"), _fields(record)) for record in records))
            case "together":
                return self.together(operation.parts)

    def together(self, parts: Sequence[Operation]) -> Answer:
        """Creates several records, all or none."""
        records = [{"attributes": {"type": part.kind}, **body_of(part.values)} for part in parts]
        body = {"allOrNone": True, "records": records}
        results = self.send("POST", "/composite/sobjects", body).json()
        if all(result["success"] for result in results):
            return ("ok", tuple(("ok", result["id"]) for result in results))
        assert not any(result["success"] for result in results), results
        return ("undone",)

    def query(self, text: str) -> Any:
        """A query's whole answer; there are never so many records that it comes in pages."""
        return self.send("GET", f"/query?q={quote(text)}").json()

    def send(self, method: str, path: str, body: object = None) -> requests.Response:
        """A request; the server may refuse it, and never fails."""
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"}
        found = self._session.request(
            method,
            self._url + path,
            data=data,
            headers=headers,
            timeout=60,
        )
        assert found.status_code < 500, found.text
        return found


def body_of(values: Values) -> dict[str, str | None]:
    """Fields as JSON has them."""
    return {name: value or None for name, value in values}


def _fault(found: requests.Response) -> Answer:
    """The error's code, or nothing."""
    return (found.json()[0]["errorCode"],) if found.status_code >= 400 else ()


def _fields(record: dict[str, Any]) -> frozenset[tuple[str, str]]:
    """A record's fields that aren't null."""
    ours = {name: value for name, value in record.items() if name not in ("attributes", "Id")}
    return frozenset((name, value) for name, value in ours.items() if value is not None)


class ServerMachine(RuleBasedStateMachine):
    """A server that holds what the model holds, and the ids that there ever were."""

    def __init__(self, server: OrgServer) -> None:
        super().__init__()
        self.clients = [CrmClient(server) for _ in range(CLIENTS)]
        self.records = Records()
        self.ids: dict[Kind, list[str]] = {kind: [key] for kind, key in GHOSTS.items()}

    @rule(data=st.data(), client=st.integers(0, CLIENTS - 1))
    def alone(self, data: st.DataObject, client: int) -> None:
        """One client does one thing."""
        operation = data.draw(operations(self.ids))
        told = self.clients[client].call(operation)
        answer, self.records = apply(self.records, operation, told)
        assert told == answer, operation
        self.learn([told])

    @rule(data=st.data())
    def at_once(self, data: st.DataObject) -> None:
        """All clients do several things, whose order nobody knows."""
        plan = st.lists(operations(self.ids), min_size=1, max_size=3)
        plans = [data.draw(plan) for _ in self.clients]
        histories = self.run(plans)
        after = linearized(self.records, histories)
        assert after is not None, "\n".join(
            str(happened) for done in histories for happened in done
        )
        # Of several orders that explain the answers only the records tell which it was.
        look: list[Happened] = []
        clock = count(10**9)
        for kind in FIELDS:
            operation = Operation("all", kind)
            look.append(
                Happened(operation, self.clients[0].call(operation), next(clock), next(clock))
            )
        first, *rest = histories
        after = linearized(self.records, [[*first, *look], *rest])
        assert after is not None, f"{look}\n{histories}"
        self.records = after
        self.learn([happened.answer for done in histories for happened in done])

    def run(self, plans: Sequence[Sequence[Operation]]) -> list[list[Happened]]:
        """Each client's operations in a thread of its own, begun together."""
        clock = count()
        start = Barrier(len(plans))
        histories: list[list[Happened]] = [[] for _ in plans]

        def work(number: int) -> None:
            start.wait()
            for operation in plans[number]:
                begun = next(clock)
                answer = self.clients[number].call(operation)
                histories[number].append(Happened(operation, answer, begun, next(clock)))

        threads = [Thread(target=work, args=(number,)) for number in range(len(plans))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for plan, done in zip(plans, histories, strict=True):
            assert len(done) == len(plan), "a call failed in its thread"
        return histories

    def learn(self, answers: Sequence[Answer]) -> None:
        """Remembers the ids of new records."""
        for answer in answers:
            if answer[0] != "ok" or len(answer) < 2:
                continue
            parts = answer[1] if isinstance(answer[1], tuple) else (answer,)
            for part in parts:
                key = str(part[1])
                kind: Kind = "Account" if key.startswith("001") else "Contact"
                if len(key) == 18 and key not in self.ids[kind]:
                    self.ids[kind].append(key)

    def teardown(self) -> None:
        """Leaves the server empty for the next history."""
        for kind in FIELDS:
            for record in self.clients[0].query(f"SELECT Id FROM {kind}")["records"]:
                self.clients[0].call(Operation("delete", kind, record["Id"]))
        for client in self.clients:
            client.close()


def some_id(ids: list[str]) -> st.SearchStrategy[str]:
    """Any id of a list. How many there are depends on how the clients' calls met, and hypothesis
    wants to be asked alike each time, so it draws from ever as many numbers.
    """
    return st.integers(0, 999).map(lambda number: ids[number % len(ids)])


@st.composite
def operations(draw: st.DrawFn, ids: dict[Kind, list[str]]) -> Operation:
    """One operation on records that there are, were, or never were."""
    kind = draw(KINDS)
    verb = draw(
        st.sampled_from(
            ["create", "create", "read", "update", "delete", "upsert", "query", "count", "all"]
            + ["together"]
        )
    )
    if verb == "together":
        kinds = draw(st.lists(KINDS, min_size=1, max_size=3))
        parts = [Operation("create", each, "", draw(values(each, ids, True))) for each in kinds]
        return Operation("together", kind, parts=tuple(parts))
    if verb == "upsert":
        given = draw(values(kind, ids, False))
        kept = tuple((name, value) for name, value in given if name != "Synth_Id__c")
        return Operation("upsert", kind, draw(EXTERNALS), kept)
    if verb == "query":
        return Operation("query", kind, "", (("Phone", draw(PHONES)),))
    if verb in ("count", "all"):
        return Operation(verb, kind)
    if verb == "create":
        return Operation("create", kind, "", draw(values(kind, ids, True)))
    key = draw(some_id(ids[kind]))
    given = draw(values(kind, ids, False)) if verb == "update" else ()
    return Operation(verb, kind, key, given)


@st.composite
def values(draw: st.DrawFn, kind: Kind, ids: dict[Kind, list[str]], named: bool) -> Values:
    """Some fields of a record, its name mostly among them where it is to be a new one."""
    fields = {NAME[kind]: NAMES, "Phone": PHONES, "Synth_Id__c": EXTERNALS}
    if kind == "Contact":
        fields["AccountId"] = some_id(ids["Account"])
    chosen = draw(st.sets(st.sampled_from(sorted(fields)), min_size=1))
    if named:
        chosen.add(NAME[kind])
    return tuple((name, draw(fields[name])) for name in sorted(chosen))
